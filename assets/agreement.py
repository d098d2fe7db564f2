"""How far annotators agree: Cohen's and Fleiss' kappa by stage and round, and the onboarding test."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from assets.annotation import STAGES, Judgement

PUBLISHED = {"m3cot": {"recheck": 0.85}, "comt": {"recheck": 0.93}}
"""Kappa between annotators, by benchmark and stage; which kappa it is, neither paper says.

Source: arXiv:2405.16473, section 3.4, and arXiv:2412.12932, appendix B.
"""

PASSING = {"m3cot": 0.8, "comt": 0.85}
"""The share of an onboarding test that is to be right, by benchmark.

Source: arXiv:2405.16473, section 3.4, and arXiv:2412.12932, appendix B.
"""


class Agreement(NamedTuple):
    """Table `agreement`, column by column."""

    stage: str
    round: int
    measure: str
    a: str | None
    b: str | None
    annotators: int
    n: int
    observed: float | None
    kappa: float | None
    published: float | None


class Onboarding(NamedTuple):
    """How one annotator did on samples whose verdicts are known; share is null when none was judged."""

    n: int
    right: int
    share: float | None
    passed: bool


def agreement(judgements: Iterable[Judgement], benchmark: str = "m3cot") -> list[Agreement]:
    """For each stage and round: Fleiss over the samples that all its annotators judged, Cohen for each pair.

    A pair is compared on the samples that both judged; pairs without one are left out, and a stage with one
    annotator says nothing. Rows that were dropped do not count. `published` is what the benchmark's paper says.
    """
    turns: dict[tuple[int, int], dict[str, dict[str, str]]] = {}
    for judgement in judgements:
        if judgement.dropped is None:
            turn = STAGES.index(str(judgement.stage)), int(judgement.round or 1)
            by_annotator = turns.setdefault(turn, {})
            by_annotator.setdefault(str(judgement.annotator), {})[str(judgement.sample_id)] = str(judgement.verdict)
    rows = []
    for (place, round), by_annotator in sorted(turns.items()):
        stage, annotators = STAGES[place], sorted(by_annotator)
        if len(annotators) < 2:
            continue
        judged = [by_annotator[annotator] for annotator in annotators]
        shared = sorted(set(judged[0]).intersection(*judged[1:]))
        observed, kappa = fleiss([[verdicts[sample] for verdicts in judged] for sample in shared])
        published = PUBLISHED[benchmark].get(stage)
        rows.append(
            Agreement(stage, round, "fleiss", None, None, len(annotators), len(shared), observed, kappa, published)
        )
        for a, b in combinations(annotators, 2):
            both = sorted(by_annotator[a].keys() & by_annotator[b].keys())
            if both:
                observed, kappa = cohen([(by_annotator[a][sample], by_annotator[b][sample]) for sample in both])
                rows.append(Agreement(stage, round, "cohen", a, b, 2, len(both), observed, kappa, None))
    return rows


def cohen(pairs: Sequence[tuple[str, str]]) -> tuple[float | None, float | None]:
    """The observed agreement of two annotators and Cohen's kappa, from both verdicts of each sample.

    Both null without samples; kappa null when chance alone would agree fully.

    Source: J. Cohen, Educational and Psychological Measurement 20 (1960) 37-46.
    """
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    same, n = sum(a == b for a, b in pairs), len(pairs)
    return _beyond_chance(same, n, sum(count * second[verdict] for verdict, count in first.items()), n * n)


def fleiss(samples: Sequence[Sequence[str]]) -> tuple[float | None, float | None]:
    """The observed agreement of several annotators and Fleiss' kappa, from all verdicts of each sample.

    observed is the mean share of agreeing pairs. Both null without samples; kappa null when chance alone would
    agree fully. Every sample has as many verdicts, two or more.

    Source: J. L. Fleiss, Psychological Bulletin 76 (1971) 378-382.
    """
    if not samples:
        return None, None
    each = len(samples[0])
    same = sum(count * (count - 1) for verdicts in samples for count in Counter(verdicts).values())
    totals = Counter(verdict for verdicts in samples for verdict in verdicts)
    marks = len(samples) * each
    return _beyond_chance(same, marks * (each - 1), sum(count * count for count in totals.values()), marks * marks)


def onboarding(
    reference: Mapping[str, str], given: Iterable[Judgement], samples: int = 100, share: float = PASSING["m3cot"]
) -> Onboarding:
    """How one annotator's judgements compare with the verdicts of experts.

    Passed with `samples` of the reference judged or more, and `share` of those judged right or more; of a sample
    judged twice the later judgement counts, and samples that are not in the reference do not.

    Source: arXiv:2405.16473, section 3.4: 100 samples, 80 %; arXiv:2412.12932, appendix B: 100 samples, 85 %.
    """
    verdicts = {str(judgement.sample_id): judgement.verdict for judgement in given if judgement.dropped is None}
    judged = [sample for sample in reference if sample in verdicts]
    right = sum(verdicts[sample] == reference[sample] for sample in judged)
    reached = right / len(judged) if judged else None
    return Onboarding(len(judged), right, reached, reached is not None and len(judged) >= samples and reached >= share)


def _beyond_chance(same: int, n: int, by_chance: int, of: int) -> tuple[float | None, float | None]:
    """The share that agrees, and how much of what chance (by_chance / of) leaves over it is; divided at the end."""
    if n == 0:
        return None, None
    if by_chance == of:
        return same / n, None
    return same / n, (same * of - by_chance * n) / (n * (of - by_chance))
