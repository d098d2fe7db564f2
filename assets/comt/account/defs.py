"""What is counted of CoMT's construction: flow, quarantine, statistics."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import dagster as dg
import pyarrow as pa

from assets import agreement as agreeing
from assets import annotation, flow_figure, params, samples
from assets import flow as flowing
from assets.asset import Made, asset, shown
from assets.comt.account import benchmark_statistics, descriptions
from assets.images import Pictures
from assets.schema.tables import as_table

READ = ("geometry", "crowds", "kilogram", "pairs")
IMAGES = ("geometry_images", "crowds_images", "pairs_images")
CHAIN = ("creation", "deletion", "update", "selection", "rechecked", "benchmark")
FOUR_TASKS = "comt/four_tasks"
SHOWN = (FOUR_TASKS, "comt/rechecked", "comt/benchmark")
"""The stages of the figure, left to right; the first stands for creation, deletion, update and selection."""

DRAWN = ("deletion_images", "update_images", "selection_images")
OF = {f"of_{name}": f"sources/{name}" for name in (*READ, *IMAGES, "comt_annotations")}
ALL = {
    **{name: dg.AssetIn(key=stage.split("/")) for name, stage in OF.items()},
    **{name: dg.AssetIn(key=["comt", name]) for name in (*CHAIN, *DRAWN)},
}


def _stages(tables: Mapping[str, Any]) -> dict[str, pa.Table]:
    """The tables by the name of their stage, in the order of the chain; of pictures what is known but their bytes."""
    found = {}
    for name in ALL:
        read = tables[name].index() if isinstance(tables[name], Pictures) else tables[name]
        found[OF.get(name, f"comt/{name}")] = descriptions.of_tangrams(read) if name == "of_kilogram" else read
    return found


@asset(group="comt", table="flow", step=[flowing, flow_figure, descriptions], ins=ALL)
def flow(**tables: Any) -> dg.Output[pa.Table]:
    """What came into each stage, what went on and why the rest did not, counted from the tables themselves.

    KILOGRAM is counted by description, since each makes a sample; a tangram without any counts as one.
    """
    rows = flowing.of_stages(_stages(tables))
    tasks = [row._replace(stage=FOUR_TASKS) if row.stage.removeprefix("comt/") in CHAIN[:4] else row for row in rows]
    figure = flow_figure.sankey(tasks, SHOWN, "Samples through the construction of CoMT, by source")
    return dg.Output(as_table("flow", rows), metadata={"figure": shown(figure)})


@asset(group="comt", table="quarantine", step=flowing, ins=ALL)
def quarantine(**tables: Any) -> dg.Output[pa.Table]:
    """Every record and picture that was set aside, with its file, its key and the reason."""
    rows = [row for stage, table in _stages(tables).items() for row in flowing.set_aside(stage, table, _key(table))]
    reasons = Counter(row.reason for row in rows)
    return dg.Output(as_table("quarantine", rows), metadata={"reason": dict(sorted(reasons.items()))})


@asset(
    group="comt",
    table="statistic",
    step=[benchmark_statistics, agreeing],
    params=["comt.steps", "comt.development", "profile"],
    extras=["metrics"],
    ins={"judgements": dg.AssetIn(key=["sources", "comt_annotations"])},
)
def statistics(benchmark: pa.Table, judgements: pa.Table) -> dg.Output[Made]:
    """The benchmark in figures, each beside the paper's where the paper has one."""
    settings = params.load()
    rows = benchmark_statistics.statistics(
        samples.kept(benchmark),
        agreeing.agreement(annotation.of_table(judgements), "comt"),
        per_task=settings.comt.development.per_task,
        steps_profile=settings.comt.steps,
        profile=settings.profile,
    )
    totals = {
        f"{row.kind}_{row.name}".replace(" ", "_"): round(row.value, 4)
        for row in rows
        if row.scope in ("all", "task", "split")
    }
    return dg.Output(Made(as_table("statistic", rows), extras={"metrics": totals}))


def _key(table: pa.Table) -> str:
    """The column that names a row of a table."""
    return next(name for name in ("id", "sample_id", "file") if name in table.column_names)
