"""What a planner wrote for an argument, as the kind of value that the tool takes."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assets.models.tools.pictures import Box
from assets.models.tools.tool import Argument

TEXT_SIGNS = 20_000
NUMBER_SIGNS = 40
_SIDES = ("left", "top", "right", "bottom")
TAKES = {
    "text": f"a text of 1 to {TEXT_SIGNS} characters",
    "picture": "the name of a picture",
    "number": "a number",
    "box": "left, top, right and bottom in 0 to 1, left before right and top before bottom",
}
"""What an argument of each kind takes, for a sentence."""


class Unfit(ValueError):
    """A value is not of the kind; the message says what the argument takes."""


def typed(argument: Argument, value: Any, pictures: Sequence[str]) -> Any:
    """The value as text str, picture str, number int or float, or box of four floats.

    Numbers and boxes may be written as texts, and a number may be meant as a text.

    Args:
        argument: what is taken.
        value: as JSON has it.
        pictures: the names that there are.

    Raises:
        Unfit: it is of another kind.
    """
    if argument.kind == "picture":
        return _picture(value, pictures)
    return _KINDS[argument.kind](value)


def shown(value: Any) -> str:
    """The value for a sentence, shortened."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        # Python writes no whole number of more than some thousand digits, and nothing that is nested too deep.
        return "too large to be shown"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _text(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:
            raise Unfit(TAKES["text"]) from None
    if not isinstance(value, str) or not value.strip() or len(value) > TEXT_SIGNS:
        raise Unfit(TAKES["text"])
    return value


def _picture(value: Any, pictures: Sequence[str]) -> str:
    name = value.strip() if isinstance(value, str) else value
    if name not in pictures:
        raise Unfit(f"{TAKES['picture']} ({', '.join(pictures) or 'there is none'})")
    return str(name)


def _number(value: Any) -> int | float:
    found: int | float | None = None
    if isinstance(value, str) and len(value) <= NUMBER_SIGNS:
        plain = value.strip().replace("\u2212", "-")
        for kind in (int, float):
            try:
                # Python takes 1_000 for a number; whoever writes it may mean anything.
                found = kind(plain) if "_" not in plain else None
                break
            except ValueError:
                continue
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found = value
    # A whole number may be too large for a float.
    if found is None or (isinstance(found, float) and not math.isfinite(found)) or abs(found) >= 10**NUMBER_SIGNS:
        raise Unfit(TAKES["number"])
    return found


def _box(value: Any) -> Box:
    sides = value
    if isinstance(value, str):
        sides = [side for side in value.strip().strip("[]()").replace(",", " ").split() if side]
    if isinstance(value, Mapping):
        sides = [value.get(side) for side in _SIDES] if set(value) == set(_SIDES) else None
    if not isinstance(sides, list | tuple) or len(sides) != len(_SIDES):
        raise Unfit(TAKES["box"])
    try:
        left, top, right, bottom = (float(_number(side)) for side in sides)
    except Unfit:
        raise Unfit(TAKES["box"]) from None
    if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
        raise Unfit(TAKES["box"])
    return left, top, right, bottom


_KINDS: dict[str, Callable[[Any], Any]] = {"text": _text, "number": _number, "box": _box}
