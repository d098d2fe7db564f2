import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from assets import images
from assets.schema.sample import Part
from assets.training import checkpoint, controls, examples, families, fused
from assets.training.reader import Reader
from assets.training.train import MM_COT, TrainingError, train
from tests.assets.training import squares
from tests.assets.training.learned import FEW, Learned, learn

CUT = ("cut_questions", "cut_options", "cut_rationales")


@pytest.fixture(scope="module", name="learned")
def _learned(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    return learn(tmp_path_factory.mktemp("squares") / "checkpoint")


def test_it_looks_and_beats_itself_with_other_pictures_blank_ones_and_chance(learned: Learned) -> None:
    rows = controls.report(learned.folder, learned.samples, images.Pictures.of(learned.rows), "test")
    total = {row["control"]: row for row in rows if row["scope"] == "total"}
    assert {row["n"] for row in total.values()} == {40}
    assert total["seen"]["accuracy"] >= 0.8
    assert total["seen"]["p"] is None
    for control in ("shuffled", "blank", "random"):
        assert total[control]["accuracy"] <= 0.6
        assert total[control]["p"] < 0.01


def test_the_report_has_every_family_and_the_families_add_up(learned: Learned) -> None:
    rows = controls.report(learned.folder, learned.samples, images.Pictures.of(learned.rows), "test")
    assert {(row["scope"], row["name"]) for row in rows} == {
        ("total", "total"),
        ("topic", "squares"),
        ("subtopic", "squares"),
        ("category", "dark"),
        ("category", "light"),
    }
    for control in controls.CONTROLS:
        own = [row for row in rows if row["control"] == control]
        parts = [row["correct"] for row in own if row["scope"] == "category"]
        assert sum(parts) == next(row["correct"] for row in own if row["scope"] == "total")


def test_the_same_seed_gives_the_same_files_whatever_the_order_of_the_samples(tmp_path: Path) -> None:
    samples, rows = squares.world(16, 8, 0)
    settings = squares.SETTINGS._replace(epochs_seeing=1, epochs_rationale=1, epochs_answer=1)
    pictures = images.Pictures.of(rows)
    first = train(samples, pictures, settings, tmp_path / "a")
    torch.manual_seed(99)
    again = train(samples[::-1], pictures, settings, tmp_path / "b")
    other = train(samples, pictures, settings._replace(seed=4), tmp_path / "c")
    assert first == again
    assert checkpoint.digest(tmp_path / "a") == checkpoint.digest(tmp_path / "b") != checkpoint.digest(tmp_path / "c")
    assert {file.sha256 for file in first.files}.isdisjoint(file.sha256 for file in other.files)


def test_the_curves_have_a_row_an_epoch_and_the_epoch_kept_is_the_best_on_validation(learned: Learned) -> None:
    curves = learned.result.curves
    assert [(row["stage"], row["epoch"]) for row in curves] == [
        *(("seeing", epoch) for epoch in range(1, 5)),
        *(("rationale", epoch) for epoch in range(1, 6)),
        *(("answer", epoch) for epoch in range(1, 3)),
    ]
    rationale = [row for row in curves if row["stage"] == "rationale"]
    least = min(rationale, key=lambda row: row["loss_validation"])
    assert learned.result.facts["epoch_rationale"] == least["epoch"]
    answers = [row for row in curves if row["stage"] == "answer"]
    kept = min(answers, key=lambda row: row["loss_validation"])
    assert learned.result.facts["epoch_answer"] == kept["epoch"]
    assert learned.result.facts["accuracy_validation"] == kept["accuracy_validation"] > 0.6
    assert (learned.result.facts["train"], learned.result.facts["validation"]) == (100, 24)


def test_progress_says_stage_epoch_loss_and_time(learned: Learned) -> None:
    assert len(learned.lines) == 1 + 4 + 5 + 2
    assert learned.lines[1].startswith("stage 1 (seeing), epoch 1 of 4: loss ")
    assert learned.lines[-1].startswith("stage 2 (answer), epoch 2 of 2: loss ")
    assert learned.lines[-1].endswith(" s")


def test_test_samples_and_dropped_ones_are_never_learned_from(tmp_path: Path) -> None:
    samples, rows = squares.world(16, 8, 8)
    settings = squares.SETTINGS._replace(epochs_seeing=1, epochs_rationale=1, epochs_answer=1)
    with_test = train(samples, images.Pictures.of(rows), settings, tmp_path / "a")
    black = images.of_pixels(Image.new("RGB", (20, 20)), "black.png")
    told = (Part("text", "Step 1: Anything.\nStep 2: Else.", None),)
    changed: dict[str, Any] = {"question": "Who?", "choices": ("x", "y"), "answer": "B", "rationale": told}
    changed["images"] = (black.image_id or "",)
    spoiled = [one._replace(**changed) if one.split == "test" else one for one in samples]
    more = [one._replace(id=f"more-{one.id}") for one in spoiled if one.split == "test"]
    dropped = samples[0]._replace(id="more", question="Something else", dropped="same_question")
    others = [*more, *spoiled, dropped]
    assert train(others, images.Pictures.of([black, *rows]), settings, tmp_path / "b") == with_test
    assert checkpoint.digest(tmp_path / "a") == checkpoint.digest(tmp_path / "b")


def test_what_is_learned_in_part_only_is_counted(tmp_path: Path) -> None:
    samples, rows = squares.world(16, 8, 0)
    settings = FEW._replace(epochs_seeing=1, epochs_rationale=1, epochs_answer=1)
    assert [train(samples, images.Pictures.of(rows), settings, tmp_path / "a").facts[name] for name in CUT] == [0, 0, 0]
    # A question of 97 words, an option of 25, and a step of 151 after one that fits.
    samples[0] = samples[0]._replace(question="so " * 97)
    samples[1] = samples[1]._replace(choices=("red " * 25, *(samples[1].choices or ())[1:]))
    told = f"Step 1: It is so.\nStep 2: {'so ' * 151}"
    samples[2] = samples[2]._replace(rationale=(Part("text", told, None),))
    made = train(samples, images.Pictures.of(rows), settings, tmp_path / "b")
    assert [made.facts[name] for name in CUT] == [1, 1, 1]


def test_a_split_without_samples_is_one_sentence(tmp_path: Path) -> None:
    samples, rows = squares.world(24, 0, 8)
    with pytest.raises(TrainingError, match=r"^split validation: 0 of its samples have .*: build more samples, or set"):
        train(samples, images.Pictures.of(rows), squares.SETTINGS, tmp_path)


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    samples, rows = squares.world(16, 8, 0)
    gone = rows.pop(3).image_id
    with pytest.raises(TrainingError, match=f"^1 pictures are not there \\({gone}\\): build"):
        train(samples, images.Pictures.of(rows), squares.SETTINGS, tmp_path)


def test_a_checkpoint_answers_as_what_was_saved(learned: Learned, tmp_path: Path) -> None:
    reader = families.load(learned.folder)
    assert isinstance(reader, Reader)
    files = fused.save(MM_COT, reader.backbone, reader.rationale, reader.answer, tmp_path / "copy", {})
    assert [file.name for file in files] == ["answer.safetensors", "description.json", "rationale.safetensors"]
    again = families.load(tmp_path / "copy")
    assert isinstance(again, Reader)
    for name, value in reader.answer.state_dict().items():
        assert torch.equal(value, again.answer.state_dict()[name])
    assert again.backbone.described() == reader.backbone.described()
    asked = [one.asked for sample in learned.samples if (one := examples.of_sample(sample))][-9:]
    shown = [reader.features(images.decode(row.png)) for row in learned.rows[-9:] if row.png]
    told = reader.rationales(asked, shown)
    assert again.rationales(asked, shown) == told
    assert again.answers(asked, told, shown) == reader.answers(asked, told, shown)


def test_an_answerer_that_is_asked_nothing_says_nothing_and_one_without_options_gets_none(learned: Learned) -> None:
    reader = families.load(learned.folder)
    assert (reader.rationales([], []), reader.answers([], [], [])) == ([], [])
    asked = [examples.Asked("a", "Which?", (), None), examples.Asked("b", "Which?", ("red", "blue"), None)]
    blank = [reader.features(None)] * 2
    assert [number is None for number in reader.answers(asked, [[], []], blank)] == [True, False]
    assert reader.answers(asked[:1], [[]], blank[:1]) == [None]


@pytest.mark.parametrize("name", ["answer.safetensors", "description.json", "rationale.safetensors"])
def test_a_damaged_checkpoint_is_one_sentence(learned: Learned, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "checkpoint"
    shutil.copytree(learned.folder, folder)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(checkpoint.CheckpointError, match=rf"{name}: is not the file that manifest.json lists: train"):
        families.load(folder)


def test_weights_that_never_were_numbers_are_no_checkpoint(tmp_path: Path) -> None:
    samples, rows = squares.world(16, 8, 0)
    settings = FEW._replace(rate_rationale=1e30)
    with pytest.raises(TrainingError, match=r"^no epoch's loss on validation is a number: set a lower rate"):
        train(samples, images.Pictures.of(rows), settings, tmp_path / "a")
    assert not (tmp_path / "a").exists()
