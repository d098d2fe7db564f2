"""`cotline sync`: tell Dagster what DVC has put on disk, with where it came from, so that the UI shows it fresh."""

from argparse import ArgumentParser, Namespace
from typing import Any

import dagster as dg

from orchestration import inputs, lockfile, storage
from orchestration.graph import Graph, Item
from orchestration.io_manager import shown
from orchestration.lockfile import Locked
from orchestration.staleness import Resolver

FORMER_EVENTS = 50
OF_A_RUN = frozenset({"inputs", "params", "extras"})
"""What only the run that made a table can say: where it started from."""

ANOTHER = "another"
"""Stands for a version that is not today's: Dagster then shows the asset as stale, and rightly."""


def sync(instance: dg.DagsterInstance, definitions: dg.Definitions, graph: Graph) -> list[str]:
    """Report each locked stage whose table lies there as DVC made it, unless Dagster knows; the reported come out.

    Nothing is blessed: code, settings and inputs that are not those on record are reported as other versions.
    """
    inputs.observe(instance, graph)
    locked = lockfile.read()
    reported: list[str] = []
    ask: Resolver | None = None
    for item in graph.items:
        entry = locked.get(item.stage)
        if entry is None or not entry.made(item):
            continue
        tags = _tags(instance, graph, item, entry)
        # What was reported changes what Dagster says of the items after it: then it is asked anew.
        ask = ask or Resolver(instance, definitions)
        if _known(instance, item, tags) and (not ask.reason(item)) == entry.current(graph, item):
            continue
        instance.report_runless_asset_event(
            dg.AssetMaterialization(
                item.node.key,
                partition=item.partition,
                tags=tags,
                metadata={
                    **_facts(instance, item, tags["dagster/data_version"]),
                    "path": dg.MetadataValue.path(str(item.file)),
                    "from": "DVC",
                },
            )
        )
        reported.append(item.stage)
        ask = None
    return reported


def _facts(instance: dg.DagsterInstance, item: Item, version: str) -> dict[str, Any]:
    """What a run once said of these very bytes, its figures too; else what can be read off the table."""
    partitions = [item.partition] if item.partition else None
    records = instance.fetch_materializations(
        dg.AssetRecordsFilter(asset_key=item.node.key, asset_partitions=partitions), limit=FORMER_EVENTS
    ).records
    for record in records:
        event = record.asset_materialization
        if event is not None and (event.tags or {}).get("dagster/data_version") == version:
            return {name: value for name, value in event.metadata.items() if name not in OF_A_RUN}
    return shown(item)


def _tags(instance: dg.DagsterInstance, graph: Graph, item: Item, entry: Locked) -> dict[str, str]:
    same_params = entry.same_params(item)
    # A partition's settings are an input of their own, so they do not touch its code version.
    as_now = entry.same_code(item) and (same_params or item.partition is not None)
    tags = {
        "dagster/data_version": storage.md5_of(item.file) or ANOTHER,
        "dagster/data_version_is_user_provided": "true",
        "dagster/code_version": str(item.node.code_version) if as_now else ANOTHER,
    }
    for parent in item.node.parents:
        name = parent.to_user_string()
        if parent in graph.by_key:
            files = [storage.relative(each.file) for each in graph.items_of(parent)]
            same = entry.same_files(files)
            version = entry.deps.get(files[0], ANOTHER) if len(files) == 1 else "many"
            partition = None
        else:
            same = entry.same_files(graph.outside_files(item)) and (same_params or item.partition is None)
            version = inputs.version(graph, item) if same else ANOTHER
            partition = item.partition
        record = instance.get_latest_data_version_record(
            parent, is_source=parent not in graph.by_key, partition_key=partition
        )
        tags[f"dagster/input_data_version/{name}"] = version
        # Never empty: Dagster takes an empty pointer for an input that never was.
        tags[f"dagster/input_event_pointer/{name}"] = str(record.storage_id) if record and same else "1"
    return tags


def _known(instance: dg.DagsterInstance, item: Item, tags: dict[str, str]) -> bool:
    """Whether Dagster has this version, made by this code; of its inputs the staleness tells, whatever their tags."""
    record = instance.get_latest_data_version_record(item.node.key, partition_key=item.partition)
    event = record.asset_materialization if record else None
    known = (event.tags if event else None) or {}
    return all(known.get(name) == tags[name] for name in ("dagster/data_version", "dagster/code_version"))


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline sync`."""
    parser.add_argument("--quiet", action="store_true", help="say nothing when all is well")


def run(arguments: Namespace) -> int:
    """`cotline sync`: 0."""
    from orchestration.definitions import defs, graph
    from orchestration.instance import opened
    from orchestration.projection import require

    require(graph())
    lockfile.tidy(graph())
    with opened() as instance:
        reported = sync(instance, defs, graph())
    if not arguments.quiet:
        print(f"told Dagster of {len(reported)}: {', '.join(reported) or 'nothing new'}")
    return 0
