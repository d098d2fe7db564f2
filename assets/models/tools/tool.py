"""What a tool is: a name, a typed signature, a description and a time limit; what a use of it is, and what it gives."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

from assets.images import Picture
from assets.schema.sample import Part

ArgumentKind = Literal["text", "picture", "number", "box"]
"""picture: the name of a picture of the run. box: left, top, right and bottom as shares of the picture, in [0, 1]."""


class Argument(NamedTuple):
    """One argument of a tool; with a `default` it may be left out, as text that the planner reads."""

    name: str
    kind: ArgumentKind
    meaning: str
    default: Any = None
    required: bool = True


class Use(NamedTuple):
    """A tool that a planner calls, with the arguments as it wrote them."""

    tool: str
    arguments: Mapping[str, Any]


class Observation(NamedTuple):
    """What came of a use.

    text: what the tool says. pictures: names of new ones, in the run. fault: None, or one of `TOOL_FAULTS`, and the
    text is the sentence that names it.
    """

    text: str
    pictures: tuple[str, ...] = ()
    fault: str | None = None


class Question(NamedTuple):
    """What a tool asks a model: `asked` is planner or a name in `sees`; the picture, if any, stands before the text."""

    asked: str
    parts: tuple[Part, ...]


class Given(NamedTuple):
    """What a tool that computes gives: a text, and pictures that it made."""

    text: str
    pictures: tuple[Picture, ...] = ()


class Tool(Protocol):
    """What every tool has; it also is a `Computing` or an `Asking`."""

    @property
    def name(self) -> str:
        """Lower case, words joined by underscores."""

    @property
    def meaning(self) -> str:
        """One sentence that a planner reads: what it gives and when to use it."""

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The signature."""

    @property
    def gives(self) -> Literal["text", "picture"]:
        """What comes of it."""

    @property
    def limit_s(self) -> float:
        """Seconds that one use may take."""


class Computing(Tool, Protocol):
    """A tool that computes by itself, in a process of its own that can neither write outside its folder nor call."""

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        """What it gives; arguments are checked and typed, `pngs` are the pictures that they name, by name.

        Raises:
            ToolFault: it cannot, with the reason.
        """


class Asking(Tool, Protocol):
    """A tool whose work a model does."""

    def question(self, arguments: Mapping[str, Any], image_ids: Mapping[str, str]) -> Question:
        """What the model is asked; `image_ids` are those of the pictures that the arguments name, by name."""


class ToolFault(Exception):
    """A tool cannot do what was asked of it; the sentence is an observation, the run goes on."""
