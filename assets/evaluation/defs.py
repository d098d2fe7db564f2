"""Evaluation: dialogues -> replies -> answers -> scores, the paired differences, and what was set aside."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import dagster as dg
import pyarrow as pa

from assets import images, params
from assets.asset import Made, asset, moving
from assets.evaluation import answers as answering
from assets.evaluation import asked as asking
from assets.evaluation import baselines as baselining
from assets.evaluation import differences as differing
from assets.evaluation import drawn as drawing
from assets.evaluation import learned as learning
from assets.evaluation import preview, stored
from assets.evaluation import recorded as recording
from assets.evaluation import scores as scoring
from assets.evaluation import tooled as tooling
from assets.evaluation.asking import Progress
from assets.evaluation.drawn import Drawn
from assets.evaluation.rows import Evaluation
from assets.models import executor, kinds
from assets.models.model import Model
from assets.models.stored_pictures import StoredPictures
from assets.schema.faults import Fault
from assets.schema.tables import as_table
from assets.schema.vocabulary import BENCHMARKS
from assets.settings_evaluation import LEARNED, MADE, PLANNED, RECORDED, OpenAI, Tools, Trained, made_by

GENERATED = dg.AssetKey(["sources", "generated_released"])
KEYS = {
    **{(name, "released"): ("sources", f"{name}_released", f"{name}_released_images") for name in BENCHMARKS},
    **{(name, "built"): (name, "benchmark", "images") for name in BENCHMARKS},
}
"""The group of each benchmark's edition, and the names of its samples and pictures there."""

SAMPLES = {f"{name}_{edition}": dg.AssetIn(key=[*KEYS[name, edition][:2]]) for name, edition in KEYS}
PICTURES = {
    f"{name}_{edition}_images": dg.AssetIn(key=[group, pictures])
    for (name, edition), (group, _, pictures) in KEYS.items()
}
ALL = dg.AllPartitionMapping()
PREDICTIONS = {name: dg.AssetIn(key=["evaluation", name], partition_mapping=ALL) for name in MADE}
REPLIES = params.ROOT / "var" / "replies"
"""Where replies are kept once they are paid for; git and DVC ignore it."""

WEIGHTS = ("bases", "checkpoints", "adapted")
"""The assets of group training that hold weights."""

FOLDERS = {made: params.ROOT / "data" / "training" / made for made in WEIGHTS}

KINDS = [f"models.{name}.kind" for name in sorted(params.load().models)]
"""Of a model what decides how its replies are come by, and counted."""

SHOWN = 2
"""Dialogues of an evaluation that its preview shows."""


def _kind(name: str) -> str:
    settings = params.load()
    return settings.models[settings.evaluations[name].model].kind


def _of(*kinds_of: str) -> dg.StaticPartitionsDefinition:
    return dg.StaticPartitionsDefinition(
        [name for name in sorted(params.load().evaluations) if _kind(name) in kinds_of]
    )


def _asset(name: str) -> str:
    return f"evaluation/{made_by(_kind(name))}"


def evaluations() -> dict[str, Evaluation]:
    """The evaluations of params.yaml by name, as the steps of scoring take them."""
    return {
        name: Evaluation(
            one.benchmark, one.split, one.replies, one.edition, one.limit, _asset(name), _kind(name) == "human"
        )
        for name, one in params.load().evaluations.items()
    }


def samples_of(tables: Mapping[str, Any]) -> dict[tuple[str, str], pa.Table]:
    """What each edition of a benchmark consists of."""
    return {key: tables["_".join(key)] for key in KEYS}


def predictions_of(tables: Mapping[str, Any]) -> dict[str, pa.Table]:
    """The replies of each evaluation that has any, by its name, among the inputs of an asset."""
    return {name: table for made in PREDICTIONS for name, table in tables[made].items()}


def without_replies(predictions: Mapping[str, pa.Table]) -> list[str]:
    """The evaluations of params.yaml of which there are no replies."""
    return sorted(set(params.load().evaluations) - set(predictions))


def _counts(table: pa.Table, column: str) -> dict[str, int]:
    return dict(sorted(Counter(table[column].to_pylist()).items()))


def tables_of(name: str, tables: Mapping[str, Any]) -> asking.Tables:
    """What an evaluation of params.yaml is asked from, among the tables of all editions."""
    one = params.load().evaluations[name]
    of = f"{one.benchmark}_{one.edition}"
    return asking.Tables(tables[of], [tables[f"{of}_images"]])


def model_of(name: str, tables: asking.Tables, asking_as: str | None = None) -> Model:
    """The model that an evaluation of params.yaml names, in the processes that `running` says.

    asking_as: instead of the evaluation's own, for what a planner asks on the way.
    """
    settings = params.load()
    one = settings.evaluations[name]
    said = settings.models[one.model]
    build: Callable[[], Model]
    if isinstance(said, Trained):
        build = partial(learning.model, one.model, said, settings.trainings[said.training], FOLDERS)
    elif isinstance(said, Tools):
        inner = partial(kinds.named, settings.models, one.sampling)
        build = partial(tooling.model, one.model, said, inner, REPLIES / "tools", asking_as or one.asking)
    else:
        build = partial(kinds.of, one.model, said, one.sampling, asking.majority(tables, one.split))
    if settings.running.executor == "ray":
        running = settings.running
        return executor.ray(build, running.workers, gpus=running.gpus, address=running.address)
    return executor.local(build())


def replied(
    name: str, tables: Mapping[str, Any], told: Callable[[Progress], None], asking_as: str | None = None
) -> asking.Asked:
    """The replies to an evaluation of params.yaml, under its own asking or another one.

    Raises:
        Fault: it cannot be asked to the end.
    """
    settings, own = params.load(), tables_of(name, tables)
    one = settings.evaluations[name]
    found = asking.asked(
        name,
        one,
        own,
        model_of(name, own, asking_as),
        folder=REPLIES,
        most_failures=settings.running.most_failures,
        asking=asking_as,
        told=told,
    )
    said = settings.models[one.model]
    cost = asking.cost(found.facts, said) if isinstance(said, OpenAI) else {}
    return found._replace(facts=found.facts | cost)


def _ask(context: dg.AssetExecutionContext, tables: Mapping[str, Any]) -> dg.Output[pa.Table]:
    found = replied(context.partition_key, tables, moving(context, asking.told))
    return dg.Output(found.table, metadata=found.facts)


@asset(
    group="evaluation",
    table="dialogue",
    step=[asking, preview],
    params=["evaluations", *KINDS],
    ins={**SAMPLES, **PICTURES},
)
def dialogues(**tables: Any) -> dg.Output[pa.Table]:
    """The first dialogues of every evaluation that asks a model, exactly as they are sent, to look at before."""
    rows: list[dict[str, Any]] = []
    pages: list[str] = []
    live = {name: one for name, one in sorted(params.load().evaluations.items()) if _kind(name) not in RECORDED}
    for name, one in live.items():
        own = tables_of(name, tables)
        pictures = StoredPictures(own.pictures)
        few = min(SHOWN, one.limit or SHOWN)
        try:
            first = asking.dialogues(name, one.model_copy(update={"limit": few}), own, pictures)
        except Fault as fault:
            pages.append(f"### {name}\n\n{preview.escaped(str(fault))}")
            continue
        rows += preview.rows(name, first)
        pages.append(f"### {name}\n\n{preview.preview(first[0], pictures, preview.MOST_BYTES // len(live))}")
    return dg.Output(as_table("dialogue", rows), metadata={"dialogues": dg.MetadataValue.md(preview.pages(pages))})


@asset(
    group="evaluation",
    table="prediction",
    step=recording,
    params=["evaluations.{partition}", "models.{model}"],
    files=["evaluations.{partition}.replies"],
    deps=[GENERATED],
    partitions_def=_of(*RECORDED),
)
def recorded(context: dg.AssetExecutionContext) -> dg.Output[pa.Table]:
    """What a model, or people, once replied: a partition an evaluation, records that cannot be read included."""
    name = context.partition_key
    one = params.load().evaluations[name]
    rows = recording.rows(name, _kind(name), one.benchmark, params.ROOT, str(one.replies), Drawn(REPLIES / "pictures"))
    table = as_table("prediction", rows)
    return dg.Output(
        table, metadata={"status": _counts(table, "status"), "unread": table["dropped"].drop_null().length()}
    )


@asset(
    group="evaluation",
    table="prediction",
    step=[asking, kinds],
    params=["evaluations.{partition}", "models.{model}"],
    ins={**SAMPLES, **PICTURES},
    partitions_def=_of("baseline", "transformers", "text", "openai"),
)
def asked(context: dg.AssetExecutionContext, **tables: Any) -> dg.Output[pa.Table]:
    """What a model replies when it is asked: a partition an evaluation. What the store of replies has is not asked."""
    return _ask(context, tables)


@asset(
    group="evaluation",
    table="prediction",
    step=[asking, learning],
    params=["evaluations.{partition}", "models.{model}"],
    ins={
        **SAMPLES,
        **PICTURES,
        **{made: dg.AssetIn(key=["training", made], partition_mapping=ALL) for made in WEIGHTS},
    },
    partitions_def=_of(*LEARNED),
)
def learned(context: dg.AssetExecutionContext, **tables: Any) -> dg.Output[pa.Table]:
    """What a model that was trained here replies: a partition an evaluation."""
    return _ask(context, tables)


@asset(
    group="evaluation",
    table="prediction",
    step=[asking, kinds, tooling],
    params=["evaluations.{partition}", "models"],
    ins={**SAMPLES, **PICTURES, "bases": dg.AssetIn(key=["training", "bases"], partition_mapping=ALL)},
    partitions_def=_of(*PLANNED),
)
def tooled(context: dg.AssetExecutionContext, **tables: Any) -> dg.Output[pa.Table]:
    """What a planner replies with the help of tools, each plan, call and observation a turn: a partition an evaluation.

    What it asked on the way is in the store of replies too, so that a run that was stopped goes on where it was.
    """
    return _ask(context, tables)


@asset(group="evaluation", table="image", step=[stored, drawing, images], ins=PREDICTIONS, kinds=["png"])
def pictures(**tables: Any) -> dg.Output[Made]:
    """The pictures that models drew in their replies, each once."""
    wanted = stored.drawn(predictions_of(tables))
    found = images.batches(Drawn(REPLIES / "pictures").read(wanted))
    return dg.Output(Made(groups=found), metadata={"pictures": len(wanted)})


@asset(
    group="evaluation",
    table="answer",
    step=[answering, stored],
    params=["evaluations", *KINDS],
    ins={**SAMPLES, **PREDICTIONS},
)
def answers(**tables: Any) -> dg.Output[pa.Table]:
    """The letter that each extractor reads from each reply, with the rule and the place in the text that decided."""
    predictions = predictions_of(tables)
    found = stored.answered(samples_of(tables), predictions, evaluations())
    table = as_table("answer", stored.answer_rows(found))
    return dg.Output(
        table,
        metadata={
            "evaluations_without_replies": without_replies(predictions),
            "status": _counts(table, "status"),
            "rule": _counts(table, "rule"),
            "other_options_than_the_sample": {name: len(one.mismatches) for name, one in found.items()},
            "samples_without_a_reply": {name: len(one.missing) for name, one in found.items()},
            "participants": stored.participants(predictions, found, evaluations()),
        },
    )


@asset(
    group="evaluation",
    table="quarantine",
    step=[answering, stored],
    params=["evaluations", *KINDS],
    ins={**SAMPLES, **PREDICTIONS},
)
def quarantine(**tables: Any) -> dg.Output[pa.Table]:
    """Every record set aside on the way to the answers, with its file, line and reason."""
    predictions, asked_of = predictions_of(tables), evaluations()
    found = stored.answered(samples_of(tables), predictions, asked_of, extractors=())
    table = as_table("quarantine", stored.set_aside(samples_of(tables), predictions, found, asked_of))
    return dg.Output(table, metadata={"reason": _counts(table, "reason")})


@asset(
    group="evaluation",
    table="flow",
    step=[answering, stored],
    params=["evaluations", *KINDS],
    ins={**SAMPLES, **PREDICTIONS},
)
def flow(**tables: Any) -> dg.Output[pa.Table]:
    """What came into each stage and what became of it, counted from the tables themselves, so it cannot disagree."""
    predictions, asked_of = predictions_of(tables), evaluations()
    found = stored.answered(samples_of(tables), predictions, asked_of, extractors=())
    table = as_table("flow", stored.flows(samples_of(tables), predictions, found, asked_of))
    return dg.Output(table, metadata={"quarantined": sum(table["quarantined"].to_pylist())})


@asset(
    group="evaluation",
    table="score",
    step=[scoring, stored],
    params=["evaluations", *KINDS, "scoring"],
    ins=SAMPLES,
)
def scores(answers: pa.Table, **tables: Any) -> pa.Table:
    """Accuracy with its interval, Macro-F1 and counts, for every evaluation, extractor, label set and scope."""
    settings, asked_of = params.load().scoring, evaluations()
    rows = scoring.of_all(
        stored.answers_by_evaluation(answers, asked_of),
        stored.items_by_evaluation(samples_of(tables), asked_of),
        asked_of,
        labels=settings.labels,
        level=settings.level,
    )
    return as_table("score", rows)


@asset(
    group="evaluation",
    table="difference",
    step=[differing, stored],
    params=["evaluations", *KINDS, "scoring"],
)
def differences(answers: pa.Table) -> pa.Table:
    """Every two evaluations of a split of one edition compared on their common samples: exact McNemar and interval."""
    settings, asked_of = params.load().scoring, evaluations()
    found = stored.answers_by_evaluation(answers, asked_of)
    return as_table("difference", differing.pairs(found, asked_of, settings.labels, settings.level))


@asset(group="evaluation", table="baseline", step=[baselining, stored], params=["scoring"], ins=SAMPLES)
def baselines(**tables: Any) -> pa.Table:
    """What guessing, and the most frequent letter alone, reach on every edition and split of a benchmark there is."""
    items = stored.items_of_all(samples_of(tables))
    return as_table("baseline", baselining.baselines(items, level=params.load().scoring.level))
