"""The leaderboard: evaluations by accuracy under each extractor and label set, with the paper's total beside."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from assets.analysis.entries import Entry
from assets.analysis.published_tables import cells
from assets.tables import TABLES


def rank(scores: pa.Table, entries: Sequence[Entry]) -> pa.Table:
    """The table `leaderboard`: best first within an extractor and label set, evaluations without replies last.

    Evaluations of equal accuracy share a rank, and the next rank counts them all.
    """
    totals = [row for row in scores.to_pylist() if row["scope"] == "total"]
    published = {
        (cell.model, cell.strategy): cell.accuracy / 100
        for cell in cells()
        if cell.table == "zero_shot" and cell.column == "total" and cell.accuracy is not None
    }
    rows: list[dict[str, Any]] = []
    for extractor, policy, labels in sorted({(row["extractor"], row["policy"], row["labels"]) for row in totals}):
        found = {row["evaluation"]: row for row in totals if (row["extractor"], row["labels"]) == (extractor, labels)}
        block = [_row(entry, found.get(entry.evaluation), published) for entry in entries]
        block.sort(key=lambda row: (-(-1.0 if row["accuracy"] is None else row["accuracy"]), row["evaluation"]))
        for row in block:
            better = sum(1 for other in block if (other["accuracy"] or 0) > (row["accuracy"] or 0))
            rows.append(
                row
                | {
                    "rank": None if row["accuracy"] is None else better + 1,
                    "extractor": extractor,
                    "policy": policy,
                    "labels": labels,
                }
            )
    return pa.Table.from_pylist(rows, schema=TABLES["leaderboard"].schema)


def _row(entry: Entry, score: Mapping[str, Any] | None, published: Mapping[tuple[str, str], float]) -> dict[str, Any]:
    result = score or {"n": 0, "correct": 0}
    names = ("n", "correct", "accuracy", "low", "high", "macro_accuracy", "macro_f1", "errors_excluded", "missing")
    return {
        "evaluation": entry.evaluation,
        "model": entry.model,
        "strategy": entry.strategy,
        "benchmark": entry.benchmark,
        "published": published.get((entry.published or "", entry.strategy)),
        **{name: result.get(name) for name in names},
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
    """One record an evaluation (strict extractor, released labels), best first, for `dvc plots`."""
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
