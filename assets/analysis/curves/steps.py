"""Accuracy by the number of reasoning steps: of the sample's gold rationale, and of what the model wrote."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from assets.analysis.entries import Entry
from assets.analysis.rationales import chains
from assets.evaluation import stored
from assets.evaluation.labels import errata
from assets.evaluation.rows import Answer
from assets.models.model import ASSISTANT
from assets.models.replay import MARKERS
from assets.schema.analysis_vocabulary import STEPS_OF
from assets.schema.faults import Fault
from assets.schema.vocabulary import EXTRACTORS
from assets.statistics import wilson

Edition = tuple[str, str]
Named = tuple[str, int, int | None]
"""A range of steps: its name, its fewest, its most (None: open)."""

BINS: tuple[Named, ...] = (
    ("0", 0, 0),
    ("1", 1, 1),
    ("2-3", 2, 3),
    ("4-5", 4, 5),
    ("6-7", 6, 7),
    ("8-9", 8, 9),
    ("10-11", 10, 11),
    ("12-14", 12, 14),
    ("15+", 15, None),
)
"""0 is a sample without a reply, or one whose reply says nothing: so that the bins of an evaluation hold all of it."""

SINGLE_STEP: Named = ("single_step", 0, 1)
MULTI_STEP: Named = ("multi_step", 2, None)
PARTS: tuple[Named, ...] = (SINGLE_STEP, MULTI_STEP)
"""Fewer than two steps, or two or more: what M3CoT tells apart. Source: arXiv:2405.16473, section 3."""


class Written(NamedTuple):
    """The rationales that steps are counted in: gold ones by edition and sample, replies by evaluation and line."""

    gold: Mapping[Edition, Mapping[str, str]]
    replies: Mapping[str, Mapping[int, str]]


def gold(samples: pa.Table) -> dict[str, str]:
    """The rationales of a table `sample` by id: its texts joined by newlines; samples without one are left out."""
    found = {}
    for row in samples.select(["id", "rationale", "dropped"]).to_pylist():
        text = "\n".join(part["text"] or "" for part in row["rationale"] or () if part["kind"] == "text")
        if row["dropped"] is None and text.strip():
            found[row["id"]] = text
    return found


def replies(predictions: pa.Table) -> dict[int, str]:
    """What a model wrote first, by the line of its reply: the whole of a dialogue of one turn, else its rationale.

    A marker of a harness, and the first character of a string that stood where turns are expected, are no rationale:
    they are empty.
    """
    found = {}
    for row in predictions.select(["line", "turns", "status", "dropped"]).to_pylist():
        if row["dropped"] is None:
            said = next((turn["parts"] for turn in row["turns"] or () if turn["role"] == ASSISTANT), ())
            text = "".join(part["text"] or "" for part in said if part["kind"] == "text")
            broken = row["status"] == "error" and len(text) == 1
            found[row["line"]] = "" if broken or text.strip() in MARKERS else text
    return found


def accuracies(
    answers: pa.Table,
    entries: Sequence[Entry],
    written: Written,
    *,
    profile: str,
    labels: Sequence[str],
    level: float,
) -> Iterator[dict[str, Any]]:
    """Rows of table `step_accuracy`: by evaluation, extractor, label set and whose steps; bins, then the two parts.

    Counted answers alone. Of the gold rationale the samples that have one; of the reply every answer, those without a
    reply in bin 0. A bin without a sample is no row; single_step and multi_step always stand. Equal texts are
    segmented once, end tokens taken out first.

    Args:
        answers: table `answer`.
        entries: the evaluations of params.yaml.
        written: the rationales.
        profile: how steps are told apart, as `assets.steps.segment` has it.
        labels: the label sets to score against.
        level: of the Wilson intervals.

    Raises:
        Fault: the answers are older than params.yaml, or than the replies.
    """
    asked = {entry.evaluation: entry for entry in entries}
    counts: dict[str, int] = {}

    def steps(text: str) -> int:
        if text not in counts:
            counts[text] = len(chains.steps(text, profile))
        return counts[text]

    for evaluation, found in sorted(stored.answers_by_evaluation(answers, asked).items()):
        entry = asked[evaluation]
        own = written.replies.get(evaluation, {})
        of_samples = written.gold[entry.benchmark, entry.edition]
        for extractor in EXTRACTORS:
            counted = [answer for answer in found if answer.counted and answer.extractor == extractor]
            if lost := [answer.line for answer in counted if answer.line is not None and answer.line not in own]:
                raise Fault(
                    f"evaluation/answers: {evaluation} has answers to {len(lost)} replies that are not there (such as "
                    f"line {lost[0]}): materialize evaluation/answers"
                )
            numbers: dict[str, list[int | None]] = {
                "rationale": [
                    steps(of_samples[answer.sample_id]) if answer.sample_id in of_samples else None
                    for answer in counted
                ],
                "reply": [0 if answer.line is None else steps(own[answer.line]) for answer in counted],
            }
            for label_set in labels:
                right = _right(counted, errata(label_set, entry.benchmark))
                scored = {"evaluation": evaluation, "extractor": extractor, "labels": label_set}
                for steps_of in STEPS_OF:
                    for row in _binned(numbers[steps_of], right, level):
                        yield {**scored, "steps_of": steps_of, **row}


def _right(answers: Iterable[Answer], changed: Mapping[str, str]) -> list[bool]:
    """Whether each answer is the label's, as the label set has it; of an id that it does not change as recorded."""
    return [
        answer.letter == changed[answer.sample_id] if answer.sample_id in changed else answer.correct
        for answer in answers
    ]


def _binned(numbers: Sequence[int | None], right: Sequence[bool], level: float) -> Iterator[dict[str, Any]]:
    totals: Counter[int] = Counter()
    hits: Counter[int] = Counter()
    for number, hit in zip(numbers, right, strict=True):
        if number is not None:
            totals[number] += 1
            hits[number] += hit
    if not totals:
        return
    for name, least, most in (*BINS, *PARTS):
        within = [number for number in totals if number >= least and (most is None or number <= most)]
        n, correct = sum(totals[number] for number in within), sum(hits[number] for number in within)
        if n == 0 and (name, least, most) not in PARTS:
            continue
        low, high = wilson(correct, n, level) or (None, None)
        yield {
            "bin": name,
            "least": least,
            "most": most,
            "n": n,
            "correct": correct,
            "accuracy": correct / n if n else None,
            "low": low,
            "high": high,
        }


def plot(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One record a bin of an evaluation's replies (strict extractor, released labels), for `dvc plots`."""
    return [
        {"evaluation": row["evaluation"], "steps": row["least"], "accuracy": round(row["accuracy"], 6)}
        for row in curves(rows)
        if row["steps_of"] == "reply"
    ]


def curves(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows that a figure shows: bins under the strict extractor and the released labels."""
    parts = {name for name, _, _ in PARTS}
    return [
        row for row in rows if row["extractor"] == "strict" and row["labels"] == "released" and row["bin"] not in parts
    ]
