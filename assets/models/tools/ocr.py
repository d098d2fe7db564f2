"""A tool that reads the text of a picture, and the words with their places that tables are made of.

Source: RapidOCR, PP-OCRv4's models on ONNX Runtime (the package rapidocr-onnxruntime).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from assets.models.model import ModelError
from assets.models.tools.pictures import opened
from assets.models.tools.tool import Argument, Given

if TYPE_CHECKING:
    from PIL import Image

ENGINE = "ocr"
PACKAGE = "rapidocr-onnxruntime"
NOTHING = "no text"


class Word(NamedTuple):
    """Text that stands together, in pixels of its picture."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top


@dataclass(frozen=True)
class Ocr:
    """The text in a picture, line by line, in the order in which it is read."""

    limit_s: float
    name: ClassVar[str] = "ocr"
    meaning: ClassVar[str] = "the text that stands in a picture, line by line"
    arguments: ClassVar[tuple[Argument, ...]] = (Argument("picture", "picture", "the picture"),)
    gives: ClassVar[Literal["text", "picture"]] = "text"
    version: ClassVar[str] = "1"
    engine: ClassVar[str] = ENGINE
    package: ClassVar[str] = PACKAGE

    @property
    def settings(self) -> dict[str, Any]:
        """What makes it again."""
        return asdict(self)

    def prepare(self) -> None:
        """Load the models."""
        reader()

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        """The lines, or that there is no text."""
        read = lines(words(opened(pngs, arguments["picture"])))
        return Given("\n".join(" ".join(word.text for word in line) for line in read) or NOTHING)


@cache
def reader() -> Any:
    """What reads texts, loaded once.

    Raises:
        ModelError: the package is not installed.
    """
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ImportError as error:
        raise ModelError(
            f"tools: ocr and table_reading need {error.name or PACKAGE}: pip install {PACKAGE}, or leave them out"
        ) from error
    return RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)


def words(image: "Image.Image") -> list[Word]:
    """What stands in the picture, in no promised order."""
    import cv2
    import numpy as np

    cv2.setNumThreads(1)
    found, _ = reader()(np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1]))
    read = []
    for corners, text, _ in found or ():
        across, down = [float(x) for x, _ in corners], [float(y) for _, y in corners]
        if text.strip():
            read.append(Word(" ".join(text.split()), min(across), min(down), max(across), max(down)))
    return read


def lines(read: Sequence[Word]) -> list[list[Word]]:
    """The words by line, from top to bottom, each line from left to right.

    A word belongs to a line if its middle is nearer to the middle of the line's first word than half the height of
    the lower one of both.
    """
    found: list[list[Word]] = []
    for word in sorted(read, key=lambda word: (word.top + word.bottom, word.left, word.text)):
        middle = (word.top + word.bottom) / 2
        first = found[-1][0] if found else None
        if first and abs(middle - (first.top + first.bottom) / 2) < min(word.height, first.height) / 2:
            found[-1].append(word)
        else:
            found.append([word])
    return [sorted(line, key=lambda word: (word.left, word.text)) for line in found]
