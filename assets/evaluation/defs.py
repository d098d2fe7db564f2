"""Evaluation: replies -> predictions -> answers -> scores, the paired differences, and what was set aside."""

from collections import Counter

import dagster as dg
import pyarrow as pa

from assets import params
from assets.asset import asset
from assets.evaluation import answers as answering
from assets.evaluation import baselines as baselining
from assets.evaluation import differences as differing
from assets.evaluation import scores as scoring
from assets.evaluation import stored
from assets.evaluation.rows import Evaluation
from assets.models import replay
from assets.schema.tables import as_table
from assets.sources import jsonlines

GENERATED = dg.AssetKey(["sources", "generated_released"])
SAMPLES = {
    **{name: dg.AssetIn(key=["sources", f"{name}_released"]) for name in ("m3cot", "comt")},
    "comt_built": dg.AssetIn(key=["comt", "benchmark"]),
}
PREDICTIONS = {"predictions": dg.AssetIn(partition_mapping=dg.AllPartitionMapping())}

evaluations = dg.StaticPartitionsDefinition(sorted(params.load().evaluations))


def _evaluations() -> dict[str, Evaluation]:
    return {name: Evaluation(one.benchmark, one.split, one.replies) for name, one in params.load().evaluations.items()}


def _missing(predictions: dict[str, pa.Table]) -> list[str]:
    return sorted(set(params.load().evaluations) - set(predictions))


def _samples(m3cot: pa.Table, comt: pa.Table, comt_built: pa.Table) -> dict[str, pa.Table]:
    """What each benchmark's evaluations are scored against: its release, of CoMT what is built where there is none."""
    return {"m3cot": m3cot, "comt": comt if comt.num_rows else comt_built}


def _counts(table: pa.Table, column: str) -> dict[str, int]:
    return dict(sorted(Counter(table[column].to_pylist()).items()))


@asset(
    group="evaluation",
    table="prediction",
    step=replay,
    params=["evaluations.{partition}", "models.{model}"],
    files=["evaluations.{partition}.replies"],
    deps=[GENERATED],
    partitions_def=evaluations,
)
def predictions(context: dg.AssetExecutionContext) -> dg.Output[pa.Table]:
    """What each model replied: a partition an evaluation of params.yaml, records that cannot be read included."""
    evaluation = params.load().evaluations[context.partition_key]
    read = jsonlines.read(params.ROOT / evaluation.replies, evaluation.replies)
    replies = replay.replies(read, evaluation.benchmark)
    rows = replay.rows(context.partition_key, evaluation.replies, replies, evaluation.benchmark)
    table = as_table("prediction", rows)
    return dg.Output(
        table, metadata={"status": _counts(table, "status"), "unread": table["dropped"].drop_null().length()}
    )


@asset(
    group="evaluation",
    table="answer",
    step=[answering, stored],
    params=["evaluations"],
    ins={**SAMPLES, **PREDICTIONS},
)
def answers(
    m3cot: pa.Table, comt: pa.Table, comt_built: pa.Table, predictions: dict[str, pa.Table]
) -> dg.Output[pa.Table]:
    """The letter that each extractor reads from each reply, with the rule and the place in the text that decided."""
    found = stored.answered(_samples(m3cot, comt, comt_built), predictions, _evaluations())
    table = as_table("answer", stored.answer_rows(found))
    return dg.Output(
        table,
        metadata={
            "evaluations_without_replies": _missing(predictions),
            "status": _counts(table, "status"),
            "rule": _counts(table, "rule"),
            "other_options_than_the_sample": {name: len(one.mismatches) for name, one in found.items()},
            "samples_without_a_reply": {name: len(one.missing) for name, one in found.items()},
        },
    )


@asset(
    group="evaluation",
    table="quarantine",
    step=[answering, stored],
    params=["evaluations"],
    ins={**SAMPLES, **PREDICTIONS},
)
def quarantine(
    m3cot: pa.Table, comt: pa.Table, comt_built: pa.Table, predictions: dict[str, pa.Table]
) -> dg.Output[pa.Table]:
    """Every record set aside on the way to the answers, with its file, line and reason."""
    found = stored.answered(_samples(m3cot, comt, comt_built), predictions, _evaluations(), extractors=())
    table = as_table("quarantine", stored.set_aside(_samples(m3cot, comt, comt_built), predictions, found))
    return dg.Output(table, metadata={"reason": _counts(table, "reason")})


@asset(
    group="evaluation",
    table="flow",
    step=[answering, stored],
    params=["evaluations"],
    ins={**SAMPLES, **PREDICTIONS},
)
def flow(
    m3cot: pa.Table, comt: pa.Table, comt_built: pa.Table, predictions: dict[str, pa.Table]
) -> dg.Output[pa.Table]:
    """What came into each stage and what became of it, counted from the tables themselves, so it cannot disagree."""
    found = stored.answered(_samples(m3cot, comt, comt_built), predictions, _evaluations(), extractors=())
    table = as_table("flow", stored.flows(_samples(m3cot, comt, comt_built), predictions, found))
    return dg.Output(table, metadata={"quarantined": sum(table["quarantined"].to_pylist())})


@asset(
    group="evaluation",
    table="score",
    step=[scoring, stored],
    params=["evaluations", "scoring"],
    ins=SAMPLES,
)
def scores(m3cot: pa.Table, comt: pa.Table, comt_built: pa.Table, answers: pa.Table) -> pa.Table:
    """Accuracy with its interval, Macro-F1 and counts, for every evaluation, extractor, label set and scope."""
    settings, evaluations = params.load().scoring, _evaluations()
    rows = scoring.of_all(
        stored.answers_by_evaluation(answers, evaluations),
        stored.items_by_split(_samples(m3cot, comt, comt_built), evaluations),
        evaluations,
        labels=settings.labels,
        level=settings.level,
    )
    return as_table("score", rows)


@asset(
    group="evaluation",
    table="difference",
    step=[differing, stored],
    params=["evaluations", "scoring"],
)
def differences(answers: pa.Table) -> pa.Table:
    """Every two evaluations of a benchmark's split compared on their common samples: exact McNemar and interval."""
    settings, evaluations = params.load().scoring, _evaluations()
    found = stored.answers_by_evaluation(answers, evaluations)
    return as_table("difference", differing.pairs(found, evaluations, settings.labels, settings.level))


@asset(group="evaluation", table="baseline", step=[baselining, stored], params=["scoring"], ins=SAMPLES)
def baselines(m3cot: pa.Table, comt: pa.Table, comt_built: pa.Table) -> pa.Table:
    """What guessing, and the most frequent letter alone, reach on every benchmark and split there is."""
    items = stored.items_of_all(_samples(m3cot, comt, comt_built))
    return as_table("baseline", baselining.baselines(items, level=params.load().scoring.level))
