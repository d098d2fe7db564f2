"""The first votes on ScienceQA: agreement and decisions as they were worked out apart from this project."""

import json
from pathlib import Path

import pytest

from assets.agreement import agreement
from assets.annotation import Judgement, read
from assets.annotation_files import exported, imported, write
from assets.m3cot.judged import image_needed, multistep
from assets.schema.sample import Sample

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
VOTES = DATA / "annotations" / "scienceqa_first_votes.jsonl"

pytestmark = pytest.mark.skipif(not VOTES.is_file(), reason="the slice of annotations is not here")


@pytest.fixture(scope="module")
def judgements() -> list[Judgement]:
    return list(read([(VOTES, "votes")]))


@pytest.fixture(scope="module")
def samples(judgements: list[Judgement]) -> list[Sample]:
    problems = json.loads((DATA / "scienceqa" / "problems.json").read_text(encoding="utf-8"))
    return [
        Sample(name, "m3cot", "scienceqa", name, "released", images=("picture",)).with_text(
            problems[str(name).removeprefix("scienceqa-")]["solution"]
        )
        for name in dict.fromkeys(judgement.sample_id for judgement in judgements)
    ]


def test_every_vote_is_read(judgements: list[Judgement]) -> None:
    assert (len(judgements), [row for row in judgements if row.dropped]) == (657, [])


def test_kappas_are_those_worked_out_apart(judgements: list[Judgement]) -> None:
    rows = {(row.measure, row.a, row.b): row for row in agreement(judgements) if row.stage == "image_needed"}
    assert {key: (row.n, round(row.kappa or 0, 4)) for key, row in rows.items()} == {
        ("fleiss", None, None): (167, 0.9344),
        ("cohen", "model-a", "model-b"): (167, 0.9384),
        ("cohen", "model-a", "model-c"): (167, 0.9508),
        ("cohen", "model-b", "model-c"): (167, 0.9141),
    }


def test_68_need_the_picture_50_have_two_steps_and_26_two_picture_steps(
    judgements: list[Judgement], samples: list[Sample]
) -> None:
    first = image_needed(samples, judgements, pending="hold")
    kept = [sample for sample in first.samples if sample.dropped is None]
    assert (len(samples), len(kept), first.pending, first.unused) == (167, 68, 0, 0)
    second = multistep(kept, judgements, steps_profile="roscoe", pending="hold")
    reasons = [sample.dropped for sample in second.samples]
    assert (reasons.count("too_few_steps"), second.decided, second.pending) == (18, 50, 0)
    assert (reasons.count("too_few_image_steps"), reasons.count(None)) == (24, 26)


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
def test_the_votes_survive_every_form(judgements: list[Judgement], form: str, tmp_path: Path) -> None:
    path = tmp_path / "votes"
    write(path, exported(judgements, form))
    assert sorted(imported(path, form), key=lambda row: row.turn) == sorted(
        (row._replace(source="votes") for row in judgements), key=lambda row: row.turn
    )
