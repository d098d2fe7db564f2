"""Replies by content key, in append-only segments that a kill at any point leaves readable."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from assets.schema.faults import Fault

GROUP = 64
"""Records a sync covers at most. Source: the design, responses are never lost."""

GROUP_S = 1.0
"""Seconds that a record waits for its sync at most. Source: the same."""

SEGMENT_BYTES = 256 << 20
"""A segment of this length is not written on."""

LONGEST_RECORD = 64 << 20

_ACCEPTED, _ATTEMPT, _DUPLICATE = _STATES = ("accepted", "attempt", "duplicate")
_NAME = re.compile(r"segment-(\d{6})\.jsonl")
_HITS = "hits.jsonl"
_HEAD, _MIDDLE, _TAIL = b'{"sha":"', b'","entry":', b"}"
_SHA = 16
_ENTRY = len(_HEAD) + _SHA + len(_MIDDLE)


class StoreError(Fault):
    """The store cannot be written or read; the message names the folder and the way out."""


class Statistics(NamedTuple):
    """What the store holds.

    accepted: keys with a record of their own. attempts: records that were kept and did not become one.
    duplicates: accepted records that came after the first. damaged: lines that hold no whole record.
    """

    accepted: int
    attempts: int
    duplicates: int
    damaged: int
    segments: int
    bytes: int


class Entry(NamedTuple):
    """One record as it was put; state: accepted, attempt, or duplicate (accepted, after the first of its key)."""

    key: str
    record: dict[str, Any]
    state: str


class _Place(NamedTuple):
    segment: int
    offset: int
    length: int


class RepliesStore:
    """Records by key: of a key, the first accepted record is the one, whichever process wrote it.

    A folder of `segment-NNNNNN.jsonl`; each process appends to one that it holds alone, all of them read all.
    A line is {"sha", "entry": {"key", "record", "state"}}, where sha is of the entry's bytes, so a line cut or
    damaged anywhere is known as such, skipped and counted. No line is ever changed or cut off.
    A record is in the file when `put` returns, and synced with at most 63 others or within a second.
    """

    def __init__(self, folder: Path) -> None:
        """The store at `folder`, which is made when the first record is put."""
        self._folder = folder
        self._lock = folder / "lock"
        self._paths: dict[int, Path] = {}
        self._guard = threading.RLock()
        self._index: dict[str, _Place] = {}
        self._read_to: dict[int, int] = {}
        self._attempts = self._duplicates = self._damaged = 0
        self._file: BinaryIO | None = None
        self._segment = -1
        self._owner = -1
        self._cut = False
        self._unsynced = 0
        self._last_sync = 0.0
        self._timer: threading.Timer | None = None
        self.refresh()

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the store."""
        self.close()

    def __len__(self) -> int:
        """Keys that have an accepted record, as far as read."""
        return len(self._index)

    def get(self, key: str) -> dict[str, Any] | None:
        """The accepted record of `key`, or None where there is none yet."""
        with self._guard:
            if key not in self._index:
                self.refresh()
            place = self._index.get(key)
            if place is None:
                return None
            with self._path(place.segment).open("rb") as file:
                file.seek(place.offset)
                entry = _parsed(file.read(place.length))
            if entry is None or entry.key != key:
                self._damaged += 1
                del self._index[key]
                return None
            return entry.record

    def put(self, key: str, record: Mapping[str, Any], accepted: bool = True) -> bool:
        """Keep a record of JSON values; True when it became the accepted one of its key.

        One that comes second, or is not `accepted`, is kept as an attempt.

        Raises:
            StoreError: the record is too long or no JSON, or the folder cannot be written.
        """
        try:
            with self._guard:
                file = self._opened()
                # Held from the look to the write, so that two processes never both come first.
                with self._alone():
                    self.refresh()
                    state = _ATTEMPT if not accepted else _DUPLICATE if key in self._index else _ACCEPTED
                    self._append(file, Entry(key, dict(record), state))
                self._unsynced += 1
                self._sync_when_due()
                return state == _ACCEPTED
        except OSError as error:
            raise self._unwritable(error) from error

    def sync(self) -> None:
        """Have everything put by this process on the disk."""
        with self._guard:
            if self._unsynced and self._file is not None and self._owner == os.getpid():
                try:
                    os.fsync(self._file.fileno())
                except OSError as error:
                    raise self._unwritable(error) from error
            self._unsynced = 0
            self._last_sync = time.monotonic()

    def close(self) -> None:
        """Sync, and let another process write on this one's segment."""
        with self._guard:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self.sync()
            if self._file is not None:
                self._file.close()
                self._file = None

    def refresh(self) -> None:
        """Read what other processes have appended since."""
        with self._guard:
            own = self._segment if self._file is not None and self._owner == os.getpid() and not self._cut else None
            for number in self._segments():
                # Nobody else writes on this process's segment, and what it wrote is known.
                if number != own:
                    self._scan(number)

    def statistics(self) -> Statistics:
        """What the store holds now."""
        with self._guard:
            self.refresh()
            numbers = self._segments()
            size = sum(self._path(number).stat().st_size for number in numbers)
            unfinished = sum(self._path(number).stat().st_size > self._read_to[number] for number in numbers)
            damaged = self._damaged + unfinished
            return Statistics(len(self._index), self._attempts, self._duplicates, damaged, len(numbers), size)

    def entries(self) -> Iterator[Entry]:
        """All records that the store holds now, segment by segment as they were put, one in memory at a time."""
        with self._guard:
            self.refresh()
            ends = sorted(self._read_to.items())
        for number, end in ends:
            start = 0
            with self._path(number).open("rb") as file:
                while start < end and (line := file.readline(LONGEST_RECORD + 1)):
                    entry = _parsed(line)
                    if entry is not None:
                        first = self._index.get(entry.key) == _Place(number, start, len(line))
                        yield entry if first or entry.state != _ACCEPTED else entry._replace(state=_DUPLICATE)
                    start += len(line)

    def records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The accepted records with their keys, in the order of `entries`."""
        return ((entry.key, entry.record) for entry in self.entries() if entry.state == _ACCEPTED)

    def add_hits(self, hits: int, **of: str) -> None:
        """Note that a run found so many records here, with what names the run; it decides nothing, and is a line.

        Raises:
            StoreError: the folder cannot be written.
        """
        line = json.dumps({**of, "hits": hits}, sort_keys=True).encode("ascii")
        try:
            with self._guard, self._alone(), (self._folder / _HITS).open("ab") as file:
                file.write(b"\n" * (_unended(self._folder / _HITS)) + line + b"\n")
        except OSError as error:
            raise self._unwritable(error) from error

    def hits(self) -> list[dict[str, Any]]:
        """What `add_hits` noted, a run each; a line that a kill cut short is left out."""
        try:
            lines = (self._folder / _HITS).read_bytes().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return [one for one in found if isinstance(one, dict) and isinstance(one.get("hits"), int)]

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self._folder.name}: replies cannot be written ({error.strerror}): free or mend the disk and run again, "
            "what was kept before is not lost"
        )

    def _segments(self) -> list[int]:
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        except NotADirectoryError as error:
            raise StoreError(f"{self._folder.name}: is a file, not a folder of replies: name a folder") from error
        return sorted(int(match[1]) for name in names if (match := _NAME.fullmatch(name)))

    def _path(self, number: int) -> Path:
        if number not in self._paths:
            self._paths[number] = self._folder / f"segment-{number:06d}.jsonl"
        return self._paths[number]

    def _scan(self, number: int) -> None:
        path = self._path(number)
        start = self._read_to.setdefault(number, 0)
        if path.stat().st_size <= start:
            return
        with path.open("rb") as file:
            file.seek(start)
            while line := file.readline(LONGEST_RECORD + 1):
                ended = line.endswith(b"\n")
                entry = _parsed(line)
                if entry is None and not ended and len(line) <= LONGEST_RECORD:
                    # Another process may be writing it; a later look reads it whole or finds more after it.
                    return
                if entry is not None:
                    self._count(entry, _Place(number, start, len(line)))
                elif line.strip():
                    self._damaged += 1
                start += len(line)
                self._read_to[number] = start

    def _count(self, entry: Entry, place: _Place) -> None:
        if entry.state == _ATTEMPT:
            self._attempts += 1
        elif entry.state == _DUPLICATE or entry.key in self._index:
            self._duplicates += 1
        else:
            self._index[entry.key] = place

    def _append(self, file: BinaryIO, entry: Entry) -> None:
        line = _line(entry)
        if len(line) > LONGEST_RECORD:
            raise StoreError(
                f"{self._folder.name}: the record of {entry.key} has {len(line)} bytes, more than {LONGEST_RECORD}: "
                "put what is long elsewhere and its name here"
            )
        start = file.tell()
        written = 0
        try:
            while written < len(line):
                written += file.write(line[written:])
        except OSError:
            if written:
                self._damaged += 1
                self._cut = True
            raise
        self._count(entry, _Place(self._segment, start, len(line)))
        self._read_to[self._segment] = start + len(line)

    def _opened(self) -> BinaryIO:
        """The segment of this process, held until it closes the store or ends; a forked child takes its own."""
        held = self._file is not None and self._owner == os.getpid() and not self._cut
        if self._file is not None and held and self._file.tell() < SEGMENT_BYTES:
            return self._file
        self.close()
        self._cut = False
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._alone():
            numbers = self._segments()
            for number in (*numbers, (numbers[-1] if numbers else 0) + 1):
                path = self._path(number)
                file = path.open("ab", buffering=0)
                if file.tell() < SEGMENT_BYTES and _locked(file):
                    break
                file.close()
            self._sync_folder()
        if _unended(path):
            # A line that a kill cut short stays as it is: the next record begins a line of its own.
            file.write(b"\n")
        self._scan(number)
        self._file, self._segment, self._owner = file, number, os.getpid()
        self._timer, self._unsynced, self._last_sync = None, 0, time.monotonic()
        return file

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with self._lock.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _sync_folder(self) -> None:
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _sync_when_due(self) -> None:
        if self._unsynced >= GROUP or time.monotonic() - self._last_sync >= GROUP_S:
            self.sync()
        elif self._timer is None:
            self._timer = threading.Timer(GROUP_S, self._sync_late)
            self._timer.daemon = True
            self._timer.start()

    def _sync_late(self) -> None:
        """What the timer does: it runs on while groups are synced, so that there is one a second, not one a group."""
        with self._guard:
            self._timer = None
            self.sync()


def _locked(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unended(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _sha(entry: bytes) -> bytes:
    return hashlib.sha256(entry).hexdigest()[:_SHA].encode("ascii")


def _line(entry: Entry) -> bytes:
    try:
        body = json.dumps(entry._asdict(), sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    except (TypeError, ValueError) as error:
        raise StoreError(f"a record of key {entry.key} is no JSON ({error}): put JSON values only") from error
    return _HEAD + _sha(body) + _MIDDLE + body + _TAIL + b"\n"


def _parsed(line: bytes) -> Entry | None:
    line = line.removesuffix(b"\n")
    body = line[_ENTRY : -len(_TAIL)]
    if line != _HEAD + _sha(body) + _MIDDLE + body + _TAIL:
        return None
    try:
        entry = Entry(**json.loads(body))
    except (TypeError, ValueError, RecursionError):
        return None
    known = isinstance(entry.record, dict) and isinstance(entry.key, str) and entry.state in _STATES
    return entry if known else None
