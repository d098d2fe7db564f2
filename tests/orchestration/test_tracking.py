"""Finished runs become MLflow runs: tiny assets, a Dagster instance in memory, a copied sqlite store."""

import fcntl
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.settings import Tracking
from orchestration import tracking
from orchestration.tracking import Away, Tracked, track
from tests.orchestration.tracking_store import OURS, SETTINGS, a_run, client, recorded


def test_a_run_says_its_metrics_checks_versions_and_status(instance: dg.DagsterInstance, folder: Path) -> None:
    metadata = {
        "dagster/row_count": 24,
        "accuracy": 0.569,
        "complete": True,
        "by_domain": dg.MetadataValue.json({"science": 0.5, "mathematics": {"n": 3}, "rows": [1, 2]}),
        "share@5 (%)": 12.5,
        "note": "a short remark",
    }
    run_id = a_run(instance, metadata, tags={"cotline/door": "command"})
    assert track(instance, SETTINGS, folder=folder) == Tracked(1, 0, 0, 0)
    [run] = recorded(folder)
    metrics = dict(run.data.metrics)
    assert metrics.pop("duration_s") > 0
    assert metrics == {
        "scores/table/row_count": 24.0,
        "scores/table/accuracy": 0.569,
        "scores/table/complete": 1.0,
        "scores/table/by_domain/science": 0.5,
        "scores/table/by_domain/mathematics/n": 3.0,
        "scores/table/share_5 ___": 12.5,
        "check/scores/table/has_rows": 1.0,
        "check/scores/table/is_balanced": 0.0,
    }
    expected = {
        "dagster/run_id": run_id,
        "dagster/status": "SUCCESS",
        "cotline/door": "command",
        "data_version/scores/table": "abc123",
        "scores/table/note": "a short remark",
        "recorded": "yes",
    }
    assert {name: run.data.tags.get(name) for name in expected} == expected
    assert (run.info.status, run.info.run_name) == ("FINISHED", "scores/table")
    assert run.info.end_time - run.info.start_time == pytest.approx(run.data.metrics["duration_s"] * 1000, abs=2)
    tagged = instance.get_run_by_id(run_id)
    assert tagged is not None
    assert tagged.tags["mlflow/run_id"] == run.info.run_id


def test_each_run_is_recorded_exactly_once(instance: dg.DagsterInstance, folder: Path) -> None:
    first = [a_run(instance, {"n": number}) for number in range(3)]
    assert track(instance, SETTINGS, folder=folder).recorded == 3
    assert track(instance, SETTINGS, folder=folder).recorded == 0
    first.append(a_run(instance, {"n": 9}))
    assert track(instance, SETTINGS, folder=folder).recorded == 1
    last = instance.get_run_records(limit=1)[0]
    assert json.loads((folder / "recorded.json").read_text())["after"] >= last.end_time
    (folder / "recorded.json").unlink()
    assert track(instance, SETTINGS, folder=folder).recorded == 0
    assert sorted(run.data.tags["dagster/run_id"] for run in recorded(folder)) == sorted(first)


def test_a_new_store_gets_the_runs_that_an_older_one_had(
    instance: dg.DagsterInstance, folder: Path, new_store: Path
) -> None:
    a_run(instance, {"n": 1})
    a_run(instance, {"n": 2})
    track(instance, SETTINGS, folder=folder)
    another = folder.with_name("another")
    another.mkdir()
    shutil.copy(new_store, another / "mlflow.db")
    assert track(instance, SETTINGS, limit=1, folder=another).recorded == 1
    assert track(instance, SETTINGS, limit=1, folder=another).recorded == 1
    assert track(instance, SETTINGS, folder=another).recorded == 0
    assert len(recorded(another)) == 2


def test_failed_and_partitioned_runs_are_recorded_with_their_words(instance: dg.DagsterInstance, folder: Path) -> None:
    partitions = dg.StaticPartitionsDefinition(["one", "two"])

    @dg.asset(key=["scores", "broken"], partitions_def=partitions)
    def broken(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
        if context.partition_key == "two":
            raise ValueError("no reply for sample a7")
        return dg.MaterializeResult(metadata={"n": 5}, data_version=dg.DataVersion("v1"))

    @dg.asset_check(asset=broken, name="has_rows")
    def has_rows() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=True)

    job = dg.Definitions(assets=[broken], asset_checks=[has_rows]).resolve_implicit_global_asset_job_def()
    for partition in ("one", "two"):
        job.execute_in_process(
            instance=instance, asset_selection=[broken.key], partition_key=partition, raise_on_error=False, tags=OURS
        )
    track(instance, SETTINGS, folder=folder)
    by_partition = {run.data.tags["dagster/partition"]: run for run in recorded(folder)}
    good, bad = by_partition["one"], by_partition["two"]
    assert (good.info.status, bad.info.status) == ("FINISHED", "FAILED")
    assert good.data.metrics["scores/broken/one/n"] == 5.0
    assert good.data.metrics["check/scores/broken/one/has_rows"] == 1.0
    assert (good.info.run_name, bad.info.run_name) == ("scores/broken/one", "scores/broken/two")
    assert good.data.tags["data_version/scores/broken/one"] == "v1"
    assert bad.data.tags["failure/scores__broken"] == "ValueError: no reply for sample a7"


def test_a_half_made_run_is_completed_and_not_made_again(
    instance: dg.DagsterInstance, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow import MlflowClient

    a_run(instance, {"n": 4})

    def killed(*arguments: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(MlflowClient, "set_terminated", killed)
        with pytest.raises(KeyboardInterrupt):
            track(instance, SETTINGS, folder=folder)
    [half] = recorded(folder)
    assert half.info.status == "RUNNING"
    assert track(instance, SETTINGS, folder=folder).recorded == 1
    [whole] = recorded(folder)
    assert whole.info.run_id == half.info.run_id
    assert (whole.info.status, whole.data.tags["recorded"]) == ("FINISHED", "yes")
    assert len(client(folder).get_metric_history(whole.info.run_id, "scores/table/n")) == 1


def test_a_locked_store_is_recorded_later_and_the_run_is_unharmed(
    instance: dg.DagsterInstance, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking, "STORE_WAIT_S", 0.1)
    run_id = a_run(instance, {"n": 1})
    holder = sqlite3.connect(folder / "mlflow.db")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Away, match=r"mlflow\.db cannot be written \(database is locked\): runs are recorded later"):
        track(instance, SETTINGS, folder=folder)
    run = instance.get_run_by_id(run_id)
    assert run is not None
    assert run.is_success
    assert "mlflow/run_id" not in run.tags
    holder.rollback()
    holder.close()
    assert track(instance, SETTINGS, folder=folder).recorded == 1


def test_a_server_that_is_away_is_a_sentence_and_costs_no_run(
    instance: dg.DagsterInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    a_run(instance, {"n": 1})
    settings = Tracking(uri="http://someone:hidden-word@127.0.0.1:9", experiment="cotline")
    with pytest.raises(Away, match=r"MLflow at http://\[secret\]@127\.0\.0\.1:9 did not answer") as caught:
        track(instance, settings, folder=tmp_path)
    assert "hidden-word" not in str(caught.value)


def test_another_tracker_is_waited_for_and_then_named(
    instance: dg.DagsterInstance, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking, "WAIT_S", 0.1)
    with open(folder / "track.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Away, match="another `cotline track` has been at work"):
            track(instance, SETTINGS, folder=folder)
