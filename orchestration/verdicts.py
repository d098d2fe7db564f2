"""What the blocking checks said of the bytes of a table, so that no later run reads a table that failed them."""

import json
from collections.abc import Sequence
from pathlib import Path

from assets.params import ROOT
from orchestration import storage

VERDICTS = ROOT / "var" / "verdicts"

NOT_CHECKED = "not_checked"
"""Stands for all checks of a table from when it is written until they have been run on it."""


def record(stage: str, md5: str | None, failed: Sequence[str]) -> None:
    """Keep that the blocking checks `failed` (none: all passed) were said of the table with this MD5."""
    storage.write_bytes(json.dumps({"md5": md5, "failed": sorted(failed)}).encode(), _file(stage))


def refusal(stage: str, md5: str | None) -> str:
    """Why the table with this MD5 is not to be read, from its latest checks; empty where nothing speaks against it.

    A table that was never written here, as after `dvc pull`, has no verdict: DVC has it from a run that was checked.
    """
    try:
        verdict = json.loads(_file(stage).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return ""
    if verdict.get("md5") != md5 or not verdict["failed"]:
        return ""
    if verdict["failed"] == [NOT_CHECKED]:
        return "its checks have not been run on the data that lies there"
    return f"failed its check {', '.join(verdict['failed'])} on the data that lies there: mend it"


def _file(stage: str) -> Path:
    return VERDICTS / f"{stage}.json"
