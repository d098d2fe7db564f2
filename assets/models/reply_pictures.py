"""Pictures that a recorded reply shows, from the folder beside its file or out of the record itself."""

import base64
import binascii
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assets import images
from assets.images import Picture
from assets.models.replay import PICTURE_PARTS
from assets.schema.sample import Part
from assets.sources import folders

_DATA = "data:"
_ADDRESS = "://"


class ReplyPictures:
    """The pictures of the replies of one file, read from a folder; none leaves it, by its path or by a link."""

    def __init__(self, folder: Path | None, named: str = "") -> None:
        """Take the folder (None: there is none), and what comes before a picture's own place in its `file`."""
        self._folder = folder
        self._top = None if folder is None else folder.resolve()
        self._named = f"{named}/" if named else ""

    def read(self, part: Mapping[str, Any], line: int, number: int) -> Picture:
        """The picture of a part of a list, `number` of the reply from 1; one that cannot be had says why in `dropped`.

        The reasons are those of `images.read`, and path_outside: an address, a path that leaves the folder, or a link
        that does.
        """
        source = part.get("image")
        if source is None:
            source = part.get("image_url")
        if isinstance(source, dict):
            source = source.get("url")
        here = f"{self._named}line {line} picture {number}"
        if type(source) is not str or not source:
            return _set_aside(here, "missing_picture")
        if source[: len(_DATA)].lower() == _DATA:
            return _inline(source, here)
        place = folders.place(source.removeprefix("./"))
        if place is None or _ADDRESS in source:
            return _set_aside(here, "path_outside", source[:200])
        file = f"{self._named}{place}"
        if self._folder is None or self._top is None:
            return _set_aside(file, "missing_picture", "no folder of pictures")
        path = self._folder / place
        try:
            within = path.resolve().is_relative_to(self._top)
        except (OSError, RuntimeError):
            # RuntimeError: Python 3.11's word for a link that leads back to itself
            within = False
        return images.read(path, file) if within else _set_aside(file, "path_outside")


class Told(NamedTuple):
    """A list of parts as it was read: texts and pictures in their order, each picture's row, and what went wrong."""

    parts: tuple[Part, ...]
    pictures: tuple[Picture, ...]
    faults: tuple[str, ...]


def told(parts: Iterable[Mapping[str, Any]], line: int, shown: int, pictures: ReplyPictures) -> Told:
    """The texts and pictures of a list of parts, of the forms that `replay.illustrated` names.

    A picture that cannot be had stays where it stands, without an id; it and a part of another kind are in `faults`,
    such as `picture 2: missing_picture` and `part 3: unknown_part`.

    Args:
        parts: of a message, each with its `type`.
        line: of the record.
        shown: how many pictures the record's earlier messages show.
        pictures: reads them.
    """
    found: list[Part] = []
    rows: list[Picture] = []
    faults: list[str] = []
    for place, part in enumerate(parts, start=1):
        if part["type"] == "text" and type(part.get("text")) is str:
            found.append(Part("text", part["text"], None))
        elif part["type"] in PICTURE_PARTS:
            picture = pictures.read(part, line, shown + len(rows) + 1)
            rows.append(picture)
            found.append(Part("image", None, picture.image_id))
            if picture.dropped is not None:
                faults.append(f"picture {shown + len(rows)}: {picture.dropped}")
        else:
            faults.append(f"part {place}: unknown_part")
    return Told(tuple(found), tuple(rows), tuple(faults))


def _inline(source: str, file: str) -> Picture:
    """The picture in a `data:` address."""
    head, comma, content = source.partition(",")
    if not comma or not head.lower().endswith(";base64"):
        return _set_aside(file, "not_a_picture", source[:200])
    try:
        return images.read_bytes(base64.b64decode("".join(content.split()), validate=True), file)
    except (binascii.Error, ValueError):
        return _set_aside(file, "broken_picture", source[:200])


def _set_aside(file: str, reason: str, excerpt: str | None = None) -> Picture:
    return Picture(None, file, None, None, None, None, reason, (file, None, excerpt))
