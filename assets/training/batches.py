"""Texts of several examples as tensors of one length."""

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from assets.training.backbone import Longest
from assets.training.examples import Asked, Example
from assets.training.text import Words

QUESTION, OPTIONS, RATIONALE = 0, 1, 2
"""What a word of the encoder's input belongs to."""

MOST_STEPS_APART = 30

Steps = tuple[tuple[int, ...], ...]
"""A rationale as numbers of words, step by step."""


class Numbered(NamedTuple):
    """What was asked, as numbers of words."""

    question: tuple[int, ...]
    choices: tuple[tuple[int, ...], ...]


class Source(NamedTuple):
    """The encoder's input, (n, length) each: words, their places, their kinds, the option each is of, or -1.

    orders: which option stands where. most: options of one at most.
    """

    words: Tensor
    places: Tensor
    kinds: Tensor
    options: Tensor
    orders: tuple[tuple[int, ...], ...]
    most: int

    def to(self, device: torch.device) -> "Source":
        """The same on a device."""
        return self._replace(
            words=self.words.to(device),
            places=self.places.to(device),
            kinds=self.kinds.to(device),
            options=self.options.to(device),
        )


def numbered(asked: Asked, words: Words, longest: Longest) -> Numbered:
    """What was asked, as numbers, cut to what is read of it."""
    choices = tuple(tuple(words.encoded(choice)[: longest.option]) for choice in asked.choices)
    return Numbered(tuple(words.encoded(asked.question)[-longest.question :]), choices)


def steps_numbered(steps: Sequence[str], words: Words, longest: Longest) -> Steps:
    """Steps as numbers, as many whole ones as are read."""
    found: list[tuple[int, ...]] = []
    left = longest.rationale - 1
    for step in steps:
        encoded = tuple(words.encoded(step))
        left -= len(encoded) + 1
        if left < 0:
            break
        found.append(encoded)
    return tuple(found)


def cut(examples: Sequence[Example], words: Words, longest: Longest) -> dict[str, int]:
    """Of how many examples not all is learned: of the question, of an option, of the rationale."""
    return {
        "cut_questions": sum(len(words.encoded(one.asked.question)) > longest.question for one in examples),
        "cut_options": sum(
            any(len(words.encoded(choice)) > longest.option for choice in one.asked.choices) for one in examples
        ),
        "cut_rationales": sum(len(steps_numbered(one.steps, words, longest)) < len(one.steps) for one in examples),
    }


def source(
    asked: Sequence[Numbered],
    by: Words,
    rationales: Sequence[Sequence[Sequence[int]]] | None = None,
    *,
    rng: random.Random | None = None,
    hidden: float = 0.0,
) -> Source:
    """The encoder's input: questions, options, and rationales if there are any.

    A word of a rationale has the number of steps that follow as its place: its end is where it concludes.

    Args:
        asked: what was asked.
        by: what the numbers are of.
        rationales: the steps of each.
        rng: brings the options into another order, and hides words.
        hidden: share of the words that is replaced by an unknown one.
    """
    rows: list[list[tuple[int, int, int, int]]] = []
    orders: list[tuple[int, ...]] = []
    for number, put in enumerate(asked):
        order = list(range(len(put.choices)))
        if rng is not None:
            rng.shuffle(order)
        row = [(word, place, QUESTION, -1) for place, word in enumerate(put.question)]
        for option, choice in enumerate(order):
            choice_words = (by.step, *put.choices[choice])
            row += [(word, place, OPTIONS, option) for place, word in enumerate(choice_words)]
        steps = () if rationales is None else rationales[number]
        for place, step in enumerate(steps):
            row += [(word, min(MOST_STEPS_APART, len(steps) - 1 - place), RATIONALE, -1) for word in step]
        if rng is not None and hidden:
            row = [(by.unknown, *one[1:]) if rng.random() < hidden else one for one in row]
        rows.append(row or [(by.unknown, 0, QUESTION, -1)])
        orders.append(tuple(order))
    longest = max(map(len, rows))
    nothing = (0, 0, 0, -1)
    table = torch.tensor([[*row, *[nothing] * (longest - len(row))] for row in rows])
    words, places, kinds, options = table.unbind(-1)
    return Source(words, places, kinds, options, tuple(orders), max(1, max(map(len, orders))))


def rationale_target(steps: Sequence[Sequence[int]], by: Words) -> list[int]:
    """The words of a rationale as they are written: a mark between steps, and one at the end."""
    words = [word for step in steps for word in (*step, by.step)]
    return [*words[:-1], by.end]


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of numbers as (n, longest), zeros behind."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
