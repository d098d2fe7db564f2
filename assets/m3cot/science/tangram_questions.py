"""Questions about KILOGRAM's tangrams: what the figure resembles, from what people called it and its parts."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from assets.drawing import polygons
from assets.images import Picture, of_pixels
from assets.m3cot.questions import draw, ordered, picture_of
from assets.schema.sample import Sample

if TYPE_CHECKING:
    from PIL import Image

REASONS = ("no_description", "label_unusable", "too_few_parts", "too_few_options")
CATEGORY = "Abstract Tangram Recognition"
MADE = "question by rules"
LONGEST_LABEL = 40
WRONG = 3

_FILL = "lightgray"
"""As the pieces of KILOGRAM's own drawings are filled."""

_STEMS = (
    "What does the figure in the picture most resemble?",
    "Which animal or object does the figure in the picture look most like?",
    "The seven pieces in the picture form one figure. What is it most likely meant to be?",
    "Which of these is best depicted by the figure in the picture?",
)
_CONTEXT = "The picture shows a tangram: a figure made of seven flat pieces."

_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and another are as at be big by facing for from front has her his in into is it its large left like "
        "little looking lying of off on one or out over right shape side sideways sitting small some standing that "
        "the their to top two under up upside very view wearing with back down inside next old open young area areal "
        "aerial",
    )
)
_GROUPS = (
    "man woman person people human lady girl boy guy nun priest pope monk king queen emperor chef dancer runner goalie "
    "student graduate child kid baby soldier princess angel boxer knight wizard witch clown player mother father",
    "bird duck goose swan chicken rooster hen turkey eagle hawk parrot flamingo pelican crane ostrich penguin owl "
    "pigeon dove crow seagull chick",
    "dog puppy wolf fox hound poodle",
    "cat kitten lion tiger panther",
    "fish shark whale dolphin goldfish",
    "horse pony donkey mule camel llama giraffe deer moose goat sheep cow bull",
    "rabbit bunny hare kangaroo",
    "butterfly moth bat insect bug bee",
    "house home building church barn hut cabin castle tower temple factory",
    "boat ship sailboat canoe yacht",
    "car truck van bus tank tractor",
    "plane airplane jet aircraft rocket spaceship shuttle kite",
    "table desk bench counter stand",
    "chair armchair sofa couch throne seat",
    "lamp light lantern candle torch",
    "cup mug goblet glass bowl trophy vase jar pot kettle teapot pitcher bottle dish",
    "well fountain faucet sink",
    "hammer mallet axe cleaver anvil wrench",
    "hat cap crown helmet",
    "tree flower plant bush palm",
    "stove oven furnace fireplace chimney",
    "pyramid mountain hill volcano",
    "can canister bucket barrel",
    "arrow pointer",
    "gun pistol rifle",
    "robot android machine",
    "snail shell turtle tortoise",
    "snake worm",
    "bridge arch gate",
    "face head mask",
)
_GROUP_OF = {word: f"={number}" for number, words in enumerate(_GROUPS) for word in words.split()}
_ROWS = ("top", "middle", "bottom")
_COLUMNS = ("left", "centre", "right")


class _Labelled(NamedTuple):
    """A tangram that can become a question but for its wrong options: its label and where its parts are."""

    label: str
    parts: tuple[tuple[str, tuple[str, ...], int], ...]


def pictures(tangrams: pa.Table) -> Iterator[Picture]:
    """A picture of each tangram that becomes a question: light pieces with thin white edges on white.

    One row is one picture; `file` is the sample's id.
    """
    rows = _rows(tangrams)
    labels = _labels(rows)
    for row in rows:
        if not isinstance(_kept(row, labels), str):
            yield of_pixels(_drawn(row["pieces"]), _id(row))


def samples(tangrams: pa.Table, drawn: Mapping[str, str], *, seed: int) -> list[Sample]:
    """One row a tangram that was kept, in order: with its question, or dropped for one of `REASONS`.

    The right option is the whole label most agreed on: that whose content words the other annotators' labels share
    most (Jaccard's index, added up; the first of equals). The rationale takes the parts from the first annotator with
    that label who named two parts or more. Wrong options are such labels of other tangrams that share no content
    word, stem or group of synonyms with anything that anybody said about this one, nor with each other. Only labels
    that stand are read, never superseded ones.

    Args:
        tangrams: table `tangram`.
        drawn: image ids by sample id.
        seed: decides which wrong options stand in which order.

    Raises:
        PictureMissing: a tangram became a question and has no picture.

    Source: arXiv:2405.16473, appendix A.4.2 (KILOGRAM for sparse topics); the category is the released one.
    """
    rows = _rows(tangrams)
    labels = _labels(rows)
    return [_sample(row, labels, drawn, seed) for row in rows]


def words(label: str) -> frozenset[str]:
    """The content words of a label as stems, and the groups of synonyms that they are in, as `=` and a number."""
    return _words(label)


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two labels could mean the same thing: a word or a group shared, or a word of one within the other's."""
    if not one.isdisjoint(other):
        return True
    return any(_within(a, b) for a in one for b in other)


def _sample(row: Mapping[str, Any], labels: Mapping[str, str], drawn: Mapping[str, str], seed: int) -> Sample:
    name = _id(row)
    sample = Sample(
        name,
        "m3cot",
        "kilogram",
        row["id"],
        row["provenance"],
        domain="science",
        topic="social-science",
        subtopic="cognitive-science",
        category=CATEGORY,
    )
    found = _kept(row, labels)
    if isinstance(found, str):
        return sample.drop(found)
    order = sorted(labels)
    random.Random(f"{seed}/{name}/others").shuffle(order)
    wrong = _others(row, labels, order) or _others(row, labels, labels) or ()
    options, letter = ordered(found.label, wrong, f"{seed}/{name}")
    filled = sample._replace(
        question=_STEMS[draw(f"{seed}/{name}/stem", len(_STEMS))],
        context=_CONTEXT,
        choices=options,
        answer=letter,
        images=(picture_of(drawn, name),),
    )
    return filled.with_text(_rationale(found)).made(MADE)


def _rationale(found: _Labelled) -> str:
    told = []
    for text, places, count in found.parts:
        where = " and ".join([", ".join(places[:-1]), places[-1]] if len(places) > 1 else places)
        subject = "The piece" if count == 1 else f"The {count} pieces"
        told.append(f'{subject} at the {where} of the figure can be seen as "{text}".')
    named = " and ".join(f'"{text}"' for text, _, _ in found.parts) if len(found.parts) == 2 else "all these parts"
    told.append(f'A figure with {named} put together in this way most resembles "{found.label}".')
    return " ".join(told)


def _rows(tangrams: pa.Table) -> list[dict[str, Any]]:
    return [row for row in tangrams.to_pylist() if row["dropped"] is None]


def _id(row: Mapping[str, Any]) -> str:
    return f"kilogram-{row['id']}"


def _labels(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The whole label most agreed on of every tangram that has a usable one, by the tangram's id, in order."""
    found = {row["id"]: _most_agreed(row) for row in rows}
    return {tangram: label for tangram, label in found.items() if label is not None}


def _most_agreed(row: Mapping[str, Any]) -> str | None:
    said = [_clean(each["whole"]) for each in row["descriptions"]]
    usable = [(place, label) for place, label in enumerate(said) if _is_usable(label)]
    if not usable:
        return None

    def agreement(each: tuple[int, str]) -> float:
        place, own = each[0], _stems(each[1])
        others = (_stems(label) for other, label in enumerate(said) if other != place)
        return sum(len(own & stems) / len(own | stems) for stems in others)

    return max(usable, key=lambda each: (round(agreement(each), 9), -each[0]))[1]


def _kept(row: Mapping[str, Any], labels: Mapping[str, str]) -> _Labelled | str:
    """The tangram's label and parts, or the reason why it makes no question; no seed has a say in it."""
    if not row["descriptions"]:
        return "no_description"
    label = labels.get(row["id"])
    if label is None:
        return "label_unusable"
    stems = _stems(label)
    by_label = [each for each in row["descriptions"] if _stems(_clean(each["whole"])) == stems]
    parts = next((found for each in by_label if len(found := _parts(each, row["pieces"])) >= 2), None)
    if parts is None:
        return "too_few_parts"
    if _others(row, labels, labels) is None:
        return "too_few_options"
    return _Labelled(label, parts)


def _others(row: Mapping[str, Any], labels: Mapping[str, str], order: Any) -> tuple[str, ...] | None:
    """The first labels of other tangrams in this order that mean nothing said here and differ; None if too few."""
    said = frozenset().union(*(words(each["whole"]) for each in row["descriptions"]))
    chosen: list[str] = []
    for tangram in order:
        label = labels[tangram]
        own = words(label)
        if tangram == row["id"] or alike(own, said) or any(alike(own, words(other)) for other in chosen):
            continue
        chosen.append(label)
        if len(chosen) == WRONG:
            return tuple(chosen)
    return None


def _parts(
    description: Mapping[str, Any], pieces: Sequence[Mapping[str, Any]]
) -> tuple[tuple[str, tuple[str, ...], int], ...]:
    """What this annotator called the parts, each with where its pieces are and how many they are, from the top down."""
    across = [x for piece in pieces for x in piece["points"][::2]]
    down = [y for piece in pieces for y in piece["points"][1::2]]
    box = (min(across), min(down), max(across), max(down))
    middles = {piece["piece"]: _middle(piece["points"]) for piece in pieces}
    named: dict[str, list[tuple[float, float, float]]] = {}
    for part in description["parts"]:
        text = _clean(part["text"])
        if _is_usable(text) and part["piece"] in middles:
            named.setdefault(text, []).append(middles[part["piece"]])
    found = []
    for text, of_part in named.items():
        x, y = _mean(of_part)
        places = tuple(dict.fromkeys(_place(x, y, box) for x, y, _ in sorted(of_part, key=lambda each: each[1::-1])))
        found.append(((y, x), (text, places if len(places) <= 3 else (_place(x, y, box),), len(of_part))))
    return tuple(part for _, part in sorted(found))


def _mean(middles: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    whole = sum(area for _, _, area in middles) or 1.0
    return sum(x * area for x, _, area in middles) / whole, sum(y * area for _, y, area in middles) / whole


def _middle(points: Sequence[float]) -> tuple[float, float, float]:
    """The centroid of a polygon, and its area; the mean of its corners where it has none."""
    corners = list(zip(points[::2], points[1::2], strict=True))
    twice = x = y = 0.0
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        cross = x0 * y1 - x1 * y0
        twice, x, y = twice + cross, x + (x0 + x1) * cross, y + (y0 + y1) * cross
    if abs(twice) < 1e-9:
        return sum(points[::2]) / len(corners), sum(points[1::2]) / len(corners), 0.0
    return x / (3 * twice), y / (3 * twice), abs(twice) / 2


def _place(x: float, y: float, box: tuple[float, float, float, float]) -> str:
    left, top, right, bottom = box
    column = _COLUMNS[min(int(3 * (x - left) / max(right - left, 1e-9)), 2)]
    row = _ROWS[min(int(3 * (y - top) / max(bottom - top, 1e-9)), 2)]
    if row == "middle":
        return "centre" if column == "centre" else f"{column} side"
    return f"{row} centre" if column == "centre" else f"{row} {column}"


def _clean(label: str) -> str:
    """A label without the article in front and the full stop behind."""
    return re.sub(r"^(?:an?|the|some) ", "", " ".join(label.split()).strip(" .,;"), flags=re.IGNORECASE)


def _is_usable(label: str) -> bool:
    """Whether a label can be shown: words, not UNKNOWN, no second sentence, 40 characters or fewer."""
    plain = label.isprintable() and not re.search(r"[.!?;:] |[\"\[\]<>{}]", label)
    return plain and len(label) <= LONGEST_LABEL and label.lower() != "unknown" and bool(_stems(label))


def _stems(label: str) -> frozenset[str]:
    return frozenset(word for word in _words(label) if not word.startswith("="))


@lru_cache(maxsize=65_536)
def _words(label: str) -> frozenset[str]:
    found = re.findall(r"[^\W\d_]+", label.lower())
    content = [word for word in found if word not in _EMPTY_WORDS and len(word) > 1]
    # a label of nothing but such words, as "top", is its words
    stems = {_stem(word) for word in content or found}
    return frozenset(stems | {_GROUP_OF[stem] for stem in stems if stem in _GROUP_OF})


def _stem(word: str) -> str:
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: len(word) - len(ending)] + kept
    return word[:-3] if word.endswith("ing") and len(word) > 6 else word


def _within(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and short[0] != "=" and short in long


def _drawn(pieces: Sequence[Mapping[str, Any]]) -> "Image.Image":
    """The pieces on white paper, the longer side as long as the picture allows."""
    across = [x for piece in pieces for x in piece["points"][::2]]
    down = [y for piece in pieces for y in piece["points"][1::2]]
    left, top = min(across), min(down)
    moved = [
        ([(x - left, y - top) for x, y in zip(piece["points"][::2], piece["points"][1::2], strict=True)], _FILL)
        for piece in pieces
    ]
    return polygons(moved, max(across) - left, max(down) - top)
