"""A contact sheet of some samples: each one's question and options above its pictures, in the order it shows them."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assets.comt.template import IDENTIFIER, identifier, identifiers, written
from assets.contact_sheet import cut, fitting
from assets.drawing import lettering
from assets.images import decode, on_white
from assets.schema.faults import Fault
from assets.schema.sample import LETTERS, Sample

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

WIDTH = 900
MOST_PICTURES = 10
"""Pictures shown of one sample; how many more there are is said."""

_COLUMNS = 5
_GAP = 8
_LINE = 16
_TALLEST = 170
_INK = "#111111"
_GREY = "#666666"
_RULE = "#bbbbbb"
_RIGHT = "#bfe5bf"


class SheetError(Fault):
    """A sample of which a picture is not there."""


class Decoded(Mapping[str, "Image.Image"]):
    """Pictures by image id that are kept as PNG and decoded one at a time, when they are looked up."""

    def __init__(self, pngs: Mapping[str, bytes]) -> None:
        """Take the PNGs by image id."""
        self._pngs = pngs

    def __getitem__(self, image_id: str) -> "Image.Image":
        """The picture, decoded anew."""
        return decode(self._pngs[image_id])

    def __iter__(self) -> Iterator[str]:
        """The image ids."""
        return iter(self._pngs)

    def __len__(self) -> int:
        """How many pictures there are."""
        return len(self._pngs)


def chosen(samples: Sequence[Sample], rows: int = 5) -> list[Sample]:
    """At most `rows` of the samples that were kept, evenly spaced over them, in their order."""
    kept = [sample for sample in samples if sample.dropped is None]
    several = min(rows, len(kept))
    return [kept[(2 * number + 1) * len(kept) // (2 * several)] for number in range(several)]


def sheet(samples: Sequence[Sample], pictures: Mapping[str, "Image.Image"]) -> bytes:
    """A PNG under 200 kB, 900 pixels wide or less: a row a sample, its pictures in turn above their identifiers.

    Above a row stand the sample's id, the beginning of its question and its options, the right one on green. What a
    picture has transparent is white, with a thin rule where a gap goes through it from top to bottom.

    Args:
        samples: those to show; each picture is looked up when its turn comes.
        pictures: by image id.

    Raises:
        SheetError: a sample has a picture that `pictures` lacks.
    """
    from PIL import Image

    rows = [_row(sample, pictures) for sample in samples]
    whole = Image.new("RGB", (WIDTH, sum(row.height for row in rows) or 1), "white")
    top = 0
    for row in rows:
        whole.paste(row, (0, top))
        top += row.height
    return fitting(whole)


def _row(sample: Sample, pictures: Mapping[str, "Image.Image"]) -> "Image.Image":
    from PIL import Image, ImageDraw

    numbers = _shown(sample)
    columns = min(_COLUMNS, max(3, len(numbers)))
    cell = (WIDTH - _GAP * (columns + 1)) // columns
    small = [_fitted(_picture(sample, number, pictures), cell) for number in numbers]
    lines = [small[start : start + columns] for start in range(0, len(small), columns)]
    height = 2 * _GAP + 2 * _LINE + sum(max(each.height for each in line) + _LINE + _GAP for line in lines)
    row = Image.new("RGB", (WIDTH, height), "white")
    pen, font = ImageDraw.Draw(row), lettering(12)
    pen.line((0, 0, WIDTH, 0), fill=_RULE)
    name = cut(sample.id or "", pen, font, WIDTH / 3)
    pen.text((_GAP, _GAP), name, fill=_INK, font=font)
    start = _GAP + pen.textlength(name, font=font) + 2 * _GAP
    question = IDENTIFIER.sub("", sample.question or "")
    pen.text((start, _GAP), cut(question, pen, font, WIDTH - _GAP - start), fill=_GREY, font=font)
    _write_options(sample, pen, font)
    top = _GAP + 2 * _LINE + _GAP // 2
    for at, line in enumerate(lines):
        tallest = max(each.height for each in line)
        for place, each in enumerate(line):
            left = _GAP + place * (cell + _GAP) + (cell - each.width) // 2
            row.paste(each, (left, top))
            pen.rectangle((left - 1, top - 1, left + each.width, top + each.height), outline=_RULE)
            caption = identifier(numbers[at * columns + place])
            pen.text((left + each.width / 2, top + tallest + 2), caption, fill=_GREY, font=font, anchor="ma")
        top += tallest + _LINE + _GAP
    more = len(sample.images or ()) - len(numbers)
    if more:
        pen.text((WIDTH - _GAP, height - _LINE - _GAP), f"and {more} more", fill=_GREY, font=font, anchor="ra")
    return row


def _write_options(
    sample: Sample, pen: "ImageDraw.ImageDraw", font: "ImageFont.FreeTypeFont | ImageFont.ImageFont"
) -> None:
    choices = sample.choices or ()
    widest = (WIDTH - _GAP * (len(choices) + 1)) / max(1, len(choices))
    left = float(_GAP)
    for letter, choice in zip(LETTERS, choices, strict=False):
        said = cut(f"{letter}  {choice}", pen, font, widest)
        right = left + pen.textlength(said, font=font)
        if letter == sample.answer:
            pen.rectangle((left - 3, _GAP + _LINE - 1, right + 3, _GAP + 2 * _LINE - 2), fill=_RIGHT)
        pen.text((left, _GAP + _LINE), said, fill=_INK, font=font)
        left = right + 2 * _GAP


def _shown(sample: Sample) -> list[int]:
    named = [*identifiers(sample.question or ""), *identifiers(written(sample.rationale or ()))]
    return list(dict.fromkeys(named))[:MOST_PICTURES]


def _picture(sample: Sample, number: int, pictures: Mapping[str, "Image.Image"]) -> "Image.Image":
    images = sample.images or ()
    if number >= len(images) or images[number] not in pictures:
        raise SheetError(f"{sample.id}: {identifier(number)} has no picture: make the sample's pictures again")
    return pictures[images[number]]


def _fitted(picture: "Image.Image", cell: int) -> "Image.Image":
    """The picture on white within the cell, each gap through it as a rule."""
    from PIL import Image, ImageDraw

    factor = min(1.0, cell / picture.width, _TALLEST / picture.height)
    size = (max(1, int(picture.width * factor)), max(1, int(picture.height * factor)))
    small = on_white(picture).convert("RGB").resize(size, Image.Resampling.LANCZOS)
    pen = ImageDraw.Draw(small)
    for middle in _gaps(picture):
        x = int(middle * factor)
        pen.line((x, 0, x, small.height), fill=_RULE)
    return small


def _gaps(picture: "Image.Image") -> list[float]:
    """The middles of the transparent gaps that go through a picture from top to bottom, and not along its sides."""
    import numpy as np

    if picture.mode not in ("LA", "RGBA"):
        return []
    filled = np.flatnonzero(np.asarray(picture.getchannel("A")).any(axis=0))
    return [(float(left) + float(right)) / 2 for left, right in itertools.pairwise(filled) if right - left > 1]
