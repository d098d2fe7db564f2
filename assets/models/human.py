"""Replies of people read from a file, a line each; and how each participant did, so that they can be averaged."""

from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean
from typing import Any, NamedTuple

from assets.evaluation.rows import Answer
from assets.schema.sample import LETTERS
from assets.sources.jsonlines import EXCERPT, Record, Unreadable
from assets.sources.m3cot_released import OPTIONS, identifier, options

REASONS = ("no_id", "no_participant", "no_answer", "duplicate_id")
"""Why a record is no reply, beside the reasons of `jsonlines.read`."""


class Participant(NamedTuple):
    """How one person did under one extractor: of n counted replies so many right, accuracy in [0, 1]."""

    extractor: str
    participant: str
    n: int
    correct: int
    accuracy: float


def rows(
    evaluation: str, file: str, lines: Iterable[tuple[int, Record | Unreadable]], benchmark: str = "m3cot"
) -> Iterator[dict[str, Any]]:
    """Rows of table `prediction`, one a line {participant, id, text or letter, choices}, in the file's order.

    `letter` is the option chosen, kept as `(B)`; `text` is what was said. With both, the text stands in a turn of its
    own before the letter, which alone is scored. An empty text, or a letter that is null, is a person who was asked
    and did not say: status empty, which counts as wrong. `choices` (CoMT: or `option`) are the options as that person
    saw them. Who it was stands in `fingerprint`.

    The reasons in `dropped` are those of `jsonlines.read`, and: no_id, no_participant, no_answer (neither a text nor
    the letter of an option), duplicate_id (the same person's second answer to a sample).

    Args:
        evaluation: its name in params.yaml.
        file: of the replies, as params.yaml names it.
        lines: what `jsonlines.read` gives.
        benchmark: m3cot or comt.
    """
    seen: set[tuple[str, str]] = set()
    for line, record in lines:
        row: dict[str, Any] = {
            "evaluation": evaluation,
            "line": line,
            "sample_id": None,
            "choices": None,
            "turns": None,
            "status": "error",
            "finish_reason": None,
            "tokens_in": None,
            "tokens_out": None,
            "fingerprint": None,
            "dropped": None,
            "quarantined": None,
        }
        if isinstance(record, Unreadable):
            yield row | _dropped(record.reason, file, line, record.excerpt)
            continue
        sample_id, participant, said = identifier(record), _participant(record), _said(record)
        row |= {"sample_id": sample_id, "fingerprint": participant}
        if said is not None:
            row |= {"turns": [_turn(text) for text in said], "status": "ok" if said[-1].strip() else "empty"}
        row["choices"] = options(record.get("choices", record.get(OPTIONS[benchmark])), benchmark)
        reason = None
        if sample_id is None:
            reason = "no_id"
        elif participant is None:
            reason = "no_participant"
        elif said is None:
            reason = "no_answer"
        elif (participant, sample_id) in seen:
            reason = "duplicate_id"
        else:
            seen.add((participant, sample_id))
        yield row if reason is None else row | _dropped(reason, file, line, (said or ("",))[-1][:EXCERPT] or None)


def participants(rows: Iterable[Mapping[str, Any]], answers: Iterable[Answer]) -> list[Participant]:
    """Each person's counted answers, by extractor and then by name; someone without a counted answer is not there.

    The labels are the recorded ones, as in table `answer`.

    Args:
        rows: of table `prediction`; the columns line, fingerprint and dropped are read.
        answers: what `assets.evaluation.answers.answers` gives for these replies with `several`.
    """
    who = {row["line"]: row["fingerprint"] for row in rows if row["dropped"] is None}
    marks: dict[tuple[str, str], list[bool]] = {}
    for answer in answers:
        if answer.counted and answer.line is not None and answer.line in who:
            marks.setdefault((answer.extractor, who[answer.line]), []).append(answer.correct)
    return [Participant(*key, len(right), sum(right), fmean(right)) for key, right in sorted(marks.items())]


def mean_accuracy(participants: Iterable[Participant]) -> dict[str, float]:
    """By extractor the unweighted mean of the participants' accuracies, each over the samples that they answered."""
    found: dict[str, list[float]] = {}
    for one in participants:
        found.setdefault(one.extractor, []).append(one.accuracy)
    return {extractor: fmean(accuracies) for extractor, accuracies in found.items()}


def _participant(record: Record) -> str | None:
    value = record.get("participant")
    if type(value) is int:
        return str(value)
    return value.strip() or None if type(value) is str else None


def _said(record: Record) -> tuple[str, ...] | None:
    """What was said, the scored text last; None where nothing in the record is an answer."""
    text = record.get("text")
    if text is not None and type(text) is not str:
        return None
    before = () if text is None or not text.strip() else (text,)
    if "letter" not in record:
        return None if text is None else (text,)
    letter = record["letter"]
    if letter is None:
        return before or ("",)
    if type(letter) is not str:
        return None
    plain = letter.strip().removeprefix("(").removesuffix(")").strip().upper()
    if not plain:
        return before or ("",)
    return (*before, f"({plain})") if len(plain) == 1 and plain in LETTERS else None


def _turn(text: str) -> dict[str, Any]:
    return {"role": "assistant", "parts": [{"kind": "text", "text": text, "image_id": None}]}


def _dropped(reason: str, file: str, line: int, excerpt: str | None) -> dict[str, Any]:
    return {"dropped": reason, "quarantined": (file, line, excerpt)}
