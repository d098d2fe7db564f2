"""What must hold of the tables of the papers' explorations: how tools were used, and every system."""

import functools
import re
from collections import defaultdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.vocabulary import (
    BENCHMARKS,
    BOUNDS,
    PLAN_FAULTS,
    POLICIES_OF_TOOLS,
    REDUNDANT_CALLS,
    REPLY_STATUSES,
    SYSTEM_SETTINGS,
    TOOL_FAULTS,
    TOOL_STATUSES,
    TOOL_USE_KINDS,
    TURN_ROLES,
)
from expectations.analysis_curves import shares
from expectations.common.rules import TOLERANCE, is_apart, is_blank, unique_together, values_in
from expectations.common.suite import Check, Suite, build, either, faults, placed, rule
from expectations.published import published_cells, systems

_USE = "{evaluation}, {kind} {name}"
_SYSTEM = "{paper} {system} {setting}"
_TOOL = re.compile(r"[a-z0-9_]+")
_FAULTS = (*PLAN_FAULTS, *TOOL_FAULTS, *BOUNDS)
_NAMES = {
    "status": REPLY_STATUSES,
    "reason": _FAULTS,
    "fault": _FAULTS,
    "redundant": REDUNDANT_CALLS,
    "turn": TURN_ROLES,
}
_WHOLES = {"status": "runs", "reason": "runs", "fault": "runs", "turn": "turns"}
"""What a kind of row is a share of; calls is what is not here."""

_OURS = ("asked", "n", "correct", "ours", "low", "high")
_MODEL_KINDS = ("baseline", "human", "replay", "transformers", "openai", "tools", "trained")

Indexed = list[tuple[int, dict[str, Any]]]


def _by_evaluation(table: pa.Table) -> dict[str | None, Indexed]:
    found: dict[str | None, Indexed] = defaultdict(list)
    for index, row in enumerate(table.to_pylist()):
        found[row["evaluation"]].append((index, row))
    return found


def _unknown_names(table: pa.Table) -> pa.Array:
    texts = {}
    for index, row in enumerate(table.to_pylist()):
        name, names = row["name"] or "", _NAMES.get(row["kind"])
        if not (_TOOL.fullmatch(name) if names is None else name in names):
            texts[index] = f"{_USE.format(**row)}: no such {row['kind']}"
    return placed(table, texts)


def _several_ways(table: pa.Table) -> pa.Array:
    texts = {}
    for evaluation, rows in _by_evaluation(table).items():
        found = {(row["model"], row["policy"]) for _, row in rows}
        if len(found) > 1:
            texts[rows[0][0]] = f"{evaluation}: its model and policy are {sorted(map(str, found))}"
    return placed(table, texts)


def _sum(rows: Indexed, kind: str) -> int:
    return sum(row["n"] or 0 for _, row in rows if row["kind"] == kind)


def _not_added_up(table: pa.Table) -> pa.Array:
    """Faults of statuses, tools and turns that are not all of them, at the evaluation's first row."""
    texts = {}
    for evaluation, rows in _by_evaluation(table).items():
        wholes: dict[str, set[int | None]] = defaultdict(set)
        for _, row in rows:
            wholes[_WHOLES.get(row["kind"], "calls")].add(row["of"])
        for name, kind in (("runs", "status"), ("calls", "tool"), ("turns", "turn")):
            n = _sum(rows, kind)
            if wholes.get(name, {n}) != {n}:
                texts[rows[0][0]] = f"{evaluation}: {n} {name} by name, of is {sorted(map(str, wholes[name]))}"
    return placed(table, texts)


def _reasons_apart(table: pa.Table) -> pa.Array:
    texts = {}
    for evaluation, rows in _by_evaluation(table).items():
        ended = sum(row["n"] or 0 for _, row in rows if row["kind"] == "status" and row["name"] in TOOL_STATUSES)
        if (reasons := _sum(rows, "reason")) != ended:
            texts[rows[0][0]] = f"{evaluation}: {ended} runs ended without an answer, {reasons} say why"
    return placed(table, texts)


def _redundant_apart(table: pa.Table) -> pa.Array:
    texts = {}
    for evaluation, rows in _by_evaluation(table).items():
        found = [row for _, row in rows if row["kind"] == "redundant"]
        calls = max((row["of"] or 0 for row in found), default=0)
        if {row["name"] for row in found} != set(REDUNDANT_CALLS) or _sum(rows, "redundant") > calls:
            said = ", ".join(f"{row['n']} {row['name']}" for row in found) or "no way of being redundant"
            texts[rows[0][0]] = f"{evaluation}: {said}, of {calls} calls"
    return placed(table, texts)


def _not_of_runs(table: pa.Table) -> pa.Array:
    texts = {}
    for rows in _by_evaluation(table).values():
        runs = _sum(rows, "status")
        for index, row in rows:
            if runs and None not in (row["n"], row["a_run"]) and abs(row["a_run"] - row["n"] / runs) > TOLERANCE:
                texts[index] = f"{_USE.format(**row)}: a_run {row['a_run']}, n {row['n']}, {runs} runs"
    return placed(table, texts)


TOOL_USE = (
    values_in("policy_is_known", "policy", POLICIES_OF_TOOLS, "The policy is a declared one."),
    values_in("kind_is_known", "kind", TOOL_USE_KINDS, "What is counted is of a declared kind."),
    rule("name_is_known", _unknown_names, "A status, reason, fault, role or way of being redundant is a declared one."),
    unique_together("counted_once", ("evaluation", "kind", "name"), "A thing is counted once in an evaluation."),
    *shares(_USE, "n", "of", "share"),
    rule("way_is_one", _several_ways, "An evaluation has one model and one policy."),
    rule("parts_add_up", _not_added_up, "Statuses add up to the runs, tools to the calls, roles to the turns."),
    rule("reasons_add_up", _reasons_apart, "Each run that tools or their planner ended without an answer says why."),
    rule(
        "redundant_within_calls",
        _redundant_apart,
        "Both ways of being redundant are there, and together they are no more than the calls.",
    ),
    rule("a_run_is_of_runs", _not_of_runs, "a_run is n divided by the evaluation's runs."),
)


@functools.cache
def _printed() -> dict[str, float | None]:
    """The totals of the published tables by table, model and strategy, as `published_as` says them."""
    return {" ".join(one): value for (*one, column), value in published_cells().items() if column == "total"}


def _unprinted(table: pa.Table) -> pa.Array:
    rows_of = {
        (one["paper"], one["system"], one["setting"]): f"{one['table']} {one['row']} "
        for one in systems()
        if one["table"]
    }
    texts = {}
    for index, row in enumerate(table.to_pylist()):
        value, where = row["published"], row["published_as"]
        of = rows_of.get((row["paper"], row["system"], row["setting"]))
        printed = None if of is None or where is None or not where.startswith(of) else _printed().get(where)
        apart = value is not None and printed is not None and abs(value - printed) > TOLERANCE
        if apart or len({value is None, where is None, printed is None, of is None}) > 1:
            texts[index] = f"{_SYSTEM.format(**row)}: published {value} as {where}, printed {printed}"
    return placed(table, texts)


def _says_nothing(table: pa.Table) -> pa.Array:
    wrong = either(is_blank(table["how"]), is_blank(table["needs"]))
    return faults(table, wrong, f"{_SYSTEM}: how {{how}}, needs {{needs}}")


def _half_run(table: pa.Table) -> pa.Array:
    run = pc.is_valid(table["evaluation"])
    wrong = either(*(pc.not_equal(run, pc.is_valid(table[name])) for name in _OURS))
    shown = ", ".join(f"{name} {{{name}}}" for name in _OURS)
    return faults(table, wrong, f"{_SYSTEM}: evaluation {{evaluation}}, {shown}")


def _ours_apart(table: pa.Table) -> pa.Array:
    n = pc.if_else(pc.greater(table["n"], 0), table["n"], None)
    quotient = pc.multiply(pc.divide(pc.cast(table["correct"], pa.float64()), n), 100.0)
    wrong = either(
        pc.less(table["n"], 1),
        pc.less(table["correct"], 0),
        pc.greater(table["correct"], table["n"]),
        is_apart(table["ours"], quotient, TOLERANCE),
    )
    return faults(table, wrong, f"{_SYSTEM}: ours {{ours}}, correct {{correct}}, n {{n}}")


def _beside_ours(table: pa.Table) -> pa.Array:
    wrong = either(
        pc.less(table["low"], 0),
        pc.greater(table["high"], 100),
        pc.greater(pc.subtract(table["low"], table["ours"]), TOLERANCE),
        pc.greater(pc.subtract(table["ours"], table["high"]), TOLERANCE),
    )
    return faults(table, wrong, f"{_SYSTEM}: low {{low}}, ours {{ours}}, high {{high}}")


def _claimed_twice(table: pa.Table) -> pa.Array:
    """Faults where an evaluation of other weights is a system too, this one or another."""
    rows = table.to_pylist()
    taken = {row["evaluation"] for row in rows if row["evaluation"] is not None}
    texts = {}
    for index, row in enumerate(rows):
        if both_of := sorted(name for said in row["alike"] or () if (name := said.partition(":")[0]) in taken):
            texts[index] = f"{_SYSTEM.format(**row)}: {', '.join(both_of)} is a system, and not other weights"
    return placed(table, texts)


def _systems_absent(table: pa.Table) -> pa.Array:
    there = {tuple(row.values()) for row in table.select(["paper", "system", "setting", "kind"]).to_pylist()}
    of = [(one["paper"], one["system"], one["setting"], one["kind"]) for one in systems()]
    lost = [" ".join(one[:3]) for one in of if one not in there]
    added = [" ".join(map(str, one[:3])) for one in sorted(there - set(of), key=str)]
    said = [f"{what}: {', '.join(names)}" for what, names in (("absent", lost), ("in no paper", added)) if names]
    return placed(table, {0: "; ".join(said)} if said and table.num_rows else {})


SYSTEMS = (
    values_in("paper_is_known", "paper", BENCHMARKS, "The paper is M3CoT's or CoMT's."),
    values_in("setting_is_known", "setting", SYSTEM_SETTINGS, "The setting is a declared one."),
    values_in("kind_is_known", "kind", _MODEL_KINDS, "The kind is one of a model."),
    Check(
        "stands_once",
        "expect_compound_columns_to_be_unique",
        {"column_list": ["paper", "system", "setting", "evaluation"], "ignore_row_if": "never"},
        "A system stands once for each evaluation that is it, or once without.",
    ),
    rule("systems_are_all_there", _systems_absent, "Every system of both papers is there, and no other."),
    rule("says_how", _says_nothing, "A system says how it is run and what it needs."),
    rule("published_is_printed", _unprinted, "A published number is the total that is printed where it says."),
    rule("run_is_whole", _half_run, "Where it was run stands what was asked and reached; where not, nothing."),
    rule("ours_is_of_counts", _ours_apart, "Ours is 100 correct / n, of one sample or more."),
    rule("interval_holds_ours", _beside_ours, "The interval lies in [0, 100] and holds ours."),
    rule("alike_is_not_it", _claimed_twice, "What ran with other weights is no system."),
)

SUITES: dict[str, Suite] = {
    "analysis/tool_use": build("analysis/tool_use", "tool_use", TOOL_USE, least_rows=0),
    "analysis/systems": build("analysis/systems", "system", SYSTEMS),
}
