"""The published tables beside ours, cell by cell."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from assets.analysis.entries import Entry
from assets.analysis.published_tables import COLUMNS, Cell, cells, claims
from assets.schema.tables import TABLES


def compare(scores: pa.Table, entries: Sequence[Entry]) -> pa.Table:
    """The table `comparison`: each published cell once for every extractor and label set of our evaluation of it.

    A cell is equal when both numbers, in per cent, agree to two decimals, which the paper prints (the leaderboard has
    some totals with one or none). A published row that no evaluation here repeats keeps its cells, with nothing of
    ours.

    Raises:
        Fault: two evaluations stand for one published row.
    """
    ours = {
        (row["evaluation"], row["extractor"], row["labels"], row["name"]): row
        for row in scores.to_pylist()
        if row["scope"] in {"topic", "total"} and row["name"] in COLUMNS
    }
    settings = sorted({(extractor, labels) for _, extractor, labels, _ in ours})
    by_row = {row: evaluation for evaluation, row in claims(entries).items()}
    rows: list[dict[str, Any]] = []
    for cell in cells():
        evaluation = by_row.get(cell.repeats) if cell.repeats else None
        found = [
            (extractor, labels, score)
            for extractor, labels in settings
            if (score := ours.get((evaluation or "", extractor, labels, cell.column))) is not None
        ]
        if not found:
            rows.append(_row(cell, None, None, None, None))
        rows += [_row(cell, evaluation, extractor, labels, score) for extractor, labels, score in found]
    return pa.Table.from_pylist(rows, schema=TABLES["comparison"].schema)


def _row(
    cell: Cell, evaluation: str | None, extractor: str | None, labels: str | None, score: dict[str, Any] | None
) -> dict[str, Any]:
    ours = round(100 * score["correct"] / score["n"], 2) if score and score["n"] else None
    both = ours is not None and cell.accuracy is not None
    return {
        "table": cell.table,
        "model": cell.model,
        "strategy": cell.strategy,
        "column": cell.column,
        "evaluation": evaluation,
        "extractor": extractor,
        "labels": labels,
        "n": score["n"] if score else None,
        "correct": score["correct"] if score else None,
        "ours": ours,
        "published": cell.accuracy,
        "difference": round(ours - cell.accuracy, 2) if both else None,  # type: ignore[operator]
        "equal": f"{ours:.2f}" == f"{cell.accuracy:.2f}" if both else None,
    }


def counts(comparison: pa.Table) -> dict[str, dict[str, int]]:
    """How many cells are compared and how many of them are equal, by `table/extractor/labels`."""
    counted: dict[str, dict[str, int]] = {}
    for row in comparison.to_pylist():
        if row["equal"] is not None:
            entry = counted.setdefault(f"{row['table']}/{row['extractor']}/{row['labels']}", {"cells": 0, "equal": 0})
            entry["cells"] += 1
            entry["equal"] += row["equal"]
    return dict(sorted(counted.items()))
