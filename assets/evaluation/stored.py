"""Between the tables and the rows in memory: what storage keeps, as the steps of scoring take it, and back."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pyarrow as pa

from assets import flow
from assets.evaluation.answers import Answered, answers
from assets.evaluation.rows import Answer, Evaluation, Item, Reply
from assets.flow import Flow, Quarantined
from assets.models import replay
from assets.schema.faults import Fault
from assets.schema.vocabulary import SPLITS


def replies(predictions: pa.Table) -> list[Reply]:
    """The replies that a table `prediction` keeps."""
    columns = ["line", "sample_id", "choices", "turns", "status", "dropped"]
    return [replay.stored(row) for row in predictions.select(columns).to_pylist()]


def items(samples: pa.Table, split: str) -> dict[str, Item]:
    """The kept samples of one split of a table `sample` by id, as scoring needs them."""
    columns = ["id", "choices", "answer", "domain", "topic", "category", "task", "split", "dropped"]
    return {
        row["id"]: Item(
            id=row["id"],
            choices=tuple(row["choices"]),
            answer=row["answer"],
            domain=row["domain"],
            topic=row["topic"],
            category=row["category"],
            task=row["task"],
        )
        for row in samples.select(columns).to_pylist()
        if row["dropped"] is None and row["split"] == split
    }


def items_by_split(
    samples: Mapping[str, pa.Table], evaluations: Mapping[str, Evaluation]
) -> dict[tuple[str, str], dict[str, Item]]:
    """The items of each (benchmark, split) that an evaluation names; `samples` are the tables by benchmark.

    Raises:
        Fault: an evaluation names a split of which there is no sample.
    """
    found: dict[tuple[str, str], dict[str, Item]] = {}
    for name, (benchmark, split, _) in sorted(evaluations.items()):
        if (benchmark, split) not in found:
            found[benchmark, split] = items(samples[benchmark], split)
        if not found[benchmark, split]:
            raise Fault(
                f"evaluations.{name}.split: {benchmark} has no {split} samples: "
                f"{_way_out(benchmark, split, samples[benchmark])}"
            )
    return found


def items_of_all(samples: Mapping[str, pa.Table]) -> dict[tuple[str, str], dict[str, Item]]:
    """The items of each (benchmark, split) that has any, whether or not an evaluation names it."""
    found = {(benchmark, split): items(samples[benchmark], split) for benchmark in sorted(samples) for split in SPLITS}
    return {place: asked for place, asked in found.items() if asked}


def asset_of(benchmark: str, samples: pa.Table) -> str:
    """The asset that these samples are: the release, or, where they say that they come from elsewhere, what is built.

    A table without rows is the release's, of which nothing is there.
    """
    released = f"{benchmark}_released"
    sources = set(samples["source"].unique().to_pylist())
    return f"sources/{released}" if sources <= {released} else f"{benchmark}/benchmark"


def _way_out(benchmark: str, split: str, samples: pa.Table) -> str:
    setting = f"sources.{benchmark}_released.items"
    kept = samples.select(["split", "dropped"]).to_pylist()
    others = sorted({str(row["split"]) for row in kept if row["dropped"] is None})
    other = f"name one that it has ({', '.join(others)}), or " if others else ""
    if asset_of(benchmark, samples) == f"{benchmark}/benchmark":
        return f"{other}set {setting} to a release that has them"
    if benchmark == "comt" and not samples.num_rows:
        return f"set {setting}, or build comt/benchmark"
    return f"{other}add items of {split} to {setting}"


def unscorable(samples: pa.Table, split: str) -> dict[str, str]:
    """Why an id that has a record is no sample of the split, by id: the record's reason, or other_split."""
    rows = [row for row in samples.select(["id", "split", "dropped"]).to_pylist() if row["id"] is not None]
    dropped = {row["id"]: row["dropped"] for row in rows if row["dropped"] is not None}
    return dropped | {row["id"]: "other_split" for row in rows if row["dropped"] is None and row["split"] != split}


def answered(
    samples: Mapping[str, pa.Table],
    predictions: Mapping[str, pa.Table],
    evaluations: Mapping[str, Evaluation],
    **options: Any,
) -> dict[str, Answered]:
    """Each evaluation's answers, by its name, against the samples of its split; `options` go to `answers`.

    Raises:
        Fault: an evaluation names a split of which there is no sample, or has replies and is not in params.yaml.
    """
    if gone := sorted(predictions.keys() - evaluations.keys()):
        raise Fault(
            f"evaluation/predictions has replies of {', '.join(gone)}, which params.yaml has not: "
            "reload the definitions"
        )
    known = items_by_split(samples, evaluations)
    reasons = {(benchmark, split): unscorable(samples[benchmark], split) for benchmark, split in known}
    found = {}
    for name, table in sorted(predictions.items()):
        benchmark, split, file = evaluations[name]
        found[name] = answers(
            known[benchmark, split],
            replies(table),
            benchmark,
            evaluation=name,
            file=file,
            unscorable=reasons[benchmark, split],
            **options,
        )
    return found


def answer_rows(evaluations: Mapping[str, Answered]) -> Iterator[dict[str, Any]]:
    """Rows of table `answer`, evaluation by evaluation."""
    for name, one in evaluations.items():
        for answer in one.rows:
            row = answer._asdict()
            yield {"evaluation": name, **row, "span": None if answer.span is None else list(answer.span)}


def answers_by_evaluation(table: pa.Table, evaluations: Collection[str]) -> dict[str, list[Answer]]:
    """The answers that a table `answer` keeps, by evaluation; `evaluations` are those of params.yaml.

    Raises:
        Fault: the table is older than params.yaml and holds an evaluation that is not there any more.
    """
    found: dict[str, list[Answer]] = {}
    columns = [table[name].to_pylist() for name in ("evaluation", *Answer._fields)]
    for name, *values in zip(*columns, strict=True):
        answer = Answer(*values)
        found.setdefault(name, []).append(answer)
    if gone := sorted(found.keys() - set(evaluations)):
        raise Fault(
            f"evaluation/answers still holds {', '.join(gone)}, which params.yaml has not: "
            "materialize evaluation/answers"
        )
    return found


def set_aside(
    samples: Mapping[str, pa.Table], predictions: Mapping[str, pa.Table], evaluations: Mapping[str, Answered]
) -> list[Quarantined]:
    """Every record that was set aside on the way to the answers: of the samples, of the replies, by the counting."""
    rows = [
        row
        for benchmark, table in sorted(samples.items())
        for row in flow.set_aside(asset_of(benchmark, table), table, "id")
    ]
    for name, table in sorted(predictions.items()):
        rows += flow.set_aside(name, table, "sample_id")
        rows += evaluations[name].quarantine
    return rows


def flows(
    samples: Mapping[str, pa.Table], predictions: Mapping[str, pa.Table], evaluations: Mapping[str, Answered]
) -> list[Flow]:
    """What came into each stage and what became of it, counted from the tables themselves."""
    rows = [row for name, table in sorted(samples.items()) for row in _whole(asset_of(name, table), "items", table)]
    rows += [
        row for name, table in sorted(predictions.items()) for row in _whole("evaluation/predictions", name, table)
    ]
    return [*rows, *(evaluations[name].flow for name in sorted(predictions))]


def _whole(stage: str, source: str, table: pa.Table) -> list[Flow]:
    return flow.of_table(stage, table, renamed=source) or [Flow(stage, source, 0, 0, 0, 0, 0, {})]
