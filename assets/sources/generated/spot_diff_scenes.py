"""Scenes of the generated spot-diff: their grounds, and which things may stand where."""

from collections.abc import Callable
from typing import NamedTuple

from assets.sources.generated import spot_diff_things as t
from assets.sources.generated.drawing import COLOURS, Sheet

WIDTH, HEIGHT = 300, 220
COLUMNS, ROWS = 6, 3


class Scene(NamedTuple):
    """A kind of scene: its ground, and the things that may stand in its upper, middle and lower third."""

    name: str
    ground: Callable[[Sheet], None]
    things: tuple[tuple[t.Thing, ...], tuple[t.Thing, ...], tuple[t.Thing, ...]]


def _bands(*bands: tuple[int, str]) -> Callable[[Sheet], None]:
    def ground(page: Sheet) -> None:
        for top, colour in bands:
            page.box(0, top, WIDTH, HEIGHT, colour, None)

    return ground


def _room(page: Sheet) -> None:
    _bands((0, "#f3e6d0"), (150, "#c9a77f"))(page)
    for x in range(12, WIDTH, 24):
        page.line([(x, 0), (x, 146)], "#eedcc0", 3)
    page.box(0, 144, WIDTH, 152, "#a98660", None)


def _garden(page: Sheet) -> None:
    _bands((0, "#c9e6f7"), (88, "#b4d99a"), (150, "#9bc97f"))(page)
    for x in range(4, WIDTH, 20):
        page.box(x, 74, x + 9, 106, "#f7f1e3", "#cbbf9f")
    page.box(0, 84, WIDTH, 88, "#f7f1e3", "#cbbf9f")


def _harbour(page: Sheet) -> None:
    _bands((0, "#d3e8f4"), (78, "#7fb4d8"), (148, "#c2b49c"))(page)
    for row in range(6):
        for x in range(8 + row % 2 * 20, WIDTH, 40):
            page.line([(x, 88 + row * 10), (x + 6, 86 + row * 10), (x + 12, 88 + row * 10)], "#a9cfe8", 1)
    page.box(0, 144, WIDTH, 150, "#94866e", None)


def _street(page: Sheet) -> None:
    _bands((0, "#dde8ef"), (130, "#c8c5bd"), (150, "#7f838a"))(page)
    for x in range(0, WIDTH, 60):
        high = 62 + x * 7 % 31
        page.box(x, high, x + 58, 130, ("#dfc8a8", "#c9b0a0", "#bfc8cc")[x // 60 % 3], "#9c9182")
    for x in range(6, WIDTH, 44):
        page.box(x, 184, x + 22, 187, "#f0efe8", None)


def _beach(page: Sheet) -> None:
    _bands((0, "#a9dcf5"), (76, "#5fa9d6"), (112, "#efdcae"))(page)
    page.line([(x, 112 + (x // 12 % 2) * 3) for x in range(0, WIDTH + 12, 12)], "#ffffff", 3)


SCENES = (
    Scene(
        "room",
        _room,
        (
            (t.CLOCK, t.PICTURE, t.WINDOW, t.PICTURE),
            (t.LAMP, t.CHAIR, t.TABLE, t.TEAPOT, t.PLANT, t.BOOKS),
            (t.CAT, t.TEDDY, t.TOYBALL, t.DOG, t.BOOKS, t.CRATE),
        ),
    ),
    Scene(
        "garden",
        _garden,
        (
            (t.SUN, t.CLOUD, t.BIRD, t.KITE, t.BALLOON),
            (t.TREE, t.HOUSE, t.FIR, t.PERSON, t.TREE),
            (t.FLOWER, t.CAN, t.CAT, t.MUSHROOM, t.DOG, t.BUCKET),
        ),
    ),
    Scene(
        "harbour",
        _harbour,
        (
            (t.CLOUD, t.BIRD, t.SUN, t.BALLOON, t.PLANE),
            (t.BOAT, t.STEAMER, t.LIGHTHOUSE, t.BOAT, t.FISH),
            (t.ANCHOR, t.CRATE, t.BARREL, t.PERSON, t.CAT, t.FISH),
        ),
    ),
    Scene(
        "street",
        _street,
        (
            (t.CLOUD, t.PLANE, t.BIRD, t.BALLOON, t.SUN),
            (t.HOUSE, t.LIGHT, t.SIGN, t.TREE, t.PERSON, t.WINDOW),
            (t.CAR, t.BUS, t.BICYCLE, t.HYDRANT, t.DOG, t.CAR),
        ),
    ),
    Scene(
        "beach",
        _beach,
        (
            (t.SUN, t.CLOUD, t.KITE, t.BIRD, t.PLANE),
            (t.BOAT, t.STEAMER, t.TENT, t.PARASOL, t.PERSON),
            (t.BUCKET, t.SHELL, t.CRAB, t.TOYBALL, t.PARASOL, t.DOG),
        ),
    ),
)
COLOUR_NAMES = tuple(name for name in COLOURS if name != "grey")
