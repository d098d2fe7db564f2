"""Intervals, tests and means of right-or-wrong results, in the standard library alone."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import compress
from math import exp, fsum, lgamma, log, sqrt
from statistics import NormalDist

_LARGEST_EXACT = 20_000
"""Discordant pairs up to which the binomial tail is summed in integers; beyond, in logarithms (error below 1e-9)."""


@lru_cache(maxsize=16)
def quantile(level: float) -> float:
    """The standard normal quantile of a two-sided interval: 1.96 for level 0.95.

    Raises:
        ValueError: level is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level: {level} is not between 0 and 1")
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(correct: int, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """The score interval of a proportion as (low, high) in [0, 1]; None when n is 0.

    It is never a point: 21 right of 21 gives (0.845, 1).

    Source: E. B. Wilson, JASA 22 (1927) 209-212; without continuity correction.
    """
    if n == 0:
        return None
    z2 = quantile(level) ** 2
    p = correct / n
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low = 0.0 if correct == 0 else max(0.0, middle - half)
    high = 1.0 if correct == n else min(1.0, middle + half)
    return low, high


def mcnemar(only_a: int, only_b: int) -> float:
    """The two-sided exact p value that two systems differ, from the samples only one of them has right.

    Twice the smaller binomial tail at one half, at most 1; 1.0 when there is no such sample.

    Source: Q. McNemar, Psychometrika 12 (1947) 153-157, in its exact (binomial) form.
    """
    n, fewer = only_a + only_b, min(only_a, only_b)
    if 2 * fewer >= n:
        return 1.0
    if n > _LARGEST_EXACT:
        logs = [lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2) for k in range(fewer + 1)]
        return min(1.0, 2 * sum(map(exp, logs)))
    ways = tail = 1
    for k in range(fewer):
        ways = ways * (n - k) // (k + 1)
        tail += ways
    return tail / (1 << (n - 1))


def paired_interval(
    both: int, only_a: int, only_b: int, neither: int, level: float = 0.95
) -> tuple[float, float] | None:
    """The interval of accuracy a minus accuracy b on the same samples, as (low, high) in [-1, 1]; None without any.

    Source: R. G. Newcombe, Statistics in Medicine 17 (1998) 2635-2650, method 10: the Wilson intervals of both
    accuracies, joined with the correlation of the pairs.
    """
    n = both + only_a + only_b + neither
    interval_a, interval_b = wilson(both + only_a, n, level), wilson(both + only_b, n, level)
    if interval_a is None or interval_b is None:
        return None
    a, b = (both + only_a) / n, (both + only_b) / n
    below_a, above_a = a - interval_a[0], interval_a[1] - a
    below_b, above_b = b - interval_b[0], interval_b[1] - b
    phi = _correlation(both, only_a, only_b, neither)
    low = a - b - sqrt(max(0.0, below_a**2 - 2 * phi * below_a * above_b + above_b**2))
    high = a - b + sqrt(max(0.0, above_a**2 - 2 * phi * above_a * below_b + below_b**2))
    return max(-1.0, low), min(1.0, high)


def _correlation(both: int, only_a: int, only_b: int, neither: int) -> float:
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    if margins == 0:
        return 0.0
    association = float(both * neither - only_a * only_b)
    if association > 0:
        association = max(0.0, association - (both + only_a + only_b + neither) / 2)
    return association / sqrt(margins)


def macro_f1(labels: Iterable[str], letters: Iterable[str | None]) -> float | None:
    """The unweighted mean of F1 over the letters that occur as labels; None when there is no label.

    F1 of a letter = 2 hits / (2 hits + predicted wrongly + missed), 0 when it is never hit. No answer (None) and
    letters that are no label are misses of the label, never classes of their own. An empty label is none: what is
    counted of an id that has no label is no class.

    Source: ours; CoMT (arXiv:2412.12932) reports Macro-F1 and publishes no code for it. Equals scikit-learn's
    f1_score(average="macro", labels=sorted(set(labels)), zero_division=0).
    """
    return _macro_f1(Counter(zip(labels, letters, strict=True)))


def f1_means(
    groups: Iterable[Hashable], labels: Iterable[str], letters: Iterable[str | None]
) -> tuple[float | None, float | None]:
    """`macro_f1` of all, and the unweighted mean of the `macro_f1` of each group over its own labels.

    What is of group None belongs to none, and counts for the first only. A group that is never hit stays in the
    mean as 0. Each is None when there is no label for it.

    Source: ours; CoMT (arXiv:2412.12932, table 3) averages over its four tasks and does not say how.
    """
    together: Counter[tuple[str, str | None]] = Counter()
    apart: dict[Hashable, Counter[tuple[str, str | None]]] = {}
    for (group, label, letter), count in Counter(zip(groups, labels, letters, strict=True)).items():
        together[label, letter] += count
        if group is not None:
            apart.setdefault(group, Counter())[label, letter] = count
    found = [value for pairs in apart.values() if (value := _macro_f1(pairs)) is not None]
    return _macro_f1(together), fsum(found) / len(found) if found else None


def _macro_f1(pairs: Counter[tuple[str, str | None]]) -> float | None:
    gold: Counter[str] = Counter()
    predicted: Counter[str | None] = Counter()
    for (label, letter), count in pairs.items():
        if label:
            gold[label] += count
        predicted[letter] += count
    if not gold:
        return None
    # fsum is exact, so that the order of the samples leaves no trace
    return fsum(2 * pairs[label, label] / (gold[label] + predicted[label]) for label in gold) / len(gold)


def macro_accuracy(groups: Sequence[Hashable], correct: Sequence[bool]) -> float | None:
    """The unweighted mean of the accuracies of the groups; None when there is no sample.

    A group without a right answer stays in the mean as 0.
    """
    total = Counter(groups)
    right = Counter(compress(groups, correct))
    if not total:
        return None
    return fsum(right[group] / n for group, n in total.items()) / len(total)


def clustered_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """The standard error of the mean of `values` when those of one cluster (one picture) go together.

    None when there are fewer than two clusters: one cluster says nothing of how clusters differ.
    With every value a cluster of its own it is the usual standard error of the mean.

    Source: E. Miller, arXiv:2411.00640, section 2.2, with the factor clusters / (clusters - 1) for few clusters.
    """
    n = len(values)
    sums: dict[Hashable, float] = {}
    mean = sum(values) / n if n else 0.0
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value - mean
    if len(sums) < 2:
        return None
    return sqrt(len(sums) / (len(sums) - 1) * sum(deviation**2 for deviation in sums.values())) / n
