"""Dagster's instance: its home under var/, made with the first use, and runs whose process is gone."""

import os
from pathlib import Path

import dagster as dg

from assets.params import ROOT

# Two runs at once at most: each is a process, and a backfill of the UI asks for all of its partitions at once.
SETTINGS = """\
telemetry: {enabled: false}
nux: {enabled: false}
concurrency: {runs: {max_concurrent_runs: 2}}
"""
HOME = "COTLINE_DAGSTER_HOME"
PROCESS = "cotline/process"


def home() -> Path:
    """Dagster's home folder with a dagster.yaml in it: var/dagster, or what COTLINE_DAGSTER_HOME names.

    A DAGSTER_HOME that is set belongs to somebody's other project, whose runs would mix with ours.
    """
    folder = Path(os.environ.get(HOME) or ROOT / "var" / "dagster").absolute()
    os.environ["DAGSTER_HOME"] = str(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "dagster.yaml"
    if not settings.exists():
        settings.write_text(SETTINGS, encoding="utf-8")
    return folder


def opened() -> dg.DagsterInstance:
    """The persistent instance, or a throw-away one inside a temporary DVC experiment (it has no history to keep)."""
    if "/.dvc/tmp/exps/" in f"{ROOT.as_posix()}/":
        return dg.DagsterInstance.ephemeral()
    home()
    return dg.DagsterInstance.get()


def process_tag() -> str:
    """What tells this process from all others of this machine, for `end_dead_runs`: start of the machine and id."""
    return f"{_boot()}/{os.getpid()}"


def end_dead_runs(instance: dg.DagsterInstance) -> list[str]:
    """End the runs of commands and stages whose process was killed; their ids come out.

    Dagster holds such a run for started for ever: it would take one of the places of the UI's queue, and never be
    recorded.
    """
    ended = []
    for run in instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])):
        boot, _, pid = run.tags.get(PROCESS, "").rpartition("/")
        if pid and (boot != _boot() or not _alive(int(pid))):
            instance.report_run_failed(run, "its process was killed")
            ended.append(run.run_id)
    return ended


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
