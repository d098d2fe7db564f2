"""Things that stand in the scenes of the generated spot-diff, as strokes within a square."""

from collections.abc import Sequence
from typing import NamedTuple

from assets.sources.generated.drawing import INK, Point, Sheet

WOOD, GREY, WHITE, LEAF, GLASS, SKIN = "#8f6238", "#9aa0a8", "#fbfbf7", "#4f9a4c", "#cfe4f2", "#e8b98f"
OWN = "own"
"""Stands for the thing's own colour, which may differ between two pictures."""


class Ball(NamedTuple):
    """A disc; `ratio` is its height over its width."""

    x: float
    y: float
    r: float
    fill: str
    ratio: float = 1.0


class Shape(NamedTuple):
    """A polygon."""

    points: tuple[Point, ...]
    fill: str


class Line(NamedTuple):
    """A line of a width in pixels."""

    points: tuple[Point, ...]
    fill: str = INK
    width: float = 2


class Box(NamedTuple):
    """A rectangle between two corners."""

    x0: float
    y0: float
    x1: float
    y1: float
    fill: str


Stroke = Ball | Shape | Line | Box
Thing = tuple[Stroke, ...]
"""Strokes within the square from -1 to 1, y downwards."""


def put(page: Sheet, thing: Thing, at: Point, size: float, colour: str, mirrored: bool) -> None:
    """Draws a thing around a point; `size`: pixels from its middle to the side of its square."""
    turn = -1 if mirrored else 1

    def moved(points: Sequence[Point]) -> list[Point]:
        return [(at[0] + turn * size * x, at[1] + size * y) for x, y in points]

    for stroke in thing:
        fill = colour if stroke.fill == OWN else stroke.fill
        if isinstance(stroke, Ball):
            [(x, y)] = moved([(stroke.x, stroke.y)])
            page.ball(x, y, size * stroke.r, fill, INK, stroke.ratio)
        elif isinstance(stroke, Shape):
            page.shape(moved(stroke.points), fill)
        elif isinstance(stroke, Line):
            page.line(moved(stroke.points), fill, stroke.width)
        else:
            (x0, y0), (x1, y1) = moved([(stroke.x0, stroke.y0), (stroke.x1, stroke.y1)])
            page.box(min(x0, x1), y0, max(x0, x1), y1, fill)


SUN: Thing = (
    Ball(0, 0, 0.62, "#f2c53a"),
    *(
        Line(((0.7 * x, 0.7 * y), (0.97 * x, 0.97 * y)), "#e38a2b")
        for x, y in ((0, -1), (0, 1), (1, 0), (-1, 0), (0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7))
    ),
)
CLOUD: Thing = (Ball(-0.5, 0.1, 0.42, WHITE), Ball(0.5, 0.15, 0.38, WHITE), Ball(0, -0.1, 0.52, WHITE))
BIRD: Thing = (
    Ball(0, 0.1, 0.5, OWN, 0.6),
    Ball(0.5, -0.2, 0.27, OWN),
    Shape(((0.75, -0.25), (0.98, -0.12), (0.74, -0.08)), "#e8c53a"),
    Shape(((-0.1, 0.1), (-0.5, -0.75), (0.25, -0.05)), OWN),
    Shape(((-0.45, 0.1), (-0.95, -0.1), (-0.9, 0.3)), OWN),
)
KITE: Thing = (
    Shape(((0.1, -0.95), (0.6, -0.3), (0.1, 0.4), (-0.4, -0.3)), OWN),
    Line(((0.1, 0.4), (-0.2, 0.6), (0.1, 0.75), (-0.3, 0.95))),
)
BALLOON: Thing = (
    Ball(0, -0.3, 0.55, OWN, 1.15),
    Line(((-0.3, 0.25), (-0.15, 0.6)), INK, 1),
    Line(((0.3, 0.25), (0.15, 0.6)), INK, 1),
    Box(-0.2, 0.6, 0.2, 0.92, WOOD),
)
PLANE: Thing = (
    Ball(0, 0, 0.85, WHITE, 0.25),
    Shape(((-0.2, 0), (0.25, 0), (-0.2, 0.6)), OWN),
    Shape(((-0.85, 0), (-0.6, -0.05), (-0.9, -0.5)), OWN),
    Ball(0.5, -0.05, 0.1, GLASS),
)
TREE: Thing = (
    Box(-0.12, 0.2, 0.12, 0.98, WOOD),
    Ball(0, -0.3, 0.62, LEAF),
    Ball(-0.25, -0.2, 0.14, OWN),
    Ball(0.2, -0.45, 0.14, OWN),
    Ball(0.25, 0.02, 0.14, OWN),
)
FIR: Thing = (
    Box(-0.1, 0.6, 0.1, 0.98, WOOD),
    Shape(((0, -0.2), (0.75, 0.65), (-0.75, 0.65)), "#3f7f48"),
    Shape(((0, -0.95), (0.55, 0.1), (-0.55, 0.1)), "#3f7f48"),
)
HOUSE: Thing = (
    Box(-0.75, -0.1, 0.75, 0.95, WHITE),
    Shape(((-0.95, -0.1), (0, -0.9), (0.95, -0.1)), OWN),
    Box(-0.55, 0.3, -0.15, 0.95, WOOD),
    Box(0.1, 0.2, 0.5, 0.6, GLASS),
)
FLOWER: Thing = (
    Line(((0, 0), (0, 0.95)), LEAF, 3),
    Shape(((0, 0.75), (0.5, 0.4), (0.3, 0.75)), LEAF),
    *(Ball(x, y - 0.3, 0.28, OWN) for x, y in ((0, -0.35), (0.35, -0.05), (0.2, 0.33), (-0.2, 0.33), (-0.35, -0.05))),
    Ball(0, -0.3, 0.2, "#e8c53a"),
)
CAN: Thing = (
    Box(-0.35, -0.1, 0.45, 0.8, OWN),
    Line(((-0.35, 0.5), (-0.9, -0.2)), OWN, 4),
    Line(((0.45, 0.1), (0.85, 0.2), (0.8, 0.6), (0.45, 0.65))),
    Line(((-0.3, -0.1), (0, -0.6), (0.4, -0.1))),
)
CAT: Thing = (
    Ball(0.05, 0.45, 0.45, OWN, 1.05),
    Ball(-0.35, -0.2, 0.36, OWN),
    Shape(((-0.65, -0.35), (-0.62, -0.8), (-0.38, -0.52)), OWN),
    Shape(((-0.05, -0.4), (-0.08, -0.8), (-0.32, -0.52)), OWN),
    Line(((0.45, 0.7), (0.85, 0.5), (0.75, 0)), OWN, 4),
    Ball(-0.47, -0.22, 0.06, INK),
    Ball(-0.22, -0.22, 0.06, INK),
)
DOG: Thing = (
    Box(-0.55, 0.05, 0.5, 0.5, OWN),
    Box(-0.5, 0.5, -0.35, 0.95, OWN),
    Box(0.3, 0.5, 0.45, 0.95, OWN),
    Ball(0.6, -0.15, 0.32, OWN),
    Shape(((0.4, -0.3), (0.3, 0.15), (0.5, 0)), WOOD),
    Line(((-0.55, 0.15), (-0.9, -0.3)), OWN, 4),
    Ball(0.68, -0.2, 0.06, INK),
)
MUSHROOM: Thing = (
    Box(-0.2, 0.1, 0.2, 0.9, WHITE),
    Shape(((-0.8, 0.15), (-0.55, -0.5), (0, -0.75), (0.55, -0.5), (0.8, 0.15)), OWN),
    Ball(-0.3, -0.2, 0.13, WHITE),
    Ball(0.3, -0.15, 0.13, WHITE),
    Ball(0.02, -0.48, 0.11, WHITE),
)
BOAT: Thing = (
    Shape(((-0.9, 0.4), (0.9, 0.4), (0.6, 0.85), (-0.6, 0.85)), WOOD),
    Line(((0, 0.4), (0, -0.95)), INK, 2),
    Shape(((0.08, -0.85), (0.75, 0.25), (0.08, 0.25)), OWN),
    Shape(((-0.08, -0.5), (-0.6, 0.25), (-0.08, 0.25)), WHITE),
)
STEAMER: Thing = (
    Shape(((-0.95, 0.3), (0.95, 0.3), (0.7, 0.85), (-0.75, 0.85)), OWN),
    Box(-0.5, -0.1, 0.45, 0.3, WHITE),
    Box(-0.3, -0.7, -0.05, -0.1, "#d0453b"),
    Ball(0.05, 0.1, 0.1, GLASS),
    Ball(0.28, 0.1, 0.1, GLASS),
)
LIGHTHOUSE: Thing = (
    Shape(((-0.3, -0.5), (0.3, -0.5), (0.5, 0.98), (-0.5, 0.98)), WHITE),
    Shape(((-0.36, -0.1), (0.36, -0.1), (0.43, 0.35), (-0.43, 0.35)), OWN),
    Box(-0.25, -0.75, 0.25, -0.5, "#e8c53a"),
    Shape(((-0.35, -0.75), (0, -0.98), (0.35, -0.75)), OWN),
)
FISH: Thing = (
    Ball(0.1, 0, 0.6, OWN, 0.6),
    Shape(((-0.4, 0), (-0.95, -0.4), (-0.95, 0.4)), OWN),
    Ball(0.42, -0.1, 0.08, WHITE),
    Line(((0.15, -0.25), (0.05, 0), (0.15, 0.25)), INK, 1),
)
ANCHOR: Thing = (
    Line(((0, -0.6), (0, 0.8)), GREY, 4),
    Line(((-0.4, -0.25), (0.4, -0.25)), GREY, 4),
    Line(((-0.7, 0.3), (-0.4, 0.75), (0, 0.85), (0.4, 0.75), (0.7, 0.3)), GREY, 4),
    Ball(0, -0.72, 0.2, OWN),
)
CRATE: Thing = (
    Box(-0.75, -0.4, 0.75, 0.9, OWN),
    Line(((-0.75, -0.4), (0.75, 0.9)), INK, 2),
    Line(((-0.75, 0.25), (0.75, 0.25)), INK, 1),
)
BARREL: Thing = (
    Shape(((-0.45, -0.8), (0.45, -0.8), (0.62, 0), (0.45, 0.9), (-0.45, 0.9), (-0.62, 0)), OWN),
    Line(((-0.56, -0.35), (0.56, -0.35))),
    Line(((-0.56, 0.4), (0.56, 0.4))),
)
CLOCK: Thing = (Ball(0, 0, 0.8, OWN), Ball(0, 0, 0.62, WHITE), Line(((0, 0), (0, -0.5))), Line(((0, 0), (0.35, 0.2))))
PICTURE: Thing = (
    Box(-0.85, -0.65, 0.85, 0.65, WOOD),
    Box(-0.7, -0.5, 0.7, 0.5, GLASS),
    Shape(((-0.7, 0.5), (-0.2, -0.2), (0.3, 0.5)), OWN),
    Ball(0.4, -0.2, 0.17, "#e8c53a"),
)
WINDOW: Thing = (
    Box(-0.75, -0.85, 0.75, 0.85, WHITE),
    Box(-0.6, -0.7, 0.6, 0.7, GLASS),
    Line(((0, -0.7), (0, 0.7)), WHITE, 3),
    Shape(((-0.75, -0.85), (-0.2, -0.85), (-0.75, 0.5)), OWN),
)
LAMP: Thing = (
    Line(((0, 0), (0, 0.85)), WOOD, 3),
    Box(-0.4, 0.82, 0.4, 0.95, WOOD),
    Shape(((-0.35, -0.8), (0.35, -0.8), (0.7, 0), (-0.7, 0)), OWN),
)
CHAIR: Thing = (
    Box(-0.5, -0.9, -0.35, 0.95, WOOD),
    Box(0.4, 0.2, 0.55, 0.95, WOOD),
    Box(-0.5, 0.05, 0.6, 0.3, OWN),
    Box(-0.5, -0.8, -0.2, -0.2, OWN),
)
TABLE: Thing = (
    Box(-0.95, -0.1, 0.95, 0.1, WOOD),
    Box(-0.8, 0.1, -0.65, 0.95, WOOD),
    Box(0.65, 0.1, 0.8, 0.95, WOOD),
    Box(-0.3, -0.5, 0.1, -0.1, OWN),
    Ball(0.45, -0.25, 0.15, "#d0453b"),
)
TEAPOT: Thing = (
    Ball(0, 0.2, 0.55, OWN, 0.85),
    Line(((0.5, 0.3), (0.92, -0.2)), OWN, 5),
    Line(((-0.5, 0), (-0.88, 0.15), (-0.8, 0.5), (-0.45, 0.5))),
    Ball(0, -0.35, 0.13, OWN),
)
BOOKS: Thing = (
    Box(-0.8, 0.5, 0.8, 0.85, OWN),
    Box(-0.65, 0.15, 0.7, 0.5, "#3b6fd0"),
    Box(-0.75, -0.2, 0.45, 0.15, "#e8c53a"),
)
PLANT: Thing = (
    Shape(((-0.4, 0.3), (0.4, 0.3), (0.28, 0.95), (-0.28, 0.95)), OWN),
    *(Line(((0, 0.3), (x, y)), LEAF, 4) for x, y in ((-0.7, -0.4), (-0.25, -0.85), (0.3, -0.8), (0.7, -0.2))),
)
TEDDY: Thing = (
    Ball(-0.32, -0.72, 0.2, OWN),
    Ball(0.32, -0.72, 0.2, OWN),
    Ball(0, 0.4, 0.52, OWN),
    Ball(0, -0.4, 0.42, OWN),
    Ball(-0.15, -0.45, 0.06, INK),
    Ball(0.15, -0.45, 0.06, INK),
    Ball(0, -0.25, 0.1, WHITE),
)
TOYBALL: Thing = (Ball(0, 0.25, 0.62, OWN), Line(((-0.6, 0.1), (0, 0.3), (0.6, 0.1)), WHITE, 3))
CAR: Thing = (
    Box(-0.9, 0, 0.9, 0.5, OWN),
    Shape(((-0.55, 0), (-0.3, -0.45), (0.3, -0.45), (0.65, 0)), GLASS),
    Ball(-0.5, 0.55, 0.25, INK),
    Ball(0.5, 0.55, 0.25, INK),
    Ball(0.82, 0.2, 0.09, "#e8c53a"),
)
BUS: Thing = (
    Box(-0.95, -0.5, 0.95, 0.55, OWN),
    *(Box(x, -0.35, x + 0.35, 0, GLASS) for x in (-0.8, -0.35, 0.1)),
    Box(0.58, -0.35, 0.85, 0.55, GLASS),
    Ball(-0.55, 0.6, 0.24, INK),
    Ball(0.5, 0.6, 0.24, INK),
)
BICYCLE: Thing = (
    Ball(-0.5, 0.45, 0.42, WHITE),
    Ball(0.5, 0.45, 0.42, WHITE),
    Line(((-0.5, 0.45), (-0.15, -0.15), (0.4, -0.15), (0.5, 0.45)), OWN, 3),
    Line(((0.4, -0.15), (0.35, -0.45), (0.6, -0.5))),
    Line(((-0.3, -0.3), (0.02, -0.3)), INK, 3),
)
LIGHT: Thing = (
    Line(((0, 0.2), (0, 0.98)), GREY, 4),
    Box(-0.3, -0.95, 0.3, 0.3, INK),
    Ball(0, -0.7, 0.17, "#d0453b"),
    Ball(0, -0.32, 0.17, "#e8c53a"),
    Ball(0, 0.06, 0.17, OWN),
)
SIGN: Thing = (
    Line(((0, 0), (0, 0.98)), GREY, 4),
    Shape(((-0.8, -0.7), (0.4, -0.7), (0.85, -0.35), (0.4, 0), (-0.8, 0)), OWN),
)
HYDRANT: Thing = (Box(-0.35, -0.4, 0.35, 0.9, OWN), Ball(0, -0.45, 0.35, OWN, 0.8), Box(0.35, 0, 0.65, 0.3, OWN))
PERSON: Thing = (
    Ball(0, -0.65, 0.28, SKIN),
    Shape(((-0.15, -0.35), (0.15, -0.35), (0.45, 0.4), (-0.45, 0.4)), OWN),
    Line(((-0.18, 0.4), (-0.2, 0.95)), INK, 3),
    Line(((0.18, 0.4), (0.2, 0.95)), INK, 3),
    Line(((0.2, -0.2), (0.75, -0.45)), SKIN, 3),
)
TENT: Thing = (
    Shape(((0, -0.8), (0.95, 0.85), (-0.95, 0.85)), OWN),
    Shape(((0, -0.2), (0.35, 0.85), (-0.35, 0.85)), INK),
)
PARASOL: Thing = (
    Line(((0, -0.2), (0.15, 0.98)), WOOD, 3),
    Shape(((-0.95, 0), (-0.6, -0.6), (0, -0.85), (0.6, -0.6), (0.95, 0)), OWN),
    Shape(((-0.35, 0), (-0.2, -0.75), (0.25, -0.75), (0.35, 0)), WHITE),
)
BUCKET: Thing = (
    Shape(((-0.55, -0.3), (0.55, -0.3), (0.4, 0.85), (-0.4, 0.85)), OWN),
    Line(((-0.5, -0.3), (-0.2, -0.8), (0.3, -0.8), (0.5, -0.3))),
)
SHELL: Thing = (
    Shape(((0, 0.75), (-0.8, 0), (-0.45, -0.55), (0, -0.7), (0.45, -0.55), (0.8, 0)), OWN),
    *(Line(((0, 0.75), (x, y)), INK, 1) for x, y in ((-0.45, -0.5), (0, -0.7), (0.45, -0.5))),
)
CRAB: Thing = (
    Ball(0, 0.3, 0.5, OWN, 0.7),
    *(Line(((0.4 * s, 0.1), (0.8 * s, -0.3), (0.7 * s, -0.65)), OWN, 4) for s in (-1, 1)),
    *(Line(((0.35 * s, 0.55), (0.7 * s, 0.85)), OWN, 3) for s in (-1, 1)),
    Ball(-0.15, 0.1, 0.08, WHITE),
    Ball(0.15, 0.1, 0.08, WHITE),
)
