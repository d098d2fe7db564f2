"""Two evaluations compared on the samples that both count: exact McNemar and a paired interval, never by overlap."""

from collections.abc import Container, Iterable

from assets.evaluation.labels import errata
from assets.evaluation.rows import Answer, Difference
from assets.evaluation.statistics import mcnemar, paired_interval


def difference(
    answers_a: Iterable[Answer],
    answers_b: Iterable[Answer],
    *,
    a: str,
    b: str,
    extractor: str,
    labels: str = "released",
    level: float = 0.95,
    policy: str | None = None,
    benchmark: str = "m3cot",
    within: Container[str] | None = None,
) -> Difference:
    """How the accuracies of `a` and `b` differ under one extractor, on the samples that both count.

    Of an id that is counted twice (CoMT, policy paper) the first answer stands.

    Args:
        answers_a: what `answers` gives of the first evaluation; other extractors' rows are passed over.
        answers_b: the same of the second.
        a: the first evaluation's name.
        b: the second's.
        extractor: paper or strict.
        labels: the label set to score against.
        level: of the paired interval.
        policy: what the answers were counted by; the extractor's own name when None.
        benchmark: m3cot or comt.
        within: ids to compare on; all when None.

    Raises:
        ValueError: there is no such label set.
    """
    changed = errata(labels, benchmark)
    first = _right(answers_a, extractor, changed)
    second = _right(answers_b, extractor, changed)
    cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for sample_id, right in first.items():
        if sample_id in second and (within is None or sample_id in within):
            cells[right, second[sample_id]] += 1
    both, only_a, only_b, neither = cells.values()
    n = both + only_a + only_b + neither
    key = (a, b, extractor, policy or extractor, labels, n, both, only_a, only_b, neither)
    interval = paired_interval(both, only_a, only_b, neither, level)
    if interval is None:
        return Difference(*key, None, None, None, None)
    return Difference(*key, (only_a - only_b) / n, *interval, mcnemar(only_a, only_b))


def _right(answers: Iterable[Answer], extractor: str, changed: dict[str, str]) -> dict[str, bool]:
    right: dict[str, bool] = {}
    for answer in answers:
        if answer.extractor != extractor or not answer.counted or answer.sample_id in right:
            continue
        label = changed.get(answer.sample_id)
        right[answer.sample_id] = answer.correct if label is None else answer.letter == label
    return right
