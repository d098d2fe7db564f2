"""One figure about a benchmark, beside the paper's."""

from typing import NamedTuple


class Statistic(NamedTuple):
    """Table `statistic`, column by column."""

    kind: str
    scope: str
    name: str
    value: float
    unit: str
    published: float | None
    profile: str
