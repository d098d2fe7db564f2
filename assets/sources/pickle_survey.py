"""The first going-through of a pickle from outside: where its elements begin, what is used again, where to stop."""

import pickletools
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from assets.schema.faults import Fault

REASONS = (
    "truncated_pickle",
    "damaged_pickle",
    "trailing_bytes",
    "not_a_list",
    "forbidden_opcode",
    "pickle_too_large",
)
"""Why a pickle, or what follows of it, is not read, as far as its opcodes alone say."""

MOST_OPCODES = 20_000_000
"""GeoQA+ has some 250 a record and 12,000 records."""

LONGEST = 256 << 20
"""Bytes of one argument, such as an array's."""

FAULTY = (ValueError, ArithmeticError, LookupError, TypeError, EOFError, MemoryError)
"""What `pickletools` raises on bytes that are no pickle."""

_MOST_WAITING = 1_000_000
_MOST_SHARED = 2_000_000

_EFFECTS: dict[str, tuple[str, int]] = {
    **dict.fromkeys(
        [
            "NONE",
            "NEWTRUE",
            "NEWFALSE",
            "INT",
            "BININT",
            "BININT1",
            "BININT2",
            "LONG",
            "LONG1",
            "LONG4",
            "FLOAT",
            "BINFLOAT",
            "UNICODE",
            "BINUNICODE",
            "BINUNICODE8",
            "SHORT_BINUNICODE",
            "BINBYTES",
            "BINBYTES8",
            "SHORT_BINBYTES",
            "BYTEARRAY8",
            "STRING",
            "BINSTRING",
            "SHORT_BINSTRING",
            "EMPTY_LIST",
            "EMPTY_DICT",
            "EMPTY_SET",
            "EMPTY_TUPLE",
            "GLOBAL",
        ],
        ("push", 0),
    ),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), ("get", 0)),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"), ("put", 0)),
    **dict.fromkeys(("TUPLE", "LIST", "DICT", "FROZENSET"), ("gather", 0)),
    **dict.fromkeys(("APPENDS", "SETITEMS", "ADDITEMS"), ("fill", 0)),
    **dict.fromkeys(("APPEND", "BUILD"), ("take", 1)),
    **dict.fromkeys(("PROTO", "FRAME"), ("none", 0)),
    "SETITEM": ("take", 2),
    "TUPLE1": ("join", 1),
    "TUPLE2": ("join", 2),
    "TUPLE3": ("join", 3),
    "STACK_GLOBAL": ("join", 2),
    "REDUCE": ("join", 2),
    "MARK": ("mark", 0),
    "POP": ("pop", 0),
    "POP_MARK": ("pop_mark", 0),
    "STOP": ("stop", 0),
}
"""What each admitted opcode does to the stack. Source: the descriptions in Python's `pickletools`."""


class PickleRefused(Fault):
    """A pickle that is not read, or not further: `reason` in a word, `what` was met, or where."""

    def __init__(self, path: Path, reason: str, what: str) -> None:
        """Say it in a sentence."""
        super().__init__(
            f"{path}: is not read ({reason}: {what}): put there a pickle of plain lists, dicts, texts, numbers and "
            "numeric numpy arrays, the only things that are read, for nothing of it is ever run"
        )
        self.reason = reason
        self.what = what


class Reader:
    """The open file as `pickletools` reads it: no argument is longer than `LONGEST`; `at` is the next byte."""

    def __init__(self, path: Path, handle: BinaryIO) -> None:
        """Begin at the file's beginning."""
        self.path, self.at = path, 0
        self._handle = handle
        handle.seek(0)

    def read(self, count: int) -> bytes:
        """The next bytes.

        Raises:
            PickleRefused: there would be too many.
        """
        return self._passed(self._handle.read(count) if count <= LONGEST else None)

    def readline(self) -> bytes:
        """The bytes to the next newline.

        Raises:
            PickleRefused: there are too many.
        """
        line = self._handle.readline(LONGEST + 1)
        return self._passed(line if len(line) <= LONGEST else None)

    def tell(self) -> int:
        """The place of the next byte."""
        return self.at

    def opcodes(self) -> Iterator[tuple[str, Any, int]]:
        """Each opcode's name, argument and place, as `pickletools` has them; raises `FAULTY`."""
        for opcode, argument, at in pickletools.genops(self):  # type: ignore[arg-type]
            yield opcode.name, argument, at or 0

    def _passed(self, raw: bytes | None) -> bytes:
        if raw is None:
            raise PickleRefused(self.path, "pickle_too_large", f"an argument at byte {self.at}")
        self.at += len(raw)
        return raw


class Survey(NamedTuple):
    """What is known of a pickle: where each element of its list begins, the last use of each memo entry, its fault.

    Opcodes from byte `end` on are not to be followed. Of a broken file the last start only ends the element before.
    """

    starts: "array[int]"
    last: dict[int, int]
    fault: PickleRefused | None
    end: int


def survey(path: Path, handle: BinaryIO, size: int, *, whole: bool) -> Survey:
    """Where the elements of the outermost list begin, or, of a `whole` value, only whether its opcodes can be followed.

    The stack is followed by the place at which each value on it began. No value is made. What a `GET` brought is
    never changed afterwards, so an element is complete where the next one begins. Of a list that breaks off in the
    middle of a batch, the dicts before the last one are complete.
    """
    going = _Going(path, whole)
    reader = Reader(path, handle)
    fault, end = None, size
    try:
        for count, (name, argument, at) in enumerate(reader.opcodes()):
            going.at = at
            if count > MOST_OPCODES:
                raise going.refusal("pickle_too_large", "opcode 20 million")
            going.step(name, argument)
        if reader.at < size:
            fault = PickleRefused(path, "trailing_bytes", f"{size - reader.at} bytes")
    except PickleRefused as refused:
        fault, end = refused, going.at
    except FAULTY:
        fault, end = (
            going.refusal("truncated_pickle" if reader.at >= size else "damaged_pickle", "broken"),
            going.at + 1,
        )
    if end < size:
        going.rescue(handle)
    return Survey(going.starts, going.last, fault, end)


class _Going:
    """The stack, by the places at which its values began; those that a GET brought are bit-inverted."""

    def __init__(self, path: Path, whole: bool) -> None:
        self.at = 0
        self.starts: array[int] = array("q")
        self.last: dict[int, int] = {}
        self._path, self._whole, self._opened = path, whole, whole
        self._stack: list[int] = []
        self._marks: list[tuple[int, int]] = []
        self._memo: set[bool] = set()

    def refusal(self, reason: str, what: str) -> PickleRefused:
        return PickleRefused(self._path, reason, f"{what} at byte {self.at}")

    def step(self, name: str, argument: Any) -> None:
        effect, number = _EFFECTS.get(name, ("", 0))
        if not effect:
            raise self.refusal("forbidden_opcode", name)
        if not self._opened:
            self._open(name)
            return
        stack = self._stack
        if effect == "push":
            stack.append(self.at)
        elif effect == "get":
            stack.append(~self.at)
            self.last[int(argument)] = self.at
        elif effect == "put":
            self._need(1, 0)
            self._memo.add(name == "MEMOIZE")
        elif effect == "mark":
            self._marks.append((len(stack), self.at))
        elif effect == "gather":
            stack.append(self._to_mark()[1])
        elif effect == "fill":
            self._onto(self._to_mark()[0])
        elif effect == "take":
            self._onto(self._taken(number))
        elif effect == "join":
            stack.append(_place(self._taken(number)[0]))
        elif effect == "pop" and not (self._marks and self._marks[-1][0] == len(stack)):
            self._taken(1)
        elif effect in ("pop", "pop_mark"):
            self._to_mark()
        elif effect == "stop" and (self._marks or len(stack) != 1):
            raise self.refusal("damaged_pickle", "an end in between")
        if len(stack) > _MOST_WAITING or len(self.last) > _MOST_SHARED:
            raise self.refusal("pickle_too_large", "too many values that wait")
        if len(self._memo) > 1:
            raise self.refusal("damaged_pickle", "two kinds of memo")

    def rescue(self, handle: BinaryIO) -> None:
        """Of the batch of elements that is open where the file breaks: where the dicts at its beginning begin."""
        if self._whole or not self._marks or self._marks[0][0] != 1:
            return
        until = self._marks[1][0] if len(self._marks) > 1 else None
        for start in self._stack[1:until]:
            handle.seek(_place(start))
            if start < 0 or handle.read(1) != b"}":
                return
            self.starts.append(start)

    def _open(self, name: str) -> None:
        if (name == "EMPTY_LIST" and not self._marks) or (name == "LIST" and self._marks):
            self._marks.clear()
            self._stack.append(self.at)
            self._opened = True
        elif name == "MARK" and not self._marks:
            self._marks.append((0, self.at))
        elif name not in ("PROTO", "FRAME"):
            raise self.refusal("not_a_list", name)

    def _need(self, count: int, floor: int) -> None:
        if len(self._stack) - max(floor, self._marks[-1][0] if self._marks else 0) < count:
            raise self.refusal("damaged_pickle", "too little on the stack")

    def _taken(self, count: int) -> list[int]:
        self._need(count, 0 if self._whole else 1)
        taken = self._stack[-count:]
        del self._stack[-count:]
        return taken

    def _to_mark(self) -> tuple[list[int], int]:
        if not self._marks:
            raise self.refusal("damaged_pickle", "no mark")
        height, at = self._marks.pop()
        taken = self._stack[height:]
        del self._stack[height:]
        return taken, at

    def _onto(self, taken: list[int]) -> None:
        self._need(1, 0)
        if self._stack[-1] < 0:
            raise self.refusal("forbidden_opcode", "a change of what was made before")
        if not self._whole and len(self._stack) == 1:
            self.starts.extend(map(_place, taken))


def _place(start: int) -> int:
    return start if start >= 0 else ~start
