"""What people's descriptions of a tangram become: groups of pieces with a label, laid out, or the reason why not."""

import random
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from assets import tangram_labels
from assets.comt.update_layout import Label, characters, layout
from assets.comt.update_options import Pool
from assets.tangram_places import middle

REASONS = (
    "no_description",
    "overlap",
    "label_unusable",
    "label_names_answer",
    "too_few_groups",
    "too_few_options",
    "labels_overlap",
    "over_quota",
)
"""Why a description makes no sample, in the order in which the rules are tried; the first one only of a tangram."""

FEWEST_GROUPS = 2


class Group(NamedTuple):
    """Pieces that were given one label, by their numbers in ascending order."""

    text: str
    pieces: tuple[int, ...]


class Told(NamedTuple):
    """A description that becomes a sample: what the tangram shows, its parts, and where their labels stand."""

    label: str
    groups: tuple[Group, ...]
    places: tuple[Label, ...]


class Tangram(NamedTuple):
    """A tangram with what becomes of each of its descriptions, in stored order: the sample, or a reason."""

    row: Mapping[str, Any]
    pieces: Mapping[int, Sequence[float]]
    told: tuple[Told | str, ...]


class Rules(NamedTuple):
    """What decides which descriptions become samples, as the settings have it."""

    longest_label: int
    most_overlap: float
    most_per_tangram: int | None
    seed: int


def decided(kilogram: pa.Table, pool: Pool, rules: Rules) -> Iterator[Tangram]:
    """Every tangram that was read, in order, with what becomes of its descriptions; one tangram in memory at a time.

    A description is dropped for the first of these that holds:

    - overlap: two pieces cover each other by more than `most_overlap` of the smaller one, or a piece has no area.
    - label_unusable: what it calls the whole or a part is empty, UNKNOWN, longer than `longest_label` characters,
      without a letter, of two sentences, coarse, broken off after a word such as `and` or `of`, with a quotation mark
      or a bracket that marks, or holds a character that the pictures' font does not have or writes from right to
      left; or what it calls the whole is a single letter.
    - label_names_answer: what it calls a part has all words of what it calls the whole, in singular or plural.
    - too_few_groups: fewer than two label groups (see `groups`).
    - too_few_options: the pool has not three labels that could stand beside its own (see `Pool`).
    - labels_overlap: no place was found for its labels.
    - over_quota: `most_per_tangram` others of the tangram, drawn by the seed, are samples already.

    Source: arXiv:2412.12932, C.2 (filtered: significant overlaps, and labels whose meaning is not reasonable).
    """
    for batch in kilogram.to_batches(max_chunksize=16):
        for row in batch.to_pylist():
            if row["dropped"] is None:
                pieces = {int(piece["piece"]): tuple(piece["points"]) for piece in row["pieces"]}
                yield Tangram(row, pieces, _told(row, pieces, pool, rules))


def groups(description: Mapping[str, Any]) -> tuple[Group, ...]:
    """The label groups that stand, in the order in which the person named them.

    Superseded labels are never read. Of two labels of one piece the later counts, and equal labels are one group, at
    the place of the first. `parts`, which says the same by piece, is not asked: see `differs`.
    """
    final = [group for group in description["groups"] if group["final"]]
    of_piece = {piece: _cleaned(group["text"]) for group in final for piece in group["pieces"]}
    order = dict.fromkeys(_cleaned(group["text"]) for group in final)
    found = (Group(text, tuple(sorted(piece for piece in of_piece if of_piece[piece] == text))) for text in order)
    return tuple(group for group in found if group.pieces)


def differs(description: Mapping[str, Any]) -> bool:
    """Whether `parts` gives a piece another label than the groups that stand: in no description of the slice."""
    by_group = {piece: group.text for group in groups(description) for piece in group.pieces}
    return by_group != {int(part["piece"]): _cleaned(part["text"]) for part in description["parts"]}


def is_usable(label: str, longest: int) -> bool:
    """Whether a cleaned label of a part can be shown in a sentence and a picture."""
    return tangram_labels.is_usable(label, longest) and _is_written(label)


def is_usable_whole(label: str, longest: int) -> bool:
    """Whether a cleaned label of a whole can be shown in an option and a sentence."""
    return tangram_labels.is_usable_whole(label, longest) and _is_written(label)


def _is_written(label: str) -> bool:
    written = characters()
    return all(
        letter in written
        and unicodedata.bidirectional(letter) not in {"R", "AL", "AN"}
        and not unicodedata.category(letter).startswith("M")
        for letter in label
    )


def whole_labels(kilogram: pa.Table, longest: int) -> Pool:
    """The option pool: the usable whole labels of all tangrams that were read.

    Source: arXiv:2412.12932, C.2 ("we collect labels of the whole shape as the option pool").
    """
    said: dict[str, list[str]] = {}
    for batch in kilogram.select(["id", "descriptions", "dropped"]).to_batches(max_chunksize=64):
        for row in batch.to_pylist():
            if row["dropped"] is None and row["descriptions"]:
                said[row["id"]] = [_cleaned(each["whole"]) for each in row["descriptions"]]
    return Pool(said, lambda label: is_usable_whole(label, longest))


def most_covered(pieces: Sequence[Sequence[float]]) -> float:
    """How far two pieces cover each other at most, as a share of the smaller one's area; 1 if a piece has no area."""
    areas = [middle(points)[2] for points in pieces]
    if min(areas) < 1e-6:
        return 1.0
    return max(
        (
            _shared(pieces[one], pieces[other]) / min(areas[one], areas[other])
            for one in range(len(pieces))
            for other in range(one)
        ),
        default=0.0,
    )


def _told(
    row: Mapping[str, Any], pieces: Mapping[int, Sequence[float]], pool: Pool, rules: Rules
) -> tuple[Told | str, ...]:
    descriptions = row["descriptions"] or ()
    found: list[Told | str] = ["over_quota"] * len(descriptions)
    if not descriptions:
        return ()
    covered = most_covered(list(pieces.values())) > rules.most_overlap
    quota = rules.most_per_tangram
    order = list(range(len(descriptions)))
    if quota is not None:
        random.Random(f"{rules.seed}/{row['id']}/quota").shuffle(order)
    kept = 0
    for number in order:
        label, parts = _cleaned(descriptions[number]["whole"]), groups(descriptions[number])
        if covered:
            found[number] = "overlap"
        elif not is_usable_whole(label, rules.longest_label) or not all(
            is_usable(group.text, rules.longest_label) for group in parts
        ):
            found[number] = "label_unusable"
        elif any(tangram_labels.names(group.text, label) for group in parts):
            found[number] = "label_names_answer"
        elif len(parts) < FEWEST_GROUPS:
            found[number] = "too_few_groups"
        elif not pool.suffices(row["id"]):
            found[number] = "too_few_options"
        elif quota is None or kept < quota:
            places = layout(pieces, parts)
            found[number] = "labels_overlap" if places is None else Told(label, parts, tuple(places))
            kept += places is not None
    return tuple(found)


def _cleaned(text: str) -> str:
    return tangram_labels.clean(unicodedata.normalize("NFC", text))


def _shared(one: Sequence[float], other: Sequence[float]) -> float:
    """The area that two simple polygons have in common: each as a fan of triangles with signs, triangles clipped."""
    total = 0.0
    for sign, first in _fan(one):
        for other_sign, second in _fan(other):
            total += sign * other_sign * _area(_clipped(first, second))
    return abs(total)


_Corner = tuple[float, float]


def _fan(points: Sequence[float]) -> list[tuple[int, list[_Corner]]]:
    corners = list(zip(points[::2], points[1::2], strict=True))
    found = []
    for second, third in pairwise(corners[1:]):
        turn = _turn(corners[0], second, third)
        if turn:
            found.append((1, [corners[0], second, third]) if turn > 0 else (-1, [corners[0], third, second]))
    return found


def _clipped(corners: Sequence[_Corner], triangle: Sequence[_Corner]) -> list[_Corner]:
    """What of a triangle lies in another one, by clipping at each side. Source: Sutherland and Hodgman (1974)."""
    left = list(corners)
    for start, end in zip(triangle, [*triangle[1:], triangle[0]], strict=True):
        sides = [(corner, _turn(start, end, corner)) for corner in left]
        left = []
        for (before, side_before), (corner, side) in zip([*sides[-1:], *sides[:-1]], sides, strict=True):
            if side_before * side < 0:
                share = side_before / (side_before - side)
                left.append((before[0] + (corner[0] - before[0]) * share, before[1] + (corner[1] - before[1]) * share))
            if side >= 0:
                left.append(corner)
        if len(left) < 3:
            return []
    return left


def _area(corners: Sequence[_Corner]) -> float:
    return sum(_turn(corners[0], second, third) for second, third in pairwise(corners[1:])) / 2


def _turn(a: _Corner, b: _Corner, c: _Corner) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
