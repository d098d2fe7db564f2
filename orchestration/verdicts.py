"""What the blocking checks said of the bytes of a table, so that no later run reads a table that failed them."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from assets.params import ROOT

VERDICTS = ROOT / "var" / "verdicts"


def record(stage: str, md5: str | None, failed: Sequence[str]) -> None:
    """Keep that the blocking checks `failed` (none: all passed) were said of the table with this MD5."""
    target = _file(stage)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    temporary.write_text(json.dumps({"md5": md5, "failed": sorted(failed)}), encoding="utf-8")
    os.replace(temporary, target)


def failed(stage: str, md5: str | None) -> list[str]:
    """The blocking checks that the table with this MD5 failed when it was last checked."""
    try:
        verdict = json.loads(_file(stage).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return list(verdict["failed"]) if verdict.get("md5") == md5 else []


def _file(stage: str) -> Path:
    return VERDICTS / f"{stage}.json"
