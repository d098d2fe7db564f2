"""A tool that reads a table, in a picture or in a text, as rows of cells."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from assets.models.tools import ocr
from assets.models.tools.ocr import Word
from assets.models.tools.pictures import opened
from assets.models.tools.tool import Argument, Given

BETWEEN = " | "
NO_TABLE = "no table"
_RULE = re.compile(r"[\s|:+=-]+")
_SEPARATORS: tuple[Callable[[str], list[str]], ...] = (
    lambda line: line.strip().removeprefix("|").removesuffix("|").split("|"),
    lambda line: line.split("\t"),
    lambda line: line.split(";"),
    lambda line: re.split(r",(?!\d{3}(?!\d))", line),
    lambda line: re.split(r"\s{2,}", line.strip()),
)
"""How the cells of a line are told apart, the surest first; a comma in 1,250 is none."""


@dataclass(frozen=True)
class TableReading:
    """The cells of a table, a row a line."""

    limit_s: float
    name: ClassVar[str] = "table_reading"
    meaning: ClassVar[str] = "the rows of a table in a picture, or in a text, with | between cells"
    arguments: ClassVar[tuple[Argument, ...]] = (
        Argument("picture", "picture", "the picture", required=False),
        Argument("text", "text", "or the text", required=False),
    )
    gives: ClassVar[Literal["text", "picture"]] = "text"
    version: ClassVar[str] = "1"
    engine: ClassVar[str] = ocr.ENGINE
    package: ClassVar[str] = ocr.PACKAGE

    @property
    def settings(self) -> dict[str, Any]:
        """What makes it again."""
        return asdict(self)

    def objection(self, arguments: Mapping[str, Any]) -> str | None:
        """What is wrong with the arguments beyond their kinds: not one of the two."""
        given = [name for name in ("picture", "text") if name in arguments]
        return (
            None if len(given) == 1 else f"{self.name}: {' and '.join(given) or 'nothing'} given: give picture or text"
        )

    def prepare(self) -> None:
        """Load the models that read pictures."""
        ocr.reader()

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        """The rows, or that there is no table, with the text that there is instead."""
        if "text" in arguments:
            return Given(_joined(of_text(arguments["text"])) or NO_TABLE)
        read = ocr.words(opened(pngs, arguments["picture"]))
        if rows := of_words(read):
            return Given(_joined(rows))
        text = "\n".join(" ".join(word.text for word in line) for line in ocr.lines(read))
        return Given(f"{NO_TABLE}; the text is:\n{text}" if text else f"{NO_TABLE}, {ocr.NOTHING}")


def of_text(text: str) -> list[list[str]]:
    """The longest table in a text: neighbouring lines with the same number of cells, two at least of each; or none.

    Lines that only rule a table are left out.
    """
    best: list[list[str]] = []
    for cells_of in _SEPARATORS:
        block: list[list[str]] = []
        for line in (*text.splitlines(), ""):
            if block and _RULE.fullmatch(line):
                continue
            cells = [" ".join(cell.split()) for cell in cells_of(line)] if line.strip() else []
            if block and len(cells) != len(block[0]):
                best = max(best, block, key=len)
                block = []
            if len(cells) > 1:
                block.append(cells)
        if len(best) > 1:
            return best
    return []


def of_words(read: Sequence[Word]) -> list[list[str]]:
    """The table that words with their places make: rows of as many cells each, empty ones included; or none.

    The rows with the most words say where the columns are: what overlaps in them from left to right is one column. Any
    other word belongs to the column that it overlaps most, or is nearest to.
    """
    rows = ocr.lines(read)
    most = max(map(len, rows), default=0)
    if most < 2 or len(rows) < 2:
        return []
    columns = _columns([word for row in rows if len(row) == most for word in row])
    if len(columns) < 2:
        return []
    table = []
    for row in rows:
        cells: list[list[str]] = [[] for _ in columns]
        for word in row:
            cells[max(range(len(columns)), key=lambda place: (_overlap(word, columns[place]), -place))].append(
                word.text
            )
        table.append([" ".join(cell) for cell in cells])
    return table


def _columns(read: Sequence[Word]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for left, right in sorted((word.left, word.right) for word in read):
        if found and left < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], right))
        else:
            found.append((left, right))
    return found


def _overlap(word: Word, column: tuple[float, float]) -> float:
    """How far both overlap; negative: how far they are apart."""
    return min(word.right, column[1]) - max(word.left, column[0])


def _joined(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(BETWEEN.join(cell.replace("|", "/") for cell in row) for row in rows)
