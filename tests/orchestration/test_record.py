"""`record` against a busy DVC and against changes under its hands; two writing commands at once."""

import subprocess
import time
from collections.abc import Sequence

import dagster as dg
import pytest

from orchestration import dvc_command, lockfile, record
from tests.orchestration.conftest import DVC, Project, environment, needs_dvc


class Answers:
    """A dvc that answers in turn: its exit status and its words; the last answer stays."""

    def __init__(self, *answers: tuple[int, str]) -> None:
        self.answers = list(answers)
        self.calls: list[Sequence[str]] = []

    def __call__(self, *arguments: str, wait_s: float = 0) -> subprocess.CompletedProcess[str]:
        self.calls.append(arguments)
        status, words = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return subprocess.CompletedProcess(arguments, status, "", words)


BUSY = (1, "ERROR: 'data/x.parquet' is busy, it is being blocked by:\n (PID 7): dvc repro")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "PAUSE_S", 0.0)


def test_a_busy_dvc_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    dvc = Answers(BUSY, (1, "ERROR: Unable to acquire lock"), (0, ""))
    monkeypatch.setattr(dvc_command, "run", dvc)
    record._commit(["a-b"])
    assert [call[-1] for call in dvc.calls] == ["a-b"] * 3


def test_a_dvc_that_stays_busy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dvc_command, "run", Answers(BUSY))
    monkeypatch.setattr(record, "WAIT_S", 0.0)
    with pytest.raises(record.NotRecorded, match=r"did not commit a-b: .*blocked by: \(PID 7\): dvc repro"):
        record._commit(["a-b"])


def test_another_fault_of_dvc_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    dvc = Answers((1, "ERROR: no space left"))
    monkeypatch.setattr(dvc_command, "run", dvc)
    with pytest.raises(record.NotRecorded, match="no space left"):
        record._commit(["a-b"])
    assert len(dvc.calls) == 1


def test_dvc_is_never_called_from_within_a_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DVC_STAGE", "evaluation-flow")
    with pytest.raises(dvc_command.NotInstalled, match="not within the DVC stage evaluation-flow"):
        dvc_command.run("status")


class Recorder:
    """Stands for the process of `cotline record`."""

    def __init__(self, status: int) -> None:
        self.returncode = status
        self.calls = 0

    def __call__(self, command: Sequence[str], **options: object) -> "Recorder":
        assert command[1:] == ["-m", "orchestration", "record"]
        self.calls += 1
        return self

    def communicate(self, timeout: float) -> tuple[str, None]:
        return "said", None


def test_the_sensor_records_once_for_all_new_runs_of_the_ui_and_again_where_dvc_was_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @dg.asset
    def table() -> None:
        """Nothing."""

    def look(status: int, cursor: str | None) -> tuple[int, str | None]:
        recorder = Recorder(status)
        monkeypatch.setattr(subprocess, "Popen", recorder)
        context = dg.build_sensor_context(instance, cursor=cursor)
        record.record_runs(context)
        return recorder.calls, context.cursor

    with dg.DagsterInstance.ephemeral() as instance:
        dg.materialize([table], instance=instance, tags={"cotline/door": "dvc"})
        assert look(0, None) == (0, None)
        for _ in range(3):
            dg.materialize([table], instance=instance)
        assert look(1, None) == (1, None)
        calls, cursor = look(0, None)
        assert calls == 1
        assert look(0, cursor) == (0, cursor)


@needs_dvc
def test_two_rebuilds_at_once_both_end_well_and_one_waits(project: Project) -> None:
    commands = [[str(DVC), "repro", "sources-m3cot_released"], [str(DVC), "repro", "sources-comt_released"]]
    started = [
        subprocess.Popen(command, cwd=project.root, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for command in commands
    ]
    said = [process.communicate(timeout=300) for process in started]
    assert [process.returncode for process in started] == [0, 0]
    waits = [err for _, err in said if b"dvc repro: waits for `dvc repro` (process " in err]
    assert len(waits) == 1


@needs_dvc
def test_a_rebuild_that_waited_long_enough_says_for_whom(project: Project) -> None:
    lock = project.root / ".dvc/tmp/writing.lock"
    holder = subprocess.Popen(
        ["flock", str(lock), "sh", "-c", f"printf 'a long rebuild' > {lock}; exec sleep 60"], cwd=project.root
    )
    try:
        end = time.monotonic() + 30
        while not (lock.exists() and lock.read_text()) and time.monotonic() < end:
            time.sleep(0.05)
        done = project.dvc("repro", COTLINE_DVC_WAIT_S="0.3")
        assert done.returncode == 1
        assert "dvc repro: a long rebuild still works in this checkout after 0.3 s" in done.stderr
    finally:
        holder.kill()
        holder.wait()


@needs_dvc
def test_a_stage_whose_input_changed_while_dvc_committed_is_taken_back(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit finds other bytes than the run had read: then the lock is put back as it was."""
    project.good(project.dvc("repro", "evaluation-recorded@own_direct"))
    project.good(project.cotline("sync"))
    before = (project.root / "dvc.lock").read_bytes()
    script = (
        "import sys\n"
        "from orchestration import dvc_command, record\n"
        "from orchestration.definitions import graph\n"
        "from orchestration.instance import opened\n"
        "real = dvc_command.run\n"
        "def raced(*arguments, **options):\n"
        "    with open('own/replies.jsonl', 'a') as file:\n"
        "        file.write('\\n')\n"
        "    return real(*arguments, **options)\n"
        "dvc_command.run = raced\n"
        "with opened() as instance:\n"
        "    good, refused = record.record(instance, graph())\n"
        "print(good, refused['evaluation-recorded@own_direct'])\n"
    )
    (project.root / "own/replies.jsonl").write_text('{"id": "x", "messages": ["q", "(B)"]}\n')
    project.good(project.cotline("materialize", "evaluation/recorded", "--partition", "own_direct"))
    said = project.good(project.call("python", "-c", script))
    assert said == "[] ['own/replies.jsonl changed since the run']\n"
    assert (project.root / "dvc.lock").read_bytes() == before
    assert lockfile.DVC_LOCK.exists()
