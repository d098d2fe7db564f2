"""Thumbnails: small, on white, in order, and no more than there is room for."""

import io

from PIL import Image

from assets.analysis.report.thumbnails import thumbnail, thumbnails
from assets.images import Pictures, encode, of_pixels
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
