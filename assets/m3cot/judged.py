"""What people's judgements leave of the samples: picture needed, several picture steps, quality, rechecks, audit."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from assets.annotation import Judgement, by_sample, decide, decisions, edited
from assets.judging import Outcome, Pending, is_discarded, recheck, unused
from assets.schema.sample import Sample
from assets.statistics import wilson
from assets.steps import segment

__all__ = [
    "PUBLISHED",
    "REASONS",
    "Audit",
    "Audited",
    "Outcome",
    "Pending",
    "audit",
    "drop_short",
    "image_needed",
    "multistep",
    "quality",
    "recheck",
]

REASONS = (
    "no_image",
    "choice_images_only",
    "image_not_needed",
    "too_few_steps",
    "too_few_image_steps",
    "discarded_by_annotator",
    "recheck_1_no",
    "recheck_2_no",
    "pending",
)
"""Why a sample goes no further; `pending` where nobody's judgement decides and the policy is to hold."""

PUBLISHED = {"scienceqa": 0.08, "vcr": 0.04, "a-okvqa": 0.21, "ki-vqa": 0.17, "mmmu": 0.08}
"""Share of multi-step multimodal questions, by audit. Source: arXiv:2405.16473, figure 2 (b), all approximate."""


class Audited(NamedTuple):
    """Table `audit`, column by column."""

    source: str
    population: int
    sampled: int
    judged: int
    multimodal: int
    share: float | None
    low: float | None
    high: float | None
    published: float | None


class Audit(NamedTuple):
    """The ids of the samples that were drawn, and a row a source and for all together."""

    drawn: tuple[str, ...]
    rows: list[Audited]


def image_needed(
    samples: Sequence[Sample], judgements: Sequence[Judgement], *, pending: Pending, needed: int = 2
) -> Outcome:
    """The samples whose picture is needed to derive the rationale, as `needed` annotators agree.

    Source: sections 3.1 and A.2; "removes at least 30 %" of ScienceQA's samples with a picture.
    """

    def at_once(sample: Sample) -> str | None:
        if sample.images:
            return None
        return "choice_images_only" if sample.choice_images else "no_image"

    return _voted(samples, judgements, "image_needed", "image_not_needed", at_once, pending, needed)


def multistep(
    samples: Sequence[Sample],
    judgements: Sequence[Judgement],
    *,
    steps_profile: str,
    least_steps: int = 2,
    pending: Pending,
    needed: int = 2,
) -> Outcome:
    """The samples with two reasoning steps or more that need the picture in two of them or more.

    Source: sections 3.2 and A.3: first by counting steps, then by people.
    """

    def at_once(sample: Sample) -> str | None:
        return "too_few_steps" if len(segment(sample.text, steps_profile)) < least_steps else None

    return _voted(samples, judgements, "image_steps", "too_few_image_steps", at_once, pending, needed)


def drop_short(samples: Iterable[Sample], *, steps_profile: str, least_steps: int = 2) -> list[Sample]:
    """The samples, those whose rationale has fewer steps than `least_steps` dropped as `too_few_steps`."""
    return [
        sample.drop("too_few_steps")
        if sample.dropped is None and len(segment(sample.text, steps_profile)) < least_steps
        else sample
        for sample in samples
    ]


def quality(
    samples: Sequence[Sample], judgements: Sequence[Judgement], *, steps_profile: str, pending: Pending
) -> Outcome:
    """The samples whose rationale annotators accept, with their edits made and the old text in `before`.

    The paper has one annotator a sample. Where there are more, half of them discarding is enough to drop it, and
    the edits are those of the last who accepts. Steps are numbered by `steps_profile`; an edited rationale is its
    steps, one a line, and one that nobody edits keeps its text to the character.

    Source: sections 3.4 (human annotation) and A.5.1.

    Raises:
        AnnotationError: an edit names a step that is not there, or the edits leave none.
    """
    judged = by_sample(judgements, "quality")
    found, undecided = [], 0
    for sample in samples:
        given = judged.get(sample.id or "", [])
        accepting = [judgement for judgement in given if judgement.verdict == "accept"]
        if sample.dropped is not None:
            pass
        elif not given:
            undecided += 1
            sample = sample.drop("pending") if pending == "hold" else sample
        elif is_discarded(given):
            sample = sample.drop("discarded_by_annotator")
        elif edits := accepting[-1].edits:
            old = segment(sample.text, steps_profile)
            new = edited(old, edits, f"quality of {sample.id}")
            if new != old:
                sample = sample._replace(before=sample.text).with_text("\n".join(new)).made("edited by annotator")
        found.append(sample)
    entered = sum(sample.dropped is None for sample in samples)
    return Outcome(found, undecided, entered - undecided, unused(samples, judged))


def audit(
    samples: Sequence[Sample],
    judgements: Sequence[Judgement],
    *,
    fraction: float = 0.2,
    seed: int,
    needed: int = 2,
    level: float = 0.95,
) -> Audit:
    """How many of each source's questions are multi-step and multimodal, judged on a stratified draw of them.

    Drawn from the samples with a picture and a rationale, the dropped ones included, `fraction` of each source, in
    proportion to its topics (categories where it has no topic) by largest remainder. `all` is the sources' draws
    together.

    Source: section A.1: "a stratified random sample consisting of 20% of the dataset".
    """
    population: dict[str, dict[str, list[str]]] = {}
    for sample in samples:
        if sample.id is not None and sample.images and sample.text.strip():
            strata = population.setdefault(sample.source, {})
            strata.setdefault(sample.topic or sample.category or "", []).append(sample.id)
    decided = decisions(judgements, "audit", needed=needed)
    drawn: list[str] = []
    counts: list[tuple[str, int, list[str]]] = []
    for source, strata in sorted(population.items()):
        mine = _draw(source, strata, fraction, seed)
        counts.append((source, sum(map(len, strata.values())), mine))
        drawn += mine
    counts.append(("all", sum(n for _, n, _ in counts), drawn))
    return Audit(tuple(drawn), [_audited(*count, decided, level) for count in counts])


def _draw(source: str, strata: dict[str, list[str]], fraction: float, seed: int) -> list[str]:
    total = sum(map(len, strata.values()))
    wanted = int(fraction * total + 0.5)
    exact = {name: wanted * len(ids) / total for name, ids in sorted(strata.items())}
    shares = {name: int(share) for name, share in exact.items()}
    # the sort is stable: equal remainders go to the stratum that comes first by name
    by_remainder = sorted(exact, key=lambda name: shares[name] - exact[name])
    for name in by_remainder[: wanted - sum(shares.values())]:
        shares[name] += 1
    drawn: list[str] = []
    for name, share in shares.items():
        rng = random.Random(f"{seed}/{source}/{name}")
        drawn += rng.sample(sorted(strata[name]), share)
    return sorted(drawn)


def _audited(source: str, population: int, drawn: list[str], decided: dict[str, str], level: float) -> Audited:
    verdicts = [decided.get(sample) for sample in drawn]
    multimodal = verdicts.count("yes")
    judged = multimodal + verdicts.count("no")
    low, high = wilson(multimodal, judged, level) or (None, None)
    share = multimodal / judged if judged else None
    return Audited(source, population, len(drawn), judged, multimodal, share, low, high, PUBLISHED.get(source))


def _voted(
    samples: Sequence[Sample],
    judgements: Sequence[Judgement],
    stage: str,
    reason: str,
    at_once: Callable[[Sample], str | None],
    pending: Pending,
    needed: int,
) -> Outcome:
    """The samples of one stage: dropped at once by rule, dropped by decision, or pending."""
    judged = by_sample(judgements, stage)
    found, undecided, decided = [], 0, 0
    for sample in samples:
        if sample.dropped is None:
            decision = decide(judged.get(sample.id or "", ()), needed)
            if rule := at_once(sample):
                sample = sample.drop(rule)
            elif decision == "pending":
                undecided += 1
                sample = sample.drop("pending") if pending == "hold" else sample
            else:
                decided += 1
                sample = sample.drop(reason) if decision == "no" else sample
        found.append(sample)
    return Outcome(found, undecided, decided, unused(samples, judged))
