"""Analysis: what the papers' readers look up first."""

import dagster as dg
import pyarrow as pa

from assets import params
from assets.analysis import figures
from assets.analysis import leaderboard as leaderboards
from assets.analysis import paper_comparison as comparisons
from assets.analysis.entries import Entry, entries
from assets.asset import Made, asset, shown


def _entries() -> list[Entry]:
    settings = params.load()
    evaluations = {name: evaluation.model_dump() for name, evaluation in settings.evaluations.items()}
    return entries(evaluations, {name: model.published for name, model in settings.models.items()})


SCORES = {"scores": dg.AssetIn(key=["evaluation", "scores"])}


@asset(
    group="analysis",
    table="leaderboard",
    step=leaderboards,
    params=["evaluations", "models"],
    extras=["metrics", "plot"],
    ins=SCORES,
    kinds=["table"],
)
def leaderboard(scores: pa.Table) -> dg.Output[Made]:
    """Who is best: every evaluation with its accuracy and interval, under both extractors and each label set."""
    table = leaderboards.rank(scores, _entries())
    without = sorted({row["evaluation"] for row in table.to_pylist() if row["accuracy"] is None})
    metrics = leaderboards.metrics(table)
    made = Made(table, extras={"metrics": metrics, "plot": leaderboards.plot(table)})
    return dg.Output(
        made,
        metadata={
            "figure": shown(figures.png(figures.leaderboard(table.to_pylist()))),
            "accuracy": dg.MetadataValue.json(metrics),
            "evaluations_without_replies": without,
            "evaluations": len(_entries()),
        },
    )


@asset(
    group="analysis",
    table="comparison",
    step=comparisons,
    params=["evaluations", "models"],
    ins=SCORES,
    kinds=["table"],
)
def paper_comparison(scores: pa.Table) -> dg.Output[pa.Table]:
    """The published tables beside ours, cell by cell: which numbers reproduce, and by how much the others differ."""
    table = comparisons.compare(scores, _entries())
    return dg.Output(
        table,
        metadata={
            "figure": shown(figures.png(figures.comparison(table.to_pylist()))),
            **{
                f"{what}_{name.replace('/', '_')}": number
                for name, numbers in comparisons.counts(table).items()
                for what, number in numbers.items()
            },
        },
    )
