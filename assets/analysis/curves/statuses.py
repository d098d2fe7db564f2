"""How the replies of each evaluation end: counted rows of the answers by status."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from assets.analysis.entries import Entry
from assets.evaluation import stored
from assets.evaluation.rows import Answer
from assets.schema.vocabulary import ANSWER_STATUSES, EXTRACTORS
from assets.statistics import wilson


def statuses(answers: pa.Table, entries: Sequence[Entry], *, level: float) -> Iterator[dict[str, Any]]:
    """Rows of table `status_count`, by evaluation, extractor and status; a status that no reply has is no row.

    Args:
        answers: table `answer`; what its policy counts is counted here.
        entries: the evaluations of params.yaml.
        level: of the Wilson intervals.

    Raises:
        Fault: the answers are older than params.yaml.
    """
    models = {entry.evaluation: entry.model for entry in entries}
    for evaluation, found in sorted(stored.answers_by_evaluation(answers, models).items()):
        for extractor in EXTRACTORS:
            yield from _rows(evaluation, models[evaluation], extractor, found, level)


def _rows(
    evaluation: str, model: str, extractor: str, answers: Sequence[Answer], level: float
) -> Iterator[dict[str, Any]]:
    counts = Counter(answer.status for answer in answers if answer.counted and answer.extractor == extractor)
    of = counts.total()
    for status in sorted(counts, key=ANSWER_STATUSES.index):
        low, high = wilson(counts[status], of, level) or (0.0, 1.0)
        yield {
            "evaluation": evaluation,
            "model": model,
            "extractor": extractor,
            "status": status,
            "n": counts[status],
            "of": of,
            "share": counts[status] / of,
            "low": low,
            "high": high,
        }


def plot(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One record a status other than ok of an evaluation (strict extractor), for `dvc plots`."""
    return [
        {"reply": f"{row['evaluation']} {row['status']}", "share": round(row["share"], 6)}
        for row in rows
        if row["extractor"] == "strict" and row["status"] != "ok"
    ]
