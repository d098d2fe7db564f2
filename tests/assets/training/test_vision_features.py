import random
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from PIL import Image

from assets import images
from assets.schema.faults import Fault
from assets.training import vision_features
from assets.training.vision_features import Encoded, tower
from tests.assets.training import squares
from tests.assets.training import tiny_checkpoints as tiny

MAKERS: dict[str, Callable[[Path], Path]] = {"vit": tiny.vit, "clip": tiny.clip, "detr": tiny.detr}


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("towers")
    for name, make in MAKERS.items():
        make(folder / name)
    return folder


def pictures(count: int = 3) -> list[images.Picture]:
    return squares.world(count, 0, 0)[1]


def encoded(folder: Path, store: Path | None, name: str = "vit") -> Encoded:
    sees = tower(str(folder / name), "cpu", "trainings.vision")
    return Encoded(lambda: sees, sees.key, store)


def never() -> vision_features.Tower:
    raise AssertionError("the checkpoint is loaded again")


@pytest.mark.parametrize(("name", "shape"), [("vit", (17, 32)), ("clip", (17, 32)), ("detr", (10, 32))])
def test_a_picture_is_a_vector_a_patch(folder: Path, name: str, shape: tuple[int, int]) -> None:
    rows = pictures()
    looks = encoded(folder, None, name)
    looks.prepare(rows)
    found = [looks.still(row.image_id) for row in rows]
    assert {(tuple(one.shape), one.dtype) for one in found} == {(shape, torch.float32)}
    assert not torch.equal(found[0], found[1])


def test_the_vectors_are_those_of_the_checkpoint_itself_rounded_to_half(folder: Path) -> None:
    from transformers import AutoImageProcessor, CLIPModel

    row = pictures()[0]
    assert row.png is not None
    given = AutoImageProcessor.from_pretrained(folder / "clip")(images=[images.decode(row.png)], return_tensors="pt")
    with torch.no_grad():
        told = CLIPModel.from_pretrained(folder / "clip").vision_model(**given).last_hidden_state[0]
    looks = encoded(folder, None, "clip")
    looks.prepare([row])
    assert torch.equal(looks.still(row.image_id), told.half().float())


def test_features_are_made_once_whoever_asks_and_the_file_is_named_by_the_pixels(folder: Path, tmp_path: Path) -> None:
    rows = pictures()
    looks = encoded(folder, tmp_path)
    looks.prepare(rows)
    assert sorted(path.name for path in (tmp_path / looks.key).iterdir()) == sorted(
        f"{row.image_id}.safetensors" for row in rows
    )
    again = Encoded(never, looks.key, tmp_path)
    again.prepare(rows)
    png = rows[1].png
    assert png is not None
    assert torch.equal(again.still(rows[1].image_id), looks.still(rows[1].image_id))
    assert torch.equal(again.of(images.decode(png)), looks.still(rows[1].image_id))


def test_grey_and_transparent_pictures_are_kept_as_what_is_looked_at(folder: Path, tmp_path: Path) -> None:
    clear = Image.new("RGBA", (8, 8), (9, 9, 9, 0))
    rows = [images.of_pixels(clear, "a.png"), images.of_pixels(Image.new("L", (8, 8), 255), "b.png")]
    looks = encoded(folder, tmp_path)
    looks.prepare(rows)
    white = images.identify(Image.new("RGB", (8, 8), "white"))
    assert [path.name for path in (tmp_path / looks.key).iterdir()] == [f"{white}.safetensors"]
    assert torch.equal(looks.still(rows[0].image_id), looks.still(rows[1].image_id))
    assert torch.equal(Encoded(never, looks.key, tmp_path).of(clear), looks.still(rows[0].image_id))


def test_what_is_new_beside_a_picture_does_not_change_its_features(folder: Path) -> None:
    rows = pictures(20)
    together, alone = encoded(folder, None), encoded(folder, None)
    together.prepare(rows)
    alone.prepare(rows[7:8])
    assert torch.equal(together.still(rows[7].image_id), alone.still(rows[7].image_id))


def test_a_damaged_file_is_made_anew(folder: Path, tmp_path: Path) -> None:
    rows = pictures(1)
    looks = encoded(folder, tmp_path)
    looks.prepare(rows)
    path = tmp_path / looks.key / f"{rows[0].image_id}.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    again = encoded(folder, tmp_path)
    again.prepare(rows)
    assert path.read_bytes() == whole


def test_the_key_follows_weights_and_preprocessing_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    key = encoded(folder, None).key
    assert len(key) == 16
    assert encoded(tiny.vit(tmp_path / "same").parent, None, "same").key == key
    assert encoded(tiny.vit(tmp_path / "seed", seed=1).parent, None, "seed").key != key
    altered = tiny.vit(tmp_path / "altered") / "preprocessor_config.json"
    altered.write_text(altered.read_text("utf-8").replace("0.5", "0.25"), "utf-8")
    assert encoded(tmp_path, None, "altered").key != key


@pytest.mark.parametrize("name", MAKERS)
def test_the_part_that_sees_is_written_and_sees_the_same(folder: Path, tmp_path: Path, name: str) -> None:
    sees = tower(str(folder / name), "cpu", "trainings.vision")
    vision_features.write(sees, tmp_path / "a")
    vision_features.write(sees, tmp_path / "b")
    again = tower(str(tmp_path / "a"), "cpu", "trainings.vision")
    assert again.key == sees.key
    shown = vision_features.shown(None)
    assert torch.equal(vision_features.encoded(again, [shown])[0], vision_features.encoded(sees, [shown])[0])
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert files == ["config.json", "model.safetensors", "preprocessor_config.json"]
    for file in files:
        held = (tmp_path / "a" / file).read_bytes()
        assert held == (tmp_path / "b" / file).read_bytes()
        assert str(folder.parent).encode() not in held


def test_a_tower_without_a_pooler_of_its_own_is_written_with_the_same_bytes(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    path = tiny.vit(tmp_path / "vit") / "model.safetensors"
    save_file(
        {key: value for key, value in load_file(path).items() if not key.startswith("pooler.")}, path, {"format": "pt"}
    )
    keys = []
    for into in ("a", "b"):
        sees = tower(str(tmp_path / "vit"), "cpu", "trainings.vision")
        keys.append(sees.key)
        vision_features.write(sees, tmp_path / into)
    assert keys[0] == keys[1]
    assert (tmp_path / "a/model.safetensors").read_bytes() == (tmp_path / "b/model.safetensors").read_bytes()


def test_no_picture_is_a_white_one_and_moving_draws_nothing(folder: Path) -> None:
    looks = encoded(folder, None)
    rows = pictures(1)
    looks.prepare(rows)
    assert torch.equal(looks.still(None), looks.of(Image.new("RGB", (224, 224), "white")))
    rng = random.Random(5)
    before = rng.getstate()
    assert torch.equal(looks.moved(rows[0].image_id, rng), looks.still(rows[0].image_id))
    assert rng.getstate() == before
    with pytest.raises(KeyError):
        looks.still("nowhere")


def test_what_is_no_model_of_pictures_is_one_sentence(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    with pytest.raises(Fault, match=r"^trainings\.vision: there is no folder .*/none: give one"):
        tower(str(tmp_path / "none"), "cpu", "trainings.vision")
    tiny.t5(tmp_path / "t5")
    with pytest.raises(Fault, match=r"^trainings\.vision: .*/t5 is T5Model and not a model of pictures"):
        tower(str(tmp_path / "t5"), "cpu", "trainings.vision")
    path = tiny.vit(tmp_path / "vit") / "model.safetensors"
    held = load_file(path)
    save_file({key: value for key, value in held.items() if "layernorm" not in key}, path, {"format": "pt"})
    with pytest.raises(Fault, match=r"^trainings\.vision: .*vit has no weights for .*layernorm.*would be random: name"):
        tower(str(tmp_path / "vit"), "cpu", "trainings.vision")


def test_features_that_are_no_numbers_are_refused(folder: Path) -> None:
    sees = tower(str(folder / "vit"), "cpu", "trainings.vision")
    with torch.no_grad():
        sees.network.layernorm.weight.fill_(float("nan"))
    with pytest.raises(Fault, match="gave vectors that hold no numbers"):
        vision_features.encoded(sees, [vision_features.shown(None)])


def test_features_with_a_bit_that_is_another_are_made_again(folder: Path, tmp_path: Path) -> None:
    rows = pictures(1)
    looks = encoded(folder, tmp_path)
    looks.prepare(rows)
    whole = looks.still(rows[0].image_id)
    path = tmp_path / looks.key / f"{rows[0].image_id}.safetensors"
    content = bytearray(path.read_bytes())
    content[-200] ^= 0x40
    path.write_bytes(content)
    with pytest.raises(AssertionError, match="loaded again"):
        Encoded(never, looks.key, tmp_path).prepare(rows)
    again = encoded(folder, tmp_path)
    again.prepare(rows)
    assert torch.equal(again.still(rows[0].image_id), whole)
