"""Crop and zoom, against pictures whose pixels are known."""

import io
import zlib

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from assets import images
from assets.models.tools.pictures import opened, pixels
from assets.models.tools.regions import ENLARGED_PIXELS, Crop, Zoom
from assets.models.tools.tool import Given, ToolFault


def png(image: Image.Image) -> bytes:
    stored = io.BytesIO()
    image.save(stored, "PNG")
    return stored.getvalue()


def counted(width: int, height: int) -> Image.Image:
    """A grey picture whose pixels are 0, 1, 2, … row by row."""
    return Image.fromarray(np.arange(width * height, dtype=np.uint8).reshape(height, width))


def shown(given: Given) -> Image.Image:
    (picture,) = given.pictures
    assert picture.png is not None and picture.dropped is None
    return images.decode(picture.png)


def test_a_crop_is_the_pixels_in_the_box() -> None:
    given = Crop(1.0).compute({"picture": "picture_1", "box": (0.5, 0.0, 1.0, 0.5)}, {"picture_1": png(counted(4, 4))})
    assert np.asarray(shown(given)).tolist() == [[2, 3], [6, 7]]
    assert given.text == "a part of picture_1, 2 x 2 pixels"


def test_a_box_takes_every_pixel_it_touches_and_no_further_one() -> None:
    assert pixels((0.3, 0.1, 0.7, 0.9), 10, 10) == (3, 1, 7, 9)
    assert pixels((0.25, 0.25, 0.35, 0.35), 10, 10) == (2, 2, 4, 4)
    assert pixels((0.0, 0.0, 1.0, 1.0), 3, 5) == (0, 0, 3, 5)
    assert pixels((0.99999, 0.0, 1.0, 0.00001), 4, 4) == (3, 0, 4, 1)


def test_zoom_enlarges_eight_times_at_most() -> None:
    given = Zoom(1.0).compute({"picture": "picture_1", "box": (0.0, 0.0, 0.5, 0.5)}, {"picture_1": png(counted(8, 4))})
    assert shown(given).size == (32, 16)
    assert "8 times as large, 32 x 16 pixels" in given.text


def test_zoom_of_a_plain_part_is_plain() -> None:
    image = Image.new("RGB", (10, 10), "white")
    image.paste("red", (0, 0, 5, 5))
    given = Zoom(1.0).compute({"picture": "p", "box": (0.0, 0.0, 0.4, 0.4)}, {"p": png(image)})
    assert shown(given).getcolors() == [(32 * 32, (255, 0, 0))]


def test_zoom_stays_under_a_megapixel_and_never_makes_smaller() -> None:
    large = png(Image.new("L", (2000, 1000)))
    given = Zoom(1.0).compute({"picture": "p", "box": (0.0, 0.0, 0.2, 0.4)}, {"p": large})
    size = shown(given).size
    assert size[0] * size[1] <= ENLARGED_PIXELS and size[0] > 1000
    given = Zoom(1.0).compute({"picture": "p", "box": (0.0, 0.0, 1.0, 1.0)}, {"p": large})
    assert shown(given).size == (2000, 1000)
    assert "1 times as large" in given.text


def test_a_bomb_is_refused_by_its_header() -> None:
    header = png(Image.new("1", (1, 1)))
    bomb = bytearray(header)
    bomb[16:24] = (60_000).to_bytes(4, "big") * 2
    bomb[29:33] = zlib.crc32(bomb[12:29]).to_bytes(4, "big")
    with pytest.raises(ToolFault, match="too large"):
        opened({"p": bytes(bomb)}, "p")
    wide = png(Image.new("1", (8000, 6000)))
    with pytest.raises(ToolFault, match="8000 x 6000 pixels"):
        opened({"p": wide}, "p")


def test_a_bomb_of_text_in_a_picture_is_refused_or_never_unpacked() -> None:
    notes = PngImagePlugin.PngInfo()
    notes.add_text("note", "a" * (100 << 20), zip=True)
    stored = io.BytesIO()
    counted(2, 2).save(stored, "PNG", pnginfo=notes)
    with pytest.raises(ToolFault, match="no whole picture"):
        opened({"p": stored.getvalue()}, "p")


def test_what_is_no_picture_is_refused() -> None:
    for content in (b"", b"no picture", png(counted(9, 9))[:50], b"\xff\xd8\xff\xe0 JPEG"):
        with pytest.raises(ToolFault, match="no whole picture"):
            opened({"p": content}, "p")


def test_transparency_is_on_white() -> None:
    image = Image.new("RGBA", (2, 1), (0, 0, 0, 0))
    image.putpixel((0, 0), (10, 20, 30, 255))
    assert np.asarray(opened({"p": png(image)}, "p")).tolist() == [[[10, 20, 30], [255, 255, 255]]]
