"""One writer a table: a run holds what it writes alone and what it reads with others, or waits, bounded, for them."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from assets.params import ROOT
from assets.schema.faults import Fault

LOCKS = ROOT / "var" / "locks"
PAUSE_S = 0.1


class Busy(Fault):
    """Another run writes the same table; the message says which run and process."""


@contextlib.contextmanager
def held(writes: Collection[str], reads: Collection[str], wait_s: float, who: str) -> Iterator[None]:
    """Hold the stages in `writes` alone, and those in `reads` with other readers; they end with the process.

    Raises:
        Busy: another process still holds one after `wait_s` seconds.
    """
    LOCKS.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + wait_s
    with contextlib.ExitStack() as stack:
        # Sorted: two runs that want overlapping sets never wait for each other in a ring.
        for stage in sorted({*writes, *reads}):
            stack.enter_context(_locked(stage, stage in writes, end, wait_s, who))
        yield


@contextlib.contextmanager
def _locked(stage: str, alone: bool, end: float, wait_s: float, who: str) -> Iterator[None]:
    path = LOCKS / f"{stage}.lock"
    with path.open("a+", encoding="utf-8") as file:
        while not _taken(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH):
            if time.monotonic() >= end:
                raise Busy(
                    f"{stage}: is being {_holder(path)}; waited {wait_s:g} s (running.lock_wait_s): let it end, "
                    "or stop it"
                )
            time.sleep(PAUSE_S)
        if alone:
            file.truncate(0)
            json.dump({"pid": os.getpid(), "who": who}, file)
            file.flush()
        try:
            yield
        finally:
            if alone:
                file.truncate(0)


def _taken(file: IO[str], how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(path: Path) -> str:
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
        return f"written by {holder['who']} (process {holder['pid']})"
    except (ValueError, KeyError, TypeError):
        return "read by another run"
