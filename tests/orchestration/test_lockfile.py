"""dvc.lock as text: its order, its leavings, and single stages put back."""

from pathlib import Path

import pytest

from orchestration import lockfile
from orchestration.definitions import graph

HEAD = "schema: '2.0'\nstages:\n"


def block(stage: str, md5: str = "12e45678901234567890123456789012") -> str:
    return (
        f"  {stage}:\n    cmd: python -m orchestration materialize {stage}\n    outs:\n"
        f"    - path: data/x\n      md5: '{md5}'\n"
    )


@pytest.fixture(autouse=True)
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "dvc.lock"
    monkeypatch.setattr(lockfile, "DVC_LOCK", path)
    return path


def test_stages_come_in_the_graphs_order_and_what_is_none_any_more_goes(lock: Path) -> None:
    lock.write_text(
        HEAD + block("evaluation-flow") + block("evaluation-recorded@gone") + block("sources-m3cot_released")
    )
    assert lockfile.tidy(graph()) == ["evaluation-recorded@gone"]
    assert lock.read_text() == HEAD + block("sources-m3cot_released") + block("evaluation-flow")


def test_a_tidy_lock_is_not_written_again(lock: Path) -> None:
    lock.write_text(HEAD + block("evaluation-flow"))
    before = lock.stat().st_mtime_ns
    assert lockfile.tidy(graph()) == []
    assert lock.stat().st_mtime_ns == before


def test_a_lock_of_which_nothing_stays_goes_and_none_stays_none(lock: Path) -> None:
    assert lockfile.tidy(graph()) == []
    lock.write_text(HEAD + block("gone"))
    assert lockfile.tidy(graph()) == ["gone"]
    assert not lock.exists()


def test_only_the_named_stages_are_put_back(lock: Path) -> None:
    before = HEAD + block("a", "1" * 32) + block("b", "1" * 32)
    lock.write_text(HEAD + block("a", "2" * 32) + block("b", "2" * 32) + block("c", "2" * 32))
    lockfile.put_back(before.encode(), ["a", "c"])
    assert lock.read_text() == HEAD + block("b", "2" * 32) + block("a", "1" * 32)


def test_where_there_was_no_lock_none_is_left(lock: Path) -> None:
    lock.write_text(HEAD + block("a"))
    lockfile.put_back(b"", ["a"])
    assert not lock.exists()


def test_a_merge_that_was_not_settled_is_one_sentence(lock: Path) -> None:
    lock.write_text("<<<<<<< HEAD\nschema: '2.0'\n=======\n")
    with pytest.raises(lockfile.UnreadableLock, match=r"dvc\.lock: not readable .*settle the merge"):
        lockfile.read()


def test_entries_that_changed_are_named_but_for_the_given_ones(lock: Path) -> None:
    before = (HEAD + block("a", "1" * 32) + block("b", "1" * 32) + block("gone", "1" * 32)).encode()
    lock.write_text(HEAD + block("a", "2" * 32) + block("b", "1" * 32) + block("c", "2" * 32))
    assert lockfile.changed(before, but=()) == ["a", "c", "gone"]
    assert lockfile.changed(before, but=["a", "c"]) == ["gone"]
