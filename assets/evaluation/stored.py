"""Between the tables and the rows in memory: what storage keeps, as the steps of scoring take it, and back."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from assets.evaluation.answers import Answered, answers
from assets.evaluation.rows import Answer, Flow, Item, Quarantined, Reply
from assets.models import replay


def replies(predictions: pa.Table) -> list[Reply]:
    """The replies that a table `prediction` keeps."""
    columns = ["line", "sample_id", "choices", "turns", "status", "dropped"]
    return [replay.stored(row) for row in predictions.select(columns).to_pylist()]


def items(samples: pa.Table) -> dict[str, Item]:
    """The kept samples of a table `sample` by id, as scoring needs them."""
    columns = ["id", "choices", "answer", "domain", "topic", "category", "task", "dropped"]
    return {
        row["id"]: Item(
            row["id"],
            tuple(row["choices"]),
            row["answer"],
            row["domain"],
            row["topic"],
            row["category"],
            row["task"],
        )
        for row in samples.select(columns).to_pylist()
        if row["dropped"] is None
    }


def unscorable(samples: pa.Table) -> dict[str, str]:
    """Why an id that has a record is no sample, by id."""
    rows = samples.select(["id", "dropped"]).to_pylist()
    return {row["id"]: row["dropped"] for row in rows if row["dropped"] is not None and row["id"] is not None}


def answered(
    samples: Mapping[str, pa.Table],
    predictions: Mapping[str, pa.Table],
    benchmarks: Mapping[str, str],
    files: Mapping[str, str],
    **options: Any,
) -> dict[str, Answered]:
    """Each evaluation's answers, by its name, against its benchmark's samples; `options` go to `answers`."""
    known = {benchmark: items(table) for benchmark, table in samples.items()}
    reasons = {benchmark: unscorable(table) for benchmark, table in samples.items()}
    return {
        name: answers(
            known[benchmarks[name]],
            replies(table),
            benchmarks[name],
            evaluation=name,
            file=files[name],
            unscorable=reasons[benchmarks[name]],
            **options,
        )
        for name, table in sorted(predictions.items())
    }


def answer_rows(evaluations: Mapping[str, Answered]) -> Iterator[dict[str, Any]]:
    """Rows of table `answer`, evaluation by evaluation."""
    for name, one in evaluations.items():
        for answer in one.rows:
            row = answer._asdict()
            yield {"evaluation": name, **row, "span": None if answer.span is None else list(answer.span)}


def answers_by_evaluation(table: pa.Table) -> dict[str, list[Answer]]:
    """The answers that a table `answer` keeps, by evaluation."""
    found: dict[str, list[Answer]] = {}
    columns = [table[name].to_pylist() for name in ("evaluation", *Answer._fields)]
    for name, *values in zip(*columns, strict=True):
        answer = Answer(*values)
        found.setdefault(name, []).append(answer)
    return found


def set_aside(
    samples: Mapping[str, pa.Table], predictions: Mapping[str, pa.Table], evaluations: Mapping[str, Answered]
) -> list[Quarantined]:
    """Every record that was set aside on the way to the answers: of the samples, of the replies, by the counting."""
    rows = [
        row
        for benchmark, table in sorted(samples.items())
        for row in _unread(f"sources/{benchmark}_released", table.rename_columns({"id": "sample_id"}))
    ]
    for name, table in sorted(predictions.items()):
        rows += _unread(name, table)
        rows += evaluations[name].quarantine
    return rows


def _unread(source: str, table: pa.Table) -> list[Quarantined]:
    return [
        Quarantined(source, where["file"], where["line"], row["sample_id"], row["dropped"], where["excerpt"])
        for row in table.select(["sample_id", "dropped", "quarantined"]).to_pylist()
        if (where := row["quarantined"]) is not None
    ]


def flows(
    samples: Mapping[str, pa.Table], predictions: Mapping[str, pa.Table], evaluations: Mapping[str, Answered]
) -> list[Flow]:
    """What came into each stage and what became of it, counted from the tables themselves."""
    rows = [_flow(f"sources/{benchmark}_released", "items", table) for benchmark, table in sorted(samples.items())]
    rows += [_flow("evaluation/predictions", name, table) for name, table in sorted(predictions.items())]
    return [*rows, *(evaluations[name].flow for name in sorted(predictions))]


def _flow(stage: str, source: str, table: pa.Table) -> Flow:
    reasons: dict[str, int] = {}
    quarantined = 0
    for row in table.select(["dropped", "quarantined"]).to_pylist():
        if row["dropped"] is not None:
            reasons[row["dropped"]] = reasons.get(row["dropped"], 0) + 1
            quarantined += row["quarantined"] is not None
    discarded = sum(reasons.values()) - quarantined
    retained = len(table) - discarded - quarantined
    return Flow(stage, source, len(table), 0, retained, discarded, quarantined, dict(sorted(reasons.items())))
