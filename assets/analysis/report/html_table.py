"""Tables of the page: rows of a stored table as HTML that a click or a key sorts."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from assets.analysis.report.escaping import sample_place, text
from assets.schema.tables import TABLES

MOST_ROWS = 200
"""Rows of a table that the page shows."""

NOTHING = "–"
Row = Mapping[str, Any]
Known = Collection[tuple[str, str, str]]
"""(benchmark, edition, sample id) of the samples that the browser holds."""


class Column(NamedTuple):
    """A column: its heading, what it means, the cell's HTML, what it is sorted by, and number or long where it is."""

    heading: str
    meaning: str
    cell: Callable[[Row], str]
    by: Callable[[Row], Any]
    look: str = ""


LONG = frozenset(
    ("detail", "excerpt", "question", "reasons", "statuses", "scores", "why", "sentence", "needs", "how", "alike")
)
"""Columns of whole sentences, whose cells wrap."""


def columns(
    kind: str,
    names: Sequence[str],
    *,
    percent: Collection[str] = (),
    known: Known = (),
    asked: Mapping[str, tuple[str, str]] | None = None,
) -> list[Column]:
    """Columns of the declared table `kind` by name; `low..high` stands for the interval of two of them.

    Args:
        kind: the table's name.
        names: its columns, in order.
        percent: those of them that are fractions and are shown in per cent.
        known: the samples that a cell `sample_id` may link to.
        asked: benchmark and edition by evaluation, for rows that do not say them.
    """
    declared = {column.name: column for column in TABLES[kind].columns}
    made = []
    for name in names:
        low, several, high = name.partition("..")
        meaning = declared[low].meaning
        times = 100 if low in percent else 1
        unit = ", %" if low in percent else ""
        if several:
            made.append(_interval(low, high, times, unit))
        elif name == "sample_id":
            made.append(_sample(meaning, known, asked or {}))
        else:
            made.append(_plain(name, declared[name].type, meaning, times, unit))
    return made


def counted(rows: Sequence[Row], most: int = MOST_ROWS) -> str:
    """How many rows there are, and how many of them `table` shows."""
    return f"{len(rows):,} rows" if len(rows) <= most else f"the first {most:,} of {len(rows):,} rows"


def table(rows: Sequence[Row], shown: Sequence[Column], name: str, most: int = MOST_ROWS) -> str:
    """The first `most` rows as an HTML table."""
    heads = "".join(
        f'<th scope="col"{_class(column)} aria-sort="none"><button type="button" title="{text(column.meaning)}">'
        f"{text(column.heading)}</button></th>"
        for column in shown
    )
    body = "".join(f"<tr>{''.join(_cell(column, row) for column in shown)}</tr>\n" for row in rows[:most])
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(name)}"><table class="sorts">'
        f"<thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody>"
        "</table></div>"
    )


def number(value: float | None, times: float = 1, digits: int = 4) -> str:
    """A number in so many significant digits, per cent with two decimals; a dash for none."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if times == 100:
        return f"{100 * value:.2f}"
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    return f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:,.1f}"


def _cell(column: Column, row: Row) -> str:
    by = column.by(row)
    order = "" if by is None else f' data-by="{text(by)}"'
    return f"<td{_class(column)}{order}>{column.cell(row)}</td>"


def _class(column: Column) -> str:
    return f' class="{column.look}"' if column.look else ""


def _plain(name: str, of: pa.DataType, meaning: str, times: int, unit: str) -> Column:
    heading = name.replace("_", " ") + unit
    look = "long" if name in LONG else ""
    if pa.types.is_boolean(of):
        words = {True: "yes", False: "no", None: NOTHING}
        return Column(heading, meaning, lambda row: words[row[name]], lambda row: words[row[name]])
    if pa.types.is_integer(of) or pa.types.is_floating(of):
        return Column(heading, meaning, lambda row: number(row[name], times), lambda row: row[name], "number")
    if pa.types.is_list(of):
        return Column(heading, meaning, lambda row: text(_several(row[name])), lambda row: _several(row[name]), look)
    return Column(heading, meaning, lambda row: _words(row[name]), lambda row: row[name], look)


def _interval(low: str, high: str, times: int, unit: str) -> Column:
    def cell(row: Row) -> str:
        if row[low] is None or row[high] is None:
            return NOTHING
        return f"{number(row[low], times)} to {number(row[high], times)}"

    return Column(f"interval{unit}", "The interval's lower and upper end.", cell, lambda row: row[low], "number")


def _sample(meaning: str, known: Known, asked: Mapping[str, tuple[str, str]]) -> Column:
    def cell(row: Row) -> str:
        evaluation = row.get("evaluation")
        benchmark, edition = asked.get(evaluation or "", ("", ""))
        place = (row.get("benchmark", benchmark), row.get("edition", edition), row["sample_id"])
        if place not in known:
            return text(row["sample_id"])
        return f'<a href="{text(sample_place(*place, evaluation))}">{text(row["sample_id"])}</a>'

    return Column("sample", meaning, cell, lambda row: row["sample_id"])


def _words(value: Any) -> str:
    return NOTHING if value is None else text(value)


def _several(values: Iterable[Any] | None) -> str:
    """A list of counts as `ok 3, none 1`, any other one joined by commas."""
    if values is None:
        return NOTHING
    return ", ".join(" ".join(map(str, value.values())) if isinstance(value, dict) else str(value) for value in values)
