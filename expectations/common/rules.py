"""Rules that suites of several groups share: of rows that were read or set aside, and of counted results."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.vocabulary import QUARANTINE_REASONS
from expectations.common.suite import Check, Derive, both, either, faults, one_of, rule

TOLERANCE = 1e-9
"""Room for the last digits of a division, far below one sample in any denominator."""


def where_kept(column: str) -> Derive:
    """A derived column: the value of `column` in the rows that are kept, null in the dropped ones."""

    def values(table: pa.Table) -> pa.ChunkedArray:
        return pc.if_else(pc.is_null(table["dropped"]), table[column], None)

    return values


def is_blank(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """True where a text is null or has nothing but white space."""
    return pc.fill_null(pc.equal(pc.utf8_trim_whitespace(column), ""), True)


def set_aside(
    key: str, reasons: Sequence[str], quarantine: Sequence[str] = QUARANTINE_REASONS, *, lines: bool = True
) -> tuple[Check, Check]:
    """The checks of `dropped` and `quarantined`; `key` is a format string that names a row.

    `quarantine`: the reasons for which a record is set aside; `lines`: each of them stands in a line of its file.
    """

    def misplaced(table: pa.Table) -> pa.Array:
        stands = pc.is_valid(table["quarantined"])
        file, line = (pc.struct_field(table["quarantined"], name) for name in ("file", "line"))
        wrong = either(
            pc.not_equal(stands, one_of(table["dropped"], quarantine)),
            both(stands, either(pc.is_null(file), pc.is_null(line)) if lines else is_blank(file)),
            both(stands, pc.less(line, 1)),
        )
        return faults(table, wrong, f"{key}: dropped {{dropped}}, quarantined {{quarantined}}")

    return (
        values_in(
            "dropped_reason_is_known",
            "dropped",
            reasons,
            "A row that goes no further says why by one of the fixed reasons.",
        ),
        rule(
            "quarantined_iff_unreadable",
            misplaced,
            f"A record that could not be read, or cannot be counted, says in which file{' and line' if lines else ''} "
            "it stands, lines counted from 1; no other row does.",
        ),
    )


def values_in(name: str, column: str, values: Sequence[str], meaning: str) -> Check:
    """A check that the column holds nothing but these values (and null, where it may)."""
    return Check(name, "expect_column_values_to_be_in_set", {"column": column, "value_set": list(values)}, meaning)


def unique_together(name: str, columns: Sequence[str], meaning: str, ignore: str = "never") -> Check:
    """A check that no two rows agree in all these columns; `ignore` is Great Expectations' `ignore_row_if`."""
    return Check(
        name,
        "expect_compound_columns_to_be_unique",
        {"column_list": list(columns), "ignore_row_if": ignore},
        meaning,
    )


def no_negatives(key: str, columns: Sequence[str], meaning: str = "No count is negative.") -> Check:
    """A check that none of the counts is below 0; `key` is a format string that names a row."""
    shown = ", ".join(f"{column} {{{column}}}" for column in columns)

    def negative(table: pa.Table) -> pa.Array:
        return faults(table, either(*(pc.less(table[column], 0) for column in columns)), f"{key}: {shown}")

    return rule("no_negative_counts", negative, meaning)


def counted_results(key: str) -> tuple[Check, ...]:
    """The checks of n, correct and what is computed from them; `key` is a format string that names a row."""

    def beyond(table: pa.Table) -> pa.Array:
        wrong = either(
            pc.less(table["correct"], 0), pc.greater(table["correct"], table["n"]), pc.less(table["missing"], 0)
        )
        return faults(table, wrong, f"{key}: correct {{correct}}, n {{n}}, missing {{missing}}")

    def not_the_quotient(table: pa.Table) -> pa.Array:
        counted = pc.greater(table["n"], 0)
        quotient = pc.divide(pc.cast(table["correct"], pa.float64()), pc.if_else(counted, table["n"], None))
        wrong = either(
            pc.not_equal(counted, pc.is_valid(table["accuracy"])), is_apart(table["accuracy"], quotient, TOLERANCE)
        )
        return faults(table, wrong, f"{key}: accuracy {{accuracy}}, correct {{correct}}, n {{n}}")

    def beside_it(table: pa.Table) -> pa.Array:
        low, accuracy, high = (table[name] for name in ("low", "accuracy", "high"))
        wrong = either(
            pc.not_equal(pc.is_valid(low), pc.is_valid(accuracy)),
            pc.not_equal(pc.is_valid(high), pc.is_valid(accuracy)),
            pc.less(low, 0),
            pc.greater(high, 1),
            pc.greater(pc.subtract(low, accuracy), TOLERANCE),
            pc.greater(pc.subtract(accuracy, high), TOLERANCE),
        )
        return faults(table, wrong, f"{key}: low {{low}}, accuracy {{accuracy}}, high {{high}}")

    def no_fraction(table: pa.Table) -> pa.Array:
        names = ("macro_accuracy", "macro_f1", "errors_excluded")
        wrong = either(*(test for name in names for test in (pc.less(table[name], 0), pc.greater(table[name], 1))))
        return faults(table, wrong, f"{key}: " + ", ".join(f"{name} {{{name}}}" for name in names))

    return (
        rule("correct_within_n", beyond, "Between none and all of the n samples are correct; missing is 0 or more."),
        rule(
            "accuracy_is_correct_by_n",
            not_the_quotient,
            "The accuracy is correct / n, and null exactly where n is 0.",
        ),
        rule(
            "interval_holds_accuracy",
            beside_it,
            "The interval lies within [0, 1] and holds the accuracy; both are null together.",
        ),
        rule("means_are_fractions", no_fraction, "Macro accuracy, Macro-F1 and errors excluded lie within [0, 1]."),
    )


def is_apart(one: pa.ChunkedArray, other: pa.ChunkedArray, tolerance: float) -> pa.ChunkedArray:
    """True where the two numbers differ by more than the tolerance; null where one is null."""
    return pc.greater(pc.abs(pc.subtract(one, other)), tolerance)


def list_sum(table: pa.Table, column: str, number: str) -> pa.Array:
    """For each row the sum of the field `number` over its list of structs; 0 for an empty list or null."""
    lists = table[column].combine_chunks()
    summed = (
        pa.table({"row": pc.list_parent_indices(lists), "n": pc.struct_field(pc.list_flatten(lists), number)})
        .group_by("row")
        .aggregate([("n", "sum")])
    )
    sums = dict(zip(summed["row"].to_pylist(), summed["n_sum"].to_pylist(), strict=True))
    return pa.array([sums.get(row) or 0 for row in range(table.num_rows)], pa.int64())


FIGURES = (
    unique_together("figure_once", ("kind", "scope", "name"), "A figure stands once."),
    Check(
        "values_are_not_negative",
        "expect_column_values_to_be_between",
        {"column": "value", "min_value": 0},
        "No figure is negative.",
    ),
)
"""What holds of a benchmark's statistics."""
