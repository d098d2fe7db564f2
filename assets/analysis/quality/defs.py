"""Analysis of rationales: their quality beside accuracy, their coverage, and ROSCOE held against people."""

from typing import Any

import dagster as dg
import pyarrow as pa

from assets import params
from assets.analysis import figures
from assets.analysis.encoders import grammar, inference, language, text
from assets.analysis.quality import coverage as covering
from assets.analysis.quality import coverage_figure, judged_figure, quality_figure
from assets.analysis.quality import judged as judging
from assets.analysis.quality import quality as measuring
from assets.analysis.rationales import defs as rationales
from assets.analysis.rationales import roscoe, text_scores
from assets.asset import asset, shown
from assets.evaluation.defs import KEYS, KINDS, SAMPLES
from assets.schema.tables import as_table

SCIENCEQA = "sources/scienceqa"
"""What M3CoT's rationales are compared with."""

COLLECTIONS = {
    f"{group}/{name}": f"{benchmark}_{edition}"
    for edition in ("built", "released")
    for (benchmark, of), (group, name, _) in KEYS.items()
    if of == edition
}
"""The editions of the benchmarks by their assets, the built ones first, and what their tables are called here."""


@asset(
    group="analysis",
    table="quality",
    step=measuring,
    params=["evaluations", *KINDS, "scoring"],
    ins={
        "roscoe_scores": dg.AssetIn(key=["analysis", "roscoe"]),
        "alignment": dg.AssetIn(key=["analysis", "alignment"]),
        "scores": dg.AssetIn(key=["evaluation", "scores"]),
        **SAMPLES,
    },
    kinds=["table"],
)
def quality(roscoe_scores: pa.Table, alignment: pa.Table, scores: pa.Table, **tables: Any) -> dg.Output[pa.Table]:
    """The quality of each evaluation's rationales beside its accuracy: every score's mean, also by topic or task."""
    settings = params.load()
    asked = {name: (one.benchmark, one.edition) for name, one in settings.evaluations.items()}
    people = [name for name, one in settings.evaluations.items() if settings.models[one.model].kind == "human"]
    samples = {key: tables["_".join(key)] for key in KEYS}
    rows = measuring.quality(roscoe_scores, alignment, scores, asked, samples, people, settings.scoring.level)
    found = measuring.correlations(measuring.of_mode(rows))
    return dg.Output(
        as_table("quality", rows),
        metadata={
            "figure": shown(figures.png(quality_figure.draw(rows))),
            "correlation": dg.MetadataValue.json([one._asdict() for one in found if one.rho is not None]),
            "without_value": dg.MetadataValue.json(measuring.without_value(rows)),
        },
    )


@asset(
    group="analysis",
    table="coverage",
    step=[covering, text],
    params=["analysis.coverage", *(f"analysis.rationales.{name}" for name in ("steps", "sentences", "device"))],
    ins={"scienceqa": dg.AssetIn(key=["sources", "scienceqa"]), **SAMPLES},
    kinds=["table"],
)
def coverage(scienceqa: pa.Table, **tables: Any) -> dg.Output[pa.Table]:
    """How far the gold rationales of each collection spread in the space of meanings."""
    settings = params.load().analysis
    samples = {SCIENCEQA: scienceqa, **{name: tables[called] for name, called in COLLECTIONS.items()}}
    of = covering.collections(samples, [SCIENCEQA], settings.rationales.steps)
    encoder = text.text_encoder(settings.rationales.sentences, settings.rationales.device)
    found = covering.cover(of, encoder, seed=settings.coverage.seed, sample=settings.coverage.sample)
    return dg.Output(
        as_table("coverage", found.rows),
        metadata={
            "figure": shown(figures.png(coverage_figure.scatter(found.points))),
            "measures": shown(figures.png(coverage_figure.draw(found.rows))),
            "rationales": dg.MetadataValue.json({name: len(each) for name, each in of.items()}),
        },
    )


@asset(
    group="analysis",
    table="judged_score",
    step=[judging, roscoe, text, inference, language, grammar],
    params=[
        f"analysis.rationales.{name}" for name in ("modes", "sentences", "inference", "language", "grammar", "device")
    ],
    ins={"judged_chains": dg.AssetIn(key=["sources", "judged_chains"])},
    kinds=["table"],
)
def judged(judged_chains: pa.Table) -> dg.Output[pa.Table]:
    """How each score of ROSCOE goes with what people said of the same chains: Somers' D by dataset and question."""
    settings = params.load().analysis.rationales
    chains = judging.judged(judged_chains)
    encoder, models = text.text_encoder(settings.sentences, settings.device), rationales.models_of(settings)
    texts = [one.chain for one in chains]
    scores: dict[str, list[roscoe.Scores]] = {
        mode: roscoe.scores(texts, encoder, mode, models) for mode in sorted(settings.modes)
    }
    rows = judging.judged_scores(chains, scores, sentence_model=encoder.name, without_model=_without(models))
    return dg.Output(
        as_table("judged_score", rows),
        metadata={
            "figure": shown(figures.png(judged_figure.draw(rows))),
            "chains": len(chains),
            "best_somers_d_of_overall": dg.MetadataValue.json(judging.best(rows)),
        },
    )


def _without(models: roscoe.Models) -> list[str]:
    """The scores that need a model which nobody named."""
    kinds = (
        (models.inference, text_scores.LOGICAL),
        (models.language, text_scores.PERPLEXITY),
        (models.grammar, text_scores.GRAMMAR),
    )
    return [score for model, scores in kinds if model is None for score in scores]
