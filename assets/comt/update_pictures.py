"""A tangram as it is updated: its grey pieces, and step by step a colour, a label and an arrow for each part."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assets.comt.update_layout import BAR, LINE, PAD, Label, font, frame

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

PALETTE = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7")
"""Orange, sky blue, green, yellow, blue, vermilion and purple, without the black. Source: Okabe and Ito (2008)."""

PLAIN = "#d3d3d3"
"""`lightgray`, as the pieces of KILOGRAM's own drawings are filled."""

_INK = "#222222"
_OVERSAMPLED = 4
_HEAD = (10.0, 4.0)


class Shown(NamedTuple):
    """A group of pieces that is filled with its colour (`#rrggbb`) and named by its label."""

    pieces: tuple[int, ...]
    colour: str
    label: Label


def drawing(pieces: Mapping[int, Sequence[float]], shown: Sequence[Shown] = ()) -> "Image.Image":
    """The tangram with these groups coloured and named, RGB on white; without any it is plain.

    The picture has the same size and the figure the same place whatever is shown. Pieces in no group are light grey;
    each has a white seam of one unit of its drawing, as KILOGRAM's files have it, one pixel at least.

    Args:
        pieces: x and y of the corners in turn, by the piece's number, in the order in which they are drawn.
        shown: the groups added so far.

    Source: arXiv:2412.12932, C.2: each label category is coloured and annotated with arrows, one picture each time a
    label is added.
    """
    from PIL import Image, ImageDraw

    places = frame(list(pieces.values()))
    fills = {piece: group.colour for group in shown for piece in group.pieces}
    # grey takes a third of the time
    mode = "RGB" if shown else "L"
    large = Image.new(mode, (places.width * _OVERSAMPLED, places.height * _OVERSAMPLED), "#ffffff")
    pen = ImageDraw.Draw(large)
    seam = max(1, round(max(places.scale, 1.0) * _OVERSAMPLED))
    for piece, points in pieces.items():
        corners = [(x * _OVERSAMPLED, y * _OVERSAMPLED) for x, y in places.at(points)]
        pen.polygon(corners, fill=fills.get(piece, PLAIN))
        pen.line([*corners, corners[0], corners[1]], fill="#ffffff", width=seam)
    for group in shown:
        _arrow(pen, group.label)
    picture = large.reduce(_OVERSAMPLED).convert("RGB")
    small = ImageDraw.Draw(picture)
    small.fontmode = "L"
    for group in shown:
        _label(small, group)
    return picture


def _arrow(pen: "ImageDraw.ImageDraw", label: Label) -> None:
    """A dark arrow with a white rim, which is seen on every colour."""
    tail, tip = ((x * _OVERSAMPLED, y * _OVERSAMPLED) for x, y in (label.tail, label.tip))
    length = max(((tip[0] - tail[0]) ** 2 + (tip[1] - tail[1]) ** 2) ** 0.5, 1e-6)
    along = (tip[0] - tail[0]) / length, (tip[1] - tail[1]) / length
    long, broad = _HEAD[0] * _OVERSAMPLED, _HEAD[1] * _OVERSAMPLED
    neck = tip[0] - along[0] * long, tip[1] - along[1] * long
    head = [
        tip,
        (neck[0] - along[1] * broad, neck[1] + along[0] * broad),
        (neck[0] + along[1] * broad, neck[1] - along[0] * broad),
    ]
    rim = 2 * _OVERSAMPLED
    pen.line([tail, neck], fill="#ffffff", width=3 * _OVERSAMPLED + _OVERSAMPLED // 2)
    pen.line([*head, head[0], head[1]], fill="#ffffff", width=rim, joint="curve")
    pen.line([tail, neck], fill=_INK, width=round(1.5 * _OVERSAMPLED))
    pen.polygon(head, fill=_INK)


def _label(pen: "ImageDraw.ImageDraw", group: Shown) -> None:
    left, top, right, bottom = group.label.box
    pen.rectangle((left, top, right - 1, bottom - 1), fill="#ffffff", outline=_INK)
    pen.rectangle((left + 1, top + 1, left + BAR, bottom - 2), fill=group.colour)
    for number, line in enumerate(group.label.lines):
        pen.text((left + BAR + PAD, top + PAD // 2 + LINE * number + 13), line, fill=_INK, font=font(), anchor="ls")
