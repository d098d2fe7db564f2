"""The warm start with real processes, on a project of three files made here, with one light module preloaded."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestration import __main__ as client
from tests.orchestration.warm_project import CLI, Project, alive, project_in, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the warm start is asked for by hand elsewhere")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with project_in(tmp_path) as made:
        yield made


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
