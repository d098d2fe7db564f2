"""Small copies of pictures for the page, as many as its size allows."""

import base64
import io
from collections.abc import Callable, Iterator, Mapping, Sequence

from assets.analysis.report.browser import Chunk
from assets.images import Pictures, decode, on_white

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
    """The picture as WebP on white, at most `SIDE` pixels on its longest side; smaller ones keep their size."""
    from PIL import Image

    image = on_white(decode(png))
    image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    small = io.BytesIO()
    image.convert("RGB").save(small, "WEBP", quality=QUALITY, method=4)
    return small.getvalue()


def thumbnails(
    wanted: Mapping[str, int], tables: Sequence[Pictures], room: int, told: Callable[[int], None] = lambda done: None
) -> Iterator[Chunk]:
    """The thumbnails of the wanted pictures (number by id), in the order of their numbers, until `room` bytes are full.

    A picture that no table has is passed over. What is left out once one does not fit, stays out.
    """
    ids = sorted(wanted, key=wanted.__getitem__)
    done = at = 0
    while at < len(ids):
        some = ids[at : at + min(max(room // USUAL, FEWEST), MOST)]
        at += len(some)
        made: dict[str, str] = {}
        for table in tables:
            for picture in table.stream(set(some) - made.keys()):
                if picture.image_id is not None and picture.png is not None:
                    made[picture.image_id] = base64.b64encode(thumbnail(picture.png)).decode()
                    done += 1
                    told(done)
        for image_id in some:
            if image_id in made:
                room -= len(made[image_id]) + MARKUP
                if room < 0:
                    return
                yield Chunk(f"p{wanted[image_id]}", made[image_id])
