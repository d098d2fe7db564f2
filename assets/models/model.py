"""What every model answers to: dialogues in, replies out as a stream; a reply is a list of texts and pictures."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from assets.images import Picture
from assets.schema.faults import Fault
from assets.schema.sample import Part
from assets.schema.vocabulary import TOOL_STATUSES

if TYPE_CHECKING:
    from PIL import Image

USER, ASSISTANT = "user", "assistant"

REPLY = Part("reply", None, None)
"""Among the parts of what is asked: where the reply to what was asked before it stands."""

FINAL = frozenset({"ok", "refusal", "truncated", *TOOL_STATUSES})
"""Statuses of a reply that is kept for good; any other is asked again by the next run."""


class ModelError(Fault):
    """A model cannot answer at all; the message names it, what is wrong and the way out."""


class Turn(NamedTuple):
    """What one side says: texts and pictures in their order; a picture has its id and no text."""

    role: str
    parts: tuple[Part, ...]


class Ask(NamedTuple):
    """One thing that the user says; `fresh`: in a conversation of its own, without what was said before."""

    parts: tuple[Part, ...]
    fresh: bool = False


class Dialogue(NamedTuple):
    """One sample as it is asked: the user's turns, between which the model replies.

    id: of the sample. choices: its options, in the order of their letters. said: the replies that there are already,
    one for each of the first asks.
    """

    id: str
    asks: tuple[Ask, ...]
    choices: tuple[str, ...]
    said: tuple[tuple[Part, ...], ...] = ()

    def conversation(self) -> tuple[Turn, ...]:
        """What is sent for the next reply: the turns so far, a user's turn last; of a fresh ask that turn alone.

        Raises:
            ValueError: every ask has its reply.
        """
        if len(self.said) >= len(self.asks):
            raise ValueError(f"{self.id}: nothing is left to ask")
        turns: list[Turn] = []
        for place, ask in enumerate(self.asks[: len(self.said) + 1]):
            if ask.fresh:
                turns = []
            turns.append(Turn(USER, _filled(ask.parts, self.said[place - 1] if place else ())))
            if place < len(self.said):
                turns.append(Turn(ASSISTANT, self.said[place]))
        return tuple(turns)

    def replied(self, parts: tuple[Part, ...]) -> "Dialogue":
        """The dialogue with one more reply."""
        return self._replace(said=(*self.said, parts))

    def whole(self) -> tuple[Turn, ...]:
        """All that was said, in order, fresh asks included: what a prediction keeps."""
        turns: list[Turn] = []
        for place, ask in enumerate(self.asks[: len(self.said) + 1]):
            turns.append(Turn(USER, _filled(ask.parts, self.said[place - 1] if place else ())))
            if place < len(self.said):
                turns.append(Turn(ASSISTANT, self.said[place]))
        return tuple(turns)


class Reply(NamedTuple):
    """What came back for one ask of a dialogue.

    id: of the dialogue. ask: which of its asks, from 0. parts: texts and pictures. status: ok, refusal, filtered,
    empty, truncated or error. finish_reason: the service's own word, or why there is nothing. fingerprint: the
    model's own version string. drawn: the pictures among the parts and turns that are new, with their PNGs. turns:
    what a model that uses tools did between the ask and this reply.
    """

    id: str
    ask: int
    parts: tuple[Part, ...]
    status: str
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    fingerprint: str | None = None
    drawn: tuple[Picture, ...] = ()
    turns: tuple[Turn, ...] = ()

    @property
    def text(self) -> str:
        """The texts of the reply, joined as they came."""
        return "".join(part.text or "" for part in self.parts if part.kind == "text")


class Pictures(Protocol):
    """The pictures that dialogues name."""

    def png(self, image_id: str) -> bytes:
        """A picture's PNG, mode L or RGB, what was transparent on white.

        Raises:
            ModelError: there is no such picture.
        """

    def image(self, image_id: str) -> "Image.Image":
        """The same, decoded, mode RGB."""


class Model(Protocol):
    """Whatever answers dialogues."""

    @property
    def name(self) -> str:
        """The model's name in params.yaml."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that its replies depend on besides the conversation, as JSON values: kind, weights, sampling."""

    def replies(self, dialogues: Iterable[Dialogue], pictures: Pictures) -> Iterator[Reply]:
        """The replies that the dialogues still lack, each as soon as it is there, in any order.

        A dialogue gets a reply for each of its asks in turn, until one whose status is not in `FINAL`. The next
        dialogues are taken from the iterable only as they are needed.

        Raises:
            ModelError: it cannot answer at all, such as for a key that is refused; what was yielded stands.
        """


def said(text: str) -> Part:
    """A text as a part."""
    return Part("text", text, None)


def content_key(
    identity: Mapping[str, Any], conversation: Iterable[Turn], *, template: str = "1", asking: str = "first"
) -> str:
    """SHA-256, as 64 hexadecimal digits, over all that a reply depends on, as canonical JSON.

    A picture stands for its pixels, since its id is their hash.

    Args:
        identity: of the model.
        conversation: what is sent.
        template: the version of the strategy's wording.
        asking: a name; another one asks everything anew.
    """
    content = {
        "asking": asking,
        "conversation": [[role, [list(part) for part in parts]] for role, parts in conversation],
        "identity": dict(identity),
        "template": template,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _filled(parts: tuple[Part, ...], before: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts with the reply where it stands in them."""
    return tuple(one for part in parts for one in (before if part == REPLY else (part,)))
