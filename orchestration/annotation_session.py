"""What one stage asks of its annotators: who sees which sample next, what is saved of it, how far all have got."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from assets import agreement as agreeing
from assets.analysis.drawn.drawn import agreed
from assets.annotation import (
    LONGEST_EDITS,
    LONGEST_NAME,
    LONGEST_NOTE,
    QUESTION,
    VERDICTS,
    AnnotationError,
    Edit,
    Judgement,
    Log,
    by_sample,
    decide,
    edited,
)
from assets.comt import judged as comt_judged
from assets.schema.sample import Sample
from assets.steps import segment

MARKED = ("image_steps", "recheck", "audit")
"""Stages of M3CoT that ask which steps state something seen."""

EDITED = ("quality",)
"""Stages in which texts are edited, and whose picture may be seen before a judgement (M3CoT, section A.5.1)."""

SCORED = ("picture_quality",)
"""Stages that judge what a model replied, by a score, and not a sample."""

ONBOARDING_SAMPLES = 100
"""Source: arXiv:2405.16473, section 3.4, and arXiv:2412.12932, appendix B."""

LONGEST_SITTING = 86_400.0
"""Seconds: a sample that was open for longer was left open, and its time says nothing."""

_FIRST = re.compile(r"\[text alone: ([a-z]+)\](?: |$)")


class Entry(NamedTuple):
    """What the page sends: the judgement as it stands there.

    annotator: None where the page does not know one. first: the verdict on the text alone, before the picture was
    shown; None where there was none. texts: the steps as they stand in their boxes, by number from 1; the number after
    the last adds one; 0 is CoMT's question. shown: the picture is seen. warned: the page shows why it was not saved a
    moment ago.
    """

    annotator: str | None = None
    sample_id: str = ""
    verdict: str | None = None
    first: str | None = None
    visual_steps: tuple[int, ...] = ()
    texts: tuple[Edit, ...] = ()
    note: str = ""
    seconds: float | None = None
    shown: bool = False
    warned: bool = False


class Progress(NamedTuple):
    """How far the annotators of a stage have got.

    others: judged samples by annotator. kappas: with whom (`all` is Fleiss' over all annotators, a name Cohen's with
    them), kappa, and the samples that it rests on. pending: samples that judgements do not decide yet.
    """

    total: int
    mine: int
    others: dict[str, int]
    kappas: list[tuple[str, float | None, int]]
    pending: int


class Desk:
    """The samples of one stage and round, and what has been said of them."""

    def __init__(
        self,
        stage: str,
        samples: Iterable[Sample],
        *,
        steps_profile: str,
        judgements: Callable[[str], Iterable[Judgement]],
        log: Callable[[str], Log],
        round: int = 1,
        needed: int = 2,
        reference: Mapping[str, str] | None = None,
        benchmark: str = "m3cot",
    ) -> None:
        """Take the samples that enter the stage.

        Args:
            stage: its name.
            samples: what is judged; shown in the order of their ids.
            steps_profile: how rationales are divided into steps.
            judgements: what has been judged, as an annotator may know it, anew at each call.
            log: where an annotator's judgements are written.
            round: 2 for the second recheck.
            needed: annotators who have to agree for a decision.
            reference: experts' verdicts by sample id: the stage is an onboarding test on these.
            benchmark: whose samples they are, m3cot or comt.
        """
        self.benchmark, self.profile = benchmark, steps_profile
        self.stage, self.round, self.needed, self.reference = stage, round, needed, reference
        self.samples = {sample.id: sample for sample in sorted(samples, key=_place) if sample.id is not None}
        self._judgements, self._log = judgements, log

    @property
    def marks(self) -> bool:
        """Whether steps that state something seen are ticked."""
        return self.benchmark == "m3cot" and self.stage in MARKED

    @property
    def edits(self) -> bool:
        """Whether the texts may be changed: M3CoT's steps, CoMT's question."""
        return self.stage in EDITED

    @property
    def scores(self) -> bool:
        """Whether a reply of a model is judged, by a score."""
        return self.stage in SCORED

    @property
    def masks(self) -> bool:
        """Whether the text is judged before the picture is seen; CoMT's pictures are part of what is read."""
        return self.benchmark == "m3cot"

    @property
    def passing(self) -> float:
        """The share of an onboarding test that is to be right."""
        return agreeing.PASSING[self.benchmark]

    def steps(self, sample: Sample) -> list[str]:
        """The steps of the sample's rationale, as they are shown and numbered."""
        return segment(sample.text, self.profile)

    def mine(self, annotator: str) -> dict[str, Judgement]:
        """What the annotator has said of these samples, the latest last."""
        return {
            str(row.sample_id): row
            for row in self._judgements(annotator)
            if row.dropped is None
            and (row.stage, row.round, row.annotator) == (self.stage, self.round, annotator)
            and row.sample_id in self.samples
        }

    def next(self, annotator: str) -> Sample | None:
        """The first sample that the annotator has not judged; None when there is none left."""
        judged = self.mine(annotator)
        return next((sample for key, sample in self.samples.items() if key not in judged), None)

    def back(self, annotator: str, shown: str) -> tuple[Sample, Judgement] | None:
        """The sample that the annotator judged before the one that is shown, with what was said; None at the start."""
        judged = self.mine(annotator)
        order = list(judged)
        place = order.index(shown) if shown in judged else len(order)
        return None if place == 0 else (self.samples[order[place - 1]], judged[order[place - 1]])

    def progress(self, annotator: str) -> Progress:
        """How far this annotator and the others have got."""
        rows = [
            row
            for row in self._judgements(annotator)
            if row.sample_id in self.samples and (row.stage, row.round) == (self.stage, self.round)
        ]
        judged = by_sample(rows, self.stage, self.round)
        counts = Counter(str(row.annotator) for given in judged.values() for row in given)
        decided = sum(is_decided(self.stage, given, self.needed) for given in judged.values())
        kappas = [
            ("all" if row.measure == "fleiss" else str(row.b if row.a == annotator else row.a), row.kappa, row.n)
            for row in agreeing.agreement(rows)
            if row.measure == "fleiss" or annotator in (row.a, row.b)
        ]
        mine = counts.pop(annotator, 0)
        return Progress(len(self.samples), mine, dict(sorted(counts.items())), kappas, len(self.samples) - decided)

    def outcome(self, annotator: str) -> agreeing.Onboarding | None:
        """How the annotator does against the experts; None when this is no onboarding test."""
        if self.reference is None:
            return None
        return agreeing.onboarding(self.reference, self.mine(annotator).values(), len(self.samples), share=self.passing)

    def save(self, entry: Entry, at: str) -> None:
        """Write the judgement to the log; it is on the disk when this returns.

        Raises:
            AnnotationError: something is missing or cannot be; the sentence says what to do.
        """
        record = self.record(entry, at)
        self._log(record["annotator"]).append(record)

    def record(self, entry: Entry, at: str) -> dict[str, Any]:
        """The line of the log that this entry becomes.

        Raises:
            AnnotationError: something is missing or cannot be; the sentence says what to do.
        """
        sample = self.samples.get(entry.sample_id)
        if sample is None:
            raise AnnotationError(f"{entry.sample_id[:80]!r} is no sample of this stage: reload the page")
        if not entry.shown:
            raise AnnotationError("See the picture before you save.")
        if entry.verdict not in VERDICTS[self.stage]:
            raise AnnotationError(f"Choose a verdict first: {', '.join(VERDICTS[self.stage])}.")
        record: dict[str, Any] = {
            "sample_id": entry.sample_id,
            "stage": self.stage,
            "round": self.round,
            "annotator": named(entry.annotator),
            "verdict": entry.verdict,
        }
        if self.marks:
            record["visual_steps"] = self._ticked(entry, len(self.steps(sample)))
        if self.edits and (changed := self._changed(sample, entry)):
            if entry.verdict == "accept":
                check_edits(self.benchmark, sample, changed, self.profile)
            if sum(len(edit.text) for edit in changed) > LONGEST_EDITS:
                raise AnnotationError(f"The changed steps are longer than {LONGEST_EDITS} characters: shorten them.")
            record["edits"] = [edit._asdict() for edit in changed]
        if note := with_first(entry.note.strip(), entry.first, entry.verdict):
            if len(note) > LONGEST_NOTE:
                raise AnnotationError(f"The note is longer than {LONGEST_NOTE} characters: shorten it.")
            record["note"] = note
        record["at"] = at
        if entry.seconds is not None and 0 <= entry.seconds <= LONGEST_SITTING:
            record["seconds"] = round(entry.seconds, 1)
        return record

    def _changed(self, sample: Sample, entry: Entry) -> list[Edit]:
        if self.benchmark == "comt":
            return _changes({QUESTION: sample.question or ""}, entry.texts)
        return changes(self.steps(sample), entry.texts)

    def _ticked(self, entry: Entry, steps: int) -> list[int]:
        ticked = sorted(set(entry.visual_steps))
        if ticked and not 1 <= ticked[0] <= ticked[-1] <= steps:
            raise AnnotationError(f"The rationale has {steps} steps: tick some of these, or reload the page.")
        # Not refused for good: a rationale may be divided so badly that one step holds two that need the picture.
        if entry.verdict == "yes" and len(ticked) < 2 and not entry.warned:
            raise AnnotationError("Yes says two steps or more: tick those that need the picture, or save again as is.")
        return ticked


def entry_of(payload: str) -> Entry:
    """The entry in the JSON that the page sends; what it lacks is left out, what is of another kind refused.

    Raises:
        AnnotationError: it is not what the page sends.
    """
    try:
        sent = json.loads(payload or "{}")
        annotator, sample_id, verdict, first = (sent.get(name) for name in ("annotator", "sample", "verdict", "first"))
        seconds = sent.get("seconds")
        return Entry(
            None if annotator is None else str(annotator).strip(),
            str(sample_id or ""),
            None if verdict is None else str(verdict),
            None if first is None else str(first),
            tuple(int(step) for step in sent.get("steps", ())),
            tuple(Edit(int(step), str(text)) for step, text in sent.get("texts", ())),
            str(sent.get("note") or ""),
            None if seconds is None else float(seconds),
            sent.get("shown") is True,
            sent.get("warned") is True,
        )
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise AnnotationError("The page sent something that is no judgement: reload it.") from None


def is_decided(stage: str, given: Sequence[Judgement], needed: int) -> bool:
    """Whether the judgements of one sample decide what becomes of it; of quality one is enough (section 3.4)."""
    if stage in SCORED:
        return agreed(given, needed) is not None
    return bool(given) if stage in EDITED else decide(given, needed) != "pending"


def named(annotator: str | None) -> str:
    """The annotator's name as it is written.

    Raises:
        AnnotationError: it is empty, too long, or holds what is no text.
    """
    name = (annotator or "").strip()
    if not name:
        raise AnnotationError("Say who judges: write your name.")
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise AnnotationError(f"A name has at most {LONGEST_NAME} characters, all of them printable: choose another.")
    return name


def changes(steps: Sequence[str], texts: Iterable[Edit]) -> list[Edit]:
    """The edits that turn the steps as they were shown into the texts as they stand; none where nothing changed.

    An emptied step is removed; the number after the last step adds one, unless it is empty.

    Raises:
        AnnotationError: a text has the number of no step.
    """
    given = list(texts)
    if beyond := [step for step, _ in given if not 1 <= step <= len(steps) + 1]:
        raise AnnotationError(f"The rationale has {len(steps)} steps, and step {beyond[0]} is none: reload the page.")
    return _changes(dict(enumerate([*steps, ""], start=1)), given)


def check_edits(benchmark: str, sample: Sample, edits: Sequence[Edit], profile: str) -> None:
    """Make the edits of one sample, to see whether they can be made.

    Raises:
        AnnotationError: they cannot.
    """
    if benchmark == "comt":
        comt_judged.described(sample, edits, None)
    else:
        edited(segment(sample.text, profile), edits, str(sample.id))


def with_first(note: str, first: str | None, verdict: str | None) -> str:
    """The note, after what was said of the text alone where that was another verdict."""
    return note if first is None or first == verdict else f"[text alone: {first}] {note}".rstrip()


def without_first(note: str | None) -> tuple[str | None, str]:
    """What a saved note says of the text alone, and the rest of it."""
    found = _FIRST.match(note or "")
    return (found[1], (note or "")[found.end() :]) if found else (None, note or "")


def expected(judgements: Iterable[Judgement], stage: str, round: int = 1) -> dict[str, str]:
    """The verdict that most experts give of each sample at a stage; samples on which they are divided are left out."""
    found = {}
    for sample, given in by_sample(judgements, stage, round).items():
        (first, most), *others = Counter(str(row.verdict) for row in given).most_common()
        if not others or others[0][1] < most:
            found[sample] = first
    return found


def onboarding_ids(reference: Mapping[str, str], known: Iterable[str], samples: int = ONBOARDING_SAMPLES) -> list[str]:
    """The samples of an onboarding test: of those with an expected verdict a seeded draw, the same for everybody."""
    both = sorted(reference.keys() & set(known))
    return both if len(both) <= samples else random.Random(0).sample(both, samples)


def _place(sample: Sample) -> list[tuple[int, str]]:
    """Where a sample stands in the queue: by id, numbers in it by their value."""
    parts = re.findall(r"\d+|\D+", sample.id or "")
    return [(int(part), "") if part.isascii() and part.isdigit() and len(part) < 19 else (-1, part) for part in parts]


def _changes(shown: Mapping[int, str], texts: Iterable[Edit]) -> list[Edit]:
    found = []
    for step, text in texts:
        if step not in shown:
            raise AnnotationError(f"The page shows no step {step} to edit: reload it.")
        if _as_in_a_box(text) != _as_in_a_box(shown[step]):
            found.append(Edit(step, text.strip()))
    return sorted(found, key=lambda edit: edit.step)


def _as_in_a_box(text: str) -> str:
    """The text as a browser's text box gives it back."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "�").strip()
