"""Sources: the raw files of each upstream as typed tables, and the embedded default in the upstreams' own formats."""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import dagster as dg
import pyarrow as pa

from assets import annotation, images, params, samples
from assets.asset import Made, asset, told
from assets.images import Picture, Pictures
from assets.schema.tables import as_table
from assets.settings import Upstream
from assets.sources import jsonlines, math_problems, released_folder
from assets.sources import kilogram as tangrams
from assets.sources import m3cot_released as released
from assets.sources import scienceqa as science
from assets.sources import sherlock as clues
from assets.sources import tabmwp as tables
from assets.sources.generated import released as generated
from assets.sources.generated import upstreams

GENERATED = dg.AssetKey(["sources", "generated_released"])
UPSTREAMS = dg.AssetKey(["sources", "generated_upstreams"])


def _making() -> Path:
    """A folder to write into, on the disk that the tables are on."""
    (params.ROOT / "var").mkdir(exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="making-", dir=params.ROOT / "var"))


def folder_of(settings: Upstream) -> Path | None:
    """Where an upstream lies; None where it is not configured."""
    return None if settings.folder is None else params.ROOT / settings.folder


def configured(where: Mapping[str, str | None]) -> dict[str, str]:
    """Metadata that says where each source lies, or which setting would say so."""
    said = [path or f"not configured: set sources.{name} in params.yaml" for name, path in where.items()]
    return {"configured": ", ".join(said)}


def stored_pictures(found: Iterable[Picture], name: str, where: Mapping[str, str | None]) -> dg.Output[Made]:
    """The pictures of a source, each distinct one stored once, streamed as they are read."""
    rows = told(images.once(found), f"{name}: pictures read")
    return dg.Output(Made(groups=images.batches(rows)), metadata=configured(where))


def stored_table(made: pa.Table, where: Mapping[str, str | None]) -> dg.Output[pa.Table]:
    """The records of a source, with why some of them are left out."""
    left_out = made["dropped"].drop_null()
    counts = {
        str(value): n
        for value, n in sorted((row["values"], row["counts"]) for row in left_out.value_counts().to_pylist())
    }
    return dg.Output(made, metadata={**configured(where), "left_out": counts})


@asset(
    group="sources",
    table="manifest",
    step=upstreams,
    params=["sources.generated_upstreams"],
    folder=True,
    kinds=["json"],
)
def generated_upstreams() -> dg.Output[Made]:
    """The embedded default: a small world drawn by rule, in the upstreams' own formats and with their defects.

    The folder beside this table holds it, simulated annotators' judgements included; all counts 0 write nothing.
    """
    settings = params.load().sources.generated_upstreams
    folder = _making()
    upstreams.draw(folder, **settings.model_dump())
    return dg.Output(Made(folder=folder), metadata={"generated": any(folder.iterdir())})


@asset(
    group="sources",
    table="manifest",
    step=generated,
    params=["sources.generated_released"],
    folder=True,
    kinds=["json"],
)
def generated_released() -> dg.Output[Made]:
    """The embedded default: generated items and replies in the file formats of both releases.

    With it nothing has to be fetched. The folder beside this table holds them; `items` and `comt_items` 0 write none.
    """
    settings = params.load().sources.generated_released
    folder = _making()
    if settings.items or settings.comt_items:
        generated.draw(folder, **settings.model_dump())
    return dg.Output(Made(folder=folder), metadata={"generated": any(folder.iterdir())})


@asset(
    group="sources",
    table="image",
    step=science,
    params=["sources.scienceqa"],
    files=["sources.scienceqa.folder"],
    deps=[UPSTREAMS],
    kinds=["png"],
)
def scienceqa_images() -> dg.Output[Made]:
    """The pictures of ScienceQA, those of options too; files that hold no picture included, with the reason."""
    settings = params.load().sources.scienceqa
    folder = folder_of(settings)
    return stored_pictures(science.pictures(folder) if folder else (), "scienceqa", {"scienceqa": settings.folder})


@asset(
    group="sources",
    table="sample",
    step=science,
    params=["sources.scienceqa"],
    files=["sources.scienceqa.folder"],
    deps=[UPSTREAMS],
)
def scienceqa(scienceqa_images: Pictures) -> dg.Output[pa.Table]:
    """The problems of ScienceQA; those whose picture is named and missing, or cannot be read, are quarantined."""
    settings = params.load().sources.scienceqa
    folder = folder_of(settings)
    ids, reasons = scienceqa_images.ids(), scienceqa_images.reasons()
    rows = science.samples(folder, ids, reasons, provenance=settings.provenance) if folder else ()
    return stored_table(samples.to_table(rows), {"scienceqa": settings.folder})


@asset(
    group="sources",
    table="sample",
    step=math_problems,
    params=["sources.math"],
    files=["sources.math.folder"],
    deps=[UPSTREAMS],
)
def math() -> dg.Output[pa.Table]:
    """The problems of MATH with their worked solutions, as text: options and pictures come later."""
    settings = params.load().sources.math
    folder = folder_of(settings)
    rows = math_problems.samples(folder, provenance=settings.provenance) if folder else ()
    return stored_table(samples.to_table(rows), {"math": settings.folder})


@asset(
    group="sources",
    table="image",
    step=tables,
    params=["sources.tabmwp"],
    files=["sources.tabmwp.folder"],
    deps=[UPSTREAMS],
    kinds=["png"],
)
def tabmwp_images() -> dg.Output[Made]:
    """The pictures of TabMWP's tables."""
    settings = params.load().sources.tabmwp
    folder = folder_of(settings)
    return stored_pictures(tables.pictures(folder) if folder else (), "tabmwp", {"tabmwp": settings.folder})


@asset(
    group="sources",
    table="sample",
    step=tables,
    params=["sources.tabmwp"],
    files=["sources.tabmwp.folder"],
    deps=[UPSTREAMS],
)
def tabmwp(tabmwp_images: Pictures) -> dg.Output[pa.Table]:
    """The problems of TabMWP; one that asks for free text has its answer as its only option."""
    settings = params.load().sources.tabmwp
    folder = folder_of(settings)
    ids, reasons = tabmwp_images.ids(), tabmwp_images.reasons()
    rows = tables.samples(folder, ids, reasons, provenance=settings.provenance) if folder else ()
    return stored_table(samples.to_table(rows), {"tabmwp": settings.folder})


@asset(
    group="sources",
    table="tangram",
    step=tangrams,
    params=["sources.kilogram"],
    files=["sources.kilogram.folder"],
    deps=[UPSTREAMS],
    kinds=["svg"],
)
def kilogram() -> dg.Output[pa.Table]:
    """The tangrams of KILOGRAM: seven pieces each, and what annotators saw in them."""
    settings = params.load().sources.kilogram
    folder = folder_of(settings)
    rows = tangrams.tangrams(folder, provenance=settings.provenance) if folder else ()
    return stored_table(as_table("tangram", rows), {"kilogram": settings.folder})


@asset(
    group="sources",
    table="image",
    step=clues,
    params=["sources.sherlock"],
    files=["sources.sherlock.folder"],
    deps=[UPSTREAMS],
    kinds=["png"],
)
def sherlock_images() -> dg.Output[Made]:
    """The pictures of Sherlock."""
    settings = params.load().sources.sherlock
    folder = folder_of(settings)
    return stored_pictures(clues.pictures(folder) if folder else (), "sherlock", {"sherlock": settings.folder})


@asset(
    group="sources",
    table="clue",
    step=clues,
    params=["sources.sherlock"],
    files=["sources.sherlock.folder"],
    deps=[UPSTREAMS],
)
def sherlock(sherlock_images: Pictures) -> dg.Output[pa.Table]:
    """The instances of Sherlock: what was seen in a region of a picture, and what was inferred from it."""
    settings = params.load().sources.sherlock
    folder = folder_of(settings)
    ids, reasons = sherlock_images.ids(), sherlock_images.reasons()
    rows = clues.clues(folder, ids, reasons, provenance=settings.provenance) if folder else ()
    return stored_table(as_table("clue", rows), {"sherlock": settings.folder})


@asset(
    group="sources",
    table="annotation",
    step=annotation,
    params=["sources.m3cot_annotations"],
    files=["sources.m3cot_annotations.recorded", "sources.m3cot_annotations.own"],
    deps=[UPSTREAMS],
)
def m3cot_annotations() -> dg.Output[pa.Table]:
    """Judgements of M3CoT's samples, stage by stage: recorded ones, and those of the annotation page."""
    settings = params.load().sources.m3cot_annotations
    named = [settings.recorded, settings.own] if settings.recorded else [settings.own]
    rows = annotation.read([(params.ROOT / name, name) for name in named])
    return stored_table(as_table("annotation", rows), {"m3cot_annotations": ", ".join(named)})


@asset(
    group="sources",
    table="image",
    step=released_folder,
    params=["sources.m3cot_released"],
    files=["sources.m3cot_released.items"],
    deps=[GENERATED],
    kinds=["png"],
)
def m3cot_released_images() -> dg.Output[Made]:
    """The pictures of M3CoT's finished release, where it comes as a folder with them; a file of items has none."""
    settings = params.load().sources.m3cot_released
    path = None if settings.items is None else params.ROOT / settings.items
    found = released_folder.pictures(path) if path is not None and released_folder.is_release(path) else ()
    return stored_pictures(found, "m3cot_released.items", {"m3cot_released.items": settings.items})


@asset(
    group="sources",
    table="sample",
    step=[released, released_folder],
    params=["sources.m3cot_released"],
    files=["sources.m3cot_released.items"],
    deps=[GENERATED],
)
def m3cot_released(m3cot_released_images: Pictures) -> dg.Output[pa.Table]:
    """The released items of M3CoT, or generated ones in their form; records that cannot be read included."""
    settings = params.load().sources.m3cot_released
    path = None if settings.items is None else params.ROOT / settings.items
    if path is None or not released_folder.is_release(path):
        lines = () if path is None else jsonlines.read(path, str(settings.items))
        rows = released.samples(lines, file=str(settings.items), provenance=settings.provenance)
        return stored_table(samples.to_table(rows), {"m3cot_released.items": settings.items})
    ids, reasons = m3cot_released_images.ids(), m3cot_released_images.reasons()
    rows = released_folder.samples(path, ids, reasons, provenance=settings.provenance)
    return stored_table(samples.to_table(rows), {"m3cot_released.items": settings.items})
