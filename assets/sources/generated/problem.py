"""What the families of the generated ScienceQA give back: a problem with its picture, before it has a number."""

import random
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PIL import Image


class Step(NamedTuple):
    """One sentence of a rationale; `seen` where it states something that only the picture shows."""

    text: str
    seen: bool


class Problem(NamedTuple):
    """One problem; `wrong` are the other choices. `needed`: the picture is needed to derive rationale and answer."""

    question: str
    right: str
    wrong: tuple[str, ...]
    steps: tuple[Step, ...]
    picture: "Image.Image"
    subject: str
    topic: str
    category: str
    skill: str
    hint: str = ""
    lecture: str = ""
    needed: bool = True

    @property
    def visual(self) -> tuple[int, ...]:
        """The steps, from 1, that state something seen."""
        return tuple(number for number, step in enumerate(self.steps, start=1) if step.seen)


Family = Callable[[random.Random], Problem]


def with_articles(text: str) -> str:
    """The text with "an" for each "a" that a vowel follows, where a word was put in by rule."""
    return re.sub(r"\ba (?=[aeiou])", "an ", text)


def see(text: str) -> Step:
    """A step that states something seen."""
    return Step(text, True)


def say(text: str) -> Step:
    """A step that follows from text or knowledge alone."""
    return Step(text, False)
