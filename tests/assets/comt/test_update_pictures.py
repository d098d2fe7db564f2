import itertools
import math

import numpy as np
import pytest
from PIL import Image, ImageDraw

from assets.comt.update_layout import Label, characters, font, frame, layout, wrapped
from assets.comt.update_pictures import PALETTE, PLAIN, Shown, drawing
from assets.images import encode

# seven squares of 20 in three columns, 10 apart, the last alone at the bottom
CORNERS = {1: (0, 0), 2: (30, 0), 3: (60, 0), 4: (0, 30), 5: (30, 30), 6: (60, 30), 7: (30, 60)}
PIECES = {piece: (x, y, x + 20.0, y, x + 20.0, y + 20.0, x, y + 20.0) for piece, (x, y) in CORNERS.items()}
GROUPS = [("head", (1, 2)), ("a rather long name of a body part", (4,)), ("left leg, raised", (6, 7)), ("tail", (3,))]


def laid_out(groups: list[tuple[str, tuple[int, ...]]] = GROUPS) -> list[Label]:
    found = layout(PIECES, groups)
    assert found is not None
    return found


def shown(count: int) -> list[Shown]:
    return [
        Shown(pieces, colour, label)
        for (_, pieces), colour, label in zip(GROUPS[:count], PALETTE, laid_out(), strict=False)
    ]


def pixel(image: Image.Image, piece: int, x: float = 10, y: float = 4) -> str:
    places = frame(list(PIECES.values()))
    left, top = CORNERS[piece]
    at = places.at([left + x, top + y])[0]
    return "#{:02x}{:02x}{:02x}".format(*image.getpixel((int(at[0]), int(at[1]))))


def test_the_plain_tangram_is_grey_on_white_with_room_for_labels() -> None:
    image = drawing(PIECES)
    # 80 by 80 becomes 260 by 260, with 110 beside it and 70 above and below
    assert (image.mode, image.size) == ("RGB", (480, 400))
    assert {pixel(image, piece) for piece in PIECES} == {PLAIN}
    assert image.getpixel((109, 200)) == image.getpixel((240, 69)) == (255, 255, 255)
    assert image.convert("L").getextrema() == (211, 255)


def test_no_picture_is_longer_than_480_pixels() -> None:
    for wide, high in ((1, 40), (40, 1), (1, 1), (3, 4), (1e-9, 0)):
        places = frame([(0, 0, wide, 0, wide, high)])
        assert 0 < places.width <= 480
        assert 0 < places.height <= 480


def test_each_step_colours_one_group_more_and_leaves_the_rest_as_it_was() -> None:
    before = drawing(PIECES)
    for count in range(1, 5):
        after = drawing(PIECES, shown(count))
        assert after.size == before.size
        coloured = {piece: PALETTE[number] for number, (_, own) in enumerate(GROUPS[:count]) for piece in own}
        assert {piece: pixel(after, piece, 3, 17) for piece in PIECES} == {
            piece: coloured.get(piece, PLAIN) for piece in PIECES
        }
        for label in laid_out()[: count - 1]:
            assert after.crop(label.box).tobytes() == before.crop(label.box).tobytes()
        before = after


def test_a_label_shows_its_colour_and_its_text() -> None:
    label = shown(1)[0].label
    image = drawing(PIECES, shown(1))
    left, top, right, bottom = label.box
    assert image.getpixel((left + 3, (top + bottom) // 2)) == (0xE6, 0x9F, 0x00)
    assert image.crop((left + 10, top + 2, right - 2, bottom - 2)).convert("L").getextrema()[0] < 80
    assert all(font().getlength(line) <= right - left - 10 for line in label.lines)


def masks() -> dict[int, np.ndarray]:
    places = frame(list(PIECES.values()))
    found = {}
    for piece, points in PIECES.items():
        sheet = Image.new("1", (places.width, places.height))
        ImageDraw.Draw(sheet).polygon(places.at(points), fill=1)
        found[piece] = np.asarray(sheet)
    return found


@pytest.mark.parametrize("count", [2, 4, 7])
def test_labels_touch_neither_figure_nor_each_other_and_arrows_end_in_their_pieces(count: int) -> None:
    groups = [(f"part number {piece} of it", (piece,)) for piece in list(PIECES)[:count]]
    labels = laid_out(groups)
    pieces = masks()
    everything = np.logical_or.reduce(list(pieces.values()))
    for label, (_, own) in zip(labels, groups, strict=True):
        left, top, right, bottom = label.box
        assert 0 <= left < right <= everything.shape[1]
        assert 0 <= top < bottom <= everything.shape[0]
        assert not everything[top:bottom, left:right].any()
        assert pieces[own[0]][int(label.tip[1]), int(label.tip[0])]
        along = np.linspace(label.tail, label.tip, 200)
        for other in labels:
            a, b, c, d = other.box
            if other is not label:
                assert right <= a or c <= left or bottom <= b or d <= top
                assert not ((along[:, 0] > a) & (along[:, 0] < c) & (along[:, 1] > b) & (along[:, 1] < d)).any()


def test_arrows_do_not_cross() -> None:
    labels = laid_out([(f"part {piece}", (piece,)) for piece in PIECES])
    for one, other in itertools.combinations(labels, 2):
        a, b = np.linspace(one.tail, one.tip, 100), np.linspace(other.tail, other.tip, 100)
        assert np.hypot(*(a[:, None] - b[None]).transpose(2, 0, 1)).min() > 2


def test_labels_that_find_no_room_are_not_laid_out() -> None:
    assert layout(PIECES, [("w" * 44, (1,)), ("head", (2,))]) is None
    assert layout(PIECES, [(" ".join(["wwwwwwwwww"] * 12), (piece,)) for piece in PIECES]) is None


def test_the_same_tangram_gives_the_same_picture() -> None:
    layouts = [laid_out() for _ in range(2)]
    assert layouts[0] == layouts[1]
    assert encode(drawing(PIECES, shown(4))) == encode(drawing(PIECES, shown(4)))


def test_text_is_broken_at_spaces_only_and_nothing_of_it_is_lost() -> None:
    lines = wrapped("a rather long name of a body part", 96)
    assert " ".join(lines) == "a rather long name of a body part"
    assert len(lines) > 1
    assert all(font().getlength(line) <= 96 for line in lines)
    assert wrapped("extraordinarinesses now", 20) == ("extraordinarinesses", "now")


def test_the_font_has_latin_greek_and_cyrillic_letters_and_no_chinese() -> None:
    assert set("azÉßλж'/") <= characters()
    assert "龙" not in characters()


# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB
SIGHT = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
CLOSEST = {
    "normal": (26.4, "#56b4e9", "#0072b2"),
    "protanopia": (20.7, "#56b4e9", "#cc79a7"),
    "deuteranopia": (17.0, "#e69f00", "#f0e442"),
    "tritanopia": (16.1, "#56b4e9", "#009e73"),
}


def lab(colour: str, matrix: tuple[tuple[float, ...], ...]) -> np.ndarray:
    """CIE L*a*b* (D65) of an sRGB colour as this sight has it."""
    steps = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = np.array([step / 12.92 if step <= 0.04045 else ((step + 0.055) / 1.055) ** 2.4 for step in steps])
    seen = np.clip(np.array(matrix) @ linear, 0, 1)
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
    ratios = np.array(to_xyz) @ seen / np.array([0.95047, 1, 1.08883])
    x, y, z = (math.cbrt(each) if each > 216 / 24389 else (24389 / 27 * each + 16) / 116 for each in ratios)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_stay_apart_from_each_other_and_from_grey_in_every_colour_blindness(sight: str) -> None:
    distances = sorted(
        (round(float(np.linalg.norm(lab(one, SIGHT[sight]) - lab(other, SIGHT[sight]))), 1), one, other)
        for one, other in itertools.combinations((*PALETTE, PLAIN), 2)
    )
    # CIE76; a just noticeable difference is about 2.3
    assert distances[0][0] >= 16
    assert distances[0] == CLOSEST[sight]
