"""spot-diff: a folder a pair of pictures with boxes on their differences -> rows of tables `pair` and `image`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from assets.images import LIMITS, Picture
from assets.ordering import natural
from assets.sources import folders, json_files
from assets.sources.folders import File
from assets.sources.json_files import Unreadable, json_file
from assets.sources.jsonlines import EXCERPT, SourceError

REASONS = tuple(
    dict.fromkeys(
        (
            *folders.REASONS,
            *json_files.REASONS,
            "no_id",
            "duplicate_id",
            "no_boxes",
            "too_many_boxes",
            "bad_box",
            "box_outside",
            "missing_picture",
            "unreadable_picture",
            "unequal_sizes",
            "disagrees",
        )
    )
)
"""Why a pair goes no further; all are quarantined."""

CLIPPED = "boxes clipped to the picture"

MOST_BOXES = 1_000
"""More differences than this are no puzzle; the boxes would be drawn one by one."""

BOXES = "boxes.json"

_UPSTREAM = ("spot_diff", "spot-diff", "a folder a pair")
_SIDES = ("left", "top", "width", "height")
_MOST_BYTES = 1 << 20
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_ORIENTATION = 0x0112
_TURNED_ASIDE = range(5, 9)

Box = tuple[float, float, float, float]


class Pair(NamedTuple):
    """Table `pair`, column by column; a box is left, top, width and height in pixels."""

    id: str | None
    first: str | None
    second: str | None
    boxes: tuple[Box, ...] | None
    source: str
    provenance: str
    dropped: str | None = None
    quarantined: tuple[str, int | None, str | None] | None = None


def pictures(folder: Path) -> Iterator[Picture]:
    """Every picture file of the folder as one row of table `image`: pairs in natural order, `a` before `b`.

    Raises:
        SourceError: there is no such folder, or it holds too much.
    """
    folders.check(folder, *_UPSTREAM)
    return folders.pictures(folder)


def pairs(folder: Path, ids: Mapping[str, str], reasons: Mapping[str, str], *, provenance: str) -> Iterator[Pair]:
    """Each folder that holds a picture, boxes.json or nothing as one row of table `pair`, in natural order.

    Its name is the id. One in which nothing lies has missing_file, unless it lies in a pair's own or is hidden.
    `a` and `b` have any suffix of a picture; of several the first that could be read counts. What `filled` says
    holds for pictures and boxes. A folder within another one is a pair too.

    Args:
        folder: the one that holds the pairs' folders.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
        provenance: where the rows are from.

    Raises:
        SourceError: no such folder is there, or it holds no pair.
    """
    folders.check(folder, *_UPSTREAM)
    found = _folders(folder)
    seen: set[str] = set()
    for place in sorted(found, key=natural):
        name = place.rpartition("/")[2]
        row = Pair(name or None, None, None, None, "spot_diff", provenance)
        yield _pair(row, place, found[place], folder, ids, reasons, seen)
        if found[place][0].file != place:
            seen.add(name)


def filled(
    row: Pair,
    given: Any,
    sides: Sequence[str],
    files: Sequence[Sequence[str]],
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
) -> Pair:
    """The row with its two pictures and its boxes, or dropped; the caller adds file and line to `quarantined`.

    Set aside are pictures that are not there, were not read or differ in size, those whose pixels are the same
    (`disagrees`: there are boxes, and nothing differs), and boxes of which one is wholly outside or is none. A box
    that is partly outside is clipped, and the provenance says so.

    Args:
        row: what the record has besides.
        given: what it gives as boxes, whatever that is.
        sides: what it calls a box's left, top, width and height.
        files: for each of the two pictures the files that may be it, best first.
        folder: where these files are.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
    """
    boxes, wrong, excerpt = _boxes(given, sides)
    if boxes is None:
        return set_aside(row, wrong, excerpt)
    row = row._replace(boxes=boxes)
    chosen = []
    for candidates in files:
        file = next((each for each in candidates if each in ids), None)
        if file is None:
            broken = next((each for each in candidates if each in reasons), None)
            if broken is not None:
                return set_aside(row, "unreadable_picture", f"{broken}: {reasons[broken]}")
            return set_aside(row, "missing_picture", candidates[0])
        chosen.append(file)
    first, second = chosen
    row = row._replace(first=ids[first], second=ids[second])
    if row.first == row.second:
        return set_aside(row, "disagrees", f"{first} and {second} have the same pixels")
    sizes = []
    for file in chosen:
        size = _size(folder / file)
        if size is None:
            return set_aside(row, "unreadable_picture", file)
        sizes.append(size)
    if sizes[0] != sizes[1]:
        told = [f"{file} has {width} x {height}" for file, (width, height) in zip(chosen, sizes, strict=True)]
        return set_aside(row, "unequal_sizes", ", ".join(told))
    within = tuple(_clipped(box, *sizes[0]) for box in boxes)
    for number, box in enumerate(within, 1):
        if box[2] <= 0 or box[3] <= 0:
            return set_aside(row, "box_outside", f"box {number} of {len(boxes)}: {_said(given[number - 1])}")
    return row if within == boxes else row._replace(boxes=within, provenance=f"{row.provenance} > {CLIPPED}")


def set_aside(row: Pair, reason: str, excerpt: str | None, file: str = "", line: int | None = None) -> Pair:
    """The row as one that is quarantined."""
    return row._replace(dropped=reason, quarantined=(file, line, excerpt and excerpt[:EXCERPT]))


def _folders(folder: Path) -> dict[str, list[File]]:
    """What lies in each folder that is meant as a pair, by its place; of a linked or an empty one it is itself."""
    found: dict[str, list[File]] = {}
    files, bare = folders.walked(folder, (*folders.PICTURES, PurePosixPath(BOXES).suffix))
    for each in files:
        place, _, name = each.file.rpartition("/")
        if each.path.is_dir():
            found[each.file] = [each]
        elif name == BOXES or (place and not name.lower().endswith(".json")):
            found.setdefault(place, []).append(each)
    if not found:
        raise SourceError(f"{folder}: holds no pair: put a folder a pair there, with a.png, b.png and {BOXES} in each")
    return {each.file: [each] for each in bare if not folders.is_below(each.file, found)} | found


def _pair(
    row: Pair,
    place: str,
    held: Sequence[File],
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    seen: set[str],
) -> Pair:
    if held[0].file == place:
        # a link to a folder, or an empty one: only these are listed by themselves
        if held[0].refused is None:
            return set_aside(row, "missing_file", None, f"{place}/{BOXES}")
        return set_aside(row, held[0].refused, None, place)
    file = f"{place}/{BOXES}" if place else BOXES
    if row.id is None:
        return set_aside(row, "no_id", None, file)
    # an identifier becomes part of the names of files
    if "\\" in row.id or not row.id.isprintable():
        return set_aside(row, "bad_name", row.id, file)
    if row.id in seen:
        return set_aside(row, "duplicate_id", row.id, file)
    told = next((each for each in held if each.file == file), None)
    if told is None:
        return set_aside(row, "missing_file", None, file)
    if told.refused is not None:
        return set_aside(row, told.refused, None, file)
    given = json_file(told.path, _MOST_BYTES)
    if isinstance(given, Unreadable):
        return set_aside(row, given.reason, given.excerpt, file, given.line)
    files = [_named(stem, held) or [f"{place}/{stem}.png"] for stem in ("a", "b")]
    row = filled(row, given, _SIDES, files, folder, ids, reasons)
    return row if row.quarantined is None else row._replace(quarantined=(file, *row.quarantined[1:]))


def _named(stem: str, held: Sequence[File]) -> list[str]:
    paths = [PurePosixPath(each.file) for each in held]
    named = [path for path in paths if path.stem == stem and path.suffix.lower() in folders.PICTURES]
    return [str(path) for path in sorted(named, key=lambda path: folders.PICTURES.index(path.suffix.lower()))]


def _boxes(given: Any, sides: Sequence[str]) -> tuple[tuple[Box, ...] | None, str, str]:
    if type(given) is not list or not given:
        return None, "no_boxes", _said(given)
    if len(given) > MOST_BOXES:
        return None, "too_many_boxes", f"{len(given)} boxes"
    found: list[Box] = []
    for number, one in enumerate(given, 1):
        box = _box(one, sides)
        if box is None:
            return None, "bad_box", f"box {number} of {len(given)}: {_said(one)}"
        found.append(box)
    return tuple(found), "", ""


def _box(given: Any, sides: Sequence[str]) -> Box | None:
    if type(given) is not dict:
        return None
    left, top, width, height = (_number(given.get(side)) for side in sides)
    if left is None or top is None or width is None or height is None or width <= 0 or height <= 0:
        return None
    return left, top, width, height


def _clipped(box: Box, across: int, down: int) -> Box:
    left, top, width, height = box
    # only what is cut changes: subtracting again would move other sides by their rounding
    if left >= 0 and top >= 0 and left + width <= across and top + height <= down:
        return box
    x, y = max(left, 0.0), max(top, 0.0)
    return x, y, min(left + width, across) - x, min(top + height, down) - y


def _number(value: Any) -> float | None:
    if type(value) not in (int, float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _said(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:EXCERPT]


def _size(path: Path) -> tuple[int, int] | None:
    """Width and height of a picture that was read before, turned as its EXIF says; None where that fails now."""
    from PIL import Image

    try:
        with Image.open(path, formats=_FORMATS) as opened:
            width, height = opened.size
            if width * height > LIMITS.most_pixels:
                return None
            aside = opened.getexif().get(_ORIENTATION) in _TURNED_ASIDE
    except (OSError, SyntaxError, ValueError):
        return None
    return (height, width) if aside else (width, height)
