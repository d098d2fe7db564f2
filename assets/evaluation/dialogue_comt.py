"""What is said to a model about a sample of CoMT: four parts, with solved samples shown before if wanted."""

import random
import re
from collections.abc import Container, Iterable, Sequence

from assets.comt import template
from assets.comt.development import pictures_of
from assets.evaluation.dialogue_parts import DEVELOPMENT, Choice, DialogueError, Rationales, joined, picture, said
from assets.evaluation.strategy import Headings, Strategy, strategy
from assets.models.model import Turn
from assets.schema.sample import Part, Sample, letter

_BRACKETS = (("(", ")"), ("[", "]"))


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
    asked = [*_question(sample, strategy.headings), said(f"\n\n{strategy.words[task]}")]
    turns = [Turn("user", joined([said(opening), *demonstrations, *asked]))]
    if strategy.second_turn is not None:
        turns.append(Turn("user", (said(strategy.second_turn),)))
    return tuple(turns)


def shots(dev: Sequence[Sample], sample: Sample, k: int, seed: int) -> list[Sample]:
    """The shots of `choice`."""
    return list(choice(dev, sample, k, seed).shots)


def choice(dev: Sequence[Sample], sample: Sample, k: int, seed: int) -> Choice:
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
    if k == 0:
        return Choice(())
    own = [one for one in dev if one.dropped is None and one.split in DEVELOPMENT and one.task == sample.task]
    left = sorted((one for one in own if not _alike(one, sample)), key=lambda one: one.id or "")
    refused = len(own) - len(left)
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
    return Choice(tuple([*apart, *again][:k]), refused=refused)


def demonstrations(
    shots: Iterable[Sample],
    rationale: Rationales = "multimodal",
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
    shown: list[Part] = []
    for shot in shots:
        if shot.rationale is None or shot.answer is None:
            raise DialogueError(f"{shot.id}: has no {'rationale' if shot.rationale is None else 'answer'} to show")
        told = _interleaved(shot, shot.rationale)
        solved = [
            *_question(shot, above),
            said(f"\n\n{above.rationale}\n"),
            *(_without_pictures(told) if rationale == "text" else told),
            said(f"\n\n{above.answer}\n({shot.answer})\n\n"),
        ]
        for part in solved:
            if pictures is not None and part.image_id is not None and part.image_id not in pictures:
                raise DialogueError(f"{shot.id}: its picture {part.image_id} is not there: show another sample")
        shown += solved
    return joined(shown)


def _question(sample: Sample, headings: Headings) -> list[Part]:
    for name in ("question", "choices"):
        if not getattr(sample, name):
            raise DialogueError(f"{sample.id}: has no {name} to show")
    asked = [said(f"{headings.question}\n"), *_interleaved(sample, [said(sample.question or "")])]
    asked.append(said(f"\n\n{headings.choices}"))
    for place, choice in enumerate(sample.choices or ()):
        asked.append(said(f"\n({letter(place)}) {choice}"))
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
            found.append(picture(one.image_id) if one.kind == "image" and one.image_id else one)
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
    return [said(text.rstrip() if waiting else text)]


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
