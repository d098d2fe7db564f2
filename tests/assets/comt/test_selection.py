"""`assets.comt.selection`: pairs of pictures as questions about how many differences there are, drawn in batches."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from assets.comt import selection
from assets.comt.selection import Region, SelectionError, options, pictures, samples, sizes
from assets.comt.template import annotations, fault, written
from assets.images import Pictures, decode, of_pixels
from assets.schema.tables import as_table
from assets.sources.spot_diff import Pair

SIX = ((70, 1, 9, 8), (5, 30, 12, 10), (5, 2, 6, 6), (40, 10, 8, 9), (44, 12, 10, 4), (60, 40, 20, 20))
"""In a picture of 80 x 60; from left to right (5, 2), (5, 30), (40, 10), (44, 12), (60, 40), (70, 1)."""


def noise(seed, size=(80, 60)):
    values = np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(values)


def world(*boxes, size=(80, 60), first=None, second=None):
    """A table of one pair a list of boxes, and its pictures."""
    rows, held = [], []
    for number, each in enumerate(boxes):
        a, b = first or noise(2 * number, size), second or noise(2 * number + 1, size)
        one, other = of_pixels(a, f"p{number}/a.png"), of_pixels(b, f"p{number}/b.png")
        held += [one, other]
        rows.append(Pair(f"p{number}", one.image_id, other.image_id, tuple(each), "spot_diff", "released"))
    return rows, held


def drawn(rows, held, count=4, gap=7):
    return list(pictures(as_table("pair", rows), Pictures.of(held), count=count, gap=gap))


def made(rows, held, count=4, seed=3):
    table, stored = as_table("pair", rows), Pictures.of(held)
    images = list(pictures(table, stored, count=count, gap=7))
    ids = {each.file: each.image_id for each in images if each.image_id is not None}
    reasons = {each.file: each.dropped for each in images if each.image_id is None}
    return samples(table, ids, reasons, sizes=sizes(stored), count=count, seed=seed)


def test_the_first_picture_is_the_pair_with_a_transparent_gap():
    rows, held = world(SIX)
    whole = drawn(rows, held)[0]
    assert (whole.file, whole.mode, whole.width, whole.height) == ("spot_diff-p0-0", "RGBA", 167, 60)
    pixels = np.asarray(decode(whole.png))
    assert (pixels[:, :80, :3] == np.asarray(decode(held[0].png))).all()
    assert (pixels[:, 87:, :3] == np.asarray(decode(held[1].png))).all()
    assert (pixels[:, 80:87, 3] == 0).all()
    assert (pixels[:, :80, 3] == 255).all()
    assert (pixels[:, 87:, 3] == 255).all()


def test_each_step_shows_its_own_differences_and_nothing_else_pixel_by_pixel():
    rows, held = world(SIX)
    steps = drawn(rows, held)[1:]
    expected = [[(5, 2, 6, 6), (5, 30, 12, 10)], [(40, 10, 8, 9), (44, 12, 10, 4)], [(60, 40, 20, 20)], [(70, 1, 9, 8)]]
    assert [step.file for step in steps] == [f"spot_diff-p0-{number}" for number in (1, 2, 3, 4)]
    for step, boxes in zip(steps, expected, strict=True):
        pixels = np.asarray(decode(step.png))
        assert (pixels[:, 80:87, 3] == 0).all()
        for start, picture in ((0, held[0]), (87, held[1])):
            half, original = pixels[:, start : start + 80], np.asarray(decode(picture.png))
            shown = np.zeros((60, 80), dtype=bool)
            for y in range(60):
                for x in range(80):
                    shown[y, x] = any(
                        left <= x < left + width and top <= y < top + height for left, top, width, height in boxes
                    )
            assert (half[..., 3] == 255).all()
            assert (half[shown][:, :3] == original[shown]).all()
            assert (half[~shown] == 255).all()


def test_the_gap_is_white_where_a_viewer_knows_no_transparency():
    rows, held = world(SIX)
    for each in drawn(rows, held):
        assert decode(each.png).convert("RGB").getpixel((83, 30)) == (255, 255, 255)


def test_grey_and_coloured_pictures_stand_side_by_side():
    grey = noise(5).convert("L")
    rows, held = world(SIX, first=grey)
    left = decode(drawn(rows, held)[0].png).crop((0, 0, 80, 60))
    assert (np.asarray(left)[..., 1] == np.asarray(grey)).all()


@pytest.mark.parametrize(
    ("many", "numbers"),
    [(4, [1, 1, 1, 1]), (9, [3, 2, 2, 2]), (10, [3, 3, 2, 2]), (11, [3, 3, 3, 2]), (12, [3, 3, 3, 3])],
)
def test_the_earlier_batches_take_the_extra_differences(many, numbers):
    regions = [Region(number, 0, number + 1, 1) for number in range(many)]
    found = selection.batches(regions, 4)
    assert [len(batch) for batch in found] == numbers
    assert [region for batch in found for region in batch] == regions


def test_differences_are_clipped_to_the_picture_and_counted_once():
    given = [(0.4, 0.5, 3, 3.1), (75, 55, 10, 10), (-4, 5, 10, 5), (75, 55, 5, 5), (0, 0, 4, 4)]
    boxes = [dict(zip(("left", "top", "width", "height"), box, strict=True)) for box in given]
    assert selection.differences(boxes, (80, 60)) == [(0, 0, 4, 4), (0, 5, 6, 10), (75, 55, 80, 60)]


def test_a_sample_tells_its_differences_batch_by_batch():
    [sample] = made(*world(SIX))
    assert fault(sample) is None
    assert written(sample.rationale) == (
        "The two pictures are compared from left to right, one part after another. "
        "The first two differences lie in this part of the two pictures, on the left. [IMAGE1] "
        "That makes 2 differences so far. "
        "Going from left to right, the next two differences lie in this part of the two pictures, in the middle. "
        "[IMAGE2] That makes 4 differences so far. "
        "Going from left to right, the next difference lies in this part of the two pictures, on the right. "
        "[IMAGE3] That makes 5 differences so far. "
        "The last difference lies in this part of the two pictures, on the right. [IMAGE4] "
        "That makes 6 differences so far. "
        "There are 6 differences in all."
    )
    assert sample.choices["ABCD".index(sample.answer)] == "6"
    assert sample.question.startswith("[IMAGE0]\n")
    assert (sample.id, sample.source_id, sample.domain, sample.task) == (
        "spot_diff-p0",
        "p0",
        "commonsense",
        "selection",
    )
    assert sample.provenance == "released > differences cropped in batches by rules"
    assert sample.image_names == tuple(f"spot_diff-p0-{number}" for number in range(5))


def test_annotations_hold_the_boxes_of_each_step_and_the_two_pictures():
    rows, held = world(SIX)
    [sample] = made(rows, held)
    assert annotations(sample) == {
        "boxes": [
            [[5, 2, 6, 6], [5, 30, 12, 10]],
            [[40, 10, 8, 9], [44, 12, 10, 4]],
            [[60, 40, 20, 20]],
            [[70, 1, 9, 8]],
        ],
        "originals": [held[0].image_id, held[1].image_id],
    }


@pytest.mark.parametrize(
    ("centres", "told"),
    [
        ((11, 41), ": one on the left and one in the middle"),
        ((11, 13, 71), ": two on the left and one on the right"),
        ((11, 46, 47, 81), ": one on the left, two in the middle and one on the right"),
        ((11, 13), ", on the left"),
        ((1, 89), ": one on the left and one on the right"),
        # of 90 pixels the thirds end at 30 and 60; a centre nearer than 4.5 to them is in neither for certain
        ((34,), ""),
        ((35,), ", in the middle"),
        ((11, 58), ""),
        ((66,), ", on the right"),
    ],
)
def test_where_differences_lie_is_told_only_where_it_is_certain(centres, told):
    regions = [Region(centre - 1, 0, centre + 1, 1) for centre in centres]
    assert selection._where(regions, 90) == told


def test_one_batch_alone_is_told_as_such():
    [sample] = made(*world(SIX[:1]), count=1)
    assert written(sample.rationale).endswith(
        "The only difference lies in this part of the two pictures, on the right. [IMAGE1] "
        "That makes 1 difference so far. There is 1 difference in all."
    )
    [several] = made(*world(SIX[:3]), count=1)
    assert "All three differences lie in this part" in several.text


def test_a_pair_that_cannot_be_asked_about_says_why():
    rows, held = world(SIX[:3], SIX, SIX, [*SIX, (80, 0, 5, 5)], [SIX[0]] * 2 + list(SIX[1:4]), SIX)
    small = of_pixels(noise(99, (80, 59)), "small.png")
    rows[1] = rows[1]._replace(second=small.image_id)
    rows[2] = rows[2]._replace(second="0" * 64)
    found = made(rows, [*held, small])
    assert [each.dropped for each in found] == [
        "too_few_differences",
        "unequal_sizes",
        "missing_picture",
        "box_outside",
        None,
        None,
    ]
    assert [each.source_id for each in found] == [f"p{number}" for number in range(6)]
    assert {each.dropped for each in found} - {None} <= set(selection.REASONS)
    assert found[4].choices["ABCD".index(found[4].answer)] == "4"


def test_pictures_too_large_to_be_drawn_are_not_decoded():
    rows, held = world(SIX)
    held = [each._replace(width=4_000, height=3_200, png=b"never opened") for each in held]
    assert drawn(rows, held) == []
    [sample] = samples(
        as_table("pair", rows), {}, {}, sizes={each.image_id: (4_000, 3_200) for each in held}, count=4, seed=3
    )
    assert sample.dropped == "picture_too_large"


def test_a_picture_without_its_pixels_is_a_row_with_the_reason_and_drops_the_sample():
    rows, held = world(SIX)
    held[1] = held[1]._replace(png=None, dropped="same_pixels")
    assert [(each.file, each.dropped) for each in drawn(rows, held)] == [
        (f"spot_diff-p0-{number}", "missing_picture") for number in range(5)
    ]
    assert [each.dropped for each in made(rows, held)] == ["missing_picture"]


def test_a_sample_whose_picture_was_not_drawn_is_a_fault():
    rows, held = world(SIX)
    with pytest.raises(SelectionError, match="spot_diff-p0-0 has no picture"):
        samples(as_table("pair", rows), {}, {}, sizes=sizes(Pictures.of(held)), count=4, seed=3)


def test_quarantined_pairs_are_no_samples():
    rows, held = world(SIX)
    row = rows[0]._replace(dropped="disagrees", quarantined=("p0/boxes.json", None, None))
    assert (drawn([row], held), made([row], held)) == ([], [])


def test_pairs_that_share_a_picture_or_lie_far_apart_are_drawn_as_they_are():
    rows, held = world(*[SIX] * 20)
    rows = [row._replace(first=rows[0].first) for row in rows]
    files = [each.file for each in drawn(rows, held[::-1])]
    assert files == [f"spot_diff-p{number}-{n}" for number in range(20) for n in range(5)]
    last = decode(drawn(rows, held[::-1])[-5].png)
    assert (np.asarray(last)[:, :80, :3] == np.asarray(decode(held[0].png))).all()
    assert (np.asarray(last)[:, 87:, :3] == np.asarray(decode(held[39].png))).all()


def test_the_same_seed_gives_the_same_samples_and_another_one_others():
    rows, held = world(*[SIX] * 6)
    assert made(rows, held) == made(rows, held)
    assert [each.choices for each in made(rows, held)] != [each.choices for each in made(rows, held, seed=4)]


@pytest.mark.parametrize("right", [1, 2, 3, 4, 5, 9])
def test_options_are_four_in_equal_steps_from_low_to_high_with_the_right_one_among_them(right):
    for seed in range(200):
        numbers, place = options(right, seed % 4, 1, random.Random(seed))
        distances = {after - before for before, after in itertools.pairwise(numbers)}
        assert distances in ({1}, {2})
        assert (numbers[place], len(numbers)) == (right, 4)
        assert numbers[0] >= 1


def test_neither_letter_nor_size_nor_length_tells_which_option_is_right():
    rng = random.Random(5)
    asked = [options(rng.randint(7, 15), number % 4, 4, rng) for number in range(4_000)]
    letters = Counter(place for _, place in asked)
    assert all(abs(letters[place] / 4_000 - 1 / 4) < 0.03 for place in range(4))
    for step in (1, 2):
        places = [place for numbers, place in asked if numbers[1] - numbers[0] == step]
        assert all(abs(places.count(place) / len(places) - 1 / 4) < 0.04 for place in range(4))
    rules = {
        "near the mean of the options": lambda numbers: min(range(4), key=lambda n: abs(numbers[n] - sum(numbers) / 4)),
        "the longest": lambda numbers: max(range(4), key=lambda n: len(str(numbers[n]))),
        "the last odd": lambda numbers: max((n for n in range(4) if numbers[n] % 2), default=0),
        "the last even": lambda numbers: max((n for n in range(4) if numbers[n] % 2 == 0), default=0),
        "the only one of its length": lambda numbers: 3 if len(str(numbers[3])) > len(str(numbers[2])) else 0,
    }
    for name, rule in rules.items():
        hits = sum(rule(numbers) == place for numbers, place in asked)
        assert hits / 4_000 < 0.35, name


def test_no_option_is_below_the_fewest_differences_that_a_pair_has():
    for right in range(4, 14):
        for place in range(4):
            numbers, found = options(right, place, 4, random.Random(right))
            assert numbers[0] >= 4 and numbers[found] == right
            assert found == place or right < 4 + 3
