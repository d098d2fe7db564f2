"""Sensors: what follows a run by itself while `dagster dev` is up."""

import json
import subprocess
import sys
import time
from datetime import UTC, datetime

import dagster as dg

from assets.params import ROOT
from orchestration.run_facts import is_ours

INTERVAL_S = 10
LIMIT_S = 50
"""Dagster gives one look of a sensor 60 s."""

RETRY_AFTER_S = 60
OVERLAP_S = 10
"""A run's time of change is taken before it is committed: one that was committed late is still seen."""

PAGE = 200
FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


@dg.sensor(
    name="track_runs",
    minimum_interval_seconds=INTERVAL_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Brings finished runs into MLflow (`cotline track`), those of the command and of DVC too.",
)
def track_runs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """Looks at run records and not at run status: that would leave out the runs of other processes."""
    cursor = json.loads(context.cursor or "{}")
    after = cursor.get("after", 0.0)
    if time.time() < cursor.get("again", 0.0):
        return dg.SkipReason("MLflow could not be reached a moment ago; it is asked again in a minute")
    records = context.instance.get_run_records(
        dg.RunsFilter(statuses=FINISHED, updated_after=datetime.fromtimestamp(max(after - OVERLAP_S, 0), UTC)),
        limit=PAGE,
        order_by="update_timestamp",
        ascending=True,
    )
    if not records:
        return dg.SkipReason("no run has finished since")
    last = records[-1].update_timestamp.timestamp()
    # Recording tags a run, which then comes by once more.
    if all("mlflow/run_id" in run.tags or not is_ours(run) for run in (record.dagster_run for record in records)):
        context.update_cursor(json.dumps({"after": last}))
        return dg.SkipReason("no run of ours is unrecorded")
    said = _track()
    if said is not None:
        context.update_cursor(json.dumps({"after": after, "again": time.time() + RETRY_AFTER_S}))
        return dg.SkipReason(said)
    context.update_cursor(json.dumps({"after": last}))
    return dg.SkipReason(f"{len(records)} runs recorded")


def _track() -> str | None:
    """None when `cotline track` recorded all, else what it said. A process of its own: MLflow must not stall this."""
    command = [sys.executable, "-m", "orchestration", "track", "--quiet"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else (done.stderr.strip()[-500:] or f"exit status {done.returncode}")
