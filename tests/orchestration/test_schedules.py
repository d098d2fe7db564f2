"""When a night is started, and when it is not: each once, of several that were missed the last."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
import yaml

from assets import params
from assets.nightly import defs as nightly_defs
from orchestration import schedules
from orchestration.instance import PROCESS
from tests.orchestration.nightly_house import House, house  # noqa: F401 (fixture)

BERLIN = ZoneInfo("Europe/Berlin")


class Clock:
    """The time and the place, as the test sets them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.time = datetime(2025, 1, 14, 1, 15, 3, tzinfo=UTC)
        monkeypatch.setattr(schedules, "now", lambda: self.time)
        monkeypatch.setattr(schedules, "ZONE", "UTC")

    def tick(self, house: House, at: datetime) -> dg.RunRequest | dg.SkipReason:  # noqa: F811
        """What the schedule does at its tick of this time."""
        return schedules.due(house.instance, at)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def tick_of(day: int, hour: int = 1) -> datetime:
    return datetime(2025, 1, day, hour, 15, tzinfo=UTC)


def run_of(house: House, day: str, status: dg.DagsterRunStatus, **tags: str) -> dg.DagsterRun:  # noqa: F811
    job = house.defs.resolve_job_def(schedules.JOB)
    return house.instance.create_run_for_job(job, status=status, tags={"dagster/partition": day, **tags})


def asks_for(found: dg.RunRequest | dg.SkipReason) -> str | None:
    return found.partition_key if isinstance(found, dg.RunRequest) else None


def reason(found: dg.RunRequest | dg.SkipReason) -> str:
    assert isinstance(found, dg.SkipReason)
    return str(found.skip_message)


def test_the_schedule_is_on_by_itself_at_the_time_of_params() -> None:
    said = params.load().nightly
    hour, minute = map(int, said.at.split(":"))
    assert schedules.every_night.cron_schedule == f"{minute} {hour} * * *"
    assert schedules.every_night.default_status == dg.DefaultScheduleStatus.RUNNING
    assert schedules.every_night.execution_timezone == nightly_defs.zone()
    assert schedules.every_night.job_name == schedules.JOB


def test_a_tick_asks_for_the_night_of_its_day_and_that_run_can_be_made(
    house: House,  # noqa: F811
    clock: Clock,
    tmp_path: Path,
) -> None:
    with dg.DagsterInstance.local_temp(str(tmp_path), overrides={"telemetry": {"enabled": False}}) as instance:
        context = dg.build_schedule_context(
            instance, scheduled_execution_time=tick_of(14), repository_def=house.defs.get_repository_def()
        )
        ticked = house.defs.resolve_schedule_def("every_night").evaluate_tick(context)
    assert ticked.skip_message is None
    [found] = ticked.run_requests or []
    assert (found.run_key, found.partition_key) == ("2025-01-14", "2025-01-14")
    assert house.night(str(found.partition_key)).success
    assert house.days("asked") == ["2025-01-14"]


def test_the_cron_time_changed_after_tonights_run_and_there_is_no_second_run(house: House, clock: Clock) -> None:  # noqa: F811
    assert asks_for(clock.tick(house, tick_of(14))) == "2025-01-14"
    house.keep("2025-01-14")
    clock.time = tick_of(14, hour=2)
    assert reason(clock.tick(house, tick_of(14, hour=2))) == "the night of 2025-01-14 is there already"
    clock.time = tick_of(15, hour=2)
    assert asks_for(clock.tick(house, tick_of(15, hour=2))) == "2025-01-15"


# One that is queued has an origin, which only a daemon gives it.
@pytest.mark.parametrize("status", [one for one in schedules.UNDER_WAY if one.value != "QUEUED"])
def test_a_second_tick_while_the_night_is_asked_starts_nothing(
    house: House,  # noqa: F811
    clock: Clock,
    status: dg.DagsterRunStatus,
) -> None:
    run = run_of(house, "2025-01-14", status)
    assert reason(clock.tick(house, tick_of(14))) == f"run {run.run_id[:8]} is at the night of 2025-01-14"


def test_a_run_that_broke_or_was_killed_leaves_the_night_to_be_asked(house: House, clock: Clock) -> None:  # noqa: F811
    run_of(house, "2025-01-14", dg.DagsterRunStatus.FAILURE)
    run_of(house, "2025-01-14", dg.DagsterRunStatus.STARTED, **{PROCESS: "another start of the machine/1"})
    assert asks_for(clock.tick(house, tick_of(14))) == "2025-01-14"


def test_of_three_missed_nights_the_last_one_is_caught_up_once(house: House, clock: Clock) -> None:  # noqa: F811
    clock.time = datetime(2025, 1, 14, 9, 0, tzinfo=UTC)
    found = [clock.tick(house, tick_of(day)) for day in (12, 13, 14)]
    assert [asks_for(one) for one in found] == [None, None, "2025-01-14"]
    assert reason(found[0]) == "the night of 2025-01-12 was missed, and a later one is due: that one stands for both"
    # The daemon was started anew, and comes by with the same ticks once more.
    house.keep("2025-01-14")
    assert [asks_for(clock.tick(house, tick_of(day))) for day in (12, 13, 14)] == [None, None, None]


def test_a_night_that_was_missed_by_hours_is_caught_up_until_the_next_one_is_due(house: House, clock: Clock) -> None:  # noqa: F811
    clock.time = tick_of(15).replace(minute=14)
    assert asks_for(clock.tick(house, tick_of(14))) == "2025-01-14"
    clock.time = tick_of(15)
    assert asks_for(clock.tick(house, tick_of(14))) is None


def test_where_nothing_is_live_the_tick_says_how_to_mark_one(house: House, clock: Clock) -> None:  # noqa: F811
    text = params.PARAMS.read_text(encoding="utf-8")
    params.PARAMS.write_text(text.replace("live: true", "live: false"), encoding="utf-8")
    assert "set `live: true` under evaluations.NAME" in reason(clock.tick(house, tick_of(14)))


@pytest.mark.parametrize(
    ("at", "day"),
    [
        # Half past two is not there on the first day of summer time, and twice on the last.
        (datetime(2025, 3, 30, 3, 0, tzinfo=BERLIN), "2025-03-30"),
        (datetime(2025, 10, 26, 2, 30, tzinfo=BERLIN), "2025-10-26"),
        (datetime(2025, 10, 26, 2, 30, fold=1, tzinfo=BERLIN), "2025-10-26"),
        # In UTC, as the daemon hands it over, it is still the day before.
        (datetime(2025, 6, 14, 22, 30, tzinfo=UTC), "2025-06-15"),
    ],
)
def test_a_night_is_of_the_day_in_its_own_time_zone(
    house: House,  # noqa: F811
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    at: datetime,
    day: str,
) -> None:
    monkeypatch.setattr(schedules, "ZONE", "Europe/Berlin")
    clock.time = at
    assert asks_for(clock.tick(house, at)) == day
    house.keep(day)
    assert asks_for(clock.tick(house, at)) is None


def test_the_time_zone_is_that_of_params_then_the_machines_then_utc(
    house: House,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def named(zone: str | None) -> str:
        tree = yaml.safe_load(params.PARAMS.read_text(encoding="utf-8"))
        tree["nightly"] = {"timezone": zone}
        params.PARAMS.write_text(yaml.safe_dump(tree), encoding="utf-8")
        return nightly_defs.zone()

    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert named("Europe/Berlin") == "Europe/Berlin"
    assert named(None) == "Asia/Tokyo"
    monkeypatch.setenv("TZ", "<+03>-3")
    assert named(None) == "UTC"


def test_a_night_takes_no_table_of_the_graph_for_writing_and_reads_those_that_it_asks_from() -> None:
    from orchestration import io_manager
    from orchestration.definitions import graph

    run = dg.DagsterRun(job_name=schedules.JOB, run_id="00000000-0000-4000-8000-000000000000")
    selected = io_manager._selected(run)
    assert {key.to_user_string() for key in selected} == {
        f"nightly/{name}" for name in ("predictions", "asked", "answers", "scores", "changes", "history")
    }
    assert io_manager._items(graph(), run, selected) == []
    read = {parent.to_user_string() for key in selected for parent in graph().beside[key]}
    assert {"sources/m3cot_released", "comt/benchmark", "m3cot/images", "training/checkpoints"} <= read
