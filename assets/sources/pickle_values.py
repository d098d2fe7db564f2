"""What a pickle from outside may hold beside Python's plain values: long text and bytes, and numeric arrays."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.sources.pickle_survey import PickleRefused

if TYPE_CHECKING:
    import numpy as np

REASONS = ("too_deep", "self_reference", "pickle_too_large", "odd_value")
"""Why what a pickle holds is not handed out."""

MOST_NODES = 1_000_000
"""Values within one element, each counted as often as it is reached: lists of lists of one list do not blow up."""

DEEPEST = 64
SCALARS = frozenset((type(None), bool, int, float, str, bytes))


class Stretch(NamedTuple):
    """Text or bytes too long to hold: where they stand in the file; `size` counts characters or bytes."""

    path: Path
    offset: int
    length: int
    size: int
    coding: str | None
    latin: bool = False

    def read(self) -> str | bytes:
        """The text or bytes themselves.

        Raises:
            PickleRefused: the file is no longer there as it was, or an array's bytes are none.
        """
        try:
            with self.path.open("rb") as handle:
                handle.seek(self.offset)
                raw: str | bytes = handle.read(self.length)
            if self.coding is not None:
                raw = str(raw, self.coding, "surrogatepass" if self.coding == "utf-8" else "strict")  # type: ignore[arg-type]
            if isinstance(raw, str) and self.latin:
                raw = raw.encode("latin-1")
        except (OSError, ValueError) as error:
            raise PickleRefused(self.path, "unreadable_file", f"{type(error).__name__} at byte {self.offset}") from None
        if len(raw) != self.size:
            raise PickleRefused(self.path, "unreadable_file", f"it has changed at byte {self.offset}")
        return raw


@dataclass(frozen=True, slots=True)
class Array:
    """A numeric numpy array: `dtype` such as `<u1`; its bytes fit its shape and, where many, stay in the file."""

    shape: tuple[int, ...]
    dtype: str
    fortran: bool
    raw: bytes | Stretch = field(repr=False)

    def pixels(self) -> "np.ndarray[Any, Any]":
        """The array itself, read-only.

        Raises:
            PickleRefused: as `Stretch.read` does.
        """
        import numpy as np

        raw = self.raw.read() if isinstance(self.raw, Stretch) else self.raw
        flat = np.frombuffer(raw, self.dtype) if raw else np.empty(0, self.dtype)  # type: ignore[arg-type]
        whole: np.ndarray[Any, Any] = flat.reshape(self.shape, order="F" if self.fortran else "C")
        return whole


class Outermost:
    """The list that is read, of which no element is kept."""


def fault(element: Any) -> str | None:
    """Why an element is no tree of a bounded number of plain values; each part of it is gone into once."""
    sizes: dict[int, int] = {}
    path: list[tuple[int, Iterator[Any], list[int]]] = []
    entered: set[int] = set()
    total = [0]
    waiting: Iterator[Any] = iter((element,))
    while True:
        for part in waiting:
            kind = type(part)
            if kind in SCALARS or kind is Array or kind is Stretch:
                total[0] += 1
                continue
            if kind not in (list, tuple, dict, set, frozenset):
                return "self_reference" if kind is Outermost else "odd_value"
            if id(part) in sizes:
                total[0] += sizes[id(part)]
                continue
            if id(part) in entered:
                return "self_reference"
            if len(path) >= DEEPEST:
                return "too_deep"
            entered.add(id(part))
            path.append((id(part), waiting, total))
            waiting, total = iter(part.values() if kind is dict else part), [1 + (kind is dict and len(part))]
            break
        else:
            if not path:
                return "pickle_too_large" if total[0] > MOST_NODES else None
            done, waiting, above = path.pop()
            sizes[done] = total[0]
            above[0] += total[0]
            total = above
