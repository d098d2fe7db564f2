"""What must hold of scores and of differences between two evaluations."""

from collections import defaultdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.vocabulary import ANSWER_STATUSES, SCOPES
from expectations.common.rules import (
    TOLERANCE,
    counted_results,
    is_apart,
    list_sum,
    no_negatives,
    unique_together,
    values_in,
)
from expectations.common.suite import Check, Suite, build, either, faults, one_of, placed, places, rule
from expectations.scored import scored_by

_Scored = tuple[str, str, str, str]
"""How a set of scores came about: evaluation, extractor, policy, labels."""

_SCORE = "{evaluation} by {extractor}, labels {labels}, {scope} {name}"


def _statuses_apart(table: pa.Table) -> pa.Array:
    wrong = pc.not_equal(list_sum(table, "statuses", "n"), pc.cast(table["n"], pa.int64()))
    return faults(table, wrong, f"{_SCORE}: n {{n}}, statuses {{statuses}}")


def _strange_statuses(table: pa.Table) -> pa.Array:
    lists = table["statuses"].combine_chunks()
    flat = pc.list_flatten(lists)
    wrong = either(
        pc.invert(one_of(pc.struct_field(flat, "status"), ANSWER_STATUSES)), pc.less(pc.struct_field(flat, "n"), 0)
    )
    rows = pa.array(sorted(set(pc.list_parent_indices(lists).filter(wrong).to_pylist())), pa.int64())
    return faults(table, pc.is_in(pa.array(range(table.num_rows), pa.int64()), rows), f"{_SCORE}: {{statuses}}")


def _parts_apart(table: pa.Table) -> pa.Array:
    """Faults of totals whose topics (or domains) do not add up to them, and of parts without a total."""
    columns = ["evaluation", "extractor", "policy", "labels", "scope", "n", "correct"]
    wanted = one_of(table["scope"], ("total", "domain", "topic"))
    rows = places(wanted)
    totals: dict[_Scored, tuple[int, dict[str, Any]]] = {}
    parts: dict[_Scored, dict[str, list[int]]] = defaultdict(dict)
    first: dict[_Scored, int] = {}
    for index, row in zip(rows, table.select(columns).take(pa.array(rows, pa.int64())).to_pylist(), strict=True):
        scored = (row["evaluation"], row["extractor"], row["policy"], row["labels"])
        first.setdefault(scored, index)
        if row["scope"] == "total":
            totals[scored] = (index, row)
        else:
            sums = parts[scored].setdefault(row["scope"], [0, 0])
            sums[0] += row["n"] or 0
            sums[1] += row["correct"] or 0
    texts = {}
    for scored, index in first.items():
        what = "{} by {}, policy {}, labels {}".format(*scored)
        if scored not in totals:
            texts[index] = f"{what}: no row of scope total"
            continue
        at, total = totals[scored]
        apart = [
            f"{scope} adds up to {correct} of {n}"
            for scope, (n, correct) in parts[scored].items()
            if (n, correct) != (total["n"], total["correct"])
        ]
        if apart:
            texts[at] = f"{what}: {', '.join(apart)}; total is {total['correct']} of {total['n']}"
    return placed(table, texts)


_PAIR = "{a} and {b} by {extractor}, labels {labels}"


def _pair_counts_apart(table: pa.Table) -> pa.Array:
    summed = pc.add(pc.add(table["both"], table["only_a"]), pc.add(table["only_b"], table["neither"]))
    return faults(
        table,
        pc.not_equal(summed, table["n"]),
        f"{_PAIR}: both {{both}}, only_a {{only_a}}, only_b {{only_b}}, neither {{neither}}, n {{n}}",
    )


def _difference_apart(table: pa.Table) -> pa.Array:
    counted = pc.greater(table["n"], 0)
    more = pc.cast(pc.subtract(table["only_a"], table["only_b"]), pa.float64())
    wrong = either(
        pc.not_equal(counted, pc.is_valid(table["difference"])),
        is_apart(table["difference"], pc.divide(more, pc.if_else(counted, table["n"], None)), TOLERANCE),
    )
    return faults(table, wrong, f"{_PAIR}: difference {{difference}}, only_a {{only_a}}, only_b {{only_b}}, n {{n}}")


def _beside_difference(table: pa.Table) -> pa.Array:
    low, difference, high = (table[name] for name in ("low", "difference", "high"))
    wrong = either(
        pc.not_equal(pc.is_valid(low), pc.is_valid(difference)),
        pc.not_equal(pc.is_valid(high), pc.is_valid(difference)),
        pc.greater(pc.subtract(low, difference), TOLERANCE),
        pc.greater(pc.subtract(difference, high), TOLERANCE),
    )
    return faults(table, wrong, f"{_PAIR}: low {{low}}, difference {{difference}}, high {{high}}")


SCORE_SUITES: tuple[Suite, ...] = (
    build(
        "evaluation/scores",
        "score",
        (
            *scored_by(),
            values_in("scope_is_known", "scope", SCOPES, "The scope is total, domain, topic, category or task."),
            unique_together(
                "scored_once",
                ("evaluation", "extractor", "labels", "scope", "name"),
                "An evaluation has one score by extractor, label set, scope and name.",
            ),
            *counted_results(_SCORE),
            rule("statuses_add_up", _statuses_apart, "The counts by status add up to n."),
            rule("statuses_are_known", _strange_statuses, "Each status is a declared one, its count 0 or more."),
            rule(
                "parts_add_up_to_total",
                _parts_apart,
                "The topics of an evaluation add up to its total, in n and correct; so do its domains.",
            ),
        ),
    ),
    build(
        "evaluation/differences",
        "difference",
        (
            *scored_by(),
            Check(
                "two_evaluations",
                "expect_select_column_values_to_be_unique_within_record",
                {"column_list": ["a", "b"]},
                "An evaluation is not compared with itself.",
            ),
            unique_together(
                "compared_once",
                ("a", "b", "extractor", "labels"),
                "Two evaluations are compared once by extractor and label set.",
            ),
            no_negatives(_PAIR, ("n", "both", "only_a", "only_b", "neither")),
            rule("counts_add_up", _pair_counts_apart, "both + only_a + only_b + neither = n."),
            rule(
                "difference_is_of_counts",
                _difference_apart,
                "The difference is (only_a - only_b) / n, and null exactly where n is 0.",
            ),
            rule(
                "interval_holds_difference",
                _beside_difference,
                "The interval holds the difference; they are null together.",
            ),
            Check(
                "p_is_a_probability",
                "expect_column_values_to_be_between",
                {"column": "p", "min_value": 0, "max_value": 1},
                "A p value lies within [0, 1].",
            ),
        ),
        least_rows=0,
    ),
)
