"""`assets.comt.sheet`: some samples on one small PNG, each with its pictures in turn."""

import io

import numpy as np
import pytest
from PIL import Image

from assets.comt.sheet import SheetError, chosen, sheet
from assets.comt.template import filled, identifier

RED, BLUE, GREEN, WHITE, RIGHT = (255, 0, 0), (0, 0, 255), (0, 128, 0), (255, 255, 255), (191, 229, 191)


def sample(number=1, task="selection", steps=2, right=1, question="How many?"):
    name = f"spot_diff-{number}"
    shown = range(0 if task == "creation" else 1, steps + 1)
    return filled(
        sample_id=name,
        source="spot_diff",
        source_id=str(number),
        provenance="generated",
        task=task,
        question=question if task == "creation" else f"[IMAGE0]\n{question}",
        choices=["1", "2", "3", "4"],
        right=right,
        rationale=" ".join(f"Here. {identifier(place)}" for place in shown),
        images=[f"{name}-{place}" for place in range(steps + 1)],
        annotations={},
    )


def opened(data):
    return Image.open(io.BytesIO(data)).convert("RGB")


def near(pixel, colour):
    return max(abs(one - other) for one, other in zip(pixel, colour, strict=True)) < 8


def test_pictures_stand_in_the_order_in_which_the_sample_shows_them():
    colours = ["red", "blue", "green"]
    pictures = {f"spot_diff-1-{n}": Image.new("RGB", (100, 60), colour) for n, colour in enumerate(colours)}
    picture = opened(sheet([sample()], pictures))
    assert picture.width == 900
    # three cells of 289 (900 less four gaps of 8, in three), each picture in the middle of its own; 44 above them
    middles = [8 + place * (289 + 8) + 144 for place in range(3)]
    assert all(near(picture.getpixel((x, 70)), c) for x, c in zip(middles, (RED, BLUE, GREEN), strict=True))
    assert near(picture.getpixel((middles[0] + 60, 70)), WHITE)


def test_a_sample_whose_question_shows_no_picture_has_those_of_its_rationale():
    pictures = {"spot_diff-1-0": Image.new("RGB", (100, 60), "red")}
    picture = opened(sheet([sample(task="creation", steps=0)], pictures))
    assert near(picture.getpixel((152, 70)), RED)


@pytest.mark.parametrize("right", [0, 3])
def test_the_right_option_alone_is_on_green(right):
    pictures = {f"spot_diff-1-{n}": Image.new("RGB", (10, 10), "white") for n in range(3)}
    pixels = np.asarray(opened(sheet([sample(right=right)], pictures))).astype(int)
    found = np.flatnonzero((abs(pixels - RIGHT).max(axis=2) < 8).any(axis=0))
    assert 20 < found[-1] - found[0] < 60
    assert (found[0] < 10) == (right == 0)


def test_a_gap_is_white_with_a_thin_rule_in_its_middle():
    joined = Image.new("RGBA", (220, 100), "red")
    joined.paste((0, 0, 0, 0), (100, 0, 120, 100))
    pictures = {f"spot_diff-1-{n}": joined for n in range(3)}
    row = np.asarray(opened(sheet([sample()], pictures)))[90].astype(int)
    # shown as large as it is, in the middle of the first cell: from 8 + (289 - 220) // 2 on
    gap = row[42 + 100 : 42 + 120]
    dark = [place for place, pixel in enumerate(gap) if not near(pixel, WHITE)]
    assert 9 in dark
    assert all(near(gap[place], (187, 187, 187)) for place in dark if 4 < place < 16)
    assert sum(4 < place < 16 for place in dark) == 1


def test_transparent_margins_get_no_rule():
    margins = Image.new("RGBA", (220, 100), (0, 0, 0, 0))
    margins.paste((255, 0, 0, 255), (60, 20, 160, 80))
    pictures = {f"spot_diff-1-{n}": margins for n in range(3)}
    row = np.asarray(opened(sheet([sample()], pictures)))[90].astype(int)
    assert all(near(pixel, WHITE) for pixel in (*row[42 + 5 : 42 + 55], *row[42 + 165 : 42 + 215]))


def test_a_sample_of_many_pictures_shows_ten():
    pictures = {f"spot_diff-1-{n}": Image.new("RGB", (100, 50), "red") for n in range(10)}
    assert opened(sheet([sample(steps=30)], pictures)).height < 400


def test_large_noisy_pictures_and_long_texts_still_fit():
    values = np.random.default_rng(3).integers(0, 256, (900, 1600, 3), dtype=np.uint8)
    samples = [sample(number, steps=4, question="How many of them are there? " * 2_000) for number in range(5)]
    pictures = {name: Image.fromarray(values) for each in samples for name in each.images}
    data = sheet(samples, pictures)
    assert len(data) < 200_000
    assert opened(data).width <= 900


def test_a_picture_that_is_not_there_is_a_fault_that_names_it():
    with pytest.raises(SheetError, match=r"spot_diff-1: \[IMAGE0\] has no picture"):
        sheet([sample()], {})


def test_no_samples_give_an_empty_sheet():
    assert opened(sheet([], {})).width == 900


@pytest.mark.parametrize(
    ("kept", "rows", "taken"),
    [
        (0, 5, []),
        (3, 5, [0, 1, 2]),
        (5, 5, [0, 1, 2, 3, 4]),
        (10, 5, [1, 3, 5, 7, 9]),
        (10, 1, [5]),
        (100, 2, [25, 75]),
    ],
)
def test_the_chosen_ones_are_evenly_spaced_over_those_that_were_kept(kept, rows, taken):
    samples = [sample(number) for number in range(kept)]
    left_out = [each.drop("too_few_differences") for each in samples]
    mixed = [each for pair in zip(left_out, samples, strict=True) for each in pair]
    assert [each.source_id for each in chosen(mixed, rows)] == [str(number) for number in taken]
