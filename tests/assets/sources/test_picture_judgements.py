"""Scores of drawn pictures, read from their files."""

import json
from pathlib import Path
from typing import Any

import pytest

from assets import annotation
from assets.schema.tables import as_table
from assets.sources.jsonlines import SourceError
from assets.sources.picture_judgements import judgements


def line(reply: str, who: str = "ada", verdict: str = "3", **more: Any) -> dict[str, Any]:
    turn = {"sample_id": reply, "stage": "picture_quality", "round": 1, "annotator": who, "verdict": verdict}
    return {**turn, **more}


def read(tmp_path: Path, *lines: Any) -> list[annotation.Judgement]:
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines))
    return list(judgements([(path, "scores.jsonl")]))


def test_scores_of_replies_count_and_the_last_of_an_annotator_alone(tmp_path: Path) -> None:
    found = read(tmp_path, line("a:c-1"), line("a:c-1", verdict="0"), line("b:c:1", "ben", "4"))
    assert [(one.sample_id, one.verdict, one.dropped) for one in found] == [
        ("a:c-1", "3", "superseded"),
        ("a:c-1", "0", None),
        ("b:c:1", "4", None),
    ]
    assert annotation.of_table(as_table("annotation", found)) == found


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (line("c-1"), "no_sample_id"),
        (line(":c-1"), "no_sample_id"),
        (line("a: "), "no_sample_id"),
        (line("a:c-1", verdict="5"), "unknown_verdict"),
        (line("a:c-1", verdict="yes"), "unknown_verdict"),
        (line("a:c-1", verdict="yes") | {"stage": "recheck"}, "unknown_stage"),
        (line("a:c-1") | {"round": 2}, "unknown_round"),
        ("{", "invalid_json"),
    ],
)
def test_what_is_no_score_of_a_reply_is_quarantined(tmp_path: Path, wrong: Any, reason: str) -> None:
    _, found = read(tmp_path, line("a:c-2"), wrong)
    assert found.dropped == reason
    assert found.quarantined is not None and found.quarantined[0] == "scores.jsonl"
    assert (found.stage, found.verdict) == (None, None)


def test_an_empty_file_holds_none_and_a_missing_one_is_one_sentence(tmp_path: Path) -> None:
    assert read(tmp_path) == []
    with pytest.raises(SourceError, match=r"set sources\.picture_judgements\.recorded to one, or to null"):
        list(judgements([(tmp_path / "none.jsonl", "none.jsonl")]))
