"""The masked pictures of `assets.comt.deletion`: the heads are hidden, and nothing else is."""

import random
import tracemalloc

import numpy as np
import pytest
from PIL import Image

from assets.comt import deletion
from assets.images import Pictures, decode, of_pixels
from assets.schema.tables import as_table
from assets.sources.jhu_crowd import Crowd, Head

KNOBS = {"fewest": 1, "most": 60, "at_once": 10}
FILL, RIM = 96, 224


def noise(seed, width=90, height=70, mode="RGB"):
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    return Image.fromarray(pixels).convert(mode)


def photograph(image, file="train/images/0003.jpg"):
    return of_pixels(image, file)


def crowd(picture, heads, name="train-0003"):
    return Crowd(name, picture.image_id, picture.width, picture.height, tuple(heads), "jhu_crowd", "released", None)


def drawn(crowds, photographs, **knobs):
    return list(deletion.pictures(as_table("crowd", crowds), Pictures.of(photographs), **KNOBS | knobs))


def masked(before, boxes):
    """What numpy makes of it: a rim of a sixteenth of the shorter side, and none where it would leave nothing."""
    pixels = before.copy()
    for left, top, width, height in boxes:
        rim = max(1, min(width, height) // 16)
        pixels[top : top + height, left : left + width] = RIM if min(width, height) > 2 * rim else FILL
        for y in range(top + rim, top + height - rim):
            for x in range(left + rim, left + width - rim):
                pixels[y, x] = FILL
    return pixels


@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_exactly_the_boxes_are_hidden_step_by_step_and_all_before_stay_hidden(mode):
    first = photograph(noise(1, mode=mode))
    heads = [
        Head(70.0, 60.5, 40.0, 33.0),
        Head(-4.0, -3.0, 9.0, 9.5),
        Head(20.0, 30.0, 40.0, 33.0),
        Head(30.0, 5.0, 2.0, 9.0),
    ]
    whole = [(0, 0, 5, 7), (20, 30, 40, 33), (30, 5, 2, 9), (70, 60, 20, 10)]
    rows = drawn([crowd(first, heads)], [first], at_once=3)
    assert [(row.file, row.width, row.height, row.mode) for row in rows] == [
        ("jhu_crowd-train-0003-1", 90, 70, mode),
        ("jhu_crowd-train-0003-2", 90, 70, mode),
    ]
    before = np.asarray(decode(first.png))
    for row, boxes in zip(rows, (whole[:3], whole), strict=True):
        assert np.array_equal(np.asarray(decode(row.png)), masked(before, boxes))


def test_many_random_heads_are_hidden_and_nothing_else_is():
    rng = random.Random(6)
    for seed in range(6):
        first = photograph(noise(seed, 120, 80))
        heads = [
            Head(rng.randint(-8, 100) + rng.choice((0.0, 0.5)), float(rng.randint(-3, 70)), rng.randint(9, 40), 9.0)
            for _ in range(25)
        ]
        [*_, last] = drawn([crowd(first, heads)], [first])
        seen = np.zeros((80, 120), bool)
        for y in range(80):
            for x in range(120):
                seen[y, x] = any(
                    x < one.left + one.width and one.left < x + 1 and y < one.top + one.height and one.top < y + 1
                    for one in heads
                )
        before, after = np.asarray(decode(first.png)), np.asarray(decode(last.png))
        assert np.array_equal(after[~seen], before[~seen])
        assert set(map(tuple, after[seen].tolist())) <= {(FILL,) * 3, (RIM,) * 3}


@pytest.mark.parametrize("level", range(0, 256, 5))
def test_a_mask_is_seen_on_any_flat_ground(level):
    assert max(abs(level - FILL), abs(level - RIM)) >= 64
    first = photograph(Image.new("L", (20, 20), level))
    [row] = drawn([crowd(first, [Head(5.0, 5.0, 9.0, 9.0)])], [first])
    after = np.asarray(decode(row.png)).astype(int)
    assert np.abs(after[5:14, 5:14] - level).max() >= 64


@pytest.mark.parametrize(("count", "files"), [(3, 1), (10, 1), (11, 2), (20, 2), (21, 3)])
def test_there_is_a_picture_a_step(count, files):
    first = photograph(noise(2, 200, 20))
    rows = drawn([crowd(first, [Head(9.0 * place, 2.0, 5.0, 5.0) for place in range(count)])], [first])
    assert [row.file for row in rows] == [f"jhu_crowd-train-0003-{number}" for number in range(1, files + 1)]
    assert len({row.image_id for row in rows}) == files


def test_only_crowds_that_become_samples_are_drawn():
    first, second = photograph(noise(3)), photograph(noise(4), "b.jpg")
    heads = [Head(5.0, 5.0, 9.0, 9.0), Head(25.0, 5.0, 9.0, 9.0)]
    given = [
        crowd(first, heads[:1], "few"),
        crowd(first, heads, "a"),
        crowd(second, [], "none"),
        crowd(second, [*heads, Head(1.0, 1.0, 0.0, 2.0)], "flat"),
        crowd(second, heads, "gone")._replace(heads=None, dropped="bad_box"),
        crowd(first, heads, "same"),
    ]
    rows = drawn(given, [first, second], fewest=2)
    assert [row.file for row in rows] == ["jhu_crowd-a-1", "jhu_crowd-same-1"]


def test_a_photograph_that_is_not_there_or_of_another_size_is_said():
    first, second = photograph(noise(3)), photograph(noise(4))
    heads = [Head(5.0, 5.0, 9.0, 9.0), Head(25.0, 5.0, 9.0, 9.0)]
    rows = drawn([crowd(second, heads, "a"), crowd(first, heads, "b")._replace(width=91)], [first], at_once=1)
    assert [(row.file, row.image_id, row.png, row.dropped) for row in rows] == [
        ("jhu_crowd-b-1", None, None, "size_differs"),
        ("jhu_crowd-b-2", None, None, "size_differs"),
        ("jhu_crowd-a-1", None, None, "missing_picture"),
        ("jhu_crowd-a-2", None, None, "missing_picture"),
    ]
    assert {row.dropped for row in rows} <= set(deletion.REASONS)


def test_pictures_and_samples_go_together():
    first = photograph(noise(5, 200, 20))
    table = as_table("crowd", [crowd(first, [Head(8.0 * place, 2.0, 5.0, 5.0) for place in range(23)])])
    rows = list(deletion.pictures(table, Pictures.of([first]), **KNOBS))
    [sample] = deletion.samples(table, {row.file: row.image_id for row in rows}, {}, seed=1, **KNOBS)
    assert sample.images == (first.image_id, *(row.image_id for row in rows))
    assert sample.image_names[1:] == tuple(row.file for row in rows)


def test_memory_does_not_grow_with_the_number_of_photographs():
    def peak(count):
        photographs = [photograph(noise(seed, 100, 80), f"{seed}.jpg") for seed in range(count)]
        crowds = [crowd(one, [Head(9.0, 9.0, 30.0, 30.0)], one.file[:-4]) for one in photographs]
        table, held = as_table("crowd", crowds), Pictures.of(photographs)
        del photographs, crowds
        tracemalloc.start()
        assert sum(row.png is not None for row in deletion.pictures(table, held, **KNOBS)) == count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(64)
    assert peak(512) < 1.2 * peak(128)
