"""What the dialogues of both benchmarks have in common: what is asked for, faults, and texts and pictures in order."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol

from assets.models.model import Pictures
from assets.schema.faults import Fault
from assets.schema.sample import Part, Sample

Rationales = Literal["multimodal", "text"]

DEVELOPMENT = ("validation", "dev")
"""The split that shots come from. Source: M3CoT's hub data set says validation, its files say dev."""


class DialogueError(Fault):
    """A sample that cannot be asked or shown as it stands."""


class Asked(NamedTuple):
    """How samples are asked.

    variant: of the strategy's wording. shots: solved samples shown before the question. rationales: the shots with
    their pictures, or text alone. seed: of the shots' choice.
    """

    strategy: str
    variant: str = "default"
    shots: int = 0
    rationales: Rationales = "multimodal"
    seed: int = 0


class Album(Pictures, Protocol):
    """Pictures by id that also say which of them there are."""

    def __contains__(self, image_id: object, /) -> bool:
        """Whether there is a picture of this id."""


class Choice(NamedTuple):
    """The solved samples shown before one.

    filled: how many of them are not of its category. refused: how many of those that might have been shown are the
    sample, or nearly.
    """

    shots: tuple[Sample, ...]
    filled: int = 0
    refused: int = 0


def said(text: str) -> Part:
    """A text as a part."""
    return Part("text", text, None)


def picture(image_id: str) -> Part:
    """A picture as a part."""
    return Part("image", None, image_id)


def joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts with texts that follow each other as one, and without empty ones."""
    found: list[Part] = []
    for part in parts:
        if part.kind == "text" and not part.text:
            continue
        if part.kind == "text" and found and found[-1].kind == "text":
            found[-1] = said((found[-1].text or "") + (part.text or ""))
        else:
            found.append(part)
    return tuple(found)


def pictures_of(sample: Sample) -> frozenset[str]:
    """The ids of all pictures of a sample: of its question, of its options and of its rationale."""
    told = (part.image_id for part in sample.rationale or () if part.kind == "image" and part.image_id)
    return frozenset((*(sample.images or ()), *(sample.choice_images or ()), *told))
