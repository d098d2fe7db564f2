"""A stop by signal as an exception, so that what is half written is cleared away first."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What a scheduler, or a terminal that is closed, sends; Ctrl-C is an exception already, kill -9 cannot be one."""


class Stopped(SystemExit):
    """The process was asked to end; its exit status is 128 and the signal's number, as a shell has it."""


@contextlib.contextmanager
def cleared() -> Iterator[None]:
    """Within it these signals raise Stopped; the handlers of before come back at its end.

    A signal that is ignored (nohup) stays so. Where handlers cannot be set, in a thread, nothing changes.

    Raises:
        Stopped: a signal came.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    # None: a handler that was not set from Python, which could not be set again
    mine = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}

    def stop(number: int, _: FrameType | None) -> None:
        # a second signal must not break off the clearing
        for each in mine:
            signal.signal(each, signal.SIG_IGN)
        print("cotline: stopped", file=sys.stderr, flush=True)
        raise Stopped(128 + number)

    try:
        for number in mine:
            signal.signal(number, stop)
        yield
    finally:
        for number, handler in mine.items():
            signal.signal(number, handler)
