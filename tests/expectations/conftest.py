"""A small table of each asset that every check of its suite passes, and how a table fares."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from tests.expectations import (
    analysis_audit_cases,
    analysis_curves_cases,
    analysis_rationales_cases,
    analysis_tools_cases,
    comt_tables,
    picture_judgements_cases,
)

_OF_ANALYSIS = analysis_audit_cases.GOOD | analysis_curves_cases.GOOD | analysis_rationales_cases.GOOD
_OF_ANALYSIS |= picture_judgements_cases.GOOD | analysis_tools_cases.GOOD

Rows = list[dict[str, Any]]


def _sample(**columns: Any) -> dict[str, Any]:
    return {
        "id": "physics-1",
        "benchmark": "m3cot",
        "topic": "natural-science",
        "question": "Which one floats?",
        "choices": ["Rain", "rain", "Train"],
        "answer": "B",
        "source": "m3cot_released",
        "source_id": "physics-1",
        "provenance": "released",
        "split": "test",
        **columns,
    }


def _prediction(**columns: Any) -> dict[str, Any]:
    return {
        "evaluation": "gpt4v_direct",
        "line": 1,
        "sample_id": "physics-1",
        "turns": [{"role": "assistant", "parts": [{"kind": "text", "text": "(B)", "image_id": None}]}],
        "status": "ok",
        "tokens_in": 10,
        **columns,
    }


def _answer(**columns: Any) -> dict[str, Any]:
    return {
        "evaluation": "gpt4v_direct",
        "line": 1,
        "sample_id": "physics-1",
        "extractor": "paper",
        "letter": "B",
        "rule": "parentheses",
        "span": [0, 3],
        "status": "ok",
        "label": "B",
        "counted": True,
        "correct": True,
        **columns,
    }


def _missing(**columns: Any) -> dict[str, Any]:
    nothing = {"line": None, "letter": None, "rule": "missing", "span": None, "status": "missing", "correct": False}
    return _answer(sample_id="physics-2", **nothing, **columns)


def _score(scope: str, name: str, n: int, correct: int, low: float, high: float) -> dict[str, Any]:
    return {
        "evaluation": "gpt4v_direct",
        "extractor": "strict",
        "policy": "strict",
        "labels": "released",
        "scope": scope,
        "name": name,
        "n": n,
        "correct": correct,
        "accuracy": correct / n,
        "low": low,
        "high": high,
        "macro_accuracy": correct / n,
        "macro_f1": 0.5,
        "mean_f1": 0.5,
        "errors_excluded": 1.0,
        "missing": 1,
        "statuses": [{"status": "ok", "n": n - 1}, {"status": "missing", "n": 1}],
    }


def _baseline(baseline: str, scope: str, name: str, n: int, **columns: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("accuracy", "low", "high", "lowest", "highest", "macro_accuracy", "macro_f1", "mean_f1"))
    reached = {
        "accuracy": 0.25,
        "low": 0.2,
        "high": 0.31,
        "lowest": 0.22,
        "highest": 0.28,
        "macro_accuracy": 0.25,
        "macro_f1": 0.24,
        "mean_f1": 0.24,
        "expected": 0.25,
    }
    return {
        "benchmark": "comt",
        "edition": "released",
        "split": "test",
        "baseline": baseline,
        "scope": scope,
        "name": name,
        "letter": "C" if baseline == "majority" else None,
        "n": n,
        **(reached if n else nothing),
        "seeds": [1, 2, 3] if baseline == "random" else [],
        **columns,
    }


def _control(control: str, correct: int, low: float, high: float, p: float | None) -> dict[str, Any]:
    return {
        "training": "small",
        "split": "test",
        "control": control,
        "scope": "total",
        "name": "total",
        "n": 100,
        "correct": correct,
        "accuracy": correct / 100,
        "low": low,
        "high": high,
        "p": p,
    }


def _ranked(evaluation: str, rank: int | None, correct: int, low: float | None, high: float | None) -> dict[str, Any]:
    n = 0 if rank is None else 4
    return {
        "rank": rank,
        "evaluation": evaluation,
        "model": "gpt4v",
        "strategy": "direct",
        "shots": 0,
        "benchmark": "m3cot",
        "edition": "released",
        "split": "test",
        "extractor": "strict",
        "policy": "strict",
        "labels": "released",
        "n": n,
        "correct": correct,
        "accuracy": correct / n if n else None,
        "low": low,
        "high": high,
        "missing": 0,
        "published": 0.5695,
    }


def _comparison() -> Rows:
    """Every published cell; the first published row has an evaluation of ours that agrees."""
    from expectations.analysis import published_cells

    rows: Rows = []
    for (table, model, strategy, column), value in published_cells().items():
        cell = {"table": table, "model": model, "strategy": strategy, "column": column, "published": value}
        if (table, model, strategy) == ("zero_shot", "kosmos-2", "direct"):
            ours = {"evaluation": "kosmos_2_direct", "extractor": "paper", "labels": "released", "ours": value}
            cell |= {**ours, "n": 10_000, "correct": round(value * 100), "difference": 0.0, "equal": True}
        rows.append(cell)
    return rows


_UNREAD = {"file": "replies.jsonl", "line": 3, "excerpt": "{"}


def _good(asset: str) -> Rows:
    match asset:
        case "sources/generated_released":
            return [
                {"file": "predictions/a/direct.jsonl.gz", "bytes": 10, "sha256": "0" * 64},
                {"file": "test_items.jsonl.gz", "bytes": 0, "sha256": "a1" * 32},
            ]
        case "sources/m3cot_released":
            unread = {"id": None, "source_id": None, "question": None, "choices": None, "answer": None}
            return [
                _sample(),
                _sample(id="algebra-2", topic="algebra", choices=["1", "2"], answer="A"),
                _sample(**unread, topic=None, dropped="invalid_json", quarantined=_UNREAD),
            ]
        case "sources/comt_released":
            samples = [dict(row) for row in _good("sources/m3cot_released")]
            return [row | {"benchmark": "comt", "topic": None, "task": "creation"} for row in samples]
        case "evaluation/recorded" | "evaluation/asked" | "evaluation/learned" | "evaluation/tooled":
            unread = {"sample_id": None, "turns": None, "status": "error", "tokens_in": None}
            return [
                _prediction(),
                _prediction(line=2, sample_id="physics-2"),
                _prediction(line=3, **unread, dropped="invalid_json", quarantined=_UNREAD),
            ]
        case "evaluation/dialogues":
            asked = [{"role": "user", "parts": [{"kind": "text", "text": "Which one floats?", "image_id": None}]}]
            row = {"evaluation": "small_cot", "turns": asked, "pictures": 0, "characters": 17}
            return [{"sample_id": "physics-1", **row}, {"sample_id": "physics-2", **row}]
        case "evaluation/pictures":
            return _good("comt/images")
        case "training/checkpoints" | "training/bases" | "training/adapted":
            return _good("sources/generated_released")
        case "training/controls":
            return [
                _control("seen", 80, 0.72, 0.87, None),
                _control("shuffled", 40, 0.31, 0.5, 0.001),
                _control("blank", 40, 0.31, 0.5, 0.001),
                _control("random", 25, 0.17, 0.35, 0.0001),
                _control("seen", 80, 0.72, 0.87, None) | {"scope": "topic", "name": "algebra"},
            ]
        case "evaluation/answers":
            return [
                _answer(),
                _answer(extractor="strict"),
                _missing(counted=False),
                _missing(extractor="strict", counted=True),
            ]
        case "evaluation/quarantine":
            return [
                {"source": "gpt4v_direct", "file": "replies.jsonl", "line": 3, "key": None, "reason": "invalid_json"},
                {"source": "gpt4v_direct", "file": "replies.jsonl", "line": 4, "key": "x-1", "reason": "duplicate_id"},
            ]
        case "evaluation/flow":
            reasons = [{"reason": "invalid_json", "n": 1}, {"reason": "unknown_id", "n": 1}]
            counts = {"entered": 10, "generated": 0, "retained": 8, "discarded": 0, "quarantined": 2}
            none = {"entered": 8, "generated": 0, "retained": 8, "discarded": 0, "quarantined": 0}
            return [
                {"stage": "evaluation/recorded", "source": "gpt4v_direct", **counts, "reasons": reasons},
                {"stage": "evaluation/answers", "source": "gpt4v_direct", **none, "reasons": []},
            ]
        case "evaluation/scores":
            return [
                _score("category", "Magnets", 4, 3, 0.3, 0.95),
                _score("total", "total", 4, 3, 0.3, 0.95),
                _score("domain", "science", 4, 3, 0.3, 0.95),
                _score("topic", "natural-science", 2, 2, 0.34, 1.0),
                _score("topic", "language-science", 2, 1, 0.09, 0.91),
            ]
        case "evaluation/baselines":
            return [
                _baseline("random", "total", "total", 100),
                _baseline("random", "task", "update", 0),
                _baseline("majority", "total", "total", 100, accuracy=0.3, lowest=0.3, highest=0.3),
            ]
        case "evaluation/differences":
            pair = {"a": "gpt4v_direct", "b": "gemini_direct", "extractor": "strict", "policy": "strict"}
            counts = {"labels": "released", "n": 10, "both": 4, "only_a": 3, "only_b": 1, "neither": 2}
            return [{**pair, **counts, "difference": 0.2, "low": -0.1, "high": 0.5, "p": 0.625}]
        case "analysis/leaderboard":
            return [
                _ranked("gpt4v_direct", 1, 3, 0.3, 0.95),
                _ranked("gpt4v_cot", 1, 3, 0.3, 0.95),
                _ranked("gemini_direct", 3, 2, 0.15, 0.85),
                _ranked("gemini_cot", None, 0, None, None),
                _ranked("gpt4v_direct_early", 1, 1, 0.05, 0.7) | {"split": "validation", "published": None},
            ]
        case "analysis/paper_comparison":
            return _comparison()
        case _ if asset in _OF_ANALYSIS:
            return _OF_ANALYSIS[asset]()
        case _ if asset in comt_tables.OF_SOURCES:
            return comt_tables.sources(asset)
        case _ if asset.startswith("sources/"):
            from tests.expectations.building_tables import sources

            return sources(asset)
        case _ if asset.startswith("comt/"):
            return comt_tables.construction(asset)
        case _:
            from tests.expectations.building_tables import construction

            return construction(asset)


@pytest.fixture
def good() -> Callable[[str], Rows]:
    """The rows of a table of the asset that every check passes, anew at each call."""
    return _good


@pytest.fixture
def table_of() -> Callable[[str, Rows], pa.Table]:
    """The rows as the declared table of the asset."""
    from expectations.suites import suite_of

    return lambda asset, rows: pa.Table.from_pylist(rows, suite_of(asset).declared.schema)


@pytest.fixture
def failed() -> Callable[[str, pa.Table], set[str]]:
    """The names of the checks of the asset that the table fails."""
    from expectations.suites import suite_of
    from expectations.validation import validate

    return lambda asset, table: {result.name for result in validate(suite_of(asset), table).failed}
