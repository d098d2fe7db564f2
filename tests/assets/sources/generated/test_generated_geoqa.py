import itertools
import math
import pickle
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assets.sources.generated import geoqa
from assets.sources.generated.annotators import Truth
from assets.sources.generated.geoqa_figure import HEIGHT, WIDTH, placed
from assets.sources.generated.geoqa_lengths import FAMILIES
from assets.sources.generated.geoqa_problems import Problem

COUNT = 200
KEYS = ["id", "subject", "choices", "label", "answer", "image", "formal_point", "numbers", "choice_nums"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("geoqa")


@pytest.fixture(scope="module")
def truths(folder: Path) -> list[Truth]:
    return geoqa.draw_geoqa(folder, seed=7, count=COUNT)


@pytest.fixture(scope="module")
def records(folder: Path, truths: list[Truth]) -> dict[str, dict[str, Any]]:
    """By the id that a sample of it gets; of an id that stands twice the first."""
    found: dict[str, dict[str, Any]] = {}
    for split in ("train", "dev", "test"):
        for record in pickle.loads((folder / f"{split}.pk").read_bytes()):
            found.setdefault(f"geoqa-{split}-{record['id']}", record)
    return found


def problems(number: int) -> list[Problem]:
    rng = random.Random(1)
    return [family(rng) for family in FAMILIES for _ in range(number)]


def angle(problem: Problem, names: str) -> float:
    first, vertex, second = (np.array(problem.points[name]) for name in names)
    one, two = first - vertex, second - vertex
    return math.degrees(math.acos(one @ two / np.linalg.norm(one) / np.linalg.norm(two)))


def length(problem: Problem, names: str) -> float:
    return math.dist(problem.points[names[0]], problem.points[names[1]])


def around(problem: Problem, names: str) -> float:
    return sum(length(problem, f"{a}{b}") for a, b in itertools.pairwise(names + names[0]))


def shoelace(problem: Problem, names: str) -> float:
    corners = [problem.points[name] for name in names]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in itertools.pairwise([*corners, corners[0]]))) / 2


MEASURES = {"angle": angle, "length": length, "perimeter": around, "area": shoelace}
POWERS = {"angle": 0, "length": 1, "perimeter": 1, "area": 2}


def scale(problem: Problem) -> float:
    """How long one unit of the coordinates is, by the first length that is given."""
    given = [(names, float(text)) for kind, names, text in problem.marks if kind == "length"]
    return given[0][1] / length(problem, given[0][0]) if given else 1.0


@pytest.mark.parametrize("problem", problems(12), ids=lambda problem: problem.family)
def test_an_answer_is_what_the_coordinates_measure(problem: Problem) -> None:
    kind, names = problem.asked
    assert problem.right.number == pytest.approx(
        MEASURES[kind](problem, names) * scale(problem) ** POWERS[kind], rel=1e-6
    )


@pytest.mark.parametrize("problem", problems(5), ids=lambda problem: problem.family)
def test_what_the_picture_gives_is_true_of_it(problem: Problem) -> None:
    for kind, names, text in problem.marks:
        if kind == "length":
            assert length(problem, names) * scale(problem) == pytest.approx(float(text))
        else:
            assert angle(problem, names) == pytest.approx(float(text.rstrip("°") or 90))


@pytest.mark.parametrize("problem", problems(5), ids=lambda problem: problem.family)
def test_facts_of_the_question_are_true_of_the_coordinates(problem: Problem) -> None:
    centre = problem.circle and problem.circle[0]
    radius = problem.circle and length(problem, "".join(problem.circle))
    checked = 0
    for fact in problem.english.told:
        if found := re.search(r"AB ∥ CD|DE ∥ BC", fact):
            (a, b), (c, d) = (tuple(np.array(problem.points[n]) for n in names) for names in found[0].split(" ∥ "))
            one, two = b - a, d - c
            assert one[0] * two[1] - one[1] * two[0] == pytest.approx(0, abs=1e-9)
        elif found := re.fullmatch(r"(?:in △ABC, )?([A-Z])([A-Z]) (?:⊥ AB at point ([A-Z])|bisects ∠([A-Z]{3}))", fact):
            if found[3]:
                assert angle(problem, f"A{found[3]}{found[1]}") == pytest.approx(90)
            else:
                one, vertex, two = found[4]
                ray = found[2] if found[1] == vertex else found[1]
                halves = angle(problem, f"{one}{vertex}{ray}"), angle(problem, f"{ray}{vertex}{two}")
                assert halves[0] == pytest.approx(halves[1])
        elif found := re.search(r"points? ((?:[A-Z], |[A-Z] and )*[A-Z]) lies? on circle O", fact):
            assert centre and radius
            for name in re.findall("[A-Z]", found[1]):
                assert length(problem, f"{centre}{name}") == pytest.approx(radius)
        elif found := re.search(r"([A-Z]) is the midpoint of ([A-Z])([A-Z])", fact):
            assert length(problem, found[1] + found[2]) == pytest.approx(length(problem, found[1] + found[3]))
        elif "both sides of diameter AB" in fact:
            assert problem.points["C"][1] * problem.points["D"][1] < 0
        elif found := re.search(r"AB = AC", fact):
            assert length(problem, "AB") == pytest.approx(length(problem, "AC"))
        elif found := re.search(r"connect (.*)", fact):
            lines = {frozenset(line) for line in problem.lines}
            assert {frozenset(line) for line in re.findall("[A-Z]{2}", found[1])} <= lines
        else:
            continue
        checked += 1
    assert checked or problem.family in ("rhombus", "tangents")


@pytest.mark.parametrize("problem", problems(3), ids=lambda problem: problem.family)
def test_a_solution_ends_with_the_answer_and_both_languages_give_the_same_numbers(problem: Problem) -> None:
    for words in (problem.english, problem.chinese):
        assert problem.right.text in words.steps[-1]
        assert 3 <= len(words.steps) <= 8
    facts = [[re.findall(r"\d+", fact) for fact in words.told] for words in (problem.english, problem.chinese)]
    assert facts[0] == facts[1]


@pytest.mark.parametrize("problem", problems(3), ids=lambda problem: problem.family)
def test_all_points_are_within_the_picture(problem: Problem) -> None:
    assert all(8 < x < WIDTH - 8 and 8 < y < HEIGHT - 8 for x, y in placed(problem).values())
    assert len(set(problem.points)) >= 3


def test_records_have_the_keys_of_upstream_and_small_pictures(records: dict[str, dict[str, Any]]) -> None:
    assert all(list(record)[: len(KEYS)] == KEYS for record in records.values())
    pictures = [record["image"] for record in records.values() if isinstance(record["image"], np.ndarray)]
    assert {picture.dtype for picture in pictures} == {np.dtype("uint8")}
    assert {picture.shape for picture in pictures} == {(160, 220), (160, 220, 3)}
    assert all(picture.max() == 255 and 0.005 < (picture < 128).mean() < 0.1 for picture in pictures)


def test_a_fifth_of_the_questions_is_in_chinese(records: dict[str, dict[str, Any]]) -> None:
    chinese = [record for record in records.values() if record["subject"].startswith("如图")]
    assert abs(len(chinese) - COUNT / 5) <= 2
    assert all(re.search(r"故选[:：][A-D]。$", record["answer"]) for record in chinese if record["answer"])


def test_the_closing_letter_is_the_label_but_where_planted(
    records: dict[str, dict[str, Any]], truths: list[Truth]
) -> None:
    off = {truth.sample_id for truth in truths if truth.defect in ("contradicting", "label_past_options")}
    for sample, record in records.items():
        if record["answer"]:
            letter = re.search(r"(?:So the answer is |故选[:：])([A-D])[.。]$", record["answer"])
            assert letter
            assert ("ABCD".index(letter[1]) != record["label"]) == (sample in off)


def test_what_was_planted_is_there(records: dict[str, dict[str, Any]], folder: Path) -> None:
    planted = geoqa.planted(COUNT)
    found = list(records.values())
    assert sum(not record["answer"] for record in found) == planted["no_solution"]
    assert sum(record["label"] > 3 for record in found) == planted["label_past_options"]
    assert sum(record["image"] is None for record in found) == planted["no_picture"]
    assert sum(isinstance(record["image"], list) for record in found) == planted["no_array"]
    assert COUNT - len(found) == planted["duplicate_id"]
    facts = [len(re.findall("[,，]", record["subject"])) for record in found]
    assert sum(number == 1 for number in facts) == planted["undescribed"]


def test_letters_are_even_and_four_options_differ(records: dict[str, dict[str, Any]]) -> None:
    labels = Counter(record["label"] for record in records.values() if record["label"] < 4)
    assert max(labels.values()) - min(labels.values()) <= 8
    for record in records.values():
        assert len(set(record["choices"])) == len(set(record["choice_nums"])) == 4


def closest(values: list[float]) -> int:
    mean = sum(values) / len(values)
    return min(range(4), key=lambda place: abs(values[place] - mean))


RULES = {
    **{f"rank {n}": (lambda v, _t, n=n: sorted(range(4), key=v.__getitem__)[n]) for n in range(4)},
    "longest": lambda _v, t: max(range(4), key=lambda place: len(t[place])),
    "shortest": lambda _v, t: min(range(4), key=lambda place: len(t[place])),
    "middling": lambda v, _t: closest(v),
    "near others": lambda v, _t: min(range(4), key=lambda a: sorted(abs(v[a] - v[b]) for b in range(4))[1:3]),
}


@pytest.mark.parametrize("rule", RULES)
def test_no_simple_rule_finds_the_right_option(rule: str) -> None:
    rng = random.Random(3)
    right, total = 0, 0
    for turn in range(80):
        for place, family in enumerate(FAMILIES):
            problem = family(rng)
            values = geoqa.options(problem.right, problem.wrong, (turn + place) % 4, rng)
            rng.shuffle(values)
            chosen = RULES[rule]([value.number for value in values], [value.text for value in values])
            right += values[chosen] == problem.right
            total += 1
    assert right / total < 0.35


def test_an_edit_gives_the_fact_that_the_question_lacks(
    records: dict[str, dict[str, Any]], truths: list[Truth]
) -> None:
    edited = [truth for truth in truths if truth.edits]
    assert 0.2 * COUNT < len(edited) < 0.4 * COUNT
    for truth in edited:
        [(step, text)] = truth.edits
        before = records[truth.sample_id]["subject"]
        parts = re.split(", |,", before)
        assert step == 0
        assert len(text) > len(before)
        assert all(part in text for part in parts)


def test_the_same_seed_gives_the_same_bytes(folder: Path, truths: list[Truth], tmp_path: Path) -> None:
    assert geoqa.draw_geoqa(tmp_path, seed=7, count=COUNT) == truths
    for name in ("train.pk", "dev.pk", "test.pk"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_too_few_items_are_refused_with_what_would_do(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give 40 or more"):
        geoqa.draw_geoqa(tmp_path, seed=7, count=39)
