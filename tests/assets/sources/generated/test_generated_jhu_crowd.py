import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageColor

from assets.sources.generated import jhu_crowd
from assets.sources.generated.annotators import Truth
from assets.sources.generated.jhu_crowd import SKINS, crowd

COUNT = 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jhu_crowd")


@pytest.fixture(scope="module")
def truths(folder: Path) -> list[Truth]:
    return jhu_crowd.draw_jhu_crowd(folder, seed=7, count=COUNT)


def of_kind(truths: list[Truth], folder: Path, kind: str | None) -> Iterator[tuple[Path, Path]]:
    """The picture and the heads of what has this planted in it."""
    for truth in truths:
        if truth.defect == kind:
            _, split, number = truth.sample_id.split("-")
            yield folder / split / "images" / f"{number}.jpg", folder / split / "gt" / f"{number}.txt"


def heads(path: Path) -> list[list[int]]:
    return [[int(word) for word in line.split()] for line in path.read_text().splitlines()]


def is_skin(pixel: tuple[int, ...]) -> bool:
    skins = [ImageColor.getrgb(skin) for skin in SKINS]
    return any(max(abs(a - b) for a, b in zip(pixel, skin, strict=True)) < 12 for skin in skins)


@pytest.mark.parametrize("people", [8, 15, 27, 40, 45])
def test_every_box_has_a_face_in_its_middle_and_there_are_as_many_as_people(people: int) -> None:
    seen = crowd(random.Random(people), people)
    assert len(seen.heads) == people
    picture = seen.picture
    for head in seen.heads:
        # Beside the nose: below the eyes, above the mouth.
        assert is_skin(picture.getpixel((head.x, head.y + round(head.height * 0.14))))


@pytest.mark.parametrize("people", [12, 30, 44])
def test_heads_hardly_overlap(people: int) -> None:
    found = crowd(random.Random(people), people).heads
    for place, one in enumerate(found):
        for other in found[:place]:
            across = (one.width + other.width) / 2 - abs(one.x - other.x)
            down = (one.height + other.height) / 2 - abs(one.y - other.y)
            if across > 0 and down > 0:
                assert across * down < 0.45 * min(one.width * one.height, other.width * other.height)


def test_lines_are_six_whole_numbers_as_upstream_has_them(truths: list[Truth], folder: Path) -> None:
    counts = []
    for picture, told in of_kind(truths, folder, None):
        found = heads(told)
        counts.append(len(found))
        assert Image.open(picture).size == (320, 220)
        for x, y, width, height, occlusion, blur in found:
            assert x - width / 2 > 0 and x + width / 2 < 320 and y - height / 2 > 0 and y + height / 2 < 220
            assert 8 <= width <= 26 and width <= height <= 30
            assert occlusion in (1, 2) and blur in (0, 1)
    assert 10 <= min(counts) < 16 and 34 < max(counts) <= 40


def test_what_was_planted_is_there(truths: list[Truth], folder: Path) -> None:
    planted = jhu_crowd.planted(COUNT)
    found = {kind: list(of_kind(truths, folder, kind)) for kind in planted}
    assert {kind: len(pairs) for kind, pairs in found.items()} == planted
    assert all(8 <= len(heads(told)) <= 9 for _, told in found["fewer_than_ten"])
    assert all(41 <= len(heads(told)) <= 45 for _, told in found["over_forty"])
    for _, told in found["duplicate_line"]:
        assert len(heads(told)) == len({tuple(head) for head in heads(told)}) + 1
    for _, told in found["box_outside"]:
        assert sum(head[0] - head[2] / 2 < 0 for head in heads(told)) == 1
    assert all(sum(head[3] == 0 for head in heads(told)) == 1 for _, told in found["zero_size"])
    assert not any(picture.exists() for picture, _ in found["missing_picture"])
    assert not any(told.exists() for _, told in found["missing_heads"])
    assert all(told.read_bytes() == b"" for _, told in found["no_heads"])
    assert all("generated line" in told.read_text() for _, told in found["broken_line"])
    for picture, _ in found["truncated"]:
        with pytest.raises(OSError):
            Image.open(picture).load()


def test_labels_count_the_lines_but_where_planted(truths: list[Truth], folder: Path) -> None:
    told = {}
    for split in ("train", "val", "test"):
        for line in (folder / split / "image_labels.txt").read_text().splitlines():
            number, count, scene, weather, distractor = line.split(",")
            assert scene and weather in "0123" and distractor in "01"
            told[f"jhu_crowd-{split}-{number}"] = int(count)
    assert set(told) == {truth.sample_id for truth in truths}
    for truth in truths:
        _, split, number = truth.sample_id.split("-")
        path = folder / split / "gt" / f"{number}.txt"
        lines = path.read_text().splitlines() if path.exists() else []
        if truth.defect not in ("wrong_count", "no_heads", "missing_heads"):
            assert told[truth.sample_id] == len(lines)
        else:
            assert told[truth.sample_id] != len(lines)


def test_a_picture_that_would_be_miscounted_is_rejected(truths: list[Truth]) -> None:
    flawed = {truth.defect for truth in truths if truth.flaw == "recheck_1"}
    assert flawed == {"zero_size", "broken_line"}


def test_enough_good_pictures_are_left(truths: list[Truth]) -> None:
    assert sum(truth.arrives and truth.flaw is None for truth in truths) >= 0.85 * COUNT


def test_the_same_seed_gives_the_same_bytes(folder: Path, truths: list[Truth], tmp_path: Path) -> None:
    assert jhu_crowd.draw_jhu_crowd(tmp_path, seed=7, count=COUNT) == truths
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    assert len(names) > 2 * COUNT - 20
    assert all((tmp_path / name).read_bytes() == (folder / name).read_bytes() for name in names)


def test_too_few_pictures_are_refused_with_what_would_do(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give 40 or more"):
        jhu_crowd.draw_jhu_crowd(tmp_path, seed=7, count=39)
