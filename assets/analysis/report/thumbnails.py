"""Small copies of pictures for the page, as many as its size allows."""

import base64
import io
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

import pyarrow as pa

from assets.analysis.report.browser import Chunk
from assets.images import LIMITS, Picture, Pictures, decode, on_white

SIDE = 320
"""Pixels of a thumbnail's longest side at most."""

QUALITY = 62
USUAL = 6000
"""Bytes of a thumbnail as text, as a guess at how many will fit."""

FEWEST, MOST = 100, 4000
"""Thumbnails that are made in one reading of the tables."""

MARKUP = 64
"""Bytes of the element about a chunk, at most."""


def thumbnail(png: bytes) -> bytes:
    """The picture as WebP on white, at most `SIDE` pixels on its longest side; smaller ones keep their size.

    Raises:
        ValueError: it is no PNG, it is broken, or it has more pixels than a picture from outside may have.
    """
    from PIL import Image

    width, height = _size(png)
    if width * height > LIMITS.most_pixels or max(width, height) > LIMITS.longest_side:
        raise ValueError(f"a picture of {width} x {height} pixels")
    try:
        image = on_white(decode(png))
    except Exception as error:  # what Pillow raises of broken bytes is of many kinds
        raise ValueError(f"a picture that is broken: {error}") from error
    image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    small = io.BytesIO()
    image.convert("RGB").save(small, "WEBP", quality=QUALITY, method=4)
    return small.getvalue()


def _size(png: bytes) -> tuple[int, int]:
    """Width and height as the header says, before a pixel is read."""
    if len(png) < 24 or not png.startswith(b"\x89PNG\r\n\x1a\n"):
        raise ValueError("no PNG")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def thumbnails(
    wanted: Mapping[str, int],
    tables: Sequence[Pictures],
    room: int,
    told: Callable[[int], None] = lambda done: None,
    unreadable: set[str] | None = None,
) -> Iterator[Chunk]:
    """The thumbnails of the wanted pictures (number by id), in the order of their numbers, until `room` bytes are full.

    A picture that no table has is passed over, and so is one that cannot be read: its id goes into `unreadable`. What
    is left out once one does not fit, stays out.
    """
    broken: set[str] = set() if unreadable is None else unreadable
    ids = sorted(wanted, key=wanted.__getitem__)
    done = at = 0
    while at < len(ids):
        some = ids[at : at + min(max(room // USUAL, FEWEST), MOST)]
        at += len(some)
        made: dict[str, str] = {}
        for table in tables:
            for picture in _held(table, set(some) - made.keys(), broken):
                if picture.image_id is not None and picture.png is not None:
                    try:
                        made[picture.image_id] = base64.b64encode(thumbnail(picture.png)).decode()
                    except ValueError:
                        broken.add(picture.image_id)
                    done += 1
                    told(done)
        broken.difference_update(made)
        for image_id in some:
            if image_id in made:
                room -= len(made[image_id]) + MARKUP
                if room < 0:
                    return
                yield Chunk(f"p{wanted[image_id]}", made[image_id])


def _held(table: Pictures, ids: set[str], broken: set[str]) -> Iterator[Picture]:
    """The pictures of these ids as long as the table can be read; those that cannot be had of it go into `broken`."""
    got: set[str | None] = set()
    try:
        for picture in table.stream(ids):
            got.add(picture.image_id)
            yield picture
    except (pa.ArrowException, OSError):
        there = table.index()
        broken |= ids.intersection(there["image_id"].to_pylist()) - got
