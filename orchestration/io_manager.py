"""Dagster's hand on storage: an asset's table goes to its file, its MD5 becomes its data version."""

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import dagster as dg
import pyarrow as pa
from pydantic import PrivateAttr

from assets import contact_sheet, images, params
from assets.asset import Made, Wiring
from assets.asset import shown as shown_figure
from assets.images import Pictures
from orchestration import inputs, locks, storage, verdicts
from orchestration.graph import Graph, Item

IMPLICIT = "__"
"""How Dagster's own jobs begin, whose runs name the assets that they make, or make all."""

PREVIEW_ROWS = 8
PREVIEW_CHARACTERS = 80
SHEET_PICTURES = 16
_DIGEST = re.compile(r"\b([0-9a-f]{10})[0-9a-f]{54}\b")


@dataclass(frozen=True)
class _Began:
    """What an item's settings and named files were when its run began."""

    params: str
    files: dict[str, str | None]


class Tables(dg.ConfigurableIOManager):
    """Stores assets as declared tables, remembers the MD5 of each input as it was read, and holds the run's locks."""

    _began: dict[str, _Began] = PrivateAttr(default_factory=dict)
    _read: dict[str, dict[str, str | None]] = PrivateAttr(default_factory=dict)

    @contextlib.contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["Tables"]:
        """Hold the locks of all that this run writes and reads, and take down what it starts from."""
        run = context.dagster_run
        if run is None or context.instance is None:
            yield self
            return
        graph = _graph()
        selected = _selected(run)
        items = _items(graph, run, selected)
        writes = {item.stage for item in items}
        parents = {key for item in items for key in item.node.parents}
        parents |= {parent for key in selected for parent in graph.beside.get(key, ())}
        reads = {each.stage for key in parents for each in graph.items_of(key)} - writes
        with locks.held(writes, reads, params.load().running.lock_wait_s, f"run {run.run_id[:8]}"):
            inputs.observe(context.instance, graph, items)
            self._began = {
                item.stage: _Began(
                    item.params_digest,
                    {name: storage.md5_of(params.ROOT / name) for name in graph.outside_files(item)},
                )
                for item in items
            }
            yield self

    def handle_output(self, context: dg.OutputContext, made: pa.Table | Made) -> None:
        """Write the table, and its folder and extras, and put what was read and written on the event.

        Raises:
            Failure: the settings changed while the asset was made, or it hands over other extras than declared.
        """
        wiring = Wiring.of(context.definition_metadata)
        key = context.asset_key.path
        partition = context.asset_partition_key if context.has_asset_partitions else None
        item = Item(_graph().by_key[context.asset_key], partition)
        began = self._began.get(item.stage, _Began(item.params_digest, {}))
        if item.params_digest != began.params:
            sections = ", ".join(dict.fromkeys(path.partition(".")[0] for path in item.params))
            raise dg.Failure(f"its settings ({sections}) changed while it was made: run it again")
        made = made if isinstance(made, Made) else Made(made)
        if made.folder is not None:
            storage.place_folder(made.folder, storage.folder_of(key, partition))
            made = Made(storage.manifest(storage.folder_of(key, partition)), extras=made.extras)
        if (made.table is None and made.groups is None) or set(made.extras) != set(wiring.extras):
            raise dg.Failure(f"hands over {sorted(made.extras)}, declared are {sorted(wiring.extras)}")
        if made.table is not None:
            md5 = storage.write_table(made.table, wiring.table, item.file)
        else:
            md5 = storage.write_groups(made.groups or (), wiring.table, item.file)
        verdicts.record(item.stage, md5, [verdicts.NOT_CHECKED])
        for name, content in made.extras.items():
            storage.write_extra(content, storage.extra_file(key, name))
        context.step_context.set_data_version(context.asset_key, dg.DataVersion(md5))
        context.add_output_metadata(
            {
                **shown(item),
                "path": dg.MetadataValue.path(str(item.file)),
                "md5": md5,
                "inputs": dg.MetadataValue.json(self._inputs(context, item, began)),
                "extras": dg.MetadataValue.json(
                    {storage.relative(path): storage.md5_of(path) for path in item.extra_files}
                ),
                "params": began.params,
            }
        )

    def load_input(self, context: dg.InputContext) -> pa.Table | Pictures | dict[str, pa.Table]:
        """The upstream's table, of pictures a handle; of a partitioned upstream a table for each partition there is.

        Raises:
            Failure: the file is missing, or its blocking checks failed on these very bytes, or were not run.
        """
        key = context.asset_key.path
        node = _graph().by_key[context.asset_key]
        step = context.step_context
        # Evaluations and trainings have no name in common: the partition of a step that this asset has is its own.
        several = context.has_asset_partitions and not (
            step.has_partition_key and step.partition_key in (node.partitions or ())
        )
        partitions: Sequence[str | None] = context.asset_partition_keys if context.has_asset_partitions else [None]
        if not several and len(partitions) > 1:
            raise dg.Failure(f"{'/'.join(key)}: a partitioned asset reads one partition of it, here are {partitions}")
        pictures = node.wiring.table == "image"
        tables: dict[str | None, Any] = {}
        seen = self._read.setdefault(_step(context), {})
        for partition in partitions:
            file = storage.table_file(key, partition)
            stage = "-".join(key) + (f"@{partition}" if partition else "")
            try:
                if pictures:
                    opened, md5 = storage.open_versioned(file)
                    tables[partition] = Pictures(opened)
                else:
                    tables[partition], md5 = storage.read_versioned(file)
            except FileNotFoundError:
                seen[storage.relative(file)] = None
                if several:
                    continue
                raise dg.Failure(f"{storage.relative(file)}: missing; materialize {'/'.join(key)} first") from None
            seen[storage.relative(file)] = md5
            if refusal := verdicts.refusal(stage, md5):
                raise dg.Failure(f"{stage}: {refusal}: materialize {'/'.join(key)} again")
        return {str(name): table for name, table in tables.items()} if several else tables[partitions[0]]

    def _inputs(self, context: dg.OutputContext, item: Item, began: _Began) -> dict[str, str | None]:
        # A parent that was not loaded, and a file within a parent's folder, are locked against writers for the run;
        # a file from outside may change under it, so that one is recorded as it was when the run began.
        untouched = {storage.relative(path): storage.md5_of(path) for path in _graph().input_files(item)}
        named = {name: began.files.get(name) or storage.md5_of(params.ROOT / name) for name in item.named_files}
        return {**untouched, **named, **self._read.pop(_step(context), {})}


def _selected(run: dg.DagsterRun) -> AbstractSet[dg.AssetKey]:
    """The assets that a run makes or checks, none for all of the graph; a run of checks alone names no asset."""
    checked = {check.asset_key for check in run.asset_check_selection or ()}
    if run.asset_selection or checked or run.job_name.startswith(IMPLICIT):
        return run.asset_selection or checked
    from orchestration.definitions import defs

    # The run of a whole job says its name alone.
    return frozenset(defs.resolve_job_def(run.job_name).asset_layer.executable_asset_keys)


def _items(graph: Graph, run: dg.DagsterRun, selected: AbstractSet[dg.AssetKey]) -> list[Item]:
    """What of the graph a run makes or checks."""
    partition = run.tags.get("dagster/partition")
    return [
        item
        for item in graph.items
        if (not selected or item.node.key in selected) and (partition is None or item.partition in (None, partition))
    ]


def shown(item: Item) -> dict[str, Any]:
    """What the UI shows of an item's stored table: its number of rows, the first of them, some of its pictures."""
    head, rows = storage.first_rows(item.file, PREVIEW_ROWS)
    facts: dict[str, Any] = {"dagster/row_count": rows, "preview": dg.MetadataValue.md(preview(head))}
    if item.node.wiring.table == "image":
        opened, _ = storage.open_versioned(item.file)
        if sheet := some_of(Pictures(opened)):
            facts["pictures"] = shown_figure(sheet)
    return facts


def some_of(pictures: Pictures) -> bytes | None:
    """A contact sheet of pictures from all over the table; None where it has none."""
    kept = [row for row in pictures.index().select(["image_id", "file", "dropped"]).to_pylist() if not row["dropped"]]
    chosen = {row["image_id"]: row["file"] for row in kept[:: max(1, -(-len(kept) // SHEET_PICTURES))]}
    if not chosen:
        return None
    shown = [(chosen[str(row.image_id)], images.decode(row.png or b"")) for row in pictures.stream(chosen)]
    return contact_sheet.sheet([picture for _, picture in shown], [file for file, _ in shown])


def preview(table: pa.Table) -> str:
    """The first rows of a table as Markdown, long values cut."""
    rows = table.slice(0, PREVIEW_ROWS).to_pylist()
    lines = [f"| {' | '.join(table.column_names)} |", f"|{' --- |' * table.num_columns}"]
    lines += [f"| {' | '.join(_cell(row[name]) for name in table.column_names)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return "a picture"
    if isinstance(value, list) and value and isinstance(value[0], dict) and "kind" in value[0]:
        value = " ".join(part["text"] or "[picture]" for part in value)
    text = f"{value:.6g}" if isinstance(value, float) else _DIGEST.sub(r"\1…", str(value))
    text = text if len(text) <= PREVIEW_CHARACTERS else f"{text[:PREVIEW_CHARACTERS]}…"
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _graph() -> Graph:
    from orchestration.definitions import graph

    return graph()


def _step(context: Any) -> str:
    return f"{os.getpid()}/{context.step_context.run_id}/{context.step_context.step.key}"
