"""JSON lines, plain or gzipped, read line by line: a record, or what is known of a line that is none."""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from assets.schema.faults import Fault

LONGEST_LINE = 64 << 20
"""A longer line is no record of a benchmark; it is skipped to its end without being held."""

LONGEST_STREAM = 16 << 30
"""Decompressed bytes after which a file is a gzip bomb rather than replies."""

MOST_UNREADABLE = 100_000
"""Unreadable lines after which a file is not JSON lines with faults but something else."""

EXCERPT = 200
_CHUNK = 1 << 18
_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"
_WORDS = {bytes: "bytes", dict: "object", list: "array", str: "string", int: "number", float: "number", bool: "boolean"}

Record = dict[str, Any]


class SourceError(Fault):
    """A file of which nothing can be read; the message is one sentence for the person who named the file."""


class Unreadable(NamedTuple):
    """A line that holds no record: the file as it was named, the line from 1, why, and how the line begins."""

    file: str
    line: int
    reason: str
    excerpt: str


class _Break(Exception):
    """The stream ends before its end: why, in a word for `reason` and in words for a person."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason = reason


def read(path: Path, name: str | None = None) -> Iterator[tuple[int, Record | Unreadable]]:
    """Each line of a .jsonl or .jsonl.gz file as (line number from 1, its JSON object or why there is none).

    Lines end in LF or CRLF and a byte order mark at the start is skipped; both are read as if they were not there.
    Every other fault is an `Unreadable`: blank_line, line_too_long, not_utf8, invalid_json, not_an_object,
    duplicate_key, not_a_number (NaN, Infinity), too_deep, lone_surrogate. Where the stream itself breaks, one last
    `Unreadable` says where: truncated_gzip, damaged_gzip, stream_too_long, too_many_unreadable_lines.
    Memory holds one line and one chunk, whatever the file's length.

    Args:
        path: the file; gzip is known by its first bytes, not by the name.
        name: what to call the file in what comes out; the path as given when left out.

    Raises:
        SourceError: there is no such file, it cannot be opened, or nothing can be read from it.
    """
    named = str(path) if name is None else name
    number = unreadable = 0
    try:
        with _opened(path, named) as handle:
            first = handle.read(_CHUNK)
            chunks = _chunks(handle, first, named, gzipped=path.suffix == ".gz")
            for number, raw in enumerate(_lines(chunks), start=1):
                record = _record(raw, named, number)
                yield number, record
                if type(record) is Unreadable:
                    unreadable += 1
                    if unreadable >= MOST_UNREADABLE:
                        raise _Break("too_many_unreadable_lines", f"{MOST_UNREADABLE} lines are no records")
    except _Break as error:
        if number == 0:
            raise SourceError(f"{named}: {error} before its first line: get the file again") from None
        yield number + 1, Unreadable(named, number + 1, error.reason, str(error))
    except OSError as error:
        raise SourceError(f"{named}: cannot be read ({error.strerror or error})") from None


def _opened(path: Path, named: str) -> BinaryIO:
    if path.is_dir():
        raise SourceError(f"{named}: is a folder, not a file of JSON lines")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise SourceError(f"{named}: there is no such file") from None
    except ValueError as error:
        raise SourceError(f"{named!r}: is no path of a file ({error})") from None


def _chunks(handle: BinaryIO, first: bytes, named: str, *, gzipped: bool) -> Iterator[bytes]:
    if first.startswith(_GZIP):
        yield from _inflated(handle, first)
        return
    if gzipped and first:
        raise SourceError(f"{named}: is named .gz and holds no gzip data: rename it, or get it again")
    if first.startswith(_UTF16):
        raise SourceError(f"{named}: is UTF-16 text, not UTF-8: save it as UTF-8")
    chunk = first
    while chunk:
        yield chunk
        chunk = handle.read(_CHUNK)


def _inflated(handle: BinaryIO, first: bytes) -> Iterator[bytes]:
    inflate = zlib.decompressobj(wbits=31)
    packed, total = first, 0
    while True:
        if not packed:
            packed = handle.read(_CHUNK)
            if not packed:
                raise _Break("truncated_gzip", "the gzip stream ends in the middle")
        try:
            chunk = inflate.decompress(packed, _CHUNK)
        except zlib.error as error:
            raise _Break("damaged_gzip", f"the gzip stream is damaged ({error})") from None
        total += len(chunk)
        if total > LONGEST_STREAM:
            raise _Break("stream_too_long", f"the gzip stream holds more than {LONGEST_STREAM >> 30} GiB")
        if chunk:
            yield chunk
        packed = inflate.unconsumed_tail
        if not inflate.eof:
            continue
        # zero bytes after a member are padding, as gzip(1) has it
        packed = inflate.unused_data.lstrip(b"\0")
        while not packed:
            more = handle.read(_CHUNK)
            if not more:
                return
            packed = more.lstrip(b"\0")
        if not packed.startswith(_GZIP[:1]):
            raise _Break("damaged_gzip", "bytes that are no gzip data follow the gzip stream")
        inflate = zlib.decompressobj(wbits=31)


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes | None]:
    """Raw lines without their LF; None stands for one that is too long to be held."""
    held: list[bytes] = []
    length = 0
    start = True
    for chunk in chunks:
        if start:
            chunk = chunk.removeprefix(_BOM)
            start = False
        whole = chunk.split(b"\n")
        last = whole.pop()
        if whole:
            if length:
                yield b"".join((*held, whole[0])) if length + len(whole[0]) <= LONGEST_LINE else None
                yield from whole[1:]
            else:
                yield from whole
            held, length = [], 0
        length += len(last)
        if length > LONGEST_LINE:
            held.clear()
        elif last:
            held.append(last)
    if length:
        yield b"".join(held) if length <= LONGEST_LINE else None


def _record(raw: bytes | None, named: str, number: int) -> Record | Unreadable:
    if raw is None:
        return Unreadable(named, number, "line_too_long", f"more than {LONGEST_LINE >> 20} MiB")
    try:
        record = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _slowly(raw, named, number)
    # Without white space before a colon, `":` stands once for each key (and perhaps in texts): as many as the
    # object has keys means that no key came twice, and nothing is nested. Only the other lines are parsed again.
    # A tab or CR cannot stand inside a JSON string, so where there is one it may stand before a colon.
    if (
        type(record) is dict
        and raw.count(b'":') == len(record)
        and b" :" not in raw
        and b"\t" not in raw
        and raw.find(b"\r", 0, -1) < 0
    ):
        return record
    return _slowly(raw, named, number)


class _DuplicateKey(ValueError):
    """An object has a key twice."""


class _NotANumber(ValueError):
    """A value is NaN or infinite, which JSON does not have."""


def _slowly(raw: bytes, named: str, number: int) -> Record | Unreadable:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return Unreadable(named, number, "not_utf8", _excerpt(raw))
    if not text.strip():
        return Unreadable(named, number, "blank_line", _excerpt(raw))
    reason: str
    try:
        record = json.loads(text, object_pairs_hook=_distinct, parse_constant=_refused)
        orjson.dumps(record)
    except _DuplicateKey:
        reason = "duplicate_key"
    except _NotANumber:
        reason = "not_a_number"
    except RecursionError:
        reason = "too_deep"
    except orjson.JSONEncodeError as error:
        # what the standard parser takes and orjson does not: an integer beyond 64 bits is fine, the others are not
        if "Integer" not in str(error):
            reason = "too_deep" if "ecursion" in str(error) else "lone_surrogate"
        elif isinstance(record, dict):
            return record
        else:
            reason = "not_an_object"
    except ValueError:
        reason = "invalid_json"
    else:
        if isinstance(record, dict):
            return record
        reason = "not_an_object"
    return Unreadable(named, number, reason, _excerpt(raw))


def _distinct(pairs: list[tuple[str, Any]]) -> Record:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise _DuplicateKey
    return record


def _refused(constant: str) -> float:
    raise _NotANumber(constant)


def _excerpt(raw: bytes) -> str:
    return raw[: 4 * EXCERPT].decode("utf-8", errors="replace")[:EXCERPT]
