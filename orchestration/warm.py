"""The warm process: it has imported the libraries that stages need, and forks for each stage that asks.

`orchestration/__main__.py` starts it, as a script and not as a module of the project, and is the other end of its
socket. Of the project it has the definitions at hand (`at_hand.py`), as long as no file of it has changed: what a stage
runs is the code that is there.

What is said on a connection: the fork says `ready PID`; the client sends the work with its standard streams; then the
fork says `refused` (nothing was run), or the status comes as `exit N`, from here, so that it also comes when a fork is
killed. A client that goes away takes its stage with it.
"""

import atexit
import contextlib
import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any, NoReturn

PRELOAD = (
    *("dagster", "numpy", "orjson", "pandas", "pyarrow", "pydantic", "yaml"),
    *("pyarrow.compute", "pyarrow.dataset", "pyarrow.pandas_compat", "pyarrow.parquet"),
    *("great_expectations", "scipy.stats", "matplotlib.backends.backend_agg", "matplotlib.figure"),
    # What Dagster and Great Expectations import once a run begins.
    *("dagster._core.execution.execute_in_process", "dagster._core.executor.in_process", "dagster._core.secrets"),
    *("dagster._core.storage.local_compute_log_manager", "dagster._core.storage.sqlite_storage"),
    *("dotenv", "fsspec.implementations.local", "jinja2.ext", "upath.implementations.local"),
)
LATER = ("torch", "transformers.models.bert.modeling_bert", "transformers.models.auto.tokenization_auto")
"""What few stages need, 4 s in all: imported while the first stage runs, so that nobody waits for it."""

PROJECT = frozenset({"assets", "expectations", "orchestration"})

IDLE_S = 60.0
TRACK_AFTER_S = 3.0
"""How long after the last stage runs go to MLflow: `dvc repro` starts the next stage well within it."""

GRACE_S = 10.0
"""What a stage whose client went away has to end by itself before it is killed."""

LONGEST_WORK = 64 << 20


@dataclass
class Stage:
    """A fork that does a client's work, and the client's connection."""

    connection: socket.socket
    kill_at: float | None = None


class Server:
    """Takes connections at `path`, until it has been idle for `idle_s`."""

    def __init__(self, path: str, lock: str, idle_s: float, tracks: bool, later: tuple[str, ...] = ()) -> None:
        """Bind `path`, which only this user can reach."""
        self.path, self.lock, self.idle_s, self.tracks, self.later = path, lock, idle_s, tracks, later
        self.stages: dict[int, Stage] = {}
        self.untracked = False
        self.ending = False
        self.project: Any = None
        self.quiet_since = time.monotonic()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        mask = os.umask(0o177)
        self.listener.bind(path)
        os.umask(mask)
        self.listener.listen(64)
        self.inode = os.stat(path).st_ino
        self.woken, self.waker = socket.socketpair()
        for end in (self.woken, self.waker, self.listener):
            end.setblocking(False)
        self.poll = select.poll()
        self.poll.register(self.listener, select.POLLIN)
        self.poll.register(self.woken, select.POLLIN)
        signal.set_wakeup_fd(self.waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGTERM, self._end_soon)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    def _end_soon(self, number: int, frame: object) -> None:
        self.ending = True

    def serve(self) -> None:
        """Fork for each client until idle, or until a SIGTERM and the end of the stages then running."""
        while True:
            for descriptor, _ in self.poll.poll(self._patience_ms()):
                if descriptor == self.listener.fileno():
                    self._accept()
                elif descriptor == self.woken.fileno():
                    self.woken.recv(4096)
                else:
                    self._abandoned(descriptor)
            self._reap()
            if self.stages:
                continue
            quiet = time.monotonic() - self.quiet_since
            over = self.ending or quiet >= self.idle_s
            if self.untracked and (over or quiet >= TRACK_AFTER_S):
                self._track()
            if over and self._closed():
                return

    def _patience_ms(self) -> float | None:
        now = time.monotonic()
        moments = [stage.kill_at for stage in self.stages.values() if stage.kill_at is not None]
        if not self.stages:
            moments.append(self.quiet_since + (TRACK_AFTER_S if self.untracked else self.idle_s))
            moments.append(self.quiet_since + self.idle_s)
        # A moment that has passed is one at which a lock was held elsewhere: it is tried again, not in a tight loop.
        return min(max(moment - now, 0.1) for moment in moments) * 1000 if moments else None

    def _accept(self) -> None:
        try:
            connection, _ = self.listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        connection.setblocking(True)
        if threading.active_count() != 1 or not _is_this_user(connection):
            connection.close()
            return
        self._have_at_hand()
        sys.stdout.flush()
        sys.stderr.flush()
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            print(f"no fork: {error}", flush=True)
            connection.close()
            return
        if pid == 0:
            self._become_stage(connection, server)
        self.stages[pid] = Stage(connection)
        self.poll.register(connection, 0)
        preload(self.later)
        self.later = ()

    def _have_at_hand(self) -> None:
        """See to it that the project's definitions are imported as its files are now."""
        if self.project is None:
            sys.path.insert(0, os.getcwd())
            try:
                from orchestration.at_hand import AtHand

                self.project = AtHand(PROJECT)
            finally:
                del sys.path[0]
        self.project.renew()

    def _become_stage(self, connection: socket.socket, server: int) -> NoReturn:
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.setpgid(0, 0)
            for end in (self.listener, self.woken, self.waker, *(stage.connection for stage in self.stages.values())):
                end.close()
            status = perform(connection)
            if os.getppid() != server:
                connection.sendall(b"exit %d\n" % status)
        except KeyboardInterrupt:
            status = 128 + signal.SIGINT
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def _abandoned(self, descriptor: int) -> None:
        """The client at this end has gone: its stage is asked to end, as its own process would have been."""
        self.poll.unregister(descriptor)
        for pid, stage in self.stages.items():
            if stage.connection.fileno() == descriptor:
                stage.kill_at = time.monotonic() + GRACE_S
                _signal_group(pid, signal.SIGTERM)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                pid = 0
            if pid == 0:
                break
            stage = self.stages.pop(pid, None)
            if stage is None:
                continue
            code = os.waitstatus_to_exitcode(status)
            with contextlib.suppress(KeyError):
                self.poll.unregister(stage.connection)
            with contextlib.suppress(OSError):
                stage.connection.sendall(b"exit %d\n" % (code if code >= 0 else 128 - code))
            stage.connection.close()
            self.untracked = self.tracks
            self.quiet_since = time.monotonic()
        for pid, stage in self.stages.items():
            if stage.kill_at is not None and stage.kill_at <= time.monotonic():
                stage.kill_at = time.monotonic() + GRACE_S
                _signal_group(pid, signal.SIGKILL)

    def _track(self) -> None:
        """Start `cotline track`, detached, unless one is running; the lock is its own for as long as it lives."""
        with open(os.path.join("var", "warm", "track.lock"), "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            self.untracked = False
            if os.fork() == 0:
                try:
                    os.setsid()
                    os.nice(10)
                    os.set_inheritable(lock.fileno(), True)
                    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
                        signal.signal(number, signal.SIG_DFL)
                    variables = {k: v for k, v in os.environ.items() if k not in ("DVC_STAGE", "DVC_ROOT")}
                    command = [sys.executable, "-m", "orchestration", "track", "--quiet"]
                    os.execve(sys.executable, command, variables)
                finally:
                    os._exit(1)

    def _closed(self) -> bool:
        """Whether the socket is gone: not while a client is coming, or one is looking for it."""
        with open(self.lock, "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            if select.select([self.listener], [], [], 0)[0]:
                return False
            with contextlib.suppress(FileNotFoundError):
                if os.stat(self.path).st_ino == self.inode:
                    os.unlink(self.path)
            self.listener.close()
            return True


def perform(connection: socket.socket) -> int:
    """Take over the client's work from the connection and do it; the exit status.

    Raises:
        EOFError: the client went away before it had said what to do.
    """
    connection.sendall(b"ready %d\n" % os.getpid())
    work, streams = _receive(connection)
    try:
        take_over(work, streams)
    except (OSError, ValueError):
        connection.sendall(b"refused\n")
        return 0
    gc.enable()
    status = _status(work["arguments"])
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    return status


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    while 0 < len(head) < 8:
        head += connection.recv(8 - len(head))
    length = int.from_bytes(head, "big")
    if len(streams) != 3 or not 0 < length <= LONGEST_WORK:
        raise EOFError("the client went away")
    body = bytearray()
    while len(body) < length:
        more = connection.recv(min(1 << 16, length - len(body)))
        if not more:
            raise EOFError("the client went away")
        body += more
    work: dict[str, Any] = json.loads(body)
    return work, streams


def take_over(work: dict[str, Any], streams: list[int]) -> None:
    """Make this process what the client's process is.

    Raises:
        OSError, ValueError: something that only the client's own process can have, such as a higher limit.
    """
    import resource

    if work["path"][:1] != [work["cwd"]] or work["cwd"] != os.getcwd():
        # what another folder's `orchestration` is
        for name in [name for name in sys.modules if name.partition(".")[0] in PROJECT]:
            del sys.modules[name]
    os.chdir(work["cwd"])
    for name, limit in work["limits"].items():
        number = getattr(resource, name)
        if list(resource.getrlimit(number)) != limit:
            resource.setrlimit(number, tuple(limit))
    if os.getpriority(os.PRIO_PROCESS, 0) != work["nice"]:
        os.setpriority(os.PRIO_PROCESS, 0, work["nice"])
    if work["processors"] is not None and set(work["processors"]) != os.sched_getaffinity(0):
        os.sched_setaffinity(0, work["processors"])
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    os.umask(work["umask"])
    for number in work["ignored"]:
        with contextlib.suppress(OSError):
            signal.signal(number, signal.SIG_IGN)
    os.environ.clear()
    os.environ.update(work["environment"])
    time.tzset()
    sys.argv[:] = work["argv"]
    sys.path[:] = work["path"]
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def _status(arguments: list[str]) -> int:
    try:
        from orchestration.cli import main

        return main(arguments) & 0xFF
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code & 0xFF if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BaseException:
        traceback.print_exc()
        return 1


def _is_this_user(connection: socket.socket) -> bool:
    if sys.platform != "linux":
        return True
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return bool(struct.unpack("3i", found)[1] == os.geteuid())


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, number)


def preload(names: tuple[str, ...]) -> None:
    """Import these modules; one that is not there is left to the stage that wants it.

    Raises:
        RuntimeError: an import started a thread, which a fork would not have, or came upon the project.
    """
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    before = PROJECT & set(sys.modules)
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(f"not preloaded: {name} ({error})", flush=True)
    if threading.active_count() != 1:
        raise RuntimeError(f"threads were started by the imports: {threading.enumerate()}")
    if found := (PROJECT & set(sys.modules)) - before:
        raise RuntimeError(f"a library imported modules of the project: {sorted(found)}")
    gc.freeze()


def main(path: str, lock: str, ready: int) -> None:
    """Serve at `path`; a "1" on the descriptor `ready` says when."""
    os.set_inheritable(ready, False)
    # Nothing that is imported here is ever collected; looking for garbage in it costs a tenth of the time.
    gc.disable()
    began = time.monotonic()
    asked = os.environ.get("COTLINE_WARM_PRELOAD")
    preload(PRELOAD if asked is None else tuple(asked.split(",")))
    idle_s = float(os.environ.get("COTLINE_WARM_IDLE_S", IDLE_S))
    # An experiment's copy of the project keeps no record of its own.
    experiment = os.path.join("", ".dvc", "tmp", "exps", "") in os.getcwd()
    tracks = os.environ.get("COTLINE_TRACK") != "0" and not experiment
    server = Server(path, lock, idle_s, tracks, LATER if asked is None else ())
    print(f"process {os.getpid()} ready after {time.monotonic() - began:.1f} s", flush=True)
    os.write(ready, b"1")
    os.close(ready)
    server.serve()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
