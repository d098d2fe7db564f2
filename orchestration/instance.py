"""Dagster's instance: its home under var/, made with the first use."""

import os
from pathlib import Path

import dagster as dg

from assets.params import ROOT

SETTINGS = """\
telemetry: {enabled: false}
nux: {enabled: false}
concurrency: {runs: {max_concurrent_runs: 2}}
"""


def home() -> Path:
    """Dagster's home folder with a dagster.yaml in it; DAGSTER_HOME where it is set, else var/dagster."""
    folder = Path(os.environ.setdefault("DAGSTER_HOME", str(ROOT / "var" / "dagster")))
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
