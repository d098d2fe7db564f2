"""What must hold of a table, as plain data: checks, suites, and the derived columns that they look at."""

import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.columns import Table
from assets.schema.tables import TABLES

Severity = Literal["error", "warning"]
View = Literal["rows", "columns", "types"]
Derive = Callable[[pa.Table], pa.Array | pa.ChunkedArray]

LONGEST_FAULT = 240
"""Characters kept of a fault's text: it is shown on a page and in the UI, and a key may be any length."""


@dataclass(frozen=True)
class Check:
    """One thing that must hold of a table, held by one expectation of Great Expectations.

    name: unique within its suite, letters, digits and underscores.
    kind: the expectation's type, such as `expect_column_values_to_be_unique`; kwargs: its arguments, plain values.
    severity: error stops what comes after, warning does not.
    meaning: what holds, for a person who sees it failed.
    derived: columns that the check looks at and the table does not have, each a function of the table.
    view: rows (the table), or its schema as a table without rows whose columns are the names, or `name: type`.
    """

    name: str
    kind: str
    kwargs: Mapping[str, Any]
    meaning: str
    severity: Severity = "error"
    derived: Mapping[str, Derive] = field(default_factory=dict)
    view: View = "rows"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the expectation looks at, derived ones included, in the order of its arguments."""
        named = [self.kwargs[key] for key in ("column", "column_A", "column_B") if key in self.kwargs]
        listed = self.kwargs.get("column_list", ()) if self.view == "rows" else ()
        return (*named, *listed)


@dataclass(frozen=True)
class Suite:
    """All that must hold of the table of one asset; `table` names its declaration in `assets.schema.tables`."""

    asset: str
    table: str
    checks: tuple[Check, ...]

    def __post_init__(self) -> None:
        """Refuse a suite that could not be run as it is meant.

        Raises:
            ValueError: two checks or derived columns share a name, or a check looks at a column that is
                not there or has no scalar values.
        """
        names = [check.name for check in self.checks]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{self.asset}: two checks are named {', '.join(twice)}: rename one")
        declared = {column.name: column.type for column in self.declared.columns}
        functions: dict[str, Derive] = {}
        for check in self.checks:
            for name, function in check.derived.items():
                if name in declared or functions.setdefault(name, function) is not function:
                    raise ValueError(f"{self.asset}: check {check.name} derives {name}, which exists: rename it")
        for check in self.checks:
            for name in check.columns:
                if name not in declared and name not in functions:
                    raise ValueError(f"{self.asset}: check {check.name} looks at {name}, which is not declared")
                if name in declared and (pa.types.is_nested(declared[name]) or pa.types.is_binary(declared[name])):
                    raise ValueError(
                        f"{self.asset}: check {check.name} looks at {name} ({declared[name]}): "
                        "derive a column of scalars from it"
                    )

    @property
    def declared(self) -> Table:
        """The table's declaration."""
        return TABLES[self.table]

    @property
    def derived(self) -> dict[str, Derive]:
        """The functions of all derived columns by name."""
        return {name: function for check in self.checks for name, function in check.derived.items()}


def build(asset: str, table: str, checks: Sequence[Check], least_rows: int = 1) -> Suite:
    """The suite of an asset: what its declaration says of every table (rows, columns, types, nulls), then `checks`.

    `least_rows` is 0 where a table without rows is a fact like any other; every expectation on rows holds of it.
    """
    return Suite(asset, table, (*_declared_checks(TABLES[table], least_rows), *checks))


def labelled(name: str, type_: pa.DataType) -> str:
    """A column with its arrow type, as the view `types` names it: `line: int32`."""
    return f"{name}: {type_}"


def rule(name: str, faults: Derive, meaning: str, severity: Severity = "error") -> Check:
    """A check of a rule that no core expectation expresses: a column of texts about the rows at fault stays null.

    `faults` gives, for each row of the table, null where the rule holds and else a sentence that names the row
    and what is wrong with it: that is what a failed check shows as its examples.
    """
    return Check(name, "expect_column_values_to_be_null", {"column": name}, meaning, severity, {name: faults})


def faults(table: pa.Table, wrong: pa.Array | pa.ChunkedArray, text: str) -> pa.Array:
    """A text for each row where `wrong` is true, null elsewhere (also where `wrong` is null).

    `text` is a format string over the table's columns: `{evaluation} line {line}: …`.
    """
    at = places(wrong)
    if not at:
        return pa.nulls(table.num_rows, pa.string())
    names = sorted({name for _, name, _, _ in string.Formatter().parse(text) if name})
    rows = table.select(names).take(pa.array(at)).to_pylist()
    return placed(table, {index: text.format(**row) for index, row in zip(at, rows, strict=True)})


def places(condition: pa.Array | pa.ChunkedArray) -> list[int]:
    """The places, counted from 0, where the condition is true."""
    # pyarrow 25 crashes the process on a chunked array without chunks, which a table without rows has.
    return pc.indices_nonzero(pc.fill_null(condition, False)).to_pylist() if len(condition) else []


def placed(table: pa.Table, texts: Mapping[int, str]) -> pa.Array:
    """The texts at their rows, counted from 0; null elsewhere."""
    column: list[str | None] = [None] * table.num_rows
    for index, text in texts.items():
        column[index] = text if len(text) <= LONGEST_FAULT else text[: LONGEST_FAULT - 1] + "…"
    return pa.array(column, pa.string())


def both(*conditions: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """True where all the conditions are; a null condition is not true."""
    held = pc.fill_null(conditions[0], False)
    for condition in conditions[1:]:
        held = pc.and_(held, pc.fill_null(condition, False))
    return held


def either(*conditions: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """True where one of the conditions is; a null condition is not true."""
    held = pc.fill_null(conditions[0], False)
    for condition in conditions[1:]:
        held = pc.or_(held, pc.fill_null(condition, False))
    return held


def one_of(column: pa.Array | pa.ChunkedArray, values: Sequence[str]) -> pa.Array | pa.ChunkedArray:
    """True where the column holds one of the values; false for null."""
    return pc.is_in(column, value_set=pa.array(values, column.type))


def _declared_checks(table: Table, least_rows: int) -> tuple[Check, ...]:
    return (
        Check(
            "rows",
            "expect_table_row_count_to_be_between",
            {"min_value": least_rows},
            f"The table has {least_rows} row or more." if least_rows else "The table may be empty.",
        ),
        Check(
            "columns",
            "expect_table_columns_to_match_ordered_list",
            {"column_list": table.names},
            "The columns are the declared ones, in their order.",
            view="columns",
        ),
        Check(
            "types",
            "expect_table_columns_to_match_ordered_list",
            {"column_list": [labelled(column.name, column.type) for column in table.columns]},
            "Each column has its declared arrow type.",
            view="types",
        ),
        rule(
            "no_nulls",
            lambda rows: _gaps(table, rows),
            "No null stands in a column that is declared to have none, and no NaN in any.",
        ),
    )


def _gaps(declared: Table, table: pa.Table) -> pa.Array:
    gaps: dict[int, list[str]] = {}
    for column in declared.columns:
        if column.name not in table.column_names:
            continue
        values = table[column.name]
        if not column.nullable and values.null_count:
            for index in places(pc.is_null(values)):
                gaps.setdefault(index, []).append(f"{column.name} is null")
        if pa.types.is_floating(values.type):
            for index in places(pc.is_nan(values)):
                gaps.setdefault(index, []).append(f"{column.name} is NaN")
    return placed(table, {index: f"row {index + 1}: {', '.join(names)}" for index, names in gaps.items()})
