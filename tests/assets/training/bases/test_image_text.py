import math
from pathlib import Path

import pytest
import torch

from assets import images
from assets.models.model import Ask, Dialogue, said
from assets.models.transformers_chat import TransformersChat
from assets.schema.sample import Part
from assets.settings_training import ImageTextBase
from assets.training import checkpoint as sealing
from assets.training.adapters import families
from assets.training.bases import image_text
from assets.training.train import TrainingError
from tests.assets.training import squares
from tests.assets.training.adapters import tiny

SETTINGS = ImageTextBase(kind="image-text", seed=3, epochs=1)
WORLD = squares.world(24, 4, 2)


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("base") / "made"
    samples, rows = WORLD
    image_text.make(SETTINGS, samples, images.Pictures.of(rows), into)
    return into


def test_the_same_samples_give_the_same_files_in_any_order(folder: Path, tmp_path: Path) -> None:
    samples, rows = WORLD
    torch.manual_seed(99)
    image_text.make(SETTINGS, samples[::-1], images.Pictures.of(rows), tmp_path / "again")
    assert sealing.manifest(tmp_path / "again") == sealing.manifest(folder)
    other = SETTINGS.model_copy(update={"seed": 4})
    image_text.make(other, samples, images.Pictures.of(rows), tmp_path / "other")
    assert sealing.digest(tmp_path / "other") != sealing.digest(folder)


def test_only_the_train_split_is_read(folder: Path, tmp_path: Path) -> None:
    samples, rows = WORLD
    spoiled = [one._replace(question="Who? What?") if one.split != "train" else one for one in samples]
    image_text.make(SETTINGS, spoiled, images.Pictures.of(rows), tmp_path / "again")
    assert sealing.digest(tmp_path / "again") == sealing.digest(folder)


def test_reading_makes_what_was_read_likelier(tmp_path: Path) -> None:
    samples, rows = WORLD
    lines: list[str] = []
    settings = SETTINGS.model_copy(update={"epochs": 4})
    facts = image_text.make(settings, samples, images.Pictures.of(rows), tmp_path, lines.append)
    losses = [float(line.rpartition(" ")[2]) for line in lines]
    assert [line.rpartition(":")[0] for line in lines] == [f"epoch {number} of 4" for number in range(1, 5)]
    assert losses[0] < math.log(image_text.WORDS) + 1
    assert losses[-1] < losses[0] - 0.5
    assert facts["train"] == 24
    assert math.isclose(facts["loss"], losses[-1], abs_tol=0.005)


def test_without_an_epoch_it_is_of_random_weights(tmp_path: Path) -> None:
    samples, rows = WORLD
    facts = image_text.make(SETTINGS.model_copy(update={"epochs": 0}), samples, images.Pictures.of(rows), tmp_path)
    assert "loss" not in facts
    assert families.base(tiny.settings("lora", tmp_path)).checkpoint.parameters == facts["parameters"]


def test_it_describes_a_picture_as_kind_transformers(folder: Path) -> None:
    samples, rows = WORLD
    parts = (Part("image", None, (samples[0].images or ("",))[0]), said("Describe the picture."))
    dialogues = [Dialogue("one", (Ask(parts),), ()), Dialogue("two", (Ask((said("No picture here."),)),), ())]
    model = TransformersChat("base", model=str(folder), device="cpu", max_tokens=12)
    replies = {reply.id: reply for reply in model.replies(dialogues, squares.Shown(rows))}
    assert {reply.status for reply in replies.values()} <= {"ok", "truncated", "empty"}
    assert replies["one"].tokens_in is not None
    assert replies["one"].tokens_in - (replies["two"].tokens_in or 0) >= 15


def test_a_picture_is_shown_whole(folder: Path) -> None:
    from PIL import Image, ImageDraw

    held = families.base(tiny.settings("lora", folder)).checkpoint
    wide = Image.new("RGB", (256, 32), "white")
    marked = wide.copy()
    ImageDraw.Draw(marked).rectangle((240, 0, 255, 31), fill="black")
    plain, other = (held.processor.image_processor(one, return_tensors="pt")["pixel_values"] for one in (wide, marked))
    assert tuple(plain.shape) == (1, 3, image_text.PICTURE, image_text.PICTURE)
    changed = (plain - other).abs().sum((0, 1, 2)) > 1
    assert changed.tolist()[:58] == [False] * 58
    assert changed.tolist()[-4:] == [True] * 4


def test_no_place_of_this_machine_is_written(folder: Path) -> None:
    for path in folder.iterdir():
        assert str(folder.parent).encode() not in path.read_bytes(), path.name


def test_an_adapter_is_fitted_to_it(folder: Path, tmp_path: Path) -> None:
    samples, rows = WORLD
    settings = tiny.settings("llama-adapter", folder, epochs=1)
    made = families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep")
    assert made.facts["parameters"] == 2 * (10 * 64 + 1)
    assert made.facts["left_out"] == 0


def test_without_samples_it_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"^split train: 0 of its samples have "):
        image_text.make(SETTINGS, [], images.Pictures.of([]), tmp_path)
