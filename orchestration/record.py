"""`cotline record`: commit to DVC the stages whose last good run started from what is there now, and no other."""

import json
import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

import dagster as dg

from assets import params
from assets.schema.faults import Fault
from orchestration import dvc_command, lockfile, storage
from orchestration.graph import Graph, Item

WAIT_S = 40.0
SENSOR_S = 55.0
"""Dagster gives one look of a sensor 60 s."""

MOST_RUNS = 300
"""Runs that one look of the sensor goes back."""

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
    elif not lockfile.is_whole(item):
        reasons.append("its folder is not what the run wrote")
    written = said.get("extras", {}).items()
    reasons += [
        f"{name} is not what the run wrote" for name, md5 in written if storage.md5_of(params.ROOT / name) != md5
    ]
    if tags.get("dagster/code_version") != item.node.code_version:
        reasons.append("its code or settings changed since the run")
    elif said.get("params") != item.params_digest:
        reasons.append("its settings changed since the run")
    changed = [name for name, md5 in sorted(said["inputs"].items()) if storage.md5_of(params.ROOT / name) != md5]
    return reasons + [f"{name} changed since the run" for name in changed]


def committable(instance: dg.DagsterInstance, graph: Graph) -> tuple[list[str], dict[str, list[str]]]:
    """The stages that may be committed and are not yet, and those that may not with their reasons."""
    verdict, known = refusals(instance, graph), lockfile.read()
    # What DVC has on record as it is now needs no run to stand for it.
    open_ = [item.stage for item in graph.items if not (item.stage in known and known[item.stage].current(graph, item))]
    refused = {stage: verdict[stage] for stage in open_ if verdict[stage]}
    return [stage for stage in open_ if stage not in refused], refused


def record(instance: dg.DagsterInstance, graph: Graph) -> tuple[list[str], dict[str, list[str]]]:
    """Commit what may be committed and is not yet; those stages and the refused ones with reasons come out.

    Raises:
        NotRecorded: DVC stayed busy or refused.
    """
    good, refused = committable(instance, graph)
    if not good:
        return [], refused
    before = lockfile.DVC_LOCK.read_bytes() if lockfile.DVC_LOCK.exists() else b""
    # Named one by one, DVC reads all of its files anew for each; where all may be committed none is named.
    _commit(good if refused else [])
    lockfile.put_back(before, lockfile.changed(before, but=good))
    # What DVC committed is what it found a moment later: a stage whose files changed in between is taken back.
    again = refusals(instance, graph)
    if raced := [stage for stage in good if again[stage]]:
        lockfile.put_back(before, raced)
        good = [stage for stage in good if stage not in raced]
        refused |= {stage: again[stage] for stage in raced}
    lockfile.tidy(graph)
    return good, refused


def _commit(stages: list[str]) -> None:
    # Waiting for DVC's own lock does not help against a stage that runs: a dvc that was not called by our wrapper.
    end = time.monotonic() + WAIT_S
    while True:
        # Not `-q`, with which some refusals come without a word.
        done = dvc_command.run("commit", "-f", *stages, wait_s=WAIT_S)
        words = " ".join((done.stderr or done.stdout).split()) or f"it ended with status {done.returncode}"
        if done.returncode == 0:
            return
        if not any(busy in words for busy in BUSY_WORDS) or time.monotonic() >= end:
            raise NotRecorded(f"record: DVC did not commit {', '.join(stages) or 'what was made'}: {words}")
        time.sleep(PAUSE_S)


@dg.sensor(
    name="record_runs",
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=5,
    description="Commits to DVC what runs of the UI have made (`cotline record`).",
)
def record_runs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """Once for all runs since the last look, again where DVC was busy, and in a process of its own.

    So it sees the code and settings of now, and cannot hold up the daemon. Runs of the command and of DVC (they carry
    a door) are left alone: DVC is writing its lock then.
    """
    handled: list[str] = json.loads(context.cursor or "[]")
    filters = dg.RunsFilter(statuses=[dg.DagsterRunStatus.SUCCESS])
    runs = context.instance.get_runs(filters, limit=MOST_RUNS)
    new = [run.run_id for run in runs if run.run_id not in handled and "cotline/door" not in run.tags]
    if not new:
        return dg.SkipReason("no run of the UI has succeeded since")
    command = [sys.executable, "-m", "orchestration", "record"]
    process = subprocess.Popen(
        command, cwd=params.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        said, _ = process.communicate(timeout=SENSOR_S)
    except subprocess.TimeoutExpired:
        # With the dvc that it called: a commit that ends after its caller would not be held against what changed.
        os.killpg(process.pid, signal.SIGKILL)
        return dg.SkipReason(f"cotline record took longer than {SENSOR_S:g} s; it is tried again")
    if process.returncode == 0:
        context.update_cursor(json.dumps([*new, *handled][:MOST_RUNS]))
    return dg.SkipReason(said.strip()[-1000:])


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
            good, refused = committable(instance, graph())
        else:
            good, refused = record(instance, graph())
    for stage, reasons in refused.items():
        print(f"{stage}: not recorded: {'; '.join(reasons)}")
    print(f"{'would record' if arguments.dry_run else 'recorded'} {len(good)}: {', '.join(good) or 'nothing new'}")
    return 0
