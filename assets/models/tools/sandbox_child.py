"""The process in which tools compute: it loads what they need, gives up what they do not need, and serves uses."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from assets.models.tools import frames, sandbox_hook, sandbox_kernel
from assets.models.tools.computing import COMPUTING
from assets.models.tools.tool import Computing, Given, ToolFault
from assets.schema.faults import Fault

FILE_BYTES = 64 << 20
"""A file in the tool's folder at most."""

MEMORY_BYTES = 16 << 30
"""Of address space, which torch takes far more of than of memory."""

GRACE_S = 2.0
"""After its limit the process ends itself, should nobody be there any more to end it."""


def serve(tools: Mapping[str, Callable[..., Computing]]) -> None:
    """Answer uses over stdin and stdout until stdin ends; the first message says what is to be prepared.

    Args:
        tools: what makes a tool of its settings, by the tool's name.
    """
    folder = Path(os.environ["TMPDIR"])
    with _pipes() as (incoming, outgoing):
        _bound()
        sandbox_kernel.close(folder)
        message, _ = frames.read(_taker(incoming))
        try:
            if prepare := getattr(tools[message["tool"]](**message["settings"]), "prepare", None):
                prepare()
        except Fault as error:
            _send(outgoing, {"unfit": str(error)})
            return
        sandbox_hook.close(folder)
        _send(outgoing, {"ready": True})
        with contextlib.suppress(EOFError):
            while True:
                message, pngs = frames.read(_taker(incoming))
                outgoing.write(_answer(tools, message, pngs))
                outgoing.flush()


def _answer(tools: Mapping[str, Callable[..., Computing]], message: Mapping[str, Any], pngs: list[bytes]) -> bytes:
    tool = tools[message["tool"]](**message["settings"])
    signal.setitimer(signal.ITIMER_REAL, tool.limit_s + GRACE_S)
    try:
        given = _computed(tool, message["arguments"], dict(zip(message["pictures"], pngs, strict=True)))
        return frames.packed({"text": _plain(given.text)}, [picture.png or b"" for picture in given.pictures])
    except (ToolFault, frames.FrameError) as error:
        return frames.packed({"fault": _plain(str(error))})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _computed(tool: Computing, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
    try:
        return tool.compute(arguments, pngs)
    except ToolFault:
        raise
    except sandbox_hook.Refused as error:
        raise ToolFault(f"{tool.name} tried what no tool may ({error}), and was refused") from error
    except Exception as error:
        # Whatever a library says of it may name paths of this machine, and it would stand in a table.
        raise ToolFault(f"{tool.name} could not do it ({type(error).__name__}): try other arguments") from error


def _plain(text: str) -> str:
    """The text without what no table can hold: halves of characters, and controls other than the ends of lines."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in whole)


@contextlib.contextmanager
def _pipes() -> Any:
    """Stdin and stdout for messages alone: whatever else prints writes into nothing."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nothing, standard)
    with incoming, outgoing:
        yield incoming, outgoing


def _taker(incoming: BinaryIO) -> Callable[[int], bytes]:
    def take(size: int) -> bytes:
        content = incoming.read(size)
        if len(content) < size:
            raise EOFError
        return content

    return take


def _send(outgoing: BinaryIO, message: dict[str, Any]) -> None:
    outgoing.write(frames.packed(message))
    outgoing.flush()


def _bound() -> None:
    """No core, no endless file, no endless memory; no byte code beside modules."""
    import resource

    sys.dont_write_bytecode = True
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_AS, MEMORY_BYTES),
    ):
        _, hard = resource.getrlimit(what)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        # Not every system knows how to bound address space.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (bound, bound))


if __name__ == "__main__":
    serve(COMPUTING)
