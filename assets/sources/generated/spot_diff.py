"""A small spot-diff drawn by rule: a folder a pair with a.png, b.png and boxes.json, the boxes of what differs."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.sources.generated.annotators import Truth
from assets.sources.generated.drawing import COLOURS, Sheet, png
from assets.sources.generated.spot_diff_scenes import COLOUR_NAMES, COLUMNS, HEIGHT, ROWS, SCENES, WIDTH, Scene
from assets.sources.generated.spot_diff_things import CLOUD, SUN, Thing, put

if TYPE_CHECKING:
    from PIL import Image

LEAST = 20
FEWEST, MOST = 4, 10
FEWEST_THINGS = 13
# How much of a thing differs at least, in pixels, so that one can see it.
SEEN = 40
PAD = 2
# How far a thing moves at least, in pixels across and down together.
LEAST_SHIFT = 8
CELL_WIDE, CELL_HIGH = WIDTH // COLUMNS, HEIGHT // ROWS
WAYS = ("gone", "colour", "size", "shifted", "mirrored")
# Share of the pairs by what was planted in them; each occurs once at least.
PLANTED = {
    "three_differences": 0.02,
    "unequal_sizes": 0.01,
    "broken_boxes": 0.01,
    "box_outside": 0.01,
    "missing_picture": 0.01,
}


class Placed(NamedTuple):
    """One thing of a scene: what, where its middle is, its size in pixels, its colour, and which way it looks."""

    thing: Thing
    x: int
    y: int
    size: float
    colour: str
    mirrored: bool


class Pair(NamedTuple):
    """Two pictures of one scene, and the boxes of their differences: left, top, width, height."""

    scene: str
    first: "Image.Image"
    second: "Image.Image"
    boxes: tuple[tuple[int, int, int, int], ...]


def draw_spot_diff(folder: Path, *, seed: int, count: int) -> list[Truth]:
    """What is true of each pair, by the name of its folder; writes a folder a pair.

    Raises:
        ValueError: a count too small to hold every defect.

    Source: pairs with boxes of their differences as the puzzles of spot-diff are; the pictures are ours.
    """
    if count < LEAST:
        raise ValueError(f"generated spot-diff: {count} pairs cannot hold every defect: give {LEAST} or more")
    rng = random.Random(f"{seed}/spot_diff")
    kinds: list[str | None] = [kind for kind, number in planted(count).items() for _ in range(number)]
    kinds += [None] * (count - len(kinds))
    rng.shuffle(kinds)
    truths = []
    for number, kind in enumerate(kinds, start=1):
        scene = SCENES[number % len(SCENES)]
        drawn = pair(rng, scene, FEWEST - 1 if kind == "three_differences" else rng.randint(FEWEST, MOST))
        name = f"{scene.name}-{number:03d}"
        _write(folder / name, drawn, kind, rng)
        truths.append(Truth(f"spot_diff-{name}", defect=kind, arrives=kind is None))
    return truths


def planted(count: int) -> dict[str, int]:
    """How many of `count` pairs have each defect."""
    return {kind: max(1, round(share * count)) for kind, share in PLANTED.items()}


def pair(rng: random.Random, scene: Scene, differences: int) -> Pair:
    """A scene drawn twice, with so many differences, each within its own box."""
    things = _things(rng, scene)
    first: list[Placed | None] = list(things)
    second = list(first)
    boxes = []
    for place in sorted(rng.sample(range(len(things)), differences)):
        # Mirrored or in another colour, some things look as before: then it differs in another way.
        for way in rng.sample(WAYS, len(WAYS)):
            other = _other(things[place], way, rng)
            if box := _box(things[place], other):
                break
        else:
            raise AssertionError(f"{scene.name}: a thing that is gone looks as if it were there")
        # Either picture may be the changed one.
        (first if rng.random() < 0.5 else second)[place] = other
        boxes.append(box)
    return Pair(scene.name, _drawn(scene, first), _drawn(scene, second), tuple(boxes))


def _things(rng: random.Random, scene: Scene) -> list[Placed]:
    """Things that stand each in a cell of its own, row after row; some cells are empty."""
    cells = [(row, column) for row in range(ROWS) for column in range(COLUMNS)]
    taken = sorted(rng.sample(cells, rng.randint(FEWEST_THINGS, len(cells) - 1)))
    found: list[Placed] = []
    for row, column in taken:
        size = rng.uniform(15, 19)
        x, y = _somewhere(rng, column, row, size)
        thing = rng.choice(scene.things[row])
        if thing is SUN and any(other.thing is SUN for other in found):
            thing = CLOUD
        found.append(Placed(thing, x, y, size, COLOURS[rng.choice(COLOUR_NAMES)], rng.random() < 0.5))
    return found


def _somewhere(rng: random.Random, column: int, row: int, size: float) -> tuple[int, int]:
    wide, high = int(CELL_WIDE / 2 - size - 1), int(CELL_HIGH / 2 - size - 1)
    x, y = column * CELL_WIDE + CELL_WIDE // 2, row * CELL_HIGH + CELL_HIGH // 2
    return x + rng.randint(-wide, wide), y + rng.randint(-high, high)


def _other(one: Placed, way: str, rng: random.Random) -> Placed | None:
    """The thing as it is in the other picture, None where it is not there."""
    if way == "gone":
        return None
    if way == "colour":
        return one._replace(colour=rng.choice([tint for name in COLOUR_NAMES if (tint := COLOURS[name]) != one.colour]))
    if way == "size":
        return one._replace(size=one.size * 0.66)
    if way == "mirrored":
        return one._replace(mirrored=not one.mirrored)
    column, row = one.x // CELL_WIDE, one.y // CELL_HIGH
    for _ in range(20):
        x, y = _somewhere(rng, column, row, one.size)
        if abs(x - one.x) + abs(y - one.y) >= LEAST_SHIFT:
            return one._replace(x=x, y=y)
    return None


def _box(one: Placed, other: Placed | None) -> tuple[int, int, int, int] | None:
    """Where the two differ, with a little room around it; None where one hardly sees it."""
    from PIL import ImageChops

    left, top = one.x // CELL_WIDE * CELL_WIDE, one.y // CELL_HIGH * CELL_HIGH
    cells = []
    for thing in (one, other):
        # On a ground of a colour that no thing has, so that all of it is seen.
        page = Sheet(CELL_WIDE, CELL_HIGH, "#ff00ff")
        if thing is not None:
            put(page, thing.thing, (thing.x - left, thing.y - top), thing.size, thing.colour, thing.mirrored)
        cells.append(page.image)
    differing = ImageChops.difference(*cells).convert("L").point([0] + [255] * 255)
    found = differing.getbbox()
    if found is None or differing.histogram()[255] < SEEN:
        return None
    x0, y0 = max(0, found[0] - PAD), max(0, found[1] - PAD)
    x1, y1 = min(CELL_WIDE, found[2] + PAD), min(CELL_HIGH, found[3] + PAD)
    return left + x0, top + y0, x1 - x0, y1 - y0


def _drawn(scene: Scene, things: Sequence[Placed | None]) -> "Image.Image":
    page = Sheet(WIDTH, HEIGHT)
    scene.ground(page)
    for one in things:
        if one is not None:
            put(page, one.thing, (one.x, one.y), one.size, one.colour, one.mirrored)
    return page.image


def _write(folder: Path, drawn: Pair, kind: str | None, rng: random.Random) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    second = drawn.second
    if kind == "unequal_sizes":
        second = second.crop((0, 0, WIDTH - 12, HEIGHT))
    (folder / "a.png").write_bytes(png(drawn.first))
    if kind != "missing_picture":
        (folder / "b.png").write_bytes(png(second))
    boxes: list[dict[str, Any]] = [
        dict(zip(("left", "top", "width", "height"), box, strict=True)) for box in drawn.boxes
    ]
    # Upstream's boxes are in no order.
    rng.shuffle(boxes)
    if kind == "box_outside":
        boxes[-1]["left"] = WIDTH + 20
    text = json.dumps(boxes)
    (folder / "boxes.json").write_bytes((text[: len(text) * 2 // 3] if kind == "broken_boxes" else text).encode())
