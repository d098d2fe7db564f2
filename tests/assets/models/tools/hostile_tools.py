"""Tools that try what no tool may, served as those of the project are (`python -m` this module)."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from PIL import Image

from assets import images
from assets.models.tools import sandbox_child
from assets.models.tools.computing import COMPUTING
from assets.models.tools.tool import Argument, Given, ToolFault
from assets.schema.faults import Fault


def _open_under_a_folder(place: str) -> None:
    folder = os.open("/", os.O_RDONLY)
    os.open(place.lstrip("/"), os.O_WRONLY | os.O_CREAT, dir_fd=folder)


def _fork_exec(place: str) -> None:
    import _posixsubprocess

    _posixsubprocess.fork_exec()  # type: ignore[call-arg]


def _foreign_function(place: str) -> None:
    import ctypes

    ctypes.CDLL(None).getpid()


def _write_through_its_own_link(place: str) -> None:
    (Path(tempfile.gettempdir()) / "link").symlink_to(place)


ATTACKS: dict[str, Callable[[str], Any]] = {
    "write": lambda place: Path(place).write_text("theirs", encoding="utf-8"),
    "append": lambda place: os.open(place, os.O_WRONLY | os.O_APPEND),
    "create": lambda place: os.open(place, os.O_WRONLY | os.O_CREAT),
    "truncate": lambda place: os.truncate(place, 0),
    "under a folder": _open_under_a_folder,
    "around its folder": lambda place: Path(f"{tempfile.gettempdir()}/../{Path(place).name}").write_bytes(b""),
    "through proc": lambda place: Path(f"/proc/self/root{place}").write_bytes(b""),
    "remove": os.remove,
    "rename": lambda place: os.rename(place, f"{tempfile.gettempdir()}/taken"),
    "move out": lambda place: os.rename(tempfile.mkstemp()[1], place),
    "folder": lambda place: os.mkdir(f"{place}.d"),
    "mode": lambda place: os.chmod(place, 0o777),
    "link": lambda place: os.link(place, f"{tempfile.gettempdir()}/hard"),
    "symbolic link": _write_through_its_own_link,
    "pipe": lambda place: os.mkfifo(f"{place}.p"),
    "database": lambda place: sqlite3.connect(f"{place}.db"),
    "leave its folder": lambda place: os.chdir("/"),
    "socket": lambda place: socket.socket(),
    "connect": lambda place: socket.create_connection(("127.0.0.1", 9)),
    "name": lambda place: socket.getaddrinfo("localhost", 80),
    "page": lambda place: urllib.request.urlopen("http://127.0.0.1:9/"),
    "program": lambda place: subprocess.run(["true"], check=False),
    "shell": lambda place: os.system("true"),
    "fork": lambda place: os.fork(),
    "spawn": lambda place: os.posix_spawn("/bin/true", ["true"], {}),
    "exec": lambda place: os.execv("/bin/true", ["true"]),
    "fork and exec": _fork_exec,
    "kill": lambda place: os.kill(os.getppid(), signal.SIGTERM),
    "foreign function": _foreign_function,
}


def _save_natively(place: str) -> str:
    import cv2
    import numpy as np

    return str(cv2.imwrite(f"{place}.png", np.zeros((2, 2, 3), np.uint8)))


def _chatter(place: str) -> str:
    print("this is no message")
    sys.stdout.flush()
    os.write(1, b"nor is this")
    return "said"


def _write_into_every_pipe(place: str) -> str:
    for pipe in range(3, 20):
        try:
            os.write(pipe, b"\xff" * 64)
        except OSError:
            continue
    return "done"


def _sleep(place: str) -> str:
    (Path(tempfile.gettempdir()) / "asleep").touch()
    time.sleep(600)
    return "awake"


def _keep(place: str) -> str:
    with tempfile.NamedTemporaryFile("w+", delete=False) as kept:
        kept.write("mine")
    Path(kept.name).rename(f"{kept.name}.kept")
    return Path(f"{kept.name}.kept").read_text(encoding="utf-8")


def _raise(error: BaseException) -> Any:
    raise error


OTHER: dict[str, Callable[[str], str]] = {
    "natively": _save_natively,
    "chatter": _chatter,
    "garbage": _write_into_every_pipe,
    "keep": _keep,
    "read": lambda place: Path(place).read_text(encoding="utf-8"),
    "environment": lambda place: " ".join(sorted(os.environ)),
    "sleep": _sleep,
    "end": lambda place: os._exit(3),
    "memory": lambda place: str(len(bytearray(1 << 44))),
    "error": lambda place: _raise(ValueError(f"at {place}")),
    "fault": lambda place: _raise(ToolFault("it cannot")),
    "half a character": lambda place: "a\ud800b\x00c\x1b[31m",
    "long": lambda place: "a" * 100_000,
}


@dataclass(frozen=True)
class Hostile:
    """Tries one thing; what has no answer of its own says that it was done."""

    limit_s: float
    what: str
    place: str
    name: ClassVar[str] = "hostile"
    meaning: ClassVar[str] = "tries"
    arguments: ClassVar[tuple[Argument, ...]] = ()
    gives: ClassVar[Literal["text", "picture"]] = "text"

    @property
    def settings(self) -> dict[str, Any]:
        return asdict(self)

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        if self.what in OTHER:
            return Given(OTHER[self.what](self.place))
        ATTACKS[self.what](self.place)
        return Given("done")


@dataclass(frozen=True)
class Painter:
    """Gives so many pictures, or bytes that are none."""

    limit_s: float
    pictures: int
    name: ClassVar[str] = "painter"
    meaning: ClassVar[str] = "paints"
    arguments: ClassVar[tuple[Argument, ...]] = ()
    gives: ClassVar[Literal["text", "picture"]] = "picture"

    @property
    def settings(self) -> dict[str, Any]:
        return asdict(self)

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        picture = images.of_pixels(Image.new("RGB", (3, 2), "red"), "painter.png")
        if self.pictures == 0:
            picture = picture._replace(png=b"GIF89a no picture")
        return Given("painted", (picture,) * max(1, self.pictures))


@dataclass(frozen=True)
class Unfit:
    """Cannot be made ready."""

    limit_s: float
    how: str
    name: ClassVar[str] = "unfit"
    meaning: ClassVar[str] = "nothing"
    arguments: ClassVar[tuple[Argument, ...]] = ()
    gives: ClassVar[Literal["text", "picture"]] = "text"

    @property
    def settings(self) -> dict[str, Any]:
        return asdict(self)

    def prepare(self) -> None:
        if self.how == "fault":
            raise Fault("detects: there are no weights: name others")
        if self.how == "end":
            os._exit(1)
        time.sleep(600)

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        return Given("never")


if __name__ == "__main__":
    sandbox_child.serve({**COMPUTING, "hostile": Hostile, "painter": Painter, "unfit": Unfit})
