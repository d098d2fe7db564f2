"""The leaderboard: evaluations by accuracy under each extractor and label set, with the paper's total beside."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from assets.analysis.entries import Entry
from assets.analysis.published_tables import TABLE, cells, claims
from assets.schema.tables import TABLES

_RESULT = (
    "n",
    "correct",
    "accuracy",
    "low",
    "high",
    "macro_accuracy",
    "macro_f1",
    "mean_f1",
    "errors_excluded",
    "missing",
)


def rank(scores: pa.Table, entries: Sequence[Entry]) -> pa.Table:
    """The table `leaderboard`: best first within an extractor, label set, benchmark, edition and split.

    Evaluations without replies stand last there. Those of equal accuracy share a rank, and the next rank counts
    them all. The paper's total stands beside M3CoT's test split without shots only.

    Raises:
        Fault: two evaluations stand for one published row.
    """
    totals = [row for row in scores.to_pylist() if row["scope"] == "total"]
    printed = {
        (cell.model, cell.strategy): cell.accuracy / 100
        for cell in cells()
        if cell.table == TABLE and cell.column == "total" and cell.accuracy is not None
    }
    published = {evaluation: printed.get(row) for evaluation, row in claims(entries).items()}
    splits = sorted({(entry.benchmark, entry.edition, entry.split) for entry in entries})
    rows: list[dict[str, Any]] = []
    for extractor, policy, labels in sorted({(row["extractor"], row["policy"], row["labels"]) for row in totals}):
        found = {row["evaluation"]: row for row in totals if (row["extractor"], row["labels"]) == (extractor, labels)}
        scored = {"extractor": extractor, "policy": policy, "labels": labels}
        for split in splits:
            block = [
                _row(entry, found.get(entry.evaluation), published.get(entry.evaluation)) | scored
                for entry in entries
                if (entry.benchmark, entry.edition, entry.split) == split
            ]
            rows += _ranked(block)
    return pa.Table.from_pylist(rows, schema=TABLES["leaderboard"].schema)


def _ranked(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that are compared with each other, best first, with their ranks."""
    block = sorted(rows, key=lambda row: (-(-1.0 if row["accuracy"] is None else row["accuracy"]), row["evaluation"]))
    known = [row["accuracy"] for row in block if row["accuracy"] is not None]
    ranks = {accuracy: 1 + sum(1 for other in known if other > accuracy) for accuracy in known}
    return [row | {"rank": ranks.get(row["accuracy"])} for row in block]


def _row(entry: Entry, score: Mapping[str, Any] | None, published: float | None) -> dict[str, Any]:
    result = score or {"n": 0, "correct": 0}
    return {
        "evaluation": entry.evaluation,
        "model": entry.model,
        "strategy": entry.strategy,
        "shots": entry.shots,
        "benchmark": entry.benchmark,
        "edition": entry.edition,
        "split": entry.split,
        "published": published,
        **{name: result.get(name) for name in _RESULT},
    }


def metrics(leaderboard: pa.Table) -> dict[str, Any]:
    """Accuracy by evaluation, extractor and label set, nested by these names, for `dvc metrics`."""
    nested: dict[str, Any] = {}
    for row in leaderboard.to_pylist():
        if row["accuracy"] is not None:
            by_extractor = nested.setdefault(row["evaluation"], {})
            by_extractor.setdefault(row["extractor"], {})[row["labels"]] = round(row["accuracy"], 6)
    return nested


def plot(leaderboard: pa.Table) -> list[dict[str, Any]]:
    """One record an evaluation (strict extractor, released labels), as they stand in the table, for `dvc plots`."""
    return [
        {"evaluation": row["evaluation"], "accuracy": round(row["accuracy"], 6)}
        for row in headline(leaderboard.to_pylist())
    ]


def headline(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows that a figure shows: strict extractor, released labels, with an accuracy."""
    return [
        row
        for row in rows
        if row["extractor"] == "strict" and row["labels"] == "released" and row["accuracy"] is not None
    ]
