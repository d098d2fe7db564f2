"""What people's judgements leave of CoMT's samples: descriptions completed in creation's questions, two rechecks."""

from collections.abc import Sequence

from assets.annotation import QUESTION, AnnotationError, Edit, Judgement, by_sample, decisions
from assets.comt import template
from assets.judging import Outcome, Pending, is_discarded, recheck, unused
from assets.schema.sample import Sample

__all__ = ["REASONS", "Outcome", "Pending", "checked", "described", "is_described", "quality", "recheck"]

REASONS = ("discarded_by_annotator", "recheck_1_no", "recheck_2_no", "pending")
"""Why a sample goes no further; `pending` where nobody's judgement decides and the policy is to hold."""


def is_described(sample: Sample) -> bool:
    """Whether the sample's question has a description that people complete: that of creation alone has one."""
    return sample.task == "creation"


def described(sample: Sample, edits: Sequence[Edit], annotator: str | None) -> Sample:
    """The sample with the question that the edits of step 0 give it, and the old one in `before`.

    Its provenance names the annotator, whose name says so where it was no person.

    The latest of several counts; one that changes nothing leaves the sample as it is.

    Source: arXiv:2412.12932, sections 2.1 and C.2: "we supplement the descriptions based on the image content".

    Raises:
        AnnotationError: an edit is of another step, or the sample would no longer hold CoMT's template.
    """
    about = f"quality of {sample.id}"
    if other := [edit.step for edit in edits if edit.step != QUESTION]:
        raise AnnotationError(
            f"{about}: an edit names step {other[0]}: of CoMT's samples the question alone is edited, as step 0"
        )
    question = edits[-1].text.strip() if edits else sample.question
    if question == sample.question:
        return sample
    if not question:
        raise AnnotationError(f"{about}: the edit leaves no question: discard the sample, or write one")
    changed = sample._replace(question=question, before=sample.question)
    if wrong := template.fault(changed):
        raise AnnotationError(
            f"{about}: the edited question breaks the template ({wrong}): mend it, or discard the sample"
        )
    return changed.made(f"description completed by {annotator or 'nobody'}")


def quality(samples: Sequence[Sample], judgements: Sequence[Judgement], *, pending: Pending) -> Outcome:
    """The samples whose description annotators accept, with their edits of the question made.

    Creation alone has a description; samples of other tasks pass, and judgements of this stage on them are unused.
    Half of a sample's annotators discarding is enough to drop it, and the edits are those of the last who accepts.

    Source: arXiv:2412.12932, sections 2.1 (human recheck) and C.2.

    Raises:
        AnnotationError: the edits cannot be made.
    """
    judged = by_sample(judgements, "quality")
    asked = [sample for sample in samples if is_described(sample)]
    found, undecided = [], 0
    for sample in samples:
        given = judged.get(sample.id or "", [])
        if sample.dropped is not None or not is_described(sample):
            pass
        elif not given:
            undecided += 1
            sample = sample.drop("pending") if pending == "hold" else sample
        elif is_discarded(given):
            sample = sample.drop("discarded_by_annotator")
        else:
            accepting = [judgement for judgement in given if judgement.verdict == "accept"]
            sample = described(sample, accepting[-1].edits or (), accepting[-1].annotator)
        found.append(sample)
    entered = sum(sample.dropped is None for sample in asked)
    return Outcome(found, undecided, entered - undecided, unused(asked, judged))


def checked(
    samples: Sequence[Sample], judgements: Sequence[Judgement], *, pending: Pending, needed: int = 2
) -> Outcome:
    """The samples that annotators leave: creation's descriptions completed, then both rechecks of all.

    A sample that any of the three leaves undecided is pending, once.

    Source: arXiv:2412.12932, sections 2.1 and C.2, and appendix B: "only samples in CoMT for which at least two
    annotators agree are accepted".

    Raises:
        AnnotationError: an edit cannot be made.
    """
    completed = quality(samples, judgements, pending=pending)
    outcome = recheck(completed.samples, judgements, pending=pending, needed=needed)
    undecided = outcome.pending
    if pending == "hold":
        undecided += completed.pending
    else:
        # what a recheck leaves undecided is counted there already
        judged = by_sample(judgements, "quality")
        rounds = [decisions(judgements, "recheck", round, needed) for round in (1, 2)]
        undecided += sum(
            sample.dropped is None
            and is_described(sample)
            and sample.id not in judged
            and all(decided.get(sample.id or "") == "yes" for decided in rounds)
            for sample in outcome.samples
        )
    entered = sum(sample.dropped is None for sample in samples)
    return outcome._replace(pending=undecided, decided=entered - undecided, unused=completed.unused + outcome.unused)
