"""What must hold of how often models draw, and of the scores of what they drew."""

from collections import defaultdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.vocabulary import TASKS
from expectations.common.rules import TOLERANCE, is_apart, no_negatives, unique_together, values_in
from expectations.common.suite import both, either, faults, one_of, placed, rule

_PART = "{evaluation} {scope} {name}"
_COUNTS = ("n", "drawing", "pictures", "sampled", "judged", "agreed")
_STEPS = (
    ("drawing", "n"),
    ("drawing", "pictures"),
    ("sampled", "drawing"),
    ("judged", "sampled"),
    ("agreed", "judged"),
)
"""Counts that are not above others."""


def _misnamed(table: pa.Table) -> pa.Array:
    whole = both(pc.equal(table["scope"], "total"), pc.not_equal(table["name"], "total"))
    part = both(pc.equal(table["scope"], "task"), pc.invert(one_of(table["name"], TASKS)))
    return faults(table, either(whole, part), _PART)


def _too_many(table: pa.Table) -> pa.Array:
    none = both(pc.equal(table["drawing"], 0), pc.greater(table["pictures"], 0))
    wrong = either(none, *(pc.greater(table[few], table[many]) for few, many in _STEPS))
    return faults(table, wrong, f"{_PART}: " + ", ".join(f"{name} {{{name}}}" for name in _COUNTS))


def _share_apart(table: pa.Table) -> pa.Array:
    counted = pc.greater(table["n"], 0)
    quotient = pc.divide(pc.cast(table["drawing"], pa.float64()), pc.if_else(counted, table["n"], None))
    wrong = either(pc.not_equal(counted, pc.is_valid(table["share"])), is_apart(table["share"], quotient, TOLERANCE))
    return faults(table, wrong, f"{_PART}: share {{share}}, drawing {{drawing}} of {{n}}")


def _interval_apart(table: pa.Table) -> pa.Array:
    low, share, high = (table[name] for name in ("low", "share", "high"))
    wrong = either(
        pc.not_equal(pc.is_valid(low), pc.is_valid(share)),
        pc.not_equal(pc.is_valid(high), pc.is_valid(share)),
        pc.less(low, 0),
        pc.greater(high, 1),
        pc.greater(pc.subtract(low, share), TOLERANCE),
        pc.greater(pc.subtract(share, high), TOLERANCE),
    )
    return faults(table, wrong, f"{_PART}: low {{low}}, share {{share}}, high {{high}}")


def _scores_apart(table: pa.Table) -> pa.Array:
    found = {}
    for index, row in enumerate(table.select(["evaluation", "name", "agreed", "scores"]).to_pylist()):
        scores = [one["score"] for one in row["scores"] or ()]
        counts = [one["n"] for one in row["scores"] or ()]
        known = all(score in range(5) for score in scores) and all(count is not None and count > 0 for count in counts)
        if not known or scores != sorted(set(scores)) or sum(counts) != (row["agreed"] or 0):
            found[index] = f"{row['evaluation']} {row['name']}: agreed {row['agreed']}, scores {row['scores']}"
    return placed(table, found)


def _mean_apart(table: pa.Table) -> pa.Array:
    found = {}
    for index, row in enumerate(table.select(["evaluation", "name", "mean", "scores"]).to_pylist()):
        counts = [(one["score"] or 0, one["n"] or 0) for one in row["scores"] or ()]
        n = sum(count for _, count in counts)
        mean = sum(score * count for score, count in counts) / n if n else None
        if (mean is None) != (row["mean"] is None) or (mean is not None and abs(mean - row["mean"]) > TOLERANCE):
            found[index] = f"{row['evaluation']} {row['name']}: mean {row['mean']}, scores {row['scores']}"
    return placed(table, found)


def _tasks_apart(table: pa.Table) -> pa.Array:
    """Faults of wholes that are not what their tasks add up to, where an evaluation has tasks."""
    wholes: dict[str, tuple[int, dict[str, Any]]] = {}
    sums: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(_COUNTS, 0))
    for index, row in enumerate(table.select(["evaluation", "scope", *_COUNTS]).to_pylist()):
        if row["scope"] == "total":
            wholes[row["evaluation"]] = index, row
        elif row["scope"] == "task":
            for name in _COUNTS:
                sums[row["evaluation"]][name] += row[name] or 0
    found = {}
    for evaluation, (index, row) in wholes.items():
        if evaluation in sums and any(row[name] != sums[evaluation][name] for name in _COUNTS):
            found[index] = f"{evaluation}: {[row[name] for name in _COUNTS]}, tasks {[*sums[evaluation].values()]}"
    return placed(table, found)


DRAWN = (
    values_in("scope_is_known", "scope", ("total", "task"), "The scope is total or task."),
    rule("name_fits_scope", _misnamed, "A task is one of CoMT's, and the whole is called total."),
    unique_together("stands_once", ("evaluation", "scope", "name"), "A part of an evaluation stands once."),
    no_negatives(_PART, _COUNTS),
    rule("counts_follow", _too_many, "No more replies draw, are drawn, judged or agreed on than there are before."),
    rule("share_is_of_counts", _share_apart, "The share is drawing / n, null exactly where n is 0."),
    rule("interval_holds_share", _interval_apart, "The interval lies within [0, 1] and holds the share."),
    rule("scores_add_up", _scores_apart, "Scores are 0 to 4 in their order, and as many as were agreed on."),
    rule("mean_is_of_scores", _mean_apart, "The mean is that of the scores, null exactly where there is none."),
    rule("tasks_add_up", _tasks_apart, "The tasks of an evaluation add up to the whole."),
)
"""What holds of the shares of replies with pictures."""
