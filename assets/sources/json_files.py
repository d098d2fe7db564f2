"""A JSON file from outside, read strictly: the entries of its one object or array, one by one, or its one value."""

import codecs
import io
import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from assets.sources.jsonlines import EXCERPT, SourceError

REASONS = (
    "missing_file",
    "unreadable_file",
    "empty_file",
    "file_too_long",
    "not_utf8",
    "invalid_json",
    "truncated_json",
    "duplicate_key",
    "not_a_number",
    "too_deep",
    "lone_surrogate",
)
"""Why a JSON file, or one entry of it, holds nothing that can be used."""

MOST_BYTES = 1 << 30
"""A longer JSON file is none of the sources'; the longest, Sherlock's training file, has some 200 MB."""

MOST_BYTES_ALONE = 16 << 20
"""The same for a file that is held whole."""

DEEPEST = 64
"""Levels of nesting that a value may have; the sources have four."""

_CHUNK = 1 << 20
_LONGEST_ENTRY = 16 << 20
_SPACE = re.compile(r"[ \t\n\r]+")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(")?|[\[\]{},]', re.DOTALL)
_FOREIGN = re.compile("[\udc80-\udcff]")
_SURROGATE = re.compile("[\udc80-\udcff]|\\\\u[dD][89a-fA-F]")


class Unreadable(NamedTuple):
    """A JSON file or an entry of one that cannot be used: the reason, the line from 1 if known, how it begins."""

    reason: str
    line: int | None
    excerpt: str | None


class Entry(NamedTuple):
    """One entry of a JSON object (or array: key None): its value or why there is none, its line, how it begins."""

    key: str | None
    value: Any
    line: int
    excerpt: str


def entries(path: Path, most_bytes: int = MOST_BYTES) -> Iterator[Entry]:
    """The entries of a JSON file that is one object, in the file's order; the same key twice gives two entries.

    The value of an entry that is no strict JSON is an `Unreadable` and what follows is read on: not_utf8,
    invalid_json, duplicate_key (within the value), not_a_number (NaN, Infinity, 1e999), too_deep, lone_surrogate.
    Where reading on is impossible one last entry with key None says why: truncated_json or invalid_json.
    Memory holds an entry or two, whatever the file's length.

    Raises:
        SourceError: the file cannot be opened, is too long, is UTF-16, or does not begin as an object.
    """
    return _members(path, "{", most_bytes)


def items(path: Path, most_bytes: int = MOST_BYTES) -> Iterator[Entry]:
    """The elements of a JSON file that is one array, as `entries` has them; their key is None.

    Raises:
        SourceError: the file cannot be opened, is too long, is UTF-16, or does not begin as an array.
    """
    return _members(path, "[", most_bytes)


def json_file(path: Path, most_bytes: int = MOST_BYTES_ALONE) -> Any:
    """The value that a JSON file holds, or an `Unreadable` with one of `REASONS`; never raises."""
    if not path.is_file():
        return Unreadable("unreadable_file" if path.exists() else "missing_file", None, None)
    try:
        with path.open("rb") as handle:
            raw = handle.read(most_bytes + 1)
    except OSError as error:
        return Unreadable("unreadable_file", None, error.strerror)
    if len(raw) > most_bytes:
        return Unreadable("file_too_long", None, f"more than {most_bytes} bytes")
    text = _Text(io.BytesIO(raw))
    if not text.peek():
        return Unreadable("empty_file", None, None)
    line = text.line
    value, reason, excerpt = text.value()
    if reason is None and text.peek():
        reason = "invalid_json"
    return value if reason is None else Unreadable(reason, line, excerpt)


def _members(path: Path, opening: str, most_bytes: int) -> Iterator[Entry]:
    kind, closing = {"{": ("object", "}"), "[": ("array", "]")}[opening]
    with _opened(path, most_bytes) as handle:
        text = _Text(handle)
        if text.peek() != opening:
            raise SourceError(f"{path}: does not hold a JSON {kind}: get the file again")
        text.pass_one()
        if text.peek() == closing:
            text.pass_one()
            yield from _rest(text)
            return
        while True:
            key, line, excerpt, reason = None, text.line, text.excerpt(), None
            if opening == "{":
                if text.peek() != '"':
                    break
                line = text.line
                key, reason, _ = text.value()
                key = key if reason is None else None
                if text.peek() != ":":
                    break
                text.pass_one()
            if text.peek() in ("", closing, ","):
                break
            if opening == "[":
                line = text.line
            value, wrong, excerpt = text.value()
            reason = reason or wrong
            if text.is_cut and wrong is not None:
                yield Entry(key, Unreadable(wrong, line, excerpt), line, excerpt)
                return
            yield Entry(key, value if reason is None else Unreadable(reason, line, excerpt), line, excerpt)
            following = text.peek()
            if following not in (",", closing):
                break
            text.pass_one()
            if following == closing:
                yield from _rest(text)
                return
        reason = "invalid_json" if text.peek() else "truncated_json"
        yield Entry(None, Unreadable(reason, text.line, text.excerpt()), text.line, text.excerpt())


def _rest(text: "_Text") -> Iterator[Entry]:
    if text.peek():
        yield Entry(None, Unreadable("invalid_json", text.line, text.excerpt()), text.line, text.excerpt())


def _opened(path: Path, most_bytes: int) -> BinaryIO:
    if not path.is_file():
        raise SourceError(f"{path}: {'is not a file' if path.exists() else 'there is no such file'}")
    try:
        handle = path.open("rb")
    except OSError as error:
        raise SourceError(f"{path}: cannot be opened ({error.strerror or error})") from None
    size = os.fstat(handle.fileno()).st_size
    start = handle.read(2)
    handle.seek(0)
    if size <= most_bytes and start not in _UTF16:
        return handle
    handle.close()
    if size > most_bytes:
        raise SourceError(f"{path}: has {size} bytes, more than the {most_bytes} that are read: name the right file")
    raise SourceError(f"{path}: is UTF-16 text, not UTF-8: save it as UTF-8")


class _Text:
    """The text of a JSON file, a chunk at a time, and the place where reading stands."""

    def __init__(self, handle: BinaryIO) -> None:
        self.line = 1
        self.is_cut = False
        """Whether the file ended within the last value."""
        self._handle = handle
        # bytes that are no UTF-8 come through as lone surrogates, so that only the entry that has them is lost
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        self._held, self._at, self._ended = "", 0, False
        self._wrong: list[str] = []
        self._parse = json.JSONDecoder(
            object_pairs_hook=self._distinct, parse_constant=self._refused, parse_float=self._finite
        ).raw_decode
        self._fill()
        if self._held.startswith("\ufeff"):
            self._at = 1

    def peek(self) -> str:
        """The next character that is no white space; empty at the end."""
        while True:
            space = _SPACE.match(self._held, self._at)
            self._go(space.end() if space else self._at)
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._fill():
                return ""

    def pass_one(self) -> None:
        self._go(self._at + 1)

    def excerpt(self) -> str:
        raw = self._held[self._at : self._at + EXCERPT]
        return raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def value(self) -> tuple[Any, str | None, str]:
        """The value that begins here, why it cannot be used, and how it begins; reading then stands behind it."""
        if self._at > _CHUNK:
            # an error of the parser counts the lines before it, over and over where much is held
            self._held, self._at = self._held[self._at :], 0
        while True:
            self._wrong.clear()
            reason = "invalid_json"
            try:
                value, end = self._parse(self._held, self._at)
            except json.JSONDecodeError:
                if len(self._held) - self._at <= _LONGEST_ENTRY and self._fill():
                    continue
            except RecursionError:
                reason = "too_deep"
            except ValueError:
                # a number of more digits than Python turns into one
                pass
            else:
                # a number at the end of what is held may go on: 1 is read where 1e+ stands before 1e+5
                if len(self._held) - end <= len("e+") and self._fill():
                    continue
                raw, excerpt = self._held[self._at : end], self.excerpt()
                self._go(end)
                return value, self._fault(value, raw), excerpt
            excerpt = self.excerpt()
            end_of_it = self._end()
            if end_of_it is None:
                self.is_cut = self._ended and reason == "invalid_json"
                if self.is_cut:
                    reason = "truncated_json" if _is_text(self._held[self._at :]) else "not_utf8"
                self._go(len(self._held))
                while self._fill():
                    self._go(len(self._held))
                return None, reason, excerpt
            if _FOREIGN.search(self._held, self._at, end_of_it):
                reason = "not_utf8"
            self._go(end_of_it)
            return None, reason, excerpt

    def _fault(self, value: Any, raw: str) -> str | None:
        if self._wrong:
            return self._wrong[0]
        if raw.count("[") + raw.count("{") > DEEPEST and _depth(raw) > DEEPEST:
            return "too_deep"
        if _SURROGATE.search(raw):
            try:
                json.dumps(value, ensure_ascii=False).encode()
            except UnicodeEncodeError:
                return "not_utf8" if _FOREIGN.search(raw) else "lone_surrogate"
        return None

    def _end(self) -> int | None:
        """Where the broken value that begins here ends, by its brackets; None when the file ends before."""
        depth = done = 0
        while True:
            for token in _TOKEN.finditer(self._held, self._at + done):
                first = token[0][0]
                done = token.start() - self._at
                if first == '"' and token[1] is None:
                    break
                if depth == 0 and first in "]},":
                    return token.start()
                depth += (first in "[{") - (first in "]}")
                done = token.end() - self._at
            if len(self._held) - self._at > 2 * _LONGEST_ENTRY or not self._fill():
                return None

    def _go(self, to: int) -> None:
        self.line += self._held.count("\n", self._at, to)
        self._at = to

    def _fill(self) -> bool:
        if self._ended:
            return False
        # as much again as is held, or a long value would be parsed once for each chunk of it
        chunk = self._handle.read(max(_CHUNK, len(self._held) - self._at))
        self._ended = not chunk
        added = self._decode(chunk, self._ended)
        if chunk or added:
            self._held, self._at = self._held[self._at :] + added, 0
        return bool(chunk or added)

    def _distinct(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) != len(pairs):
            self._wrong.append("duplicate_key")
        return record

    def _refused(self, constant: str) -> None:
        self._wrong.append("not_a_number")

    def _finite(self, digits: str) -> float:
        number = float(digits)
        if not math.isfinite(number):
            self._wrong.append("not_a_number")
        return number


def _is_text(raw: str) -> bool:
    """Whether all of it was UTF-8; it may end within a character, as a file that was cut does."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(raw.encode("utf-8", "surrogateescape"))
    except UnicodeDecodeError:
        return False
    return True


def _depth(raw: str) -> int:
    depth = deepest = 0
    for token in _TOKEN.finditer(raw):
        depth += (token[0][0] in "[{") - (token[0][0] in "]}")
        deepest = max(deepest, depth)
    return deepest
