"""Maps of depth and height by rule, and what can be asked about the points on them."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from assets.m3cot.science.climate_charts import Draft

COLUMNS, ROWS = 60, 45
POINTS = "ABCD"
FROM = "P"
COMPASS = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")

_BORDER = 6
_APART = 10.0
_FROM_EDGE = 0.28
_ABOUT_A_POINT = 3
_ASKEW = 12.0
_NORTH_BY = 4
_MOST_TRIES = 400


class Point(NamedTuple):
    """A labelled point: columns from the west, rows from the north, and the band it lies in, from 0."""

    label: str
    x: int
    y: int
    band: int


class Relief(NamedTuple):
    """A field of depths or heights in metres, rows from north to south, in bands of `step`, with labelled points."""

    heights: tuple[tuple[float, ...], ...]
    step: int
    points: tuple[Point, ...]
    depth: bool


class _Words(NamedTuple):
    noun: str
    most: str
    least: str
    more: str
    how: str
    ground: str


_WORDS = {
    True: _Words("depth", "deepest", "shallowest", "deeper", "How deep is the sea", "sea"),
    False: _Words("altitude", "highest", "lowest", "higher", "How high is the land", "land"),
}


def relief(rng: random.Random, *, depth: bool, from_a_point: bool) -> Relief:
    """A map with the points A to D, and P if asked for, each well within its band of colour.

    A to D differ in band; the northernmost and the southernmost stand out. Seen from P, the greatest and the
    smallest of them lie within 12 degrees of a compass direction.

    Raises:
        ValueError: no map was found in 400 tries, which no seed has needed.
    """
    step = rng.choice((200, 500, 1000) if depth else (50, 100, 200, 500))
    for _ in range(_MOST_TRIES):
        heights, bands, cells = _field(rng, step)
        points = _points(cells, bands, rng)
        if points is None:
            continue
        if not from_a_point:
            return Relief(heights, step, points, depth)
        start = _start(points, cells, bands, rng)
        if start is not None:
            return Relief(heights, step, (*points, start), depth)
    raise ValueError(f"no map in {_MOST_TRIES} tries: use another seed")


def ask(found: Relief, about: str, turn: int, rng: random.Random) -> Draft:
    """A question about a map; `about` is Estimation, Comparison or Direction, and `turn` decides what it asks."""
    families = FAMILIES[about]
    return families[turn % len(families)](found, rng)


def direction(one: Point, other: Point) -> tuple[str, float]:
    """The compass direction of the other point from the one, and by how many degrees it is askew."""
    angle = math.degrees(math.atan2(one.y - other.y, other.x - one.x)) % 360
    place = round(angle / 45)
    return COMPASS[place % 8], abs(angle - 45 * place)


def _field(
    rng: random.Random, step: int
) -> tuple[tuple[tuple[float, ...], ...], list[list[int]], list[tuple[int, int]]]:
    """A smooth field of six to eight bands, the band of each cell, and the cells that lie well within their band."""
    import numpy as np

    y, x = np.mgrid[0:ROWS, 0:COLUMNS].astype(float)
    field = rng.uniform(-0.02, 0.02) * x + rng.uniform(-0.02, 0.02) * y
    for _ in range(rng.randint(4, 6)):
        across, down, wide = rng.uniform(0, COLUMNS), rng.uniform(0, ROWS), rng.uniform(8, 16)
        field += (
            rng.choice((1, 1, -1)) * rng.uniform(0.6, 1.2) * np.exp(-((x - across) ** 2 + (y - down) ** 2) / wide**2)
        )
    count = rng.randint(6, 8)
    scaled = (field - field.min()) / (field.max() - field.min()) * (count - 0.1) + 0.05
    field = np.round(scaled * step, 1)
    scaled = field / step
    bands = np.floor(scaled).astype(int)
    within = np.abs(scaled - bands - 0.5) <= 0.5 - _FROM_EDGE
    reach = range(-_ABOUT_A_POINT, _ABOUT_A_POINT + 1)
    for down in reach:
        for across in reach:
            within &= np.roll(bands, (down, across), (0, 1)) == bands
    inner = np.zeros_like(within)
    inner[_BORDER:-_BORDER, _BORDER:-_BORDER] = True
    cells = [(int(column), int(row)) for row, column in zip(*np.nonzero(within & inner), strict=True)]
    heights = tuple(tuple(float(value) for value in row) for row in field)
    return heights, bands.tolist(), cells


def _points(
    cells: Sequence[tuple[int, int]], bands: Sequence[Sequence[int]], rng: random.Random
) -> tuple[Point, ...] | None:
    shuffled = list(cells)
    rng.shuffle(shuffled)
    chosen: list[Point] = []
    for x, y in shuffled:
        if all(bands[y][x] != point.band and _distance(x, y, point) >= _APART for point in chosen):
            chosen.append(Point(POINTS[len(chosen)], x, y, bands[y][x]))
        if len(chosen) == len(POINTS):
            rows = sorted(point.y for point in chosen)
            return tuple(chosen) if min(rows[1] - rows[0], rows[-1] - rows[-2]) >= _NORTH_BY else None
    return None


def _start(
    points: Sequence[Point], cells: Sequence[tuple[int, int]], bands: Sequence[Sequence[int]], rng: random.Random
) -> Point | None:
    shuffled = list(cells)
    rng.shuffle(shuffled)
    ends = (_most(points), _least(points))
    for x, y in shuffled:
        start = Point(FROM, x, y, bands[y][x])
        if all(_distance(x, y, point) >= _APART for point in points) and all(
            direction(start, end)[1] <= _ASKEW for end in ends
        ):
            return start
    return None


def _distance(x: int, y: int, point: Point) -> float:
    return math.hypot(x - point.x, y - point.y)


def _most(points: Sequence[Point]) -> Point:
    return max(points, key=lambda point: point.band)


def _least(points: Sequence[Point]) -> Point:
    return min(points, key=lambda point: point.band)


def _lettered(found: Relief) -> tuple[Point, ...]:
    return found.points[: len(POINTS)]


def _band(found: Relief, band: int) -> str:
    return f"between {band * found.step:,} and {(band + 1) * found.step:,} metres"


def _middle(found: Relief, band: int) -> str:
    return f"{(2 * band + 1) * found.step // 2:,} metres"


def _read(found: Relief, points: Sequence[Point]) -> str:
    """What the map says of each point."""
    noun = _WORDS[found.depth].noun
    openings = ("The colour around point", "Point", "On the same scale, point", "Between the labelled lines, point")
    told = []
    for place, point in enumerate(points):
        verb = "stands for" if place == 0 else "has"
        told.append(
            f"{openings[place % 4]} {point.label} {verb} a {noun} {_band(found, point.band)}.".replace(
                "a alt", "an alt"
            )
        )
    return " ".join(told)


def _drawn_bands(found: Relief, right: int, rng: random.Random) -> tuple[str, ...]:
    """Three other bands, those of other points and those beside the right one first."""
    top = max(math.floor(max(row) / found.step) for row in found.heights)
    others = [point.band for point in _lettered(found) if point.band != right]
    near = [band for band in (right - 1, right + 1, right + 2, right - 2, right + 3) if 0 <= band <= top]
    rng.shuffle(others)
    chosen = list(dict.fromkeys([*others[:2], *near, *others]))[:3]
    return tuple(_band(found, band) for band in chosen)


def _one_band(found: Relief, rng: random.Random) -> Draft:
    words, point = _WORDS[found.depth], rng.choice(_lettered(found))
    low, high = point.band * found.step, (point.band + 1) * found.step
    return Draft(
        f"{words.how} at point {point.label}?",
        _band(found, point.band),
        _drawn_bands(found, point.band, rng),
        f"Each colour of the map stands for {found.step:,} metres of {words.noun}, as the scale beside it shows. "
        f"Point {point.label} lies in one of the coloured bands, away from its edges. "
        f"On the scale, the colour of this band begins at {low:,} metres. "
        f"It ends at {high:,} metres. "
        f"So the {words.noun} at point {point.label} is {_band(found, point.band)}.",
    )


def _two_values(found: Relief, rng: random.Random) -> Draft:
    words, (one, other) = _WORDS[found.depth], rng.sample(_lettered(found), 2)

    def said(first: int, second: int) -> str:
        return f"about {_middle(found, first)} and about {_middle(found, second)}"

    pairs = [(other.band, one.band), (one.band, other.band + 1), (one.band + 1, other.band)]
    pairs += [(one.band + 2, other.band), (one.band, other.band + 2), (one.band + 1, other.band + 1)]
    wrong = list(dict.fromkeys(said(*pair) for pair in pairs if pair != (one.band, other.band)))
    rest = wrong[1:]
    rng.shuffle(rest)
    return Draft(
        f"What is the {words.noun} at points {one.label} and {other.label}, in this order?",
        said(one.band, other.band),
        (wrong[0], *rest[:2]),
        f"{_read(found, (one, other))} "
        f"The middle of the first band is {_middle(found, one.band)}. "
        f"The middle of the second band is {_middle(found, other.band)}. "
        f"So the {words.noun} is {said(one.band, other.band)}.",
    )


def _difference(found: Relief, rng: random.Random) -> Draft:
    words = _WORDS[found.depth]
    low, high = sorted(rng.sample(_lettered(found), 2), key=lambda point: point.band)
    right = high.band - low.band
    steps = [step for step in (right - 2, right - 1, right + 1, right + 2, right + 3) if step > 0]
    chosen = sorted(rng.sample(steps, 3))
    return Draft(
        f"About how much {words.more} is the {words.ground} at point {high.label} than at point {low.label}?",
        f"{right * found.step:,} metres",
        tuple(f"{step * found.step:,} metres" for step in chosen),
        f"{_read(found, (high, low))} "
        f"From the one band to the other the scale goes up by {right} "
        f"{'step' if right == 1 else 'steps'} of {found.step:,} metres. "
        f"So the {words.ground} at point {high.label} is about {right * found.step:,} metres {words.more}.",
    )


def _extreme(found: Relief, rng: random.Random) -> Draft:
    words, points = _WORDS[found.depth], _lettered(found)
    great = rng.random() < 0.5
    right = _most(points) if great else _least(points)
    word = words.most if great else words.least
    return Draft(
        f"At which of the labelled points is the {words.ground} {word}?",
        f"Point {right.label}",
        tuple(f"Point {point.label}" for point in points if point != right),
        f"{_read(found, points)} "
        f"The {'greatest' if great else 'smallest'} {words.noun} of these is {_band(found, right.band)}, "
        f"so the {words.ground} is {word} at point {right.label}.",
    )


def _order(found: Relief, rng: random.Random) -> Draft:
    words, points = _WORDS[found.depth], _lettered(found)
    up = rng.random() < 0.5
    right = sorted(points, key=lambda point: point.band if up else -point.band)
    names = tuple(point.label for point in right)
    near = [order for order in permutations(names) if order != names and order != names[::-1]]
    wrong = [names[::-1], *rng.sample(near, 2)]
    first, last = (words.least, words.most) if up else (words.most, words.least)
    return Draft(
        f"Which order of the points goes from the {first} to the {last}?",
        ", ".join(names),
        tuple(", ".join(order) for order in wrong),
        f"{_read(found, points)} Put in order from the {first} to the {last}, the points are {', '.join(names)}.",
    )


def _second(found: Relief, rng: random.Random) -> Draft:
    words, points = _WORDS[found.depth], _lettered(found)
    great = rng.random() < 0.5
    ranked = sorted(points, key=lambda point: -point.band if great else point.band)
    word = words.most if great else words.least
    return Draft(
        f"Which of the labelled points comes second if they are ranked from the {word} on?",
        f"Point {ranked[1].label}",
        tuple(f"Point {point.label}" for point in points if point != ranked[1]),
        f"{_read(found, points)} "
        f"Point {ranked[0].label} is the {word} of them. "
        f"Of the other three, point {ranked[1].label} is the {word}, so it comes second.",
    )


def _statement(found: Relief, rng: random.Random) -> Draft:
    words = _WORDS[found.depth]
    pairs = [sorted(pair, key=lambda point: -point.band) for pair in combinations(_lettered(found), 2)]
    rng.shuffle(pairs)

    def said(one: Point, other: Point) -> str:
        return f"Point {one.label} is {words.more} than point {other.label}."

    (high, low), *rest = pairs[:4]
    used = [point for point in _lettered(found) if any(point in pair for pair in pairs[:4])]
    return Draft(
        "Which of these statements about the map is true?",
        said(high, low),
        tuple(said(less, more) for more, less in rest),
        f"{_read(found, used)} "
        f"By these bands, point {high.label} is {words.more} than point {low.label}, as one of the statements says. "
        "In each of the other statements it is the other way round.",
    )


def _extreme_from(found: Relief, rng: random.Random) -> Draft:
    words, points, start = _WORDS[found.depth], _lettered(found), found.points[-1]
    great = rng.random() < 0.5
    right = _most(points) if great else _least(points)
    word = words.most if great else words.least
    where = direction(start, right)[0]
    other = rng.choice([point for point in points if point != right])
    turned = COMPASS[(COMPASS.index(where) + rng.choice((2, -2))) % 8]
    opposite = COMPASS[(COMPASS.index(where) + 4) % 8]
    wrong = ((right, rng.choice((turned, opposite))), (other, where), (other, opposite))
    return Draft(
        f"At which of the points A to D is the {words.ground} {word}, and in which direction from point P is it?",
        f"Point {right.label}, to the {where}",
        tuple(f"Point {point.label}, to the {way}" for point, way in wrong),
        f"{_read(found, points)} So point {right.label} is where the {words.ground} is {word}. {_way(start, right)}",
    )


def _way_to(found: Relief, rng: random.Random) -> Draft:
    words, points, start = _WORDS[found.depth], _lettered(found), found.points[-1]
    great = rng.random() < 0.5
    right = _most(points) if great else _least(points)
    word = words.most if great else words.least
    where = direction(start, right)[0]
    others = [COMPASS[(COMPASS.index(where) + turn) % 8] for turn in (2, 3, 4, 5, 6)]
    return Draft(
        f"In which direction from point P is the {word} of the points A to D?",
        where,
        tuple(rng.sample(others, 3)),
        f"{_read(found, points)} So point {right.label} is the {word} of them. {_way(start, right)}",
    )


def _farthest(found: Relief, rng: random.Random) -> Draft:
    words, points = _WORDS[found.depth], _lettered(found)
    north = rng.random() < 0.5
    right = min(points, key=lambda point: point.y if north else -point.y)
    side = "north" if north else "south"
    return Draft(
        f"What is the {words.noun} at the one of the points A to D that lies farthest {side}?",
        _band(found, right.band),
        _drawn_bands(found, right.band, rng),
        f"North is at the top of the map, so the point farthest {side} is the one nearest to the "
        f"{'top' if north else 'bottom'}. "
        f"Of the points A to D, point {right.label} is that one. "
        f"{_read(found, (right,))} "
        f"So the {words.noun} there is {_band(found, right.band)}.",
    )


def _way(start: Point, end: Point) -> str:
    return " ".join(_sentences(start, end))


def _sentences(start: Point, end: Point) -> Iterator[str]:
    where = direction(start, end)[0]
    parts = {"north": "above", "south": "below", "east": "to the right of", "west": "to the left of"}
    sides = [parts[part] for part in where.split("-")]
    yield f"Seen from point {start.label} on the map, point {end.label} lies {' and '.join(sides)} it."
    yield f"With north at the top, this is to the {where}."


FAMILIES: dict[str, tuple[Callable[[Relief, random.Random], Draft], ...]] = {
    "Estimation": (_one_band, _two_values, _difference),
    "Comparison": (_extreme, _order, _statement, _second),
    "Direction": (_extreme_from, _farthest, _way_to),
}
