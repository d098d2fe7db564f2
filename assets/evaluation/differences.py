"""Two evaluations compared on the samples that both count: exact McNemar and a paired interval, never by overlap."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from assets.evaluation.labels import errata
from assets.evaluation.rows import Answer, Difference, Evaluation
from assets.schema.vocabulary import EXTRACTORS
from assets.statistics import mcnemar, paired_interval


class _Marks(NamedTuple):
    """Which samples an evaluation counts and which of those it has right: a bit a sample, at its place."""

    counted: int
    right: int


def pairs(
    answers: Mapping[str, Sequence[Answer]],
    evaluations: Mapping[str, Evaluation],
    labels: Sequence[str],
    level: float,
) -> Iterator[Difference]:
    """Every two evaluations of one edition and split of a benchmark compared, by name, then by extractor and label set.

    Each row is what `difference` gives of the two; each evaluation's answers are gone through once, not once a pair.
    Of people, of whom several answer a sample, there is no pair.

    Args:
        answers: by evaluation.
        evaluations: what each was asked.
        labels: the label sets to score against.
        level: of the paired intervals.

    Raises:
        ValueError: there is no such label set.
    """
    ways = [(extractor, label_set) for extractor in EXTRACTORS for label_set in labels]
    places: dict[tuple[str, str, str], dict[str, int]] = {}
    marks: dict[tuple[str, str, str], _Marks] = {}
    for name, found in answers.items():
        asked = evaluations[name].asked
        for extractor, label_set in ways:
            marks[name, extractor, label_set] = _marks(
                found, extractor, errata(label_set, asked[0]), places.setdefault(asked, {})
            )
    for a, b in combinations(sorted(name for name in answers if not evaluations[name].several), 2):
        if evaluations[a].asked != evaluations[b].asked:
            continue
        for extractor, label_set in ways:
            yield _compared(
                marks[a, extractor, label_set],
                marks[b, extractor, label_set],
                (a, b, extractor, extractor, label_set),
                level,
            )


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
    places: dict[str, int] = {}
    first = _marks(answers_a, extractor, changed, places, within)
    second = _marks(answers_b, extractor, changed, places, within)
    return _compared(first, second, (a, b, extractor, policy or extractor, labels), level)


def _marks(
    answers: Iterable[Answer],
    extractor: str,
    changed: Mapping[str, str],
    places: dict[str, int],
    within: Container[str] | None = None,
) -> _Marks:
    """The marks of one evaluation; a sample that has no place among `places` gets the next."""
    right: dict[int, bool] = {}
    for answer in answers:
        if answer.extractor != extractor or not answer.counted:
            continue
        if within is not None and answer.sample_id not in within:
            continue
        place = places.setdefault(answer.sample_id, len(places))
        if place not in right:
            label = changed.get(answer.sample_id)
            right[place] = answer.correct if label is None else answer.letter == label
    return _Marks(_bits(right), _bits(place for place, hit in right.items() if hit))


def _bits(places: Iterable[int]) -> int:
    marks = bytearray()
    for place in places:
        byte, bit = divmod(place, 8)
        if byte >= len(marks):
            marks.extend(bytes(byte + 1 - len(marks)))
        marks[byte] |= 1 << bit
    return int.from_bytes(marks, "little")


def _compared(first: _Marks, second: _Marks, key: tuple[str, str, str, str, str], level: float) -> Difference:
    common = first.counted & second.counted
    n = common.bit_count()
    both = (first.right & second.right).bit_count()
    only_a = (first.right & common).bit_count() - both
    only_b = (second.right & common).bit_count() - both
    neither = n - both - only_a - only_b
    interval = paired_interval(both, only_a, only_b, neither, level)
    low, high = interval or (None, None)
    a, b, extractor, policy, labels = key
    return Difference(
        a=a,
        b=b,
        extractor=extractor,
        policy=policy,
        labels=labels,
        n=n,
        both=both,
        only_a=only_a,
        only_b=only_b,
        neither=neither,
        difference=(only_a - only_b) / n if n else None,
        low=low,
        high=high,
        p=mcnemar(only_a, only_b) if n else None,
    )
