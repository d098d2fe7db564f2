"""What long work says of itself while it goes on."""

import threading
from typing import Any

import dagster as dg
import pytest

from assets.asset import moving

KEY = dg.AssetKey(["long", "work"])
DAYS = dg.StaticPartitionsDefinition(["monday"])


def observed(instance: dg.DagsterInstance) -> list[dict[str, Any]]:
    """What the asset's page shows, oldest first."""
    records = instance.fetch_observations(KEY, limit=100).records[::-1]
    assert all(record.partition_key == "monday" for record in records)
    return [
        {name: value.value for name, value in record.asset_observation.metadata.items()}
        for record in records
        if record.asset_observation
    ]


def told(done: int) -> dict[str, Any]:
    return {"dialogues": done, "of": 40, "failed": None}


def run(work: Any, instance: dg.DagsterInstance, **options: Any) -> dg.ExecuteInProcessResult:
    @dg.asset(key=KEY, partitions_def=DAYS)
    def asset(context: dg.AssetExecutionContext) -> None:
        work(moving(context, told, **options))

    return dg.materialize([asset], instance=instance, partition_key="monday")


def test_the_metadata_moves_during_the_run_and_not_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[int] = []
    now = [0.0]

    with dg.DagsterInstance.ephemeral() as instance:

        def work(tell: Any) -> None:
            for done in range(41):
                now[0] = done / 2
                tell(done)
                seen.append(len(observed(instance)))

        assert run(work, instance, more={"evaluation": "alpha"}, every_s=5.0, clock=lambda: now[0]).success
        # Half a second each: every tenth is shown as it is done, and the last.
        assert [row["dialogues"] for row in observed(instance)] == [0, 10, 20, 30, 40]
        assert observed(instance)[1] == {"evaluation": "alpha", "dialogues": 10, "of": 40}
        assert (seen[0], seen[9], seen[10], seen[39], seen[40]) == (1, 1, 2, 4, 5)
        lines = capsys.readouterr().err.splitlines()
        assert [line for line in lines if line.startswith("long/work monday:")] == [
            f"long/work monday: evaluation alpha, dialogues {done}, of 40" for done in range(4, 41, 4)
        ]


def test_threads_may_tell_at_once() -> None:
    with dg.DagsterInstance.ephemeral() as instance:

        def work(tell: Any) -> None:
            threads = [threading.Thread(target=tell, args=(done,)) for done in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        assert run(work, instance, every_s=0.0).success
        assert sorted(row["dialogues"] for row in observed(instance)) == list(range(20))


def test_what_has_no_known_end_is_shown_without_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with dg.DagsterInstance.ephemeral() as instance:

        @dg.asset(key=KEY, partitions_def=DAYS)
        def asset(context: dg.AssetExecutionContext) -> None:
            tell = moving(context, lambda done: {"samples": done, "of": None}, every_s=0.0)
            tell(0)
            tell(7)

        assert dg.materialize([asset], instance=instance, partition_key="monday").success
        assert observed(instance) == [{"samples": 0}, {"samples": 7}]
        assert "long/work monday:" not in capsys.readouterr().err
