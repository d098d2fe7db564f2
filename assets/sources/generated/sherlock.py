"""A small Sherlock drawn by rule, in its own files: sherlock_train_v1_1.json and images/<folder>/<name>.jpg.

A picture is a little scene of a few things; an instance is one of them, where it is, and what follows from it.
"""

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.sources.generated.annotators import Truth
from assets.sources.generated.drawing import UNREADABLE, Unlike, jpeg, sheet, unreadable
from assets.sources.generated.problem import with_articles
from assets.sources.generated.sherlock_scenes import HIGH, THEMES, WIDE, Thing, drawn_colour

if TYPE_CHECKING:
    from PIL import Image

LEAST = 90
TRIES = 400
MOST_ALIKE = 0.97
HOST = "https://example.org/generated"
FOLDERS = ("VG_100K", "VG_100K_2", "vcr1images")
# Share of the pictures by what was planted in them; each occurs at least twice, an unreadable one of each kind once.
PLANTED = {
    "single_clue": 0.05,
    "two_clues": 0.03,
    "box_outside": 0.02,
    "box_over_edge": 0.02,
    "missing_picture": 0.012,
    "no_inference": 0.008,
    "duplicate_id": 0.008,
}
QUALITY = 85
GONE = ("single_clue", "two_clues", "missing_picture", *UNREADABLE)


class Scene(NamedTuple):
    """One picture, and for each of its things what is seen, what follows, and its box: left, top, width, height."""

    picture: "Image.Image"
    clues: tuple[tuple[str, str, tuple[int, int, int, int]], ...]


def draw_sherlock(folder: Path, *, seed: int, count: int) -> list[Truth]:
    """What is true of each picture, named after its first instance; writes the instances and the pictures.

    `count` instances in all, of pictures with three clues or four but for the planted ones. The instances of a
    picture keep their order in the file, but stand apart.

    Raises:
        ValueError: a count too small to hold every defect.

    Source: format of Sherlock's sherlock_*_v1_1.json; scenes and sentences are ours.
    """
    if count < LEAST:
        raise ValueError(f"generated Sherlock: {count} instances cannot hold every defect: give {LEAST} or more")
    rng = random.Random(f"{seed}/sherlock")
    sizes, kinds = _plan(count, rng)
    ids = _ids(count, rng)
    unlike = Unlike(MOST_ALIKE)
    spread: list[tuple[float, dict[str, Any]]] = []
    truths = []
    for number, (size, kind) in enumerate(zip(sizes, kinds, strict=True), start=1):
        scene = _scene(size, unlike, rng)
        names = sorted(ids.pop() for _ in range(size))
        file = f"{rng.choice(FOLDERS)}/{number * 7 + rng.randint(0, 6)}.jpg"
        _write(folder / "images" / file, scene, kind)
        records = [_instance(scene, place, names[place], file, rng) for place in range(size)]
        _plant(records, kind)
        spread.extend(zip(sorted(rng.random() for _ in records), records, strict=True))
        lost = 1 if kind in ("box_outside", "no_inference") else 0
        truths.append(
            Truth(
                f"sherlock-{names[0]}",
                2 * (size - lost) + 1,
                tuple(range(1, 2 * (size - lost), 2)),
                defect=kind,
                arrives=kind not in GONE,
            )
        )
    folder.mkdir(parents=True, exist_ok=True)
    ordered = [record for _, record in sorted(spread, key=lambda pair: pair[0])]
    (folder / "sherlock_train_v1_1.json").write_bytes(json.dumps(ordered, ensure_ascii=False).encode())
    return truths


def planted(count: int) -> dict[str, int]:
    """How many of the pictures of `count` instances have each defect or quirk."""
    pictures = count * 2 // 7
    shares = {kind: max(2, round(share * pictures)) for kind, share in PLANTED.items()}
    return shares | dict.fromkeys(UNREADABLE, 1)


def _plan(count: int, rng: random.Random) -> tuple[list[int], list[str | None]]:
    """How many clues each picture has, and what is planted in it: `count` clues together."""
    kinds: list[str | None] = [kind for kind, number in planted(count).items() for _ in range(number)]
    # A defect that takes a clue leaves three.
    sizes = [{"single_clue": 1, "two_clues": 2}.get(kind or "", 4) for kind in kinds]
    left = count - sum(sizes)
    while left >= 3:
        size = 3 if left in (3, 6) or (left != 4 and rng.random() < 0.5) else 4
        sizes.append(size)
        kinds.append(None)
        left -= size
    while left > 0:
        # What is left over becomes pictures of one clue.
        sizes.append(1)
        kinds.append("single_clue")
        left -= 1
    order = rng.sample(range(len(sizes)), len(sizes))
    return [sizes[place] for place in order], [kinds[place] for place in order]


def _ids(count: int, rng: random.Random) -> list[str]:
    ids: dict[str, None] = {}
    while len(ids) < count:
        ids[f"{rng.getrandbits(128):032x}"] = None
    return list(ids)


def _scene(size: int, unlike: Unlike, rng: random.Random) -> Scene:
    for _ in range(TRIES):
        scene = _drawn(size, rng)
        if unlike.admit((), scene.picture):
            return scene
    raise ValueError("generated Sherlock: no new picture: ask for fewer instances")


def _drawn(size: int, rng: random.Random) -> Scene:
    theme = rng.choice(THEMES)
    things = list(theme.things)
    while len(things) < size:
        # A thing of another scene that says nothing against this one.
        other = rng.choice(_NEUTRAL)
        if other.inferred not in {thing.inferred for thing in things}:
            things.append(other)
    shown = rng.sample(things, size)
    page = sheet(rng, (276, 316), (166, 196))
    horizon = page.height * rng.uniform(0.4, 0.6)
    page.box(0, 0, page.width, horizon, theme.above, None)
    page.box(0, horizon, page.width, page.height, theme.below, None)
    slots = rng.sample(range(4), size)
    step = page.width / 4
    clues = []
    for thing, slot in zip(shown, slots, strict=True):
        name, colour = drawn_colour(rng)
        x = round(slot * step + rng.uniform(0, step - WIDE))
        hangs = thing.draw in _HANGING
        y = rng.randint(2, 24) if hangs else rng.randint(page.height - HIGH - 34, page.height - HIGH - 2)
        thing.draw(page, x, y, colour)
        clues.append((with_articles(rng.choice(thing.seen).format(name)), thing.inferred, (x, y, WIDE, HIGH)))
    return Scene(page.image, tuple(clues))


def _things(*inferred: str) -> tuple[Thing, ...]:
    return tuple({t.inferred: t for theme in THEMES for t in theme.things if t.inferred in inferred}.values())


_NEUTRAL = _things("a child celebrates today", "he goes away for a long time", "somebody has picked fruit")
_HANGING = frozenset(
    thing.draw
    for thing in _things(
        "the storm is not over yet", "it is early in the morning", "it is a hot summer day", "it is late at night",
        "one can order food at this restaurant", "arithmetic is taught in this school",
    )
)  # fmt: skip


def _instance(scene: Scene, place: int, name: str, file: str, rng: random.Random) -> dict[str, Any]:
    seen, inferred, (left, top, width, height) = scene.clues[place]
    return {
        "inputs": {
            "image": {"url": f"{HOST}/{file}", "width": scene.picture.width, "height": scene.picture.height},
            "bboxes": [{"left": left, "top": top, "width": width, "height": height}],
            "clue": seen,
            "confidence": rng.choice((1.0, 2.0, 3.0)),
            "obs_idx": place,
        },
        "targets": {"inference": inferred},
        "instance_id": name,
    }


def _plant(records: list[dict[str, Any]], kind: str | None) -> None:
    """Breaks the last instance of a picture, never the first: its question is named after that one."""
    last = records[-1]
    box = last["inputs"]["bboxes"][0]
    if kind == "box_outside":
        box["left"] = last["inputs"]["image"]["width"] + 40
    elif kind == "box_over_edge":
        box["height"] = last["inputs"]["image"]["height"]
    elif kind == "no_inference":
        last["targets"]["inference"] = " "
    elif kind == "duplicate_id":
        last["instance_id"] = records[1]["instance_id"]


def _write(path: Path, scene: Scene, kind: str | None) -> None:
    if kind == "missing_picture":
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = jpeg(scene.picture, QUALITY)
    path.write_bytes(unreadable(whole, kind) if kind in UNREADABLE else whole)
