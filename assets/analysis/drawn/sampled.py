"""Which replies with pictures people judge: some of each model and task, evenly over the model's strategies."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from assets.analysis.drawn.replies import DrawnReply

WITHOUT_RATIONALE = ("direct",)
"""Strategies that ask for the answer alone."""

RARE = 0.1
"""The share of its replies with a picture below which such a strategy is left out at a task."""


def sampled(replies: Iterable[DrawnReply], *, seed: int, per_task: int) -> dict[str, DrawnReply]:
    """The replies that people judge, by their names in alphabetical order.

    Of a model and a task of a split, `per_task` replies whose pictures are all there, or all where they are fewer. Its
    strategies share them evenly; where one has too few, the others take what is left, and what cannot be shared out
    goes to the first ones by name. Which replies of a strategy are drawn hangs on the seed and on their names alone:
    a further evaluation changes no draw of another strategy's replies but their number. direct, which rarely gives a
    rationale that a picture could be held against, is left out at a task where fewer than RARE of its replies draw.

    Args:
        replies: of all evaluations, those without pictures included.
        seed: of the draw.
        per_task: replies of a model and a task at most.

    Source: arXiv:2412.12932, C.3: 50 of a task and model, or all; an average distribution of the strategies as far as
    possible; no sampling of methods like Direct that rarely produce rationales. How rare that is, it does not say.
    """
    groups: dict[tuple[str, ...], dict[str, list[DrawnReply]]] = defaultdict(lambda: defaultdict(list))
    for reply in replies:
        groups[(*reply.asked, reply.model, reply.task or "")][reply.strategy].append(reply)
    found = []
    for strategies in groups.values():
        drawing = {
            strategy: _in_order([one for one in given if one.pictures and not one.lost], seed)
            for strategy, given in sorted(strategies.items())
            if not _is_left_out(strategy, given)
        }
        shares = shared(per_task, [len(given) for given in drawing.values()])
        found += [one for given, share in zip(drawing.values(), shares, strict=True) for one in given[:share]]
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def shared(total: int, available: Sequence[int]) -> list[int]:
    """How many of each are taken so that they come to `total`, or to all there are, as evenly as can be.

    What cannot be shared out evenly goes to the first ones that have more.
    """
    taken = [0] * len(available)
    left = min(total, sum(available))
    while left:
        more = [place for place, there in enumerate(available) if taken[place] < there][:left]
        each = max(1, left // len(more))
        for place in more:
            step = min(each, available[place] - taken[place])
            taken[place] += step
            left -= step
    return taken


def _is_left_out(strategy: str, given: Sequence[DrawnReply]) -> bool:
    return strategy in WITHOUT_RATIONALE and sum(one.pictures > 0 for one in given) < RARE * len(given)


def _in_order(replies: Iterable[DrawnReply], seed: int) -> list[DrawnReply]:
    """The replies in an order that looks drawn, and in which a reply's place among others never changes."""

    def rank(reply: DrawnReply) -> str:
        return hashlib.sha256(f"{seed}/{reply.name}".encode()).hexdigest()

    return sorted(replies, key=rank)
