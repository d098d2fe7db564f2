"""What a tool's process may no longer do once it has what it needs: write elsewhere, reach a network, start others.

The hook sees what Python does, which is all that tools of this project do by themselves. What a library's native code
does is not seen by it; there `assets.models.tools.sandbox_kernel` holds, where the kernel can.
"""

import os
import sys
from pathlib import Path
from typing import Any, NoReturn

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FAMILIES = ("socket.", "ctypes.", "urllib.", "http.", "ftplib.", "imaplib.", "poplib.", "smtplib.", "syslog.")
_EVENTS = frozenset(
    {
        "os.chdir",
        "os.chflags",
        "os.chmod",
        "os.chown",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.kill",
        "os.killpg",
        "os.link",
        "os.posix_spawn",
        "os.removexattr",
        "os.setxattr",
        "os.spawn",
        "os.startfile",
        "os.symlink",
        "os.system",
        "os.utime",
        "pty.spawn",
        "resource.prlimit",
        "resource.setrlimit",
        "signal.pthread_kill",
        "sqlite3.connect",
        "subprocess.Popen",
        "webbrowser.open",
    }
)
_PATHS = {"os.mkdir": 1, "os.remove": 1, "os.rename": 2, "os.rmdir": 1, "os.truncate": 1}
"""Events that are allowed inside the folder, with how many of their first arguments are paths."""


class Refused(PermissionError):
    """A tool tried what it may not; the message is the name of the audit event."""


def close(folder: Path) -> None:
    """From now on nothing is written outside the folder, no socket is made, no process started, no ctypes used.

    There is no way back. Paths to write to must be absolute, since a relative one may be meant under an open folder.
    """
    own = os.path.realpath(folder)

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if _writes(mode, flags) and not isinstance(path, int) and not _is_inside(path, own):
                raise Refused(event)
        elif event in _PATHS:
            if not all(isinstance(path, int) or _is_inside(path, own) for path in arguments[: _PATHS[event]]):
                raise Refused(event)
        elif event in _EVENTS or event.startswith(_FAMILIES):
            raise Refused(event)

    _silence()
    sys.addaudithook(refuse)


def _writes(mode: object, flags: object) -> bool:
    asked = isinstance(mode, str) and not set(mode).isdisjoint("wax+")
    return asked or (isinstance(flags, int) and bool(flags & _WRITING))


def _is_inside(path: Any, own: str) -> bool:
    """Whether the path, its links followed, is the folder or lies in it, or is the one that swallows everything."""
    text = os.fsdecode(path)
    if not os.path.isabs(text):
        return False
    real = os.path.realpath(text)
    return real == own or real.startswith(own + os.sep) or real == os.devnull


def _silence() -> None:
    """Take away what makes files or processes without an audit event."""
    import _posixsubprocess
    import posix

    def refused(*_: Any, **__: Any) -> NoReturn:
        raise Refused("no audit event")

    for module, name in ((os, "mkfifo"), (os, "mknod"), (posix, "mkfifo"), (posix, "mknod")):
        setattr(module, name, refused)
    setattr(_posixsubprocess, "fork_exec", refused)  # noqa: B010
