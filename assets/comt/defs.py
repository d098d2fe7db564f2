"""CoMT: creation, deletion, update and selection, rechecked by annotators, with a development set apart."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import dagster as dg
import pyarrow as pa

from assets import annotation, drawing, params, samples
from assets import images as stored
from assets.asset import Made, asset, shown, told
from assets.comt import creation as creating
from assets.comt import deletion as deleting
from assets.comt import development, judged, sheet
from assets.comt import pictures as naming
from assets.comt import selection as selecting
from assets.comt import update as updating
from assets.images import Picture, Pictures
from assets.schema.sample import Sample

JUDGED = {"judgements": dg.AssetIn(key=["sources", "comt_annotations"])}
PICTURED = {
    **{name: dg.AssetIn(key=["sources", name]) for name in ("geometry_images", "crowds_images", "pairs_images")},
    **{name: dg.AssetIn(key=["comt", name]) for name in ("deletion_images", "update_images", "selection_images")},
}


def _in(*names: str) -> dict[str, dg.AssetIn]:
    return {name: dg.AssetIn(key=["sources", name]) for name in names}


def _made(rows: Sequence[Sample], **facts: Any) -> dg.Output[pa.Table]:
    left_out = Counter(row.dropped for row in rows if row.dropped is not None)
    kept = len(rows) - sum(left_out.values())
    return dg.Output(
        samples.to_table(rows), metadata={"kept": kept, "left_out": dict(sorted(left_out.items())), **facts}
    )


def _drawn(drawn: Iterable[Picture], name: str) -> dg.Output[Made]:
    rows = told(stored.once(drawn), f"comt/{name}: pictures drawn")
    return dg.Output(Made(groups=stored.batches(rows)))


def _sheet(rows: Sequence[Sample], *tables: Pictures) -> dict[str, Any]:
    """Some samples with their pictures in turn, as the UI shows them; nothing where no sample was kept."""
    some = sheet.chosen(rows)
    wanted = {image_id for row in some for image_id in row.images or ()}
    found = {
        str(picture.image_id): stored.decode(picture.png or b"") for table in tables for picture in table.stream(wanted)
    }
    return {"samples": shown(sheet.sheet(some, found))} if some else {}


@asset(
    group="comt",
    table="sample",
    step=creating,
    params=["comt.creation"],
    ins=_in("geometry", "geometry_images"),
)
def creation(geometry: pa.Table, geometry_images: Pictures) -> dg.Output[pa.Table]:
    """Geometry whose question describes its picture: the picture moves from the question into the rationale."""
    settings = params.load().comt.creation
    rows = creating.samples(samples.kept(geometry), **settings.model_dump())
    return _made(rows, **_sheet(rows, geometry_images))


@asset(
    group="comt",
    table="image",
    step=deleting,
    params=["comt.deletion"],
    ins=_in("crowds", "crowds_images"),
    kinds=["png"],
)
def deletion_images(crowds: pa.Table, crowds_images: Pictures) -> dg.Output[Made]:
    """The photographs with heads masked, ten more each step from left to right, until none is left."""
    settings = params.load().comt.deletion.model_dump(exclude={"seed"})
    return _drawn(deleting.pictures(crowds, crowds_images, **settings), "deletion_images")


@asset(
    group="comt",
    table="sample",
    step=deleting,
    params=["comt.deletion"],
    ins=_in("crowds", "crowds_images"),
)
def deletion(crowds: pa.Table, crowds_images: Pictures, deletion_images: Pictures) -> dg.Output[pa.Table]:
    """How many people a photograph shows: counted by masking those that were counted."""
    settings = params.load().comt.deletion
    rows = deleting.samples(crowds, deletion_images.ids(), deletion_images.reasons(), **settings.model_dump())
    return _made(rows, **_sheet(rows, crowds_images, deletion_images))


@asset(
    group="comt",
    table="image",
    step=[updating, drawing],
    params=["comt.update"],
    ins=_in("kilogram"),
    kinds=["png"],
)
def update_images(kilogram: pa.Table) -> dg.Output[Made]:
    """Tangrams, plain and with one more group of pieces coloured and named each step."""
    settings = params.load().comt.update
    return _drawn(updating.pictures(kilogram, **settings.model_dump()), "update_images")


@asset(group="comt", table="sample", step=updating, params=["comt.update"], ins=_in("kilogram"))
def update(kilogram: pa.Table, update_images: Pictures) -> dg.Output[pa.Table]:
    """What a tangram shows: told from its parts, each coloured and named in turn. One row a description."""
    settings = params.load().comt.update
    rows = updating.samples(kilogram, update_images.ids(), update_images.reasons(), **settings.model_dump())
    return _made(rows, **_sheet(rows, update_images))


@asset(
    group="comt",
    table="image",
    step=selecting,
    params=["comt.selection"],
    ins=_in("pairs", "pairs_images"),
    kinds=["png"],
)
def selection_images(pairs: pa.Table, pairs_images: Pictures) -> dg.Output[Made]:
    """Pairs side by side, whole and with only some of the differences left, from left to right."""
    settings = params.load().comt.selection
    return _drawn(selecting.pictures(pairs, pairs_images, count=settings.pairs, gap=settings.gap), "selection_images")


@asset(
    group="comt",
    table="sample",
    step=selecting,
    params=["comt.selection"],
    ins=_in("pairs", "pairs_images"),
)
def selection(pairs: pa.Table, pairs_images: Pictures, selection_images: Pictures) -> dg.Output[pa.Table]:
    """How many differences two pictures have: counted from left to right in cuttings of both."""
    settings = params.load().comt.selection
    drawn, undrawn = selection_images.ids(), selection_images.reasons()
    sizes = selecting.sizes(pairs_images)
    rows = selecting.samples(pairs, drawn, undrawn, sizes=sizes, count=settings.pairs, seed=settings.seed)
    return _made(rows, **_sheet(rows, selection_images))


@asset(group="comt", table="sample", step=judged, params=["comt.votes"], ins=JUDGED)
def rechecked(
    creation: pa.Table, deletion: pa.Table, update: pa.Table, selection: pa.Table, judgements: pa.Table
) -> dg.Output[pa.Table]:
    """The samples that annotators let pass: descriptions of pictures completed, then rechecked twice."""
    votes = params.load().comt.votes
    found = judged.checked(
        samples.kept(creation, deletion, update, selection),
        annotation.of_table(judgements),
        pending=votes.pending,
        needed=votes.needed,
    )
    edited = sum(row.before is not None for row in found.samples)
    facts = {"pending": found.pending, "decided": found.decided, "judgements_unused": found.unused}
    return _made(found.samples, edited=edited, **facts)


@asset(group="comt", table="sample", step=development, params=["comt.development"])
def benchmark(rechecked: pa.Table) -> dg.Output[pa.Table]:
    """CoMT: every sample that was kept, some of each task set apart for development (split validation)."""
    settings = params.load().comt.development
    found = development.divided(samples.kept(rechecked), **settings.model_dump())
    few = {task: n for task, n in found.taken.items() if n < settings.per_task}
    return _made(found.samples, development=found.taken, fewer_than_asked=few)


@asset(group="comt", table="image", step=naming, ins=PICTURED, kinds=["png"])
def images(benchmark: pa.Table, **tables: Pictures) -> dg.Output[Made]:
    """The pictures of the benchmark as files of its release; those of the development set too."""
    found = naming.benchmark(samples.kept(benchmark), [tables[name] for name in PICTURED])
    return dg.Output(Made(groups=stored.batches(found)))
