"""Pictures as tools take them: out of PNGs that a run holds, whole and of a bounded size."""

import io
import math
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assets.image_modes import plain
from assets.models.tools.tool import ToolFault

if TYPE_CHECKING:
    from PIL import Image

PIXELS = 40_000_000
"""Of a picture at most, as its header says."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom as shares of a picture."""


def opened(pngs: Mapping[str, bytes], name: str) -> "Image.Image":
    """The picture of this name, mode L or RGB.

    Raises:
        ToolFault: it is no whole PNG, or too large.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(pngs[name]), formats=["PNG"]) as image:
                if image.width * image.height > PIXELS:
                    raise ToolFault(f"{name} has {image.width} x {image.height} pixels, which is too large")
                image.load()
                return plain(image)
    except Image.DecompressionBombError:
        raise ToolFault(f"{name} is too large") from None
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise ToolFault(f"{name} is no whole picture ({type(error).__name__})") from error


def pixels(box: Box, width: int, height: int) -> tuple[int, int, int, int]:
    """The smallest rectangle of whole pixels that holds the box, at least one pixel large: left, top, right, bottom."""
    left, right = _span(box[0], box[2], width)
    top, bottom = _span(box[1], box[3], height)
    return left, top, right, bottom


def _span(start: float, end: float, size: int) -> tuple[int, int]:
    # Shares such as 0.3 are not exact: 0.3 x 10 is a little less or more than 3, and that is no further pixel.
    first = min(size - 1, math.floor(start * size + 1e-6))
    return first, min(size, max(first + 1, math.ceil(end * size - 1e-6)))
