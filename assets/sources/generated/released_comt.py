"""The items of the generated CoMT release: its template filled from drawn geometry, crowds, tangrams and pairs."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assets.comt.template import OPTIONS, identifier
from assets.sources.generated.drawing import COLOURS, INK, Point, Sheet, png
from assets.sources.generated.geoqa import options, question
from assets.sources.generated.geoqa_figure import figure
from assets.sources.generated.geoqa_lengths import FAMILIES
from assets.sources.generated.geoqa_problems import Value
from assets.sources.generated.jhu_crowd import Crowd, crowd
from assets.sources.generated.kilogram import FIGURES, Figure
from assets.sources.generated.spot_diff import FEWEST, MOST, Pair, pair
from assets.sources.generated.spot_diff_scenes import SCENES

if TYPE_CHECKING:
    from PIL import Image

TASKS = ("creation", "deletion", "update", "selection")
LEAST_A_TASK = 10
"""So many of each task cover all options. Source: arXiv:2412.12932, the development set of ten a task."""

LETTERS = "ABCD"
AT_ONCE = 10
PAIRS = 4
GAP = 12
CREAM = "#fffdf6"
# A tangram is drawn in a square of so many pixels, with the names of its parts in margins left and right of it.
SIDE, MARGIN = 170, 56
TINTS = tuple(COLOURS[name] for name in ("red", "blue", "green", "orange", "purple", "yellow", "turquoise"))


@dataclass(frozen=True)
class Item:
    """One record of data.jsonl, and the bytes of its pictures by their place below `images`."""

    record: dict[str, Any]
    pictures: dict[str, bytes]

    @property
    def answer(self) -> str:
        """The letter of the right option."""
        return str(self.record["answer"])


@dataclass(frozen=True)
class _Made:
    """What a task makes of its source: the template's parts but for the order of options."""

    question: str
    values: tuple[str, ...]
    right: str
    rationale: str
    pictures: tuple["Image.Image", ...]
    annotations: dict[str, Any]
    originals: tuple["Image.Image", ...] = ()


def draw_items(items: int, seed: int) -> list[Item]:
    """The items, task after task; each letter is right equally often in a task.

    Raises:
        ValueError: a number that is no multiple of four, or too few.

    Source: arXiv:2412.12932, section 2 and appendix C (what each task shows), and the release's README for the form.
    """
    if items % len(TASKS) or items < LEAST_A_TASK * len(TASKS):
        raise ValueError(
            f"generated release: comt_items {items} cannot be shared out to four tasks: give a multiple of "
            f"{len(TASKS)}, {LEAST_A_TASK * len(TASKS)} or more"
        )
    drawn = []
    for task, make in _TASKS.items():
        rng = random.Random(f"{seed}/comt/{task}")
        places = [(number % OPTIONS, number // OPTIONS % OPTIONS) for number in range(items // len(TASKS))]
        rng.shuffle(places)
        for number, (label, rank) in enumerate(places):
            drawn.append(_item(f"{task}-{number + 1}", task, make(number, rank, rng), label, rng))
    return drawn


def _item(item_id: str, task: str, made: _Made, label: int, rng: random.Random) -> Item:
    option = [value for value in made.values if value != made.right]
    rng.shuffle(option)
    option.insert(label, made.right)
    names = [f"{item_id}-{number}" for number in range(len(made.pictures))]
    pictures = {f"{task}/{name}.png": png(drawn) for name, drawn in zip(names, made.pictures, strict=True)}
    pictures |= {
        f"{task}/original/{names[0]}-{side}.png": png(drawn) for side, drawn in zip("ab", made.originals, strict=False)
    }
    record = {
        "id": item_id,
        "question": made.question,
        "option": option,
        "image": [f"{identifier(number)[:-1]}:{name}]" for number, name in enumerate(names)],
        "rationale": made.rationale,
        "answer": LETTERS[label],
        "type": task,
        "annotations": {"provenance": "generated: drawn by rule from a seed, neither observed nor quoted"}
        | made.annotations,
    }
    return Item(record, pictures)


def _creation(number: int, rank: int, rng: random.Random) -> _Made:
    problem = FAMILIES[number % len(FAMILIES)](rng)
    words = problem.english
    values = options(problem.right, problem.wrong, rank, rng)
    told = question(words, chinese=False).removeprefix("As shown in the figure, ")
    first = "First, we draw the figure that the question describes."
    return _Made(
        question=told[0].upper() + told[1:],
        values=tuple(value.text for value in values),
        right=problem.right.text,
        rationale=f"{first} {identifier(0)} {' '.join(words.steps)} So the answer is {problem.right.text}.",
        pictures=(figure(problem),),
        annotations={"points": list(problem.points), "family": problem.family},
    )


def _deletion(_number: int, rank: int, rng: random.Random) -> _Made:
    people = rng.randint(11, 34)
    seen = crowd(rng, people)
    heads = sorted(seen.heads)
    steps = [heads[start : start + AT_ONCE] for start in range(0, people, AT_ONCE)]
    told = ["To count the people, we mask their faces from left to right, ten at a time."]
    masked = 0
    for place, step in enumerate(steps):
        masked += len(step)
        more = "First we mask" if place == 0 else "Next we mask"
        told.append(f"{more} {len(step)} faces, so that {masked} are masked. {identifier(place + 1)}")
    told += ["No face is left.", f"So the number of people is {people}."]
    return _Made(
        question=f"How many people are in the picture? {identifier(0)}",
        values=tuple(value.text for value in options(Value(people), (), rank, rng)),
        right=str(people),
        rationale=" ".join(told),
        pictures=(seen.picture, *(_masked(seen, heads[: AT_ONCE * place]) for place in range(1, len(steps) + 1))),
        annotations={"heads": [list(head) for head in heads]},
    )


def _masked(seen: Crowd, heads: Sequence[tuple[int, ...]]) -> "Image.Image":
    from PIL import ImageDraw

    page = seen.picture.copy()
    pen = ImageDraw.Draw(page)
    for x, y, width, height, *_ in heads:
        pen.rectangle([x - width // 2, y - height // 2, x + width // 2, y + height // 2], "#000000")
    return page


def _update(number: int, _rank: int, rng: random.Random) -> _Made:
    shape = FIGURES[number % len(FIGURES)]
    others = rng.sample([other.label for other in FIGURES if other.label != shape.label], OPTIONS - 1)
    turn, mirrored = rng.uniform(-10, 10), rng.random() < 0.5
    tints = rng.sample(TINTS, len(TINTS))
    groups = list(dict.fromkeys(part for part, _ in shape.pieces))
    told = ["We name the parts of the tangram one after another and colour each of them."]
    for place, part in enumerate(groups, start=1):
        told.append(f"These pieces look like the {part}. {identifier(place)}")
    told += ["Together the parts make up one whole.", f"So the tangram looks like this: {shape.label}."]
    return _Made(
        question=f"What does the tangram in the picture look like? {identifier(0)}",
        values=(shape.label, *others),
        right=shape.label,
        rationale=" ".join(told),
        pictures=tuple(
            _tangram(shape, dict(zip(groups[:named], tints, strict=False)), turn, mirrored)
            for named in range(len(groups) + 1)
        ),
        annotations={"groups": [{"label": part} for part in groups]},
    )


def _tangram(shape: Figure, tints: dict[str, str], turn: float, mirrored: bool) -> "Image.Image":
    """The tangram, the named parts in their colour with their name beside them."""
    page = Sheet(SIDE + 2 * MARGIN, SIDE, CREAM)
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    turned = [
        [((-x if mirrored else x) * cos - y * sin, (-x if mirrored else x) * sin + y * cos) for x, y in points]
        for _, points in shape.pieces
    ]
    around = [point for points in turned for point in points]
    low = [min(point[axis] for point in around) for axis in (0, 1)]
    high = [max(point[axis] for point in around) for axis in (0, 1)]
    scale = (SIDE - 24) / max(high[0] - low[0], high[1] - low[1])
    middle = [(low[axis] + high[axis]) / 2 for axis in (0, 1)]
    centre = (MARGIN + SIDE / 2, SIDE / 2)
    places: dict[str, Point] = {}
    for (part, _), points in zip(shape.pieces, turned, strict=True):
        moved = [(centre[0] + scale * (x - middle[0]), centre[1] + scale * (y - middle[1])) for x, y in points]
        page.shape(moved, tints.get(part, "#d3d3d3"), "#ffffff", 1)
        places.setdefault(part, (sum(x for x, _ in moved) / len(moved), sum(y for _, y in moved) / len(moved)))
    for part, (x, y) in _beside(places).items():
        if part in tints:
            page.line([(x, y), places[part]], INK, 1)
            page.ball(*places[part], 2, INK, None)
            wide = page.length(part, 11) / 2 + 3
            page.box(x - wide, y - 8, x + wide, y + 8, "#ffffff", "#606060")
            page.text(x, y, part, 11)
    return page.image


def _beside(places: dict[str, Point]) -> dict[str, Point]:
    """Where the names of parts stand: left or right of the tangram, as high as their part where there is room."""
    found = {}
    right = sorted(places, key=lambda part: (-places[part][0], part))[: (len(places) + 1) // 2]
    for x, parts in ((MARGIN / 2, [part for part in places if part not in right]), (SIDE + 1.5 * MARGIN, right)):
        free = 10.0
        ordered = sorted(parts, key=lambda part: (places[part][1], part))
        for number, part in enumerate(ordered):
            last = SIDE - 10 - 20 * (len(ordered) - 1 - number)
            y = min(max(places[part][1], free), last)
            found[part] = (x, y)
            free = y + 20
    return found


def _selection(number: int, rank: int, rng: random.Random) -> _Made:
    differences = rng.randint(FEWEST, MOST)
    seen = pair(rng, SCENES[number % len(SCENES)], differences)
    boxes = sorted(seen.boxes)
    each, more = divmod(differences, PAIRS)
    groups, start = [], 0
    for place in range(PAIRS):
        end = start + each + (place < more)
        groups.append(boxes[start:end])
        start = end
    told = ["We cut out what differs between the two pictures, from left to right."]
    found = 0
    for place, group in enumerate(groups, start=1):
        found += len(group)
        one = "one difference" if len(group) == 1 else f"{len(group)} differences"
        told.append(f"Here we see {one}, which makes {found} so far. {identifier(place)}")
    told += ["No other place differs.", f"So the number of differences is {differences}."]
    return _Made(
        question=f"How many differences are there between the two pictures? {identifier(0)}",
        values=tuple(value.text for value in options(Value(differences), (), rank, rng)),
        right=str(differences),
        rationale=" ".join(told),
        pictures=(_joined(seen.first, seen.second), *(_cropped(seen, group) for group in groups)),
        annotations={"boxes": [[list(box) for box in group] for group in groups]},
        originals=(seen.first, seen.second),
    )


def _cropped(seen: Pair, boxes: Sequence[tuple[int, int, int, int]]) -> "Image.Image":
    """The boxes of both pictures on white, where they are in them."""
    from PIL import Image

    halves = []
    for whole in (seen.first, seen.second):
        page = Image.new("RGB", whole.size, "#ffffff")
        for left, top, width, height in boxes:
            page.paste(whole.crop((left, top, left + width, top + height)), (left, top))
        halves.append(page)
    return _joined(*halves)


def _joined(first: "Image.Image", second: "Image.Image") -> "Image.Image":
    """The two side by side with a transparent gap."""
    from PIL import Image

    page = Image.new("RGBA", (first.width + GAP + second.width, first.height), (255, 255, 255, 0))
    page.paste(first, (0, 0))
    page.paste(second, (first.width + GAP, 0))
    return page


_TASKS: dict[str, Callable[[int, int, random.Random], _Made]] = {
    "creation": _creation,
    "deletion": _deletion,
    "update": _update,
    "selection": _selection,
}
