"""Visual selection: pairs of pictures -> how many differences there are, picked out from left to right in batches."""

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from assets.comt.template import DOMAIN_OF, OPTIONS, dealt, filled, identifier
from assets.images import Picture, Pictures, decode, of_pixels
from assets.schema.faults import Fault
from assets.schema.sample import Sample

if TYPE_CHECKING:
    from PIL import Image

TASK = "selection"
MADE = "differences cropped in batches by rules"

REASONS = ("missing_picture", "unequal_sizes", "picture_too_large", "box_outside", "too_few_differences")
"""Why a pair becomes no sample."""

MOST_PIXELS = 25_000_000
"""Pixels of the two pictures together above which they are not drawn: each step shows them at their full size."""

WHITE = (255, 255, 255, 255)
CLEAR = (255, 255, 255, 0)
"""The gap: fully transparent, and white where a viewer knows no transparency."""

_PAIRS_AT_ONCE = 8
_QUESTIONS = (
    "How many differences are there between the two pictures?",
    "In how many places do the two pictures differ?",
    "How many places of the picture on the left look different in the picture on the right?",
    "The two pictures are alike but for some details. How many differences can be found between them?",
)
_THIRDS = ("on the left", "in the middle", "on the right")
_UNSURE = 1 / 20
"""A centre nearer than this share of the width to a border between thirds is in neither for certain."""

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

Size = tuple[int, int]


class SelectionError(Fault):
    """A sample whose picture was not drawn."""


class Region(NamedTuple):
    """The pixels of one difference: from `left` and `top` to before `right` and `bottom`."""

    left: int
    top: int
    right: int
    bottom: int


def sizes(pictures: Pictures) -> dict[str, Size]:
    """Width and height of every picture of a table, by its image id."""
    index = pictures.index()
    columns = (index[name].to_pylist() for name in ("image_id", "width", "height"))
    return {image_id: (width, height) for image_id, width, height in zip(*columns, strict=True) if image_id is not None}


def pictures(pairs: pa.Table, pictures: Pictures, *, count: int, gap: int) -> Iterator[Picture]:
    """The pictures of every pair that becomes a sample, `count` + 1 each, as RGBA rows of table `image`.

    `<sample id>-0` is both pictures side by side, a transparent gap between them. `<sample id>-1` and on show the
    same place for place, white but for the differences of one batch: the pictures keep their size, and every
    difference its position. A picture that cannot be drawn has the reason in `dropped`.

    Args:
        pairs: table `pair`.
        pictures: those of the pairs.
        count: how many batches the differences come in.
        gap: width of the gap in pixels.

    Source: arXiv:2412.12932, section 2.4 and C.2, Visual Selection.
    """
    known = sizes(pictures)
    waiting: list[tuple[Mapping[str, Any], list[tuple[Region, ...]]]] = []
    pixels = 0
    for row in _rows(pairs):
        found = _batches(row, known, count)
        if isinstance(found, str):
            continue
        across, down = known[row["first"]]
        if waiting and (len(waiting) == _PAIRS_AT_ONCE or pixels + 2 * across * down > MOST_PIXELS):
            yield from _drawn(waiting, pictures, gap)
            waiting, pixels = [], 0
        waiting.append((row, found))
        pixels += 2 * across * down
    yield from _drawn(waiting, pictures, gap)


def samples(
    pairs: pa.Table,
    drawn: Mapping[str, str],
    undrawn: Mapping[str, str],
    *,
    sizes: Mapping[str, Size],
    count: int,
    seed: int,
) -> list[Sample]:
    """One row a pair that was kept, in order: how many differences there are, or dropped for one of `REASONS`.

    A step of the rationale is a batch: its picture, where its differences lie (where that is certain, by thirds of
    the width) and how many there are so far. `annotations` has the boxes of each step, in whole pixels of either
    picture, and the ids of the two pictures.

    Args:
        pairs: table `pair`.
        drawn: image ids by file, of those pictures that were drawn.
        undrawn: why a picture was not drawn, by file.
        sizes: width and height of the pairs' pictures, by image id.
        count: how many batches the differences come in; a pair with fewer differences has too few.
        seed: decides the wording and the wrong options.

    Raises:
        SelectionError: a pair became a sample and has no picture.

    Source: arXiv:2412.12932, section 2.4 and C.2, Visual Selection; wording and options are this project's.
    """
    rows = list(_rows(pairs))
    allowed = {
        _name(row): sum(map(len, steps)) - count + 1
        for row in rows
        if not isinstance(steps := _batches(row, sizes, count), str)
    }
    places = dealt(allowed, f"{seed}/selection")
    return [_sample(row, drawn, undrawn, sizes, count, places, seed) for row in rows]


def differences(boxes: Sequence[Mapping[str, float]], size: Size) -> list[Region] | None:
    """The differences from left to right: by left edge, then top; None when one is outside the picture.

    A difference is every pixel that its box touches; a box that is partly outside is clipped, and boxes of the same
    pixels are one difference.
    """
    across, down = size
    found = set()
    for box in boxes:
        left, top = max(box["left"], 0.0), max(box["top"], 0.0)
        right, bottom = min(box["left"] + box["width"], across), min(box["top"] + box["height"], down)
        if left >= right or top >= bottom:
            return None
        found.add(Region(math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom)))
    return sorted(found)


def batches(regions: Sequence[Region], count: int) -> list[tuple[Region, ...]]:
    """The differences in `count` batches whose numbers differ by one at most; the earlier ones take the extra ones.

    Source: arXiv:2412.12932, C.2: "we control the number of diffs in each cropping to ensure that the generated
    images remain in four pairs".
    """
    least, extra = divmod(len(regions), count)
    starts = [number * least + min(number, extra) for number in range(count + 1)]
    return [tuple(regions[start:end]) for start, end in itertools.pairwise(starts)]


def options(right: int, place: int, least: int, rng: random.Random) -> tuple[tuple[int, ...], int]:
    """Four numbers in steps of one or two from low to high, none below `least`, and the place of the right one.

    That place is the wanted one, but where `right` would have a number below `least` before it: no pair has fewer
    differences, so such a number could be struck out. Steps of two are taken only where they keep the lowest number
    in bounds at every place, so the distance does not tell the place.
    """
    place = min(place, right - least)
    step = rng.choice((1, 2)) if right - least >= 2 * (OPTIONS - 1) else 1
    return tuple(right + (number - place) * step for number in range(OPTIONS)), place


def side_by_side(first: "Image.Image", second: "Image.Image", gap: int) -> "Image.Image":
    """Two pictures of one size beside each other, opaque, with `gap` transparent pixels between them."""
    from PIL import Image

    joined = Image.new("RGBA", (2 * first.width + gap, first.height), CLEAR)
    joined.paste(first.convert("RGBA"), (0, 0))
    joined.paste(second.convert("RGBA"), (first.width + gap, 0))
    return joined


def only(joined: "Image.Image", regions: Sequence[Region], gap: int) -> "Image.Image":
    """What `side_by_side` made, white but for the regions, which are in both pictures; the gap stays."""
    from PIL import Image

    across = (joined.width - gap) // 2
    sheet = Image.new("RGBA", joined.size, WHITE)
    sheet.paste(CLEAR, (across, 0, across + gap, joined.height))
    for region in regions:
        for start in (0, across + gap):
            place = (region.left + start, region.top, region.right + start, region.bottom)
            sheet.paste(joined.crop(place), place)
    return sheet


def _rows(pairs: pa.Table) -> list[dict[str, Any]]:
    return [row for row in pairs.to_pylist() if row["dropped"] is None]


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['source']}-{row['id']}"


def _batches(row: Mapping[str, Any], known: Mapping[str, Size], count: int) -> list[tuple[Region, ...]] | str:
    """The differences of a pair in batches, or why it becomes no sample."""
    if row["first"] not in known or row["second"] not in known:
        return "missing_picture"
    size = known[row["first"]]
    if size != known[row["second"]]:
        return "unequal_sizes"
    if 2 * size[0] * size[1] > MOST_PIXELS:
        return "picture_too_large"
    found = differences(row["boxes"], size)
    if found is None:
        return "box_outside"
    return batches(found, count) if len(found) >= count else "too_few_differences"


def _drawn(
    waiting: Sequence[tuple[Mapping[str, Any], Sequence[Sequence[Region]]]], pictures: Pictures, gap: int
) -> Iterator[Picture]:
    ids = {row[side] for row, _ in waiting for side in ("first", "second")}
    held = {picture.image_id: picture.png for picture in pictures.stream(ids)} if ids else {}
    for row, steps in waiting:
        name = _name(row)
        first, second = held.get(row["first"]), held.get(row["second"])
        if first is None or second is None:
            for number in range(len(steps) + 1):
                yield Picture(None, f"{name}-{number}", None, None, None, None, "missing_picture")
            continue
        joined = side_by_side(decode(first), decode(second), gap)
        yield of_pixels(joined, f"{name}-0")
        for number, regions in enumerate(steps, 1):
            yield of_pixels(only(joined, regions, gap), f"{name}-{number}")


def _sample(
    row: Mapping[str, Any],
    drawn: Mapping[str, str],
    undrawn: Mapping[str, str],
    known: Mapping[str, Size],
    count: int,
    places: Mapping[str, int],
    seed: int,
) -> Sample:
    name = _name(row)
    blank = Sample(
        name, "comt", row["source"], row["id"], f"{row['provenance']} > {MADE}", domain=DOMAIN_OF[TASK], task=TASK
    )
    steps = _batches(row, known, count)
    if isinstance(steps, str):
        return blank.drop(steps)
    files = [f"{name}-{number}" for number in range(count + 1)]
    for file in files:
        if file in undrawn:
            return blank.drop(undrawn[file])
        if file not in drawn:
            raise SelectionError(f"comt {TASK}: {file} has no picture: draw the pictures of the pairs again")
    total = sum(map(len, steps))
    rng = random.Random(f"{seed}/{name}")
    choices, right = options(total, places[name], count, rng)
    return filled(
        sample_id=name,
        source=row["source"],
        source_id=row["id"],
        provenance=blank.provenance,
        task=TASK,
        question=f"{identifier(0)}\n{rng.choice(_QUESTIONS)}",
        choices=[str(number) for number in choices],
        right=right,
        rationale=_rationale(steps, known[row["first"]][0]),
        images=[drawn[file] for file in files],
        annotations={
            "boxes": [[_box(region) for region in regions] for regions in steps],
            "originals": [row["first"], row["second"]],
        },
    )


def _box(region: Region) -> list[int]:
    return [region.left, region.top, region.right - region.left, region.bottom - region.top]


def _rationale(steps: Sequence[Sequence[Region]], width: int) -> str:
    told = ["The two pictures are compared from left to right, one part after another."]
    total = 0
    for number, regions in enumerate(steps, 1):
        lie = "difference lies" if len(regions) == 1 else "differences lie"
        which = _which(number, len(steps), len(regions))
        told.append(f"{which} {lie} in this part of the two pictures{_where(regions, width)}.")
        total += len(regions)
        told.append(identifier(number))
        told.append(f"That makes {total} {'difference' if total == 1 else 'differences'} so far.")
    told.append("There is 1 difference in all." if total == 1 else f"There are {total} differences in all.")
    return " ".join(told)


def _which(number: int, last: int, several: int) -> str:
    if last == 1:
        return "The only" if several == 1 else f"All {_word(several)}"
    start = "The first" if number == 1 else "The last" if number == last else "Going from left to right, the next"
    return start if several == 1 else f"{start} {_word(several)}"


def _where(regions: Sequence[Region], width: int) -> str:
    """Where the differences lie, as the end of a sentence; empty where that is not certain."""
    counts = [0] * len(_THIRDS)
    for region in regions:
        centre = (region.left + region.right) / 2 / width * len(_THIRDS)
        border = round(centre)
        if 0 < border < len(_THIRDS) and abs(centre - border) < _UNSURE * len(_THIRDS):
            return ""
        counts[int(centre)] += 1
    there = [(several, third) for several, third in zip(counts, _THIRDS, strict=True) if several]
    if len(there) == 1:
        return f", {there[0][1]}"
    told = [f"{_word(several)} {third}" for several, third in there]
    return f": {', '.join(told[:-1])} and {told[-1]}"


def _word(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else str(number)
