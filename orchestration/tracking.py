"""`cotline track`: every finished Dagster run of this project, through whichever door it came, becomes one MLflow run.

It is done after the runs and beside them, so MLflow can neither fail nor stall one: what could not be recorded now is
recorded by the next call. A call that finds nothing new does not import MLflow.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import sqlite3
import sys
import tempfile
import time
import uuid
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import dagster as dg

from assets import params
from assets.schema.faults import Fault
from assets.settings import Tracking
from orchestration.run_facts import STATUSES, Facts, Secrets, Sections, facts, git, is_ours

FOLDER = params.ROOT / "var" / "mlflow"

WAIT_S = 30.0
"""How long to wait for another `track`, which records the same runs."""

STORE_WAIT_S = 5.0
PAGE = 500
TRIES = 3

OVERLAP_S = 10.0
"""A run's time of change is taken before it is committed: one that was committed late is still seen."""

IN_A_BATCH = 100
METRICS_IN_A_BATCH = 800
"""MLflow takes 100 params, 100 tags, 1,000 metrics and 1,000 of all together in a call."""

QUIET = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_LOGGING_LEVEL": "WARNING",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "15",
}


class Away(Fault):
    """MLflow, or the right to write to it, could not be had; the message is a sentence. What is left comes later."""


class Tracked(NamedTuple):
    """How many runs were recorded, and what could not be: values of them, runs left for another call or given up."""

    recorded: int
    refused: int
    left: int
    given_up: int


@dataclass
class Progress:
    """Up to where runs have been recorded. `store` is this store's own name, put on the runs that it has.

    `uri` is a digest of the store's address, which may hold a password.
    """

    uri: str
    experiment: str
    store: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    after: float = 0.0
    failed: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path, uri: str, experiment: str) -> "Progress":
        """What the file keeps of this store, or a fresh start."""
        known = hashlib.sha256(uri.encode()).hexdigest()
        try:
            kept = cls(**json.loads(file.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return cls(known, experiment)
        return kept if (kept.uri, kept.experiment) == (known, experiment) else cls(known, experiment)

    def write(self, file: Path) -> None:
        """Keep it, whole or not at all."""
        temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
        temporary.write_text(json.dumps(asdict(self), sort_keys=True), encoding="utf-8")
        os.replace(temporary, file)


def track(
    instance: dg.DagsterInstance,
    settings: Tracking,
    limit: int = PAGE,
    sections: Sections | None = None,
    profile: Callable[[], str] | None = None,
    folder: Path = FOLDER,
) -> Tracked:
    """Record the finished runs that are not recorded yet, the longest finished first, at most `limit`.

    `sections` gives the settings that an asset reads, and `profile` names what params.yaml holds now; both are
    recorded of a run only where its settings are still those.

    Raises:
        Away: the store is of a kind that cannot be, or cannot be reached, or is locked; the runs stay to be recorded.
    """
    uri = store_uri(settings.uri, folder)
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder / "track.lock"):
        file = folder / "recorded.json"
        progress = Progress.read(file, uri, settings.experiment)
        store = _Store(uri, settings.experiment, folder, progress)
        recorded = refused = 0
        try:
            for record in _unrecorded(instance, progress):
                if recorded == limit:
                    break
                gathered = facts(instance, record, Secrets(os.environ), sections)
                gathered.tags |= git(gathered.end_ms / 1000)
                if gathered.same_settings and profile is not None:
                    gathered.tags["profile"] = profile()
                if store.record(instance, gathered):
                    recorded += 1
                    refused += len(gathered.refused)
        finally:
            progress.write(file)
        left = sum(tries < TRIES for tries in progress.failed.values())
        return Tracked(recorded, refused, left, len(progress.failed) - left)


def _unrecorded(instance: dg.DagsterInstance, progress: Progress) -> Iterator[dg.RunRecord]:
    """Finished runs of ours that this store may lack.

    What has been yielded before the next is asked for counts as dealt with.
    To tag a run changes its time of change: it comes by once more, with its tag.
    """
    for run_id in [run_id for run_id, tries in progress.failed.items() if tries < TRIES]:
        record = instance.get_run_record_by_id(run_id)
        if record is None:
            del progress.failed[run_id]
        else:
            yield record
    seen: set[str] = set(progress.failed)
    after = progress.after - OVERLAP_S
    while True:
        page = instance.get_run_records(
            dg.RunsFilter(statuses=list(STATUSES), updated_after=datetime.fromtimestamp(max(after, 0.0), UTC)),
            limit=PAGE,
            order_by="update_timestamp",
            ascending=True,
        )
        if not page:
            return
        for record in page:
            run = record.dagster_run
            if run.run_id not in seen and is_ours(run) and run.tags.get("mlflow/store") != progress.store:
                yield record
            seen.add(run.run_id)
            after = record.update_timestamp.timestamp()
            progress.after = max(progress.after, after)


class _Store:
    """MLflow's side, opened with the first run that needs it."""

    def __init__(self, uri: str, experiment: str, folder: Path, progress: Progress) -> None:
        self.uri, self.experiment, self.folder, self.progress = uri, experiment, folder, progress
        self.client: Any = None
        self.experiments: dict[str, str] = {}

    def record(self, instance: dg.DagsterInstance, gathered: Facts) -> bool:
        """Record a run unless it is there, and name its MLflow run on the Dagster run; whether it is recorded now."""
        if self.client is None and (database := sqlite_file(self.uri)) is not None:
            require_unlocked(database)
        os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
        from mlflow.exceptions import MlflowException
        from sqlalchemy.exc import SQLAlchemyError

        try:
            if self.client is None:
                self._open()
            experiment_id = self._experiment(f"{self.experiment}{gathered.series}")
            run_id, new = self._recorded(gathered, experiment_id)
        except (MlflowException, SQLAlchemyError, OSError) as error:
            words = Secrets(os.environ).cleaned(" ".join(str(error).split()))[:300]
            if getattr(error, "error_code", "") not in ("INVALID_PARAMETER_VALUE", "BAD_REQUEST"):
                raise Away(f"MLflow at {self._shown()} did not answer ({words}): runs are recorded later") from None
            tries = self.progress.failed.get(gathered.run_id, 0) + 1
            self.progress.failed[gathered.run_id] = tries
            again = "it is tried again" if tries < TRIES else "it is given up"
            print(f"cotline track: run {gathered.run_id}: MLflow refused it ({words}): {again}", file=sys.stderr)
            return False
        tags = {"mlflow/run_id": run_id, "mlflow/store": self.progress.store}
        if self.uri.startswith(("http://", "https://")):
            tags["mlflow/url"] = f"{self._shown().rstrip('/')}/#/experiments/{experiment_id}/runs/{run_id}"
        # Not on the asset: an event of its own there would stand before the materialization with its figure.
        instance.add_run_tags(gathered.run_id, tags)
        self.progress.failed.pop(gathered.run_id, None)
        return new

    def _open(self) -> None:
        from mlflow import MlflowClient

        database = sqlite_file(self.uri)
        if database is not None:
            _create(database)
        self.client = MlflowClient(tracking_uri=self.uri)

    def _experiment(self, name: str) -> str:
        """The id of the experiment of this name, which is made where there is none."""
        if name in self.experiments:
            return self.experiments[name]
        found = self.client.get_experiment_by_name(name)
        if found is not None and found.lifecycle_stage != "active":
            raise Away(
                f"MLflow's experiment {name!r} has been deleted: restore it, or name another one in tracking.experiment"
            )
        if found is None:
            location = (self.folder / "artifacts").resolve().as_uri() if sqlite_file(self.uri) else None
            self.experiments[name] = str(self.client.create_experiment(name, artifact_location=location))
        else:
            self.experiments[name] = str(found.experiment_id)
        return self.experiments[name]

    def _recorded(self, gathered: Facts, experiment_id: str) -> tuple[str, bool]:
        """The id of the run's one MLflow run, and whether it was made or completed now.

        The tag `recorded` comes last: a run without it is completed.
        """
        from mlflow.entities import Metric, Param, RunTag

        there = self.client.search_runs([experiment_id], f"tags.`dagster/run_id` = '{gathered.run_id}'", max_results=1)
        if there and there[0].data.tags.get("recorded") == "yes":
            return str(there[0].info.run_id), False
        if there:
            run_id = str(there[0].info.run_id)
        else:
            made = self.client.create_run(
                experiment_id,
                start_time=gathered.start_ms,
                tags={"dagster/run_id": gathered.run_id},
                run_name=gathered.name,
            )
            run_id = str(made.info.run_id)
        # The run's own time, not now: what a completed run is given once more is then the same point, not another.
        metrics = [Metric(name, value, gathered.end_ms, 0) for name, value in sorted(gathered.metrics.items())]
        metrics += [Metric(name, value, gathered.end_ms, step) for name, step, value in gathered.curves]
        entries = [Param(name, value) for name, value in sorted(gathered.params.items())]
        tags = [RunTag(name, value) for name, value in sorted(gathered.tags.items())]
        while metrics or entries or tags:
            self.client.log_batch(run_id, metrics[:METRICS_IN_A_BATCH], entries[:IN_A_BATCH], tags[:IN_A_BATCH])
            metrics, entries, tags = metrics[METRICS_IN_A_BATCH:], entries[IN_A_BATCH:], tags[IN_A_BATCH:]
        if gathered.contents:
            self._log_contents(run_id, gathered.contents)
        self.client.set_terminated(run_id, gathered.status, gathered.end_ms)
        self.client.set_tag(run_id, "recorded", "yes")
        return run_id, True

    def _log_contents(self, run_id: str, contents: Mapping[str, bytes]) -> None:
        with tempfile.TemporaryDirectory(prefix="artifacts-", dir=self.folder) as folder:
            for path, content in contents.items():
                target = Path(folder, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            self.client.log_artifacts(run_id, folder)

    def _shown(self) -> str:
        return Secrets(os.environ).cleaned(self.uri)


def store_uri(uri: str | None, folder: Path) -> str:
    """The address of the store: the one in params.yaml, or the sqlite file in `folder`.

    Raises:
        Away: it is a folder of files, which MLflow no longer takes, or no address.
    """
    if uri is None:
        return f"sqlite:///{(folder / 'mlflow.db').resolve()}"
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme == "file":
        raise Away(
            f"tracking.uri: {uri!r} is a folder of files, which MLflow (3.13 and later) no longer takes: use null "
            "(sqlite under var/), sqlite:///FILE, or a server's http://… address"
        )
    if scheme == "sqlite":
        return f"sqlite:///{(params.ROOT / rest.removeprefix('/')).resolve()}"
    return uri


def sqlite_file(uri: str) -> Path | None:
    """The file of a sqlite store, or None of another kind."""
    return Path(uri.removeprefix("sqlite:///")) if uri.startswith("sqlite:///") else None


def require_unlocked(database: Path) -> None:
    """Wait, bounded, for a sqlite store that others write to: MLflow's own waiting is minutes.

    Raises:
        Away: it stayed locked, or is none.
    """
    if not database.exists():
        return
    try:
        with contextlib.closing(sqlite3.connect(database, timeout=STORE_WAIT_S)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()
    except sqlite3.Error as error:
        store = _relative(database)
        raise Away(f"MLflow's store {store} cannot be written ({error}): runs are recorded later") from None


def _create(database: Path) -> None:
    """Make a sqlite store where there is none: beside it first, so that a creation cut short leaves nothing behind."""
    if database.exists():
        return
    from mlflow import MlflowClient

    database.parent.mkdir(parents=True, exist_ok=True)
    beside = database.with_name(f".{database.name}.new")
    beside.unlink(missing_ok=True)
    MlflowClient(tracking_uri=f"sqlite:///{beside.resolve()}").search_experiments(max_results=1)
    os.replace(beside, database)


def _relative(path: Path) -> str:
    return str(path.relative_to(params.ROOT)) if path.is_relative_to(params.ROOT) else str(path)


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    end = time.monotonic() + WAIT_S
    with file.open("a", encoding="utf-8") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise Away(f"another `cotline track` has been at work for {WAIT_S:g} s: try again later") from None
                time.sleep(0.1)
        yield


def _sections(key: Sequence[str], partition: str | None) -> tuple[str, Mapping[str, Any]]:
    from orchestration.definitions import graph
    from orchestration.graph import Item

    item = Item(graph().by_key[dg.AssetKey(key)], partition)
    return item.params_digest, {path: params.section(path) for path in item.params}


def _profile() -> str:
    from orchestration.profile import current

    return current()


def add_track_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline track`."""
    parser.add_argument("--quiet", action="store_true", help="say nothing unless something went wrong")
    parser.add_argument("--limit", type=int, default=PAGE, help=f"record at most so many runs (default {PAGE})")


def track_command(arguments: Namespace) -> int:
    """`cotline track`: 0 when every finished run is in MLflow, 1 with one sentence when some are left for later."""
    from orchestration.instance import opened

    settings = params.load().tracking
    try:
        with opened() as instance:
            tracked = track(instance, settings, arguments.limit, _sections, _profile)
    except Away as error:
        print(f"cotline track: {error}", file=sys.stderr)
        return 1
    if not arguments.quiet:
        refused = f"; {tracked.refused} values refused (tag `refused`)" if tracked.refused else ""
        given_up = f"; {tracked.given_up} runs given up, which MLflow refused" if tracked.given_up else ""
        print(f"recorded {tracked.recorded} runs in MLflow{refused}{given_up}")
    return 1 if tracked.left else 0
