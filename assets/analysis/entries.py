"""What an analysis has to know of an evaluation beside its scores: who answered, how, and its published name."""

from typing import NamedTuple


class Entry(NamedTuple):
    """An evaluation of params.yaml; `published` is its model's name in the papers' tables, if it stands there."""

    evaluation: str
    model: str
    strategy: str
    benchmark: str
    published: str | None
