"""The arguments of tools as a catalogue describes them, and those that planners leave out or write in their order."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assets.models.policies.policy import Catalogue

_TOOL = re.compile(r"^\W*(\w+)\((.*?)\)\s*:", re.M)
_ARGUMENT = re.compile(r"(\w+)(\??): (text|picture|number|box)\b([^,]*)")


class Slot(NamedTuple):
    """An argument: its name, its kind, and whether it must be given."""

    name: str
    kind: str
    required: bool


def signatures(tools: Catalogue) -> dict[str, tuple[Slot, ...]]:
    """The arguments of each tool in their order, as its description has them.

    One with anything behind its kind, such as a default, may be left out.
    """
    found: dict[str, tuple[Slot, ...]] = {}
    for name, written in _TOOL.findall(tools.described()):
        found[name] = tuple(
            Slot(argument, kind, not mark and not rest.strip())
            for argument, mark, kind, rest in _ARGUMENT.findall(written)
        )
    return found


def placed(slots: Sequence[Slot], values: Sequence[Any]) -> dict[str, Any] | None:
    """Values without names, given to the arguments in their order; None where there are more values than arguments."""
    if len(values) > len(slots):
        return None
    return {slot.name: value for slot, value in zip(slots, values, strict=False)}


def lacking(slots: Sequence[Slot], arguments: Mapping[str, Any]) -> tuple[Slot, ...]:
    """Those that must be given and are not."""
    return tuple(slot for slot in slots if slot.required and slot.name not in arguments)
