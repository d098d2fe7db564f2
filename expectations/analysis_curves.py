"""What must hold of the tables that compare evaluations: pairs, steps, statuses, shots, pictures that were drawn."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.evaluation.labels import LABEL_SETS
from assets.schema.analysis_vocabulary import STEPS_OF
from assets.schema.vocabulary import ANSWER_STATUSES, BENCHMARKS, EDITIONS, EXTRACTORS, SPLITS
from expectations.analysis_drawn import DRAWN
from expectations.common.rules import TOLERANCE, is_apart, no_negatives, unique_together, values_in
from expectations.common.suite import Check, Suite, both, build, either, faults, placed, rule

_PAIR = "{a} and {b} on {benchmark} ({edition}) {split}"
_BIN = "{evaluation} by {extractor}, labels {labels}, {steps_of} {bin}"
_STATUS = "{evaluation} by {extractor}, {status}"
_SHOT = "{series}: {evaluation} by {extractor}, labels {labels}"
_PARTS = {"single_step": (0, 1), "multi_step": (2, None)}
_BLOCK = ("benchmark", "edition", "split")

ON_A_SPLIT = (
    values_in("benchmark_is_known", "benchmark", BENCHMARKS, "The benchmark is m3cot or comt."),
    values_in("edition_is_known", "edition", EDITIONS, "The edition is released or built."),
    values_in("split_is_known", "split", SPLITS, "The split is train, validation or test."),
)
BY_EXTRACTOR = values_in("extractor_is_known", "extractor", EXTRACTORS, "The extractor is paper or strict.")
BY_LABELS = values_in("labels_are_known", "labels", tuple(LABEL_SETS), "The label set is one of the declared ones.")


def shares(key: str, part: str, whole: str, share: str) -> tuple[Check, ...]:
    """The checks of a share with its counts and interval; `key` is a format string that names a row."""

    def beyond(table: pa.Table) -> pa.Array:
        wrong = either(pc.less(table[part], 0), pc.greater(table[part], table[whole]))
        return faults(table, wrong, f"{key}: {part} {{{part}}}, {whole} {{{whole}}}")

    def not_the_quotient(table: pa.Table) -> pa.Array:
        counted = pc.greater(table[whole], 0)
        quotient = pc.divide(pc.cast(table[part], pa.float64()), pc.if_else(counted, table[whole], None))
        wrong = either(pc.not_equal(counted, pc.is_valid(table[share])), is_apart(table[share], quotient, TOLERANCE))
        return faults(table, wrong, f"{key}: {share} {{{share}}}, {part} {{{part}}}, {whole} {{{whole}}}")

    def beside_it(table: pa.Table) -> pa.Array:
        wrong = either(_outside(table, share), pc.less(table["low"], 0), pc.greater(table["high"], 1))
        return faults(table, wrong, f"{key}: low {{low}}, {share} {{{share}}}, high {{high}}")

    return (
        rule(f"{part}_within_{whole}", beyond, f"{part} lies between 0 and {whole}."),
        rule(f"{share}_is_of_counts", not_the_quotient, f"{share} is {part} / {whole}, null exactly where that is 0."),
        rule("interval_holds_it", beside_it, f"The interval lies in [0, 1] and holds {share}; null together."),
    )


def _outside(table: pa.Table, name: str) -> pa.Array:
    """True where the interval does not hold the number, or only one of the three is null."""
    low, value, high = (table[of] for of in ("low", name, "high"))
    return either(
        pc.not_equal(pc.is_valid(low), pc.is_valid(value)),
        pc.not_equal(pc.is_valid(high), pc.is_valid(value)),
        pc.greater(pc.subtract(low, value), TOLERANCE),
        pc.greater(pc.subtract(value, high), TOLERANCE),
    )


def _groups(table: pa.Table, names: Sequence[str]) -> dict[tuple[Any, ...], list[tuple[int, dict[str, Any]]]]:
    """The rows with their places, by what they have in these columns."""
    found: dict[tuple[Any, ...], list[tuple[int, dict[str, Any]]]] = defaultdict(list)
    for index, row in enumerate(table.to_pylist()):
        found[tuple(row[name] for name in names)].append((index, row))
    return found


def _beyond_n(table: pa.Table) -> pa.Array:
    wrong = either(pc.less(table["n"], 1), pc.greater(pc.add(table["only_a"], table["only_b"]), table["n"]))
    return faults(table, wrong, f"{_PAIR}: only_a {{only_a}}, only_b {{only_b}}, n {{n}}")


def _difference_apart(table: pa.Table) -> pa.Array:
    n = pc.if_else(pc.greater(table["n"], 0), table["n"], None)
    quotient = pc.divide(pc.cast(pc.subtract(table["only_a"], table["only_b"]), pa.float64()), n)
    wrong = is_apart(table["difference"], quotient, TOLERANCE)
    return faults(table, wrong, f"{_PAIR}: difference {{difference}}, only_a {{only_a}}, only_b {{only_b}}, n {{n}}")


def _the_other_way_round(table: pa.Table) -> pa.Array:
    less = pc.less(table["only_a"], table["only_b"])
    out_of_order = both(pc.equal(table["only_a"], table["only_b"]), pc.greater(table["a"], table["b"]))
    return faults(table, either(less, out_of_order), f"{_PAIR}: only_a {{only_a}}, only_b {{only_b}}")


def _beside_difference(table: pa.Table) -> pa.Array:
    wrong = _outside(table, "difference")
    return faults(table, wrong, f"{_PAIR}: low {{low}}, difference {{difference}}, high {{high}}")


def _not_by_holm(table: pa.Table) -> pa.Array:
    texts = {}
    for rows in _groups(table, _BLOCK).values():
        tests = sorted((entry for entry in rows if entry[1]["p"] is not None), key=lambda entry: entry[1]["p"])
        expected = 0.0
        for place, (index, row) in enumerate(tests):
            expected = max(expected, min(1.0, (len(tests) - place) * row["p"]))
            if row["p_adjusted"] is not None and abs(row["p_adjusted"] - expected) > TOLERANCE:
                texts[index] = f"{_PAIR.format(**row)}: p_adjusted {row['p_adjusted']}, by Holm {expected}"
    return placed(table, texts)


def _needs_apart(table: pa.Table) -> pa.Array:
    differ = pc.not_equal(table["only_a"], table["only_b"])
    wrong = either(pc.not_equal(differ, pc.is_valid(table["needed"])), pc.less(table["needed"], 1))
    return faults(table, wrong, f"{_PAIR}: needed {{needed}}, only_a {{only_a}}, only_b {{only_b}}")


def _range(name: str) -> tuple[int, int | None] | None:
    """The fewest and most steps that a bin's name says; None where it is none."""
    found = re.fullmatch(r"(\d+)(?:-(\d+)|(\+))?", name)
    if name in _PARTS or found is None:
        return _PARTS.get(name)
    least = int(found[1])
    return least, None if found[3] else int(found[2] or least)


def _unlike_its_name(table: pa.Table) -> pa.Array:
    texts = {}
    for index, row in enumerate(table.to_pylist()):
        if _range(row["bin"] or "") != (row["least"], row["most"]):
            texts[index] = f"{_BIN.format(**row)}: least {row['least']}, most {row['most']}"
    return placed(table, texts)


def _parts_apart(table: pa.Table) -> pa.Array:
    """Faults of single_step and multi_step that are not the sums of the bins within them, at the first row."""
    texts = {}
    for of, rows in _groups(table, ("evaluation", "extractor", "labels", "steps_of")).items():
        bins = [row for _, row in rows if row["bin"] not in _PARTS and row["least"] is not None]
        sums = {
            "single_step": [row for row in bins if row["least"] < 2],
            "multi_step": [row for row in bins if row["least"] >= 2],
        }
        parts = {row["bin"]: row for _, row in rows if row["bin"] in _PARTS}
        for name, within in sums.items():
            expected = tuple(sum(row[what] or 0 for row in within) for what in ("n", "correct"))
            found = (parts[name]["n"], parts[name]["correct"]) if name in parts else None
            if found != expected:
                said = f"is {found[1]} of {found[0]}" if found else "is not there"
                texts[rows[0][0]] = f"{of}: {name} {said}, its bins are {expected[1]} of {expected[0]}"
    return placed(table, texts)


def _counted_apart(table: pa.Table) -> pa.Array:
    """Faults where a label set counts other samples than another, or the rationale has more than the replies."""
    texts = {}
    whole: dict[tuple[Any, ...], dict[str, tuple[int, int]]] = defaultdict(dict)
    for of, rows in _groups(table, ("evaluation", "extractor", "steps_of", "bin")).items():
        counts = {row["n"] for _, row in rows}
        if len(counts) > 1:
            texts[rows[0][0]] = f"{of}: {sorted(counts)} samples, by label set"
        index, row = rows[0]
        if row["bin"] in _PARTS:
            before = whole[of[:2]].get(row["steps_of"], (index, 0))
            whole[of[:2]][row["steps_of"]] = (before[0], before[1] + (row["n"] or 0))
    for of, sides in whole.items():
        index, gold = sides.get("rationale", (0, 0))
        if gold > sides.get("reply", (0, 0))[1]:
            texts[index] = f"{of}: {gold} samples with a gold rationale, {sides.get('reply', (0, 0))[1]} answers"
    return placed(table, texts)


def _statuses_apart(table: pa.Table) -> pa.Array:
    texts = {}
    for of, rows in _groups(table, ("evaluation", "extractor")).items():
        total = sum(row["n"] or 0 for _, row in rows)
        if {row["of"] for _, row in rows} != {total}:
            texts[rows[0][0]] = f"{of}: its statuses add up to {total}, of is {rows[0][1]['of']}"
    return placed(table, texts)


def _several_models(table: pa.Table) -> pa.Array:
    texts = {}
    for (evaluation,), rows in _groups(table, ("evaluation",)).items():
        models = sorted({row["model"] for _, row in rows if row["model"] is not None})
        if len(models) > 1:
            texts[rows[0][0]] = f"{evaluation}: its model is {' and '.join(models)}"
    return placed(table, texts)


def _kinds_apart(table: pa.Table) -> pa.Array:
    """Faults of a kind of shots without shots, of shots without a kind, and of two kinds in one series."""
    texts = {}
    for rows in _groups(table, ("series", *_BLOCK)).values():
        kinds = sorted({str(row["shot_rationales"]) for _, row in rows if row["shot_rationales"] != "none"})
        for index, row in rows:
            if (row["shot_rationales"] == "none") != (row["shots"] == 0) or len(kinds) > 1:
                texts[index] = f"{_SHOT.format(**row)}: {row['shots']} shots, kind {row['shot_rationales']}"
    return placed(table, texts)


def _against_zero_shot_apart(table: pa.Table) -> pa.Array:
    """Faults of differences that are not the one of both accuracies, where both count the same samples (strict)."""
    texts = {}
    for rows in _groups(table, ("series", *_BLOCK, "extractor", "labels")).values():
        zero = next((row for _, row in rows if row["shots"] == 0), None)
        for index, row in rows:
            what = f"{_SHOT.format(**row)}: difference {row['difference']}, p {row['p']}"
            alone = zero is None or zero is row
            if (row["difference"] is None) != (row["p"] is None) or (alone and row["difference"] is not None):
                texts[index] = what
            elif row["difference"] is not None and zero is not None and row["extractor"] == "strict":
                same = row["n"] == zero["n"] and None not in (row["accuracy"], zero["accuracy"])
                if same and abs(row["accuracy"] - zero["accuracy"] - row["difference"]) > TOLERANCE:
                    texts[index] = f"{what}, accuracies {row['accuracy']} and {zero['accuracy']}"
    return placed(table, texts)


_PROBABILITY = Check(
    "p_is_a_probability",
    "expect_column_values_to_be_between",
    {"column": "p", "min_value": 0, "max_value": 1},
    "A p value lies within [0, 1].",
)

PAIRS = (
    *ON_A_SPLIT,
    Check(
        "two_evaluations",
        "expect_select_column_values_to_be_unique_within_record",
        {"column_list": ["a", "b"]},
        "An evaluation is not compared with itself.",
    ),
    unique_together("compared_once", ("a", "b"), "Two evaluations are compared once."),
    no_negatives(_PAIR, ("only_a", "only_b")),
    rule("discordant_within_n", _beyond_n, "There is a common sample, and only_a + only_b is at most n."),
    rule("difference_is_of_counts", _difference_apart, "The difference is (only_a - only_b) / n."),
    rule("a_is_the_better", _the_other_way_round, "a is the better evaluation; of equal ones the first by name."),
    rule("interval_holds_difference", _beside_difference, "The interval holds the difference."),
    _PROBABILITY,
    rule("adjusted_by_holm", _not_by_holm, "The adjusted p is Holm's over the pairs of the split."),
    rule("needed_iff_different", _needs_apart, "How many samples it needs is 1 or more, null where both are equal."),
)

STEPS = (
    BY_EXTRACTOR,
    BY_LABELS,
    values_in("steps_of_is_known", "steps_of", STEPS_OF, "Steps are those of the rationale or of the reply."),
    rule("bin_has_its_range", _unlike_its_name, "The fewest and most steps of a bin are those that its name says."),
    unique_together(
        "counted_once",
        ("evaluation", "extractor", "labels", "steps_of", "bin"),
        "A bin stands once by evaluation, extractor, label set and whose steps.",
    ),
    *shares(_BIN, "correct", "n", "accuracy"),
    rule("bins_add_up", _parts_apart, "The bins below two steps are single_step, the others multi_step."),
    rule(
        "counts_alike",
        _counted_apart,
        "Every label set counts the same samples, and no more samples have a gold rationale than an answer.",
    ),
)

STATUSES = (
    BY_EXTRACTOR,
    values_in("status_is_known", "status", ANSWER_STATUSES, "The status of an answer is a declared one."),
    unique_together("counted_once", ("evaluation", "extractor", "status"), "A status is counted once."),
    *shares(_STATUS, "n", "of", "share"),
    rule("statuses_add_up", _statuses_apart, "The statuses of an evaluation add up to its counted samples."),
    rule("model_is_one", _several_models, "An evaluation has one model."),
)

SHOTS = (
    *ON_A_SPLIT,
    BY_EXTRACTOR,
    BY_LABELS,
    values_in(
        "kind_is_known", "shot_rationales", ("multimodal", "text", "none"), "Shots are multimodal, text, or none."
    ),
    no_negatives(_SHOT, ("shots",), "No number of shots is negative."),
    unique_together(
        "stands_once",
        ("series", *_BLOCK, "evaluation", "extractor", "labels"),
        "An evaluation stands once in a series by extractor and label set.",
    ),
    *shares(_SHOT, "correct", "n", "accuracy"),
    rule("kind_fits_shots", _kinds_apart, "Shots of a series are of one kind; an evaluation without shots has none."),
    _PROBABILITY,
    rule(
        "difference_is_from_zero_shot",
        _against_zero_shot_apart,
        "The difference is the accuracy less the zero-shot one's where both count the same; p is null where it is.",
    ),
)

SUITES: dict[str, Suite] = {
    "analysis/pairs": build("analysis/pairs", "paired_difference", PAIRS, least_rows=0),
    "analysis/steps": build("analysis/steps", "step_accuracy", STEPS),
    "analysis/statuses": build("analysis/statuses", "status_count", STATUSES),
    "analysis/shots": build("analysis/shots", "shot_accuracy", SHOTS),
    "analysis/drawn": build("analysis/drawn", "drawn_share", DRAWN, least_rows=0),
}
