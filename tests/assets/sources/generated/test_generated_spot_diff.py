import json
import random
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from assets.sources.generated import spot_diff
from assets.sources.generated.annotators import Truth
from assets.sources.generated.spot_diff import Pair, pair
from assets.sources.generated.spot_diff_scenes import SCENES, Scene

COUNT = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spot_diff")


@pytest.fixture(scope="module")
def truths(folder: Path) -> list[Truth]:
    return spot_diff.draw_spot_diff(folder, seed=7, count=COUNT)


def of_kind(truths: list[Truth], folder: Path, kind: str | None) -> list[Path]:
    return [folder / truth.sample_id.removeprefix("spot_diff-") for truth in truths if truth.defect == kind]


def differing(drawn: Pair) -> Image.Image:
    return ImageChops.difference(drawn.first, drawn.second).convert("L").point([0] + [255] * 255)


def drawn(scene: Scene, differences: int) -> list[Pair]:
    rng = random.Random(scene.name)
    return [pair(rng, scene, differences) for _ in range(12)]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_two_pictures_differ_in_every_box_and_nowhere_else(scene: Scene) -> None:
    for one in drawn(scene, 8):
        assert len(one.boxes) == 8
        different = differing(one)
        for left, top, width, height in one.boxes:
            box = (left, top, left + width, top + height)
            assert different.crop(box).histogram()[255] >= 15
            different.paste(0, box)
        assert different.getbbox() is None


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_boxes_are_within_the_picture_fit_closely_and_do_not_overlap(scene: Scene) -> None:
    for one in drawn(scene, 10):
        different = differing(one)
        for place, (left, top, width, height) in enumerate(one.boxes):
            assert left >= 0 and top >= 0 and left + width <= 300 and top + height <= 220
            inner = different.crop((left, top, left + width, top + height)).getbbox()
            assert inner and inner[2] - inner[0] >= width - 12 and inner[3] - inner[1] >= height - 12
            for other in one.boxes[:place]:
                apart_x = left >= other[0] + other[2] or other[0] >= left + width
                assert apart_x or top >= other[1] + other[3] or other[1] >= top + height


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_scene_has_more_than_a_dozen_things(scene: Scene) -> None:
    rng = random.Random(2)
    assert min(len(spot_diff._things(rng, scene)) for _ in range(30)) > 12


def test_whole_pairs_have_four_to_ten_differences(truths: list[Truth], folder: Path) -> None:
    numbers = []
    for path in of_kind(truths, folder, None):
        boxes = json.loads((path / "boxes.json").read_text())
        numbers.append(len(boxes))
        assert all(list(box) == ["left", "top", "width", "height"] for box in boxes)
        assert Image.open(path / "a.png").size == Image.open(path / "b.png").size == (300, 220)
    assert set(numbers) == {4, 5, 6, 7, 8, 9, 10}


def test_what_was_planted_is_there(truths: list[Truth], folder: Path) -> None:
    found = {kind: of_kind(truths, folder, kind) for kind in spot_diff.planted(COUNT)}
    assert {kind: len(paths) for kind, paths in found.items()} == spot_diff.planted(COUNT)
    assert all(len(json.loads((path / "boxes.json").read_text())) == 3 for path in found["three_differences"])
    for path in found["unequal_sizes"]:
        assert Image.open(path / "a.png").size != Image.open(path / "b.png").size
    for path in found["broken_boxes"]:
        with pytest.raises(ValueError):
            json.loads((path / "boxes.json").read_text())
    for path in found["box_outside"]:
        assert sum(box["left"] >= 300 for box in json.loads((path / "boxes.json").read_text())) == 1
    assert not any((path / "b.png").exists() for path in found["missing_picture"])
    assert all((path / "a.png").exists() for path in found["missing_picture"])


def test_all_scenes_occur_and_enough_pairs_are_whole(truths: list[Truth], folder: Path) -> None:
    whole = of_kind(truths, folder, None)
    assert {path.name.partition("-")[0] for path in whole} == {scene.name for scene in SCENES}
    assert len(whole) >= 0.9 * COUNT
    assert not [truth for truth in truths if truth.arrives and truth.defect]


def test_the_same_seed_gives_the_same_bytes(folder: Path, truths: list[Truth], tmp_path: Path) -> None:
    assert spot_diff.draw_spot_diff(tmp_path, seed=7, count=COUNT) == truths
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    assert len(names) == 3 * COUNT - 1
    assert all((tmp_path / name).read_bytes() == (folder / name).read_bytes() for name in names)


def test_too_few_pairs_are_refused_with_what_would_do(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give 20 or more"):
        spot_diff.draw_spot_diff(tmp_path, seed=7, count=19)
