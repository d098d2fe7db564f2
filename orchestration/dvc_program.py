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

WRITING = frozenset(
    {"add", "checkout", "commit", "fetch", "freeze", "gc", "import", "import-db", "import-url", "move", "mv", "pull"}
    | {"remove", "repro", "rm", "unfreeze", "unprotect", "update"}
)
WRITING_OF_EXP = frozenset({"apply", "branch", "clean", "pull", "remove", "rename", "rm", "run", "save"})
WITH_A_VALUE = frozenset({"--cd", "--cprofile-dump", "--viztracer-depth"})
"""DVC's options before the command that take the next word."""

WAIT_S = 3600.0
PAUSE_S = 0.2


def main(program: str, arguments: list[str]) -> int:
    """The exit status of DVC with these arguments."""
    environment = {**os.environ, "DVC_NO_ANALYTICS": "1"}
    command, folder = _understood(arguments)
    checkout = next((place for place in (folder, *folder.parents) if (place / ".dvc").is_dir()), None)
    # By the Python beside it: its own first line still names the folder that a copied checkout was copied from.
    call = [str(Path(program).with_name("python")), "-P", str(Path(__file__).with_name("dvc_memo.py")), program]
    # Within a stage the lock is held already, by the command that runs the stage.
    if checkout is None or not _writes(command, arguments) or "DVC_STAGE" in os.environ:
        os.execve(call[0], [*call, *arguments], environment)
    try:
        with _alone(checkout / ".dvc" / "tmp" / "writing.lock", " ".join(command)):
            # Not replaced by DVC: the lock has to end with it, and its stages must not inherit the lock.
            process = subprocess.Popen([*call, "--wait-for-lock", *arguments], env=environment)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
            status = process.wait()
    except TimeoutError as error:
        print(error, file=sys.stderr)
        return 1
    return status if status >= 0 else 128 - status


def _understood(arguments: list[str]) -> tuple[list[str], Path]:
    """The command (`exp` with its own) and the folder that DVC will work in."""
    command: list[str] = []
    folder, words = Path.cwd(), iter(arguments)
    for word in words:
        name, given, value = word.partition("=")
        if not command and name in WITH_A_VALUE:
            value = value if given else next(words, "")
            folder = (folder / value).resolve() if name == "--cd" else folder
        elif not word.startswith("-"):
            command.append(word)
            if command[0] not in ("exp", "experiments") or len(command) == 2:
                break
    return command, folder


def _writes(command: list[str], arguments: list[str]) -> bool:
    """Whether DVC would change the checkout, its cache or its locks."""
    if {"-h", "--help"} & set(arguments):
        return False
    if command[:1] in (["exp"], ["experiments"]):
        return bool(WRITING_OF_EXP & set(command[1:]))
    return bool(WRITING & set(command))


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
                # It may hold the lock and not have written yet who it is.
                named = path.read_text(encoding="utf-8")
                holder = named or "another command"
                if time.monotonic() >= end:
                    raise TimeoutError(
                        f"dvc {command}: {holder} still works in this checkout after {wait_s:g} s: "
                        "let it end, or stop it (COTLINE_DVC_WAIT_S sets how long to wait)"
                    ) from None
                if named and not said:
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
