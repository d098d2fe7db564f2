"""Texts of several examples as tensors of one length."""

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from assets.training.examples import Asked
from assets.training.mm_cot import OPTIONS, QUESTION, RATIONALE
from assets.training.text import END, SPECIAL, START, STEP, UNKNOWN, Encoder

LONGEST_QUESTION, LONGEST_OPTION, LONGEST_RATIONALE = 96, 24, 150
"""Words that are read of a question (its last ones), of an option, and of or into a rationale."""

MOST_STEPS_APART = 30

START_NUMBER, END_NUMBER, STEP_NUMBER, UNKNOWN_NUMBER = (SPECIAL.index(word) for word in (START, END, STEP, UNKNOWN))


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


def numbered(asked: Asked, encoder: Encoder) -> Numbered:
    """What was asked, as numbers, cut to what is read of it."""
    choices = tuple(tuple(encoder.encoded(choice)[:LONGEST_OPTION]) for choice in asked.choices)
    return Numbered(tuple(encoder.encoded(asked.question)[-LONGEST_QUESTION:]), choices)


def steps_numbered(steps: Sequence[str], encoder: Encoder) -> tuple[tuple[int, ...], ...]:
    """Steps as numbers, as many whole ones as are read."""
    found: list[tuple[int, ...]] = []
    left = LONGEST_RATIONALE - 1
    for step in steps:
        words = tuple(encoder.encoded(step))
        left -= len(words) + 1
        if left < 0:
            break
        found.append(words)
    return tuple(found)


def source(
    asked: Sequence[Numbered],
    rationales: Sequence[Sequence[Sequence[int]]] | None = None,
    *,
    rng: random.Random | None = None,
    hidden: float = 0.0,
) -> Source:
    """The encoder's input: questions, options, and rationales if there are any.

    A word of a rationale has the number of steps that follow as its place: its end is where it concludes.

    Args:
        asked: what was asked.
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
            choice_words = (STEP_NUMBER, *put.choices[choice])
            row += [(word, place, OPTIONS, option) for place, word in enumerate(choice_words)]
        steps = () if rationales is None else rationales[number]
        for place, step in enumerate(steps):
            row += [(word, min(MOST_STEPS_APART, len(steps) - 1 - place), RATIONALE, -1) for word in step]
        if rng is not None and hidden:
            row = [(UNKNOWN_NUMBER, *one[1:]) if rng.random() < hidden else one for one in row]
        rows.append(row or [(UNKNOWN_NUMBER, 0, QUESTION, -1)])
        orders.append(tuple(order))
    longest = max(map(len, rows))
    nothing = (0, 0, 0, -1)
    table = torch.tensor([[*row, *[nothing] * (longest - len(row))] for row in rows])
    words, places, kinds, options = table.unbind(-1)
    return Source(words, places, kinds, options, tuple(orders), max(1, max(map(len, orders))))


def rationale_target(steps: Sequence[Sequence[int]]) -> list[int]:
    """The words of a rationale as they are written: a mark between steps, and one at the end."""
    words = [word for step in steps for word in (*step, STEP_NUMBER)]
    return [*words[:-1], END_NUMBER]


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of numbers as (n, longest), zeros behind."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
