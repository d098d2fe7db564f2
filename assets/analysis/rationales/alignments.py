"""How near the vectors of texts are to each other, for many chains at once: the sums behind ROSCOE.

Chains lie one after another in one array. A pair of sides is one matrix product for a block of chains, of which the
maxima and means over a chain's or a step's part are taken in one go. NaN stands for what is not defined: the best
of none, the mean of none.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

BLOCK = 1 << 15
"""Numbers of a product that are held at once."""


class Side(NamedTuple):
    """Vectors of many chains, or of many steps, one after another.

    vectors: (n, d) float32, of length 1. bounds: (k + 1,) int64, the vectors of part p are those from bounds[p] up to
    bounds[p + 1].
    """

    vectors: "np.ndarray"
    bounds: "np.ndarray"

    @property
    def sizes(self) -> "np.ndarray":
        """(k,) int64: the vectors of each part."""
        sizes: np.ndarray = self.bounds[1:] - self.bounds[:-1]
        return sizes


def bounds(sizes: Sequence[int]) -> "np.ndarray":
    """(k + 1,) int64: where parts of these sizes begin, and where the last one ends."""
    import numpy as np

    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def of_length_one(vectors: "np.ndarray") -> "np.ndarray":
    """(n, d) float32: the vectors, each divided by its length; one of zeros stays one."""
    import numpy as np

    vectors = np.asarray(vectors, np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    divided: np.ndarray = vectors / np.where(lengths == 0, 1, lengths)
    return divided


def best(of: Side, among: Side) -> "np.ndarray":
    """For each vector of a chain the cosine of the nearest one on the other side of the same chain.

    Returns:
        (n,) float64 in [-1, 1]; NaN where the chain has none on the other side.
    """
    import numpy as np

    found = np.full(len(of.vectors), np.nan)
    for first, last in _blocks(of.bounds, among.bounds):
        filled = first + np.flatnonzero(among.sizes[first:last])
        rows, columns = (slice(side.bounds[first], side.bounds[last]) for side in (of, among))
        if not len(filled) or rows.start == rows.stop:
            continue
        nearest = _nearest(among.vectors[columns], among.bounds[filled] - columns.start, of.vectors[rows])
        # Which of the chains that have another side each vector is of; those of the others stay undefined.
        chain = np.repeat(np.arange(first, last), of.sizes[first:last])
        compared = among.sizes[chain] > 0
        place = np.searchsorted(filled, chain[compared])
        found[rows.start + np.flatnonzero(compared)] = nearest[place, compared]
    return _cosines(found)


def nearest_before(steps: Side) -> "np.ndarray":
    """For each chain the highest cosine of a step with an earlier one.

    Returns:
        (k,) float64 in [-1, 1]; NaN where there are fewer than two steps.
    """
    import numpy as np

    found = np.full(len(steps.bounds) - 1, np.nan)
    for first, last in _blocks(steps.bounds, steps.bounds):
        rows = slice(steps.bounds[first], steps.bounds[last])
        cosines = _product(steps.vectors[rows], steps.vectors[rows])
        found[first:last] = _highest_before(cosines, steps.bounds[first : last + 1] - rows.start)
    return _cosines(found)


def nearest_words_before(words: Side, steps: "np.ndarray") -> "np.ndarray":
    """For each chain the highest mean, over the words of a step, of each word's best cosine with an earlier step's.

    Args:
        words: of the steps that have any, step by step.
        steps: (k + 1,) int64, which of those steps are a chain's.

    Returns:
        (k,) float64 in [-1, 1]; NaN where fewer than two steps have words.
    """
    import numpy as np

    found = np.full(len(steps) - 1, np.nan)
    of_chain = words.bounds[steps]
    for first, last in _blocks(of_chain, of_chain):
        if of_chain[first] == of_chain[last]:
            continue
        rows = slice(of_chain[first], of_chain[last])
        starts = words.bounds[steps[first] : steps[last]] - rows.start
        nearest = _nearest(words.vectors[rows], starts, words.vectors[rows])
        means = np.add.reduceat(nearest, starts, axis=1, dtype=np.float64)
        means /= words.sizes[steps[first] : steps[last]]
        # Down: the step that is read; across: the step whose words are looked for, so that earlier is further up.
        found[first:last] = _highest_before(means.T, steps[first : last + 1] - steps[first])
    return _cosines(found)


def mean(values: "np.ndarray", parts: "np.ndarray") -> "np.ndarray":
    """(k,) float64: the mean over each part; NaN for an empty one."""
    import numpy as np

    sizes = parts[1:] - parts[:-1]
    return total(values, parts) / np.where(sizes > 0, sizes, np.nan)


def total(values: "np.ndarray", parts: "np.ndarray") -> "np.ndarray":
    """(k,) float64: the sum over each part, 0 for an empty one."""
    import numpy as np

    return _reduced(np.add, values, parts, 0.0)


def least(values: "np.ndarray", parts: "np.ndarray") -> "np.ndarray":
    """(k,) float64: the least of each part; NaN for an empty one."""
    import numpy as np

    return _reduced(np.minimum, values, parts, np.nan)


def most(values: "np.ndarray", parts: "np.ndarray") -> "np.ndarray":
    """(k,) float64: the greatest of each part; NaN for an empty one."""
    import numpy as np

    return _reduced(np.maximum, values, parts, np.nan)


def _cosines(found: "np.ndarray") -> "np.ndarray":
    """The same, without what rounding adds beyond a cosine's range."""
    import numpy as np

    within: np.ndarray = np.clip(found, -1, 1)
    return within


def _reduced(by: Any, values: "np.ndarray", parts: "np.ndarray", empty: float) -> "np.ndarray":
    import numpy as np

    found = np.full(len(parts) - 1, empty)
    filled = parts[1:] > parts[:-1]
    if filled.any():
        # An empty part takes no room, so that each full one ends where the next full one begins.
        found[filled] = by.reduceat(values.astype(np.float64), parts[:-1][filled])
    return found


def _nearest(among: "np.ndarray", starts: "np.ndarray", of: "np.ndarray") -> "np.ndarray":
    """(parts, n) float32: the cosine of each vector with the nearest one of each part, held a stretch at a time."""
    import numpy as np

    at_once = max(1, 8 * BLOCK // max(1, len(among)))
    stretches = [
        np.maximum.reduceat(_product(among, of[start : start + at_once]), starts, axis=0)
        for start in range(0, len(of), at_once)
    ]
    return np.concatenate(stretches, axis=1) if stretches else np.zeros((len(starts), 0), np.float32)


def _product(one: "np.ndarray", other: "np.ndarray") -> "np.ndarray":
    """(n, m) float32: each vector of one by each of the other."""
    import torch

    # By torch, whose threads can be set: numpy's are as many as cores, and twenty times slower where these are busy.
    cosines: np.ndarray = (torch.from_numpy(one) @ torch.from_numpy(other).T).numpy()
    return cosines


def _highest_before(square: "np.ndarray", parts: "np.ndarray") -> "np.ndarray":
    """(k,) float64: over each part's own square of the matrix its highest value left of the diagonal; NaN if none."""
    import numpy as np

    part = np.repeat(np.arange(len(parts) - 1), parts[1:] - parts[:-1])
    place = np.arange(len(square))
    own = (part[:, None] == part[None, :]) & (place[:, None] > place[None, :])
    highest = most(np.where(own, square, -np.inf).max(axis=1, initial=-np.inf), parts)
    return np.where(np.isneginf(highest), np.nan, highest)


def _blocks(one: "np.ndarray", other: "np.ndarray") -> Iterator[tuple[int, int]]:
    """Stretches of chains whose product has at most `BLOCK` numbers, and at least one chain each."""
    import numpy as np

    # Two sides that come to so many vectors together have a product of at most BLOCK.
    together = one + other
    most_of_both = 2 * int(BLOCK**0.5)
    first, chains = 0, len(one) - 1
    while first < chains:
        last = int(np.searchsorted(together, together[first] + most_of_both, side="right")) - 1
        last = min(max(last, first + 1), chains)
        yield first, last
        first = last
