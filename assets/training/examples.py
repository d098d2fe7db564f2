"""What is learned from and asked: question, options, picture, and of a sample also steps and answer."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assets.models.model import Dialogue
from assets.schema.sample import LETTERS, Sample, letter
from assets.training import text

_HEADING = re.compile(r"^[ \t]*[\[<][A-Za-z ]{2,20}[\]>][ \t]*$", re.M)
_CONTEXT = re.compile(r"\[Context\]\s*\n(?P<context>(?:(?!\n\[)[\s\S])*?)\s*\Z")
_QUESTION = "[Question]"
_NESTED = "<CHOICE>"


class Asked(NamedTuple):
    """What there is before any reply: the question with its context, options, the picture's id if there is one."""

    id: str
    question: str
    choices: tuple[str, ...]
    image_id: str | None


class Example(NamedTuple):
    """What is learned from: what was asked, the steps of the rationale, which option is right, from 0."""

    asked: Asked
    steps: tuple[str, ...]
    answer: int


def of_sample(sample: Sample) -> Example | None:
    """The sample as an example; None for one without question, options, an answer among them or a rationale."""
    choices, answer = sample.choices or (), LETTERS.find(sample.answer or " ")
    steps = tuple(text.steps(sample.text))
    if (
        sample.dropped is not None
        or not sample.id
        or not sample.question
        or not 0 <= answer < len(choices)
        or not steps
    ):
        return None
    question = f"{sample.context}\n{sample.question}" if sample.context else sample.question
    images = sample.images or ()
    return Example(Asked(sample.id, question, tuple(choices), images[-1] if images else None), steps, answer)


def of_dialogue(dialogue: Dialogue) -> Asked:
    """What the dialogue's first ask puts: what stands before its options for the last time, without headings.

    The picture is the last one before these options: earlier ones are those of shots, later ones those of options.
    """
    said = ""
    images: list[tuple[int, str]] = []
    for part in dialogue.asks[0].parts if dialogue.asks else ():
        if part.kind == "text":
            said += part.text or ""
        elif part.image_id:
            images.append((len(said), part.image_id))
    end = _end(said, dialogue.choices)
    before = [image_id for place, image_id in images if place <= end]
    own = before[-1] if before else images[0][1] if images else None
    return Asked(dialogue.id, _question(said[:end]), dialogue.choices, own)


def written(steps: Sequence[str]) -> str:
    """Steps as the text of a rationale."""
    return "\n".join(f"Step {number}: {step}" for number, step in enumerate(steps, 1))


def _end(said: str, choices: Sequence[str]) -> int:
    """Where the options begin for the last time."""
    options = r"\s+".join(rf"\({letter(place)}\)\s*{re.escape(choice)}" for place, choice in enumerate(choices))
    found = list(re.finditer(options, said)) if choices else []
    return found[-1].start() if found else len(said)


def _question(before: str) -> str:
    start = before.rfind(_QUESTION)
    context = ""
    if start >= 0:
        above = _CONTEXT.search(before[:start])
        context = f"{above['context']}\n" if above else ""
        before = before[start:].split(_NESTED)[0]
    lines = (line.strip() for line in _HEADING.sub("", context + before).splitlines())
    return "\n".join(line for line in lines if line)
