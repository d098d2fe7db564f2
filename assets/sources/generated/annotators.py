"""Simulated annotators: judgements on the generated sources, by annotators who err at a set rate.

Nobody judged these. A sample's true state is known where it is drawn and stands in no file; what is written is what
an annotator makes of it.
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

# Share of the samples that a stage has not judged, or not often enough to decide.
PENDING = 0.01
# Rechecking asks less than a first reading: the paper's kappa of 0.85 with few bad samples left needs rare slips.
RECHECK_CARE = 0.12
# Shares of the good samples that turn out bad in the first and in the second recheck, and (not ScienceQA) in quality.
BAD_RECHECK_1, BAD_RECHECK_2, BAD_QUALITY = 0.03, 0.015, 0.02
MOST_ERROR = 0.4
PREFIX = "simulated-"
EXPERTS = 3


class Truth(NamedTuple):
    """What is true of one generated record.

    steps: sentences of its rationale; visual: those, from 1, that state something seen; needed: the picture is needed;
    voted: the first votes judge it (ScienceQA's problems with a picture); edits: what a good annotator mends; flaw:
    the stage at which it ought to go (quality, recheck_1, recheck_2), defect: what was planted in it, so that it
    ought to go earlier, or a quirk that ought not to matter.
    """

    sample_id: str
    steps: int = 0
    visual: tuple[int, ...] = ()
    needed: bool = True
    voted: bool = False
    edits: tuple[tuple[int, str], ...] = ()
    flaw: str | None = None
    defect: str | None = None
    arrives: bool = True


def checked(annotators: Mapping[str, float]) -> dict[str, float]:
    """The annotators by name, with their error rates.

    Raises:
        ValueError: fewer than three, a name that does not say that it is simulated, or a rate out of range.
    """
    if len(annotators) < EXPERTS:
        raise ValueError(f"generated annotators: {len(annotators)} of them cannot vote: name {EXPERTS} or more")
    for name, error in annotators.items():
        if not name.startswith(PREFIX):
            raise ValueError(f"generated annotators: {name!r} reads like a person: name it {PREFIX}…")
        if isinstance(error, bool) or not isinstance(error, int | float) or not 0 <= error <= MOST_ERROR:
            raise ValueError(f"generated annotators: {name} errs at {error!r}: give a number from 0 to {MOST_ERROR:g}")
    return {name: float(annotators[name]) for name in sorted(annotators)}


def judgement_lines(truths: Iterable[Truth], annotators: Mapping[str, float], seed: int) -> list[str]:
    """The lines of the annotation file, stage by stage, samples in their order: one line is one judgement.

    Source: M3CoT sections 3.1, 3.2 and 3.4 and appendix A.2 to A.5 (who judges what, and in which order).
    """
    judged = list(truths)
    experts = checked(annotators)
    flawed = [_flawed(truth, random.Random(f"{seed}/flaw/{truth.sample_id}")) for truth in judged if truth.arrives]
    desk = _Desk(experts, seed)
    lines: list[dict[str, Any]] = []
    arriving: list[Truth] = []
    for truth in flawed:
        if truth.voted:
            lines.extend(desk.first_vote(truth))
        if not truth.voted or desk.outcome("image_needed", 1, truth) != "no":
            arriving.append(truth)
    stepped = []
    for truth in arriving:
        if truth.voted and truth.steps < 2:
            continue
        if truth.voted:
            lines.extend(desk.step_vote(truth))
        if not truth.voted or desk.outcome("image_steps", 1, truth) != "no":
            stepped.append(truth)
    for truth in stepped:
        lines.extend(desk.quality(truth))
    for turn in (1, 2):
        for truth in stepped:
            if turn == 1 or desk.outcome("recheck", 1, truth) != "no":
                lines.extend(desk.recheck(truth, turn))
    for truth in flawed:
        if truth.voted:
            lines.extend(desk.audit(truth))
    return [json.dumps(line, ensure_ascii=False) for line in lines]


class _Desk:
    """Where the experts judge: their verdicts and what came of them."""

    def __init__(self, experts: Mapping[str, float], seed: int) -> None:
        self._experts = experts
        self._seed = seed
        self._verdicts: dict[tuple[str, int, str], list[tuple[str, bool]]] = {}

    def outcome(self, stage: str, turn: int, truth: Truth) -> str:
        """The verdict, yes or no, that two experts and most of them agree on, else pending."""
        votes = [verdict for _, verdict in self._verdicts.get((stage, turn, truth.sample_id), [])]
        ayes = sum(votes)
        if ayes >= 2 and ayes > len(votes) - ayes:
            return "yes"
        return "no" if len(votes) - ayes >= 2 and len(votes) - ayes > ayes else "pending"

    def first_vote(self, truth: Truth) -> Iterator[dict[str, Any]]:
        for name, verdict in self._votes("image_needed", 1, truth, truth.needed, 1.0, list(self._experts)):
            said = "the rationale cannot be derived from the text" if verdict else "the text alone leads to the answer"
            yield _line(truth, "image_needed", 1, name, verdict, (), said)

    def step_vote(self, truth: Truth) -> Iterator[dict[str, Any]]:
        mine = [name for name, verdict in self._verdicts["image_needed", 1, truth.sample_id] if verdict]
        for name, verdict in self._votes("image_steps", 1, truth, len(truth.visual) > 1, 1.0, mine):
            yield _line(
                truth, "image_steps", 1, name, verdict, _seen(truth, verdict), "steps that state something seen"
            )

    def quality(self, truth: Truth) -> Iterator[dict[str, Any]]:
        rng = self._rng("quality", 1, truth.sample_id)
        if rng.random() < PENDING:
            return
        name = rng.choice(list(self._experts))
        good = truth.flaw != "quality"
        slip = rng.random() < self._experts[name] * (RECHECK_CARE if good else 1.0)
        kept = good != slip
        line = _line(truth, "quality", 1, name, kept, (), "sound" if kept else "the rationale does not hold")
        line["verdict"] = "accept" if kept else "discard"
        if kept and truth.edits:
            line["edits"] = [{"step": step, "text": text} for step, text in truth.edits]
            line["note"] = f"{PREFIX[:-1]}: mended a slip of the pen"
        yield line

    def recheck(self, truth: Truth, turn: int) -> Iterator[dict[str, Any]]:
        good = truth.flaw not in {f"recheck_{number}" for number in range(1, turn + 1)}
        for name, verdict in self._votes("recheck", turn, truth, good, RECHECK_CARE, list(self._experts)):
            said = "multi-step, multimodal and coherent" if verdict else "fewer than two steps need the picture"
            yield _line(truth, "recheck", turn, name, verdict, _seen(truth, verdict), said)

    def audit(self, truth: Truth) -> Iterator[dict[str, Any]]:
        for name, verdict in self._votes(
            "audit", 1, truth, truth.needed and len(truth.visual) > 1, 1.0, list(self._experts)
        ):
            said = "two steps or more need the picture" if verdict else "fewer than two steps need the picture"
            yield _line(truth, "audit", 1, name, verdict, _seen(truth, verdict) if truth.steps else (), said)

    def _votes(
        self, stage: str, turn: int, truth: Truth, true: bool, care: float, names: Sequence[str]
    ) -> Iterator[tuple[str, bool]]:
        pending = self._rng(stage, turn, truth.sample_id).random() < PENDING
        votes = []
        for name in names[:1] if pending else names:
            rng = self._rng(f"{stage}/{name}", turn, truth.sample_id)
            votes.append((name, true != (rng.random() < self._experts[name] * care)))
        self._verdicts[stage, turn, truth.sample_id] = votes
        yield from votes

    def _rng(self, what: str, turn: int, sample_id: str) -> random.Random:
        return random.Random(f"{self._seed}/{what}/{turn}/{sample_id}")


def _line(
    truth: Truth, stage: str, turn: int, name: str, verdict: bool, steps: Sequence[int], said: str
) -> dict[str, Any]:
    return {
        "sample_id": truth.sample_id,
        "stage": stage,
        "round": turn,
        "annotator": name,
        "verdict": "yes" if verdict else "no",
        "visual_steps": list(steps),
        "note": f"{PREFIX[:-1]}: {said}",
    }


def _seen(truth: Truth, verdict: bool) -> tuple[int, ...]:
    """The steps that an annotator of this verdict names: two or more with yes, at most one with no."""
    if not verdict:
        return truth.visual[:1]
    return truth.visual if len(truth.visual) > 1 else tuple(range(1, min(truth.steps, 2) + 1))


def _flawed(truth: Truth, rng: random.Random) -> Truth:
    chance = rng.random()
    if truth.flaw or truth.edits:
        return truth
    for share, flaw in ((BAD_RECHECK_1, "recheck_1"), (BAD_RECHECK_2, "recheck_2"), (BAD_QUALITY, "quality")):
        # Flaws of ScienceQA's rationales are written into them.
        if chance < share and not (flaw == "quality" and truth.voted):
            return truth._replace(flaw=flaw)
        chance -= share
    return truth
