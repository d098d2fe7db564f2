"""Every system that the two papers evaluate: how it is run here, the published number, and what was reached here.

The systems are rows of `systems.csv`. CoMT's tables are pictures in the text that is kept here, so that none of its
systems has a published number; nor have those that stand in a figure alone.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from assets.analysis.entries import Entry
from assets.analysis.published_tables import cells
from assets.schema.faults import Fault
from assets.settings_evaluation import RECORDED

FILES = ("systems.csv",)

_BY_ASKING = ("transformers", "openai", "replay")
_KINDS = {
    "baseline": ("baseline", "replay"),
    "zero-shot": _BY_ASKING,
    "in-context": _BY_ASKING,
    "tool-usage": ("tools", "replay"),
    "finetuned-vlm": ("trained", *_BY_ASKING),
    "finetuned-vllm": ("trained", *_BY_ASKING),
    "drawing": ("openai", "replay"),
    "human": RECORDED,
}
"""By setting the kinds of model that can be such a system: it runs, somebody serves it, or its replies are there."""

_NOTHING: dict[str, Any] = dict.fromkeys(("evaluation", "asked", "n", "correct", "ours", "low", "high"))


class System(NamedTuple):
    """A row of `systems.csv`.

    detail: of kind baseline, tools or trained what is answered, the policy or the family; else nothing. named: what
    `published` of a model says that is it. table, row: where its published numbers stand, the best of which counts;
    nothing where none is kept. how: YAML that params.yaml takes, in one line.
    """

    paper: str
    system: str
    setting: str
    kind: str
    detail: str
    named: str
    table: str
    row: str
    how: str
    needs: str


class Way(NamedTuple):
    """How a model of params.yaml answers: its kind, and of some kinds a detail (`System`).

    control: it is trained here, and given other pictures than the sample's to see whether it looks.
    """

    kind: str
    detail: str = ""
    control: bool = False


class Ran(NamedTuple):
    """An evaluation that has a score, with how its model answers."""

    entry: Entry
    way: Way
    score: Mapping[str, Any]


def known() -> tuple[System, ...]:
    """The systems of both papers, in the order of their tables."""
    with (Path(__file__).parent / FILES[0]).open(encoding="utf-8", newline="") as file:
        return tuple(System(**row) for row in csv.DictReader(file))


def ways(models: Mapping[str, Mapping[str, Any]], families: Mapping[str, str]) -> dict[str, Way]:
    """By model of params.yaml how it answers.

    Args:
        models: what params.yaml says of each, whole.
        families: by training of params.yaml its family.
    """
    return {
        name: Way(
            said["kind"],
            families[said["training"]]
            if said["kind"] == "trained"
            else said.get("policy") or said.get("answers") or "",
            control=said.get("pictures", "seen") != "seen",
        )
        for name, said in models.items()
    }


def systems(scores: pa.Table, entries: Sequence[Entry], ways: Mapping[str, Way]) -> Iterator[dict[str, Any]]:
    """Rows of table `system`: a row an evaluation that is the system, or one row without where none was run.

    An evaluation is a system when its model's `published` says so, its kind can be it, it is asked the paper's
    benchmark, and it has shots exactly where the setting is in-context. Of what ran the same way with other weights
    `alike` says what it reached; that is a number of other weights, and often of other samples, than the paper's.

    Args:
        scores: table `score`; what counts is the strict extractor's total with the released labels.
        entries: the evaluations of params.yaml.
        ways: by model of params.yaml how it answers.

    Raises:
        Fault: `published` of a model of another kind, policy or family names a system that is run otherwise.
    """
    reached = {
        row["evaluation"]: row
        for row in scores.to_pylist()
        if (row["extractor"], row["labels"], row["scope"]) == ("strict", "released", "total")
        and row["accuracy"] is not None
    }
    ran = [
        Ran(entry, ways[entry.model], reached[entry.evaluation])
        for entry in sorted(entries)
        if entry.evaluation in reached
    ]
    every = known()
    of = {system: [one for one in ran if _is(system, one)] for system in every}
    taken = {one.entry.evaluation for found in of.values() for one in found}
    for one in ran:
        if one.entry.evaluation not in taken:
            _refuse_misnamed(one, every)
    for system in every:
        published, published_as = _published(system)
        alike = [one for one in ran if one.entry.evaluation not in taken and _is_alike(system, one)]
        for result in [_result(one) for one in of[system]] or [_NOTHING]:
            yield {
                "paper": system.paper,
                "system": system.system,
                "setting": system.setting,
                "kind": system.kind,
                "how": system.how,
                "needs": system.needs,
                "published": published,
                "published_as": published_as,
                **result,
                "alike": [_said(one) for one in alike],
            }


def _is(system: System, one: Ran) -> bool:
    return one.entry.published == system.named and _is_placed(system, one) and _can_be(system, one.way)


def _is_placed(system: System, one: Ran) -> bool:
    """Whether it is asked the paper's benchmark, with shots or without as the setting has it."""
    return one.entry.benchmark == system.paper and (one.entry.shots > 0) == (system.setting == "in-context")


def _can_be(system: System, way: Way) -> bool:
    detailed = way.kind != system.kind or way.detail == system.detail
    return way.kind in _KINDS[system.setting] and detailed and not way.control


def _is_alike(system: System, one: Ran) -> bool:
    same = (one.way.kind, one.way.detail) == (system.kind, system.detail) and not one.way.control
    return same and one.way.kind not in RECORDED and _is_placed(system, one)


def _refuse_misnamed(one: Ran, every: Sequence[System]) -> None:
    """A name of a system on a model that uses tools or is trained, and cannot be it, is a mistake that claims much."""
    if one.way.kind not in ("tools", "trained") or one.way.control:
        return
    named = [system for system in every if system.named == one.entry.published]
    if named and not any(_can_be(system, one.way) for system in named):
        raise Fault(
            f"models.{one.entry.model}.published: {one.entry.published} is {named[0].system}, of kind "
            f"{named[0].kind} {named[0].detail}".rstrip()
            + f", and the model is of kind {one.way.kind} {one.way.detail}: set published to null"
        )


def _published(system: System) -> tuple[float | None, str | None]:
    """The best published total of its row, the first of equal ones, and where it stands."""
    if not system.table:
        return None, None
    totals = {
        cell.strategy: cell.accuracy
        for cell in cells()
        if (cell.table, cell.model, cell.column) == (system.table, system.row, "total") and cell.accuracy is not None
    }
    strategy = max(totals, key=lambda name: totals[name])
    return totals[strategy], f"{system.table} {system.row} {strategy}"


def _result(one: Ran) -> dict[str, Any]:
    score = one.score
    return {
        "evaluation": one.entry.evaluation,
        "asked": _asked(one.entry),
        "n": score["n"],
        "correct": score["correct"],
        "ours": 100 * score["accuracy"],
        "low": 100 * score["low"],
        "high": 100 * score["high"],
    }


def _said(one: Ran) -> str:
    of = f"{one.score['n']:,}, {_asked(one.entry)}"
    return f"{one.entry.evaluation}: {100 * one.score['accuracy']:.2f} per cent of {of}"


def _asked(entry: Entry) -> str:
    few = "" if entry.limit is None else f", the first {entry.limit:,}"
    return f"{entry.benchmark} {entry.edition} {entry.split}{few}"


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many systems there are, have a published number, were run here, and ran with other weights alone."""
    by_system: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        by_system.setdefault((row["paper"], row["system"], row["setting"]), []).append(row)
    first = [own[0] for own in by_system.values()]
    return {
        "systems": len(first),
        "published": sum(row["published"] is not None for row in first),
        "run_here": sum(row["evaluation"] is not None for row in first),
        "run_with_other_weights_alone": sum(row["evaluation"] is None and bool(row["alike"]) for row in first),
    }


def page(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table to read, as Markdown: how each system is run, what it needs, and both numbers in per cent."""
    lines = [
        "| paper | system | setting | in params.yaml | needs | published | here | the same way with other weights |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        here = "not run"
        if row["evaluation"] is not None:
            here = (
                f"{row['ours']:.2f} ({row['low']:.2f} to {row['high']:.2f}), {row['correct']:,} of {row['n']:,}, "
                f"`{row['evaluation']}` on {row['asked']}"
            )
        published = "" if row["published"] is None else f"{row['published']:.2f} ({row['published_as']})"
        of = (row["paper"], row["system"], row["setting"], f"`{row['how']}`", row["needs"], published, here)
        lines.append(f"| {' | '.join(of)} | {'; '.join(row['alike'])} |")
    return "\n".join(lines) + "\n"
