"""The papers' explorations: how tools were used, and every system that the papers name beside what was run here."""

from typing import Any

import dagster as dg
import pyarrow as pa

from assets import params
from assets.analysis import figures
from assets.analysis.entries import entries
from assets.analysis.systems import systems as named
from assets.analysis.systems import systems_figure
from assets.analysis.tool_use import tool_use as used
from assets.analysis.tool_use import tool_use_figure
from assets.asset import Made, asset, shown
from assets.evaluation import defs as evaluation
from assets.schema.tables import as_table
from assets.settings_evaluation import Tools


@asset(
    group="analysis",
    table="tool_use",
    step=used,
    params=["evaluations", "models", "scoring.level"],
    extras=["plot"],
    ins={"tooled": evaluation.PREDICTIONS["tooled"]},
    kinds=["table"],
)
def tool_use(tooled: dict[str, pa.Table]) -> dg.Output[Made]:
    """How runs with tools went: how they end, which plans and calls are wrong, which tools are called, and for nothing.

    Source: M3CoT (arXiv:2405.16473), B.3.2: wrong selection of tools, and redundant chains of them.
    """
    settings = params.load()
    policies = {name: model.policy for name, model in settings.models.items() if isinstance(model, Tools)}
    planned = used.planned({name: one.model for name, one in settings.evaluations.items()}, policies)
    table = as_table("tool_use", used.tool_use(tooled, planned, level=settings.scoring.level))
    rows = table.to_pylist()
    return dg.Output(
        Made(table, extras={"plot": used.plot(rows)}),
        metadata={
            "figure": shown(figures.png(tool_use_figure.draw(rows))),
            "runs": dg.MetadataValue.json(used.means(rows)),
            "evaluations_without_replies": sorted({one.evaluation for one in planned} - set(tooled)),
        },
    )


@asset(
    group="analysis",
    table="system",
    step=named,
    params=["evaluations", "models", "trainings"],
    ins={"scores": dg.AssetIn(key=["evaluation", "scores"])},
    kinds=["table"],
)
def systems(scores: pa.Table) -> dg.Output[pa.Table]:
    """Every system that the two papers name: how it is run here, what the paper has of it, and what was run."""
    settings = params.load()
    models: dict[str, dict[str, Any]] = {name: model.model_dump() for name, model in settings.models.items()}
    found = entries(
        {name: one.model_dump() for name, one in settings.evaluations.items()},
        {name: model.published for name, model in settings.models.items()},
    )
    ways = named.ways(models, {name: one.family for name, one in settings.trainings.items()})
    table = as_table("system", named.systems(scores, found, ways))
    rows = table.to_pylist()
    return dg.Output(
        table,
        metadata={
            "figure": shown(figures.png(systems_figure.draw(rows))),
            **named.counts(rows),
            "every_system": dg.MetadataValue.md(named.page(rows)),
        },
    )
