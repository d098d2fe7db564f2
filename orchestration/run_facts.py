"""What a finished Dagster run says of itself, in MLflow's terms: params, metrics, tags and artifacts."""

import base64
import hashlib
import json
import math
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg

from assets import params

Sections = Callable[[Sequence[str], str | None], tuple[str, Mapping[str, Any]]]
"""For an asset and its partition: the digest of the settings that it reads, and these by their dotted paths."""

LONGEST_PARAM = 6_000
LONGEST_TAG = 5_000
LONGEST_NAME = 250
"""MLflow's limits (8,000 for tags, with room for what a server adds); it truncates what is longer."""

LARGEST_ARTIFACT = 5_000_000
FIGURES = frozenset({".png", ".svg", ".html", ".json", ".csv"})
STATUSES = {
    dg.DagsterRunStatus.SUCCESS: "FINISHED",
    dg.DagsterRunStatus.FAILURE: "FAILED",
    dg.DagsterRunStatus.CANCELED: "KILLED",
}
CURVES, OF_CURVES = "curves", frozenset({"stage", "epoch", "step"})
"""The metadata whose rows are a training's, and what in them says where they belong."""

OF_STORAGE = frozenset({"md5", "params", "inputs", "preview"})
"""Metadata that is not a result: what storage keeps for staleness, and the preview of a table."""

EVENTS = {
    dg.DagsterEventType.ASSET_MATERIALIZATION,
    dg.DagsterEventType.ASSET_CHECK_EVALUATION,
    dg.DagsterEventType.STEP_FAILURE,
}

NIGHTLY = "nightly"
"""The group of what is made anew each night, and the job that does. Nights are compared with each other: their runs
have an experiment of their own, and names without the day."""

DOOR = "cotline/door"
"""The tag of runs that the command or DVC began; those of the UI carry the code location that they came from."""

LOCATION = "orchestration.definitions"

_SECRET_NAME = re.compile(
    r"api[_-]?key|(?:access|private|secret)[_-]?key|(?:^|[^a-z])(?:token|secret|password|passwd|credentials?)(?:$|[^a-z])",
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s:]*:[^/@\s]+(?=@)")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_\-. :/]")
_PICTURE = re.compile(r"!\[[^\]]*\]\(data:image/(png|svg\+xml);base64,([A-Za-z0-9+/=\s]+)\)")
HIDDEN = "[secret]"
SHORTEST_SECRET = 8
"""A shorter value of a variable named like a secret would be found in words that are none."""


class Secrets:
    """What must not leave: the values of the environment's keys and tokens, and values under such names."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Take the values of the variables that are named like a secret."""
        found = {v for k, v in environment.items() if _SECRET_NAME.search(k) and len(v) >= SHORTEST_SECRET}
        self.values = sorted(found, key=len, reverse=True)

    def cleaned(self, text: str) -> str:
        """The text without them, and without the password in an address."""
        for value in self.values:
            text = text.replace(value, HIDDEN)
        return _IN_ADDRESS.sub(HIDDEN, text)

    def within(self, content: bytes) -> bool:
        """Whether one of them stands in these bytes."""
        return any(value.encode() in content for value in self.values)


@dataclass
class Facts:
    """One run. `contents` are artifacts by their path within the run; `refused` names what could not be recorded.

    `same_settings`: params.yaml still holds the settings that the run read. `series` is what the run's experiment is
    called after the project's own, nothing for that itself. `curves`: metrics that went on, each with its step.
    """

    run_id: str
    name: str
    status: str
    start_ms: int
    end_ms: int
    params: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    curves: list[tuple[str, int, float]] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    same_settings: bool = True
    series: str = ""


def facts(instance: dg.DagsterInstance, record: dg.RunRecord, secrets: Secrets, sections: Sections | None) -> Facts:
    """What the finished run of this record says of itself."""
    run = record.dagster_run
    start = record.start_time or record.create_timestamp.timestamp()
    end = record.end_time or record.update_timestamp.timestamp()
    reading = _Reading(
        Facts(run.run_id, run.job_name, STATUSES[run.status], int(start * 1000), int(end * 1000)), secrets, sections
    )
    reading.tag("dagster/run_id", run.run_id)
    reading.tag("dagster/status", run.status.value)
    reading.tag("dagster/job", run.job_name)
    for name in (DOOR, "dagster/partition", "dagster/schedule_name", "dagster/sensor_name"):
        if name in run.tags:
            reading.tag(name, run.tags[name])
    reading.metric("duration_s", end - start)
    partitions: dict[dg.AssetKey, str | None] = {}
    for entry in instance.get_records_for_run(run.run_id, of_type=EVENTS).records:
        event = entry.event_log_entry.dagster_event
        if event is None:
            continue
        if event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION:
            made = event.step_materialization_data.materialization
            partitions[made.asset_key] = made.partition
            reading.materialization(made, entry.event_log_entry.timestamp)
        elif event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            check = event.asset_check_evaluation_data
            where = _where(check.asset_key, check.partition or partitions.get(check.asset_key))
            reading.metric(f"check/{where}/{check.check_name}", float(check.passed))
            if check.description and not check.passed:
                reading.tag(f"check/{where}/{check.check_name}", check.description)
        else:
            reading.failure(event)
    keys = run.asset_selection or frozenset(partitions)
    if run.job_name == NIGHTLY or (keys and all(key.path[0] == NIGHTLY for key in keys)):
        reading.facts.series = f"-{NIGHTLY}"
        reading.facts.name = f"night {run.tags.get('dagster/partition', '')}".strip()
    elif len(keys) == 1:
        reading.facts.name = _where(next(iter(keys)), run.tags.get("dagster/partition"))
    elif keys:
        reading.facts.name = f"{len(keys)} assets"
    return reading.finished()


def is_ours(run: dg.DagsterRun) -> bool:
    """Whether a run is of this project: an instance may be shared with others, whose runs are not ours to record."""
    origin = run.remote_job_origin
    return DOOR in run.tags or (origin is not None and origin.location_name == LOCATION)


def git(at: float) -> dict[str, str]:
    """Tags of the commit that was checked out at that time, and whether tracked files differ from it now."""
    moment = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    commit = _git_says("rev-parse", "--verify", "--quiet", f"HEAD@{{{moment}}}") or _git_says("rev-parse", "HEAD")
    if not commit:
        return {}
    return {"git/commit": commit, "git/dirty": "yes" if _git_says("status", "--porcelain", "-uno") else "no"}


def _git_says(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", *arguments],
            cwd=params.ROOT,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _where(key: dg.AssetKey, partition: str | None) -> str:
    if key.path[0] == NIGHTLY:
        return "/".join(key.path[1:])
    return "/".join([*key.path, *([partition] if partition else [])])


class _Reading:
    """Gathers the facts of one run: what it adds is free of secrets, well named and short enough."""

    def __init__(self, facts: Facts, secrets: Secrets, sections: Sections | None) -> None:
        self.facts, self.secrets, self.sections = facts, secrets, sections

    def metric(self, name: str, value: float) -> None:
        name = self._name(name)
        if not math.isfinite(value) or name in self.facts.metrics:
            self.facts.refused.append(name)
        else:
            self.facts.metrics[name] = float(value)

    def curve(self, where: str, rows: Any) -> None:
        """Rows of a training: what they are of, their step, and numbers."""
        for row in rows if isinstance(rows, list) else ():
            for name, value in row.items():
                if name not in OF_CURVES and isinstance(value, int | float) and math.isfinite(value):
                    of = "/".join([where.removesuffix(f"/{CURVES}"), str(row.get("stage", "")), name])
                    self.facts.curves.append((self._name(of), int(row.get("epoch", 0)), float(value)))

    def tag(self, name: str, value: str) -> None:
        self._text(self.facts.tags, "tags", name, value, LONGEST_TAG)

    def param(self, name: str, value: str) -> None:
        self._text(self.facts.params, "params", name, value, LONGEST_PARAM)

    def artifact(self, path: str, content: bytes) -> None:
        path = self._name(path).replace(":", "_")
        if len(content) > LARGEST_ARTIFACT or self.secrets.within(content):
            self.facts.refused.append(path)
        else:
            self.facts.contents[path] = content

    def materialization(self, made: dg.AssetMaterialization, at: float) -> None:
        name = _where(made.asset_key, made.partition)
        version = (made.tags or {}).get("dagster/data_version")
        if version:
            self.tag(f"data_version/{name}", version)
        for key, value in made.metadata.items():
            if key in OF_STORAGE:
                continue
            where = f"{name}/{key.removeprefix('dagster/')}"
            if isinstance(value, dg.IntMetadataValue | dg.FloatMetadataValue | dg.BoolMetadataValue):
                if value.value is not None:
                    self.metric(where, float(value.value))
            elif isinstance(value, dg.JsonMetadataValue) and key == CURVES:
                self.curve(where, value.data)
            elif isinstance(value, dg.JsonMetadataValue):
                for path, number in _numbers(value.data):
                    self.metric("/".join([where, *path]), number)
            elif isinstance(value, dg.TextMetadataValue) and value.text:
                self.tag(where, HIDDEN if _SECRET_NAME.search(key) else value.text)
            elif isinstance(value, dg.MarkdownMetadataValue):
                self._pictures(where, value.md_str or "")
            elif isinstance(value, dg.PathMetadataValue) and value.path:
                self._file(made.asset_key.path, where, Path(value.path), version, at)
        digest = made.metadata.get("params")
        if isinstance(digest, dg.TextMetadataValue):
            self._settings(made.asset_key.path, made.partition, name, digest.text or "")

    def failure(self, event: dg.DagsterEvent) -> None:
        error = event.step_failure_data.error
        while error is not None and error.cause is not None:
            error = error.cause
        if error is not None:
            self.tag(f"failure/{event.step_key}", error.message.strip()[:1000])

    def finished(self) -> Facts:
        if not self.facts.same_settings:
            self.tag("params", "params.yaml has changed since the run: only digests are known")
        if self.facts.refused:
            self.facts.metrics["refused"] = float(len(self.facts.refused))
            self.tag("refused", ", ".join(self.facts.refused))
        return self.facts

    def _settings(self, key: Sequence[str], partition: str | None, name: str, digest: str) -> None:
        """The settings themselves where they are still what the run read; else the digest alone is true."""
        try:
            current, sections = self.sections(key, partition) if self.sections else ("", {})
        except (KeyError, params.ParamsError):
            current, sections = "", {}
        if current != digest:
            self.facts.same_settings = False
            self.param(f"params_digest/{name}", digest)
            return
        for path, value in sections.items():
            for dotted, leaf in _leaves(path, value):
                hidden = isinstance(leaf, str) and _SECRET_NAME.search(dotted)
                text = HIDDEN if hidden else leaf if isinstance(leaf, str) else json.dumps(leaf, ensure_ascii=False)
                self.param(dotted, text)

    def _pictures(self, where: str, markdown: str) -> None:
        for number, (kind, content) in enumerate(_PICTURE.findall(markdown)):
            ending = "png" if kind == "png" else "svg"
            picture = base64.b64decode("".join(content.split()))
            self.artifact(f"{where}{f'_{number + 1}' if number else ''}.{ending}", picture)

    def _file(self, key: Sequence[str], where: str, path: Path, version: str | None, at: float) -> None:
        table = path.suffix == ".parquet" and key[0] == "analysis"
        if not table and path.suffix not in FIGURES:
            return
        try:
            if path.stat().st_size > LARGEST_ARTIFACT:
                self.facts.refused.append(where)
                return
            written, content = path.stat().st_mtime, path.read_bytes()
        except OSError:
            self.facts.refused.append(where)
            return
        # A later run may have written the file anew: then it is not this run's.
        same = hashlib.md5(content).hexdigest() == version if table else written <= at + 1
        if same:
            self.artifact(f"{'/'.join(key)}/{path.name}", content)
        else:
            self.facts.refused.append(where)

    def _text(self, kept: dict[str, str], kind: str, name: str, value: str, longest: int) -> None:
        name, value = self._name(name), self.secrets.cleaned(value)
        if len(value) > longest:
            path = f"{kind}/{name.replace(':', '_')}.txt"
            self.facts.contents[path] = value.encode("utf-8", "replace")
            digest = hashlib.sha256(self.facts.contents[path]).hexdigest()
            value = f"sha256:{digest} ({len(value)} characters, in the artifact {path})"
        kept[name] = value

    def _name(self, name: str) -> str:
        """A name that MLflow takes, and that is no path out of the run's folder."""
        parts = [part for part in _NOT_IN_NAMES.sub("_", self.secrets.cleaned(name)).split("/") if part.strip(". ")]
        joined = "/".join(parts) or "_"
        if len(joined) > LONGEST_NAME:
            joined = f"{joined[: LONGEST_NAME - 9]}_{hashlib.sha256(joined.encode()).hexdigest()[:8]}"
        return joined


def _numbers(data: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """The numbers within nested mappings, by path; lists are rows of a table, not results."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _numbers(value, (*path, str(key)))
    elif path and isinstance(data, int | float):
        yield path, float(data)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    else:
        yield path, value
