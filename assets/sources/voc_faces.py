"""Photographs with face boxes in place of JHU-CROWD++ -> rows of tables `crowd` and `image`."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from xml.parsers import expat

from assets.images import Picture
from assets.ordering import natural
from assets.sources import folders
from assets.sources.jhu_crowd import Crowd, Head, is_name, is_outside, size
from assets.sources.jsonlines import SourceError

FILES = {"training.xml": "train", "testing.xml": "test"}
"""The files of boxes and the splits that they are."""

REASONS = tuple(
    dict.fromkeys(
        (
            *folders.REASONS,
            "file_too_long",
            "not_xml",
            "doctype",
            "entity",
            "processing_instruction",
            "unknown_element",
            "unknown_attribute",
            "unexpected_text",
            "too_many_elements",
            "path_outside",
            "bad_name",
            "missing_picture",
            "unreadable_picture",
            "bad_box",
            "box_outside",
            "size_differs",
            "no_boxes",
            "duplicate_id",
        )
    )
)
"""Why a photograph is no crowd, or a file of boxes is not read on; all of them are quarantined."""

STANDS_IN = "face boxes in place of JHU-CROWD++"
MOST_BYTES = 16 << 20
MOST_ELEMENTS = 250_000

_UPSTREAM = ("voc_faces", "the photographs with face boxes", "training.xml, testing.xml and their pictures")
_DECLARED = re.compile(rb"<\?xml[^>]{0,100}encoding=['\"]([A-Za-z0-9._-]{1,40})['\"]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_BLANK = " \t\r\n"
_WITHIN = {
    "dataset": {""},
    "name": {"dataset"},
    "comment": {"dataset"},
    "images": {"dataset"},
    "image": {"images"},
    "box": {"image"},
}
_ATTRIBUTES = {"image": {"file", "width", "height"}, "box": {"top", "left", "width", "height"}}


class _Refused(Exception):
    """A file of boxes that is not read on: the reason and what in it is the matter."""

    def __init__(self, reason: str, what: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.what = what


class _Photograph(NamedTuple):
    """One `image`: its attributes, the boxes' attributes, each with its line."""

    line: int
    said: dict[str, str]
    boxes: list[tuple[int, dict[str, str]]]


def pictures(folder: Path) -> Iterator[Picture]:
    """Every picture file below the folder as one row of table `image`, in natural order.

    Raises:
        SourceError: there is no such folder, or it holds too much.
    """
    folders.check(folder, *_UPSTREAM)
    return folders.pictures(folder)


def crowds(
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    *,
    provenance: str,
) -> Iterator[Crowd]:
    """One row of table `crowd` for every photograph that the files of boxes or the folder have.

    The files are imglab's XML: `image` with `file`, `width` and `height`, `box` with `top`, `left`, `width` and
    `height` in pixels. The id is the picture's stem; training is train and testing is test; occlusion and blur are
    null. Nothing outside the file is opened, no entity is expanded, the instruction that names a style sheet is
    passed over. Where a file holds anything else, what stands before it is read, and one row says where it ends.
    A photograph without boxes in the XML has no heads and is kept; a picture that no file names comes at the end, as
    no_boxes.

    Args:
        folder: the one that holds training.xml, testing.xml and the pictures.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
        provenance: where the rows are from; that they stand in for JHU-CROWD++ is added.

    Raises:
        SourceError: no such folder or file is there, or none holds a photograph.
    """
    folders.check(folder, *_UPSTREAM)
    names = [name for name in FILES if (folder / name).exists() or (folder / name).is_symlink()]
    if not names:
        raise SourceError(f"{folder}: holds neither {' nor '.join(FILES)}: put the files of boxes into it")
    seen: set[str] = set()
    named: set[str] = set()
    found, first = False, None
    for name in names:
        blank = Crowd(None, None, None, None, None, "voc_faces", f"{provenance} > {STANDS_IN}", FILES[name])
        photographs, refused = _read(folders.main_file(folder, name))
        found = found or bool(photographs)
        for photograph in photographs:
            yield _crowd(folder, photograph, name, blank, ids, reasons, seen, named)
        if refused is not None:
            first = first or f"{name}, line {refused[0]}: {refused[1].reason}"
            yield blank.set_aside(refused[1].reason, name, refused[0], refused[1].what)
    if not found:
        raise SourceError(f"{folder}: its files of boxes name no picture ({first or 'they hold none'}): get them again")
    for file in sorted({*ids, *reasons}.difference(named), key=natural):
        blank = Crowd(None, ids.get(file), None, None, None, "voc_faces", f"{provenance} > {STANDS_IN}", None)
        yield blank.set_aside("no_boxes" if file in ids else "unreadable_picture", file, None, reasons.get(file))


def _crowd(
    folder: Path,
    photograph: _Photograph,
    name: str,
    row: Crowd,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    seen: set[str],
    named: set[str],
) -> Crowd:
    """The row of one `image`; adds its id to `seen` and its file to `named`."""
    line, said, boxes = photograph
    shown = said.get("file", "")
    file = folders.place(shown)
    if file is None:
        return row.set_aside("path_outside", name, line, shown)
    named.add(file)
    stem = PurePosixPath(file).stem
    if not is_name(stem):
        return row.set_aside("bad_name", name, line, shown)
    row = row._replace(id=stem, image_id=ids.get(file))
    if stem in seen:
        return row.set_aside("duplicate_id", name, line, shown)
    seen.add(stem)
    if row.image_id is None:
        if file in reasons:
            return row.set_aside("unreadable_picture", name, line, f"{file}: {reasons[file]}")
        return row.set_aside("missing_picture", name, line, shown)
    measured = size(folder, file)
    if measured is None:
        return row.set_aside("unreadable_picture", name, line, shown)
    row = row._replace(width=measured[0], height=measured[1])
    claimed = (said.get("width", str(measured[0])), said.get("height", str(measured[1])))
    if claimed != (str(measured[0]), str(measured[1])):
        return row.set_aside("size_differs", name, line, f"{shown}: {claimed[0]} x {claimed[1]}")
    heads = []
    for at, box in boxes:
        head = _head(box)
        if head is None or is_outside(head, *measured):
            told = " ".join(f"{side}={value}" for side, value in box.items())
            return row.set_aside("bad_box" if head is None else "box_outside", name, at, told)
        heads.append(head)
    return row._replace(heads=tuple(heads))


def _head(box: Mapping[str, str]) -> Head | None:
    sides = [box.get(side, "") for side in ("left", "top", "width", "height")]
    if not all(map(_WHOLE.fullmatch, sides)):
        return None
    left, top, width, height = map(float, sides)
    return Head(left, top, width, height) if width >= 0 and height >= 0 else None


def _read(path: Path) -> tuple[list[_Photograph], tuple[int, _Refused] | None]:
    """The photographs of a file, and why and at which line it was not read on, where it was not."""
    try:
        with path.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror or error})") from None
    if len(data) > MOST_BYTES:
        return [], (1, _Refused("file_too_long", f"more than {MOST_BYTES} bytes"))
    declared = _DECLARED.match(data)
    reader = _Reader()
    # the two encodings that imglab writes: what expat asks Python for is any codec by the name in the file
    latin = declared is not None and declared[1].lower() in {b"iso-8859-1", b"latin1", b"latin-1"}
    parser = expat.ParserCreate("iso-8859-1" if latin else "utf-8")
    reader.parser = parser
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.ProcessingInstructionHandler = reader.instruction
    try:
        parser.Parse(data, True)
    except _Refused as refused:
        return reader.photographs, (parser.CurrentLineNumber, refused)
    except expat.ExpatError as error:
        undefined = error.code == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]
        return reader.photographs, (error.lineno, _Refused("entity" if undefined else "not_xml", str(error)))
    return reader.photographs, None


class _Reader:
    """What expat tells, gathered as far as it is about photographs; one that did not end is not among them."""

    def __init__(self) -> None:
        self.parser: expat.XMLParserType | None = None
        self.elements = 0
        self.photographs: list[_Photograph] = []
        self.open: list[str] = []
        self.current: _Photograph | None = None

    def doctype(self, name: str, *_: object) -> None:
        raise _Refused("doctype", name)

    def instruction(self, target: str, _: str) -> None:
        if target != "xml-stylesheet":
            raise _Refused("processing_instruction", target)

    def characters(self, text: str) -> None:
        if text.strip(_BLANK) and self.open[-1] not in ("name", "comment"):
            raise _Refused("unexpected_text", text)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            raise _Refused("too_many_elements", f"more than {MOST_ELEMENTS}")
        above = self.open[-1] if self.open else ""
        if above not in _WITHIN.get(tag, ()):
            raise _Refused("unknown_element", f"{tag} in {above or 'the document'}")
        # an unknown one can change what a box is: imglab's `ignore` says that it marks nothing
        if strange := sorted(set(attributes) - _ATTRIBUTES.get(tag, set())):
            raise _Refused("unknown_attribute", f"{strange[0]} of {tag}")
        line = self.parser.CurrentLineNumber if self.parser else 0
        if tag == "image":
            self.current = _Photograph(line, attributes, [])
        elif tag == "box" and self.current is not None:
            self.current.boxes.append((line, attributes))
        self.open.append(tag)

    def end(self, tag: str) -> None:
        self.open.pop()
        if tag == "image" and self.current is not None:
            self.photographs.append(self.current)
            self.current = None
