"""Phrases of rationales: which of them a picture's rationale has is what seeing is learned from."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assets.training.text import tokens

LEAST = 4
"""Rationales that must have a phrase; what is rarer cannot be learned."""

LONGEST = 3


def phrases(steps: Sequence[str]) -> set[tuple[str, ...]]:
    """All runs of up to three words within a step."""
    found: set[tuple[str, ...]] = set()
    for step in steps:
        words = tokens(step)
        for length in range(1, LONGEST + 1):
            found.update(tuple(words[start : start + length]) for start in range(len(words) - length + 1))
    return found


def table(rationales: Sequence[Sequence[str]]) -> NDArray[np.float32]:
    """Whether each rationale has each phrase, (rationales, phrases); those that all the same ones have are one."""
    having: dict[tuple[str, ...], list[int]] = {}
    for number, steps in enumerate(rationales):
        for phrase in phrases(steps):
            having.setdefault(phrase, []).append(number)
    often = {tuple(numbers) for numbers in having.values() if min(LEAST, len(rationales)) <= len(numbers)}
    columns = sorted(often - {tuple(range(len(rationales)))}) or [tuple(range(len(rationales)))]
    found = np.zeros((len(rationales), len(columns)), dtype=np.float32)
    for column, numbers in enumerate(columns):
        found[list(numbers), column] = 1
    return found
