"""What a policy is: a planner's way of using tools, as a conversation that it yields step by step."""

from collections.abc import Generator
from typing import Any, NamedTuple, Protocol

from assets.models.tools.tool import Observation, Use
from assets.schema.sample import Part


class Task(NamedTuple):
    """One sample as a policy meets it.

    text: all that the dialogue says, pictures left out. choices: its options in the order of their letters. pictures:
    names of its pictures in their order (picture_1, …).
    """

    text: str
    choices: tuple[str, ...]
    pictures: tuple[str, ...]


class Say(NamedTuple):
    """Something that a model is asked by the policy; what it replies is sent back as a `Said`.

    role: of the turn that keeps the reply: plan, thought, selection, or reply. model: planner, or a name in `sees`.
    """

    role: str
    parts: tuple[Part, ...]
    model: str = "planner"


class Said(NamedTuple):
    """What a model replied: its text, and the status (`assets.models.model`)."""

    text: str
    status: str = "ok"


class Note(NamedTuple):
    """Something that the run is to keep as a turn of role `fault`: a plan that cannot be carried out, and why."""

    fault: str
    text: str


class Outcome(NamedTuple):
    """How a run ends: the text that answers, ok; or a status of `TOOL_STATUSES` with the reason."""

    text: str
    status: str = "ok"
    reason: str | None = None


Steps = Generator[Say | Use | Note, Any, Outcome]
"""A `Say` is answered by a `Said`, a `Use` by an `Observation`, a `Note` by None."""


class Catalogue(Protocol):
    """The inventory as a policy sees it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the order of the inventory."""

    def described(self, *, without: tuple[str, ...] = ()) -> str:
        """The tools for a prompt, a line each: `name(argument: kind, …): what it gives`."""

    def fault(self, use: Use, pictures: tuple[str, ...]) -> tuple[str, str] | None:
        """Why a use cannot be made, a reason (unknown_tool, bad_arguments) and a sentence; None where it can.

        pictures: the names that there are.
        """

    def candidates(self, tool: str) -> tuple[str, ...]:
        """The models among which the one that does the tool's work may be chosen; none where it computes."""


class Limits(NamedTuple):
    """calls: uses of tools in a run at most. rounds: of asking the planner again at most."""

    calls: int = 8
    rounds: int = 4


class Policy(Protocol):
    """A policy is a function: task, inventory, limits -> the steps of a run."""

    def __call__(self, task: Task, tools: Catalogue, limits: Limits) -> Steps:
        """The run."""


__all__ = ["Catalogue", "Limits", "Note", "Observation", "Outcome", "Policy", "Said", "Say", "Steps", "Task", "Use"]
