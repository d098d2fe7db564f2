import multiprocessing
import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from orchestration import locks


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(locks, "LOCKS", tmp_path)
    return tmp_path


def hold(pipe: Connection, stages: list[str], reads: list[str]) -> None:
    with locks.held(stages, reads, 0, "run one"):
        pipe.send("held")
        pipe.recv()


@pytest.fixture
def holder(folder: Path) -> tuple[multiprocessing.Process, Connection]:
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("fork")
    process = context.Process(target=hold, args=(there, ["b", "a"], ["r"]))
    process.start()
    assert here.poll(30)
    assert here.recv() == "held"
    yield process, here
    process.kill()
    process.join()


def test_a_second_writer_is_told_who_holds_the_table(holder: tuple[multiprocessing.Process, Connection]) -> None:
    process, _ = holder
    with (
        pytest.raises(locks.Busy, match=rf"a: is being written by run one \(process {process.pid}\); waited 0 s"),
        locks.held(["a", "c"], [], 0, "run two"),
    ):
        pass


def test_another_table_is_free(holder: tuple[multiprocessing.Process, Connection]) -> None:
    with locks.held(["c"], [], 0, "run two"):
        pass


def test_a_waiting_writer_goes_on_when_the_other_ends(holder: tuple[multiprocessing.Process, Connection]) -> None:
    _, pipe = holder
    pipe.send("end")
    with locks.held(["a", "b"], [], 30, "run two"):
        pass


def test_a_killed_writer_leaves_nothing_locked(holder: tuple[multiprocessing.Process, Connection]) -> None:
    process, _ = holder
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with locks.held(["a", "b"], [], 0, "run two"):
        pass


def test_readers_share_a_table(holder: tuple[multiprocessing.Process, Connection]) -> None:
    with locks.held([], ["r"], 0, "run two"):
        pass


def test_a_table_that_is_read_is_not_written(holder: tuple[multiprocessing.Process, Connection]) -> None:
    with pytest.raises(locks.Busy, match="r: is being read by another run"), locks.held(["r"], [], 0, "run two"):
        pass


def test_a_table_that_is_written_is_not_read(holder: tuple[multiprocessing.Process, Connection]) -> None:
    with pytest.raises(locks.Busy, match="a: is being written by run one"), locks.held([], ["a"], 0, "run two"):
        pass
