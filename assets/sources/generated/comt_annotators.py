"""Simulated annotators of CoMT: what they mend in the questions of creation, and how they recheck all tasks twice.

Nobody judged these. What is true of a sample is known where it is drawn and stands in no file.
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assets.sources.generated.annotators import EXPERTS, PENDING, PREFIX, Truth, checked

# Rechecking asks less than a first reading: the paper's kappa of 0.93 with few bad samples needs rare slips.
CARE = 0.04
# Shares of the samples that turn out bad in the first and in the second recheck, and (creation) in quality.
BAD_RECHECK_1, BAD_RECHECK_2, BAD_QUALITY = 0.04, 0.03, 0.02
MENDED = ("geoqa-",)


def judgement_lines(truths: Iterable[Truth], annotators: Mapping[str, float], seed: int) -> list[str]:
    """The lines of the annotation file, stage by stage, samples in their order: one line is one judgement.

    Creation is judged for quality by one annotator, who completes the question where it lacks what the picture shows;
    then every sample that is left is rechecked by all, and once more where the first time did not rule it out.

    Raises:
        ValueError: an annotator that cannot be used.

    Source: arXiv:2412.12932, section 2.1, C.2 (creation's questions are completed) and B (two rechecks, two agree).
    """
    experts = checked(annotators)
    judged = [_flawed(truth, seed) for truth in truths if truth.arrives]
    lines: list[dict[str, Any]] = []
    left = []
    for truth in judged:
        verdict = "accept"
        if truth.sample_id.startswith(MENDED):
            for line in _quality(truth, experts, seed):
                lines.append(line)
                verdict = line["verdict"]
        if verdict == "accept":
            left.append(truth)
    for turn in (1, 2):
        going_on = []
        for truth in left:
            votes = list(_recheck(truth, turn, experts, seed))
            lines.extend(votes)
            if sum(line["verdict"] == "no" for line in votes) < EXPERTS - 1:
                going_on.append(truth)
        left = going_on
    return [json.dumps(line, ensure_ascii=False) for line in lines]


def _quality(truth: Truth, experts: Mapping[str, float], seed: int) -> Iterator[dict[str, Any]]:
    rng = random.Random(f"{seed}/comt quality/{truth.sample_id}")
    if rng.random() < PENDING:
        return
    name = rng.choice(list(experts))
    good = truth.flaw != "quality"
    slip = rng.random() < experts[name] * (CARE if good else 1.0)
    if good == slip:
        yield _line(truth, "quality", 1, name, "discard", "the question does not describe the picture")
    elif truth.edits:
        line = _line(truth, "quality", 1, name, "accept", "the question lacked what the picture shows")
        yield line | {"edits": [{"step": step, "text": text} for step, text in truth.edits]}
    else:
        yield _line(truth, "quality", 1, name, "accept", "the question describes the picture")


def _recheck(truth: Truth, turn: int, experts: Mapping[str, float], seed: int) -> Iterator[dict[str, Any]]:
    good = truth.flaw not in {f"recheck_{number}" for number in range(1, turn + 1)}
    pending = random.Random(f"{seed}/comt pending/{turn}/{truth.sample_id}").random() < PENDING
    for name in list(experts)[:1] if pending else experts:
        slip = random.Random(f"{seed}/comt recheck/{name}/{turn}/{truth.sample_id}").random() < experts[name] * CARE
        if good != slip:
            yield _line(truth, "recheck", turn, name, "yes", "thought in pictures, and coherent")
        else:
            yield _line(truth, "recheck", turn, name, "no", "a picture does not show what its step says")


def _line(truth: Truth, stage: str, turn: int, name: str, verdict: str, said: str) -> dict[str, Any]:
    return {
        "sample_id": truth.sample_id,
        "stage": stage,
        "round": turn,
        "annotator": name,
        "verdict": verdict,
        "visual_steps": [],
        "note": f"{PREFIX[:-1]}: {said}",
    }


def _flawed(truth: Truth, seed: int) -> Truth:
    if truth.flaw:
        return truth
    chance = random.Random(f"{seed}/comt flaw/{truth.sample_id}").random()
    for share, flaw in ((BAD_RECHECK_1, "recheck_1"), (BAD_RECHECK_2, "recheck_2"), (BAD_QUALITY, "quality")):
        if chance < share and (flaw != "quality" or truth.sample_id.startswith(MENDED)):
            return truth._replace(flaw=flaw)
        chance -= share
    return truth
