"""The job of a night, and the schedule that starts it: each night once, and of several that were missed the last."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import dagster as dg

from assets import params
from assets.nightly.defs import GROUP, live, zone
from assets.nightly.nights import NOTHING_IS_LIVE
from orchestration.instance import end_dead_runs
from orchestration.nights import FOLDER, file_of

JOB = "nightly"
AT = time.fromisoformat(params.load().nightly.at)
ZONE = zone()
UNDER_WAY = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]

nightly_job = dg.define_asset_job(
    JOB,
    selection=dg.AssetSelection.groups(GROUP),
    description="Asks every live evaluation anew and compares it with its last good night.",
    executor_def=dg.in_process_executor,
)


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


def today() -> str:
    """The day of a night that would begin now."""
    return now().astimezone(ZoneInfo(ZONE)).date().isoformat()


def under_way(instance: dg.DagsterInstance, day: str) -> str | None:
    """Which run is at this night, as a sentence; None where none is."""
    end_dead_runs(instance)
    runs = instance.get_runs(dg.RunsFilter(tags={"dagster/partition": day}, statuses=UNDER_WAY), limit=1)
    return f"run {runs[0].run_id[:8]} is at the night of {day}" if runs else None


def due(instance: dg.DagsterInstance, tick: datetime) -> dg.RunRequest | dg.SkipReason:
    """The night of the tick's day, unless it is there, is being asked, or a later one is due by now."""
    at = tick.astimezone(ZoneInfo(ZONE))
    day = at.date().isoformat()
    if not live():
        return dg.SkipReason(NOTHING_IS_LIVE)
    following = datetime.combine(at.date() + timedelta(days=1), AT, ZoneInfo(ZONE))
    if following <= now():
        return dg.SkipReason(f"the night of {day} was missed, and a later one is due: that one stands for both")
    if file_of("asked", day, FOLDER).exists():
        return dg.SkipReason(f"the night of {day} is there already")
    if reason := under_way(instance, day):
        return dg.SkipReason(reason)
    return dg.RunRequest(run_key=day, partition_key=day)


@dg.schedule(
    name="every_night",
    job=nightly_job,
    cron_schedule=f"{AT.minute} {AT.hour} * * *",
    execution_timezone=ZONE,
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description=f"Every night at {AT:%H:%M} ({ZONE}), where an evaluation is live; see nightly in params.yaml.",
)
def every_night(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """Asks for the night that is due."""
    return due(context.instance, context.scheduled_execution_time)
