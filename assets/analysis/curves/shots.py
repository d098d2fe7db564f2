"""Accuracy by the number of solved samples shown before the question: evaluations that differ in that alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from assets.analysis.entries import Entry

NO_SHOTS = "none"
"""The kind of shots of an evaluation that has none."""


class Series(NamedTuple):
    """Evaluations that differ in their number of shots alone, fewest first."""

    name: str
    members: tuple[Entry, ...]

    @property
    def zero_shot(self) -> Entry | None:
        """The evaluation without shots, the first by name if there are several."""
        return next((entry for entry in self.members if entry.shots == 0), None)


class _Kind(NamedTuple):
    """What evaluations with shots share beside their way of asking; without shots neither says anything."""

    shot_rationales: str
    seed: int


_ALONE = _Kind(NO_SHOTS, 0)


def series(entries: Iterable[Entry]) -> list[Series]:
    """The evaluations in series, by the name of the series.

    All is alike in a series but the number of shots: benchmark, edition, split, model, strategy, variant, limit,
    asking, sampling, and of those with shots what is shown of them and the seed that draws them. An evaluation
    without shots is the start of every series that it can be the start of; one without any sibling is a series of one.
    """
    ways: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.shots, entry.evaluation)):
        ways.setdefault(_way(entry), []).append(entry)
    found = []
    for alike in ways.values():
        bare = [entry for entry in alike if entry.shots == 0]
        kinds: dict[_Kind, list[Entry]] = {}
        for entry in alike:
            if entry.shots:
                kinds.setdefault(_Kind(entry.shot_rationales, entry.seed), []).append(entry)
        for kind, shown in (kinds or {_ALONE: []}).items():
            found.append(Series(_name(alike[0], kind), (*bare, *shown)))
    return sorted(found, key=lambda one: (_split(one.members[0]), one.name))


def accuracies(scores: pa.Table, differences: pa.Table, entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """Rows of table `shot_accuracy`: by split, series, extractor and label set, then by the number of shots.

    An evaluation without a score counts 0 samples. The difference from the zero-shot evaluation is paired, null for
    that one itself, and where the two have no sample in common or people answered.

    Args:
        scores: table `score`.
        differences: table `difference`.
        entries: the evaluations of params.yaml.
    """
    totals = {
        (row["evaluation"], row["extractor"], row["labels"]): row
        for row in scores.to_pylist()
        if row["scope"] == "total"
    }
    ways = sorted({(extractor, labels) for _, extractor, labels in totals})
    paired = {(row["a"], row["b"], row["extractor"], row["labels"]): row for row in differences.to_pylist()}
    for one in series(entries):
        for extractor, labels in ways:
            for entry in one.members:
                total = totals.get((entry.evaluation, extractor, labels))
                difference, p = _against(one.zero_shot, entry, paired, (extractor, labels))
                yield {
                    "series": one.name,
                    "benchmark": entry.benchmark,
                    "edition": entry.edition,
                    "split": entry.split,
                    "evaluation": entry.evaluation,
                    "shots": entry.shots,
                    "shot_rationales": entry.shot_rationales if entry.shots else NO_SHOTS,
                    "extractor": extractor,
                    "labels": labels,
                    "n": total["n"] if total else 0,
                    "correct": total["correct"] if total else 0,
                    **{name: total[name] if total else None for name in ("accuracy", "low", "high")},
                    "difference": difference,
                    "p": p,
                }


def _against(
    zero_shot: Entry | None,
    entry: Entry,
    paired: Mapping[tuple[str, str, str, str], Mapping[str, Any]],
    way: tuple[str, str],
) -> tuple[float | None, float | None]:
    if zero_shot is None or zero_shot is entry:
        return None, None
    if (row := paired.get((entry.evaluation, zero_shot.evaluation, *way))) is not None:
        return row["difference"], row["p"]
    if (row := paired.get((zero_shot.evaluation, entry.evaluation, *way))) is not None:
        return None if row["difference"] is None else 0.0 - row["difference"], row["p"]
    return None, None


def _split(entry: Entry) -> tuple[str, str, str]:
    return entry.benchmark, entry.edition, entry.split


def _way(entry: Entry) -> tuple[Any, ...]:
    asked = (entry.model, entry.strategy, entry.variant, entry.limit, entry.asking, entry.sampling)
    return *_split(entry), *asked


def _name(entry: Entry, kind: _Kind) -> str:
    """Model, strategy and kind of shots, and whatever is not as it is if nothing is said."""
    said = [entry.model, entry.strategy]
    if entry.variant != "default":
        said.append(f"variant {entry.variant}")
    if kind != _ALONE:
        said.append(f"{kind.shot_rationales} shots")
    if kind.seed:
        said.append(f"seed {kind.seed}")
    if entry.limit is not None:
        said.append(f"limit {entry.limit}")
    if entry.asking != "first":
        said.append(f"asking {entry.asking}")
    said += [f"{name} {value}" for name, value in entry.sampling]
    return ", ".join(said)


def plot(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One record a point (strict extractor, released labels) with an accuracy, for `dvc plots`."""
    return [
        {
            "series": f"{row['benchmark']} {row['edition']} {row['split']}: {row['series']}",
            "shots": row["shots"],
            "accuracy": round(row["accuracy"], 6),
        }
        for row in rows
        if row["extractor"] == "strict" and row["labels"] == "released" and row["accuracy"] is not None
    ]
