"""The quality of rationales beside accuracy: the mean of each measure by evaluation and scope."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import Any, NamedTuple

import pyarrow as pa

from assets.schema.analysis_vocabulary import NEEDS_REFERENCE, NO_MODEL, PICTURE_MEASURES, ROSCOE_GROUPS
from assets.schema.vocabulary import TASKS, TOPICS

PICTURE, PICTURE_GROUP = "picture", "picture_alignment"

FIVE = (
    "faithfulness",
    "informativeness_chain",
    "repetition_word",
    "reasoning_alignment",
    "semantic_coverage_chain",
)
"""The dimensions that are shown against accuracy; the others are in the table.

The choice is ours: M3CoT (arXiv:2405.16473, 5.3) says five dimensions and names none, CoMT (arXiv:2412.12932, figure 4)
none either. These are defined by sentence vectors alone, so that they are there without a further model.
"""

MODELS = {
    "logical_inference": "inference_model",
    "language_coherence": "language_model",
    "grammar": "grammar_model",
}
"""The column of table `rationale_score` that names the model which a group needs; grammar is a part of coherence."""

FEWEST = 3
"""Evaluations below which a correlation says nothing."""

Edition = tuple[str, str]
Value = tuple[str | None, float | None]
"""Which topic or task a reply belongs to, and its measure."""


class Mean(NamedTuple):
    """A mean of n values with the ends of its interval; `undefined` replies have no value."""

    n: int
    undefined: int
    mean: float | None
    low: float | None
    high: float | None


class Correlation(NamedTuple):
    """How a measure goes with accuracy over the n evaluations of a series; rho is Spearman's, None below three."""

    measure: str
    series: str
    n: int
    rho: float | None


def quality(
    rationales: pa.Table,
    alignment: pa.Table,
    scores: pa.Table,
    asked: Mapping[str, Edition],
    samples: Mapping[Edition, pa.Table],
    people: Collection[str] = (),
    level: float = 0.95,
) -> list[dict[str, Any]]:
    """Rows of table `quality`: each measure of each evaluation, in total and by topic (CoMT: task).

    M3CoT's total is the mean over the replies, CoMT's the unweighted mean of the tasks' means, and so is the accuracy
    beside it. An evaluation none of whose replies were looked at has its total rows all the same, and they say so.
    Means have four decimals, as the networks' float32 allows.

    Args:
        rationales: table `rationale_score`.
        alignment: table `alignment`.
        scores: table `score`, of which the strict extractor's with the released labels stand beside.
        asked: benchmark and edition of each evaluation of params.yaml.
        samples: the tables `sample` of the editions.
        people: evaluations that people answer, whose answers are no chains.
        level: of the intervals.

    Source: arXiv:2412.12932, E.1 and E.2 (CoMT's total).
    """
    accuracies = _accuracies(scores)
    groups = {edition: _groups(samples[edition], edition[0]) for edition in sorted(set(asked.values()))}
    replies = _by(rationales, ("evaluation", "mode"))
    pictures = _by(alignment, ("evaluation", "measure"))
    modes = sorted({mode for _, mode in replies}) or ["sane"]
    rows: list[dict[str, Any]] = []
    for evaluation, edition in sorted(asked.items()):
        of = groups[edition]
        about = {"evaluation": evaluation, "benchmark": edition[0], "edition": edition[1]}
        for mode in modes:
            found = replies.get((evaluation, mode), [])
            for group, measures in ROSCOE_GROUPS.items():
                for measure in measures:
                    values = [(of.get(row["sample_id"]), row[measure]) for row in found]
                    why = _why(measure, group, found) if evaluation not in people else "answered by people"
                    named = {**about, "mode": mode, "group": group, "measure": measure}
                    rows += _scoped(named, edition[0], values, why, accuracies, level)
        for measure in PICTURE_MEASURES:
            if found := pictures.get((evaluation, measure), []):
                values = [(of.get(row["sample_id"]), row["value"]) for row in found]
                named = {**about, "mode": PICTURE, "group": PICTURE_GROUP, "measure": measure}
                rows += _scoped(named, edition[0], values, _without_pictures(found), accuracies, level)
    return rows


def over(values: Sequence[float | None], level: float = 0.95) -> Mean:
    """The mean of the values that are there, with Student's interval, which needs two of them that differ."""
    there = [value for value in values if value is not None]
    n = len(there)
    if not n:
        return Mean(0, len(values), None, None, None)
    mean = fsum(there) / n
    return _between(n, len(values) - n, mean, _error(there, mean), level, n - 1)


def over_groups(values: Sequence[Value], level: float = 0.95) -> Mean:
    """The unweighted mean of the groups' means; a group without a value is left out.

    Its interval is of groups drawn apart: the squared errors of their means add up. None where a group has one value.
    """
    apart: dict[str, list[float]] = {}
    for group, value in values:
        if value is not None:
            apart.setdefault(group or "", []).append(value)
    n = sum(map(len, apart.values()))
    if not n:
        return Mean(0, len(values), None, None, None)
    means = {group: fsum(there) / len(there) for group, there in apart.items()}
    errors = [_error(there, means[group]) for group, there in apart.items()]
    known = [error for error in errors if error is not None]
    error = sqrt(fsum(each * each for each in known)) / len(apart) if len(known) == len(errors) else None
    return _between(n, len(values) - n, fsum(means.values()) / len(means), error, level, n - len(means))


def correlations(rows: Iterable[Mapping[str, Any]]) -> list[Correlation]:
    """How each measure's total goes with accuracy over the evaluations of one edition of a benchmark.

    Args:
        rows: of table `quality`, of one mode of ROSCOE.
    """
    from scipy.stats import spearmanr

    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in compared(rows):
        point = row["mean"], row["accuracy"]
        points.setdefault((row["measure"], series_of(row)), []).append(point)
    found = []
    for (measure, name), each in sorted(points.items()):
        means, accuracies = zip(*each, strict=True)
        varied = len(each) >= FEWEST and len(set(means)) > 1 and len(set(accuracies)) > 1
        rho = round(float(spearmanr(means, accuracies).statistic), 4) if varied else None
        found.append(Correlation(measure, name, len(each), rho))
    return found


def series_of(row: Mapping[str, Any]) -> str:
    """The evaluations that a row is compared with, such as `m3cot released`."""
    return f"{row['benchmark']} {row['edition']}"


def compared(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The total rows that have both a mean and an accuracy."""
    return [row for row in rows if row["scope"] == "total" and row["mean"] is not None and row["accuracy"] is not None]


def of_mode(rows: Iterable[Mapping[str, Any]], modes: Sequence[str] = ("sane", "reference")) -> list[Mapping[str, Any]]:
    """The rows of the first of these modes that is there, and those that compare with pictures."""
    every = list(rows)
    there = {row["mode"] for row in every}
    mode = next((name for name in modes if name in there), None)
    return [row for row in every if row["mode"] in (mode, PICTURE)]


def without_value(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """By reason the measures that have no total of any evaluation."""
    total = [row for row in rows if row["scope"] == "total"]
    valued = {row["measure"] for row in total if row["mean"] is not None}
    found: dict[str, set[str]] = {}
    for row in total:
        if row["measure"] not in valued:
            found.setdefault(row["why"], set()).add(row["measure"])
    return {why: sorted(measures) for why, measures in sorted(found.items())}


def model_column(measure: str, group: str) -> str:
    """The column of table `rationale_score` that names what a score was made by."""
    return MODELS.get("grammar" if measure.startswith("grammar") else group, "sentence_model")


def _scoped(
    named: Mapping[str, str],
    benchmark: str,
    values: Sequence[Value],
    why: str,
    accuracies: Mapping[tuple[str, str, str], tuple[float | None, float | None, int]],
    level: float,
) -> list[dict[str, Any]]:
    scope, order = ("task", TASKS) if benchmark == "comt" else ("topic", TOPICS)
    each = [value for _, value in values]
    scopes = [("total", "total", over_groups(values, level) if benchmark == "comt" else over(each, level))]
    present = {group for group, _ in values}
    for name in order:
        if name in present:
            scopes.append((scope, name, over([value for group, value in values if group == name], level)))
    rows = []
    for scope, name, mean in scopes:
        accuracy, over_tasks, n = accuracies.get((named["evaluation"], scope, name), (None, None, 0))
        rows.append(
            {
                **named,
                "scope": scope,
                "name": name,
                **mean._asdict(),
                "accuracy": over_tasks if (benchmark, scope) == ("comt", "total") else accuracy,
                "accuracy_n": n,
                "why": why if mean.mean is None else None,
            }
        )
    return rows


def _why(measure: str, group: str, found: Sequence[Mapping[str, Any]]) -> str:
    """Why there would be no value, from the most general reason to the least."""
    if not found:
        return "no reply"
    if all(row[model_column(measure, group)] == NO_MODEL for row in found):
        return NO_MODEL
    if measure in NEEDS_REFERENCE and not any(row["reference_steps"] for row in found):
        return "no reference"
    if not any(row["steps"] for row in found):
        return "no steps"
    return "undefined"


def _without_pictures(found: Sequence[Mapping[str, Any]]) -> str:
    if all(row["model"] == NO_MODEL for row in found):
        return NO_MODEL
    return "undefined" if any(row["pictures"] for row in found) else "no pictures"


def _between(n: int, undefined: int, mean: float, error: float | None, level: float, freedom: int) -> Mean:
    from scipy.stats import t

    if not error:
        return Mean(n, undefined, round(mean, 4), None, None)
    half = float(t.ppf(0.5 + level / 2, freedom)) * error
    return Mean(n, undefined, round(mean, 4), round(mean - half, 4), round(mean + half, 4))


def _error(values: Sequence[float], mean: float) -> float | None:
    n = len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (n - 1) / n) if n > 1 else None


def _accuracies(scores: pa.Table) -> dict[tuple[str, str, str], tuple[float | None, float | None, int]]:
    """By evaluation, scope and name the accuracy, the mean over its tasks, and the samples that they are of."""
    columns = ["evaluation", "extractor", "labels", "scope", "name", "accuracy", "macro_accuracy", "n"]
    return {
        (row["evaluation"], row["scope"], row["name"]): (row["accuracy"], row["macro_accuracy"], row["n"])
        for row in scores.select(columns).to_pylist()
        if (row["extractor"], row["labels"]) == ("strict", "released")
    }


def _groups(samples: pa.Table, benchmark: str) -> dict[str, str | None]:
    column = "task" if benchmark == "comt" else "topic"
    rows = samples.select(["id", column, "dropped"]).to_pylist()
    return {row["id"]: row[column] for row in rows if row["dropped"] is None}


def _by(table: pa.Table, columns: Sequence[str]) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        found.setdefault(tuple(row[name] for name in columns), []).append(row)
    return found
