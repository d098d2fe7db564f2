"""Replies, and judgements of their pictures -> how often each evaluation draws, and how good people find it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from assets.analysis.drawn.replies import DrawnReply
from assets.analysis.entries import Entry
from assets.annotation import Judgement, by_sample
from assets.schema.vocabulary import TASKS
from assets.statistics import wilson

STAGE = "picture_quality"


def agreed(given: Iterable[Judgement], needed: int) -> int | None:
    """The score that `needed` annotators of a reply give, or more; None where there is none, or two are as frequent.

    Of an annotator the last judgement counts, and rows that were dropped do not.

    Source: arXiv:2412.12932, C.3: "only scores that are agreed upon by at least three annotators are considered valid".
    """
    verdicts = {row.annotator: str(row.verdict) for row in given if row.dropped is None}
    most = Counter(verdicts.values()).most_common(2)
    if not most or most[0][1] < needed or (len(most) > 1 and most[1][1] == most[0][1]):
        return None
    return int(most[0][0])


def shares(
    entries: Iterable[Entry],
    replies: Iterable[DrawnReply],
    sampled: Collection[str],
    judgements: Iterable[Judgement],
    *,
    needed: int,
    level: float,
) -> Iterator[dict[str, Any]]:
    """Rows of table `drawn_share`: of each evaluation of CoMT, and of any that draws, the whole and then its tasks.

    Judgements of replies that were not drawn for it do not count, nor those of another stage.

    Args:
        entries: the evaluations that have replies.
        replies: of all of them, those without pictures included.
        sampled: names of the replies that people judge.
        judgements: rows of table `annotation`.
        needed: annotators who must agree.
        level: of the Wilson intervals.
    """
    judged = by_sample(judgements, STAGE)
    by_evaluation: dict[str, list[DrawnReply]] = {}
    for reply in replies:
        by_evaluation.setdefault(reply.evaluation, []).append(reply)
    for entry in sorted(entries):
        given = by_evaluation.get(entry.evaluation, [])
        parts = [("total", "total", given)]
        if entry.benchmark == "comt":
            parts += [("task", task, [reply for reply in given if reply.task == task]) for task in TASKS]
        elif not any(reply.pictures for reply in given):
            continue
        for scope, name, part in parts:
            row = _row(part, sampled, judged, needed, level)
            yield {"evaluation": entry.evaluation, "scope": scope, "name": name, **row}


def unused(judgements: Iterable[Judgement], sampled: Collection[str]) -> int:
    """How many judgements are on no reply that people judge: of an evaluation that is not here, or not drawn."""
    return sum(len(given) for name, given in by_sample(judgements, STAGE).items() if name not in sampled)


def _row(
    replies: Sequence[DrawnReply],
    sampled: Collection[str],
    judged: Mapping[str, Sequence[Judgement]],
    needed: int,
    level: float,
) -> dict[str, Any]:
    n, drawing = len(replies), sum(reply.pictures > 0 for reply in replies)
    low, high = wilson(drawing, n, level) or (None, None)
    asked = [reply.name for reply in replies if reply.name in sampled]
    answered = [name for name in asked if name in judged]
    scores = [score for name in answered if (score := agreed(judged[name], needed)) is not None]
    return {
        "n": n,
        "drawing": drawing,
        "pictures": sum(reply.pictures for reply in replies),
        "share": drawing / n if n else None,
        "low": low,
        "high": high,
        "sampled": len(asked),
        "judged": len(answered),
        "agreed": len(scores),
        "mean": sum(scores) / len(scores) if scores else None,
        "scores": [{"score": score, "n": count} for score, count in sorted(Counter(scores).items())],
    }
