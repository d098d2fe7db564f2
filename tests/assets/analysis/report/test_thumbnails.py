"""Thumbnails: small, on white, in order, and no more than there is room for."""

import io
import struct
import zlib

import pyarrow.parquet as pq
import pytest
from PIL import Image

from assets.analysis.report.thumbnails import thumbnail, thumbnails
from assets.images import Pictures, batches, encode, of_pixels
from assets.schema.tables import TABLES
from tests.assets.analysis.report.report_tables import DRAWN, QUESTION, UNKNOWN

WANTED = {str(QUESTION.image_id): 0, str(UNKNOWN.image_id): 1, str(DRAWN.image_id): 2}


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def test_the_longest_side_is_320_pixels_and_small_pictures_stay_as_they_are() -> None:
    assert opened(thumbnail(encode(Image.new("RGB", (640, 80))))).size == (320, 40)
    assert opened(thumbnail(encode(Image.new("L", (40, 30))))).size == (40, 30)


def test_what_is_see_through_is_white() -> None:
    clear = thumbnail(encode(Image.new("RGBA", (8, 8), (255, 0, 0, 0))))
    assert opened(clear).convert("RGB").getpixel((4, 4)) == (255, 255, 255)


def test_they_come_in_the_order_of_their_numbers_without_those_that_no_table_has() -> None:
    tables = [Pictures.of([DRAWN]), Pictures.of([QUESTION, DRAWN])]
    assert [chunk.name for chunk in thumbnails(WANTED, tables, 1_000_000)] == ["p0", "p2"]


def test_what_does_not_fit_is_left_out() -> None:
    tables = [Pictures.of([QUESTION, DRAWN])]
    first = next(thumbnails(WANTED, tables, 1_000_000))
    room = len(first.content) + 64
    assert [chunk.name for chunk in thumbnails(WANTED, tables, room)] == ["p0"]
    assert list(thumbnails(WANTED, tables, room - 1)) == []
    assert list(thumbnails(WANTED, [Pictures.of([of_pixels(Image.new("L", (2, 2)), "x")])], room)) == []


def header_of(width: int, height: int) -> bytes:
    """A PNG whose header says so many pixels, as 900 million of one colour have in a megabyte."""
    small = encode(Image.new("L", (2, 2)))
    said = b"IHDR" + struct.pack(">II", width, height) + small[24:29]
    return small[:12] + said + struct.pack(">I", zlib.crc32(said)) + small[33:]


@pytest.mark.parametrize(
    "broken",
    [header_of(30_000, 30_000), header_of(1, 30_001), header_of(10_000, 10_000), QUESTION.png[:60], b"GIF89a", b""],  # type: ignore[index]
    ids=["bomb", "long", "large", "cut", "no PNG", "empty"],
)
def test_a_picture_that_cannot_be_read_is_told_and_the_others_are_there(broken: bytes) -> None:
    unreadable: set[str] = set()
    tables = [Pictures.of([DRAWN, QUESTION._replace(png=broken)])]
    found = [chunk.name for chunk in thumbnails(WANTED, tables, 1_000_000, unreadable=unreadable)]
    assert (found, unreadable) == (["p2"], {QUESTION.image_id})
    again: set[str] = set()
    tables.append(Pictures.of([QUESTION]))
    assert [chunk.name for chunk in thumbnails(WANTED, tables, 1_000_000, unreadable=again)] == ["p0", "p2"]
    assert not again


def test_the_pictures_of_a_part_of_a_table_that_is_broken_are_told() -> None:
    stored = io.BytesIO()
    with pq.ParquetWriter(stored, TABLES["image"].schema) as writer:
        for picture in (DRAWN, QUESTION):
            for batch in batches([picture]):
                writer.write_batch(batch)
    content = bytearray(stored.getvalue())
    column = pq.ParquetFile(io.BytesIO(bytes(content))).metadata.row_group(1).column(TABLES["image"].names.index("png"))
    start = column.dictionary_page_offset or column.data_page_offset
    content[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    unreadable: set[str] = set()
    tables = [Pictures(pq.ParquetFile(io.BytesIO(bytes(content))))]
    assert [chunk.name for chunk in thumbnails(WANTED, tables, 1_000_000, unreadable=unreadable)] == ["p2"]
    assert unreadable == {QUESTION.image_id}
