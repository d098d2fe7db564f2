"""`assets.replies_store`: what was put is there again, whatever ended the process that put it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assets.replies_store import RepliesStore, Statistics, StoreError

ROOT = Path(__file__).resolve().parents[2]

WRITE_ON = """
import sys
from pathlib import Path
from assets.replies_store import RepliesStore
store = RepliesStore(Path(sys.argv[1]))
for at in range(int(sys.argv[3])):
    store.put(f"{sys.argv[2]}{at}", {"text": "x" * 500, "at": at})
    print(at, flush=True)
    if at == 0 and sys.argv[4:]:
        sys.stdin.readline()
store.close()
"""


def writing(folder, name, records, *, waits=False):
    """A process that writes; one that waits goes on after its first record when it is told to."""
    command = [sys.executable, "-c", WRITE_ON, str(folder), name, str(records), *(["waits"] if waits else [])]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def segments(folder):
    return sorted(folder.glob("segment-*.jsonl"))


def test_what_was_put_is_there_again(tmp_path):
    record = {"text": "naïve \ud83d", "list": [1, None, {"deep": 0.5}], "line": "a\nb\u2028c"}
    with RepliesStore(tmp_path) as store:
        assert store.put("k", record)
        assert store.get("k") == record
    with RepliesStore(tmp_path) as store:
        assert store.get("k") == record
        assert store.get("other") is None


def test_the_first_accepted_record_is_the_one(tmp_path):
    with RepliesStore(tmp_path) as store:
        assert not store.put("k", {"at": 0}, accepted=False)
        assert store.get("k") is None
        assert store.put("k", {"at": 1})
        assert not store.put("k", {"at": 2})
        assert not store.put("k", {"at": 3}, accepted=False)
    with RepliesStore(tmp_path) as store:
        assert store.get("k") == {"at": 1}
        assert store.statistics()[:4] == (1, 2, 1, 0)


def test_a_store_that_nothing_was_put_into_leaves_no_folder(tmp_path):
    with RepliesStore(tmp_path / "new") as store:
        assert store.get("k") is None
        assert store.statistics() == Statistics(0, 0, 0, 0, 0, 0)
    assert not (tmp_path / "new").exists()


def test_a_line_is_json_of_its_own(tmp_path):
    with RepliesStore(tmp_path) as store:
        store.put("k", {"text": "x"})
    [segment] = segments(tmp_path)
    line = json.loads(segment.read_text())
    assert line["entry"] == {"key": "k", "record": {"text": "x"}, "state": "accepted"}
    # printf '{"key":"k","record":{"text":"x"},"state":"accepted"}' | sha256sum
    assert line["sha"] == "474f2b3243643884"


def test_a_cut_at_any_byte_of_the_last_record_loses_that_record_alone(tmp_path):
    with RepliesStore(tmp_path / "whole") as store:
        store.put("a", {"text": "first"})
        store.put("b", {"text": "second é"})
    whole = segments(tmp_path / "whole")[0].read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole)):
        folder = tmp_path / str(cut)
        folder.mkdir()
        (folder / "segment-000001.jsonl").write_bytes(whole[:cut])
        complete = cut == len(whole) - 1
        with RepliesStore(folder) as store:
            assert store.get("a") == {"text": "first"}
            assert store.get("b") == ({"text": "second é"} if complete else None)
            assert store.statistics().damaged == (0 if complete or cut == first else 1)
            assert store.put("c", {"text": "third"})
        assert segments(folder)[0].read_bytes().startswith(whole[:cut])
        with RepliesStore(folder) as store:
            assert store.get("a") == {"text": "first"}
            assert store.get("c") == {"text": "third"}
            assert store.statistics()[:4] == (3 if complete else 2, 0, 0, 0 if complete or cut == first else 1)


def test_a_byte_that_changed_anywhere_in_a_record_damages_that_record_alone(tmp_path):
    with RepliesStore(tmp_path) as store:
        store.put("a", {"text": "first"})
        store.put("b", {"text": "second"})
    [segment] = segments(tmp_path)
    whole = segment.read_bytes()
    first = whole.index(b"\n")
    for at in range(first):
        segment.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        store = RepliesStore(tmp_path)
        assert store.get("a") is None
        assert store.get("b") == {"text": "second"}
        assert store.statistics().damaged >= 1


def test_a_record_damaged_after_it_was_read_is_not_handed_out(tmp_path):
    with RepliesStore(tmp_path) as store:
        store.put("a", {"text": "first"})
        [segment] = segments(tmp_path)
        segment.write_bytes(segment.read_bytes().replace(b"first", b"worst"))
        assert store.get("a") is None
        assert store.put("a", {"text": "again"})
        assert store.get("a") == {"text": "again"}


def test_a_killed_process_loses_nothing_that_it_had_put(tmp_path):
    process = writing(tmp_path, "k", 100_000)
    for _ in range(150):
        said = process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with RepliesStore(tmp_path) as store:
        for at in range(int(said) + 1):
            assert store.get(f"k{at}") == {"text": "x" * 500, "at": at}
        assert store.put("after", {})
        assert store.statistics().segments == 1


def test_processes_that_write_at_once_take_a_segment_each_and_lose_nothing(tmp_path):
    processes = [writing(tmp_path, name, 200, waits=True) for name in "ab"]
    for process in processes:
        process.stdout.readline()
    with RepliesStore(tmp_path) as reader:
        assert reader.get("a0") == {"text": "x" * 500, "at": 0}
        for process in processes:
            process.communicate("go on\n", timeout=60)
        assert reader.get("b199") == {"text": "x" * 500, "at": 199}
        assert reader.statistics()[:5] == (400, 0, 0, 0, 2)


def test_of_two_processes_with_the_same_keys_one_comes_first(tmp_path):
    processes = [writing(tmp_path, "k", 150) for _ in range(2)]
    for process in processes:
        process.communicate(timeout=60)
    assert RepliesStore(tmp_path).statistics()[:4] == (150, 0, 150, 0)


def test_another_handle_sees_what_was_put_since(tmp_path):
    with RepliesStore(tmp_path) as reader, RepliesStore(tmp_path) as writer:
        assert reader.get("k") is None
        writer.put("k", {"at": 1})
        assert reader.get("k") == {"at": 1}
        assert not reader.put("k", {"at": 2})
        assert writer.get("k") == {"at": 1}


def test_a_closed_segment_is_written_on(tmp_path):
    for at in range(3):
        with RepliesStore(tmp_path) as store:
            store.put(str(at), {})
    assert [path.name for path in segments(tmp_path)] == ["segment-000001.jsonl"]


def test_a_forked_child_writes_on_a_segment_of_its_own(tmp_path):
    with RepliesStore(tmp_path) as store:
        store.put("parent", {"by": "parent"})
        child = os.fork()
        if child == 0:
            done = store.put("child", {"by": "child"})
            store.close()
            os._exit(0 if done else 1)
        assert os.waitpid(child, 0)[1] == 0
        store.put("parent again", {})
        assert store.get("child") == {"by": "child"}
        assert store.statistics()[:5] == (3, 0, 0, 0, 2)


def test_groups_share_a_sync(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("assets.replies_store.os.fsync", synced.append)
    monkeypatch.setattr("assets.replies_store.GROUP_S", 3600.0)
    with RepliesStore(tmp_path) as store:
        store.put("0", {})
        synced.clear()
        for at in range(1, 64):
            assert not synced
            store.put(str(at), {})
        assert len(synced) == 1


def test_a_lone_record_is_synced_within_the_second(tmp_path, monkeypatch):
    from threading import Event

    synced = Event()
    monkeypatch.setattr("assets.replies_store.GROUP_S", 0.01)
    with RepliesStore(tmp_path) as store:
        monkeypatch.setattr("assets.replies_store.time.monotonic", lambda: 0.0)
        store._last_sync = 0.0
        store.put("first", {})
        monkeypatch.setattr("assets.replies_store.os.fsync", lambda descriptor: synced.set())
        store.put("k", {})
        assert synced.wait(timeout=30)


def test_a_record_that_follows_a_full_group_is_synced_within_the_second_too(tmp_path, monkeypatch):
    from threading import Event

    synced = Event()
    monkeypatch.setattr("assets.replies_store.GROUP", 2)
    monkeypatch.setattr("assets.replies_store.GROUP_S", 0.05)
    monkeypatch.setattr("assets.replies_store.time.monotonic", lambda: 0.0)
    with RepliesStore(tmp_path) as store:
        for key in "ab":
            store.put(key, {})
        for key in "cde":
            store.put(key, {})
            monkeypatch.setattr("assets.replies_store.os.fsync", lambda descriptor: synced.set())
            synced.wait(timeout=30)
            assert synced.is_set()
            synced.clear()


@pytest.mark.parametrize("record", [{"a": float("nan")}, {"a": b"x"}, {"a": {1, 2}}], ids=["nan", "bytes", "set"])
def test_what_is_no_json_is_refused(tmp_path, record):
    with RepliesStore(tmp_path) as store:
        with pytest.raises(StoreError, match="a record of key k is no JSON"):
            store.put("k", record)
        assert store.put("k", {"a": 1})


def test_a_file_in_place_of_the_folder_is_said(tmp_path):
    (tmp_path / "store").write_text("")
    with pytest.raises(StoreError, match="store: is a file"):
        RepliesStore(tmp_path / "store")


def test_a_full_disk_is_said_and_the_next_record_is_whole(tmp_path, monkeypatch):
    class Full:
        def __init__(self, file):
            self.file = file
            self.left = 20

        def write(self, data):
            if not self.left:
                raise OSError(28, "No space left on device")
            some, self.left = bytes(data)[: self.left], 0
            return self.file.write(some)

        def __getattr__(self, name):
            return getattr(self.file, name)

    with RepliesStore(tmp_path) as store:
        store.put("a", {"at": 1})
        store._file = Full(store._file)
        with pytest.raises(StoreError, match=r"replies cannot be written .No space left on device.: free"):
            store.put("b", {"at": 2})
        assert store.put("c", {"at": 3})
        assert store.get("c") == {"at": 3}
    with RepliesStore(tmp_path) as store:
        assert (store.get("a"), store.get("b"), store.get("c")) == ({"at": 1}, None, {"at": 3})
        assert store.statistics().damaged == 1


def test_all_records_stream_in_the_order_they_were_put(tmp_path):
    with RepliesStore(tmp_path) as store, RepliesStore(tmp_path) as other:
        assert list(store.entries()) == []
        store.put("a", {"at": 0}, accepted=False)
        store.put("a", {"at": 1})
        other.put("b", {"at": 2})
        store.put("a", {"at": 3})
        [first, _] = segments(tmp_path)
        with first.open("ab") as file:
            file.write(b'torn {"sha"')
        assert [tuple(entry) for entry in store.entries()] == [
            ("a", {"at": 0}, "attempt"),
            ("a", {"at": 1}, "accepted"),
            ("a", {"at": 3}, "duplicate"),
            ("b", {"at": 2}, "accepted"),
        ]
        assert list(other.records()) == [("a", {"at": 1}), ("b", {"at": 2})]


def test_of_one_key_accepted_in_two_segments_one_record_streams(tmp_path):
    for name in ("1", "2"):
        with RepliesStore(tmp_path / name) as store:
            store.put("a", {"by": name})
    segments(tmp_path / "2")[0].rename(tmp_path / "1" / "segment-000002.jsonl")
    assert list(RepliesStore(tmp_path / "1").records()) == [("a", {"by": "1"})]


def test_hits_are_counted_by_run_and_a_torn_line_is_left_out(tmp_path):
    with RepliesStore(tmp_path) as store:
        assert store.hits() == []
        store.put("a", {})
        store.add_hits(3, evaluation="one")
        with (tmp_path / "hits.jsonl").open("ab") as file:
            file.write(b'{"evaluation":"torn","hi')
        store.add_hits(4, evaluation="two")
    assert RepliesStore(tmp_path).hits() == [{"evaluation": "one", "hits": 3}, {"evaluation": "two", "hits": 4}]
