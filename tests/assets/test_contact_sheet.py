import io

import numpy as np
import pytest
from PIL import Image

from assets.contact_sheet import sheet


def test_pictures_stand_in_rows_above_their_captions() -> None:
    colours = ["red", "green", "blue"]
    data = sheet([Image.new("RGB", (400, 200), colour) for colour in colours], colours, columns=2, width=416)
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    # two cells of 196 and three gaps of 8; rows of 98, 16 for the caption and 8 between
    assert picture.size == (416, 8 + 2 * (98 + 16 + 8))
    found = [picture.getpixel(place) for place in ((100, 50), (310, 50), (100, 180))]
    assert found == [(255, 0, 0), (0, 128, 0), (0, 0, 255)]


def test_a_sheet_of_noise_is_made_to_fit() -> None:
    rng = np.random.default_rng(7)
    noise = [Image.fromarray(rng.integers(0, 256, (300, 300, 3), dtype=np.uint8)) for _ in range(24)]
    data = sheet(noise, [f"picture {i} with a long caption that cannot be shown whole" for i in range(24)])
    assert len(data) < 200_000


def test_no_pictures_give_an_empty_sheet() -> None:
    assert Image.open(io.BytesIO(sheet([], []))).width == 900


def test_transparency_is_shown_on_white() -> None:
    data = sheet([Image.new("RGBA", (40, 40), (0, 0, 0, 0))], [""], columns=1, width=100)
    assert Image.open(io.BytesIO(data)).convert("RGB").getpixel((50, 20)) == (255, 255, 255)


def test_each_picture_needs_its_caption() -> None:
    with pytest.raises(ValueError, match="0 captions for 1 pictures"):
        sheet([Image.new("RGB", (4, 4))], [])
