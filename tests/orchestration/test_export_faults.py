"""`cotline export` where a table cannot be read, a path cannot be, or a signal comes: a sentence, and no remains."""

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets import samples
from assets.exports.folder import PREFIX
from orchestration import cli, export, export_stop, storage
from tests.exported import benchmark
from tests.orchestration import test_export
from tests.orchestration.test_export import built, replies, said

root = test_export.root


def changed(path: Path, how: str) -> None:
    whole = path.read_bytes()
    if how == "garbage":
        path.write_bytes(b"not a table" * 9)
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif how == "folder":
        path.unlink()
        path.mkdir()
    elif how == "old":
        table = pq.read_table(path)
        pq.write_table(table.select([name for name in table.column_names if name not in ("id", "file", "turns")]), path)
    else:
        table = pq.read_table(path)
        first = table.column_names[0]
        pq.write_table(table.set_column(0, first, pa.array([7] * len(table))), path)


@pytest.mark.parametrize("how", ["garbage", "empty", "cut", "folder", "old", "other"])
@pytest.mark.parametrize("name", ["comt/benchmark", "comt/images"])
def test_a_table_that_cannot_be_read_is_named_with_the_command_that_makes_it(
    root: Path, capsys: pytest.CaptureFixture[str], name: str, how: str
) -> None:
    built()
    changed(root / f"data/{name}.parquet", how)
    status, _, told = said(capsys, "comt", "-o", str(root / "out"))
    why = "is no table `" if how in ("old", "other") else "its file cannot be read ("
    assert status == 1 and told.startswith(f"cotline export: {name}: {why}")
    assert told.endswith(f": make it again with cotline materialize {name}\n") and told.count("\n") == 1
    assert sorted(path.name for path in root.iterdir()) == ["data"]


@pytest.mark.parametrize("how", ["garbage", "old", "cut"])
def test_replies_that_cannot_be_read_are_named_with_the_command_that_makes_them(
    root: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    storage.write_table(samples.to_table(benchmark()[0]), "sample", storage.table_file(("sources", "m3cot_released")))
    replies("lively_cot", "(A)")
    changed(storage.table_file(("evaluation", "recorded"), "lively_cot"), how)
    told = said(capsys, "predictions", "-o", str(root / "out"), "--evaluation", "lively_cot")[2]
    assert told.startswith("cotline export: evaluation/recorded/lively_cot: ") and told.count("\n") == 1
    assert told.endswith("make it again with cotline materialize evaluation/recorded --partition lively_cot\n")


@pytest.mark.parametrize("what", ["comt", "predictions"])
def test_pages_that_are_broken_are_the_tables_fault_and_not_the_folders(
    root: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    built()
    storage.write_table(samples.to_table(benchmark()[0]), "sample", storage.table_file(("sources", "m3cot_released")))
    replies("lively_cot", "(A)" * 500)
    key, column, partition = (
        (("comt", "images"), "png", None)
        if what == "comt"
        else (("evaluation", "recorded"), "turns.list.element.parts.list.element.text", "lively_cot")
    )
    path = storage.table_file(key, partition)
    group = pq.read_metadata(path).row_group(0)
    chunks = [group.column(place) for place in range(group.num_columns)]
    [chunk] = [each for each in chunks if each.path_in_schema == column]
    start = min(at for at in (chunk.dictionary_page_offset, chunk.data_page_offset) if at)
    whole = bytearray(path.read_bytes())
    whole[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(whole)
    evaluation = ("--evaluation", "lively_cot") if what == "predictions" else ()
    status, _, told = said(capsys, what, "-o", str(root / "out"), *evaluation)
    name = "/".join((*key, partition) if partition else key)
    assert status == 1 and told.startswith(f"cotline export: {name}: its file cannot be read (")
    assert sorted(path.name for path in root.iterdir()) == ["data"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_process_leaves_nothing_beside_the_folder(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    built()
    seen: list[str] = []

    def stopped(*_: Any) -> Any:
        def pictures(found: Any) -> Any:
            yield next(iter(found))
            seen.extend(path.name for path in root.iterdir() if path.name.startswith(PREFIX))
            os.kill(os.getpid(), number)
            raise AssertionError("the process goes on")

        return pictures

    before = signal.getsignal(number)
    monkeypatch.setattr(export, "watched", stopped)
    with pytest.raises(SystemExit) as ended:
        said(capsys, "comt", "-o", str(root / "out"))
    assert ended.value.code == 128 + number
    assert len(seen) == 1 and [path.name for path in root.iterdir()] == ["data"]
    assert signal.getsignal(number) is before
    assert capsys.readouterr().err == "cotline: stopped\n"


def test_a_signal_that_is_ignored_stays_so_and_a_thread_may_export(root: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with export_stop.cleared():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, signal.SIG_IGN)
    finally:
        signal.signal(signal.SIGHUP, before)
    built()
    told = []
    thread = threading.Thread(
        target=lambda: told.append(cli.main(["export", "comt", "-o", str(root / "out")])), daemon=True
    )
    thread.start()
    thread.join(30)
    assert told == [0]


def test_the_help_says_what_a_kill_leaves(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["export", "--help"])
    assert f"{PREFIX}XXXXXXXX" in capsys.readouterr().out


def test_a_path_that_cannot_be_is_one_sentence(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built()
    (root / "loop").symlink_to(root / "loop")
    (root / "notes.txt").write_text("mine")
    for path, why in (
        ("loop", "leads back to itself"),
        ("n" * 300, "is too long a name"),
        ("notes.txt/x", "notes.txt is a file: name a new folder elsewhere"),
        ("notes.txt", "is a file: name a new folder"),
    ):
        status, out, told = said(capsys, "comt", "-o", str(root / path))
        assert (status, out) == (1, "") and why in told and told.count("\n") == 1
    assert said(capsys, "comt", "-o", str(root / ("n" * 250)))[0] == 0
