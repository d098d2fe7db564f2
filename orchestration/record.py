"""`cotline record`: commit to DVC the stages whose last good run started from what is there now, and no other."""

import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

import dagster as dg

from assets import params
from assets.faults import Fault
from orchestration import dvc_command, lockfile, storage
from orchestration.graph import Graph, Item

WAIT_S = 40.0
SENSOR_S = 55.0
"""Dagster gives one look of a sensor 60 s."""

PAUSE_S = 1.0
BUSY_WORDS = ("is busy", "Unable to acquire lock", "does not exist")


class NotRecorded(Fault):
    """DVC did not take the record; the message gives its words."""


def refusals(instance: dg.DagsterInstance, graph: Graph) -> dict[str, list[str]]:
    """For each stage the reasons why its last run does not stand for what is there now; none: it may be committed."""
    return {item.stage: _refusal(instance, item) for item in graph.items}


def _refusal(instance: dg.DagsterInstance, item: Item) -> list[str]:
    record = instance.get_latest_data_version_record(item.node.key, partition_key=item.partition)
    event = record.asset_materialization if record else None
    if record is None or event is None:
        return ["never run"]
    said = {name: value.value for name, value in event.metadata.items()}
    if "inputs" not in said:
        return ["reported from DVC, not run"]
    return [*_refused_run(instance, record.run_id), *_changes(item, said, event.tags or {})]


def _refused_run(instance: dg.DagsterInstance, run_id: str) -> list[str]:
    run = instance.get_run_by_id(run_id)
    return [] if run is not None and run.is_success else ["its run did not succeed"]


def _changes(item: Item, said: Mapping[str, Any], tags: Mapping[str, str]) -> list[str]:
    reasons = []
    if storage.md5_of(item.file) != tags.get("dagster/data_version"):
        reasons.append("its table is not what the run wrote")
    if tags.get("dagster/code_version") != item.node.code_version:
        reasons.append("its code or settings changed since the run")
    elif said.get("params") != item.params_digest:
        reasons.append("its settings changed since the run")
    changed = [name for name, md5 in sorted(said["inputs"].items()) if storage.md5_of(params.ROOT / name) != md5]
    return reasons + [f"{name} changed since the run" for name in changed]


def record(instance: dg.DagsterInstance, graph: Graph) -> tuple[list[str], dict[str, list[str]]]:
    """Commit what may be committed and is not yet; those stages and the refused ones with reasons come out.

    Raises:
        NotRecorded: DVC stayed busy or refused.
    """
    verdict = refusals(instance, graph)
    refused = {stage: reasons for stage, reasons in verdict.items() if reasons}
    known = lockfile.read()
    good = [
        item.stage
        for item in graph.items
        if item.stage not in refused and not (item.stage in known and known[item.stage].current(graph, item))
    ]
    if not good:
        return [], refused
    before = lockfile.DVC_LOCK.read_bytes() if lockfile.DVC_LOCK.exists() else b""
    _commit(good)
    # What DVC committed is what it found a moment later: a stage whose files changed in between is taken back.
    again = refusals(instance, graph)
    if raced := [stage for stage in good if again[stage]]:
        storage.write_bytes(before, lockfile.DVC_LOCK)
        good = [stage for stage in good if stage not in raced]
        if good:
            _commit(good)
        refused |= {stage: again[stage] for stage in raced}
    return good, refused


def _commit(stages: list[str]) -> None:
    # Waiting for DVC's own lock does not help against a stage that runs: a dvc that was not called by our wrapper.
    end = time.monotonic() + WAIT_S
    while True:
        done = dvc_command.run("commit", "-q", "-f", *stages, wait_s=WAIT_S)
        words = " ".join((done.stderr or done.stdout).split())
        if done.returncode == 0:
            return
        if not any(busy in words for busy in BUSY_WORDS) or time.monotonic() >= end:
            raise NotRecorded(f"record: DVC did not commit {', '.join(stages)}: {words}")
        time.sleep(PAUSE_S)


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    name="record_runs",
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=5,
    description="Commits to DVC what a run of the UI has made (`cotline record`).",
)
def record_runs(context: dg.RunStatusSensorContext) -> dg.SkipReason:
    """In a process of its own, so that it sees the code and settings of now and cannot hold up the daemon.

    Runs of the command and of DVC do not come by here, and must not: DVC is writing its lock then.
    """
    command = [sys.executable, "-m", "orchestration", "record"]
    try:
        done = subprocess.run(command, cwd=params.ROOT, capture_output=True, text=True, timeout=SENSOR_S, check=False)
    except subprocess.TimeoutExpired:
        return dg.SkipReason(f"cotline record took longer than {SENSOR_S:g} s: run it by hand")
    return dg.SkipReason((done.stdout + done.stderr).strip()[-1000:])


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline record`."""
    parser.add_argument("--dry-run", action="store_true", help="say what would be committed, and commit nothing")


def run(arguments: Namespace) -> int:
    """`cotline record`: 0 when DVC took all that may be recorded."""
    from orchestration.definitions import graph
    from orchestration.instance import opened
    from orchestration.projection import require

    require(graph())
    with opened() as instance:
        if arguments.dry_run:
            refused = {stage: reasons for stage, reasons in refusals(instance, graph()).items() if reasons}
            good = [item.stage for item in graph().items if item.stage not in refused]
        else:
            good, refused = record(instance, graph())
    for stage, reasons in refused.items():
        print(f"{stage}: not recorded: {'; '.join(reasons)}")
    print(f"{'would record' if arguments.dry_run else 'recorded'} {len(good)}: {', '.join(good) or 'nothing new'}")
    return 0
