"""Parquet that `datasets` opens with its pictures: columns as features, files of a split, the head of the README."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from assets.exports.card import front
from assets.exports.folder import within

Row = TypeVar("Row")

ROWS = 64
"""Rows of a row group at most."""

GROUP_BYTES = 32 << 20
"""Bytes of pictures after which a row group is full."""

SHARD_BYTES = 500 << 20
"""Bytes of pictures after which a file is full, as the hub has it."""

PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
PICTURES = pa.list_(PICTURE)


def schema(fields: Sequence[tuple[str, pa.DataType]]) -> pa.Schema:
    """The columns, with what `datasets` reads their types from."""
    features = {"info": {"features": {name: _feature(kind) for name, kind in fields}}}
    return pa.schema(list(fields), metadata={"huggingface": json.dumps(features)})


def write_split(
    folder: Path,
    split: str,
    samples: Sequence[Row],
    weights: Sequence[int],
    row: Callable[[Row], dict[str, Any]],
    columns: pa.Schema,
    *,
    rows: int = ROWS,
    group_bytes: int = GROUP_BYTES,
    shard_bytes: int = SHARD_BYTES,
) -> int:
    """Write a split as folder/<split>-00000-of-0000N.parquet, one row group in memory; the bytes of the files come out.

    Args:
        folder: where the files go.
        split: their name.
        samples: what the rows are made of.
        weights: bytes of the pictures of each.
        row: a sample as a row.
        columns: their schema.
        rows: of a row group at most.
        group_bytes: after which a row group is full.
        shard_bytes: after which a file is full.
    """
    shards = list(_filled(weights, shard_bytes)) or [range(0)]
    written = 0
    for number, shard in enumerate(shards):
        path = within(folder, f"{split}-{number:05d}-of-{len(shards):05d}.parquet")
        with pq.ParquetWriter(path, columns) as writer:
            for group in _filled([weights[place] for place in shard], group_bytes, rows):
                made = [row(samples[shard[place]]) for place in group]
                writer.write_table(pa.Table.from_pylist(made, schema=columns))
                del made
                pa.default_memory_pool().release_unused()
        written += path.stat().st_size
    return written


def head(name: str, records: Mapping[str, int], columns: pa.Schema, written: Mapping[str, int]) -> str:
    """The head of the README by which the hub and `datasets` find files, columns and splits.

    Args:
        name: the data set's, as people read it.
        records: how many of which split.
        columns: of all splits.
        written: bytes of the files of each split.
    """
    return front(
        {
            "configs": [
                {
                    "config_name": "default",
                    "data_files": [{"split": split, "path": f"data/{split}-*"} for split in records],
                }
            ],
            "pretty_name": name,
            "license": "other",
            "license_name": "see-sources",
            "task_categories": ["visual-question-answering"],
            "language": ["en"],
            "dataset_info": {
                "features": [_listed(field.name, field.type) for field in columns],
                "splits": [
                    {"name": split, "num_bytes": written[split], "num_examples": n} for split, n in records.items()
                ],
            },
        }
    )


def _feature(kind: pa.DataType) -> dict[str, Any]:
    """A type as `datasets` has it. `Sequence` is what its versions before and since 4 know."""
    if kind == PICTURE:
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "Sequence"}
    return {"dtype": "string", "_type": "Value"}


def _listed(name: str, kind: pa.DataType) -> dict[str, Any]:
    """A column as the head of a README lists it."""
    listed = pa.types.is_list(kind)
    inner = "image" if (kind.value_type if listed else kind) == PICTURE else "string"
    return {"name": name, "sequence" if listed else "dtype": inner}


def _filled(weights: Sequence[int], most: int, longest: int | None = None) -> Iterator[range]:
    """Runs of places of at most `longest`, each closed as soon as it weighs `most`."""
    start = weight = 0
    for place, more in enumerate(weights):
        if place > start and (weight + more > most or place - start == longest):
            yield range(start, place)
            start, weight = place, 0
        weight += more
    if start < len(weights):
        yield range(start, len(weights))
