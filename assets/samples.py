"""Samples in memory to and from table `sample`, as the steps of construction take and return them."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from assets.schema.sample import LETTERS, Part, Sample, letter
from assets.schema.tables import as_table

__all__ = ["LETTERS", "Part", "Sample", "kept", "letter", "of_table", "to_table"]


def of_table(table: pa.Table) -> list[Sample]:
    """The rows of a table `sample`, the dropped ones included."""
    return [_sample(row) for row in table.select(list(Sample._fields)).to_pylist()]


def kept(*tables: pa.Table) -> list[Sample]:
    """The rows that were kept, table after table: what the next step takes. `before` is null again."""
    return [sample._replace(before=None) for table in tables for sample in of_table(table) if sample.dropped is None]


def to_table(samples: Iterable[Sample]) -> pa.Table:
    """The samples as a table `sample`."""
    return as_table("sample", samples)


def _sample(row: dict[str, Any]) -> Sample:
    where = row["quarantined"]
    return Sample(
        **row
        | {
            "choices": _several(row["choices"]),
            "rationale": None if row["rationale"] is None else tuple(Part(**part) for part in row["rationale"]),
            "images": _several(row["images"]),
            "choice_images": _several(row["choice_images"]),
            "image_names": _several(row["image_names"]),
            "quarantined": None if where is None else (where["file"], where["line"], where["excerpt"]),
        }
    )


def _several(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)
