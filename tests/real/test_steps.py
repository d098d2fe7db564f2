"""Step segmentation on the real rationales of M3CoT and on what the annotators of ScienceQA were shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from assets.steps import annotated, segment

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"

pytestmark = pytest.mark.skipif(
    not (DATA / "m3cot_rationale_sample").is_dir(), reason="the slice of real rationales is not here"
)


def records(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rationales() -> dict[str, str]:
    folder = DATA / "m3cot_rationale_sample"
    return {
        record["id"]: record["rationale"]
        for name in ("test_35", "train_1")
        for record in records(folder / f"{name}.jsonl")
    }


@pytest.mark.parametrize(("profile", "mean"), [("roscoe", 10.78), ("roscoe-lines", 13.58), ("marked", 5.53)])
def test_the_mean_of_the_36_rationales(profile: str, mean: float) -> None:
    counts = [len(segment(text, profile)) for text in rationales().values()]
    assert (len(counts), round(sum(counts) / 36, 2)) == (36, mean)


MARKED = {
    "physics-1088": 5,
    "biology-64": 8,
    "biology-212": 7,
    "biology-399": 5,
    "chemistry-140": 5,
    "economics-54": 6,
    "grammar-207": 5,
    "grammar-181": 4,
    "writing-strategies-168": 6,
    "writing-strategies-371": 7,
    "physical-commonsense-1426": 8,
}
"""Steps counted by eye: chemistry-140 is numbered 1, 2, 3, 5, 6; biology-64 has a leftover marker before its first."""


@pytest.mark.parametrize(("name", "steps"), MARKED.items(), ids=MARKED.keys())
def test_marked_steps_as_a_reader_counts_them(name: str, steps: int) -> None:
    assert len(segment(rationales()[name], "marked")) == steps


def test_annotators_saw_the_steps_of_every_test_problem() -> None:
    problems = json.loads((DATA / "scienceqa" / "problems.json").read_text(encoding="utf-8"))
    shown = records(DATA / "annotations" / "scienceqa_steps_shown.jsonl")
    ours = [annotated(problems[record["sample_id"].removeprefix("scienceqa-")]["solution"]) for record in shown]
    assert len(ours) == 167
    assert ours == [record["steps"] for record in shown]
