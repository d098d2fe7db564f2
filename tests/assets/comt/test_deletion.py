"""`assets.comt.deletion`: crowds as questions about how many people there are, counted by masking their faces."""

import itertools
import json
import random
from collections import Counter

import pytest

from assets.comt import deletion
from assets.comt.deletion import QUESTIONS, options, rationale
from assets.comt.template import fault, written
from assets.schema.tables import as_table
from assets.sources.jhu_crowd import Crowd, Head
from assets.steps import segment

KNOBS = {"fewest": 1, "most": 60, "at_once": 10}
INTRO = "To count the people without losing track, mask their faces ten at a time from left to right."


def crowd(heads, **change):
    given = Crowd("train-0003", "photo", 400, 50, tuple(heads), "jhu_crowd", "released", "train")
    return given._replace(**change)


def row(count):
    """Heads in a row, 2 pixels wide and 3 high, the first at the right end."""
    return [Head(6.0 * place, 10.0, 2.0, 3.0, 1, 0) for place in reversed(range(count))]


def made(*crowds, lacking=(), undrawn=None, seed=4, **knobs):
    rows = as_table("crowd", crowds)
    files = [f"{one.source}-{one.id}-{number}" for one in crowds for number in range(1, 7)]
    drawn = {file: f"id of {file}" for file in files if file not in lacking}
    return deletion.samples(rows, drawn, undrawn or {}, seed=seed, **KNOBS | knobs)


def one(*args, **kwargs):
    [sample] = made(*args, **kwargs)
    return sample


def annotated(sample):
    return json.loads(sample.other)["annotations"]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([1], "The only face is masked. [IMAGE1] That makes 1 person so far. #there is 1 person"),
        ([2], "Both faces are masked in one step. [IMAGE1] That makes 2 people so far. #there are 2 people"),
        ([7], "All seven faces are masked in one step. [IMAGE1] That makes 7 people so far. #there are 7 people"),
        ([10], "All ten faces are masked in one step. [IMAGE1] That makes 10 people so far. #there are 10 people"),
        (
            [10, 1],
            "The first ten faces on the left are masked. [IMAGE1] That makes 10 people so far. "
            "The last face to the right is masked. [IMAGE2] That makes 10 + 1 = 11 people so far. #there are 11 people",
        ),
        (
            [10, 10, 3],
            "The first ten faces on the left are masked. [IMAGE1] That makes 10 people so far. "
            "The next ten faces to the right are masked. [IMAGE2] That makes 10 + 10 = 20 people so far. "
            "The last three faces to the right are masked. [IMAGE3] That makes 20 + 3 = 23 people so far. "
            "#there are 23 people",
        ),
    ],
)
def test_the_rationale_counts_up_and_ends_with_the_count(steps, said):
    assert rationale(steps, 10) == f"{INTRO} {said.replace('#', 'No unmasked face is left, so ')} in the picture."


@pytest.mark.parametrize(
    ("count", "steps"),
    [(1, [1]), (7, [7]), (9, [9]), (10, [10]), (11, [10, 1]), (20, [10, 10]), (21, [10, 10, 1]), (23, [10, 10, 3])],
)
def test_faces_are_masked_ten_at_a_time_and_the_remainder_last(count, steps):
    sample = one(crowd(row(count)))
    assert [len(step) for step in annotated(sample)["masked"]] == steps
    assert written(sample.rationale) == rationale(steps, 10)
    assert sample.images == ("photo", *(f"id of jhu_crowd-train-0003-{n}" for n in range(1, len(steps) + 1)))
    assert sample.choices["ABCD".index(sample.answer)] == str(count)
    assert f" {count} {'person' if count == 1 else 'people'} in the picture." in sample.text
    assert fault(sample) is None


def test_a_sample_says_where_it_comes_from_and_what_was_masked():
    sample = one(crowd([Head(20.5, 5.0, 3.0, 4.0), Head(2.0, 6.0, 3.0, 4.0)]))
    assert (sample.id, sample.source, sample.source_id) == ("jhu_crowd-train-0003", "jhu_crowd", "train-0003")
    assert (sample.benchmark, sample.domain, sample.task, sample.split) == ("comt", "commonsense", "deletion", "train")
    assert sample.provenance == "released > faces masked, question and rationale written by rules"
    assert sample.image_names == ("jhu_crowd-train-0003-0", "jhu_crowd-train-0003-1")
    assert annotated(sample) == {"masked": [[[2, 6, 3, 4], [20, 5, 4, 4]]], "duplicates": 0, "clipped": 0}
    before, wording = sample.question.split("\n")
    assert before == "[IMAGE0]" and wording in [each.format(people="people") for each in QUESTIONS]


def test_a_sentence_is_a_step():
    assert [len(segment(one(crowd(row(count))).text)) for count in (7, 23)] == [4, 8]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (crowd([]), "no_heads"),
        (crowd(row(4)), "too_few_people"),
        (crowd(row(5)), None),
        (crowd(row(12)), None),
        (crowd(row(13)), "too_many_people"),
        (crowd([*row(4), row(4)[0]]), "too_few_people"),
        (crowd([*row(5), Head(9.0, 9.0, 0.0, 3.0)]), "head_without_size"),
        (crowd([*row(5), Head(9.0, 9.0, 3.0, 0.0)]), "head_without_size"),
        (crowd([*row(5), Head(400.0, 9.0, 3.0, 3.0)]), "box_outside"),
        (crowd([*row(5), Head(9.0, -3.0, 3.0, 3.0)]), "box_outside"),
        (crowd(row(5), image_id=None), "no_picture"),
        (crowd(row(5), width=None), "no_picture"),
    ],
)
def test_a_crowd_that_makes_no_sample_says_why(given, reason):
    sample = one(given, fewest=5, most=12)
    assert sample.dropped == reason
    assert (sample.id, sample.task) == ("jhu_crowd-train-0003", "deletion")
    assert reason is None or reason in deletion.REASONS


def test_a_picture_that_was_not_drawn_says_why():
    file = "jhu_crowd-train-0003-2"
    assert one(crowd(row(23)), lacking={file}).dropped == "no_picture"
    assert one(crowd(row(23)), lacking={file}, undrawn={file: "size_differs"}).dropped == "size_differs"
    assert one(crowd(row(9)), lacking={file}).dropped is None


def test_what_the_source_dropped_does_not_enter():
    gone = crowd(row(9), id=None, dropped="bad_name")
    assert [sample.source_id for sample in made(gone, crowd(row(9)), gone, crowd([], id="b"))] == ["train-0003", "b"]


def test_a_head_that_stands_twice_counts_once():
    twice = [*row(10), row(10)[3]._replace(occlusion=3), row(10)[3], row(10)[3]._replace(width=2.5)]
    sample = one(crowd(twice))
    assert [len(step) for step in annotated(sample)["masked"]] == [10, 1]
    assert annotated(sample)["duplicates"] == 2


def test_boxes_are_cut_at_the_edges_and_widened_to_whole_pixels():
    given = [
        Head(-1.5, -2.0, 4.0, 5.0),
        Head(397.5, 47.0, 10.0, 3.0),
        Head(10.0, 48.5, 2.0, 1.5),
        Head(20.2, 10.9, 2.0, 2.0),
    ]
    found = annotated(one(crowd(given)))
    assert found["masked"] == [[[0, 0, 3, 3], [10, 48, 2, 2], [20, 10, 3, 3], [397, 47, 3, 3]]]
    assert found["clipped"] == 2


def test_of_the_same_left_edge_the_upper_comes_first_then_the_narrower_then_the_less_high():
    given = [
        Head(5.0, 9.0, 3.0, 3.0),
        Head(5.0, 2.0, 4.0, 9.0),
        Head(5.0, 2.0, 4.0, 3.0),
        Head(5.0, 2.0, 3.0, 9.0),
        Head(4.5, 40.0, 3.0, 3.0),
    ]
    expected = [[[4, 40, 4, 3], [5, 2, 3, 9]], [[5, 2, 4, 3], [5, 2, 4, 9]], [[5, 9, 3, 3]]]
    for order in (given, given[::-1]):
        assert annotated(one(crowd(order), at_once=2))["masked"] == expected


def test_another_seed_gives_other_options():
    others = {one(crowd(row(23)), seed=seed).choices for seed in range(20)}
    assert len(others) > 4


def test_crowds_of_the_same_count_have_their_own_wording_and_options():
    some = made(*(crowd(row(23), id=f"train-{number}") for number in range(60)))
    assert {sample.answer for sample in some} == set("ABCD")
    assert len({sample.choices for sample in some}) > 4
    assert {sample.question for sample in some} == {
        f"[IMAGE0]\n{wording.format(people='people')}" for wording in QUESTIONS
    }


@pytest.fixture(scope="module")
def draws():
    """Options and the right one's place of 12,000 counts from 10 to 99, small ones more often, last digits equally."""
    rng = random.Random(8)
    tens = rng.choices(range(1, 10), [1 / each for each in range(1, 10)], k=12_000)
    counts = [10 * ten + rng.randrange(10) for ten in tens]
    return [
        (tuple(map(int, choices)), place, count)
        for count in counts
        for choices, place in [options(count, rng.randrange(4), 1, rng)]
    ]


def test_options_are_four_counts_evenly_spaced_in_ascending_order_with_the_right_one(draws):
    for choices, place, count in draws:
        apart = {later - earlier for earlier, later in itertools.pairwise(choices)}
        assert len(choices) == 4 and len(apart) == 1 and choices[place] == count and choices[0] >= 1
        assert max(1, count // 20) <= apart.pop() <= max(1, count // 8)


def test_spacings_use_their_whole_range_the_narrow_ones_more_often():
    rng = random.Random(2)
    found = Counter(int(choices[1]) - int(choices[0]) for choices, _ in (options(80, 1, 1, rng) for _ in range(20_000)))
    assert sorted(found) == [4, 5, 6, 7, 8, 9, 10]
    assert 2.2 < found[4] / found[10] < 2.8


def _digit_share(choices):
    """How many of the others end in the same digit as each."""
    return [sum(other % 10 == one % 10 for other in choices) for one in choices]


RULES = {
    "smallest": lambda choices: [-one for one in choices],
    "largest": lambda choices: choices,
    "lower middle": lambda choices: [place == 1 for place in range(4)],
    "upper middle": lambda choices: [place == 2 for place in range(4)],
    "median": lambda choices: [-abs(2 * one - choices[1] - choices[2]) for one in choices],
    "extremes": lambda choices: [place in (0, 3) for place in range(4)],
    "roundest": lambda choices: [(one % 10 == 0) + (one % 5 == 0) for one in choices],
    "least round": lambda choices: [-((one % 10 == 0) + (one % 5 == 0)) for one in choices],
    "odd": lambda choices: [one % 2 for one in choices],
    "prime to ten": lambda choices: [one % 2 and one % 5 != 0 for one in choices],
    "fewest digits": lambda choices: [-len(str(one)) for one in choices],
    "most digits": lambda choices: [len(str(one)) for one in choices],
    "digit of others": _digit_share,
    "digit of none": lambda choices: [-n for n in _digit_share(choices)],
    "multiple of the spacing": lambda choices: [-(one % (choices[1] - choices[0])) for one in choices],
    "nearest to forty": lambda choices: [-abs(one - 40) for one in choices],
}


@pytest.mark.parametrize("rule", RULES)
def test_no_simple_rule_finds_the_right_option(draws, rule):
    """Expected hits over the draws, ties shared: chance is 0.25."""
    hits = 0.0
    for choices, place, _ in draws:
        scores = RULES[rule](choices)
        best = [at for at, score in enumerate(scores) if score == max(scores)]
        hits += (place in best) / len(best)
    assert abs(hits / len(draws) - 0.25) < 0.02


def test_whoever_knows_how_spacings_are_drawn_gains_little(draws):
    def weight(count, apart):
        low, high = max(1, count // 20), max(1, count // 8)
        return 1 / apart / sum(1 / each for each in range(low, high + 1)) if low <= apart <= high else 0.0

    hits = 0.0
    for choices, place, _ in draws:
        weights = [weight(one, choices[1] - choices[0]) for one in choices]
        best = [at for at, one in enumerate(weights) if one == max(weights)]
        hits += (place in best) / len(best)
    assert 0.25 < hits / len(draws) < 0.33


def test_each_letter_is_right_equally_often_to_one():
    some = made(*(crowd(row(12 + number % 30), id=f"train-{number}") for number in range(63)))
    assert sorted(Counter(sample.answer for sample in some).values()) == [15, 16, 16, 16]


@pytest.mark.parametrize(("count", "places"), [(1, {0}), (2, {0, 1}), (3, {0, 1, 2}), (4, {0, 1, 2, 3})])
def test_no_option_of_a_small_count_is_below_one(count, places):
    rng = random.Random(3)
    found = [options(count, number % 4, 1, rng) for number in range(400)]
    assert {place for _, place in found} == places
    assert all(min(map(int, choices)) >= 1 and len(set(choices)) == 4 for choices, _ in found)


def test_no_option_is_below_the_fewest_that_a_picture_shows():
    rng = random.Random(4)
    for count in range(8, 40):
        for place in range(4):
            choices, right = options(count, place, 8, rng)
            assert int(choices[0]) >= 8 and choices[right] == str(count)
            assert right == place or count < 8 + 3


def test_where_only_faces_have_boxes_faces_are_asked_for_and_counted():
    [sample] = made(crowd(row(13), source="voc_faces"))
    assert "people" not in sample.question + sample.text and "faces" in sample.question
    assert sample.text.endswith("No unmasked face is left, so there are 13 faces in the picture.")
    assert "mask them ten at a time" in sample.text
