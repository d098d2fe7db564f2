"""How an image-text model is asked and what it is to write: our own words, not those of the papers' repositories."""

from collections.abc import Sequence

from assets.models.model import USER, Turn, said
from assets.schema.sample import Part, letter
from assets.training import examples, text

REASONED = 'Reason step by step from the picture, then end with "The answer is (X)."'
BARE = 'Reply with "The answer is (X)." alone.'
CONCLUSION = "The answer is ("


def turn(image_id: str, question: str, choices: Sequence[str], *, rationale: bool) -> Turn:
    """What is asked: the picture, then question, options by letter, and what the reply is to be."""
    options = "\n".join(f"({letter(place)}) {choice}" for place, choice in enumerate(choices))
    wanted = REASONED if rationale else BARE
    words = "\n\n".join(part for part in (question, options, wanted) if part)
    return Turn(USER, (Part("image", None, image_id), said(words)))


def target(steps: Sequence[str], answer: int) -> str:
    """What is to be written: the steps of the rationale if there are any, a line each, then the option's letter."""
    lines = [examples.written(steps)] if steps else []
    return "\n".join([*lines, f"{CONCLUSION}{letter(answer)})."])


def steps_of(reply: str) -> list[str]:
    """The steps of a reply, without the conclusion in which it names a letter."""
    return text.steps(reply.split(CONCLUSION)[0])
