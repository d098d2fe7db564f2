"""What a case of a suite is: a change of its good table, or a table of its own, and the checks that then fail."""

from typing import Any, NamedTuple

Rows = list[dict[str, Any]]


class Case(NamedTuple):
    """A change of the good table that makes it fail one check: rows by place and the columns to set there.

    also: the checks that cannot but fail with it. rows: what stands in place of the good table.
    """

    asset: str
    check: str
    changes: dict[int, dict[str, Any]] = {}  # noqa: RUF012 (a default of a named tuple, changed by nobody)
    copied: int | None = None
    left_out: int | None = None
    also: tuple[str, ...] = ()
    rows: Rows | None = None

    @property
    def fails(self) -> set[str]:
        """The names of the checks that fail."""
        return {self.check, *self.also}

    def table(self, good: Rows) -> Rows:
        """The rows of the table that fails, from those of the good one."""
        rows = [dict(row) for row in (good if self.rows is None else self.rows)]
        if self.copied is not None:
            rows.append(dict(rows[self.copied]))
        for place, columns in self.changes.items():
            rows[place] = rows[place] | columns
        if self.left_out is not None:
            del rows[self.left_out]
        return rows


def together(cases: list[Case], good: Rows) -> Rows:
    """The good table, and after it every row that the cases change, as they change it."""
    changed = [good[place] | columns for case in cases for place, columns in case.changes.items()]
    return [*good, *changed]
