"""Rows of results as text: a table for people, JSON or CSV for programs."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]

WIDTH = 100
_NARROWEST = 12


class Column(NamedTuple):
    """One column of a table: its heading, the cell's text for a row, and whether it stands to the right."""

    heading: str
    cell: Callable[[Row], str]
    right: bool = True


def as_json(rows: Sequence[Row]) -> str:
    """The rows as a JSON list, a row a line, UTF-8 text unescaped."""
    if not rows:
        return "[]\n"
    return "[\n" + ",\n".join("  " + json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows) + "\n]\n"


def as_csv(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """A header and the rows; counts by status as `ok=3;none=1`, what has no value as an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_plain(row[column]) for column in columns])
    return text.getvalue()


def as_table(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    """The rows in aligned columns of at most 100 characters; the columns to the left give way, from their start."""
    cells = [[column.cell(row) for column in columns] for row in rows]
    widths = [max([len(column.heading), *(len(line[place]) for line in cells)]) for place, column in enumerate(columns)]
    over = sum(widths) + 2 * (len(widths) - 1) - WIDTH
    for place, column in enumerate(columns):
        if over > 0 and not column.right:
            narrower = max(min(widths[place], _NARROWEST), widths[place] - over)
            over -= widths[place] - narrower
            widths[place] = narrower
    lines = [[column.heading for column in columns], *cells]
    return "".join(
        "  ".join(
            _fitted(text, width).rjust(width) if column.right else _fitted(text, width).ljust(width)
            for text, width, column in zip(line, widths, columns, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    )


def percent(fraction: float | None) -> str:
    """A fraction in per cent with two decimals; n/a where there is none."""
    return "n/a" if fraction is None else f"{100 * fraction:.2f}"


def interval(low: float | None, high: float | None) -> str:
    """Both ends in per cent with two decimals; n/a where there is none."""
    return "n/a" if low is None or high is None else f"{100 * low:.2f} to {100 * high:.2f}"


def counts(by_name: Mapping[str, int]) -> str:
    """Counts as `ok 3, none 1`."""
    return ", ".join(f"{name} {n}" for name, n in by_name.items()) or "none"


def one_line(text: str) -> str:
    """The text with what would move the cursor or end the line written out."""
    return "".join(character if character.isprintable() else f"\\x{ord(character):02x}" for character in text)


def _fitted(text: str, width: int) -> str:
    return text if len(text) <= width else "…" + text[len(text) - width + 1 :]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return ";".join(f"{name}={n}" for name, n in value.items())
    return "" if value is None else value
