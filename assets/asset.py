"""`asset`: a Dagster asset together with what both engines must know of it."""

import base64
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeVar

import dagster as dg
import pyarrow as pa

from assets.schema.columns import Table
from assets.schema.tables import TABLES

OWNERS = ["team:benchmarks"]

Row = TypeVar("Row")
Progress = TypeVar("Progress")


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

    NAME: ClassVar[str] = "wiring"

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "Wiring":
        """The wiring that `asset` put into a definition's metadata."""
        value = metadata[cls.NAME]
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
            metadata={Wiring.NAME: dg.MetadataValue.json(asdict(wiring)), **column_schema(declared)},
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


def moving(
    context: dg.AssetExecutionContext,
    told: Callable[[Progress], Mapping[str, Any]],
    *,
    key: dg.AssetKey | None = None,
    more: Mapping[str, Any] | None = None,
    every_s: float = 5.0,
    clock: Callable[[], float] = time.monotonic,
) -> Callable[[Progress], None]:
    """A function that shows how far long work is, while it goes on, each time that it is called with the progress.

    On the asset's page it is an observation whose metadata moves, the first and the last at once and others at most
    every `every_s` seconds; in the run's log, and on standard error, it is a line at each tenth. Work of several
    threads may call it.

    Args:
        context: of the asset that is being made.
        told: the progress as metadata; its first entry counts what is done, and `of` says of how many.
        key: the asset, where the step makes several.
        more: further metadata, the same each time.
        every_s: seconds between two observations at least.
        clock: what tells the seconds.
    """
    shown_at = -every_s
    tenth = 0
    guard = threading.Lock()
    asset_key = key or context.asset_key
    name = " ".join([asset_key.to_user_string(), *([context.partition_key] if context.has_partition_key else [])])

    def tell(progress: Progress) -> None:
        nonlocal shown_at, tenth
        said = told(progress)
        done, total = next(iter(said.values())), said.get("of")
        facts = {what: value for what, value in {**(more or {}), **said}.items() if value is not None}
        with guard:
            whole = bool(total) and done >= total
            reached = 10 * done // total if total else 0
            if reached > tenth:
                tenth = reached
                line = f"{name}: {', '.join(f'{what} {value}' for what, value in facts.items())}"
                context.log.info(line)
                print(line, file=sys.stderr, flush=True)
            if clock() - shown_at < every_s and not whole:
                return
            shown_at = clock()
            partition = context.partition_key if context.has_partition_key else None
            context.log_event(dg.AssetObservation(asset_key, partition=partition, metadata=facts))

    return tell


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
