"""Rationales: what ROSCOE says of the reasoning in a model's replies."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import dagster as dg
import pyarrow as pa

from assets import params
from assets.analysis import figures
from assets.analysis.encoders import text
from assets.analysis.encoders.grammar import grammar_model
from assets.analysis.encoders.inference import inference_model
from assets.analysis.encoders.language import language_model
from assets.analysis.rationales import chains, roscoe_figure, sampling
from assets.analysis.rationales import roscoe as scoring
from assets.asset import asset, moving, shown
from assets.evaluation import defs as evaluation
from assets.evaluation import stored
from assets.schema.tables import as_table
from assets.settings_analysis import Rationales


def chosen(samples: Mapping[stored.Edition, pa.Table], settings: Rationales) -> dict[str, list[str]]:
    """The samples whose replies are scored, by evaluation; the same ones for evaluations of one split."""
    evaluations = evaluation.evaluations()
    items = stored.items_by_evaluation(samples, evaluations)
    return {
        name: sampling.drawn(
            chains.strata(items[name].values(), evaluations[name].benchmark), settings.sample, settings.seed
        )
        for name in items
    }


def models_of(settings: Rationales) -> scoring.Models:
    """The models that the settings name beside the encoder of sentences; None where they name none."""
    return scoring.Models(
        inference_model(settings.inference, settings.device) if settings.inference else None,
        language_model(settings.language, settings.device) if settings.language else None,
        grammar_model(settings.grammar, settings.device) if settings.grammar else None,
    )


@asset(
    group="analysis",
    table="rationale_score",
    step=[scoring, chains, sampling, stored],
    params=["evaluations", *evaluation.KINDS, "analysis.rationales"],
    ins={**evaluation.SAMPLES, **evaluation.PREDICTIONS},
    kinds=["table"],
)
def roscoe(context: dg.AssetExecutionContext, **tables: Any) -> dg.Output[pa.Table]:
    """How sound the reasoning in replies is: ROSCOE's twenty scores of a seeded sample of each evaluation's replies."""
    settings = params.load().analysis.rationales
    samples, predictions = evaluation.samples_of(tables), evaluation.predictions_of(tables)
    replies = chains.reasoned(samples, predictions, evaluation.evaluations(), chosen(samples, settings), settings.steps)
    encoder = text.text_encoder(settings.sentences, settings.device)
    told = moving(context, lambda done: {"replies": done, "of": len(replies)})
    table = as_table("rationale_score", scoring.rows(replies, encoder, settings.modes, models_of(settings), told))
    rows = table.to_pylist()
    return dg.Output(
        table,
        metadata={
            "figure": shown(figures.png(roscoe_figure.draw(rows))),
            "sentence_model": encoder.name,
            "no_model": scoring.without_models(rows),
            "replies": _counted(reply.evaluation for reply in replies),
            "replies_without_steps": _counted(reply.evaluation for reply in replies if not reply.chain.steps),
            "context_is_the_sample": _counted(reply.evaluation for reply in replies if not reply.recorded),
            "without_a_gold_rationale": _counted(
                reply.evaluation for reply in replies if reply.chain.reference is None
            ),
            "people_left_out": [name for name, one in evaluation.evaluations().items() if one.several],
            "evaluations_without_replies": evaluation.without_replies(predictions),
            "truncated_texts": text.truncated(encoder),
        },
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
