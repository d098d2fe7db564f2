"""How hard each sample is, how well it tells good models from bad ones, and what the models agree on."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assets.analysis.audit.votes import Ballot, Split, most, topic

if TYPE_CHECKING:
    import numpy as np

_FEWEST = 3
"""Evaluations below which a correlation says nothing."""

_DIGITS = 6
"""Kept of a correlation: the last bits of a sum may differ between processors."""


def items(ballots: Mapping[Split, Ballot]) -> Iterator[dict[str, Any]]:
    """Rows of table `item`: the samples of each split that is asked, in its order, asked themselves or not.

    difficulty is the share of the evaluations that has the sample wrong. discrimination is the corrected item-rest
    correlation: the point-biserial, which is Pearson's, of being right here with the accuracy on every other sample
    that the evaluation counts; null too where all of these accuracies are the same.

    Args:
        ballots: by split.
    """
    for (benchmark, edition, split), ballot in sorted(ballots.items()):
        ids = list(ballot.items)
        right, counted = _matrices(ballot, ids)
        for place, (key, correlation) in enumerate(zip(ids, _discriminations(right, counted), strict=True)):
            item = ballot.items[key]
            asked, correct = int(counted[:, place].sum()), int(right[:, place].sum())
            votes = [given[key] for given in ballot.votes.values() if key in given]
            said = Counter(vote for vote in votes if vote is not None)
            consensus = most(votes)
            yield {
                "benchmark": benchmark,
                "edition": edition,
                "split": split,
                "sample_id": key,
                "topic": topic(item),
                "label": item.answer,
                "evaluations": asked,
                "correct": correct,
                "difficulty": (asked - correct) / asked if asked else None,
                "discrimination": correlation,
                "models": len(votes),
                "consensus": consensus,
                "agreement": None if consensus is None else said[consensus] / said.total(),
                "support": said[item.answer] / said.total() if said else None,
            }


def _matrices(ballot: Ballot, ids: list[str]) -> "tuple[np.ndarray, np.ndarray]":
    """Which evaluation (row) has which sample (column) right, and which counts it."""
    import numpy as np

    labels = [ballot.items[key].answer for key in ids]
    counted = np.zeros((len(ballot.given), len(ids)), bool)
    right = np.zeros_like(counted)
    for row, given in enumerate(ballot.given.values()):
        counted[row] = [key in given for key in ids]
        right[row] = [given.get(key) == label for key, label in zip(ids, labels, strict=True)]
    return right, counted


def _discriminations(right: "np.ndarray", counted: "np.ndarray") -> list[float | None]:
    """By sample the correlation, over the evaluations that count it, of being right with the accuracy elsewhere."""
    import numpy as np

    n = counted.sum(axis=0)
    others = counted.sum(axis=1, keepdims=True) - 1
    x = np.where(counted, right, 0).astype(float)
    elsewhere = np.where(counted & (others > 0), (right.sum(axis=1, keepdims=True) - right) / np.maximum(others, 1), 0)
    hits, sums = x.sum(axis=0), elsewhere.sum(axis=0)
    least = np.where(counted, elsewhere, np.inf).min(axis=0, initial=np.inf)
    largest = np.where(counted, elsewhere, -np.inf).max(axis=0, initial=-np.inf)
    known = (n >= _FEWEST) & (hits > 0) & (hits < n) & (largest > least)
    size = np.maximum(n, 1)
    from_mean = np.where(counted, x - hits / size, 0)
    apart = np.where(counted, elsewhere - sums / size, 0)
    spread = np.sqrt((from_mean**2).sum(axis=0) * (apart**2).sum(axis=0))
    found = (from_mean * apart).sum(axis=0) / np.where(known, spread, 1)
    return [round(float(value), _DIGITS) if is_known else None for value, is_known in zip(found, known, strict=True)]
