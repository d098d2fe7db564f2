"""The external `inputs/…` assets: what Dagster knows of files from outside and of a partition's settings."""

import hashlib
import json

import dagster as dg
from dagster._core.definitions.data_version import extract_data_version_from_entry

from assets.params import ParamsError
from orchestration import storage
from orchestration.graph import Graph, Item


def version(item: Item) -> str:
    """The data version of an item's inputs: its outside files' MD5s and, for a partition, its settings."""
    files = {storage.relative(path): storage.md5_of(path) for path in item.outside_files}
    settings = item.params_digest if item.partition else ""
    return hashlib.md5(json.dumps([files, settings], sort_keys=True).encode()).hexdigest()


def observe(instance: dg.DagsterInstance, graph: Graph) -> int:
    """Tell Dagster the current version of every input whose version changed; how many did comes out."""
    changed = 0
    for item in graph.items:
        key = item.node.inputs_key
        if key is None:
            continue
        current = version(item)
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
    description="Looks at files from outside and each evaluation's settings: the UI then shows what they make stale.",
)
def observe_inputs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """Settings that cannot be read, or lack a partition that was there, are said and not raised."""
    from orchestration.definitions import graph

    try:
        return dg.SkipReason(f"{observe(context.instance, graph())} inputs changed")
    except ParamsError as error:
        return dg.SkipReason(f"{error}; reload the definitions when it is mended")
