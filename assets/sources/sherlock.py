"""Sherlock: its instances and the pictures that they are about -> rows of tables `clue` and `image`."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from assets.images import Picture
from assets.ordering import natural
from assets.sources import folders, json_files
from assets.sources.json_files import Entry, Unreadable, items
from assets.sources.jsonlines import EXCERPT, SourceError
from assets.sources.problems import SPLIT_NAMES

PICTURES = "images"

REASONS = tuple(
    dict.fromkeys(
        (
            *folders.REASONS,
            *json_files.REASONS,
            "not_an_object",
            "no_id",
            "no_clue",
            "no_inference",
            "bad_confidence",
            "no_boxes",
            "bad_box",
            "box_outside",
            "no_url",
            "path_outside",
            "duplicate_id",
            "missing_picture",
            "unreadable_picture",
        )
    )
)
"""Why an instance goes no further; all but box_outside are quarantined."""

CLIPPED = "boxes clipped to the picture"

_UPSTREAM = ("sherlock", "Sherlock", "its sherlock_*.json")
_FILES = re.compile(r"(?:sherlock|leaderboard)_\w+\.json")
_SPLIT = re.compile(r"(?:^|_)(train|val|validation|dev|test)(?=[_.])")

Box = tuple[float, float, float, float]


class Clue(NamedTuple):
    """Table `clue`, column by column; a box is left, top, width and height in pixels."""

    instance_id: str | None
    url: str | None
    image_id: str | None
    boxes: tuple[Box, ...] | None
    clue: str | None
    inference: str | None
    confidence: float | None
    source: str
    provenance: str
    split: str | None
    dropped: str | None = None
    quarantined: tuple[str, int | None, str | None] | None = None


def pictures(folder: Path) -> Iterator[Picture]:
    """Every picture file below `images` as one row of table `image`, in natural order; none without that folder.

    Raises:
        SourceError: there is no such folder, or it holds too much.
    """
    folders.check(folder, *_UPSTREAM)
    return folders.pictures(folder, PICTURES)


def clues(
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    *,
    provenance: str,
) -> Iterator[Clue]:
    """Each instance of the files sherlock_*.json and leaderboard_*.json as one row of table `clue`.

    The files are read an instance at a time. A picture is looked for below `images` by the last two parts of its
    URL. Boxes are clipped to the width and height that the instance gives, and those of which nothing is left are
    taken out; where none is left the row is dropped as box_outside. The records of Sherlock's leaderboard have no
    clue and are quarantined as no_clue, with what else they say. Of two instances with one id the second is
    quarantined. Texts are kept as they are.

    Args:
        folder: the one that holds the files.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
        provenance: where the rows are from.

    Raises:
        SourceError: no such folder or file is there, one cannot be read, or none holds an instance that can.
    """
    seen: set[str] = set()
    readable, first = False, None
    for file in _files(folder):
        named = _SPLIT.search(file)
        blank = Clue(
            None, None, None, None, None, None, None, "sherlock", provenance, SPLIT_NAMES[named[1]] if named else None
        )
        for entry in items(folders.main_file(folder, file)):
            if not isinstance(entry.value, Unreadable):
                readable = True
            elif first is None:
                first = f"{file}: {entry.value.reason}"
            yield _clue(entry, file, blank, ids, reasons, seen)
    if not readable:
        said = first or "its lists are empty"
        raise SourceError(f"{folder}: holds no readable instance ({said}): put Sherlock's sherlock_*.json there")


def picture_file(url: str) -> str | None:
    """Where the picture of a URL lies: below `images`, by its last two parts; None when that leads elsewhere.

    Parts are decoded one by one after the URL was taken apart, so `%2F` and `%2E%2E` climb nowhere.
    """
    try:
        parts = [unquote(part) for part in urlsplit(url).path.split("/") if part][-2:]
    except ValueError:
        return None
    if not parts or any("/" in part or "\\" in part for part in parts):
        return None
    return folders.place(PICTURES, *parts)


def _files(folder: Path) -> list[str]:
    folders.check(folder, *_UPSTREAM)
    names = [path.name for path in folder.iterdir() if _FILES.fullmatch(path.name)]
    if not names:
        raise SourceError(f"{folder}: holds no sherlock_*.json: put Sherlock's files into it")
    return sorted(names, key=natural)


def _clue(
    entry: Entry, file: str, blank: Clue, ids: Mapping[str, str], reasons: Mapping[str, str], seen: set[str]
) -> Clue:
    record = entry.value
    if isinstance(record, Unreadable):
        return blank._replace(dropped=record.reason, quarantined=(file, record.line, record.excerpt))
    if type(record) is not dict:
        return blank._replace(dropped="not_an_object", quarantined=(file, entry.line, entry.excerpt))
    given, inference, instance = _parts(record)
    image = _object(given.get("image"))
    boxes, wrong = _boxes(given.get("bboxes"), image)
    url = _text(image.get("url"))
    place = None if url is None else picture_file(url)
    row = blank._replace(
        instance_id=instance,
        url=url,
        image_id=None if place is None else ids.get(place),
        boxes=boxes,
        clue=_text(given.get("clue")),
        inference=inference,
        confidence=_number(given.get("confidence")),
    )
    if wrong == CLIPPED:
        row = row._replace(provenance=f"{row.provenance} > {CLIPPED}")
    reason, excerpt = _unfit(row, given, wrong, seen), None
    if reason is None:
        reason, excerpt = _unseen(row, place, reasons)
    if instance is not None:
        seen.add(instance)
    if reason is not None:
        return row._replace(dropped=reason, quarantined=(file, entry.line, (excerpt or entry.excerpt)[:EXCERPT]))
    return row._replace(dropped="box_outside") if wrong == "box_outside" else row


def _unfit(row: Clue, given: dict[str, Any], wrong: str | None, seen: set[str]) -> str | None:
    """Why what the record says makes no clue."""
    if row.instance_id is None:
        return "no_id"
    if row.instance_id in seen:
        return "duplicate_id"
    if row.clue is None:
        return "no_clue"
    if row.inference is None:
        return "no_inference"
    if row.confidence is None and given.get("confidence") is not None:
        return "bad_confidence"
    return wrong if wrong in ("no_boxes", "bad_box") else None


def _unseen(row: Clue, place: str | None, reasons: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Why there is no picture to the clue, and the file that should have been it."""
    if row.image_id is not None:
        return None, None
    if row.url is None:
        return "no_url", None
    if place is None:
        return "path_outside", row.url
    return ("unreadable_picture", f"{place}: {reasons[place]}") if place in reasons else ("missing_picture", place)


def _parts(record: dict[str, Any]) -> tuple[dict[str, Any], str | None, str | None]:
    """An instance's inputs, inference and id; of a record of the leaderboard the same by its own names."""
    if "inputs" not in record and "test_id" in record:
        given = {"image": record.get("image"), "bboxes": record.get("region")}
        return given, _text(record.get("inference")), _identifier(record.get("test_id"))
    inference = _text(_object(record.get("targets")).get("inference"))
    return _object(record.get("inputs")), inference, _identifier(record.get("instance_id"))


def _boxes(given: Any, image: dict[str, Any]) -> tuple[tuple[Box, ...] | None, str | None]:
    """The boxes within the picture, and what was wrong with them or done to them."""
    if type(given) is not list or not given:
        return None, "no_boxes"
    whole = [_box(one) for one in given]
    boxes = tuple(box for box in whole if box is not None)
    if len(boxes) < len(whole):
        return None, "bad_box"
    within = tuple(box for box in (_clipped(box, image) for box in boxes) if box[2] > 0 and box[3] > 0)
    if not within:
        return boxes, "box_outside"
    return within, None if within == boxes else CLIPPED


def _box(given: Any) -> Box | None:
    sides = [_number(_object(given).get(side)) for side in ("left", "top", "width", "height")]
    left, top, width, height = sides
    if left is None or top is None or width is None or height is None:
        return None
    return left, top, width, height


def _clipped(box: Box, image: dict[str, Any]) -> Box:
    left, top, width, height = box
    across, down = _number(image.get("width")), _number(image.get("height"))
    right = left + width if across is None else min(left + width, across)
    bottom = top + height if down is None else min(top + height, down)
    clipped = max(left, 0.0), max(top, 0.0), right - max(left, 0.0), bottom - max(top, 0.0)
    # only what is cut changes: subtracting again would move other sides by their rounding
    whole = left >= 0 and top >= 0 and right == left + width and bottom == top + height
    return box if whole else clipped


def _object(value: Any) -> dict[str, Any]:
    return value if type(value) is dict else {}


def _text(value: Any) -> str | None:
    return value if type(value) is str and value.strip() else None


def _identifier(value: Any) -> str | None:
    return str(value) if type(value) is int else _text(value)


def _number(value: Any) -> float | None:
    if type(value) not in (int, float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None
