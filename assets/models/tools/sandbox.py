"""Tools that compute, each in a process of its own that can neither write outside its folder nor call anywhere."""

import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from assets import images
from assets.images import Picture
from assets.models.model import ModelError
from assets.models.tools import frames, sandbox_child
from assets.models.tools.sandbox_process import Gone, Late, Process
from assets.models.tools.tool import Computing, Given, ToolFault

START_S = 180.0
"""To load what a tool needs; this is not counted as a use."""

TEXT_SIGNS = 4000
"""Of what a tool says at most; what comes after is left out, and that is said."""

PICTURES = 16
_GIVEN_LIMITS = images.Limits(most_bytes=frames.BLOB_BYTES, most_pixels=16_000_000)


class ToolTimeout(ToolFault):
    """A use took longer than it may; its process was ended."""


def fault_of(error: ToolFault) -> str:
    """The word of `TOOL_FAULTS` for it: timeout or tool_failed."""
    return "timeout" if isinstance(error, ToolTimeout) else "tool_failed"


class Sandbox:
    """Runs uses of tools one after another; a process is started when it is first needed, and ended on leaving.

    Tools that load the same thing (their `engine`) share a process. One that runs over its time, or dies, is ended,
    and the next use starts another.
    """

    def __init__(self, program: str = sandbox_child.__name__, start_s: float = START_S) -> None:
        """Start nothing yet.

        Args:
            program: the module that serves in the processes.
            start_s: seconds to load what a tool needs.
        """
        self._program = program
        self._start_s = start_s
        self._processes: dict[str, Process] = {}

    def __enter__(self) -> Self:
        """Itself; nothing is started yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes and remove their folders."""
        while self._processes:
            self._processes.popitem()[1].end()

    def use(self, tool: Computing, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        """What the tool gives; `arguments` as `Inventory.checked` gave them, `pngs` by the names that they say.

        Raises:
            ToolTimeout: it took longer than `tool.limit_s`.
            ToolFault: it cannot, or its process ended; the sentence is the observation.
            ModelError: what the tool needs cannot be loaded at all.
        """
        settings = _settings(tool)
        message = {"tool": tool.name, "settings": settings, "arguments": dict(arguments), "pictures": list(pngs)}
        engine = str(getattr(tool, "engine", ""))
        process = self._started(engine, tool.name, settings)
        try:
            reply, blobs = process.ask(message, list(pngs.values()), tool.limit_s)
        except frames.FrameError:
            raise ToolFault(f"{tool.name} was given more than it can take: give smaller pictures") from None
        except Late:
            self._end(engine)
            raise ToolTimeout(f"{tool.name} took longer than {tool.limit_s:g} seconds: try something smaller") from None
        except BaseException as error:
            # Also on an interrupt: what would still come over the pipe is no answer to the next use.
            self._end(engine)
            if isinstance(error, Gone):
                raise ToolFault(f"{tool.name} broke down: try other arguments") from None
            raise
        return _given(tool.name, reply, blobs)

    def process(self, tool: Computing) -> Process | None:
        """The process in which the tool computes, if it is there."""
        return self._processes.get(str(getattr(tool, "engine", "")))

    def _started(self, engine: str, name: str, settings: dict[str, Any]) -> Process:
        if engine in self._processes:
            return self._processes[engine]
        process = self._processes[engine] = Process(self._program)
        try:
            reply, _ = process.ask({"tool": name, "settings": settings}, (), self._start_s)
        except BaseException as error:
            self._end(engine)
            if isinstance(error, Late | Gone):
                why = f"within {self._start_s:g} seconds" if isinstance(error, Late) else "and its process ended"
                raise ModelError(f"tools: {name} could not be made ready {why}: leave it out of tools") from None
            raise
        if "unfit" in reply:
            self._end(engine)
            raise ModelError(str(reply["unfit"]))
        return process

    def _end(self, engine: str) -> None:
        if process := self._processes.pop(engine, None):
            process.end()


def _settings(tool: Computing) -> dict[str, Any]:
    """What makes the tool again in its process; through JSON, so that both sides see the same."""
    settings = json.loads(json.dumps(getattr(tool, "settings", {})))
    if not isinstance(settings, dict):
        raise TypeError(f"{tool.name}: its settings are no names with values")
    return settings


def _given(name: str, reply: Mapping[str, Any], blobs: list[bytes]) -> Given:
    """What came back; the process read pictures from outside, so nothing it says is taken for granted."""
    if isinstance(reply.get("fault"), str):
        raise ToolFault(_cut(reply["fault"]))
    if not isinstance(reply.get("text"), str) or len(blobs) > PICTURES:
        raise ToolFault(f"{name} gave what cannot be read: try other arguments")
    return Given(_cut(reply["text"]), tuple(_picture(name, blob) for blob in blobs))


def _picture(name: str, png: bytes) -> Picture:
    row = images.read_bytes(png, f"{name}.png", _GIVEN_LIMITS)
    if row.dropped is not None or images.format_of(png) != "PNG":
        raise ToolFault(f"{name} gave a picture that cannot be read: try other arguments")
    return row


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_SIGNS else f"{text[:TEXT_SIGNS]}\n[cut after {TEXT_SIGNS} characters]"
