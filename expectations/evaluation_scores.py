"""What must hold of scores, of differences between two evaluations, and of baselines."""

from collections import defaultdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.evaluation.rows import BASELINES
from assets.schema.vocabulary import ANSWER_STATUSES, BENCHMARKS, EDITIONS, SCOPES, SPLITS
from expectations.common.rules import (
    TOLERANCE,
    counted_results,
    is_apart,
    list_sum,
    no_negatives,
    unique_together,
    values_in,
)
from expectations.common.suite import Check, Suite, both, build, either, faults, one_of, placed, places, rule
from expectations.scored import mean_f1_holds, scored_by

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
    """Faults of totals whose topics, domains or tasks do not add up to them, and of parts without a total.

    Samples that the published script could not evaluate may be in the total alone: such an id belongs nowhere.
    """
    columns = ["evaluation", "extractor", "policy", "labels", "scope", "n", "correct", "statuses"]
    wanted = one_of(table["scope"], ("total", "domain", "topic", "task"))
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
            sums = parts[scored].setdefault(row["scope"], [0, 0, 0])
            sums[0] += row["n"] or 0
            sums[1] += row["correct"] or 0
            sums[2] += _not_evaluable(row)
    texts = {}
    for scored, index in first.items():
        what = "{} by {}, policy {}, labels {}".format(*scored)
        if scored not in totals:
            texts[index] = f"{what}: no row of scope total"
            continue
        at, total = totals[scored]
        apart = [
            f"{scope} adds up to {correct} of {n}"
            for scope, (n, correct, beyond) in parts[scored].items()
            if (n, correct) != (total["n"] - (_not_evaluable(total) - beyond), total["correct"])
        ]
        if apart:
            texts[at] = f"{what}: {', '.join(apart)}; total is {total['correct']} of {total['n']}"
    return placed(table, texts)


def _not_evaluable(row: dict[str, Any]) -> int:
    return sum(part["n"] or 0 for part in row["statuses"] or () if part["status"] == "not_evaluable")


def _means_apart(table: pa.Table) -> pa.Array:
    """Faults of totals whose means are not those of their tasks or topics, where it has rows of one of the two."""
    columns = ["evaluation", "extractor", "policy", "labels", "scope", "accuracy", "macro_accuracy"]
    columns += ["macro_f1", "mean_f1"]
    rows = places(one_of(table["scope"], ("total", "topic", "task")))
    totals: dict[_Scored, tuple[int, dict[str, Any]]] = {}
    groups: dict[_Scored, list[dict[str, Any]]] = defaultdict(list)
    for index, row in zip(rows, table.select(columns).take(pa.array(rows, pa.int64())).to_pylist(), strict=True):
        scored = (row["evaluation"], row["extractor"], row["policy"], row["labels"])
        if row["scope"] == "total":
            totals[scored] = (index, row)
        elif row["accuracy"] is not None:
            groups[scored].append(row)
    texts = {}
    for scored, (index, total) in totals.items():
        if len({row["scope"] for row in groups[scored]}) != 1:
            continue
        apart = [
            f"{mean} is {total[mean]}, the mean of {of} is {expected}"
            for mean, of in (("macro_accuracy", "accuracy"), ("mean_f1", "macro_f1"))
            if (expected := _mean([row[of] for row in groups[scored]])) is not None
            and (total[mean] is None or abs(total[mean] - expected) > TOLERANCE)
        ]
        if apart:
            texts[index] = "{} by {}, policy {}, labels {}: ".format(*scored) + "; ".join(apart)
    return placed(table, texts)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


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


_BASELINE = "{baseline} on {benchmark} ({edition}) {split}, {scope} {name}"
_REACHED = ("accuracy", "low", "high", "lowest", "highest", "macro_accuracy", "macro_f1", "mean_f1", "expected")

FARTHEST = 4.0
"""Standard errors that the accuracy of guessing may lie off what it comes to: one row in some 16,000 by chance."""


def _beyond_one(table: pa.Table) -> pa.Array:
    wrong = either(*(test for name in _REACHED for test in (pc.less(table[name], 0), pc.greater(table[name], 1))))
    return faults(table, wrong, f"{_BASELINE}: " + ", ".join(f"{name} {{{name}}}" for name in _REACHED))


def _reached_by_none(table: pa.Table) -> pa.Array:
    counted = pc.greater(table["n"], 0)
    names = ("accuracy", "low", "high", "lowest", "highest", "expected")
    wrong = either(*(pc.not_equal(counted, pc.is_valid(table[name])) for name in names))
    return faults(table, wrong, f"{_BASELINE}: n {{n}}, " + ", ".join(f"{name} {{{name}}}" for name in names))


def _out_of_order(table: pa.Table) -> pa.Array:
    wrong = either(
        *(
            pc.greater(pc.subtract(table[least], table[most]), TOLERANCE)
            for least, most in (("low", "accuracy"), ("accuracy", "high"), ("lowest", "accuracy"))
        ),
        pc.greater(pc.subtract(table["accuracy"], table["highest"]), TOLERANCE),
    )
    return faults(table, wrong, f"{_BASELINE}: accuracy {{accuracy}} of {{low}} to {{high}}, {{lowest}} to {{highest}}")


def _unlike_baseline(table: pa.Table) -> pa.Array:
    guessed = pc.equal(table["baseline"], BASELINES[0])
    tried = pc.greater(pc.list_value_length(table["seeds"]), 0)
    wrong = either(pc.not_equal(guessed, tried), pc.equal(guessed, pc.is_valid(table["letter"])))
    return faults(table, wrong, f"{_BASELINE}: letter {{letter}}, seeds {{seeds}}")


def _off_chance(table: pa.Table) -> pa.Array:
    guesses = pc.cast(pc.multiply(table["n"], pc.list_value_length(table["seeds"])), pa.float64())
    guessed = both(pc.equal(table["baseline"], BASELINES[0]), pc.greater(guesses, 0))
    chance = table["expected"]
    variance = pc.divide(
        pc.multiply(chance, pc.subtract(1.0, chance)), pc.if_else(pc.greater(guesses, 0), guesses, None)
    )
    far = pc.greater(
        pc.abs(pc.subtract(table["accuracy"], chance)),
        pc.add(pc.multiply(FARTHEST, pc.sqrt(variance)), pc.divide(1.0, guesses)),
    )
    return faults(table, both(guessed, far), f"{_BASELINE}: accuracy {{accuracy}}, expected {{expected}}, n {{n}}")


BASELINE_SUITE = build(
    "evaluation/baselines",
    "baseline",
    (
        values_in("benchmark_is_known", "benchmark", BENCHMARKS, "The benchmark is m3cot or comt."),
        values_in("edition_is_known", "edition", EDITIONS, "The edition is released or built."),
        values_in("split_is_known", "split", SPLITS, "The split is train, validation or test."),
        values_in("baseline_is_known", "baseline", BASELINES, "The baseline is random or majority."),
        values_in("scope_is_known", "scope", SCOPES, "The scope is total, domain, topic, category or task."),
        unique_together(
            "stands_once",
            ("benchmark", "edition", "split", "baseline", "scope", "name"),
            "A baseline stands once by benchmark, edition, split, scope and name.",
        ),
        no_negatives(_BASELINE, ("n",)),
        rule("results_are_fractions", _beyond_one, "What a baseline reaches lies within [0, 1]."),
        rule("reached_where_counted", _reached_by_none, "Accuracies and what to expect are null exactly where n is 0."),
        rule("accuracy_is_within", _out_of_order, "The interval and the attempts' range hold the accuracy."),
        rule("random_has_seeds", _unlike_baseline, "Random has seeds and no letter, majority a letter and no seeds."),
        rule(
            "guessing_is_near_chance",
            _off_chance,
            f"Guessing comes within {FARTHEST:g} standard errors of the mean of 1 / number of options.",
            severity="warning",
        ),
    ),
    least_rows=0,
)

SCORE_SUITES: tuple[Suite, ...] = (
    BASELINE_SUITE,
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
            mean_f1_holds(_SCORE),
            rule("statuses_add_up", _statuses_apart, "The counts by status add up to n."),
            rule("statuses_are_known", _strange_statuses, "Each status is a declared one, its count 0 or more."),
            rule(
                "parts_add_up_to_total",
                _parts_apart,
                "The topics of an evaluation add up to its total, in n and correct; so do its domains and its tasks, "
                "save what could not be evaluated.",
            ),
            rule(
                "total_has_the_means_of_its_groups",
                _means_apart,
                "Of the total the macro accuracy and the mean of Macro-F1 are the means over its topics (CoMT: tasks).",
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
