"""The chains of reasoning that people judged, which scores of rationales are held against."""

import dagster as dg
import pyarrow as pa

from assets import params
from assets.asset import asset
from assets.schema.tables import as_table
from assets.sources import judged_chains as judged
from assets.sources.defs import UPSTREAMS, folder_of, stored_table


@asset(
    group="sources",
    table="judged_chain",
    step=judged,
    params=["sources.judged_chains"],
    files=["sources.judged_chains.folder"],
    deps=[UPSTREAMS],
    kinds=["table"],
)
def judged_chains() -> dg.Output[pa.Table]:
    """Chains of reasoning with what people said of them; records that cannot be read included."""
    settings = params.load().sources.judged_chains
    folder = folder_of(settings)
    rows = judged.chains(folder, provenance=settings.provenance) if folder else ()
    return stored_table(as_table("judged_chain", rows), {"judged_chains": settings.folder})
