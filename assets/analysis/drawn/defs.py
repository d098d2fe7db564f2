"""Analysis of what models draw: how often a reply holds a picture, and how good people find it."""

from typing import Any

import dagster as dg
import pyarrow as pa

from assets import annotation, params
from assets.analysis import figures
from assets.analysis.drawn import drawn as drawing
from assets.analysis.drawn import drawn_figure, replies, sampled
from assets.analysis.entries import entries
from assets.asset import asset, shown
from assets.evaluation import defs as evaluation
from assets.evaluation import stored
from assets.schema.tables import as_table


@asset(
    group="analysis",
    table="drawn_share",
    step=[drawing, sampled, replies, stored],
    params=["evaluations", *evaluation.KINDS, "analysis.picture_quality", "scoring.level"],
    ins={
        **evaluation.SAMPLES,
        **evaluation.PREDICTIONS,
        "judgements": dg.AssetIn(key=["sources", "picture_judgements"]),
    },
    kinds=["table"],
)
def drawn(judgements: pa.Table, **tables: Any) -> dg.Output[pa.Table]:
    """How often models draw in their replies, by task, and which scores people agree on for what they drew."""
    settings = params.load()
    asked, predictions = evaluation.evaluations(), evaluation.predictions_of(tables)
    items = stored.items_by_evaluation(evaluation.samples_of(tables), asked)
    said = {name: one.model_dump() for name, one in settings.evaluations.items()}
    every = {one.evaluation: one for one in entries(said, dict.fromkeys(settings.models))}
    people = frozenset(name for name, one in asked.items() if one.several)
    found = replies.replies(predictions, items, every, people)
    quality = settings.analysis.picture_quality
    chosen = sampled.sampled(found, seed=quality.seed, per_task=quality.per_task)
    rows = annotation.of_table(judgements)
    table = as_table(
        "drawn_share",
        drawing.shares(
            [every[name] for name in predictions],
            found,
            chosen,
            rows,
            needed=quality.agree,
            level=settings.scoring.level,
        ),
    )
    return dg.Output(
        table,
        metadata={
            "figure": shown(figures.png(drawn_figure.draw(table.to_pylist()))),
            "sampled": len(chosen),
            "judgements_of_other_replies": drawing.unused(rows, chosen),
            "evaluations_without_replies": sorted(set(every) - set(predictions)),
        },
    )
