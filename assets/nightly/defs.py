"""The nights: live evaluations asked anew -> answers -> scores -> changes since the last good night -> history."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import dagster as dg
import pyarrow as pa

from assets import params
from assets.asset import OWNERS, column_schema, moving, shown
from assets.evaluation import asked as asking
from assets.evaluation import defs as evaluation
from assets.nightly import figure, nights, verdicts
from assets.nightly import history as histories
from assets.schema.tables import TABLES, as_table
from assets.settings_evaluation import Tools, Trained

GROUP = "nightly"
FIRST_DAY = "2025-01-01"
"""Dagster wants a first day: this one is before the first night of anybody."""

LOCALTIME = Path("/etc/localtime")


def zone() -> str:
    """The time zone of the nights: nightly.timezone, this machine's where that is null, and UTC where it has none."""
    named = params.load().nightly.timezone
    machine = os.environ.get("TZ", "").lstrip(":") or str(LOCALTIME.resolve()).partition("zoneinfo/")[2]
    for name in (named, machine):
        if name:
            try:
                return ZoneInfo(name).key
            except (ZoneInfoNotFoundError, ValueError, OSError):
                continue
    return "UTC"


# A night is of the day on which it begins: that day is a partition before it is over.
days = dg.DailyPartitionsDefinition(start_date=FIRST_DAY, timezone=zone(), end_offset=1)

READ = {
    **evaluation.SAMPLES,
    **evaluation.PICTURES,
    "checkpoints": dg.AssetIn(key=["training", "checkpoints"], partition_mapping=dg.AllPartitionMapping()),
}
ASKED = {"asked": dg.AssetIn(key=[GROUP, "asked"])}
UNCHANGED = dg.AssetCheckSpec(
    "unchanged",
    asset=dg.AssetKey([GROUP, "changes"]),
    description="No live evaluation moved since its last good night: exact McNemar test, corrected by Holm for the "
    "number of evaluations, against nightly.level.",
)


def of_all_nights(name: str) -> dg.AssetIn:
    """The tables `nightly/<name>` of all nights there are."""
    return dg.AssetIn(
        key=[GROUP, name],
        partition_mapping=dg.AllPartitionMapping(),
        metadata={"every_night": True},
        # Of the annotation it would make a dict, and read them all.
        dagster_type=dg.Any,
    )


def _described(name: str, said: str | None) -> dict[str, Any]:
    table = TABLES[nights.TABLES_OF[name]]
    return {
        "description": f"{(said or '').strip()}\n\n**One row:** {table.row}",
        "metadata": column_schema(table),
        "kinds": {"parquet"},
        "owners": OWNERS,
    }


def table(
    ins: Mapping[str, dg.AssetIn],
    partitions_def: dg.PartitionsDefinition[Any] | None,
    check_specs: Sequence[dg.AssetCheckSpec] = (),
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """A decorator like `dg.asset` whose asset `nightly/<name>` is kept under var/nightly, as it is declared."""

    def decorate(function: Callable[..., Any]) -> dg.AssetsDefinition:
        made: dg.AssetsDefinition = dg.asset(
            key=[GROUP, function.__name__],
            ins=ins,
            check_specs=check_specs,
            io_manager_key="nights",
            group_name=GROUP,
            partitions_def=partitions_def,
            **_described(function.__name__, function.__doc__),
        )(function)
        return made

    return decorate


def live() -> list[nights.Live]:
    """The evaluations that params.yaml marks live, by name."""
    settings = params.load()
    return [
        nights.Live(name, one.benchmark, one.edition, one.split, one.limit, digest(name))
        for name, one in sorted(settings.evaluations.items())
        if one.live
    ]


def digest(name: str) -> str:
    """A digest of what params.yaml says of an evaluation and its model, as far as it decides the replies."""
    settings = params.load()
    one = settings.evaluations[name]
    model = settings.models[one.model]
    of = [settings.models[inner] for inner in (model.planner, *model.sees)] if isinstance(model, Tools) else []
    trained = [settings.trainings[each.training] for each in (model, *of) if isinstance(each, Trained)]
    return nights.settings_digest(*(said.model_dump(mode="json") for said in (one, model, *of, *trained)))


class Attempt(dg.Config):
    """`attempt` 1 asks a night, or goes on with it: what the store has of it is not asked; 2, 3, … ask it anew."""

    attempt: int = 1


def ask(name: str, under: str, tables: Mapping[str, Any], told: Callable[[Any], None]) -> nights.Replies:
    """The replies to an evaluation of params.yaml, as `evaluation/asked` gets them, under another asking.

    Raises:
        Fault: it cannot be asked to the end.
    """
    found = evaluation.replied(name, tables, told, under)
    return nights.Replies(found.table, found.facts)


def _samples(tables: Mapping[str, Any]) -> dict[tuple[str, str], pa.Table]:
    return {key: tables["_".join(key)] for key in evaluation.KEYS}


@dg.multi_asset(
    name="nightly_predictions",
    ins=READ,
    outs={
        "predictions": dg.AssetOut(
            key=[GROUP, "predictions"],
            io_manager_key="nights",
            **_described("predictions", "What every live evaluation's model replied in the night."),
        ),
        "asked": dg.AssetOut(
            key=[GROUP, "asked"],
            io_manager_key="nights",
            **_described("asked", "How each live evaluation was asked in the night, and why one was not to the end."),
        ),
    },
    check_specs=[
        dg.AssetCheckSpec(
            "asked",
            asset=dg.AssetKey([GROUP, "predictions"]),
            description="Every live evaluation was asked to the end, with no more failures than running.most_failures.",
        )
    ],
    group_name=GROUP,
    partitions_def=days,
    required_resource_keys={"nights"},
)
def predictions(context: dg.AssetExecutionContext, config: Attempt, **tables: Any) -> Iterator[Any]:
    """Asks every live evaluation under the night's own asking; one that cannot be asked does not stop the others."""
    day = context.partition_key
    under = nights.asking_of(day, config.attempt)

    def asked(name: str, under: str) -> nights.Replies:
        key = dg.AssetKey([GROUP, "predictions"])
        return ask(name, under, tables, moving(context, asking.told, key=key, more={"evaluation": name}))

    made = nights.night(day, under, live(), asked, context.resources.nights.stored(day))
    verdict = verdicts.was_asked(made.asked)
    figures = {name: dict(facts) for name, facts in made.facts.items()}
    yield dg.Output(made.predictions, "predictions", metadata={"asking": under, "evaluations": figures})
    yield dg.Output(as_table("asked", made.asked), "asked", metadata={"good": sum(row.good for row in made.asked)})
    yield _result("asked", "predictions", verdict, dg.AssetCheckSeverity.ERROR)


def _result(
    name: str,
    asset: str,
    verdict: verdicts.Verdict,
    severity: dg.AssetCheckSeverity,
    more: Mapping[str, Any] | None = None,
) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name=name,
        asset_key=dg.AssetKey([GROUP, asset]),
        passed=verdict.passed,
        severity=severity,
        description="; ".join(verdict.sentences),
        metadata={
            "evaluations": dg.MetadataValue.md("\n".join(f"- {one}" for one in verdict.sentences)),
            **(more or {}),
        },
    )


@table({**evaluation.SAMPLES, "predictions": dg.AssetIn(key=[GROUP, "predictions"]), **ASKED}, days)
def answers(predictions: pa.Table, asked: pa.Table, **tables: Any) -> pa.Table:
    """The letter that each extractor reads from each reply of the night."""
    return nights.answers(predictions, nights.asked_rows(asked), _samples(tables))


@table({**evaluation.SAMPLES, "answers": dg.AssetIn(key=[GROUP, "answers"]), **ASKED}, days)
def scores(answers: pa.Table, asked: pa.Table, **tables: Any) -> dg.Output[pa.Table]:
    """The scores of the night, as those of record are scored; none of what was not asked."""
    said = params.load().scoring
    rows = nights.scores(answers, nights.asked_rows(asked), _samples(tables), said.labels, said.level)
    totals = [row for row in rows if (row.extractor, row.labels, row.scope) == (nights.STRICT, said.labels[0], "total")]
    return dg.Output(
        as_table("score", rows),
        metadata={
            "accuracy": dg.MetadataValue.json(
                {row.evaluation: row.accuracy for row in totals if row.accuracy is not None}
            ),
            "n": dg.MetadataValue.json({row.evaluation: row.n for row in totals}),
        },
    )


@table({"answers": of_all_nights("answers"), "asked": of_all_nights("asked")}, days, [UNCHANGED])
def changes(
    context: dg.AssetExecutionContext, answers: Mapping[str, pa.Table], asked: Mapping[str, pa.Table]
) -> Iterator[Any]:
    """Each live evaluation beside its last good night, on the samples that both count."""
    settings, day = params.load(), context.partition_key
    rows = nights.changes(day, answers, asked, settings.scoring.labels, settings.scoring.level)
    shown_ones = nights.headline(rows, settings.scoring.labels[0])
    verdict = verdicts.is_unchanged(shown_ones, nights.asked_rows(asked[day]), settings.nightly.level)
    figures = {
        name: dg.MetadataValue.json(
            {row.evaluation: getattr(row, name) for row in shown_ones if getattr(row, name) is not None}
        )
        for name in ("difference", "low", "high", "p", "p_adjusted", "n", "compared_with")
    }
    yield dg.Output(as_table("change", rows), metadata=figures)
    yield _result("unchanged", "changes", verdict, dg.AssetCheckSeverity.WARN, figures)


@table({name: of_all_nights(name) for name in ("asked", "scores", "changes")}, None)
def history(
    asked: Mapping[str, pa.Table], scores: Mapping[str, pa.Table], changes: Mapping[str, pa.Table]
) -> dg.Output[pa.Table]:
    """Every live evaluation night after night, with its score and its change."""
    settings = params.load()
    rows = list(histories.history(asked, scores, changes, settings.scoring.labels[0]))
    return dg.Output(
        as_table("night", rows),
        metadata={
            "figure": shown(figure.history(rows, settings.nightly.level)),
            "nights": len(asked),
            "not_asked_to_the_end": sum(not row["good"] for row in rows),
        },
    )
