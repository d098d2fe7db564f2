"""Questions with options as a reply states them: read, repaired by rule, and put in a drawn order."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assets.schema.faults import Fault
from assets.schema.sample import LETTERS

_LABEL = re.compile(r"^\s*\(?([A-E])[).:]\s+")
_LETTER = re.compile(r"\(?([A-E])\)?[.:]?")


class PictureMissing(Fault):
    """A sample whose picture was not drawn; the message says what to make again."""


class Question(NamedTuple):
    """What a reply says: a question with its options, the right one's letter, and the rationale."""

    question: str
    options: tuple[str, ...]
    answer: str
    rationale: str


def options(value: Any) -> tuple[str, ...] | None:
    """The options of a reply, listed or by letter, white space and letters before them taken off; None if it has none.

    Letters are taken off where all options have theirs in order, so that `C. elegans` stays as it is.
    """
    if isinstance(value, Mapping):
        value = [value[key] for key in sorted(value)]
    if not isinstance(value, list) or not all(isinstance(option, str) and option.strip() for option in value):
        return None
    labels = [_LABEL.match(option) for option in value]
    if [label[1] for label in labels if label] == list(LETTERS[: len(value)]):
        value = [_LABEL.sub("", option) for option in value]
    return tuple(" ".join(option.split()) for option in value)


def answer_letter(answer: str, options: Sequence[str]) -> str | None:
    """The letter of the option that an answer names, by its letter or its text; None where it names none."""
    found = _LETTER.fullmatch(answer)
    if found and found[1] in LETTERS[: len(options)]:
        return found[1]
    places = [place for place, option in enumerate(options) if plain(option) == plain(_LABEL.sub("", answer))]
    return LETTERS[places[0]] if places else None


def ordered(right: str, wrong: Sequence[str], seed: str) -> tuple[tuple[str, ...], str]:
    """The options with the right one at a place drawn by the seed, and its letter; the wrong ones keep their order."""
    place = draw(f"{seed}/place", len(wrong) + 1)
    return (*wrong[:place], right, *wrong[place:]), LETTERS[place]


def plain(text: str) -> str:
    """The words of a text in lower case: texts with the same ones count as equal."""
    return " ".join(re.findall(r"\w+", text.lower()))


def draw(seed: str, below: int) -> int:
    """A number in [0, below) that the seed alone decides."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big") % below


def picture_of(drawn: Mapping[str, str], sample_id: str) -> str:
    """The image id of the picture that was drawn for a sample.

    Raises:
        PictureMissing: none was.
    """
    if sample_id not in drawn:
        raise PictureMissing(f"m3cot/science: {sample_id} has no picture: make m3cot/science_images again")
    return drawn[sample_id]
