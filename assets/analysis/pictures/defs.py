"""Replies and pictures: how well what a model wrote fits what it was shown, and what its sample's rationale shows."""

from typing import Any

import dagster as dg
import pyarrow as pa

from assets import params
from assets.analysis import figures
from assets.analysis.encoders import image_text
from assets.analysis.pictures import alignment as aligning
from assets.analysis.pictures import alignment_figure
from assets.analysis.rationales import chains, sampling
from assets.analysis.rationales import defs as rationales
from assets.asset import asset, shown
from assets.evaluation import defs as evaluation
from assets.evaluation import stored
from assets.schema.tables import as_table

_SETTINGS = ("seed", "sample", "steps")


@asset(
    group="analysis",
    table="alignment",
    step=[aligning, image_text, chains, sampling, stored],
    params=[
        "evaluations",
        *evaluation.KINDS,
        "analysis.alignment",
        *(f"analysis.rationales.{name}" for name in _SETTINGS),
    ],
    ins={**evaluation.SAMPLES, **evaluation.PICTURES, **evaluation.PREDICTIONS},
    kinds=["table"],
)
def alignment(**tables: Any) -> dg.Output[pa.Table]:
    """How replies fit pictures: CLIPScore against the gold rationale's, and the steps that are about the question's."""
    settings, asked = params.load().analysis, evaluation.evaluations()
    samples, predictions = evaluation.samples_of(tables), evaluation.predictions_of(tables)
    chosen = rationales.chosen(samples, settings.rationales)
    replies = chains.reasoned(samples, predictions, asked, chosen, settings.rationales.steps)
    named = settings.alignment.model
    model = None if named is None else image_text.image_text_model(named, settings.alignment.device)
    found = aligning.measured(
        replies,
        {name: (one.benchmark, one.edition) for name, one in asked.items()},
        samples,
        {key: tables["_".join((*key, "images"))] for key in evaluation.KEYS},
        model,
        settings.alignment.similarity,
    )
    return dg.Output(
        as_table("alignment", found.rows),
        metadata={
            "figure": shown(figures.png(alignment_figure.draw(found.rows))),
            "model": aligning.why(model),
            "pictures": found.looked_at,
            "pictures_of_one_colour": found.of_one_colour,
            "by_measure": aligning.counts(found.rows),
            "evaluations_without_replies": evaluation.without_replies(predictions),
        },
    )
