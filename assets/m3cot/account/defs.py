"""What is counted of M3CoT's construction: near-duplicates, agreement, audit, flow, quarantine, statistics."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import dagster as dg
import pyarrow as pa

from assets import agreement as agreeing
from assets import annotation, flow_figure, params, samples
from assets import flow as flowing
from assets.asset import Made, asset, shown
from assets.images import Pictures
from assets.m3cot import duplicates, judged
from assets.m3cot import thumbnails as thumbs
from assets.m3cot.account import benchmark_statistics
from assets.schema.tables import as_table

JUDGED = {"judgements": dg.AssetIn(key=["sources", "m3cot_annotations"])}
MADE_HERE = (("m3cot/science", "map"), ("m3cot/synthesis", "synthesis"))
"""Rows that no source brought in."""


@asset(group="m3cot", table="similar", step=duplicates, params=["m3cot.duplicates"])
def similar(benchmark: pa.Table, images: Pictures) -> pa.Table:
    """Pairs of samples with nearly the same picture and the same question or answer, with their splits."""
    settings = params.load().m3cot.duplicates
    kept = samples.kept(benchmark)
    thumbnails = thumbs.thumbnails(images, duplicates.wanted(kept))
    return as_table(
        "similar",
        duplicates.similar(kept, thumbnails, similarity=settings.similarity, measure=settings.measure),
    )


@asset(group="m3cot", table="agreement", step=agreeing, ins=JUDGED)
def agreement(judgements: pa.Table) -> pa.Table:
    """How far the annotators agree, stage by stage: Cohen's kappa of each two, Fleiss' of all."""
    return as_table("agreement", agreeing.agreement(annotation.of_table(judgements)))


@asset(
    group="m3cot",
    table="audit",
    step=judged,
    params=["m3cot.audit", "m3cot.votes"],
    ins={
        "scienceqa": dg.AssetIn(key=["sources", "scienceqa"]),
        "tabmwp": dg.AssetIn(key=["sources", "tabmwp"]),
        **JUDGED,
    },
)
def audit(scienceqa: pa.Table, tabmwp: pa.Table, judgements: pa.Table) -> pa.Table:
    """The share of each source's questions that are multi-step and multimodal, from a stratified sample of them."""
    settings = params.load().m3cot
    found = judged.audit(
        samples.kept(scienceqa, tabmwp),
        annotation.of_table(judgements),
        fraction=settings.audit.share,
        seed=settings.audit.seed,
        needed=settings.votes.needed,
    )
    return as_table("audit", found.rows)


CHAIN = (
    "image_needed",
    "multistep",
    "mathematics",
    "commonsense",
    "science",
    "synthesis",
    "balanced",
    "rewritten",
    "deduplicated",
    "annotated",
    "rechecked",
    "benchmark",
)
SHOWN = (
    "m3cot/image_needed",
    "m3cot/multistep",
    "m3cot/balanced",
    "m3cot/rewritten",
    "m3cot/deduplicated",
    "m3cot/annotated",
    "m3cot/rechecked",
    "m3cot/benchmark",
)
"""The stages of the figure, left to right; what other stages make joins them at `m3cot/balanced`."""

READ = ("scienceqa", "math", "tabmwp", "kilogram", "sherlock")
IMAGES = ("scienceqa_images", "tabmwp_images", "sherlock_images")
ALL = {
    **{f"of_{name}": dg.AssetIn(key=["sources", name]) for name in (*READ, *IMAGES, "m3cot_annotations")},
    **{name: dg.AssetIn(key=["m3cot", name]) for name in (*CHAIN, "mathematics_images", "science_images")},
}


def _stages(tables: Mapping[str, Any]) -> dict[str, pa.Table]:
    """The tables by the name of their stage, in the order of the chain; of pictures what is known but their bytes."""
    names = {f"of_{name}": f"sources/{name}" for name in (*READ, *IMAGES, "m3cot_annotations")}
    return {
        names.get(name, f"m3cot/{name}"): tables[name].index() if isinstance(tables[name], Pictures) else tables[name]
        for name in ALL
    }


@asset(group="m3cot", table="flow", step=[flowing, flow_figure], ins=ALL)
def flow(**tables: Any) -> dg.Output[pa.Table]:
    """What came into each stage, what went on and why the rest did not, counted from the tables themselves."""
    rows = flowing.of_stages(_stages(tables), MADE_HERE)
    figure = flow_figure.sankey(rows, SHOWN, "Samples through the construction of M3CoT, by source")
    return dg.Output(as_table("flow", rows), metadata={"figure": shown(figure)})


@asset(group="m3cot", table="quarantine", step=flowing, ins=ALL)
def quarantine(**tables: Any) -> dg.Output[pa.Table]:
    """Every record and picture that was set aside, with its file, its key and the reason."""
    rows = [row for stage, table in _stages(tables).items() for row in flowing.set_aside(stage, table, _key(table))]
    reasons = Counter(row.reason for row in rows)
    return dg.Output(as_table("quarantine", rows), metadata={"reason": dict(sorted(reasons.items()))})


@asset(
    group="m3cot",
    table="statistic",
    step=benchmark_statistics,
    params=["m3cot.steps", "profile"],
    extras=["metrics"],
    ins={"scienceqa": dg.AssetIn(key=["sources", "scienceqa"])},
)
def statistics(benchmark: pa.Table, scienceqa: pa.Table, flow: pa.Table) -> dg.Output[Made]:
    """The benchmark in figures, each beside the paper's where the paper has one."""
    settings = params.load()
    rows = benchmark_statistics.statistics(
        samples.kept(benchmark),
        samples.kept(scienceqa),
        flowing.of_rows(flow),
        steps_profile=settings.m3cot.steps,
        profile=settings.profile,
    )
    totals = {f"{row.kind}_{row.name}": round(row.value, 4) for row in rows if row.scope in ("all", "split", "domain")}
    return dg.Output(Made(as_table("statistic", rows), extras={"metrics": totals}))


def _key(table: pa.Table) -> str:
    """The column that names a row of a table."""
    return next(name for name in ("id", "instance_id", "sample_id", "file") if name in table.column_names)
