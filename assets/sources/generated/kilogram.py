"""A small KILOGRAM drawn by rule, in its own files: tangrams-svg/*.svg and dense10.json with ten describers each.

The describers are simulated: most of them see what the arrangement was made for, some see something else.
"""

import json
import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assets.sources.generated.annotators import Truth

LEAST = 20
DESCRIBERS = 10
# So many of the first descriptions of a tangram lack a label where this is planted.
UNKNOWN = 3
WORKERS = 24
UNIT = 24.0
# How many tangrams of each kind; the rest is whole and described.
PLANTED = {
    "undescribed": 0.06,
    "doctype": 0.02,
    "entity": 0.02,
    "not_seven_pieces": 0.02,
    "not_xml": 0.02,
    "unknown": 0.08,
}
GONE = ("undescribed", "doctype", "entity", "not_seven_pieces", "not_xml")
MISSING_DRAWING = "page99-1"

Points = tuple[tuple[float, float], ...]


class Figure(NamedTuple):
    """An arrangement: its usual label, what else people see in it, and its seven pieces with their part labels."""

    label: str
    others: tuple[str, ...]
    pieces: tuple[tuple[str, Points], ...]


# Corners in units of which a small triangle's legs are two: two large triangles, a medium one, two small ones, a
# square and a parallelogram, as every tangram has them.
FIGURES = (
    Figure("house", ("cottage", "a barn with a chimney", "home"), (
        ("roof", ((4, 0), (0, 4), (4, 4))), ("roof", ((4, 0), (8, 4), (4, 4))),
        ("wall", ((0, 4), (2, 4), (2, 6), (0, 6))),
        ("door", ((2, 4), (4, 4), (2, 6))), ("door", ((4, 4), (4, 6), (2, 6))),
        ("wall", ((4, 4), (6, 4), (8, 6), (6, 6))), ("chimney", ((8, 0), (8, 4), (6, 2))))),
    Figure("sailing boat", ("boat", "ship with two sails", "yacht"), (
        ("sail", ((4, 2), (4, 6), (0, 6))), ("sail", ((4, 2), (4, 6), (8, 6))),
        ("hull", ((0, 6), (2, 6), (4, 8), (2, 8))),
        ("hull", ((2, 6), (4, 6), (4, 8))), ("hull", ((4, 6), (6, 6), (6, 8), (4, 8))),
        ("bow", ((6, 6), (8, 6), (6, 8))),
        ("flag", ((4, -2), (4, 2), (6, 0))))),
    Figure("fish", ("big fish", "goldfish", "shark"), (
        ("body", ((2, 4), (6, 0), (6, 4))), ("body", ((2, 4), (6, 8), (6, 4))), ("body", ((6, 2), (6, 6), (8, 4))),
        ("tail", ((8, 4), (10, 4), (10, 2))), ("tail", ((8, 4), (10, 4), (10, 6))),
        ("fin", ((6, -2), (8, -2), (8, 0), (6, 0))), ("fin", ((6, 8), (8, 8), (10, 10), (8, 10))))),
    Figure("bird", ("duck", "bird with spread wings", "goose"), (
        ("body", ((2, 4), (6, 4), (6, 8))), ("wing", ((6, 0), (6, 4), (10, 4))), ("tail", ((6, 8), (10, 8), (8, 6))),
        ("neck", ((0, 2), (2, 2), (2, 4), (0, 4))), ("head", ((0, 0), (0, 2), (2, 2))),
        ("beak", ((-2, 2), (0, 2), (0, 4))),
        ("back", ((6, 4), (8, 4), (10, 6), (8, 6))))),
    Figure("person", ("man", "standing person", "dancer"), (
        ("head", ((3, 0), (5, 0), (5, 2), (3, 2))), ("body", ((2, 2), (6, 2), (2, 6))),
        ("body", ((6, 2), (6, 6), (2, 6))),
        ("arm", ((6, 2), (8, 2), (10, 4), (8, 4))), ("arm", ((2, 2), (2, 6), (0, 4))),
        ("leg", ((2, 6), (4, 6), (2, 8))),
        ("leg", ((4, 6), (6, 6), (6, 8))))),
    Figure("chair", ("armchair", "seat", "throne"), (
        ("backrest", ((0, 0), (2, 0), (2, 2), (0, 2))), ("backrest", ((0, 2), (2, 4), (2, 6), (0, 4))),
        ("backrest", ((0, 2), (2, 2), (2, 4))), ("backrest", ((0, 4), (2, 6), (0, 6))),
        ("seat", ((2, 6), (6, 6), (2, 10))),
        ("seat", ((6, 6), (6, 10), (2, 10))), ("foot", ((2, 10), (6, 10), (4, 12))))),
    Figure("rocket", ("space ship", "missile", "rocket taking off"), (
        ("nose", ((2, 2), (6, 2), (4, 0))), ("body", ((2, 2), (6, 2), (2, 6))), ("body", ((6, 2), (6, 6), (2, 6))),
        ("engine", ((3, 6), (5, 6), (5, 8), (3, 8))), ("fin", ((2, 4), (2, 6), (0, 6))),
        ("fin", ((6, 4), (6, 6), (8, 6))),
        ("flame", ((3, 8), (5, 8), (7, 10), (5, 10))))),
    Figure("tree", ("fir tree", "pine", "christmas tree"), (
        ("crown", ((4, 0), (0, 4), (4, 4))), ("crown", ((4, 0), (8, 4), (4, 4))),
        ("branch", ((4, 4), (2, 6), (6, 6))),
        ("branch", ((2, 4), (4, 4), (2, 6))), ("branch", ((4, 4), (6, 4), (6, 6))),
        ("trunk", ((3, 6), (5, 6), (5, 8), (3, 8))), ("root", ((3, 8), (5, 8), (7, 10), (5, 10))))),
    Figure("cat", ("sitting cat", "fox", "dog"), (
        ("head", ((0, 2), (2, 2), (2, 4), (0, 4))), ("ear", ((0, 0), (0, 2), (2, 2))),
        ("body", ((0, 4), (4, 4), (4, 8))),
        ("body", ((0, 4), (0, 8), (4, 8))), ("back", ((4, 4), (6, 4), (4, 6))), ("leg", ((4, 8), (8, 8), (6, 6))),
        ("tail", ((8, 8), (10, 6), (12, 6), (10, 8))))),
    Figure("arrow", ("arrow to the side", "sign", "spear"), (
        ("tip", ((0, 4), (4, 0), (4, 4))), ("tip", ((0, 4), (4, 8), (4, 4))),
        ("shaft", ((4, 3), (6, 3), (6, 5), (4, 5))),
        ("shaft", ((6, 3), (8, 3), (6, 5))), ("shaft", ((8, 3), (8, 5), (6, 5))),
        ("shaft", ((8, 3), (10, 3), (12, 5), (10, 5))), ("feather", ((12, 5), (14, 3), (14, 7))))),
)  # fmt: skip


def draw_kilogram(folder: Path, *, seed: int, count: int) -> list[Truth]:
    """What is true of each tangram, by the file's stem; writes tangrams-svg/*.svg and dense10.json.

    Raises:
        ValueError: a count too small to hold every defect.

    Source: format and quirks of KILOGRAM's SVG files and of dense10.json; the arrangements and labels are ours.
    """
    if count < LEAST:
        raise ValueError(f"generated KILOGRAM: {count} tangrams cannot hold every defect: give {LEAST} or more")
    rng = random.Random(f"{seed}/kilogram")
    kinds: list[str | None] = [kind for kind, number in planted(count).items() for _ in range(number)]
    kinds += [None] * (count - len(kinds))
    rng.shuffle(kinds)
    (folder / "tangrams-svg").mkdir(parents=True, exist_ok=True)
    described: dict[str, Any] = {}
    truths = []
    for place, kind in enumerate(kinds):
        stem = f"page{place // 12 + 1}-{place % 12}"
        figure = FIGURES[place % len(FIGURES)]
        numbers = rng.sample(range(1, 8), 7)
        (folder / "tangrams-svg" / f"{stem}.svg").write_bytes(_svg(figure, numbers, kind, rng).encode())
        if kind != "undescribed":
            described[stem] = _descriptions(figure, numbers, kind, rng)
        truths.append(Truth(f"kilogram-{stem}", 3, (1, 2), defect=kind, arrives=kind not in GONE))
    described[MISSING_DRAWING] = _descriptions(FIGURES[0], list(range(1, 8)), None, rng)
    (folder / "dense10.json").write_bytes(json.dumps(described, ensure_ascii=False).encode())
    return truths


def descriptions_of(truths: Iterable[Truth]) -> list[Truth]:
    """What is true of each description of the tangrams, numbered from 1: these are the samples of CoMT.

    Those that say nothing of the whole or of a piece make none.
    """
    return [
        Truth(f"{truth.sample_id}-{number}", defect=truth.defect, arrives=truth.arrives)
        for truth in truths
        for number in range(1, DESCRIBERS + 1)
        if truth.defect != "unknown" or number > UNKNOWN
    ]


def planted(count: int) -> dict[str, int]:
    """How many of `count` tangrams have each defect or quirk: its share, and one at least."""
    return {kind: max(1, round(share * count)) for kind, share in PLANTED.items()}


def _svg(figure: Figure, numbers: Sequence[int], kind: str | None, rng: random.Random) -> str:
    turn, mirrored = math.radians(rng.uniform(-14, 14)), rng.random() < 0.5
    form = rng.choice(("commas", "commas", "commas", "spaces", "matrix"))
    pieces = [[_turned(x, y, turn, mirrored) for x, y in points] for _, points in figure.pieces]
    low = [min(point[axis] for points in pieces for point in points) for axis in (0, 1)]
    high = [max(point[axis] for points in pieces for point in points) for axis in (0, 1)]
    joint = " " if form == "spaces" else ","
    shift = (low[0] - 6, low[1] - 6)
    polygons = []
    for number, points in sorted(zip(numbers, pieces, strict=True)):
        moved = points if form == "matrix" else [(x - shift[0], y - shift[1]) for x, y in points]
        text = " ".join(f"{x:.2f}{joint}{y:.2f}" for x, y in moved)
        matrix = f' transform="matrix(1, 0, 0, 1, {-shift[0]:.2f}, {-shift[1]:.2f})"' if form == "matrix" else ""
        polygons.append(
            f'<polygon fill="lightgray" id="{number}" points="{text}" stroke="white" strokewidth="1"{matrix}/>'
        )
    if kind == "not_seven_pieces":
        polygons.pop()
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    if kind == "doctype":
        head += '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'
    if kind == "entity":
        head += '<!DOCTYPE svg [<!ENTITY seen "generated"><!ENTITY more "&seen;&seen;&seen;&seen;">]>\n'
    text = (
        f'{head}<svg baseProfile="full" height="100%" version="1.1" viewBox="0 0 {high[0] - low[0] + 12:.2f} '
        f'{high[1] - low[1] + 12:.2f}" width="100%" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:ev="http://www.w3.org/2001/xml-events" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"<defs/>{''.join(polygons)}</svg>"
    )
    return text[: len(text) // 2] if kind == "not_xml" else text


def _turned(x: float, y: float, turn: float, mirrored: bool) -> tuple[float, float]:
    x = -x if mirrored else x
    return (
        UNIT * (x * math.cos(turn) - y * math.sin(turn)),
        UNIT * (x * math.sin(turn) + y * math.cos(turn)),
    )


def _descriptions(figure: Figure, numbers: Sequence[int], kind: str | None, rng: random.Random) -> dict[str, Any]:
    workers = rng.sample(range(1, WORKERS + 1), DESCRIBERS)
    told = [_description(figure, numbers, worker, rng) for worker in workers]
    if kind == "unknown":
        told[0]["whole"]["wholeAnnotation"] = "UNKNOWN"
        told[1]["whole"]["wholeAnnotation"] = ""
        told[2]["part"][str(numbers[0])] = "UNKNOWN"
    return {
        "snd": round(rng.uniform(0.5, 1.0), 6),
        "pnd": round(rng.uniform(0.5, 1.0), 6),
        "psa": round(rng.uniform(3.0, 6.5), 6),
        "annotations": told,
    }


def _description(figure: Figure, numbers: Sequence[int], worker: int, rng: random.Random) -> dict[str, Any]:
    label = figure.label if rng.random() < 0.7 else rng.choice(figure.others)
    parts: dict[str, list[int]] = {}
    for number, (part, _) in zip(numbers, figure.pieces, strict=True):
        parts.setdefault(part, []).append(number)
    order = list(parts)
    rng.shuffle(order)
    second = rng.randint(10, 20)
    metadata: dict[str, Any] = {}
    for part in order:
        if rng.random() < 0.05:
            metadata[str(len(metadata))] = _group(parts[part][:1], "piece", False, second)
            second += 1
        metadata[str(len(metadata))] = _group(parts[part], part, True, second)
        second += rng.randint(1, 4)
    pairs = [(str(number), part) for part in order for number in parts[part]]
    entries = list(metadata.items())
    # Upstream's keys are in no order.
    rng.shuffle(entries)
    return {
        "whole": {"wholeAnnotation": label, "timestamp": _stamp(rng.randint(1, 9))},
        "part": dict(pairs),
        "workerId": f"simulated-{worker:02d}",
        "metadata": dict(entries),
    }


def _group(pieces: Sequence[int], text: str, final: bool, second: int) -> dict[str, Any]:
    return {"final": final, "pieces": sorted(pieces), "annotation": text, "timestamp": _stamp(second)}


def _stamp(second: int) -> str:
    """A time that nobody spent: the format wants one."""
    return f"2000-01-01 00:00:{second:02d}.000000+00:00"
