"""Three wrong options of many, chosen so that being most like the others does not give the right one away."""

import difflib
import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence

WRONG = 3
MOST = 22
"""Candidates that are looked at: 1540 sets of three."""

_TOKEN = re.compile(r"\\[A-Za-z]+|\d+|[A-Za-z]+|[^\sA-Za-z\d]")


def characters(one: str, other: str) -> float:
    """How alike two options are as rows of characters, from 0 to 1."""
    # the matcher is not symmetric: one order for both
    return difflib.SequenceMatcher(None, min(one, other), max(one, other), autojunk=False).ratio()


def tokens(one: str, other: str) -> float:
    """How many commands, numbers, words and signs two options share."""
    return float((Counter(_TOKEN.findall(one)) & Counter(_TOKEN.findall(other))).total())


MEASURES: tuple[Callable[[str, str], float], ...] = (characters, tokens)


def three(
    right: str, wrong: Sequence[str], rng: random.Random, cost: Callable[[Sequence[int]], float]
) -> tuple[int, ...] | None:
    """Places of three wrong options in their order; None where there are fewer.

    A wrong option that is a slip of the right one is more like it than like another slip, so that the option most
    like the other three would be the right one. How many options are more alike to the rest than the right one is
    therefore drawn first, from 0 to 3, and the set that comes nearest to it by every measure is taken.

    Args:
        right: the right option as it will be read.
        wrong: candidates as they will be read, no two equal; those after the first `MOST` are passed over.
        rng: chance.
        cost: what else speaks against a set, by the places of its three, in the unit of one rank.
    """
    sets = list(itertools.combinations(range(min(len(wrong), MOST)), WRONG))
    if not sets:
        return None
    rng.shuffle(sets)
    wanted = rng.randrange(WRONG + 1)
    texts = (*wrong[:MOST], right)
    known: dict[tuple[int, int, int], float] = {}

    def alike(measure: int, one: int, other: int) -> float:
        key = (measure, min(one, other), max(one, other))
        if key not in known:
            known[key] = MEASURES[measure](texts[one], texts[other])
        return known[key]

    def off(chosen: tuple[int, ...]) -> int:
        four = (*chosen, len(texts) - 1)
        total = 0
        for measure in range(len(MEASURES)):
            sums = [round(sum(alike(measure, one, other) for other in four if other != one), 9) for one in four]
            above, equal = sum(each > sums[-1] for each in sums), sums.count(sums[-1]) - 1
            total += max(above - wanted, wanted - above - equal, 0)
        return total

    best, least = sets[0], float("inf")
    for chosen in sets:
        other = cost(chosen)
        if other < least and (found := other + off(chosen)) < least:
            best, least = chosen, found
        if least == 0:
            break
    return best
