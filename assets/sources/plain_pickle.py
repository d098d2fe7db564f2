"""A pickle from outside, read and never run: the elements of its one list, one by one, or its one plain value."""

import math
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from assets.sources import pickle_survey, pickle_values
from assets.sources.pickle_survey import FAULTY, PickleRefused, Reader, Survey, survey
from assets.sources.pickle_values import MOST_NODES, SCALARS, Array, Outermost, Stretch, fault

__all__ = ["REASONS", "Array", "PickleRefused", "Stretch", "items", "value"]

REASONS = (
    "missing_file",
    "unreadable_file",
    "empty_file",
    "file_too_long",
    *pickle_survey.REASONS,
    *(reason for reason in pickle_values.REASONS if reason not in pickle_survey.REASONS),
    "forbidden_global",
    "forbidden_call",
    "odd_array",
)
"""Why a pickle, or what follows of it, is not read."""

MOST_BYTES = 8 << 30
"""A longer pickle is none of the sources'; GeoQA+'s training file, the longest, has some 2 GB."""

MOST_BYTES_ALONE = 16 << 20
"""The same for a pickle whose value is held whole."""

LONGEST_TEXT = 64 << 10
LONGEST_BYTES = 4 << 10
"""Longer text (characters) and bytes are not held: they come as a `Stretch` of the file."""

_LARGEST_NUMBER = 1 << 1024
_MOST_DIMENSIONS = 8
_LONGEST_SIDE = 1 << 24

_FORMS = frozenset(
    (
        "numpy ndarray",
        "numpy dtype",
        "numpy.core.multiarray _reconstruct",
        "numpy._core.multiarray _reconstruct",
        "numpy.core.numeric _frombuffer",
        "numpy._core.numeric _frombuffer",
        # how protocols 0 to 2 write an array's bytes
        "_codecs encode",
        "builtins bytes",
        "__builtin__ bytes",
    )
)
"""Globals that stand for something plain; none of them is ever looked up."""

_DTYPE = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248])")
_ORDERS = ("<", ">", "|", "=")
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_EMPTY: dict[str, Callable[[], Any]] = {"EMPTY_LIST": list, "EMPTY_DICT": dict, "EMPTY_SET": set}
_NUMBERS = frozenset(("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"))
_OLD = frozenset(("STRING", "BINSTRING", "SHORT_BINSTRING"))
_HEADERS = {
    "BINUNICODE": 5,
    "BINUNICODE8": 9,
    "SHORT_BINUNICODE": 2,
    "UNICODE": 1,
    "BINBYTES": 5,
    "BINBYTES8": 9,
    "SHORT_BINBYTES": 2,
    "BYTEARRAY8": 9,
}
"""Bytes from the opcode to the text or bytes that it pushes."""


def items(path: Path, most_bytes: int = MOST_BYTES) -> Iterator[Any]:
    """The elements of the one list that a pickle of protocol 0 to 5 holds, each as soon as it is complete.

    Nothing is ever imported or called. An element is made of None, numbers, text, bytes, lists, tuples, sets, dicts
    with scalar keys, `Array` and, for long text and bytes, `Stretch`; it is a tree of at most `MOST_NODES` values.
    The file is gone through twice: first for where elements begin and what is used again, so that the second time
    nothing is held longer than it is needed. Memory holds an element and what is shared between elements, whatever
    the file's length; arrays stay in the file.

    Raises:
        PickleRefused: the file cannot be opened, is no pickle of a list, or holds anything else; elements that came
            before stay usable.
    """
    return _read(path, most_bytes, whole=False)


def value(path: Path, most_bytes: int = MOST_BYTES_ALONE) -> Any:
    """The one value that a small pickle holds, made as an element of `items` is.

    Raises:
        PickleRefused: as `items` says, save that it need be no list.
    """
    return next(_read(path, most_bytes, whole=True))


def _read(path: Path, most_bytes: int, *, whole: bool) -> Iterator[Any]:
    if not path.is_file():
        raise PickleRefused(path, "unreadable_file" if path.exists() else "missing_file", "no file")
    try:
        with path.open("rb") as handle:
            size = os.fstat(handle.fileno()).st_size
            if size == 0 or size > most_bytes:
                raise PickleRefused(path, "file_too_long" if size else "empty_file", f"{size} bytes")
            known = survey(path, handle, size, whole=whole)
            if known.fault is None or not whole:
                yield from _Machine(Reader(path, handle), known, whole).run()
    except OSError as error:
        raise PickleRefused(path, "unreadable_file", error.strerror or "no reading") from None
    if known.fault is not None:
        raise known.fault


class _Form(NamedTuple):
    name: str


class _Dtype:
    def __init__(self, code: str) -> None:
        self.code, self.order = code[-2:], code[0] if code[0] in _ORDERS else "="


class _Shell:
    """An array of which shape and bytes are still to come, and where the memo has it."""

    def __init__(self) -> None:
        self.places: list[int] = []


class _Machine:
    """Follows the opcodes of a pickle, of which `known` says where elements end and how long the memo is needed."""

    def __init__(self, reader: Reader, known: Survey, whole: bool) -> None:
        self._reader, self._known, self._whole = reader, known, whole
        self._path = reader.path
        self._at = self._memoized = 0
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def run(self) -> Iterator[Any]:
        starts, following, since, waits = self._known.starts, 0, 0, self._whole
        try:
            for count, (name, argument, at) in enumerate(self._reader.opcodes()):
                self._at = at
                if at >= self._known.end:
                    return
                if following < len(starts) and at == starts[following]:
                    if waits:
                        yield self._handed()
                    following, since, waits = following + 1, count, True
                elif waits and self._ends(name):
                    yield self._handed()
                    waits = False
                if count - since > 3 * MOST_NODES:
                    raise self._refusal("pickle_too_large", "an element of too many values")
                self._step(name, argument)
        except FAULTY as error:
            if self._known.fault is None:
                raise self._refusal("damaged_pickle", type(error).__name__) from None

    def _refusal(self, reason: str, what: str) -> PickleRefused:
        return PickleRefused(self._path, reason, f"{what} at byte {self._at}")

    def _ends(self, name: str) -> bool:
        """Whether an opcode puts what waits into the outermost list, or ends a whole value."""
        if name == "APPENDS":
            return self._marks == [1] and not self._whole
        return name == ("STOP" if self._whole else "APPEND") and not self._marks and len(self._stack) == 2 - self._whole

    def _handed(self) -> Any:
        element = self._stack[-1]
        self._stack[-1] = Outermost()
        if wrong := fault(element):
            raise self._refusal(wrong, "an element")
        return element

    def _step(self, name: str, argument: Any) -> None:
        stack = self._stack
        if name in _HEADERS:
            stack.append(self._held(name, argument))
        elif name in _NUMBERS:
            if type(argument) is int and abs(argument) >= _LARGEST_NUMBER:
                raise self._refusal("pickle_too_large", "a number")
            stack.append(argument)
        elif name in ("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"):
            self._remember(self._memoized if name == "MEMOIZE" else int(argument))
            self._memoized += 1
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            index = int(argument)
            stack.append(self._memo[index])
            if self._known.last[index] == self._at:
                del self._memo[index]
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name == "MARK":
            self._marks.append(len(stack))
        elif name in _OLD:
            # what Python 2 wrote: text where it is ASCII, else bytes, of which nothing says the encoding
            stack.append(argument if argument.isascii() else argument.encode("latin-1"))
        elif name in ("GLOBAL", "STACK_GLOBAL"):
            stack.append(self._form(argument if name == "GLOBAL" else " ".join(map(_text, self._taken(2)))))
        elif name == "REDUCE":
            form, arguments = self._taken(2)
            stack.append(self._reduced(form, arguments))
        elif name == "BUILD":
            self._build(self._taken(1)[0])
        elif name not in ("PROTO", "FRAME", "STOP"):
            self._contain(name)

    def _contain(self, name: str) -> None:
        stack = self._stack
        if not stack and not self._whole:
            # the survey has seen that the first value is the list
            self._marks.clear()
            stack.append(Outermost())
        elif name in _EMPTY:
            stack.append(_EMPTY[name]())
        elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
            stack.append(tuple(self._taken(int(name[-1]))))
        elif name == "TUPLE":
            stack.append(tuple(self._to_mark()))
        elif name == "LIST":
            stack.append(self._to_mark())
        elif name == "FROZENSET":
            stack.append(frozenset(map(self._key, self._to_mark())))
        elif name == "DICT":
            taken = self._to_mark()
            made: dict[Any, Any] = {}
            stack.append(made)
            self._fill(made, taken)
        elif name in ("APPEND", "APPENDS", "SETITEM", "SETITEMS", "ADDITEMS"):
            taken = self._to_mark() if name.endswith("S") else self._taken(1 + (name == "SETITEM"))
            wanted = list if name.startswith("APPEND") else set if name == "ADDITEMS" else dict
            if type(stack[-1]) is Outermost and wanted is list:
                return
            if type(stack[-1]) is not wanted:
                raise self._refusal("damaged_pickle", f"{name} to a {_kind(stack[-1])}")
            self._fill(stack[-1], taken)
        elif name == "POP" and not (self._marks and self._marks[-1] == len(stack)):
            stack.pop()
        else:
            self._to_mark()

    def _fill(self, container: Any, taken: list[Any]) -> None:
        if type(container) is list:
            container.extend(taken)
        elif type(container) is set:
            container.update(map(self._key, taken))
        elif len(taken) % 2:
            raise self._refusal("damaged_pickle", "a key without a value")
        else:
            container.update(zip(map(self._key, taken[::2]), taken[1::2], strict=True))

    def _key(self, key: Any) -> Any:
        # hashing nested tuples of one tuple would take forever
        if type(key) not in SCALARS:
            raise self._refusal("damaged_pickle", f"a key that is a {_kind(key)}")
        return key

    def _taken(self, count: int) -> list[Any]:
        taken = self._stack[-count:]
        del self._stack[-count:]
        return taken

    def _to_mark(self) -> list[Any]:
        height = self._marks.pop()
        taken = self._stack[height:]
        del self._stack[height:]
        return taken

    def _remember(self, index: int) -> None:
        if self._known.last.get(index, -1) > self._at:
            top = self._memo[index] = self._stack[-1]
            if type(top) is _Shell:
                top.places.append(index)

    def _held(self, name: str, argument: Any) -> Any:
        if len(argument) <= (LONGEST_TEXT if type(argument) is str else LONGEST_BYTES):
            return argument if type(argument) is str else bytes(argument)
        offset = self._at + _HEADERS[name]
        length = self._reader.at - offset - (name == "UNICODE")
        coding = ("raw-unicode-escape" if name == "UNICODE" else "utf-8") if type(argument) is str else None
        return Stretch(self._path, offset, length, len(argument), coding)

    def _form(self, name: str) -> _Form:
        if name not in _FORMS:
            raise self._refusal("forbidden_global", name.replace(" ", ".")[:80])
        return _Form(name)

    def _reduced(self, form: Any, arguments: Any) -> Any:
        name = form.name.split()[-1] if type(form) is _Form else None
        if type(arguments) is tuple:
            match name, arguments:
                case "_reconstruct", (_Form("numpy ndarray"), (0,), b"b" | "b"):
                    return _Shell()
                case "dtype", (str(code), bool() | 0 | 1, bool() | 0 | 1) if _DTYPE.fullmatch(code):
                    return _Dtype(code)
                case "encode", (Stretch() as text, "latin1" | "latin-1") if text.coding is not None:
                    return text._replace(latin=True)
                case "encode", (str(text), "latin1" | "latin-1"):
                    return text.encode("latin-1")
                case "bytes", ():
                    return b""
                case "_frombuffer", (raw, _Dtype() as kind, tuple(shape), "C" | "F" as order):
                    return self._array(shape, kind, order == "F", raw)
        raise self._refusal("forbidden_call", name or f"a {_kind(form)}")

    def _build(self, state: Any) -> None:
        built = self._stack[-1]
        match built, state:
            case _Dtype(), (int(), str(order), None, None, None, -1, -1, int()) if order in _ORDERS:
                built.order = order
            case _Shell(), (int(), tuple(shape), _Dtype() as kind, bool() | 0 | 1 as fortran, raw):
                self._stack[-1] = made = self._array(shape, kind, bool(fortran), raw)
                for index in built.places:
                    if self._memo.get(index) is built:
                        self._memo[index] = made
            case _:
                raise self._refusal("odd_array", f"a state of a {_kind(built)}")

    def _array(self, shape: tuple[Any, ...], kind: _Dtype, fortran: bool, raw: Any) -> Array:
        if any(type(side) is not int or not 0 <= side <= _LONGEST_SIDE for side in shape):
            raise self._refusal("odd_array", "a shape")
        if type(raw) is str:
            raw = raw.encode("latin-1")
        fits = type(raw) is bytes or (type(raw) is Stretch and (raw.coding is None or raw.latin))
        if not fits or len(shape) > _MOST_DIMENSIONS:
            raise self._refusal("odd_array", "no plain bytes" if len(shape) <= _MOST_DIMENSIONS else "a shape")
        held = raw.size if type(raw) is Stretch else len(raw)
        if math.prod(shape) * int(kind.code[1]) != held:
            raise self._refusal("odd_array", f"{held} bytes for {shape} of {kind.code}")
        return Array(shape, f"{kind.order}{kind.code}", fortran, raw)


def _text(part: Any) -> str:
    return part if type(part) is str else ""


def _kind(value: Any) -> str:
    return type(value).__name__.strip("_").lower()
