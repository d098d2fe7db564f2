"""Evaluations compared: in pairs, by reasoning steps, by how replies end, by shots."""

from collections import Counter
from typing import Any

import dagster as dg
import pyarrow as pa

from assets import params
from assets.analysis import figures
from assets.analysis.curves import pairs as paired
from assets.analysis.curves import pairs_figure, shots_figure, statuses_figure, steps_figure
from assets.analysis.curves import shots as shown_before
from assets.analysis.curves import statuses as ended
from assets.analysis.curves import steps as stepped
from assets.analysis.entries import Entry, entries
from assets.asset import Made, asset, shown
from assets.evaluation import defs as evaluation
from assets.schema.tables import as_table

ANSWERS = {"answers": dg.AssetIn(key=["evaluation", "answers"])}
DIFFERENCES = {"differences": dg.AssetIn(key=["evaluation", "differences"])}
SCORES = {"scores": dg.AssetIn(key=["evaluation", "scores"])}


def _entries() -> list[Entry]:
    settings = params.load()
    evaluations = {name: one.model_dump() for name, one in settings.evaluations.items()}
    return entries(evaluations, {name: model.published for name, model in settings.models.items()})


@asset(
    group="analysis",
    table="paired_difference",
    step=paired,
    params=["evaluations", "scoring.level", "analysis.power"],
    ins=DIFFERENCES,
    kinds=["table"],
)
def pairs(differences: pa.Table) -> dg.Output[pa.Table]:
    """Every two evaluations of a split: the difference, its p value corrected for all of them, the samples needed."""
    settings = params.load()
    rows = paired.pairs(differences, _entries(), level=settings.scoring.level, power=settings.analysis.power)
    table = as_table("paired_difference", rows)
    significant = sum(p < pairs_figure.SURE for p in table["p_adjusted"].to_pylist())
    return dg.Output(
        table,
        metadata={
            "figure": shown(figures.png(pairs_figure.draw(table.to_pylist()))),
            "pairs": table.num_rows,
            "significant": significant,
        },
    )


@asset(
    group="analysis",
    table="step_accuracy",
    step=stepped,
    params=["evaluations", *evaluation.KINDS, "scoring", "analysis.rationales.steps"],
    extras=["plot"],
    ins={**ANSWERS, **evaluation.SAMPLES, **evaluation.PREDICTIONS},
    kinds=["table"],
)
def steps(answers: pa.Table, **tables: Any) -> dg.Output[Made]:
    """Whether accuracy falls with the number of reasoning steps, of the gold rationale and of the reply."""
    settings = params.load()
    written = stepped.Written(
        gold={key: stepped.gold(tables["_".join(key)]) for key in evaluation.KEYS},
        replies={name: stepped.replies(table) for name, table in evaluation.predictions_of(tables).items()},
    )
    found = stepped.accuracies(
        answers,
        _entries(),
        written,
        profile=settings.analysis.rationales.steps,
        labels=settings.scoring.labels,
        level=settings.scoring.level,
    )
    table = as_table("step_accuracy", found)
    rows = table.to_pylist()
    return dg.Output(
        Made(table, extras={"plot": stepped.plot(rows)}),
        metadata={
            "figure": shown(figures.png(steps_figure.draw(rows))),
            "samples_with_a_rationale": {"_".join(key): len(found) for key, found in written.gold.items()},
        },
    )


@asset(
    group="analysis",
    table="status_count",
    step=ended,
    params=["evaluations", "scoring.level"],
    extras=["plot"],
    ins=ANSWERS,
    kinds=["table"],
)
def statuses(answers: pa.Table) -> dg.Output[Made]:
    """How the replies of each evaluation end: with a letter, without one, refused, cut off, or not at all."""
    table = as_table("status_count", ended.statuses(answers, _entries(), level=params.load().scoring.level))
    rows = table.to_pylist()
    strict = [row for row in rows if row["extractor"] == "strict"]
    counted: Counter[str] = Counter()
    for row in strict:
        counted[row["status"]] += row["n"]
    return dg.Output(
        Made(table, extras={"plot": ended.plot(rows)}),
        metadata={"figure": shown(figures.png(statuses_figure.draw(rows))), "strict": dict(sorted(counted.items()))},
    )


@asset(
    group="analysis",
    table="shot_accuracy",
    step=shown_before,
    params=["evaluations"],
    extras=["plot"],
    ins={**SCORES, **DIFFERENCES},
    kinds=["table"],
)
def shots(scores: pa.Table, differences: pa.Table) -> dg.Output[Made]:
    """Whether solved samples shown before the question help: evaluations that differ in their number alone."""
    series = shown_before.series(_entries())
    table = as_table("shot_accuracy", shown_before.accuracies(scores, differences, _entries()))
    rows = table.to_pylist()
    return dg.Output(
        Made(table, extras={"plot": shown_before.plot(rows)}),
        metadata={
            "figure": shown(figures.png(shots_figure.draw(rows))),
            "series": len(series),
            "series_of_two_or_more": sum(len(one.members) > 1 for one in series),
        },
    )
