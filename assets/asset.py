"""`asset`: a Dagster asset together with what both engines must know of it."""

import base64
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import dagster as dg
import pyarrow as pa

from assets.schema.columns import Table
from assets.schema.tables import TABLES

OWNERS = ["team:benchmarks"]

Row = TypeVar("Row")


@dataclass(frozen=True)
class Wiring:
    """What an asset is made from, as storage, staleness and dvc.yaml read it.

    `params` and `files` are dotted paths into params.yaml, where `{partition}` and `{model}` stand for the
    partition and the model that its evaluation names. The values at `files` are paths of files that it reads.
    """

    table: str
    steps: tuple[str, ...]
    params: tuple[str, ...]
    files: tuple[str, ...]
    folder: bool
    extras: tuple[str, ...]

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "Wiring":
        """The wiring that `asset` put into a definition's metadata."""
        value = metadata["wiring"]
        stored: Any = value.data if isinstance(value, dg.JsonMetadataValue) else value
        fields: dict[str, Any] = {
            name: tuple(part) if isinstance(part, list) else part for name, part in stored.items()
        }
        return cls(**fields)


@dataclass(frozen=True)
class Made:
    """What an asset hands to storage when a table is not all: small JSON files by name, a folder, or groups of rows.

    A folder is moved into place, and its manifest is the table. Groups are written as they come, one at a time.
    """

    table: pa.Table | None = None
    groups: Iterable[pa.RecordBatch] | None = None
    folder: Path | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)


def asset(
    *,
    group: str,
    table: str,
    step: ModuleType | Sequence[ModuleType],
    params: Sequence[str] = (),
    files: Sequence[str] = (),
    folder: bool = False,
    extras: Sequence[str] = (),
    deps: Sequence[dg.AssetKey] = (),
    kinds: Sequence[str] = (),
    partitions_def: dg.PartitionsDefinition[Any] | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """A decorator like `dg.asset` whose asset is stored as the declared `table` under data/<group>/.

    An asset that is partitioned or reads files from outside depends on `inputs/<group>_<name>`: an external asset
    whose data version stands for those files and settings.
    """
    declared = TABLES[table]
    steps = tuple(module.__name__ for module in (step if isinstance(step, Sequence) else (step,)))
    wiring = Wiring(table, steps, tuple(params), tuple(files), folder, tuple(extras))

    def decorate(function: Callable[..., Any]) -> dg.AssetsDefinition:
        name = function.__name__
        outside = [inputs_key(group, name)] if partitions_def is not None or files else []
        made: dg.AssetsDefinition = dg.asset(
            key=dg.AssetKey([group, name]),
            group_name=group,
            description=f"{(function.__doc__ or '').strip()}\n\n**One row:** {declared.row}",
            metadata={"wiring": dg.MetadataValue.json(asdict(wiring)), **column_schema(declared)},
            kinds={"parquet", *kinds},
            owners=OWNERS,
            deps=[*deps, *outside],
            partitions_def=partitions_def,
            **options,
        )(function)
        return made

    return decorate


def told(rows: Iterable[Row], what: str, every: int = 1000) -> Iterator[Row]:
    """The rows, while every so many of them a line on standard error says how many there have been."""
    for number, row in enumerate(rows, start=1):
        if number % every == 0:
            print(f"{what}: {number:,}", file=sys.stderr, flush=True)
        yield row


def inputs_key(group: str, name: str) -> dg.AssetKey:
    """The external asset that stands for what an asset reads from outside."""
    return dg.AssetKey(["inputs", f"{group}_{name}"])


def shown(png: bytes) -> dg.MarkdownMetadataValue:
    """A figure as the UI shows it on the asset; keep it under 200 kB."""
    return dg.MetadataValue.md(f"![figure](data:image/png;base64,{base64.b64encode(png).decode()})")


def column_schema(table: Table) -> dict[str, dg.TableSchemaMetadataValue]:
    """The metadata entry by which the UI shows the table's columns with their meanings."""
    columns = [
        dg.TableColumn(
            column.name,
            str(column.type),
            column.meaning,
            dg.TableColumnConstraints(nullable=column.nullable),
        )
        for column in table.columns
    ]
    return {"dagster/column_schema": dg.MetadataValue.table_schema(dg.TableSchema(columns))}
