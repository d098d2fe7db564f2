"""Sources on what models draw: the judgements of their pictures."""

import dagster as dg
import pyarrow as pa

from assets import params
from assets.asset import asset
from assets.schema.tables import as_table
from assets.sources import picture_judgements as judging
from assets.sources.defs import GENERATED, stored_table


@asset(
    group="sources",
    table="annotation",
    step=judging,
    params=["sources.picture_judgements"],
    files=["sources.picture_judgements.recorded", "sources.picture_judgements.own"],
    deps=[GENERATED],
)
def picture_judgements() -> dg.Output[pa.Table]:
    """Scores of the pictures that models drew in their replies: recorded ones, and those of the annotation page."""
    settings = params.load().sources.picture_judgements
    named = [settings.recorded, settings.own] if settings.recorded else [settings.own]
    rows = judging.judgements([(params.ROOT / name, name) for name in named])
    return stored_table(as_table("annotation", rows), {"picture_judgements": ", ".join(named)})
