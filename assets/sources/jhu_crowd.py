"""JHU-CROWD++: its pictures and their heads -> rows of tables `crowd` and `image`."""

import os
import re
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from assets.images import LIMITS, Picture, format_of
from assets.ordering import natural
from assets.sources import folders
from assets.sources.jsonlines import EXCERPT, SourceError

SPLIT_OF_FOLDER = {"train": "train", "val": "validation", "test": "test"}
"""The folders of JHU-CROWD++ and the splits that they are."""

REASONS = tuple(
    dict.fromkeys(
        (
            *folders.REASONS,
            "missing_picture",
            "unreadable_picture",
            "missing_file",
            "unreadable_file",
            "file_too_long",
            "not_utf8",
            "bad_box",
            "box_outside",
            "bad_label",
            "count_differs",
            "duplicate_id",
        )
    )
)
"""Why a picture is no crowd, or a line of the labels belongs to none; all of them are quarantined."""

LABELS = "image_labels.txt"
MOST_BYTES = 4 << 20
"""The most crowded picture has 25,791 heads, which is less than a quarter of this."""

_UPSTREAM = ("jhu_crowd", "JHU-CROWD++", "its folders train, val and test")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_LABEL = re.compile(r"([^,]+),[ \t]*([0-9]{1,7})[ \t]*(?:,.*)?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_ORIENTATION = 0x0112
_LYING = (5, 6, 7, 8)
_DECODING = (
    OSError,
    SyntaxError,
    ValueError,
    ArithmeticError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    RuntimeError,
    struct.error,
)

Where = tuple[str, int | None, str | None]


class Head(NamedTuple):
    """One head: its box from the upper left corner in pixels, occlusion 1 to 3, blur 0 or 1, null where unknown."""

    left: float
    top: float
    width: float
    height: float
    occlusion: int | None = None
    blur: int | None = None


class Crowd(NamedTuple):
    """Table `crowd`, column by column."""

    id: str | None
    image_id: str | None
    width: int | None
    height: int | None
    heads: tuple[Head, ...] | None
    source: str
    provenance: str
    split: str | None
    dropped: str | None = None
    quarantined: Where | None = None

    def set_aside(self, reason: str, file: str, line: int | None = None, excerpt: str | None = None) -> "Crowd":
        """The row as one that could not be read; the excerpt is cut to what is kept of one."""
        return self._replace(heads=None, dropped=reason, quarantined=(file, line, excerpt and excerpt[:EXCERPT]))


class _Wrong(Exception):
    """What of a file cannot be used: reason, line, excerpt."""

    def __init__(self, reason: str, line: int | None = None, excerpt: str | None = None) -> None:
        super().__init__(reason)
        self.told = (reason, line, excerpt)


def pictures(folder: Path) -> Iterator[Picture]:
    """Every picture file below each split's `images` as one row of table `image`, in natural order.

    Raises:
        SourceError: there is no such folder, or it holds too much.
    """
    folders.check(folder, *_UPSTREAM)
    for split in SPLIT_OF_FOLDER:
        yield from folders.pictures(folder, f"{split}/images")


def crowds(
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    *,
    provenance: str,
) -> Iterator[Crowd]:
    """One row of table `crowd` for every picture, every file of heads and every label of JHU-CROWD++.

    Picture, file of heads and label of one name are one row, `train-0003`; splits as train, validation, test, names
    in natural order. An empty file of heads is a picture without heads. Heads come from centre to upper left corner
    and are not clipped. A row that lacks its picture or its heads, a line that is not six whole numbers as the
    format has them, a box wholly outside its picture and a label that counts other than the lines are quarantined.
    A picture needs no label. After the rows of a split come the lines of its labels that name nothing.

    Args:
        folder: the one that holds train, val and test.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
        provenance: where the rows are from.

    Raises:
        SourceError: there is no such folder, or it holds nothing of JHU-CROWD++.

    Source: JHU-CROWD++ (arXiv:2004.03597), its README: `x y w h o b`, x and y the head's centre.
    """
    folders.check(folder, *_UPSTREAM)
    found = False
    for split, name in SPLIT_OF_FOLDER.items():
        blank = Crowd(None, None, None, None, None, "jhu_crowd", provenance, name)
        for row in _split(folder, split, blank, ids, reasons):
            found = True
            yield row
    if not found:
        raise SourceError(f"{folder}: holds no pictures in train/images, val/images or test/images: put JHU-CROWD++'s")


def is_name(stem: str) -> bool:
    """Whether a file's stem can be part of an id and of the names of pictures that are made of it."""
    return _NAME.fullmatch(stem) is not None


def size(folder: Path, file: str) -> tuple[int, int] | None:
    """Width and height of a picture that was read before, turned as its EXIF says, from its header alone.

    None where the file is no longer the picture that it was.
    """
    from PIL import Image

    path = folder / file
    try:
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            return None
        with path.open("rb") as opened:
            kind = format_of(opened.read(16))
        if kind is None or path.stat().st_size > LIMITS.most_bytes:
            return None
        with Image.open(path, formats=[kind]) as picture:
            lying = picture.getexif().get(_ORIENTATION) in _LYING
            return (picture.height, picture.width) if lying else picture.size
    except (*_DECODING, Image.DecompressionBombError):
        return None


def is_outside(head: Head, width: int, height: int) -> bool:
    """Whether nothing of a head lies within the picture; a head without size counts by its place."""
    across, down = head.left + head.width, head.top + head.height
    if across < 0 or down < 0 or head.left > width or head.top > height:
        return True
    wide = head.width > 0 and (across == 0 or head.left == width)
    return wide or (head.height > 0 and (down == 0 or head.top == height))


def _split(
    folder: Path, split: str, blank: Crowd, ids: Mapping[str, str], reasons: Mapping[str, str]
) -> Iterator[Crowd]:
    shown = _by_name(sorted((file for file in (*ids, *reasons) if file.startswith(f"{split}/images/")), key=natural))
    told: dict[str, list[folders.File]] = {}
    for file in folders.files(folder, (".txt",), below=f"{split}/gt"):
        told.setdefault(_stem(file.file), []).append(file)
    labels, unread = _labels(folder, split, blank)
    for stem in sorted({*shown, *told, *labels}, key=natural):
        files, heads = shown.get(stem, []), told.get(stem, [])
        first = files[0] if files else heads[0].file if heads else f"{split}/{LABELS}"
        row = blank._replace(id=f"{split}-{stem}")
        if not is_name(stem):
            line, excerpt = labels[stem][1:] if stem in labels else (None, None)
            yield blank.set_aside((not files and heads and heads[0].refused) or "bad_name", first, line, excerpt)
            continue
        yield _crowd(folder, row, files, heads, labels.get(stem), split, ids, reasons)
        for other in files[1:]:
            yield row.set_aside("duplicate_id", other)
        for each in heads[1:]:
            yield row.set_aside("duplicate_id", each.file)
    yield from unread


def _crowd(
    folder: Path,
    row: Crowd,
    files: list[str],
    heads: list[folders.File],
    label: tuple[int, int, str] | None,
    split: str,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
) -> Crowd:
    """The row of one name."""
    stem = (row.id or "").removeprefix(f"{split}-")
    if not files:
        if heads:
            return row.set_aside(heads[0].refused or "missing_picture", heads[0].file)
        line, said = label[1:] if label else (None, None)
        return row.set_aside("missing_picture", f"{split}/{LABELS}", line, said)
    file = files[0]
    measured = size(folder, file) if file in ids else None
    if measured is None:
        return row.set_aside("unreadable_picture", file, None, reasons.get(file))
    row = row._replace(image_id=ids[file], width=measured[0], height=measured[1])
    if not heads:
        return row.set_aside("missing_file", f"{split}/gt/{stem}.txt")
    at = heads[0].file
    try:
        lines = _lines(heads[0])
        read = tuple(_head(line, number) for number, line in enumerate(lines, start=1))
    except _Wrong as wrong:
        reason, place, excerpt = wrong.told
        return row.set_aside(reason, at, place, excerpt)
    if label is not None and label[0] != len(read):
        return row.set_aside("count_differs", f"{split}/{LABELS}", label[1], f"{label[2]}: {at} has {len(read)}")
    for number, head in enumerate(read, start=1):
        if is_outside(head, *measured):
            return row.set_aside("box_outside", at, number, lines[number - 1])
    return row._replace(heads=read)


def _head(line: str, number: int) -> Head:
    words = line.split()
    if len(words) != 6 or not all(map(_WHOLE.fullmatch, words)):
        raise _Wrong("bad_box", number, line)
    x, y, width, height, occlusion, blur = map(int, words)
    if width < 0 or height < 0 or occlusion not in (1, 2, 3) or blur not in (0, 1):
        raise _Wrong("bad_box", number, line)
    return Head(x - width / 2, y - height / 2, float(width), float(height), occlusion, blur)


def _labels(folder: Path, split: str, blank: Crowd) -> tuple[dict[str, tuple[int, int, str]], list[Crowd]]:
    """By name how many heads the labels count, and where they say it; and a row for each line that is no label."""
    file = f"{split}/{LABELS}"
    path = folder / file
    found: dict[str, tuple[int, int, str]] = {}
    unread: list[Crowd] = []
    if not path.is_symlink() and not path.exists():
        return found, unread
    within = path.exists() and path.resolve().is_relative_to(folder.resolve())
    refused = None if within and path.is_file() else "not_a_file" if within else "path_outside"
    try:
        lines = _lines(folders.File(path, file, refused))
    except _Wrong as wrong:
        reason, place, excerpt = wrong.told
        return found, [blank.set_aside(reason, file, place, excerpt)]
    for number, line in enumerate(lines, start=1):
        said = _LABEL.fullmatch(line)
        if said is None:
            unread.append(blank.set_aside("bad_label", file, number, line))
        elif said[1].strip() in found:
            unread.append(blank.set_aside("duplicate_id", file, number, line))
        else:
            found[said[1].strip()] = (int(said[2]), number, line)
    return found, unread


def _lines(file: folders.File) -> list[str]:
    """The lines of a text file, without what is blank at their ends and at the end of the file."""
    if file.refused is not None:
        raise _Wrong(file.refused)
    try:
        with file.path.open("rb") as opened:
            raw = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise _Wrong("unreadable_file", None, error.strerror) from None
    if len(raw) > MOST_BYTES:
        raise _Wrong("file_too_long", None, f"more than {MOST_BYTES} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _Wrong("not_utf8", line, raw[error.start : error.start + 64].hex(" ")) from None
    return [line.rstrip() for line in text.rstrip().split("\n")] if text.strip() else []


def _by_name(files: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in files:
        found.setdefault(_stem(file), []).append(file)
    return found


def _stem(file: str) -> str:
    """The place of a file below its split's folder without suffix: a slash in it makes it no name."""
    return os.path.splitext(file.split("/", 2)[2] if file.count("/") >= 2 else file)[0]
