"""`python -m orchestration COMMAND …`, which is also what `cotline COMMAND …` runs.

Each stage of DVC is a process of its own, and the libraries that a stage needs take several seconds to import. So a
`materialize` that DVC runs is handed to a process that has them already (`orchestration/warm.py`), which forks for it.
Whatever stands in the way before the work has begun, the command runs here instead, and says nothing of it. Work that
has begun is never begun again: when the warm process is lost then, the stage has failed.

COTLINE_WARM=1 asks for this outside DVC too, COTLINE_WARM=0 never does it.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import socket

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SERVER = os.path.join(ROOT, "orchestration", "warm.py")

START_S = 20.0
"""How long to wait for a warm process to get ready: twice what its imports take on a slow machine."""

READY_S = 5.0
"""How long to wait for a fork that says it is ready, before the work is handed over."""

RETRY_AFTER_S = 300.0
"""How long after a warm process that would not start the next stage tries again: else each stage would wait for it."""

LOST = 137
"""What a shell reports for a process that was killed."""

LONGEST_SOCKET_PATH = 100
"""The kernel's limit is 107 bytes on Linux and 103 on macOS."""

LOG_LIMIT = 1_000_000

IMPORT_TIME = (
    *("COTLINE_", "DAGSTER_", "GX_", "MLFLOW_", "PYTHON", "LC_", "LANG", "LD_", "DYLD_", "MALLOC_"),
    *("OMP_", "OPENBLAS_", "MKL_", "BLIS_", "NUMEXPR_", "NUMPY_", "NPY_", "PANDAS_", "ARROW_", "MPL"),
)
"""Beginnings of the variables that libraries read once, at import: other values need another warm process."""


class Unavailable(Exception):
    """No warm process can take the work: it is to be run here."""


class Place(NamedTuple):
    """The files by which a warm process is found. Another environment or checkout has others."""

    socket: str
    lock: str
    failed: str


def main(argv: list[str] | None = None) -> int:
    """The exit status of `cotline` with these arguments."""
    arguments = sys.argv[1:] if argv is None else argv
    if wants_warm(arguments, os.environ):
        try:
            status = hand_over(arguments)
        except KeyboardInterrupt:
            return 130
        if status is not None:
            return status
    from orchestration.cli import main as run

    return run(arguments)


def wants_warm(arguments: list[str], environment: Mapping[str, str]) -> bool:
    """Whether this command is to be handed to a warm process."""
    if arguments[:1] != ["materialize"]:
        return False
    asked = environment.get("COTLINE_WARM")
    if asked is not None:
        return asked == "1" and _same_interpreter()
    # Forking after the system's own frameworks have been loaded is not safe on macOS: there it must be asked for.
    by_dvc = "DVC_STAGE" in environment or "DVC_ROOT" in environment
    return by_dvc and sys.platform == "linux" and _same_interpreter()


def _same_interpreter() -> bool:
    flags = sys.flags
    unlike = (flags.optimize, flags.dev_mode, flags.isolated, flags.ignore_environment, flags.no_site)
    return hasattr(os, "fork") and not any((*unlike, sys.warnoptions, sys._xoptions, sys.gettrace(), sys.getprofile()))


def hand_over(arguments: list[str]) -> int | None:
    """The exit status of the command in a warm process, or None when no work has begun there."""
    received: list[int] = []
    try:
        with closing(_connection()) as connection:
            pid = _ready(connection)
            with _forwarding(pid, received):
                status = _run(connection, arguments)
    except (OSError, ValueError, Unavailable):
        status = None
    if status is None and received:
        os.kill(os.getpid(), received[-1])
    return status


def _connection() -> "socket.socket":
    import fcntl

    place = _place()
    try:
        return _connect(place)
    except (FileNotFoundError, ConnectionRefusedError):
        pass
    deadline = time.monotonic() + START_S
    with open(place.lock, "a") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        try:
            return _connect(place)
        except (FileNotFoundError, ConnectionRefusedError):
            _start(place, deadline)
        return _connect(place)


def _place() -> Place:
    import hashlib

    folder = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"cotline-{os.geteuid()}")
    with suppress(KeyError, FileNotFoundError):
        if _is_mine(os.environ["XDG_RUNTIME_DIR"]):
            folder = os.path.join(os.environ["XDG_RUNTIME_DIR"], "cotline")
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    if not _is_mine(folder):
        raise Unavailable(f"{folder} is open to others")
    name = os.path.join(folder, hashlib.sha256(repr(_identity()).encode("utf-8", "surrogateescape")).hexdigest()[:16])
    if len(os.fsencode(f"{name}.sock")) > LONGEST_SOCKET_PATH:
        raise Unavailable(f"{folder} is too long for a socket")
    return Place(f"{name}.sock", f"{name}.lock", f"{name}.failed")


def _is_mine(path: str) -> bool:
    import stat

    found = os.lstat(path)
    kind = stat.S_ISDIR(found.st_mode) or stat.S_ISSOCK(found.st_mode)
    return kind and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _identity() -> tuple[Any, ...]:
    """What must be the same for two stages to share a warm process: interpreter, packages, checkout, variables."""
    packages = []
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            with os.scandir(folder) as entries:
                packages += sorted(
                    (folder, entry.name, entry.stat().st_mtime_ns)
                    for entry in entries
                    if entry.name.endswith((".dist-info", ".egg-info", ".egg-link", ".pth"))
                )
    sources = []
    for file in (os.path.abspath(__file__), SERVER):
        with open(file, "rb") as source:
            sources.append(source.read())
    variables = sorted(
        (name, value) for name, value in os.environ.items() if name.startswith(IMPORT_TIME) and name != "COTLINE_WARM"
    )
    return (sys.executable, sys.version, sys.prefix, ROOT, packages, sources, variables)


def _connect(place: Place) -> "socket.socket":
    import socket
    import struct

    if not _is_mine(place.socket):
        raise Unavailable(f"{place.socket} is open to others")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(READY_S)
        connection.connect(place.socket)
        if sys.platform == "linux":
            found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            if struct.unpack("3i", found)[1] != os.geteuid():
                raise Unavailable(f"{place.socket} is another user's")
    except BaseException:
        connection.close()
        raise
    return connection


def _start(place: Place, deadline: float) -> None:
    """Start the warm process, in a session of its own, and wait until it takes connections."""
    import select
    import subprocess

    with suppress(FileNotFoundError):
        if time.time() - os.stat(place.failed).st_mtime < RETRY_AFTER_S:
            raise Unavailable("it would not start a moment ago")
    logs = os.path.join(ROOT, "var", "warm")
    os.makedirs(logs, exist_ok=True)
    with ExitStack() as stack:
        log = stack.enter_context(open(os.path.join(logs, "warm.log"), "ab"))
        if log.tell() > LOG_LIMIT:
            log.truncate(0)
        read, write = os.pipe()
        stack.callback(os.close, read)
        try:
            # -P keeps the folder of the script, whose modules are named like others', off the path.
            command = [sys.executable, "-P", SERVER, place.socket, place.lock, str(write)]
            subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[write],
                start_new_session=True,
            )
        finally:
            os.close(write)
        readable, _, _ = select.select([read], [], [], max(0.0, deadline - time.monotonic()))
        if not readable or os.read(read, 1) != b"1":
            with open(place.failed, "w"):
                os.utime(place.failed)
            raise Unavailable("it did not get ready")


def _ready(connection: "socket.socket") -> int:
    """The process id of the fork that waits for the work."""
    word, _, pid = _line(connection).partition(" ")
    if word != "ready":
        raise Unavailable("it ended before it was ready")
    return int(pid)


def _line(connection: "socket.socket") -> str:
    """The next line, or "" at the end. One byte a call: what is said is a line or two."""
    line = b""
    while not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            return ""
        line += byte
    return line.decode().rstrip("\n")


def _run(connection: "socket.socket", arguments: list[str]) -> int | None:
    import json
    import socket

    work = json.dumps(_work(arguments)).encode()
    try:
        socket.send_fds(connection, [len(work).to_bytes(8, "big")], [0, 1, 2])
        connection.sendall(work)
    except OSError:
        return None
    connection.settimeout(None)
    try:
        word, _, status = _line(connection).partition(" ")
    except OSError:
        word = ""
    if word == "refused":
        return None
    if word == "exit":
        return int(status)
    print(
        f"cotline {' '.join(arguments)}: the process that ran it was killed before it could report, and it was not "
        "run again: start it once more (COTLINE_WARM=0 runs it without the warm process)",
        file=sys.stderr,
    )
    return LOST


def _work(arguments: list[str]) -> dict[str, Any]:
    """All that the fork takes over from this process."""
    import resource
    import signal

    umask = os.umask(0o077)
    os.umask(umask)
    limits = {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")}
    return {
        "arguments": arguments,
        "argv": sys.argv,
        "path": sys.path,
        "cwd": os.getcwd(),
        "environment": dict(os.environ),
        "umask": umask,
        "limits": limits,
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "processors": sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "ignored": [number for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN],
    }


@contextmanager
def _forwarding(pid: int, received: list[int]) -> Iterator[None]:
    """Signals that would end or stop this process go to the process group that does the work."""
    import signal

    def forward(number: int, frame: object) -> None:
        with suppress(ProcessLookupError):
            if number == signal.SIGTSTP:
                os.killpg(pid, signal.SIGSTOP)
                os.kill(os.getpid(), signal.SIGSTOP)
                os.killpg(pid, signal.SIGCONT)
            else:
                received.append(number)
                os.killpg(pid, number)

    names = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)
    before = {number: signal.getsignal(number) for number in names}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, forward)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())
