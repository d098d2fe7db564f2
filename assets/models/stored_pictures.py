"""The pictures that dialogues name, out of stored tables of pictures: some at a time, never a whole table."""

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from assets import images
from assets.models.model import ModelError

if TYPE_CHECKING:
    from PIL import Image

ROWS_AT_ONCE = 16
MOST_BYTES = 2 * images.PNG_BYTES_IN_A_BATCH
"""PNG bytes that are kept for the next call, beside the ones that it reads."""

_COLOUR_TYPE = 25
_ALPHA = 4


class _Place(NamedTuple):
    table: int
    group: int
    row: int


class _Cursor:
    """Where reading stands in a table: within one row group, at a row before which everything was read."""

    def __init__(self, source: pq.ParquetFile) -> None:
        self._source = source
        self._group = -1
        self._at = 0
        self._batches: Iterator[list[tuple[str | None, bytes | None]]] = iter(())

    def around(self, group: int, row: int) -> list[tuple[str | None, bytes | None]]:
        """The ids and PNGs of the rows that are read together with this one."""
        if group != self._group or row < self._at:
            self._group, self._at, self._batches = group, 0, self._read(group)
            # The pool would keep what it is given back for a while, and the next group would come on top.
            pa.default_memory_pool().release_unused()
        found: list[tuple[str | None, bytes | None]] = []
        while self._at <= row:
            start, found = self._at, next(self._batches)
            self._at = start + len(found)
        return found

    def _read(self, group: int) -> Iterator[list[tuple[str | None, bytes | None]]]:
        columns = ["image_id", "png"]
        for batch in self._source.iter_batches(batch_size=ROWS_AT_ONCE, row_groups=[group], columns=columns):
            yield list(zip(batch.column("image_id").to_pylist(), batch.column("png").to_pylist(), strict=True))


class StoredPictures:
    """Pictures by id out of tables `image`, the first table that has one; several threads may ask at once.

    Where each picture stands is read once, without its bytes. Pictures asked for in a table's order, or near it, are
    read once each; one somewhere else costs a part of its row group.
    """

    def __init__(self, tables: Sequence[images.Pictures], cached: int = 64) -> None:
        """Take the tables; up to `cached` pictures, of `MOST_BYTES` in all, are kept for the next call."""
        self._cached = max(cached, ROWS_AT_ONCE)
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._weight = 0
        sources = [table._source for table in tables]
        self._cursors = [_Cursor(source) for source in sources]
        self._places: dict[str, _Place] = {}
        for number, source in enumerate(sources):
            for group in range(source.num_row_groups):
                rows = source.read_row_group(group, columns=["image_id", "dropped"]).to_pydict()
                for row, (image_id, dropped) in enumerate(zip(rows["image_id"], rows["dropped"], strict=True)):
                    if image_id is not None and dropped is None:
                        self._places.setdefault(image_id, _Place(number, group, row))

    def __contains__(self, image_id: object) -> bool:
        """Whether there is such a picture."""
        return image_id in self._places

    def ids(self) -> frozenset[str]:
        """The ids of all pictures that there are."""
        return frozenset(self._places)

    def png(self, image_id: str) -> bytes:
        """A picture's PNG, mode L or RGB, what was transparent on white; the stored bytes where nothing was.

        Raises:
            ModelError: there is no such picture.
        """
        with self._lock:
            png = self._kept.get(image_id)
            if png is None:
                png = self._stored(image_id)
            else:
                self._kept.move_to_end(image_id)
        if not png[_COLOUR_TYPE] & _ALPHA:
            return png
        flat = images.encode(images.on_white(images.decode(png)))
        with self._lock:
            self._keep(image_id, flat)
        return flat

    def image(self, image_id: str) -> "Image.Image":
        """The same, decoded, mode RGB.

        Raises:
            ModelError: there is no such picture.
        """
        return images.decode(self.png(image_id)).convert("RGB")

    def _stored(self, image_id: str) -> bytes:
        place = self._places.get(image_id)
        if place is None:
            raise ModelError(
                f"picture {image_id}: is not among the {len(self._places)} stored ones: "
                "materialize the pictures of its benchmark"
            )
        wanted: bytes | None = None
        for other, png in self._cursors[place.table].around(place.group, place.row):
            if other == image_id and png is not None:
                wanted = png
            elif other is not None and png is not None and other not in self._kept:
                self._keep(other, png)
        if not wanted:
            raise ModelError(f"picture {image_id}: its row holds no PNG: materialize the pictures of its benchmark")
        self._keep(image_id, wanted)
        return wanted

    def _keep(self, image_id: str, png: bytes) -> None:
        self._weight += len(png) - len(self._kept.pop(image_id, b""))
        self._kept[image_id] = png
        while len(self._kept) > 1 and (len(self._kept) > self._cached or self._weight > MOST_BYTES):
            _, gone = self._kept.popitem(last=False)
            self._weight -= len(gone)
