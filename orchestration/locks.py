"""One writer a table: a run holds the locks of what it writes; another one waits, bounded, or says who has them."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from assets.faults import Fault
from assets.params import ROOT

LOCKS = ROOT / "var" / "locks"
PAUSE_S = 0.1


class Busy(Fault):
    """Another run writes the same table; the message says which run and process."""


@contextlib.contextmanager
def held(stages: Sequence[str], wait_s: float, who: str) -> Iterator[None]:
    """Hold the locks of `stages` for the block; they end with the process, however it ends.

    Raises:
        Busy: another process still holds one after `wait_s` seconds.
    """
    LOCKS.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + wait_s
    with contextlib.ExitStack() as stack:
        # Sorted: two runs that want overlapping sets never wait for each other in a ring.
        for stage in sorted(set(stages)):
            stack.enter_context(_locked(LOCKS / f"{stage}.lock", stage, end, wait_s, who))
        yield


@contextlib.contextmanager
def _locked(path: Path, stage: str, end: float, wait_s: float, who: str) -> Iterator[None]:
    with path.open("a+", encoding="utf-8") as file:
        while not _taken(file):
            if time.monotonic() >= end:
                raise Busy(
                    f"{stage}: is being written by {_holder(path)}; waited {wait_s:g} s (running.lock_wait_s): "
                    "let it end, or stop it"
                )
            time.sleep(PAUSE_S)
        file.seek(0)
        file.truncate()
        json.dump({"pid": os.getpid(), "who": who}, file)
        file.flush()
        try:
            yield
        finally:
            file.seek(0)
            file.truncate()
            fcntl.flock(file, fcntl.LOCK_UN)


def _taken(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(path: Path) -> str:
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
        return f"{holder['who']} (process {holder['pid']})"
    except (ValueError, KeyError, TypeError):
        return "another run"
