"""Between the tables and the rows in memory: what storage keeps, as the steps of scoring take it, and back."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

import pyarrow as pa

from assets import flow
from assets.evaluation.answers import Answered, answers
from assets.evaluation.rows import Answer, Evaluation, Item, Reply
from assets.flow import Flow, Quarantined
from assets.models import human, replay
from assets.schema.faults import Fault
from assets.schema.vocabulary import SPLITS

Edition = tuple[str, str]
"""A benchmark, and whether as released or as built here."""


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


def items_by_evaluation(
    samples: Mapping[Edition, pa.Table], evaluations: Mapping[str, Evaluation]
) -> dict[str, dict[str, Item]]:
    """The items that each evaluation was asked, by its name; `samples` are the tables by benchmark and edition.

    Of an evaluation with a limit they are the first so many of its split.

    Raises:
        Fault: an evaluation names a split of which there is no sample.
    """
    splits: dict[tuple[str, str, str], dict[str, Item]] = {}
    found: dict[str, dict[str, Item]] = {}
    for name, evaluation in sorted(evaluations.items()):
        benchmark, edition, split = evaluation.asked
        if evaluation.asked not in splits:
            splits[evaluation.asked] = items(samples[benchmark, edition], split)
        whole = splits[evaluation.asked]
        if not whole:
            raise Fault(
                f"evaluations.{name}.split: {benchmark} ({edition}) has no {split} samples: "
                f"{_way_out(benchmark, edition, split, samples[benchmark, edition])}"
            )
        found[name] = whole if evaluation.limit is None else dict(islice(whole.items(), evaluation.limit))
    return found


def items_of_all(samples: Mapping[Edition, pa.Table]) -> dict[tuple[str, str, str], dict[str, Item]]:
    """The items of each (benchmark, edition, split) that has any, whether or not an evaluation names it."""
    found = {(*edition, split): items(samples[edition], split) for edition in sorted(samples) for split in SPLITS}
    return {place: asked for place, asked in found.items() if asked}


def asset_of(benchmark: str, edition: str) -> str:
    """The asset that an edition's samples stand in."""
    return f"sources/{benchmark}_released" if edition == "released" else f"{benchmark}/benchmark"


def _way_out(benchmark: str, edition: str, split: str, samples: pa.Table) -> str:
    kept = samples.select(["split", "dropped"]).to_pylist()
    others = sorted({str(row["split"]) for row in kept if row["dropped"] is None})
    setting = f"sources.{benchmark}_released.items"
    if others:
        other = f"add items of it to {setting}" if edition == "released" else f"build {benchmark}/benchmark otherwise"
        return f"name one that it has ({', '.join(others)}), or {other}"
    if edition == "released":
        return f"set {setting}, or edition: built"
    return f"build {benchmark}/benchmark from sources that have some"


def unscorable(samples: pa.Table, split: str) -> dict[str, str]:
    """Why an id that has a record is no sample of the split, by id: the record's reason, or other_split."""
    rows = [row for row in samples.select(["id", "split", "dropped"]).to_pylist() if row["id"] is not None]
    dropped = {row["id"]: row["dropped"] for row in rows if row["dropped"] is not None}
    return dropped | {row["id"]: "other_split" for row in rows if row["dropped"] is None and row["split"] != split}


def answered(
    samples: Mapping[Edition, pa.Table],
    predictions: Mapping[str, pa.Table],
    evaluations: Mapping[str, Evaluation],
    **options: Any,
) -> dict[str, Answered]:
    """Each evaluation's answers, by its name, against the samples of its split; `options` go to `answers`.

    Raises:
        Fault: an evaluation names a split of which there is no sample, or has replies and is not in params.yaml.
    """
    if gone := sorted(predictions.keys() - evaluations.keys()):
        raise Fault(f"there are replies of {', '.join(gone)}, which params.yaml has not: reload the definitions")
    known = items_by_evaluation(samples, evaluations)
    found = {}
    for name, table in sorted(predictions.items()):
        evaluation = evaluations[name]
        benchmark, edition, split = evaluation.asked
        table_of = samples[benchmark, edition]
        beyond = dict.fromkeys(items(table_of, split).keys() - known[name].keys(), "past_limit")
        found[name] = answers(
            known[name],
            replies(table),
            benchmark,
            evaluation=name,
            file=evaluation.replies,
            unscorable=unscorable(table_of, split) | beyond,
            several=evaluation.several,
            **options,
        )
        if evaluation.replies is None and found[name].missing:
            raise Fault(
                f"evaluations.{name}: {len(found[name].missing)} of its samples were not asked yet: materialize "
                f"{evaluation.asset}"
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
    samples: Mapping[Edition, pa.Table],
    predictions: Mapping[str, pa.Table],
    found: Mapping[str, Answered],
    evaluations: Mapping[str, Evaluation],
) -> list[Quarantined]:
    """Every record that was set aside on the way to the answers: of the samples, of the replies, by the counting."""
    rows = [
        row for edition in _asked(evaluations) for row in flow.set_aside(asset_of(*edition), samples[edition], "id")
    ]
    for name, table in sorted(predictions.items()):
        rows += flow.set_aside(name, table, "sample_id")
        rows += found[name].quarantine
    return rows


def flows(
    samples: Mapping[Edition, pa.Table],
    predictions: Mapping[str, pa.Table],
    found: Mapping[str, Answered],
    evaluations: Mapping[str, Evaluation],
) -> list[Flow]:
    """What came into each stage and what became of it, counted from the tables themselves."""
    rows = [row for edition in _asked(evaluations) for row in _whole(asset_of(*edition), "items", samples[edition])]
    rows += [row for name, table in sorted(predictions.items()) for row in _whole(evaluations[name].asset, name, table)]
    return [*rows, *(found[name].flow for name in sorted(predictions))]


def drawn(predictions: Mapping[str, pa.Table]) -> list[str]:
    """The ids of the pictures that models drew and tools made, each once, in the order of their names."""
    return sorted(
        {
            part["image_id"]
            for table in predictions.values()
            for turns in table["turns"].to_pylist()
            for turn in turns or ()
            if turn["role"] != "user"
            for part in turn["parts"]
            if part["image_id"] is not None
        }
    )


def participants(
    predictions: Mapping[str, pa.Table], found: Mapping[str, Answered], evaluations: Mapping[str, Evaluation]
) -> dict[str, dict[str, Any]]:
    """Of each evaluation of people how each of them did by the strict extractor, and the mean over them."""
    said: dict[str, dict[str, Any]] = {}
    for name, table in predictions.items():
        if evaluations[name].several:
            people = human.participants(table.to_pylist(), found[name].rows)
            strict = {one.participant: f"{one.correct} of {one.n}" for one in people if one.extractor == "strict"}
            said[name] = {"mean": human.mean_accuracy(people).get("strict"), **strict}
    return said


def _asked(evaluations: Mapping[str, Evaluation]) -> list[Edition]:
    """The editions that an evaluation is asked."""
    return sorted({(evaluation.benchmark, evaluation.edition) for evaluation in evaluations.values()})


def _whole(stage: str, source: str, table: pa.Table) -> list[Flow]:
    return flow.of_table(stage, table, renamed=source) or [Flow(stage, source, 0, 0, 0, 0, 0, {})]
