"""The external `inputs/…` assets: what Dagster knows of files from outside and of a partition's settings."""

import hashlib
import json
from collections.abc import Iterable

import dagster as dg
from dagster._core.definitions.data_version import extract_data_version_from_entry

from assets import params
from orchestration import storage
from orchestration.graph import Graph, Item
from orchestration.instance import end_dead_runs


def version(graph: Graph, item: Item) -> str:
    """The data version of an item's inputs: its outside files' MD5s and, for a partition, its settings."""
    files = {name: storage.md5_of(params.ROOT / name) for name in graph.outside_files(item)}
    settings = item.params_digest if item.partition else ""
    return hashlib.md5(json.dumps([files, settings], sort_keys=True).encode()).hexdigest()


def observe(instance: dg.DagsterInstance, graph: Graph, items: Iterable[Item] | None = None) -> int:
    """Tell Dagster the current version of every input of these items (None: all) that changed; how many did comes out.

    An item that params.yaml no longer has is passed over: the graph was loaded before it went.
    """
    changed = 0
    for item in graph.items if items is None else items:
        key = item.node.inputs_key
        if key is None:
            continue
        try:
            current = version(graph, item)
        except params.ParamsError:
            continue
        if _known(instance, key, item.partition) != {current}:
            tags = {"dagster/data_version": current}
            # Of an external asset Dagster compares the observations for partitions, but the materializations for
            # the staleness of an unpartitioned one; and what a step points to is the latter, so that comes last.
            for event in (dg.AssetObservation, dg.AssetMaterialization):
                instance.report_runless_asset_event(event(key, partition=item.partition, tags=tags))
            changed += 1
    return changed


def _known(instance: dg.DagsterInstance, key: dg.AssetKey, partition: str | None) -> set[str | None]:
    records = [instance.get_latest_data_version_record(key, source, partition) for source in (True, False)]
    versions = [extract_data_version_from_entry(record.event_log_entry) if record else None for record in records]
    return {version.value if version else None for version in versions}


@dg.sensor(
    name="observe_inputs",
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=15,
    description="Looks at files from outside and each evaluation's settings, and ends runs whose process is gone.",
)
def observe_inputs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """Settings that cannot be read, or name others than the UI has loaded, are said and not raised."""
    from orchestration.definitions import graph

    end_dead_runs(context.instance)
    try:
        settings = params.load()
        now = {*settings.evaluations, *settings.trainings}
    except params.ParamsError as error:
        return dg.SkipReason(str(error))
    loaded = {item.partition for item in graph().items if item.partition}
    said = f"{observe(context.instance, graph())} inputs changed"
    if now != loaded:
        names = ", ".join(sorted(now ^ loaded))
        others = f"params.yaml has other evaluations or trainings ({names})"
        return dg.SkipReason(f"{said}; {others}: reload the definitions")
    return dg.SkipReason(said)
