"""Night after night: each evaluation's score and its change, from the tables of the nights themselves."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from assets.nightly.nights import STRICT, asked_rows, change_rows, headline

_SCORE = ("n", "correct", "accuracy", "low", "high")
_CHANGE = {
    "compared_with": "compared_with",
    "compared_n": "n",
    "difference": "difference",
    "difference_low": "low",
    "difference_high": "high",
    "p": "p",
    "p_adjusted": "p_adjusted",
    "same_settings": "same_settings",
}


def history(
    asked: Mapping[str, pa.Table], scores: Mapping[str, pa.Table], changes: Mapping[str, pa.Table], labels: str
) -> Iterator[dict[str, Any]]:
    """Rows of table `night`: a live evaluation of a night a row, by night and name.

    An evaluation that was not asked to the end has its reason and no score.

    Args:
        asked: tables `asked` by night.
        scores: tables `score` by night.
        changes: tables `change` by night.
        labels: the label set of the scores.
    """
    for day in sorted(asked):
        totals = _totals(scores[day], labels) if day in scores else {}
        compared = (
            {row.evaluation: row for row in headline(change_rows(changes[day]), labels)} if day in changes else {}
        )
        for row in sorted(asked_rows(asked[day]), key=lambda row: row.evaluation):
            total = totals.get(row.evaluation, {}) if row.good else {}
            change = compared[row.evaluation]._asdict() if row.good and row.evaluation in compared else {}
            kept = row._asdict()
            del kept["settings"], kept["limit"]
            yield {
                **kept,
                "labels": labels if total else None,
                **{name: total.get(name) for name in _SCORE},
                **{name: change.get(column) for name, column in _CHANGE.items()},
            }


def _totals(scores: pa.Table, labels: str) -> dict[str, dict[str, Any]]:
    return {
        row["evaluation"]: row
        for row in scores.to_pylist()
        if (row["extractor"], row["labels"], row["scope"]) == (STRICT, labels, "total")
    }
