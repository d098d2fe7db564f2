"""What judgements leave of the samples of either benchmark: how far people got, discards, and the two rechecks."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from assets.annotation import Judgement, by_sample, decisions
from assets.schema.sample import Sample

Pending = Literal["accept", "hold"]
"""What becomes of samples that too few annotators agree on: they go on, or they are dropped as `pending`."""


class Outcome(NamedTuple):
    """The samples in their order, those that go no further dropped, and how far people got.

    pending: samples without a decision, kept or held. decided: samples with one. unused: judgements of this stage
    on samples that are not among those given. second_discarded: of the samples that the second recheck decided, the
    share it dropped; null at other stages and when it decided none.
    """

    samples: list[Sample]
    pending: int
    decided: int
    unused: int
    second_discarded: float | None = None


def is_discarded(given: Sequence[Judgement]) -> bool:
    """Whether the annotators of a sample discard it at stage quality: half of them is enough."""
    return 2 * sum(judgement.verdict == "accept" for judgement in given) <= len(given)


def recheck(
    samples: Sequence[Sample], judgements: Sequence[Judgement], *, pending: Pending, needed: int = 2
) -> Outcome:
    """The samples that pass both rechecks, as `needed` annotators agree.

    M3CoT asks whether a sample is multi-step, multimodal and coherent, CoMT whether it holds multimodal thought and
    is coherent. What the first round drops, the second does not look at. A sample that either round leaves undecided
    is pending.

    Source: arXiv:2405.16473, sections 3.4 (human recheck) and A.5.2; "in the second round, the sample discard rate is
    less than 5%". arXiv:2412.12932, appendix B: "recheck all data twice".
    """
    rounds = {round: decisions(judgements, "recheck", round, needed) for round in (1, 2)}
    found, undecided, entered, second = [], 0, 0, {"yes": 0, "no": 0, "pending": 0}
    for sample in samples:
        if sample.dropped is None:
            entered += 1
            first, again = (rounds[round].get(sample.id or "", "pending") for round in (1, 2))
            held = pending == "hold" and first == "pending"
            if first != "no" and not held:
                second[again] += 1
            if first == "no":
                sample = sample.drop("recheck_1_no")
            elif again == "no" and not held:
                sample = sample.drop("recheck_2_no")
            elif "pending" in (first, again):
                undecided += 1
                sample = sample.drop("pending") if pending == "hold" else sample
        found.append(sample)
    left_over = sum(unused(samples, by_sample(judgements, "recheck", round)) for round in (1, 2))
    looked_at = second["yes"] + second["no"]
    return Outcome(found, undecided, entered - undecided, left_over, second["no"] / looked_at if looked_at else None)


def unused(samples: Sequence[Sample], judged: Mapping[str, Sequence[Judgement]]) -> int:
    """How many judgements are on none of these samples."""
    known = {sample.id for sample in samples}
    return sum(len(given) for sample, given in judged.items() if sample not in known)
