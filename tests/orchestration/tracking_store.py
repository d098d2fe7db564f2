"""A store of MLflow made once, runs of tiny assets to record in it, and what it holds afterwards."""

import base64
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.settings import Tracking
from orchestration import tracking

SETTINGS = Tracking(uri=None, experiment="cotline")
OURS = {"cotline/door": "command"}
ASSET = dg.AssetKey(["scores", "table"])
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture(scope="session")
def new_store(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A store without runs. To make one takes up to 16 s: once for all tests and workers."""
    base = tmp_path_factory.getbasetemp()
    database = (base if worker_id == "master" else base.parent) / "mlflow-store" / "mlflow.db"
    database.parent.mkdir(exist_ok=True)
    with open(database.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.environ.update(tracking.QUIET)
        tracking._create(database)
    return database


@pytest.fixture
def folder(new_store: Path, tmp_path: Path) -> Path:
    made = tmp_path / "mlflow"
    made.mkdir()
    shutil.copy(new_store, made / "mlflow.db")
    return made


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


def a_run(instance: dg.DagsterInstance, metadata: dict[str, Any], **options: Any) -> str:
    """Run one asset `scores/table` with this metadata and a check that passes beside one that fails; the run's id."""

    @dg.asset(key=ASSET)
    def table() -> dg.MaterializeResult:
        return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion("abc123"))

    @dg.asset_check(asset=table, name="has_rows")
    def has_rows() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=True)

    @dg.asset_check(asset=table, name="is_balanced")
    def is_balanced() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=False, severity=dg.AssetCheckSeverity.WARN)

    options.setdefault("tags", OURS)
    return dg.materialize([table, has_rows, is_balanced], instance=instance, **options).run_id


def client(folder: Path) -> Any:
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=f"sqlite:///{folder / 'mlflow.db'}")


def recorded(folder: Path) -> list[Any]:
    there = client(folder)
    experiment = there.get_experiment_by_name("cotline")
    return list(there.search_runs([experiment.experiment_id])) if experiment else []


def artifacts(folder: Path) -> dict[str, bytes]:
    """All artifacts by their path within their run."""
    base = folder / "artifacts"
    found = {path.relative_to(base).as_posix(): path.read_bytes() for path in base.rglob("*") if path.is_file()}
    return {path.split("/artifacts/", 1)[1]: content for path, content in found.items()}
