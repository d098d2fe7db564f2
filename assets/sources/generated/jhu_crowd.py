"""A small JHU-CROWD++ drawn by rule, in its own files: for each split images/*.jpg, gt/*.txt and image_labels.txt."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assets.sources.generated.annotators import Truth
from assets.sources.generated.drawing import COLOURS, Sheet, jpeg, unreadable

if TYPE_CHECKING:
    from PIL import Image

LEAST = 40
WIDTH, HEIGHT = 320, 220
SPLITS = {"train": 0.6, "val": 0.15, "test": 0.25}
# Share of the pictures by what was planted in them; each occurs once at least.
PLANTED = {
    "fewer_than_ten": 0.03,
    "over_forty": 0.02,
    "duplicate_line": 0.01,
    "box_outside": 0.015,
    "zero_size": 0.01,
    "missing_picture": 0.01,
    "missing_heads": 0.008,
    "broken_line": 0.01,
    "no_heads": 0.008,
    "truncated": 0.01,
    "wrong_count": 0.02,
}
GONE = ("fewer_than_ten", "over_forty", "missing_picture", "missing_heads", "no_heads", "truncated")
# One head of these has no box that can be read, so that what is built from them miscounts.
MISCOUNTED = ("zero_size", "broken_line")
QUALITY = 80

# Where the crowd stands, and how large heads are at the back and in front: radius in pixels.
BACK, FRONT, SMALL, LARGE = 74.0, 188.0, 5.0, 10.5
SKINS = ("#f0c8a0", "#e2b088", "#c98f62", "#a5714a", "#7a5034", "#f5d7b8")
HAIRS = ("#2b221c", "#4a3423", "#6b4a2c", "#a3743c", "#c9a04e", "#8a8a86", "#d8d4cc", "#7a3b22")
CLOTHES = (*COLOURS.values(), "#f2f2ee", "#394a63", "#5c6b58", "#272b33")
TROUSERS = ("#2f3542", "#46413b", "#3c4a5e", "#5a5148")


class Head(NamedTuple):
    """A head's box as upstream has it: its centre, width and height in pixels, occlusion 1 to 3, blur 0 or 1."""

    x: int
    y: int
    width: int
    height: int
    occlusion: int = 1
    blur: int = 0


class Crowd(NamedTuple):
    """A picture of people, and a box on each head."""

    picture: "Image.Image"
    heads: tuple[Head, ...]
    scene: str


class _Person(NamedTuple):
    x: float
    y: float
    r: float


def draw_jhu_crowd(folder: Path, *, seed: int, count: int) -> list[Truth]:
    """What is true of each picture, by split and number; writes the three splits.

    Raises:
        ValueError: a count too small to hold every defect.

    Source: format of JHU-CROWD++'s folders, gt files and image_labels.txt; the pictures are ours.
    """
    if count < LEAST:
        raise ValueError(f"generated JHU-CROWD++: {count} pictures cannot hold every defect: give {LEAST} or more")
    rng = random.Random(f"{seed}/jhu_crowd")
    kinds: list[str | None] = [kind for kind, number in planted(count).items() for _ in range(number)]
    kinds += [None] * (count - len(kinds))
    rng.shuffle(kinds)
    ends = [round(sum(list(SPLITS.values())[: place + 1]) * count) for place in range(len(SPLITS))]
    labels: dict[str, list[str]] = {name: [] for name in SPLITS}
    truths = []
    for place, kind in enumerate(kinds):
        split = next(name for name, end in zip(SPLITS, ends, strict=True) if place < end)
        number = f"{place + 1:04d}"
        people = {"fewer_than_ten": rng.randint(8, 9), "over_forty": rng.randint(41, 45)}.get(
            kind or "", rng.randint(10, 40)
        )
        seen = crowd(rng, people, over_edge=kind == "box_outside")
        _write(folder / split, number, seen, kind, rng)
        # Upstream counts the lines.
        told = people + {"wrong_count": rng.choice((-3, 2, 5)), "duplicate_line": 1}.get(kind or "", 0)
        labels[split].append(f"{number},{told},{seen.scene},{rng.randint(0, 3)},{int(rng.random() < 0.1)}")
        flaw = "recheck_1" if kind in MISCOUNTED else None
        truths.append(Truth(f"jhu_crowd-{split}-{number}", flaw=flaw, defect=kind, arrives=kind not in GONE))
    for split, lines in labels.items():
        (folder / split / "image_labels.txt").write_bytes("".join(f"{line}\n" for line in lines).encode())
    return truths


def planted(count: int) -> dict[str, int]:
    """How many of `count` pictures have each defect or quirk."""
    return {kind: max(1, round(share * count)) for kind, share in PLANTED.items()}


def crowd(rng: random.Random, people: int, *, over_edge: bool = False) -> Crowd:
    """A picture of so many people, none of whose heads is hidden; with `over_edge` one stands at its left edge."""
    scene = rng.choice(tuple(_SCENES))
    page = Sheet(WIDTH, HEIGHT)
    _SCENES[scene](page, rng)
    standing = _standing(rng, people, over_edge)
    for person in standing:
        _draw(page, person, rng)
    heads = [_head(person, standing) for person in standing]
    rng.shuffle(heads)
    return Crowd(page.image, tuple(heads), scene)


def _write(folder: Path, number: str, seen: Crowd, kind: str | None, rng: random.Random) -> None:
    for below in ("images", "gt"):
        (folder / below).mkdir(parents=True, exist_ok=True)
    whole = jpeg(seen.picture, QUALITY)
    if kind != "missing_picture":
        picture = unreadable(whole, "truncated") if kind == "truncated" else whole
        (folder / "images" / f"{number}.jpg").write_bytes(picture)
    if kind == "missing_heads":
        return
    lines = [" ".join(str(value) for value in head) for head in seen.heads]
    place = rng.randrange(len(lines))
    if kind == "duplicate_line":
        lines.insert(place, lines[place])
    elif kind == "zero_size":
        x, y, width, *rest = lines[place].split()
        lines[place] = " ".join((x, y, width, "0", *rest[1:]))
    elif kind == "broken_line":
        lines[place] = f"{lines[place].split()[0]} generated line"
    elif kind == "no_heads":
        lines = []
    (folder / "gt" / f"{number}.txt").write_bytes("".join(f"{line} \n" for line in lines).encode())


def _standing(rng: random.Random, people: int, over_edge: bool) -> list[_Person]:
    """The people from the back to the front."""
    found: list[_Person] = []
    # The more people, the more of the ground they need.
    back = FRONT - (FRONT - BACK) * min(1.0, 0.55 + people / 60)
    apart = 1.0
    while len(found) < people:
        for _ in range(60):
            y = round(rng.uniform(back, FRONT))
            r = (SMALL + (LARGE - SMALL) * (y - BACK) / (FRONT - BACK)) * rng.uniform(0.9, 1.12)
            x = round(rng.uniform(r + 3, WIDTH - r - 3))
            if over_edge and not found:
                x = round(0.4 * r)
            one = _Person(x, y, r)
            if all(_apart(one, other, apart) for other in found):
                found.append(one)
                break
        else:
            apart *= 0.93
    return sorted(found, key=lambda person: (person.y, person.x))


def _apart(one: _Person, other: _Person, share: float) -> bool:
    """Whether neither hides the other's head: beside it, or so far behind that it looks out above."""
    back, front = sorted((one, other), key=lambda person: person.y)
    if abs(one.x - other.x) >= share * (back.r + 1.75 * front.r):
        return True
    return front.y - back.y >= share * (1.05 * back.r + 1.15 * front.r)


def _head(person: _Person, standing: Sequence[_Person]) -> Head:
    width, height = round(2 * person.r), round(2.3 * person.r)
    hidden = any(
        other.y > person.y
        and abs(other.x - person.x) < 0.8 * (person.r + other.r)
        and other.y - person.y < 1.2 * (person.r + other.r)
        for other in standing
    )
    return Head(round(person.x), round(person.y), width, height, 2 if hidden else 1, int(person.r < SMALL))


def _draw(page: Sheet, person: _Person, rng: random.Random) -> None:
    x, y, r = person
    cloth, trousers = rng.choice(CLOTHES), rng.choice(TROUSERS)
    skin, hair = rng.choice(SKINS), rng.choice(HAIRS)
    edge = "#3a3a3a"
    for side in (-1, 1):
        page.shape(
            [(x + side * 0.1 * r, y + 4.6 * r), (x + side * 0.95 * r, y + 4.6 * r), (x + side * 0.8 * r, y + 8.5 * r),
             (x + side * 0.25 * r, y + 8.5 * r)], trousers, None)  # fmt: skip
        page.line([(x + side * 1.35 * r, y + 1.7 * r), (x + side * 1.6 * r, y + 4.4 * r)], cloth, 0.7 * r)
        page.ball(x + side * 1.62 * r, y + 4.6 * r, 0.36 * r, skin, None)
    page.shape(
        [(x - 0.5 * r, y + 1.1 * r), (x + 0.5 * r, y + 1.1 * r), (x + 1.45 * r, y + 1.7 * r), (x + 1.1 * r, y + 5 * r),
         (x - 1.1 * r, y + 5 * r), (x - 1.45 * r, y + 1.7 * r)], cloth, edge)  # fmt: skip
    long = rng.random() < 0.4
    if long:
        page.ball(x, y + 0.15 * r, 1.02 * r, hair, None, 1.15)
    page.ball(x, y, r, skin, edge, 1.15)
    page.slice(x, y - 0.12 * r, 1.04 * r, 180, 360, hair)
    if not long and rng.random() < 0.25:
        page.box(x - 1.05 * r, y - 0.5 * r, x + 1.05 * r, y - 0.2 * r, cloth, None)
    if r > 5.5:
        for side in (-1, 1):
            page.ball(x + side * 0.38 * r, y + 0.1 * r, 0.12 * r, "#202020", None)
        page.line([(x - 0.3 * r, y + 0.62 * r), (x + 0.3 * r, y + 0.62 * r)], "#8a4038", 0.12 * r)


def _street(page: Sheet, rng: random.Random) -> None:
    page.box(0, 0, WIDTH, 60, "#cfe2f2", None)
    page.box(0, 58, WIDTH, HEIGHT, "#b4b2ac", None)
    left = -rng.randint(0, 20)
    while left < WIDTH:
        wide, high = rng.randint(38, 66), rng.randint(30, 54)
        page.box(left, 60 - high, left + wide, 62, rng.choice(("#d9c3a5", "#c7a58b", "#b9bfc6", "#d7cfc2")), "#8a8378")
        for column in range(left + 6, left + wide - 8, 13):
            for row in range(66 - high, 52, 15):
                page.box(column, row, column + 6, row + 8, "#6f8496", None)
        left += wide


def _park(page: Sheet, rng: random.Random) -> None:
    page.box(0, 0, WIDTH, 60, "#bfe0f5", None)
    page.box(0, 56, WIDTH, HEIGHT, "#9cc27e", None)
    for place in range(7):
        x = place * 50 + rng.randint(0, 24)
        page.line([(x, 62), (x, 40)], "#7a5a3c", 4)
        page.ball(x, 30, rng.randint(13, 20), rng.choice(("#5f9a55", "#6fa860", "#4f8a4c")), None, 1.1)


def _stadium(page: Sheet, rng: random.Random) -> None:
    page.box(0, 0, WIDTH, HEIGHT, "#8d97a3", None)
    for row in range(12):
        page.box(0, row * 19, WIDTH, row * 19 + 4, "#77818d" if row % 2 else "#7f8995", None)
    page.box(0, 0, WIDTH, 22, "#3d4b5e", None)
    for place in range(8):
        page.box(14 + place * 40, 5, 36 + place * 40, 17, rng.choice(tuple(COLOURS.values())), None)


def _square(page: Sheet, rng: random.Random) -> None:
    page.box(0, 0, WIDTH, 66, "#dfe9ef", None)
    page.box(0, 56, WIDTH, HEIGHT, "#cdc3b1", None)
    for row in range(5):
        y = 62 + row * row * 8
        page.line([(0, y), (WIDTH, y)], "#b9ae9a", 1)
    x = rng.randint(90, 220)
    page.box(x - 34, 24, x + 34, 60, "#b7a48c", "#8a7a66")
    page.shape([(x - 40, 24), (x + 40, 24), (x, 4)], "#9a5a48", "#7a4636")
    for place in range(12):
        page.line([(place * 30, 8), (place * 30 + 15, 16), (place * 30 + 30, 8)], "#9aa4ad", 1)
        page.shape(
            [(place * 30 + 10, 14), (place * 30 + 20, 14), (place * 30 + 15, 22)],
            rng.choice(tuple(COLOURS.values())),
            None,
        )


_SCENES = {"street": _street, "park": _park, "stadium": _stadium, "public_gathering": _square}
