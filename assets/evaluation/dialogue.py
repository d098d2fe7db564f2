"""What is said to a model about a sample: turns of texts and pictures, with solved samples shown before if wanted."""

import random
import re
from collections.abc import Container, Iterable, Sequence
from typing import Literal, NamedTuple

from assets.comt import template
from assets.comt.development import pictures_of
from assets.evaluation.strategy import Headings, Strategy, strategy
from assets.schema.faults import Fault
from assets.schema.sample import Part, Sample, letter

Rationale = Literal["multimodal", "text"]

_SHORT = 8
_BRACKETS = (("(", ")"), ("[", "]"))


class DialogueError(Fault):
    """A sample that cannot be asked or shown as it stands."""


class Turn(NamedTuple):
    """What one side says: texts and pictures in their order; a picture has its id and no text."""

    role: str
    parts: tuple[Part, ...]


def prompt(sample: Sample, strategy: Strategy, demonstrations: Sequence[Part] = ()) -> tuple[Turn, ...]:
    """The user's turns, between which the model replies: role, task, demonstrations, question, strategy words.

    Pictures stand where the question names them. Nothing else in a text stands for a picture, whatever it looks like.

    Args:
        sample: of one of the strategy's tasks.
        strategy: how to ask; the second turn, where it has one, is sent once the model has replied.
        demonstrations: what `demonstrations` gives.

    Raises:
        DialogueError: the sample lacks a text, or a picture that it names.

    Source: arXiv:2412.12932, D.3 and D.4.
    """
    task = sample.task or "none"
    if task not in strategy.role:
        raise DialogueError(
            f"{sample.id}: its task is {task}: strategies of {strategy.benchmark} are for {', '.join(strategy.role)}"
        )
    opening = f"{strategy.role[task]} {strategy.task[task]}\n\n"
    asked = [*_question(sample, strategy.headings), _said(f"\n\n{strategy.words[task]}")]
    turns = [Turn("user", _joined([_said(opening), *demonstrations, *asked]))]
    if strategy.second_turn is not None:
        turns.append(Turn("user", (_said(strategy.second_turn),)))
    return tuple(turns)


def shots(dev: Sequence[Sample], sample: Sample, k: int, seed: int) -> list[Sample]:
    """`k` solved samples of the same task to show before `sample`, in the order to show them.

    They are drawn from the kept samples of split validation by the seed and the sample's id alone; those of k are
    the first of those of k + 1. Never the sample itself, nor one that has a picture of it (the ones that its
    pictures were made from included), its question with its options, in whatever order, or its question where that
    shows no picture. Two that share a picture are shown together only where others do not suffice.

    Raises:
        DialogueError: fewer than `k` are left.

    Source: arXiv:2412.12932, E.3.
    """
    if k < 0:
        raise DialogueError(f"{sample.id}: {k} samples cannot be shown: ask for 0 or more")
    own = [one for one in dev if one.dropped is None and one.split == "validation" and one.task == sample.task]
    left = sorted((one for one in own if not _alike(one, sample)), key=lambda one: one.id or "")
    if len(left) < k:
        raise DialogueError(
            f"{sample.id}: {k} samples of {sample.task} are to be shown before it, and of the {len(own)} in the "
            f"development set {len(left)} share nothing with it: ask for {len(left)} or fewer, or add more"
        )
    random.Random(f"{seed}/{sample.id}").shuffle(left)
    seen: set[str] = set()
    apart: list[Sample] = []
    again: list[Sample] = []
    for one in left:
        (again if seen.intersection(pictures_of(one)) else apart).append(one)
        seen.update(pictures_of(one))
    return [*apart, *again][:k]


def demonstrations(
    shots: Iterable[Sample],
    rationale: Rationale = "multimodal",
    *,
    headings: Headings | None = None,
    pictures: Container[str] | None = None,
) -> tuple[Part, ...]:
    """Solved samples as parts of a prompt: each its question with pictures, options, rationale and answer.

    Args:
        shots: what `shots` gives.
        rationale: multimodal: its texts and pictures in turn; text: its texts alone, as if it had no pictures.
        headings: of the parts; those of CoMT's strategies when None.
        pictures: the image ids that there are, where that is known.

    Raises:
        DialogueError: a shot lacks a text, or a picture that it names.

    Source: arXiv:2412.12932, E.3: "Single-modal rationale only contains the text content".
    """
    above = headings or strategy("comt", "direct").headings
    said: list[Part] = []
    for shot in shots:
        if shot.rationale is None or shot.answer is None:
            raise DialogueError(f"{shot.id}: has no {'rationale' if shot.rationale is None else 'answer'} to show")
        told = _interleaved(shot, shot.rationale)
        solved = [
            *_question(shot, above),
            _said(f"\n\n{above.rationale}\n"),
            *(_without_pictures(told) if rationale == "text" else told),
            _said(f"\n\n{above.answer}\n({shot.answer})\n\n"),
        ]
        for part in solved:
            if pictures is not None and part.image_id is not None and part.image_id not in pictures:
                raise DialogueError(f"{shot.id}: its picture {part.image_id} is not there: show another sample")
        said += solved
    return _joined(said)


def shown(dialogue: Iterable[Turn]) -> str:
    """The turns as plain text to look at: each under its role, `[picture <short id>]` where a picture stands."""
    return "\n".join(
        f"{turn.role}:\n"
        + "".join(f"[picture {part.image_id[:_SHORT]}]" if part.image_id else part.text or "" for part in turn.parts)
        + "\n"
        for turn in dialogue
    )


def _question(sample: Sample, headings: Headings) -> list[Part]:
    for name in ("question", "choices"):
        if not getattr(sample, name):
            raise DialogueError(f"{sample.id}: has no {name} to show")
    asked = [_said(f"{headings.question}\n"), *_interleaved(sample, [_said(sample.question or "")])]
    asked.append(_said(f"\n\n{headings.choices}"))
    for place, choice in enumerate(sample.choices or ()):
        asked.append(_said(f"\n({letter(place)}) {choice}"))
    return asked


def _interleaved(sample: Sample, told: Sequence[Part]) -> list[Part]:
    """The parts with pictures where their texts name them."""
    found: list[Part] = []
    for part in told:
        try:
            inner = (part,) if part.kind == "image" else template.parts(part.text or "", sample.images or ())
        except template.TemplateError as error:
            raise DialogueError(f"{sample.id}: {error}: give it the picture, or leave it out") from None
        for one in inner:
            if one.kind == "image" and not one.image_id:
                raise DialogueError(f"{sample.id}: its picture {one.text} is missing: give it one, or leave it out")
            found.append(Part("image", None, one.image_id) if one.kind == "image" else one)
    return found


def _without_pictures(told: Sequence[Part]) -> list[Part]:
    """The texts as one, with one space or line break where a picture stood, and no brackets that held it alone."""
    text = ""
    waiting = False
    for part in told:
        if part.kind == "image":
            waiting = True
            continue
        after = part.text or ""
        text = _closed(text, after) if waiting else text + after
        waiting = False
    return [_said(text.rstrip() if waiting else text)]


def _closed(before: str, after: str) -> str:
    left, right = before.rstrip(), after.lstrip()
    for opening, closing in _BRACKETS:
        if left.endswith(opening) and right.startswith(closing):
            before, after = left.removesuffix(opening), right.removeprefix(closing)
            left, right = before.rstrip(), after.lstrip()
    gap = before[len(left) :] + after[: len(after) - len(right)]
    if not left or not right or re.match(r"[.,;:!?)\]]", right):
        return left + right
    return left + ("\n" if "\n" in gap else " ") + right


def _alike(one: Sample, other: Sample) -> bool:
    question = _plain(one.question or "")
    return (
        one.id == other.id
        or (question == _plain(other.question or "") and not template.identifiers(one.question or ""))
        or not set(pictures_of(one)).isdisjoint(pictures_of(other))
        or (_plain(one.question or ""), sorted(map(_plain, one.choices or ())))
        == (_plain(other.question or ""), sorted(map(_plain, other.choices or ())))
    )


def _plain(text: str) -> str:
    return " ".join(template.IDENTIFIER.sub(" ", text).casefold().split())


def _said(text: str) -> Part:
    return Part("text", text, None)


def _joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts with texts that follow each other as one."""
    found: list[Part] = []
    for part in parts:
        if part.kind == "text" and found and found[-1].kind == "text":
            found[-1] = _said((found[-1].text or "") + (part.text or ""))
        else:
            found.append(part)
    return tuple(found)
