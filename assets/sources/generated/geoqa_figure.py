"""The picture of a generated geometry problem: its lines, circle, names and what is given, drawn to scale."""

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from assets.sources.generated.drawing import Point, Sheet
from assets.sources.generated.geoqa_problems import Problem

if TYPE_CHECKING:
    from PIL import Image

WIDTH, HEIGHT, EDGE = 220, 160, 20
BLACK = "#000000"
# Distances of a name from its point, of an angle's text from its vertex and of a length from its line, in pixels.
NAME_OFF, ARC, ANGLE_OFF, LENGTH_OFF = 9, 14, 25, 8


def figure(problem: Problem) -> "Image.Image":
    """The picture, grey, 220 by 160 pixels."""
    at = placed(problem)
    page = Sheet(WIDTH, HEIGHT)
    if problem.circle:
        centre, rim = (at[name] for name in problem.circle)
        page.ball(*centre, math.dist(centre, rim), None, BLACK)
        page.ball(*centre, 1.6, BLACK, None)
    for line in problem.lines:
        page.line([at[line[0]], at[line[1]]], BLACK, 1)
    for kind, names, text in problem.marks:
        {"angle": _angle, "right": _right, "length": _length}[kind](page, at, names, text)
    for name, (x, y) in at.items():
        angle = _free(problem, at, name)
        page.text(x + NAME_OFF * math.cos(angle), y + NAME_OFF * math.sin(angle), name, 12, BLACK)
    return page.image.convert("L")


def placed(problem: Problem) -> dict[str, Point]:
    """Where each point is in the picture, in pixels from the upper left corner."""
    around = list(problem.points.values())
    if problem.circle:
        (x, y), radius = problem.points[problem.circle[0]], math.dist(*(problem.points[n] for n in problem.circle))
        around += [(x - radius, y - radius), (x + radius, y + radius)]
    low = [min(point[axis] for point in around) for axis in (0, 1)]
    high = [max(point[axis] for point in around) for axis in (0, 1)]
    scale = min((WIDTH - 2 * EDGE) / (high[0] - low[0]), (HEIGHT - 2 * EDGE) / (high[1] - low[1]))
    middle = [(low[axis] + high[axis]) / 2 for axis in (0, 1)]
    return {
        name: (WIDTH / 2 + scale * (x - middle[0]), HEIGHT / 2 - scale * (y - middle[1]))
        for name, (x, y) in problem.points.items()
    }


def _free(problem: Problem, at: dict[str, Point], name: str) -> float:
    """The direction from a point in which nothing is drawn, as an angle in pixels (y downwards)."""
    taken = []
    here = at[name]
    for line in problem.lines:
        ends = [at[end] for end in line]
        if abs(math.dist(here, ends[0]) + math.dist(here, ends[1]) - math.dist(*ends)) < 0.5:
            taken += [math.atan2(y - here[1], x - here[0]) for x, y in ends if math.dist(here, (x, y)) > 0.5]
    if problem.circle and name != problem.circle[0]:
        centre, rim = (at[one] for one in problem.circle)
        if abs(math.dist(centre, here) - math.dist(centre, rim)) < 0.5:
            inwards = math.atan2(centre[1] - here[1], centre[0] - here[0])
            taken += [inwards + turn for turn in (-math.pi / 2, 0, math.pi / 2)]
    if not taken:
        return math.pi / 2
    turns = sorted({round(angle, 4) % round(2 * math.pi, 4) for angle in taken})
    gaps = [after - before for before, after in pairwise([*turns, turns[0] + 2 * math.pi])]
    widest = max(range(len(gaps)), key=lambda place: (round(gaps[place], 2), -place))
    return turns[widest] + gaps[widest] / 2


def _arms(at: dict[str, Point], names: str) -> tuple[Point, float, float]:
    """The vertex of an angle, the direction of its first arm, and the turn from there to the second."""
    first, vertex, second = (at[name] for name in names)
    start = math.atan2(first[1] - vertex[1], first[0] - vertex[0])
    end = math.atan2(second[1] - vertex[1], second[0] - vertex[0])
    return vertex, start, (end - start + math.pi) % (2 * math.pi) - math.pi


def _angle(page: Sheet, at: dict[str, Point], names: str, text: str) -> None:
    (x, y), start, turn = _arms(at, names)
    steps = [start + turn * part / 12 for part in range(13)]
    page.line([(x + ARC * math.cos(angle), y + ARC * math.sin(angle)) for angle in steps], BLACK, 1)
    # In a narrow angle the text stands where there is room for it.
    off = max(ANGLE_OFF, 9 / math.tan(max(abs(turn) / 2, 0.2)) + 9)
    middle = start + turn / 2
    page.text(x + off * math.cos(middle), y + off * math.sin(middle), text, 10, BLACK)


def _right(page: Sheet, at: dict[str, Point], names: str, _text: str) -> None:
    (x, y), start, turn = _arms(at, names)
    one, two = ((8 * math.cos(angle), 8 * math.sin(angle)) for angle in (start, start + turn))
    page.line(
        [(x + one[0], y + one[1]), (x + one[0] + two[0], y + one[1] + two[1]), (x + two[0], y + two[1])], BLACK, 1
    )


def _length(page: Sheet, at: dict[str, Point], names: str, text: str) -> None:
    (x0, y0), (x1, y1) = (at[name] for name in names)
    middle = [sum(point[axis] for point in at.values()) / len(at) for axis in (0, 1)]
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    long = math.dist((x0, y0), (x1, y1))
    side = ((y1 - y0) / long, (x0 - x1) / long)
    # On the side away from the middle of the figure.
    sign = 1 if side[0] * (x - middle[0]) + side[1] * (y - middle[1]) >= 0 else -1
    page.text(x + sign * side[0] * LENGTH_OFF, y + sign * side[1] * LENGTH_OFF, text, 10, BLACK)
