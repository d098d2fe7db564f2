"""A tool's process as the run sees it: messages with a deadline, no secrets in its environment, an end for certain."""

import contextlib
import fcntl
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from assets.models.tools import frames

_ROOT = Path(__file__).resolve().parents[3]
_PASSED_ON = (
    "HF_HOME",
    "HF_HUB_CACHE",
    "HOME",
    "HUGGINGFACE_HUB_CACHE",
    "LD_LIBRARY_PATH",
    "PATH",
    "XDG_CACHE_HOME",
)
"""Of the environment; keys of endpoints are no matter of tools."""

_SET = {
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
_BLOCK = 1 << 16
_PREFIX = "cotline-tool-"

LEFT_S = 60.0
"""After so many seconds a folder that no process holds was left behind."""


class Late(Exception):
    """The deadline passed."""


class Gone(Exception):
    """The process ended, or speaks no messages any more."""


class Process:
    """A running process with a folder of its own; `end` it, whatever happened."""

    def __init__(self, program: str) -> None:
        """Start it.

        Args:
            program: a module that serves (`assets.models.tools.sandbox_child`).
        """
        _sweep()
        self._folder = tempfile.mkdtemp(prefix=_PREFIX)
        # Held as long as this process lives, however it ends: by this a folder that was left behind is known.
        self._held = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        with contextlib.suppress(OSError):
            fcntl.flock(self._held, fcntl.LOCK_EX)
        passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder,
                env=passed | _SET | {"PYTHONPATH": str(_ROOT), "TMPDIR": self._folder},
                start_new_session=True,
                bufsize=0,
            )
        except BaseException:
            self._remove()
            raise
        self._in, self._out = _pipe(self._process.stdin), _pipe(self._process.stdout)

    def ask(
        self, message: dict[str, Any], blobs: Sequence[bytes], seconds: float
    ) -> tuple[dict[str, Any], list[bytes]]:
        """What it answers to a message.

        Raises:
            Late: it did not within so many seconds.
            Gone: it ended.
            frames.FrameError: the message is too long to be sent; nothing was.
        """
        content = frames.packed(message, blobs)
        deadline = time.monotonic() + seconds
        self._send(content, deadline)
        try:
            return frames.read(lambda size: self._take(size, deadline))
        except frames.FrameError as error:
            raise Gone from error

    def end(self) -> None:
        """Kill it and remove its folder; a second time does nothing."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._remove()

    @property
    def folder(self) -> Path:
        """The only place where it may write."""
        return Path(self._folder)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def _remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def _send(self, content: bytes, deadline: float) -> None:
        rest = memoryview(content)
        while rest:
            _wait(self._in, select.POLLOUT, deadline)
            try:
                rest = rest[os.write(self._in, rest[:_BLOCK]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Gone from error

    def _take(self, size: int, deadline: float) -> bytes:
        taken = bytearray()
        while len(taken) < size:
            _wait(self._out, select.POLLIN, deadline)
            try:
                block = os.read(self._out, min(_BLOCK, size - len(taken)))
            except BlockingIOError:
                continue
            except OSError as error:
                raise Gone from error
            if not block:
                raise Gone
            taken += block
        return bytes(taken)


def _sweep() -> None:
    """Remove the folders of this user whose run was killed; one that was made just now may not be held yet."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                facts = os.fstat(place)
                if facts.st_uid == os.getuid() and time.time() - facts.st_mtime > LEFT_S:
                    fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(place)


def _pipe(end: IO[bytes] | None) -> int:
    if end is None:
        raise ValueError("the process has no pipe")
    os.set_blocking(end.fileno(), False)
    return end.fileno()


def _wait(pipe: int, what: int, deadline: float) -> None:
    """Until the pipe is ready, or its other end is gone.

    Raises:
        Late: the deadline passed before.
    """
    poll = select.poll()
    poll.register(pipe, what)
    while True:
        rest = deadline - time.monotonic()
        if rest <= 0:
            raise Late
        if poll.poll(rest * 1000):
            return
