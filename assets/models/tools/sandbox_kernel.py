"""The same bounds held by the kernel, for native code too: Landlock, where this Linux has it.

Source: the kernel's Documentation/userspace-api/landlock.rst; the numbers are those of linux/landlock.h.
"""

import os
import sys
from pathlib import Path
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION = 1
_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_EXECUTE, _WRITE_FILE, _REFER, _TRUNCATE = 1 << 0, 1 << 1, 1 << 13, 1 << 14
_REMOVE_AND_MAKE = sum(1 << place for place in range(4, 13))
_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

_WITH_REFER, _WITH_TRUNCATE, _WITH_NETWORK, _WITH_SCOPES = 2, 3, 4, 6
"""The versions of the interface from which on these are known."""


def close(folder: Path) -> int:
    """From now on the kernel refuses this thread, and those it starts, to write outside the folder and to call by TCP.

    Nothing that is executed can be started either, and no process outside signalled. What is given back is the
    version of the interface: 0 where this system has none, and nothing is closed; under 4 TCP stays open.

    Raises:
        OSError: the kernel has it and will not.
    """
    version = _version()
    if version < 1:
        return 0
    import struct

    writing = _WRITE_FILE | _REMOVE_AND_MAKE
    writing |= (_REFER if version >= _WITH_REFER else 0) | (_TRUNCATE if version >= _WITH_TRUNCATE else 0)
    attributes = [writing | _EXECUTE]
    attributes += [_BIND_AND_CONNECT] if version >= _WITH_NETWORK else []
    attributes += [_ABSTRACT_SOCKETS_AND_SIGNALS] if version >= _WITH_SCOPES else []
    asked = struct.pack(f"={len(attributes)}Q", *attributes)
    rules = _call(_CREATE, asked, len(asked), 0)
    file_alone = _WRITE_FILE | (_TRUNCATE if version >= _WITH_TRUNCATE else 0)
    for path, allowed in ((str(folder), writing), (os.devnull, file_alone)):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        _call(_ADD, rules, _BENEATH, struct.pack("=Qi", allowed, place), 0)
        os.close(place)
    _prctl()
    _call(_RESTRICT, rules, 0)
    os.close(rules)
    return version


def said() -> str:
    """What holds tools back on this system, to be shown."""
    version = _version()
    return f"audit hook and Landlock {version}" if version else "audit hook alone: this system has no Landlock"


def _version() -> int:
    if sys.platform != "linux":
        return 0
    try:
        return _call(_CREATE, None, 0, _ASK_VERSION)
    except OSError:
        return 0


def _prctl() -> None:
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def _call(number: int, *arguments: Any) -> int:
    """What the system call gives; whole numbers are passed as the machine's words."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    given = int(library.syscall(ctypes.c_long(number), *words))
    if given < 0:
        raise OSError(ctypes.get_errno(), f"system call {number}")
    return given
