"""Sources of CoMT: geometry, crowds and pairs of pictures by their upstreams' readers, judgements, the release."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import dagster as dg
import pyarrow as pa

from assets import annotation, params, samples
from assets.asset import Made, asset
from assets.images import Picture, Pictures
from assets.schema.tables import as_table
from assets.sources import (
    comt_released_folder,
    game_pairs,
    geometry3k,
    geoqa,
    jhu_crowd,
    jsonlines,
    m3cot_released,
    several,
    spot_diff,
    voc_faces,
)
from assets.sources.defs import GENERATED, UPSTREAMS, folder_of, stored_pictures, stored_table

Readers = Mapping[str, ModuleType]

GEOMETRY: Readers = {"geoqa": geoqa, "geometry3k": geometry3k}
CROWDS: Readers = {"jhu_crowd": jhu_crowd, "voc_faces": voc_faces}
PAIRS: Readers = {"spot_diff": spot_diff, "game_pairs": game_pairs}
"""The upstreams that each task of CoMT is built from, by their settings' names."""


def _settings(readers: Readers) -> list[str]:
    return [f"sources.{name}" for name in readers]


def _files(readers: Readers) -> list[str]:
    return [f"sources.{name}.folder" for name in readers]


def _lie(readers: Readers) -> Iterator[tuple[str, ModuleType, Path, str]]:
    """The upstreams that are configured: name, reader, folder, provenance."""
    sources = params.load().sources
    for name, reader in readers.items():
        settings = getattr(sources, name)
        folder = folder_of(settings)
        if folder is not None:
            yield name, reader, folder, settings.provenance


def _where(readers: Readers) -> dict[str, str | None]:
    sources = params.load().sources
    return {name: getattr(sources, name).folder for name in readers}


def _pictures(readers: Readers, name: str) -> dg.Output[Made]:
    found: Iterator[Picture] = (
        picture
        for upstream, reader, folder, _ in _lie(readers)
        for picture in several.prefixed(reader.pictures(folder), upstream)
    )
    return stored_pictures(found, name, _where(readers))


def _records(readers: Readers, read: str, pictures: Pictures) -> Iterator[object]:
    ids, reasons = pictures.ids(), pictures.reasons()
    for upstream, reader, folder, provenance in _lie(readers):
        files = several.own(ids, upstream), several.own(reasons, upstream)
        rows = getattr(reader, read)(folder, *files, provenance=provenance)
        yield from several.placed(rows, upstream)


@asset(
    group="sources",
    table="image",
    step=[*GEOMETRY.values(), several],
    params=_settings(GEOMETRY),
    files=_files(GEOMETRY),
    deps=[UPSTREAMS],
    kinds=["png"],
)
def geometry_images() -> dg.Output[Made]:
    """The pictures of GeoQA+ and Geometry3K; files that hold no picture included, with the reason."""
    return _pictures(GEOMETRY, "geometry")


@asset(
    group="sources",
    table="sample",
    step=[*GEOMETRY.values(), several],
    params=_settings(GEOMETRY),
    files=_files(GEOMETRY),
    deps=[UPSTREAMS],
)
def geometry(geometry_images: Pictures) -> dg.Output[pa.Table]:
    """The problems of GeoQA+ and Geometry3K with their worked solutions, where they have any."""
    rows = _records(GEOMETRY, "samples", geometry_images)
    return stored_table(as_table("sample", rows), _where(GEOMETRY))


@asset(
    group="sources",
    table="image",
    step=[*CROWDS.values(), several],
    params=_settings(CROWDS),
    files=_files(CROWDS),
    deps=[UPSTREAMS],
    kinds=["jpeg"],
)
def crowds_images() -> dg.Output[Made]:
    """The photographs of JHU-CROWD++, or of the faces that stand in for it."""
    return _pictures(CROWDS, "crowds")


@asset(
    group="sources",
    table="crowd",
    step=[*CROWDS.values(), several],
    params=_settings(CROWDS),
    files=_files(CROWDS),
    deps=[UPSTREAMS],
)
def crowds(crowds_images: Pictures) -> dg.Output[pa.Table]:
    """The people of each photograph: a box on every head, as the upstream has them."""
    rows = _records(CROWDS, "crowds", crowds_images)
    return stored_table(as_table("crowd", rows), _where(CROWDS))


@asset(
    group="sources",
    table="image",
    step=[*PAIRS.values(), several],
    params=_settings(PAIRS),
    files=_files(PAIRS),
    deps=[UPSTREAMS],
    kinds=["png"],
)
def pairs_images() -> dg.Output[Made]:
    """The pictures of pairs that differ."""
    return _pictures(PAIRS, "pairs")


@asset(
    group="sources",
    table="pair",
    step=[*PAIRS.values(), several],
    params=_settings(PAIRS),
    files=_files(PAIRS),
    deps=[UPSTREAMS],
)
def pairs(pairs_images: Pictures) -> dg.Output[pa.Table]:
    """Pairs of pictures that differ, with a box on each difference."""
    rows = _records(PAIRS, "pairs", pairs_images)
    return stored_table(as_table("pair", rows), _where(PAIRS))


@asset(
    group="sources",
    table="annotation",
    step=annotation,
    params=["sources.comt_annotations"],
    files=["sources.comt_annotations.recorded", "sources.comt_annotations.own"],
    deps=[UPSTREAMS],
)
def comt_annotations() -> dg.Output[pa.Table]:
    """Judgements of CoMT's samples, stage by stage: recorded ones, and those of the annotation page."""
    settings = params.load().sources.comt_annotations
    named = [settings.recorded, settings.own] if settings.recorded else [settings.own]
    rows = annotation.read([(params.ROOT / name, name) for name in named], "sources.comt_annotations.recorded")
    return stored_table(as_table("annotation", rows), {"comt_annotations": ", ".join(named)})


@asset(
    group="sources",
    table="image",
    step=comt_released_folder,
    params=["sources.comt_released"],
    files=["sources.comt_released.items"],
    deps=[GENERATED],
    kinds=["png"],
)
def comt_released_images() -> dg.Output[Made]:
    """The pictures of CoMT's finished release, where it comes as a folder with them, each file's own bytes kept."""
    settings = params.load().sources.comt_released
    path = None if settings.items is None else params.ROOT / settings.items
    found = comt_released_folder.pictures(path) if path is not None and comt_released_folder.is_release(path) else ()
    return stored_pictures(found, "comt_released", {"comt_released.items": settings.items})


@asset(
    group="sources",
    table="sample",
    step=[m3cot_released, comt_released_folder],
    params=["sources.comt_released"],
    files=["sources.comt_released.items"],
    deps=[GENERATED],
)
def comt_released(comt_released_images: Pictures) -> dg.Output[pa.Table]:
    """The released items of CoMT, with their pictures where they come in a folder; unreadable records included."""
    settings = params.load().sources.comt_released
    path = None if settings.items is None else params.ROOT / settings.items
    if path is not None and comt_released_folder.is_release(path):
        ids, reasons = comt_released_images.ids(), comt_released_images.reasons()
        rows = comt_released_folder.samples(path, ids, reasons, provenance=settings.provenance)
    else:
        rows = m3cot_released.samples(
            () if path is None else jsonlines.read(path, str(settings.items)),
            file=str(settings.items),
            benchmark="comt",
            source="comt_released",
            provenance=settings.provenance,
        )
    return stored_table(samples.to_table(rows), {"comt_released.items": settings.items})
