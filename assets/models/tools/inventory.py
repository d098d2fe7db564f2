"""The tools of a run: which ones its models allow, how a planner reads them, and what it may call with what."""

import importlib.metadata
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assets.models.model import ModelError
from assets.models.tools.arguments import TAKES, Unfit, shown, typed
from assets.models.tools.asking import (
    MODEL,
    PLANNER,
    Knowledge,
    PictureDescription,
    TextAnswering,
    VisualQuestionAnswering,
)
from assets.models.tools.calculator import Calculator
from assets.models.tools.object_detection import ObjectDetection
from assets.models.tools.ocr import Ocr
from assets.models.tools.regions import Crop, Zoom
from assets.models.tools.table_reading import TableReading
from assets.models.tools.tool import Argument, Tool, Use
from assets.models.tools.unit_conversion import UnitConversion

_SEEING = (PictureDescription.name, VisualQuestionAnswering.name)
_DETECTING = ObjectDetection.name

TOOLS = (
    *_SEEING,
    Ocr.name,
    Crop.name,
    Zoom.name,
    TableReading.name,
    _DETECTING,
    Knowledge.name,
    TextAnswering.name,
    Calculator.name,
    UnitConversion.name,
)
"""All that there are, in the order in which a planner reads them."""

_PLAIN: dict[str, Callable[[float], Tool]] = {
    one.name: one for one in (Ocr, Crop, Zoom, TableReading, Knowledge, TextAnswering, Calculator, UnitConversion)
}
"""Those that no model has to be named for."""

_CHOSEN = Argument(MODEL, "text", "which model is asked", required=False)
"""What every tool with several candidates takes, unseen in `described`: the one that a policy chose."""


class BadUse(Exception):
    """A use that cannot be made; `fault` is unknown_tool or bad_arguments, the message is the sentence."""

    def __init__(self, fault: str, sentence: str) -> None:
        """Take why it cannot be made."""
        super().__init__(sentence)
        self.fault = fault


class Inventory:
    """Tools in a fixed order; what a policy sees of them (`Catalogue`), and what a run calls."""

    def __init__(self, tools: Sequence[Tool], candidates: Mapping[str, tuple[str, ...]]) -> None:
        """Take the tools, and by the names of those that ask, the models that can do their work."""
        self._tools = {tool.name: tool for tool in tools}
        self._candidates = dict(candidates)

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the order of the inventory."""
        return tuple(self._tools)

    @property
    def identity(self) -> dict[str, Any]:
        """All that the tools' outcomes depend on, as JSON values, by name: version, limit, package, weights, models.

        Raises:
            ModelError: the weights of one are not there.
        """
        return {name: _identity(tool, self.candidates(name)) for name, tool in self._tools.items()}

    def named(self, name: str) -> Tool:
        """The tool of this name.

        Raises:
            BadUse: there is none (unknown_tool).
        """
        if name not in self._tools:
            raise BadUse(
                "unknown_tool", f"there is no tool {shown(name)}: use one of {', '.join(self.names) or 'none'}"
            )
        return self._tools[name]

    def described(self, *, without: tuple[str, ...] = ()) -> str:
        """The tools for a prompt, a line each: `name(argument: kind, …): what it gives`."""
        return "\n".join(
            f"{name}({', '.join(map(_signed, tool.arguments))}): {tool.meaning}"
            for name, tool in self._tools.items()
            if name not in without
        )

    def candidates(self, tool: str) -> tuple[str, ...]:
        """The models among which the one that does the tool's work may be chosen; none where it computes."""
        return self._candidates.get(tool, ())

    def fault(self, use: Use, pictures: tuple[str, ...]) -> tuple[str, str] | None:
        """Why a use cannot be made, a reason (unknown_tool, bad_arguments) and a sentence; None where it can."""
        try:
            self.checked(use, pictures)
        except BadUse as error:
            return error.fault, str(error)
        return None

    def checked(self, use: Use, pictures: Sequence[str]) -> tuple[Tool, dict[str, Any]]:
        """The tool that is used, and its arguments typed: text str, picture str, number int or float, box four floats.

        What was left out has its default; without one it is not there. The model that a policy chose for a tool that
        asks is an argument `model`.

        Raises:
            BadUse: it cannot be used so.
        """
        tool = self.named(use.tool)
        candidates = self.candidates(tool.name)
        takes = {one.name: one for one in (*tool.arguments, *((_CHOSEN,) if candidates else ()))}
        if unknown := [name for name in use.arguments if name not in takes]:
            known = ", ".join(one.name for one in tool.arguments) or "none"
            value = shown(use.arguments[unknown[0]])
            raise _bad(f"{tool.name} has no argument {shown(unknown[0])} (given {value}): it takes {known}")
        found = {name: _taken(tool, one, use.arguments, pictures) for name, one in takes.items()}
        arguments = {name: value for name, value in found.items() if value is not None}
        if MODEL in arguments and candidates and arguments[MODEL] not in candidates:
            given = shown(arguments[MODEL])
            raise _bad(f"{tool.name}: {MODEL} is {given}: it takes one of {', '.join(candidates)}")
        objection = getattr(tool, "objection", None)
        if objection is not None and (sentence := objection(arguments)):
            raise _bad(sentence)
        return tool, arguments


def inventory(names: Sequence[str] | None, *, sees: Sequence[str], detects: str | None, limit_s: float) -> Inventory:
    """The tools of these names, or all that these models allow, in the order of `TOOLS`.

    Args:
        names: of tools; None: all that can be had.
        sees: names of models that look at pictures; without any there is no tool that asks one.
        detects: a checkpoint of object detection; without one there is no object_detection.
        limit_s: seconds that one use of a tool may take.

    Raises:
        ModelError: a name is none of a tool, the tool cannot be had with these models, or needs what is not installed.
    """
    able = [name for name in TOOLS if (name not in _SEEING or sees) and (name != _DETECTING or detects)]
    for name in names or ():
        if name not in TOOLS:
            raise ModelError(f"tools: {name!r} is no tool: name some of {', '.join(TOOLS)}")
        if name not in able:
            setting = "sees" if name in _SEEING else "detects"
            raise ModelError(f"tools: {name} needs a model: name one in {setting}, or leave {name} out of tools")
    made = [_made(name, tuple(sees), detects, limit_s) for name in able if names is None or name in names]
    for tool in made:
        package = getattr(tool, "package", None)
        if package is not None and importlib.util.find_spec(package.replace("-", "_")) is None:
            raise ModelError(f"tools: {tool.name} needs {package}: pip install {package}, or name tools without it")
    asking = {name: tuple(sees) for name in _SEEING} | {Knowledge.name: (PLANNER,), TextAnswering.name: (PLANNER,)}
    return Inventory(made, {tool.name: asking[tool.name] for tool in made if tool.name in asking})


def is_asking(tool: Tool) -> bool:
    """Whether a model does the tool's work (`Asking`: it has `question`); else it computes (`Computing`)."""
    return hasattr(tool, "question")


def _made(name: str, sees: tuple[str, ...], detects: str | None, limit_s: float) -> Tool:
    if name == _DETECTING:
        return ObjectDetection(limit_s, detects or "")
    if name == PictureDescription.name:
        return PictureDescription(limit_s, sees)
    if name == VisualQuestionAnswering.name:
        return VisualQuestionAnswering(limit_s, sees)
    return _PLAIN[name](limit_s)


def _identity(tool: Tool, candidates: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {"limit_s": tool.limit_s, "version": getattr(tool, "version", "1")}
    package = getattr(tool, "package", None)
    if package is not None:
        found |= {"package": package, "package_version": importlib.metadata.version(package)}
    if candidates:
        found["candidates"] = list(candidates)
    return found | dict(getattr(tool, "facts", {}))


def _signed(argument: Argument) -> str:
    if argument.required:
        return f"{argument.name}: {argument.kind}"
    return f"{argument.name}: {argument.kind} = {'none' if argument.default is None else argument.default}"


def _taken(tool: Tool, argument: Argument, given: Mapping[str, Any], pictures: Sequence[str]) -> Any:
    """The argument's value, its default, or None for what may be left out."""
    value = given.get(argument.name)
    if value is None:
        if argument.required:
            raise _bad(f"{tool.name}: {argument.name} ({argument.meaning}) is missing: it takes {TAKES[argument.kind]}")
        return argument.default
    try:
        return typed(argument, value, pictures)
    except Unfit as error:
        raise _bad(f"{tool.name}: {argument.name} is {shown(value)}: it takes {error}") from None


def _bad(sentence: str) -> BadUse:
    return BadUse("bad_arguments", sentence)
