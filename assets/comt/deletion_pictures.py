"""Which faces of a crowd are masked in which step, and the photograph with them masked."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.images import Picture, decode, of_pixels, on_white

if TYPE_CHECKING:
    from PIL import Image

REASONS = (
    "no_heads",
    "too_few_people",
    "too_many_people",
    "head_without_size",
    "box_outside",
    "no_picture",
)
"""Why the faces of a crowd are not masked."""

FILL, RIM = 96, 224
"""Levels of grey of a mask and of its rim. Whatever lies around a mask is 64 levels or more away from one of the two,
so it is seen on any photograph, and next to or over another mask; grey is no colour of a face."""

RIM_OF_SIDE = 16
"""A rim is this part of the mask's shorter side, and 1 pixel at least."""

Box = tuple[int, int, int, int]


class Plan(NamedTuple):
    """The boxes to be masked in each step: left, top, width and height in whole pixels, within the picture.

    duplicates: heads that stood there with the same box already; clipped: boxes that reached beyond the picture.
    """

    steps: tuple[tuple[Box, ...], ...]
    duplicates: int
    clipped: int

    @property
    def faces(self) -> int:
        """How many faces are masked in all."""
        return sum(map(len, self.steps))


def plan(crowd: Mapping[str, Any], *, fewest: int, most: int, at_once: int) -> Plan | str:
    """The masks of a row of table `crowd`, or the reason why it has none.

    Heads are taken by the left edge of their box; of the same left edge the upper one first, then the narrower, then
    the less high; of two with the same box one. Each box is widened to whole pixels and cut at the picture's edges.
    """
    width, height = crowd["width"], crowd["height"]
    if crowd["image_id"] is None or width is None or height is None:
        return "no_picture"
    heads = [(head["left"], head["top"], head["width"], head["height"]) for head in crowd["heads"] or ()]
    distinct = sorted(set(heads))
    if not distinct:
        return "no_heads"
    if len(distinct) < fewest:
        return "too_few_people"
    if len(distinct) > most:
        return "too_many_people"
    if any(wide <= 0 or high <= 0 for _, _, wide, high in distinct):
        return "head_without_size"
    boxes = [_within(head, width, height) for head in distinct]
    if any(wide <= 0 or high <= 0 for _, _, wide, high in boxes):
        return "box_outside"
    clipped = sum(
        left < 0 or top < 0 or left + wide > width or top + high > height for left, top, wide, high in distinct
    )
    steps = tuple(tuple(boxes[start : start + at_once]) for start in range(0, len(boxes), at_once))
    return Plan(steps, len(heads) - len(distinct), clipped)


def drawn(photograph: Picture, plan: Plan, name: str) -> Iterator[Picture]:
    """The photograph with the faces of the first step masked, then with those of the second too, and so on.

    Nothing but the boxes changes; the pictures are `<name>-1`, `<name>-2`, ...
    """
    image = on_white(decode(photograph.png or b""))
    for number, step in enumerate(plan.steps, start=1):
        for box in step:
            _mask(image, box)
        yield of_pixels(image, f"{name}-{number}")


def _within(head: tuple[float, float, float, float], width: int, height: int) -> Box:
    left, top = max(0, math.floor(head[0])), max(0, math.floor(head[1]))
    right, bottom = min(width, math.ceil(head[0] + head[2])), min(height, math.ceil(head[1] + head[3]))
    return left, top, right - left, bottom - top


def _mask(image: "Image.Image", box: Box) -> None:
    left, top, width, height = box
    rim = max(1, min(width, height) // RIM_OF_SIDE)
    levels = len(image.getbands())
    if min(width, height) <= 2 * rim:
        image.paste((FILL,) * levels, (left, top, left + width, top + height))
        return
    image.paste((RIM,) * levels, (left, top, left + width, top + height))
    image.paste((FILL,) * levels, (left + rim, top + rim, left + width - rim, top + height - rim))
