"""Tangram SVGs: the seven polygons of a drawing with their transforms applied, and nothing else that SVG can say."""

import math
import re
from typing import NamedTuple
from xml.parsers import expat

REASONS = (
    "empty_file",
    "file_too_long",
    "not_xml",
    "doctype",
    "entity",
    "processing_instruction",
    "script",
    "style",
    "foreign_object",
    "external_reference",
    "unknown_element",
    "unknown_attribute",
    "unexpected_text",
    "too_many_elements",
    "no_view_box",
    "bad_view_box",
    "view_box_too_large",
    "view_box_too_narrow",
    "unknown_transform",
    "no_number",
    "not_finite",
    "odd_points",
    "too_few_points",
    "too_many_points",
    "too_far_out",
    "not_seven_pieces",
)
"""Why a file is no tangram."""

MOST_BYTES = 256_000
MOST_ELEMENTS = 64
MOST_POINTS = 256
LONGEST_SIDE = 10_000.0
WIDEST_ASPECT = 20.0
FARTHEST = 100_000.0
PIECES = ("1", "2", "3", "4", "5", "6", "7")
"""The ids of a tangram's polygons. Source: the SVG files of KILOGRAM, all of which have these."""

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MATRIX = re.compile(r"[ \t\r\n,]*matrix[ \t\r\n]*\(([^()]*)\)[ \t\r\n,]*")
_BETWEEN = re.compile(r"[ \t\r\n]*,[ \t\r\n]*|[ \t\r\n]+")
_BLANK = " \t\r\n"
_REFUSED_ELEMENTS = {
    "script": "script",
    "style": "style",
    "foreignObject": "foreign_object",
    "image": "external_reference",
    "use": "external_reference",
    "a": "external_reference",
}
_PAINT = {"fill", "stroke", "stroke-width", "strokewidth"}
_ATTRIBUTES = {
    "svg": {"baseProfile", "height", "version", "viewBox", "width", "id", "style"},
    "g": {"id", "transform", "style", *_PAINT},
    "defs": {"id"},
    "polygon": {"id", "points", "transform", "style", *_PAINT},
}

Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Refused(Exception):
    """A file that is no tangram: the reason, one of `REASONS`, and what in it is the matter."""

    def __init__(self, reason: str, what: str = "") -> None:
        """Take the reason and the piece of the file that gave it."""
        super().__init__(f"{reason}: {what}" if what else reason)
        self.reason = reason
        self.what = what


class Piece(NamedTuple):
    """One polygon of a tangram: its id, and x and y of its corners in turn, from the view box's upper left."""

    piece: str
    points: tuple[float, ...]


class Drawing(NamedTuple):
    """A tangram: the width and height of its view box, and its pieces in the order in which they are drawn."""

    width: float
    height: float
    pieces: tuple[Piece, ...]


def tangram(data: bytes) -> Drawing:
    """The drawing in the bytes of an SVG file, `matrix` transforms of polygons and groups applied.

    Only what KILOGRAM's files consist of is taken: svg (100 % wide and high, or without a size), g, an empty defs,
    and polygon; colours are not read. Attributes of private namespaces are passed over. Nothing outside the file is
    ever opened, and no entity is expanded.

    Raises:
        Refused: the file holds anything else, or more than a tangram needs.

    Source: the SVG files of KILOGRAM (lil-lab/kilogram).
    """
    if not data.strip():
        raise Refused("empty_file")
    if len(data) > MOST_BYTES:
        raise Refused("file_too_long", f"{len(data)} bytes")
    if b"\0" in data:
        raise Refused("not_xml", "zero bytes, as UTF-16 has them")
    reader = _Reader()
    # a declared encoding is overruled: what expat asks Python for is any codec by the name in the file
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.ProcessingInstructionHandler = reader.instruction
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        undefined = error.code == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]
        raise Refused("entity" if undefined else "not_xml", str(error)) from None
    return reader.drawing()


class _Reader:
    """What expat tells, gathered as far as it belongs to a tangram."""

    def __init__(self) -> None:
        self.elements = 0
        self.points = 0
        self.box: tuple[float, float, float, float] | None = None
        self.pieces: list[Piece] = []
        self.open: list[tuple[str, Matrix]] = []

    def doctype(self, name: str, *_: object) -> None:
        raise Refused("doctype", name)

    def instruction(self, target: str, _: str) -> None:
        raise Refused("processing_instruction", target)

    def characters(self, text: str) -> None:
        if text.strip(_BLANK):
            raise Refused("unexpected_text", text[:80])

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            raise Refused("too_many_elements", f"more than {MOST_ELEMENTS}")
        tag = self._tag(name)
        own = _own(tag, attributes)
        above = self.open[-1][1] if self.open else _IDENTITY
        matrix = _times(above, _transform(own["transform"])) if "transform" in own else above
        if tag == "svg":
            self.box = _view_box(own)
        elif tag == "polygon":
            self._polygon(own, matrix)
        self.open.append((tag, matrix))

    def end(self, _: str) -> None:
        self.open.pop()

    def drawing(self) -> Drawing:
        ids = sorted(piece.piece for piece in self.pieces)
        if tuple(ids) != PIECES:
            raise Refused("not_seven_pieces", ", ".join(ids)[:80])
        if self.box is None:
            raise Refused("no_view_box")
        return Drawing(self.box[2], self.box[3], tuple(self.pieces))

    def _tag(self, name: str) -> str:
        space, _, tag = name.rpartition(" ")
        if tag in _REFUSED_ELEMENTS:
            raise Refused(_REFUSED_ELEMENTS[tag], tag)
        above = self.open[-1][0] if self.open else None
        fits = tag == "svg" if above is None else above in {"svg", "g"} and tag in {"g", "defs", "polygon"}
        if space != _SVG or not fits:
            raise Refused("unknown_element", f"{tag} in {above or 'the document'}"[:80])
        return tag

    def _polygon(self, own: dict[str, str], matrix: Matrix) -> None:
        flat = _numbers(own.get("points", ""))
        if len(flat) % 2:
            raise Refused("odd_points", f"{len(flat)} numbers")
        if len(flat) < 6:
            raise Refused("too_few_points", f"{len(flat) // 2} points")
        self.points += len(flat) // 2
        if self.points > MOST_POINTS:
            raise Refused("too_many_points", f"more than {MOST_POINTS}")
        left, top = (self.box or (0.0, 0.0))[:2]
        a, b, c, d, e, f = matrix
        moved: list[float] = []
        for x, y in zip(flat[::2], flat[1::2], strict=True):
            moved += (a * x + c * y + e - left, b * x + d * y + f - top)
        for value in moved:
            # the comparison is false for NaN and infinity too, which products of finite numbers can be
            if not abs(value) <= FARTHEST:
                raise Refused("too_far_out", f"{value:g}")
        self.pieces.append(Piece(own.get("id", ""), tuple(moved)))


def _own(tag: str, attributes: dict[str, str]) -> dict[str, str]:
    """The attributes of no namespace, each one that the element may have."""
    own: dict[str, str] = {}
    for name, value in attributes.items():
        space, _, local = name.rpartition(" ")
        low = local.lower()
        if space == _XLINK or low in {"href", "src"} or "url(" in value.lower():
            raise Refused("external_reference", f"{local}={value}"[:80])
        if space:
            continue
        if low.startswith("on"):
            raise Refused("script", local[:80])
        if local == "style" and value.strip(_BLANK):
            raise Refused("style", value[:80])
        if local not in _ATTRIBUTES[tag]:
            raise Refused("unknown_attribute", local[:80])
        own[local] = value
    return own


def _view_box(own: dict[str, str]) -> tuple[float, float, float, float]:
    if "viewBox" not in own:
        raise Refused("no_view_box")
    box = _numbers(own["viewBox"])
    if len(box) != 4 or box[2] <= 0 or box[3] <= 0:
        raise Refused("bad_view_box", own["viewBox"][:80])
    left, top, width, height = box
    if max(width, height) > LONGEST_SIDE or max(abs(left), abs(top)) > FARTHEST:
        raise Refused("view_box_too_large", own["viewBox"][:80])
    if max(width, height) > WIDEST_ASPECT * min(width, height):
        raise Refused("view_box_too_narrow", own["viewBox"][:80])
    for side in ("width", "height"):
        if own.get(side, "100%").strip(_BLANK) != "100%":
            raise Refused("bad_view_box", f"{side}={own[side]}"[:80])
    return left, top, width, height


def _transform(text: str) -> Matrix:
    matrix, place = _IDENTITY, 0
    while place < len(text.rstrip(_BLANK)):
        found = _MATRIX.match(text, place)
        numbers = _numbers(found[1]) if found else []
        if found is None or len(numbers) != 6:
            raise Refused("unknown_transform", text[:80])
        a, b, c, d, e, f = numbers
        matrix, place = _times(matrix, (a, b, c, d, e, f)), found.end()
    return matrix


def _times(outer: Matrix, inner: Matrix) -> Matrix:
    a, b, c, d, e, f = outer
    p, q, r, s, t, u = inner
    return (a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f)


def _numbers(text: str) -> list[float]:
    """The numbers of a list with commas or white space between them."""
    text = text.strip(_BLANK)
    values: list[float] = []
    for word in _BETWEEN.split(text) if text else ():
        if word.lstrip("+-").lower() in {"nan", "inf", "infinity"}:
            raise Refused("not_finite", word)
        if not _NUMBER.fullmatch(word):
            raise Refused("no_number", word[:80])
        value = float(word)
        if not math.isfinite(value):
            raise Refused("not_finite", word[:80])
        values.append(value)
    return values
