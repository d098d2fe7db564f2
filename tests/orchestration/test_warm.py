"""The warm start with real processes, on a project of three files made here, with one light module preloaded."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestration import __main__ as client

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the warm start is asked for by hand elsewhere")

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


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with tempfile.TemporaryDirectory(prefix="w") as runtime:
        made = Project(tmp_path, Path(runtime))
        yield made
        for pid in made.servers():
            if alive(pid) and b"warm.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGTERM)
                until(lambda pid=pid: not alive(pid))


def test_the_exit_status_and_the_output_are_those_of_the_stage(project: Project) -> None:
    assert project.run("materialize", "exit", "0") == (0, "", "")
    assert project.run("materialize", "exit", "7") == (7, "", "")
    assert project.run("materialize", "leave") == (1, "", "a sentence\n")
    status, out, err = project.run("materialize", "raise")
    assert (status, out) == (1, "")
    assert err.splitlines()[-1] == "KeyError: 'a fault of the project'"
    assert project.run("materialize", "read", said="from stdin") == (0, "FROM STDIN\n", "")
    assert len(project.servers()) == 1


def test_a_stage_finds_itself_where_its_client_is(project: Project) -> None:
    os_limit, niceness = os.umask(0o022), os.getpriority(os.PRIO_PROCESS, 0)
    os.umask(os_limit)
    first = project.shown(A_VARIABLE="first")
    second = project.shown(A_VARIABLE="caf\udce9")
    [server] = project.servers()
    assert first["parent"] == second["parent"] == server
    assert first["cwd"] == str(project.root)
    assert first["arguments"] == ["materialize", "show"]
    assert first["argv"] == [str(project.root / "orchestration" / "__main__.py"), "materialize", "show"]
    assert first["path"][0] == str(project.root)
    assert first["variables"]["A_VARIABLE"] == "first"
    assert second["variables"]["A_VARIABLE"] == "caf\udce9"
    cold = project.shown(COTLINE_WARM="0", A_VARIABLE="first")
    assert cold["parent"] != server
    for name in ("cwd", "argv", "arguments", "path", "files", "nice", "umask"):
        assert first[name] == cold[name]
    assert {**cold["variables"], "COTLINE_WARM": ""} == {**first["variables"], "COTLINE_WARM": ""}
    limited = subprocess.run(
        ["sh", "-c", f"umask 027; ulimit -n 200; exec nice -n 3 {sys.executable} -m orchestration materialize show"],
        cwd=project.root,
        env=project.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    seen = json.loads(limited.stdout)
    assert (seen["umask"], seen["files"], seen["nice"]) == (0o027, 200, min(niceness + 3, 19))
    assert seen["parent"] == server


def test_what_is_not_a_stage_of_dvc_runs_by_itself(project: Project) -> None:
    del project.environment["DVC_STAGE"], project.environment["DVC_ROOT"]
    assert project.run("materialize", "exit", "3")[0] == 3
    assert project.run("elsewhere", "exit", "4", COTLINE_WARM="1")[0] == 4
    assert project.servers() == []
    assert project.shown(COTLINE_WARM="1")["parent"] in project.servers()


def test_a_stage_that_was_killed_reports_its_signal_and_is_not_run_again(project: Project) -> None:
    assert project.run("materialize", "die") == (137, "", "")
    assert project.runs() == ["materialize die"]


def test_the_next_stage_runs_the_code_that_is_there_then(project: Project) -> None:
    assert project.run("materialize", "exit", "1")[0] == 1
    module = project.root / "orchestration" / "cli.py"
    module.write_text(CLI.replace("return int(rest[0])", "return 40 + int(rest[0])"))
    assert project.run("materialize", "exit", "1")[0] == 41
    assert len(project.servers()) == 1


DEFINITIONS = """
with open("imported", "a") as imported:
    imported.write("once\\n")
WORD = 1

def graph():
    return None
"""
USING = CLI.replace(
    "return int(rest[0])", "from orchestration import definitions; return definitions.WORD + int(rest[0])"
)


@pytest.fixture
def defined(project: Project) -> Project:
    """The project with definitions, whose imports are counted."""
    (project.root / "orchestration" / "cli.py").write_text(USING)
    (project.root / "orchestration" / "definitions.py").write_text(DEFINITIONS)
    return project


def imports(project: Project) -> int:
    return len((project.root / "imported").read_text().splitlines())


def test_the_definitions_are_imported_once_for_all_stages(defined: Project) -> None:
    assert [defined.run("materialize", "exit", "1")[0] for _ in range(3)] == [2, 2, 2]
    assert imports(defined) == 1


@pytest.mark.parametrize("name", ["orchestration/definitions.py", "params.yaml", "assets/new.csv"])
def test_the_definitions_are_imported_anew_when_a_file_has_changed(defined: Project, name: str) -> None:
    assert defined.run("materialize", "exit", "1")[0] == 2
    path = defined.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(DEFINITIONS.replace("WORD = 1", "WORD = 4") if path.suffix == ".py" else "more")
    assert defined.run("materialize", "exit", "1")[0] == (5 if path.suffix == ".py" else 2)
    assert imports(defined) == 2


def test_definitions_that_cannot_be_imported_are_the_stages_fault_and_mended_ones_are_taken(defined: Project) -> None:
    path = defined.root / "orchestration" / "definitions.py"
    path.write_text(DEFINITIONS + "WORD = 1 / 0\n")
    status, _, err = defined.run("materialize", "exit", "1")
    assert (status, err.splitlines()[-1]) == (1, "ZeroDivisionError: division by zero")
    path.write_text(DEFINITIONS.replace("WORD = 1", "WORD = 7"))
    assert defined.run("materialize", "exit", "1")[0] == 8
    assert len(defined.servers()) == 1


def test_a_stage_of_another_folder_imports_its_own(defined: Project, tmp_path: Path) -> None:
    assert defined.run("materialize", "exit", "1")[0] == 2
    other = tmp_path / "other"
    shutil.copytree(defined.root / "orchestration", other / "orchestration")
    (other / "orchestration" / "definitions.py").write_text(DEFINITIONS.replace("WORD = 1", "WORD = 9"))
    run = [sys.executable, "-m", "orchestration", "materialize", "exit", "1"]
    done = subprocess.run(run, cwd=other, env=defined.environment, check=False, timeout=30)
    assert done.returncode == 10


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_client_ends_the_stage(project: Project, number: int) -> None:
    process, stage, server = project.waiting()
    os.killpg(process.pid, number)
    process.communicate(timeout=15)
    assert process.returncode == 128 + number
    assert not alive(stage)
    assert alive(server)
    assert project.runs() == ["materialize wait go"]


def test_a_stopped_client_stops_the_stage_until_it_goes_on(project: Project) -> None:
    process, stage, _ = project.waiting()
    os.kill(process.pid, signal.SIGTSTP)
    until(lambda: Path(f"/proc/{stage}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    until(lambda: Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    (project.root / "go").touch()
    os.kill(process.pid, signal.SIGCONT)
    process.communicate(timeout=15)
    assert process.returncode == 5


def test_a_client_that_is_killed_takes_its_stage_with_it(project: Project) -> None:
    process, stage, server = project.waiting()
    process.kill()
    process.communicate(timeout=15)
    until(lambda: not alive(stage))
    assert alive(server)


def test_a_stage_outlives_its_server_and_reports_by_itself(project: Project) -> None:
    process, stage, server = project.waiting()
    os.kill(server, signal.SIGKILL)
    until(lambda: not alive(server))
    assert alive(stage)
    (project.root / "go").touch()
    _, err = process.communicate(timeout=15)
    assert (process.returncode, err) == (5, "")
    assert project.runs() == ["materialize wait go"]
    assert project.run("materialize", "exit", "6")[0] == 6
    assert len(project.servers()) == 2


def test_work_that_was_lost_with_the_server_fails_and_is_not_run_again(project: Project) -> None:
    process, stage, server = project.waiting()
    neighbour, _, _ = project.waiting("later")
    os.kill(server, signal.SIGKILL)
    until(lambda: not alive(server))
    os.kill(stage, signal.SIGKILL)
    _, err = process.communicate(timeout=15)
    assert process.returncode == 137
    assert err == (
        "cotline materialize wait go: the process that ran it was killed before it could report, and it was not "
        "run again: start it once more (COTLINE_WARM=0 runs it without the warm process)\n"
    )
    assert neighbour.poll() is None
    (project.root / "later").touch()
    neighbour.communicate(timeout=15)
    assert neighbour.returncode == 5
    assert project.runs() == ["materialize wait go", "materialize wait later"]


def test_stages_side_by_side_end_each_by_itself(project: Project) -> None:
    process, stage, _ = project.waiting()
    assert project.run("materialize", "exit", "2")[0] == 2
    assert alive(stage)
    (project.root / "go").touch()
    process.communicate(timeout=15)
    assert process.returncode == 5


def test_two_clients_at_once_start_one_server(project: Project) -> None:
    processes = [project.start("materialize", "show") for _ in range(4)]
    parents = {json.loads(process.communicate(timeout=30)[0])["parent"] for process in processes}
    assert parents == set(project.servers())
    assert len(parents) == 1


def test_a_dead_socket_is_replaced(project: Project) -> None:
    project.run("materialize", "exit", "0")
    [server] = project.servers()
    os.kill(server, signal.SIGKILL)
    until(lambda: not alive(server))
    assert list((project.runtime / "cotline").glob("*.sock"))
    assert project.run("materialize", "exit", "9") == (9, "", "")
    assert len(project.servers()) == 2


def test_a_folder_or_socket_that_others_can_reach_is_not_used(project: Project) -> None:
    project.run("materialize", "exit", "0")
    [server] = project.servers()
    folder = project.runtime / "cotline"
    [planted] = folder.glob("*.sock")
    planted.chmod(0o666)
    assert project.shown()["parent"] != server
    planted.chmod(0o600)
    assert project.shown()["parent"] == server
    folder.chmod(0o755)
    assert project.shown()["parent"] != server
    folder.chmod(0o700)
    folder.rename(project.runtime / "elsewhere")
    folder.symlink_to("elsewhere")
    assert project.shown()["parent"] != server
    assert project.servers() == [server]


def test_a_server_that_never_answers_is_passed_over(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        path = project.runtime / "silent.sock"
        listener.bind(str(path))
        listener.listen()
        path.chmod(0o600)
        monkeypatch.setattr(client, "READY_S", 0.1)
        monkeypatch.setattr(client, "_place", lambda: client.Place(str(path), str(path) + ".lock", str(path) + ".no"))
        assert client.hand_over(["materialize", "x"]) is None


def test_a_server_that_cannot_start_is_tried_once_and_not_for_every_stage(project: Project) -> None:
    library = project.root / "library"
    library.mkdir()
    (library / "threading_at_import.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n"
    )
    variables = {"COTLINE_WARM_PRELOAD": "threading_at_import", "PYTHONPATH": str(library)}
    assert project.run("materialize", "exit", "3", **variables) == (3, "", "")
    assert project.run("materialize", "exit", "4", **variables) == (4, "", "")
    log = (project.root / "var" / "warm" / "warm.log").read_text()
    assert log.count("RuntimeError: threads were started by the imports") == 1
    assert project.runs() == ["materialize exit 3", "materialize exit 4"]


def test_another_installed_version_gets_another_server(project: Project) -> None:
    packages = project.root / "library" / "site-packages"
    (packages / "thing-1.0.dist-info").mkdir(parents=True)
    variables = {"PYTHONPATH": str(packages)}
    first = project.shown(**variables)["parent"]
    assert project.shown(**variables)["parent"] == first
    (packages / "thing-1.0.dist-info").rename(packages / "thing-1.1.dist-info")
    assert project.shown(**variables)["parent"] != first


def test_an_idle_server_ends_and_takes_its_socket_away(project: Project) -> None:
    project.environment["COTLINE_WARM_IDLE_S"] = "0.2"
    project.run("materialize", "exit", "0")
    [server] = project.servers()
    until(lambda: not alive(server))
    assert not list((project.runtime / "cotline").glob("*.sock"))
    assert project.run("materialize", "exit", "8") == (8, "", "")


def test_a_server_that_is_told_to_end_lets_its_stage_finish(project: Project) -> None:
    process, _, server = project.waiting()
    os.kill(server, signal.SIGTERM)
    (project.root / "go").touch()
    process.communicate(timeout=15)
    assert process.returncode == 5
    until(lambda: not alive(server))


def test_runs_are_tracked_once_after_the_last_stage_and_not_within_one(project: Project) -> None:
    project.environment |= {"COTLINE_TRACK": "1", "COTLINE_WARM_IDLE_S": "0.5"}
    project.run("materialize", "exit", "0")
    project.run("materialize", "exit", "0")
    until(lambda: not alive(project.servers()[-1]) and (project.root / "tracked").exists())
    [variables] = [json.loads(line) for line in (project.root / "tracked").read_text().splitlines()]
    assert "DVC_STAGE" not in variables
    assert project.runs() == ["materialize exit 0", "materialize exit 0", "track --quiet"]


def test_tracking_can_be_switched_off(project: Project) -> None:
    project.environment |= {"COTLINE_TRACK": "0", "COTLINE_WARM_IDLE_S": "0.1"}
    project.run("materialize", "exit", "0")
    until(lambda: not alive(project.servers()[-1]))
    assert project.runs() == ["materialize exit 0"]
