"""A project of a few files whose stages a real warm process runs, with one light module preloaded."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestration import __main__ as client

CLI = """
import json, os, resource, sys, time

def main(argv):
    with open("runs", "a") as runs:
        runs.write(" ".join(argv) + "\\n")
    if argv[0] == "track":
        with open("tracked", "a") as tracked:
            tracked.write(json.dumps(sorted(os.environ)) + "\\n")
        return 0
    action, *rest = argv[1:]
    if action == "exit":
        return int(rest[0])
    if action == "raise":
        raise KeyError("a fault of the project")
    if action == "leave":
        sys.exit("a sentence")
    if action == "show":
        umask = os.umask(0)
        os.umask(umask)
        print(json.dumps({
            "cwd": os.getcwd(), "argv": sys.argv, "arguments": argv, "parent": os.getppid(), "umask": umask,
            "variables": dict(os.environ), "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
            "path": sys.path, "nice": os.getpriority(os.PRIO_PROCESS, 0),
        }))
        print("to stderr", file=sys.stderr)
    if action == "read":
        print(sys.stdin.read().upper())
    if action == "wait":
        with open(f"{rest[0]}.pid", "w") as file:
            file.write(f"{os.getpid()} {os.getppid()}\\n")
        while not os.path.exists(rest[0]):
            time.sleep(0.01)
        return 5
    if action == "die":
        os.kill(os.getpid(), 9)
    return 0
"""


class Project:
    """A folder with the two real modules and the `cli.py` above, and an environment in which DVC seems to run."""

    def __init__(self, root: Path, runtime: Path) -> None:
        self.root, self.runtime = root, runtime
        package = root / "orchestration"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "cli.py").write_text(CLI)
        for name in ("__main__.py", "warm.py", "at_hand.py"):
            shutil.copy(Path(client.__file__).with_name(name), package / name)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("COTLINE_", "DVC_"))},
            "PYTHONPATH": "",
            "XDG_RUNTIME_DIR": str(runtime),
            "DVC_STAGE": "a-stage",
            "DVC_ROOT": str(root),
            "COTLINE_WARM_PRELOAD": "json",
            "COTLINE_WARM_IDLE_S": "30",
            "COTLINE_TRACK": "0",
        }

    def start(self, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
        """A client with these arguments, in a process group of its own, as at a terminal."""
        return subprocess.Popen(
            [sys.executable, "-m", "orchestration", *arguments],
            cwd=self.root,
            env=self.environment | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def run(self, *arguments: str, said: str = "", **variables: str) -> tuple[int, str, str]:
        """Exit status, stdout and stderr of a client that is waited for."""
        process = self.start(*arguments, **variables)
        out, err = process.communicate(said, timeout=30)
        return process.returncode, out, err

    def shown(self, **variables: str) -> dict:
        """What a stage sees of its surroundings."""
        status, out, err = self.run("materialize", "show", **variables)
        assert (status, err) == (0, "to stderr\n")
        return json.loads(out)

    def servers(self) -> list[int]:
        """The processes that said they were ready, the latest last."""
        log = self.root / "var" / "warm" / "warm.log"
        return [int(found) for found in re.findall(r"process (\d+) ready", log.read_text())] if log.exists() else []

    def waiting(self, name: str = "go") -> tuple["subprocess.Popen[str]", int, int]:
        """A client whose stage waits for the file `name`, the stage's process and its parent."""
        process = self.start("materialize", "wait", name)
        file = self.root / f"{name}.pid"
        until(lambda: file.exists() and file.read_text().endswith("\n"))
        stage, parent = map(int, file.read_text().split())
        return process, stage, parent

    def runs(self) -> list[str]:
        """What was run, however it ended."""
        return (self.root / "runs").read_text().splitlines()


def until(condition: Callable[[], bool], seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass in time"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def project_in(folder: Path) -> Iterator[Project]:
    """A project in the folder, whose warm processes are ended after it."""
    with tempfile.TemporaryDirectory(prefix="w") as runtime:
        made = Project(folder, Path(runtime))
        yield made
        for pid in made.servers():
            if alive(pid) and b"warm.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGTERM)
                until(lambda pid=pid: not alive(pid))
