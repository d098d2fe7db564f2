"""Programs that are called: which of DVC's commands wait for one another, and how Dagster's UI is ended."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assets.params import ROOT

PROGRAM = ROOT / "orchestration/dvc_program.py"
CALLED = "dvc was called:"
READING = [
    *("exp show", "exp diff", "experiments list", "exp ls -A", "exp -q show", "exp", "exp push origin", "exp run -h"),
    *("status", "params diff", "repro --help", "--cd repro status"),
]
WRITING = [
    *("exp run -S a.b=c", "exp -q apply one", "experiments run", "exp save", "exp branch a b", "exp remove a"),
    *("repro", "-q commit -f", "--cd inner repro", "--cd=inner repro", "--cprofile-dump file repro", "gc -w", "rm a"),
]
FAKE_DVC = f'echo "{CALLED} $@"\n'
FAKE_DAGSTER = """\
import os, signal, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
try:
    # Within: the test sends its signal as soon as it reads this.
    print(os.getpid(), child.pid, flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    child.wait()
    sys.exit(7)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a program in place of DVC, which a Python beside it (here: the shell, given the program) runs."""
    (tmp_path / ".dvc/tmp").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/dvc").write_text(FAKE_DVC)
    # `-P` and the program's memory come first
    (tmp_path / "bin/python").write_text('#!/bin/sh\nshift 2\nexec /bin/sh "$@"\n')
    (tmp_path / "bin/python").chmod(0o755)
    return tmp_path


def dvc(checkout: Path, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("DVC_")}
    return subprocess.run(
        [sys.executable, "-PSE", str(PROGRAM), str(checkout / "bin/dvc"), *arguments],
        cwd=folder or checkout,
        env={**inherited, "COTLINE_DVC_WAIT_S": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


def said_while_another_writes(checkout: Path, *arguments: str, folder: Path | None = None) -> str:
    """What the command says where `dvc repro` is at work in the checkout."""
    with (checkout / ".dvc/tmp/writing.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("`dvc repro` (process 7)")
        lock.flush()
        done = dvc(checkout, *arguments, folder=folder)
    return done.stdout + done.stderr


@pytest.mark.parametrize("words", READING)
def test_a_command_that_only_reads_does_not_wait(checkout: Path, words: str) -> None:
    (checkout / "repro").mkdir()
    assert said_while_another_writes(checkout, *words.split()) == f"{CALLED} {words}\n"


@pytest.mark.parametrize("words", WRITING)
def test_a_command_that_writes_waits_for_the_one_before(checkout: Path, words: str) -> None:
    (checkout / "inner").mkdir()
    said = said_while_another_writes(checkout, *words.split())
    assert "`dvc repro` (process 7) still works in this checkout after 0 s" in said
    assert CALLED not in said


def test_the_waiting_command_is_named_with_its_own_command(checkout: Path) -> None:
    assert said_while_another_writes(checkout, "exp", "run", "one").startswith("dvc exp run: ")
    assert said_while_another_writes(checkout, "repro", "one").startswith("dvc repro: ")


def test_a_folder_given_by_cd_is_where_the_checkout_is_looked_for(checkout: Path) -> None:
    outside = checkout.parent / f"{checkout.name}-outside"
    outside.mkdir()
    assert "still works" in said_while_another_writes(checkout, "--cd", str(checkout), "repro", folder=outside)
    assert said_while_another_writes(checkout, "--cd", str(outside), "repro") == f"{CALLED} --cd {outside} repro\n"


def test_a_writing_command_where_nobody_else_writes_is_called_and_its_status_is_dvcs(checkout: Path) -> None:
    assert dvc(checkout, "repro", "-q").stdout == f"{CALLED} --wait-for-lock repro -q\n"
    (checkout / "bin/dvc").write_text("exit 5\n")
    assert dvc(checkout, "repro").returncode == dvc(checkout, "status").returncode == 5


def test_dvc_is_run_by_the_python_beside_it_and_not_by_its_first_line(checkout: Path) -> None:
    (checkout / "bin/dvc").write_text(f"#!/nowhere/.venv-dvc/bin/python\n{FAKE_DVC}")
    (checkout / "bin/dvc").chmod(0o755)
    assert dvc(checkout, "status").stdout == f"{CALLED} status\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_closed_terminal_ends_the_ui_with_its_children_as_ctrl_c_does(tmp_path: Path, number: int) -> None:
    (tmp_path / "dagster.py").write_text(FAKE_DAGSTER)
    code = (
        "import os, sys; from orchestration.ui import until_ended; "
        f"sys.exit(until_ended([sys.executable, {str(tmp_path / 'dagster.py')!r}], dict(os.environ)))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pids = [int(pid) for pid in process.stdout.readline().split()]
    try:
        process.send_signal(number)
        assert process.wait(timeout=30) == 7
        assert [pid for pid in pids if running(pid)] == []
    finally:
        process.kill()
        for pid in filter(running, pids):
            os.kill(pid, signal.SIGKILL)


def running(pid: int) -> bool:
    """Whether the process is there still, a moment later: the one that its parent has left is reaped by another."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True


def test_dagster_is_called_by_module(monkeypatch: pytest.MonkeyPatch) -> None:
    from orchestration import ui

    monkeypatch.setattr(sys, "executable", "/copied/.venv/bin/python")
    assert ui.dagster_dev(3005) == [
        *("/copied/.venv/bin/python", "-m", "dagster", "dev", "-m", "orchestration.definitions"),
        *("-h", "127.0.0.1", "-p", "3005"),
    ]
