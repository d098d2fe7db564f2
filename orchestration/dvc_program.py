"""What `.venv/bin/dvc` runs: DVC from its own environment, with one command that writes at a time in a checkout.

DVC itself lets a second `dvc repro` fail while a stage of the first one runs. Here the second one waits, says for whom,
and gives up after COTLINE_DVC_WAIT_S seconds (3600). It runs before any library is there: standard library only.
"""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

WRITING = frozenset({"add", "checkout", "commit", "exp", "experiments", "import", "move", "pull", "remove", "repro"})
WAIT_S = 3600.0
PAUSE_S = 0.2


def main(program: str, arguments: list[str]) -> int:
    """The exit status of DVC with these arguments."""
    environment = {**os.environ, "DVC_NO_ANALYTICS": "1"}
    checkout = next((folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / ".dvc").is_dir()), None)
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    # Within a stage the lock is held already, by the command that runs the stage.
    if checkout is None or command not in WRITING or "DVC_STAGE" in os.environ:
        os.execve(program, [program, *arguments], environment)
    try:
        with _alone(checkout / ".dvc" / "tmp" / "writing.lock", command):
            # Not replaced by DVC: the lock has to end with it, and its stages must not inherit the lock.
            process = subprocess.Popen([program, "--wait-for-lock", *arguments], env=environment)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
            status = process.wait()
    except TimeoutError as error:
        print(error, file=sys.stderr)
        return 1
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def _alone(path: Path, command: str) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    wait_s = float(os.environ.get("COTLINE_DVC_WAIT_S", WAIT_S))
    end, said = time.monotonic() + wait_s, False
    with path.open("a+", encoding="utf-8") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                holder = path.read_text(encoding="utf-8") or "another command"
                if time.monotonic() >= end:
                    raise TimeoutError(
                        f"dvc {command}: {holder} still works in this checkout after {wait_s:g} s: "
                        "let it end, or stop it (COTLINE_DVC_WAIT_S sets how long to wait)"
                    ) from None
                if not said:
                    print(f"dvc {command}: waits for {holder} in this checkout", file=sys.stderr)
                    said = True
                time.sleep(PAUSE_S)
        file.truncate(0)
        file.write(f"`dvc {command}` (process {os.getpid()})")
        file.flush()
        yield
        file.truncate(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
