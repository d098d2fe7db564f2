"""Dagster's hand on storage: an asset's table goes to its file, its MD5 becomes its data version."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pyarrow as pa
from pydantic import PrivateAttr

from assets import params
from assets.asset import Made, Wiring
from orchestration import inputs, locks, storage, verdicts
from orchestration.graph import Graph, Item

PREVIEW_ROWS = 8
PREVIEW_CHARACTERS = 80


class Tables(dg.ConfigurableIOManager):
    """Stores assets as declared tables, remembers the MD5 of each input as it was read, and holds the run's locks."""

    @contextlib.contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["Tables"]:
        """Hold the locks of all that this run writes, and tell Dagster what the inputs from outside are now."""
        run = context.dagster_run
        if run is None or context.instance is None:
            yield self
            return
        graph = _graph()
        selected = run.asset_selection
        partition = run.tags.get("dagster/partition")
        stages = [
            item.stage
            for item in graph.items
            if (selected is None or item.node.key in selected)
            and (partition is None or item.partition in (None, partition))
        ]
        with locks.held(stages, params.load().running.lock_wait_s, f"run {run.run_id[:8]}"):
            inputs.observe(context.instance, graph)
            self._outside = {
                storage.relative(path): storage.md5_of(path)
                for item in graph.items
                if item.stage in stages
                for path in item.outside_files
            }
            yield self

    _outside: dict[str, str | None] = PrivateAttr(default_factory=dict)
    _read: dict[str, dict[str, str | None]] = PrivateAttr(default_factory=dict)

    def handle_output(self, context: dg.OutputContext, made: pa.Table | Made) -> None:
        """Write the table, and its folder and extras, and put what was read and written on the event."""
        wiring = Wiring.of(context.definition_metadata)
        key = context.asset_key.path
        partition = context.asset_partition_key if context.has_asset_partitions else None
        file = storage.table_file(key, partition)
        made = made if isinstance(made, Made) else Made(made)
        if made.folder is not None:
            storage.place_folder(made.folder, storage.folder_of(key, partition))
            made = Made(storage.manifest(storage.folder_of(key, partition)))
        if made.table is None or set(made.extras) != set(wiring.extras):
            raise dg.Failure(f"{'/'.join(key)}: hands over {sorted(made.extras)}, declared are {sorted(wiring.extras)}")
        item = Item(_graph().by_key[context.asset_key], partition)
        md5 = storage.write_table(made.table, wiring.table, file)
        for name, content in made.extras.items():
            storage.write_extra(content, storage.extra_file(key, name))
        context.step_context.set_data_version(context.asset_key, dg.DataVersion(md5))
        context.add_output_metadata(
            {
                "dagster/row_count": len(made.table),
                "path": dg.MetadataValue.path(str(file)),
                "md5": md5,
                "inputs": dg.MetadataValue.json(self._inputs(context, item)),
                "params": item.params_digest,
                "preview": dg.MetadataValue.md(preview(made.table)),
            }
        )

    def load_input(self, context: dg.InputContext) -> pa.Table | dict[str, pa.Table]:
        """The upstream's table; of a partitioned upstream a table for each partition that exists.

        Raises:
            Failure: the file is missing, or its blocking checks failed on these very bytes.
        """
        key = context.asset_key.path
        several = context.has_asset_partitions and not context.step_context.has_partition_key
        partitions = context.asset_partition_keys if context.has_asset_partitions else [None]
        tables: dict[str | None, pa.Table] = {}
        seen = self._read.setdefault(_step(context), {})
        for partition in partitions:
            file = storage.table_file(key, partition)
            md5 = seen[storage.relative(file)] = storage.md5_of(file)
            stage = "-".join(key) + (f"@{partition}" if partition else "")
            if failed := verdicts.failed(stage, md5):
                raise dg.Failure(
                    f"{stage}: failed its check {', '.join(failed)} on the data that lies there: "
                    f"mend it and materialize {'/'.join(key)} again"
                )
            if md5 is not None:
                tables[partition] = storage.read_table(file)
            elif not several:
                raise dg.Failure(f"{storage.relative(file)}: missing; materialize {'/'.join(key)} first")
        return {str(name): table for name, table in tables.items()} if several else tables[partitions[0]]

    def _inputs(self, context: dg.OutputContext, item: Item) -> dict[str, str | None]:
        # A parent that was not loaded, and a file within a parent's folder, were settled before this step; a file
        # from outside may change under it, so that one is recorded as it was when the run began.
        untouched = {storage.relative(path): storage.md5_of(path) for path in _graph().input_files(item)}
        files = {storage.relative(path): path for path in item.read_files}
        named = {name: self._outside.get(name) or storage.md5_of(path) for name, path in files.items()}
        return {**untouched, **named, **self._read.pop(_step(context), {})}


def preview(table: pa.Table) -> str:
    """The first rows of a table as Markdown, long values cut; pictures and other bytes by their length."""
    rows = table.slice(0, PREVIEW_ROWS).to_pylist()
    lines = [f"| {' | '.join(table.column_names)} |", f"|{' --- |' * table.num_columns}"]
    lines += [f"| {' | '.join(_cell(row[name]) for name in table.column_names)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    text = f"{value:.4f}" if isinstance(value, float) else str(value)
    text = text if len(text) <= PREVIEW_CHARACTERS else f"{text[:PREVIEW_CHARACTERS]}…"
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _graph() -> Graph:
    from orchestration.definitions import graph

    return graph()


def _step(context: Any) -> str:
    return f"{os.getpid()}/{context.step_context.run_id}/{context.step_context.step.key}"
