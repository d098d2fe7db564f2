"""Sources: the raw files of each upstream as typed tables, and the embedded default in the upstreams' own formats."""

import tempfile
from pathlib import Path

import dagster as dg
import pyarrow as pa

from assets import params
from assets.asset import Made, asset
from assets.sources import generated_released as generated
from assets.sources import jsonlines
from assets.sources import m3cot_released as released
from assets.tables import as_table

GENERATED = dg.AssetKey(["sources", "generated_released"])


@asset(
    group="sources",
    table="manifest",
    step=generated,
    params=["sources.generated_released"],
    folder=True,
    kinds=["json"],
)
def generated_released() -> dg.Output[Made]:
    """The embedded default: generated items and replies in the file format of the M3CoT release.

    With it nothing has to be fetched. The folder beside this table holds them; `items` 0 writes none.
    """
    settings = params.load().sources.generated_released
    folder = Path(tempfile.mkdtemp(prefix="cotline-"))
    if settings.items:
        replies = {name: entry.model_dump() for name, entry in settings.replies.items()}
        generated.draw(folder, seed=settings.seed, items=settings.items, replies=replies)
    return dg.Output(Made(folder=folder), metadata={"generated": bool(settings.items)})


@asset(
    group="sources",
    table="sample",
    step=released,
    params=["sources.m3cot_released"],
    files=["sources.m3cot_released.items"],
    deps=[GENERATED],
)
def m3cot_released() -> dg.Output[pa.Table]:
    """The released test items of M3CoT, or generated ones in their form; records that cannot be read included."""
    return _released("m3cot", params.load().sources.m3cot_released)


@asset(
    group="sources",
    table="sample",
    step=released,
    params=["sources.comt_released"],
    files=["sources.comt_released.items"],
    deps=[GENERATED],
)
def comt_released() -> dg.Output[pa.Table]:
    """The released items of CoMT (its data.jsonl), without their pictures; records that cannot be read included."""
    return _released("comt", params.load().sources.comt_released)


def _released(benchmark: str, settings: params.Released) -> dg.Output[pa.Table]:
    if settings.items is None:
        missing = f"not configured: set sources.{benchmark}_released.items in params.yaml"
        return dg.Output(as_table("sample", ()), metadata={"configured": missing})
    source = f"{benchmark}_released"
    lines = jsonlines.read(params.ROOT / settings.items, settings.items)
    rows = released.samples(
        lines, file=settings.items, benchmark=benchmark, source=source, provenance=settings.provenance
    )
    table = as_table("sample", rows)
    return dg.Output(table, metadata={"configured": settings.items, "unread": table["dropped"].drop_null().length()})
