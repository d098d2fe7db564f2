"""How runs with tools go: their ends, what was wrong, the tools called, and the calls that told nothing new."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from assets.schema.faults import Fault
from assets.schema.vocabulary import (
    BOUNDS,
    PLAN_FAULTS,
    REDUNDANT_CALLS,
    REPLY_STATUSES,
    TOOL_FAULTS,
    TOOL_STATUSES,
    TOOL_USE_KINDS,
    TURN_ROLES,
)
from assets.statistics import wilson

REPEATED_CALL, REPEATED_OBSERVATION = REDUNDANT_CALLS

UNKNOWN = "unknown_tool"
"""The name under which the calls of tools that there are not stand together, whatever the planner called them."""

FAULTS = tuple(dict.fromkeys((*PLAN_FAULTS, *TOOL_FAULTS, *BOUNDS)))
"""What may be wrong with a plan, a call or a run, and why a run may end without an answer."""

_ORDER = {
    name: place for place, name in enumerate(dict.fromkeys((*REPLY_STATUSES, *FAULTS, *REDUNDANT_CALLS, *TURN_ROLES)))
}


class Planned(NamedTuple):
    """An evaluation of params.yaml whose model uses tools."""

    evaluation: str
    model: str
    policy: str


def planned(models: Mapping[str, str], policies: Mapping[str, str]) -> list[Planned]:
    """The evaluations whose model uses tools, in the order of their names.

    Args:
        models: by evaluation of params.yaml its model.
        policies: by model of kind tools its policy.
    """
    return [
        Planned(evaluation, model, policies[model]) for evaluation, model in sorted(models.items()) if model in policies
    ]


def tool_use(
    predictions: Mapping[str, pa.Table], evaluations: Sequence[Planned], *, level: float
) -> Iterator[dict[str, Any]]:
    """Rows of table `tool_use`, evaluation by evaluation; what never came of a run is no row, but for redundant.

    Args:
        predictions: tables `prediction` by evaluation; those without a table are left out, and so are other ones.
        evaluations: those whose model uses tools.
        level: of the Wilson intervals.

    Raises:
        Fault: a turn of a call is not what a call is kept as.

    Source: arXiv:2405.16473, B.3.2: wrong selection of tools, and redundancy of tool chains.
    """
    for one in evaluations:
        if one.evaluation in predictions:
            yield from _rows(one, predictions[one.evaluation], level)


def _rows(of: Planned, predictions: pa.Table, level: float) -> Iterator[dict[str, Any]]:
    columns = ["line", "turns", "status", "finish_reason", "dropped"]
    runs = [row for row in predictions.select(columns).to_pylist() if row["dropped"] is None]
    if not runs:
        return
    counts: Counter[tuple[str, str]] = Counter({("redundant", way): 0 for way in REDUNDANT_CALLS})
    for run in runs:
        counts.update(_counted(run, of.evaluation))
    sums = {kind: sum(n for (its, _), n in counts.items() if its == kind) for kind in ("tool", "turn")}
    whole = {"tool": sums["tool"], "redundant": sums["tool"], "turn": sums["turn"]}
    for kind, name in sorted(counts, key=_place):
        n, all_of = counts[kind, name], whole.get(kind, len(runs))
        low, high = wilson(n, all_of, level) or (None, None)
        yield {
            **of._asdict(),
            "kind": kind,
            "name": name,
            "n": n,
            "of": all_of,
            "share": n / all_of if all_of else None,
            "low": low,
            "high": high,
            "a_run": n / len(runs),
        }


def _place(key: tuple[str, str]) -> tuple[int, int, str]:
    kind, name = key
    return TOOL_USE_KINDS.index(kind), len(_ORDER) if kind == "tool" else _ORDER.get(name, len(_ORDER)), name


def _counted(run: Mapping[str, Any], evaluation: str) -> Counter[tuple[str, str]]:
    """What one run adds to the counts; a fault counts once, however often it was made.

    What came of a call is the turn after it: an observation, or why there is none.
    """
    turns = run["turns"] or []
    counts = Counter({("status", run["status"]): 1})
    if run["status"] in TOOL_STATUSES and run["finish_reason"] is not None:
        counts["reason", run["finish_reason"]] += 1
    counts.update(("turn", turn["role"]) for turn in turns)
    counts.update({("fault", _fault(turn)) for turn in turns if turn["role"] == "fault"})
    calls, observed = set(), set()
    for place, turn in enumerate(turns):
        if turn["role"] != "call":
            continue
        tool, call = _call(turn, f"{evaluation} line {run['line']}")
        came = turns[place + 1] if place + 1 < len(turns) else None
        unknown = came is not None and came["role"] == "fault" and _fault(came) == UNKNOWN
        counts["tool", UNKNOWN if unknown else tool] += 1
        said = _parts(came) if came is not None and came["role"] == "observation" else None
        if call in calls:
            counts["redundant", REPEATED_CALL] += 1
        elif said is not None and said in observed:
            counts["redundant", REPEATED_OBSERVATION] += 1
        calls.add(call)
        observed.add(said)
    return counts


def _call(turn: Mapping[str, Any], where: str) -> tuple[str, str]:
    """The tool that is called, and the call in one spelling."""
    text = _text(turn)
    try:
        call = json.loads(text)
        return str(call["tool"]), json.dumps([call["tool"], call["arguments"]], sort_keys=True, ensure_ascii=False)
    except (ValueError, TypeError, KeyError):
        raise Fault(
            f"{where}: the call {text[:80]!r} is no JSON of a tool and its arguments: ask the evaluation under "
            "another `asking`"
        ) from None


def _fault(turn: Mapping[str, Any]) -> str:
    return _text(turn).partition(":")[0].strip()


def _text(turn: Mapping[str, Any]) -> str:
    return "".join(part["text"] or "" for part in turn["parts"])


def _parts(turn: Mapping[str, Any]) -> tuple[tuple[str | None, str | None], ...]:
    return tuple((part["text"], part["image_id"]) for part in turn["parts"])


def means(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """By evaluation its runs, the share of them that ended ok, and what a run has of calls, plans and thoughts.

    redundant: the share of the calls that were, None without a call.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        of = found.setdefault(
            row["evaluation"],
            {"runs": 0, "ok": 0.0, "calls_a_run": 0.0, "plans_a_run": 0.0, "thoughts_a_run": 0.0, "redundant": None},
        )
        match row["kind"], row["name"]:
            case "status", name:
                of["runs"] = row["of"]
                of["ok"] = row["share"] if name == "ok" else of["ok"]
            case "turn", ("call" | "plan" | "thought") as role:
                of[f"{role}s_a_run"] = row["a_run"]
            case "redundant", _ if row["share"] is not None:
                of["redundant"] = (of["redundant"] or 0.0) + row["share"]
    return {
        name: {of: round(value, 6) if isinstance(value, float) else value for of, value in its.items()}
        for name, its in found.items()
    }


def plot(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One record a status other than ok, a fault, and a way of being redundant of an evaluation, for `dvc plots`."""
    return [
        {"use": f"{row['evaluation']} {row['kind']} {row['name']}", "share": round(row["share"], 6)}
        for row in rows
        if row["kind"] in ("status", "fault", "redundant") and row["name"] != "ok" and row["share"] is not None
    ]
