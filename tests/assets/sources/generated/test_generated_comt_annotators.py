import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assets import agreement, annotation
from assets.sources.generated import comt_annotators
from assets.sources.generated.annotators import Truth
from assets.sources.generated.kilogram import descriptions_of
from assets.sources.generated.upstreams import draw

ANNOTATORS = {"simulated-a": 0.03, "simulated-b": 0.04, "simulated-c": 0.05}
EXACT = dict.fromkeys(ANNOTATORS, 0.0)
NONE = {"scienceqa": 0, "math": 0, "tabmwp": 0, "sherlock": 0}
MADE_UP = [
    *(Truth(f"geoqa-train-{n}", edits=((0, f"question {n}"),) if n % 3 == 0 else ()) for n in range(1, 301)),
    *(Truth(f"jhu_crowd-train-{n:04d}") for n in range(300)),
    *(Truth(f"spot_diff-room-{n}") for n in range(300)),
    Truth("geoqa-train-0", defect="no_solution", arrives=False),
    Truth("jhu_crowd-val-0001", flaw="recheck_1"),
]


def lines(annotators: dict[str, float], seed: int = 7) -> list[dict[str, Any]]:
    return [json.loads(line) for line in comt_annotators.judgement_lines(MADE_UP, annotators, seed)]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    draw(folder, seed=7, **NONE, kilogram=40, geoqa=60, jhu_crowd=40, spot_diff=30, annotators=ANNOTATORS)
    return folder


def judged(world: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (world / "comt_annotations/simulated.jsonl").read_text().splitlines()]


def test_every_judgement_can_be_read_and_says_that_it_is_simulated(world: Path) -> None:
    path = world / "comt_annotations/simulated.jsonl"
    read = list(annotation.read([(path, path.name)]))
    assert len(read) > 1000 and all(one.dropped is None for one in read)
    assert {one.annotator for one in read} == set(ANNOTATORS)
    assert all((one.note or "").startswith("simulated") for one in read)


def test_samples_are_named_as_they_are_built(world: Path) -> None:
    forms = (
        r"geoqa-(train|dev|test)-\d+",
        r"jhu_crowd-(train|val|test)-\d{4}",
        r"spot_diff-[a-z]+-\d{3}",
        r"kilogram-page\d+-\d+-([1-9]|10)",
    )
    found = Counter(next(form for form in forms if re.fullmatch(form, one["sample_id"])) for one in judged(world))
    assert set(found) == set(forms)


def test_only_creation_is_judged_for_quality_and_once(world: Path) -> None:
    quality = [one["sample_id"] for one in judged(world) if one["stage"] == "quality"]
    assert len(quality) == len(set(quality)) > 40
    assert all(sample.startswith("geoqa-") for sample in quality)
    rechecked = {one["sample_id"].partition("-")[0] for one in judged(world) if one["stage"] == "recheck"}
    assert rechecked == {"geoqa", "jhu_crowd", "spot_diff", "kilogram"}


def test_edits_are_of_the_question_and_stand_with_accepting_verdicts() -> None:
    edited = [one for one in lines(EXACT) if "edits" in one]
    assert 80 < len(edited) <= 100
    for one in edited:
        [edit] = one["edits"]
        assert (one["stage"], one["verdict"], edit["step"]) == ("quality", "accept", 0)
        assert edit["text"] == f"question {one['sample_id'].rpartition('-')[2]}"


def test_what_never_arrives_is_not_judged_and_what_is_miscounted_is_rejected_by_all() -> None:
    by = {sample: [] for sample in ("geoqa-train-0", "jhu_crowd-val-0001")}
    for one in lines(EXACT):
        by.setdefault(one["sample_id"], []).append(one["verdict"])
    assert by["geoqa-train-0"] == []
    assert by["jhu_crowd-val-0001"] == ["no", "no", "no"]


def test_what_the_first_recheck_ruled_out_is_not_judged_again() -> None:
    found = lines(ANNOTATORS)
    votes = Counter(
        (one["sample_id"], one["round"]) for one in found if one["stage"] == "recheck" and one["verdict"] == "no"
    )
    out = {sample for (sample, turn), count in votes.items() if turn == 1 and count >= 2}
    again = {one["sample_id"] for one in found if one["round"] == 2}
    assert 15 < len(out) < 70
    assert not out & again
    discarded = {one["sample_id"] for one in found if one["verdict"] == "discard"}
    assert 0 < len(discarded) < 15
    assert not discarded & {one["sample_id"] for one in found if one["stage"] == "recheck"}


def test_annotators_agree_about_as_the_paper_has_it() -> None:
    """The paper: kappa 0.93, of people; these err at rates of our own."""
    read = [annotation.of_record(one, "simulated.jsonl") for one in lines(ANNOTATORS)]
    kappas = [row.kappa for row in agreement.agreement(read) if row.measure == "fleiss" and row.stage == "recheck"]
    assert len(kappas) == 2
    assert all(kappa is not None and 0.85 < kappa < 1 for kappa in kappas)


def test_few_are_pending() -> None:
    found = annotation.decisions([annotation.of_record(one, "x") for one in lines(ANNOTATORS)], "recheck", 2)
    counts = Counter(found.values())
    assert 0 < counts["pending"] < 0.03 * len(found)
    assert counts["yes"] > 0.93 * len(found)


def test_descriptions_without_a_label_make_no_sample() -> None:
    truths = [Truth("kilogram-page1-0"), Truth("kilogram-page1-1", defect="unknown")]
    found = [truth.sample_id for truth in descriptions_of(truths)]
    assert [name for name in found if name.startswith("kilogram-page1-0-")] == [
        f"kilogram-page1-0-{number}" for number in range(1, 11)
    ]
    assert found[10:] == [f"kilogram-page1-1-{number}" for number in range(4, 11)]


def test_judgements_do_not_depend_on_the_other_samples() -> None:
    alone = comt_annotators.judgement_lines(MADE_UP[:300], ANNOTATORS, 7)
    assert set(alone) < set(comt_annotators.judgement_lines(MADE_UP, ANNOTATORS, 7))


def test_sources_of_comt_change_nothing_of_what_m3cot_is_built_from(world: Path, tmp_path: Path) -> None:
    draw(tmp_path, seed=7, **NONE, kilogram=40, annotators=ANNOTATORS)
    names = [path.relative_to(tmp_path) for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    assert Path("annotations/simulated.jsonl") in names and len(names) == 43
    assert not (tmp_path / "comt_annotations").exists()
    assert all((world / name).read_bytes() == (tmp_path / name).read_bytes() for name in names)


def test_without_sources_of_m3cot_there_are_no_judgements_for_it(tmp_path: Path) -> None:
    draw(tmp_path, seed=7, **NONE, kilogram=0, spot_diff=20, annotators=ANNOTATORS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.txt", "comt_annotations", "spot_diff"]
    assert "spot-diff" in (tmp_path / "README.txt").read_text()
