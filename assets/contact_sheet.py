"""Contact sheets: many pictures on one small PNG, to look a table of pictures over."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

MOST_BYTES = 200_000
MOST_PICTURES = 48

_GAP = 8
_CAPTION = 16
_COLOURS = 128
_LONGEST_LINE = 1_000


def sheet(pictures: Sequence["Image.Image"], captions: Sequence[str], columns: int = 4, width: int = 900) -> bytes:
    """A PNG under 200 kB: the pictures in rows of `columns`, each above its caption, `width` pixels wide or less.

    The first 48 pictures are shown. The sheet has 128 colours, and shrinks until it fits.

    Raises:
        ValueError: for captions that are not one a picture, or columns that leave no room.
    """
    if len(pictures) != len(captions):
        raise ValueError(f"{len(captions)} captions for {len(pictures)} pictures: give one each")
    if columns < 1 or not columns * 48 <= width <= 2400:
        raise ValueError(f"{columns} columns in {width} pixels: give each 48 pixels or more, 2,400 at most in all")
    return fitting(_sheet(pictures[:MOST_PICTURES], captions[:MOST_PICTURES], columns, width))


def fitting(whole: "Image.Image") -> bytes:
    """The picture as a PNG under 200 kB: of 128 colours, and as much smaller as it takes."""
    from PIL import Image

    factor = 1.0
    while True:
        size = (max(1, int(whole.width * factor)), max(1, int(whole.height * factor)))
        small = whole if factor == 1 else whole.resize(size)
        file = io.BytesIO()
        small.quantize(_COLOURS, method=Image.Quantize.FASTOCTREE).save(file, "PNG")
        taken = len(file.getvalue())
        if taken < MOST_BYTES:
            return file.getvalue()
        # bytes grow with the pixels, so the side shrinks by the root
        factor *= 0.95 * (MOST_BYTES / taken) ** 0.5


def cut(
    text: str, pen: "ImageDraw.ImageDraw", font: "ImageFont.FreeTypeFont | ImageFont.ImageFont", width: float
) -> str:
    """As much of the text as one line of `width` pixels holds, with an ellipsis where that is not all."""
    line = " ".join(text.split())[:_LONGEST_LINE]
    while line and pen.textlength(line, font=font) > width:
        line = line[:-2] + "…" if len(line) > 2 else ""
    return line


def _sheet(pictures: Sequence["Image.Image"], captions: Sequence[str], columns: int, width: int) -> "Image.Image":
    from PIL import Image, ImageDraw, ImageFont

    cell = (width - _GAP * (columns + 1)) // columns
    font = ImageFont.load_default(11)
    small = [_fitted(picture, cell) for picture in pictures]
    rows = [small[start : start + columns] for start in range(0, len(small), columns)]
    heights = [max(picture.height for picture in row) for row in rows]
    whole = Image.new("RGB", (width, _GAP + sum(height + _CAPTION + _GAP for height in heights) or _GAP), "#eeeeee")
    pen = ImageDraw.Draw(whole)
    top = _GAP
    for number, (row, height) in enumerate(zip(rows, heights, strict=True)):
        for place, picture in enumerate(row):
            left = _GAP + place * (cell + _GAP)
            whole.paste(picture, (left + (cell - picture.width) // 2, top))
            caption = cut(captions[number * columns + place], pen, font, cell)
            pen.text((left + cell / 2, top + height + 2), caption, fill="black", font=font, anchor="ma")
        top += height + _CAPTION + _GAP
    return whole


def _fitted(picture: "Image.Image", cell: int) -> "Image.Image":
    """The picture on white, no wider than the cell and no taller than one and a half times that."""
    from PIL import Image

    if picture.mode in ("RGBA", "LA", "PA"):
        ground = Image.new("RGBA", picture.size, "white")
        ground.alpha_composite(picture.convert("RGBA"))
        picture = ground
    factor = min(1.0, cell / picture.width, 1.5 * cell / picture.height)
    size = (max(1, int(picture.width * factor)), max(1, int(picture.height * factor)))
    return picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
