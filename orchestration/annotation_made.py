"""The tables that the annotation page reads: read where they are made, or the sentence that says how to make them."""

from pathlib import Path

import pyarrow as pa

from assets import samples
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from orchestration import storage


class AnnotateError(Fault):
    """The stage cannot be judged, or its judgements not be moved; the message says what is missing."""


def file(group: str, name: str) -> Path:
    """The table's file.

    Raises:
        AnnotateError: it has not been made yet.
    """
    path = storage.table_file((group, name))
    if not path.exists():
        raise AnnotateError(f"{group}/{name}: not made yet: cotline materialize {group}/{name}")
    return path


def table(group: str, name: str) -> pa.Table:
    """The whole table; raises as `file` does."""
    return storage.read_table(file(group, name))


def kept(group: str, name: str) -> list[Sample]:
    """The kept rows of a table of samples; raises as `file` does."""
    return samples.kept(table(group, name))
