"""M3CoT: ScienceQA filtered, mathematics, commonsense and sparse science added, checked by annotators, split."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

import dagster as dg
import pyarrow as pa

from assets import annotation, params, samples
from assets import images as pictures
from assets import writer as writers
from assets.asset import Made, asset
from assets.images import Pictures
from assets.m3cot import commonsense as clues
from assets.m3cot import duplicates, judged, letters, new_samples, rewrite
from assets.m3cot import split as splitting
from assets.m3cot import thumbnails as thumbs
from assets.m3cot.mathematics import options
from assets.m3cot.mathematics import pictures as mathematics_pictures
from assets.m3cot.mathematics import samples as maths
from assets.m3cot.science import maps, table_questions, tangram_questions
from assets.schema.sample import Sample
from assets.writer import Writer

EVERY = 500
"""Rows after which long work says how far it is."""

PICTURED = {
    "scienceqa_images": dg.AssetIn(key=["sources", "scienceqa_images"]),
    "tabmwp_images": dg.AssetIn(key=["sources", "tabmwp_images"]),
    "sherlock_images": dg.AssetIn(key=["sources", "sherlock_images"]),
    "mathematics_images": dg.AssetIn(key=["m3cot", "mathematics_images"]),
    "science_images": dg.AssetIn(key=["m3cot", "science_images"]),
}
JUDGED = {"judgements": dg.AssetIn(key=["sources", "m3cot_annotations"])}


def _in(*names: str) -> dict[str, dg.AssetIn]:
    return {name: dg.AssetIn(key=["sources", name]) for name in names}


def _left_out(rows: Iterable[Sample]) -> dict[str, int]:
    return dict(sorted(Counter(row.dropped for row in rows if row.dropped is not None).items()))


def _made(rows: list[Sample], **facts: Any) -> dg.Output[pa.Table]:
    kept = sum(row.dropped is None for row in rows)
    return dg.Output(samples.to_table(rows), metadata={"kept": kept, "left_out": _left_out(rows), **facts})


def _long_enough(rows: Iterable[Sample]) -> list[Sample]:
    settings = params.load().m3cot
    return judged.drop_short(rows, steps_profile=settings.steps, least_steps=settings.filter.least_steps)


def _writer(context: dg.AssetExecutionContext, task: str, rule: Callable[[Mapping[str, Any]], str | None]) -> Writer:
    settings = params.load().m3cot.writer
    asked = settings.model_dump(exclude={"kind", "replies"}) if settings.kind == "openai" else {}
    return writers.of(
        settings.kind,
        rules={task: rule},
        store_folder=params.ROOT / "var" / "replies" / "writer",
        file=None if settings.replies is None else params.ROOT / settings.replies,
        progress=_progress(context),
        **asked,
    )


def _progress(context: dg.AssetExecutionContext) -> Callable[[int, int | None], None]:
    """Says now and then how far it is: in the log of the run, and on standard error for whoever waits there."""

    def said(done: int, total: int | None) -> None:
        if done and done % EVERY == 0:
            line = f"{context.asset_key.to_user_string()}: {done:,}{f' of {total:,}' if total else ''}"
            context.log.info(line)
            print(line, file=sys.stderr, flush=True)

    return said


@asset(group="m3cot", table="sample", step=judged, params=["m3cot.votes"], ins={**_in("scienceqa"), **JUDGED})
def image_needed(scienceqa: pa.Table, judgements: pa.Table) -> dg.Output[pa.Table]:
    """ScienceQA without the problems that have no picture, or whose rationale annotators can infer without it."""
    votes = params.load().m3cot.votes
    found = judged.image_needed(
        samples.kept(scienceqa), annotation.of_table(judgements), pending=votes.pending, needed=votes.needed
    )
    return _made(found.samples, pending=found.pending, decided=found.decided, judgements_unused=found.unused)


@asset(
    group="m3cot",
    table="sample",
    step=judged,
    params=["m3cot.votes", "m3cot.steps", "m3cot.filter"],
    ins=JUDGED,
)
def multistep(image_needed: pa.Table, judgements: pa.Table) -> dg.Output[pa.Table]:
    """Of those, the problems whose rationale has two steps or more and needs the picture in at least two."""
    settings = params.load().m3cot
    found = judged.multistep(
        samples.kept(image_needed),
        annotation.of_table(judgements),
        steps_profile=settings.steps,
        least_steps=settings.filter.least_steps,
        pending=settings.votes.pending,
        needed=settings.votes.needed,
    )
    return _made(found.samples, pending=found.pending, decided=found.decided, judgements_unused=found.unused)


@asset(
    group="m3cot",
    table="image",
    step=mathematics_pictures,
    params=["m3cot.mathematics"],
    ins=_in("math"),
    kinds=["png"],
)
def mathematics_images(context: dg.AssetExecutionContext, math: pa.Table) -> dg.Output[Made]:
    """A picture for each problem of MATH: its formulas and figures, drawn and laid out on one page."""
    settings = params.load().m3cot.mathematics
    drawn = mathematics_pictures.drawn(
        samples.kept(math),
        most_per_topic=settings.most_per_topic,
        executable=mathematics_pictures.executable(settings.figures),
        seconds=settings.figure_s,
        progress=_progress(context),
    )
    return dg.Output(Made(groups=pictures.batches(pictures.once(drawn))))


@asset(
    group="m3cot",
    table="sample",
    step=[maths, options, writers, judged],
    params=["m3cot.writer", "m3cot.steps", "m3cot.filter"],
    ins=_in("math"),
)
def mathematics(context: dg.AssetExecutionContext, math: pa.Table, mathematics_images: Pictures) -> dg.Output[pa.Table]:
    """MATH with pictures and four options: the right one, and three wrong ones that the language model wrote."""
    entered = samples.kept(math)
    writer = _writer(context, options.TASK, options.rule)
    drawn, undrawn = mathematics_images.ids(), mathematics_images.reasons()
    replies = writer.write(list(options.requests([row for row in entered if row.id in drawn])))
    return _made(_long_enough(maths.mathematics(entered, replies, drawn, undrawn, writer=writer.name)))


@asset(
    group="m3cot",
    table="sample",
    step=[clues, writers],
    params=["m3cot.commonsense", "m3cot.writer"],
    ins=_in("sherlock"),
)
def commonsense(context: dg.AssetExecutionContext, sherlock: pa.Table) -> dg.Output[pa.Table]:
    """A question from several clues of one picture of Sherlock, by the language model; one row a clue."""
    settings = params.load().m3cot.commonsense
    rows = [row for row in sherlock.to_pylist() if row["dropped"] is None]
    found, _ = clues.scenes(rows, least=settings.least_clues, most=settings.most_clues)
    writer = _writer(context, clues.TASK, clues.rule)
    replies = writer.write(list(clues.requests(found.values(), seed=settings.seed)))
    made = clues.samples(rows, replies, least=settings.least_clues, most=settings.most_clues, writer=writer.name)
    return _made(made)


@asset(
    group="m3cot",
    table="image",
    step=[tangram_questions, maps],
    params=["m3cot.science"],
    ins=_in("kilogram"),
    kinds=["png"],
)
def science_images(kilogram: pa.Table) -> dg.Output[Made]:
    """The pictures drawn for sparse science topics: tangrams of KILOGRAM, and maps by rule."""
    settings = params.load().m3cot.science
    drawn = chain(tangram_questions.pictures(kilogram), maps.pictures(settings.maps, seed=settings.seed))
    return dg.Output(Made(groups=pictures.batches(pictures.once(drawn))))


@asset(
    group="m3cot",
    table="sample",
    step=[table_questions, tangram_questions, maps, judged],
    params=["m3cot.science", "m3cot.steps", "m3cot.filter"],
    ins=_in("tabmwp", "kilogram"),
)
def science(tabmwp: pa.Table, kilogram: pa.Table, science_images: Pictures) -> dg.Output[pa.Table]:
    """Samples for sparse topics from TabMWP, KILOGRAM and maps drawn here, by rule."""
    settings = params.load().m3cot.science
    drawn = science_images.ids()
    rows = [
        *table_questions.samples(samples.kept(tabmwp), seed=settings.seed),
        *tangram_questions.samples(kilogram, drawn, seed=settings.seed),
        *maps.samples(settings.maps, drawn, seed=settings.seed),
    ]
    return _made(_long_enough(rows))


@asset(
    group="m3cot",
    table="sample",
    step=[new_samples, writers],
    params=["m3cot.science", "m3cot.writer"],
)
def synthesis(context: dg.AssetExecutionContext, multistep: pa.Table) -> dg.Output[pa.Table]:
    """New samples for the categories that the filters left sparse, from their own samples, by the language model."""
    settings = params.load().m3cot.science
    entered = samples.kept(multistep)
    writer = _writer(context, new_samples.TASK, new_samples.rule)
    asked = list(new_samples.requests(entered, sparse=settings.sparse, most=settings.most_new, seed=settings.seed))
    return _made(new_samples.samples(entered, asked, writer.write(asked), writer=writer.name))


@asset(group="m3cot", table="sample", step=letters, params=["m3cot.letters_seed"])
def balanced(
    multistep: pa.Table, mathematics: pa.Table, commonsense: pa.Table, science: pa.Table, synthesis: pa.Table
) -> dg.Output[pa.Table]:
    """All samples together, options reordered so that every letter is right equally often."""
    entered = samples.kept(multistep, mathematics, commonsense, science, synthesis)
    rows = letters.balanced(entered, seed=params.load().m3cot.letters_seed)
    before, after = (Counter(row.answer or "" for row in each) for each in (entered, rows))
    return _made(rows, letters_before=dict(sorted(before.items())), letters=dict(sorted(after.items())))


@asset(group="m3cot", table="sample", step=[rewrite, writers], params=["m3cot.writer", "m3cot.steps"])
def rewritten(context: dg.AssetExecutionContext, balanced: pa.Table) -> dg.Output[pa.Table]:
    """The samples with their rationales rewritten, where the rewriting passes its checks; `before` keeps the old."""
    entered = samples.kept(balanced)
    writer = _writer(context, rewrite.TASK, rewrite.rule)
    found = rewrite.rewritten(entered, writer.write(list(rewrite.requests(entered))), writer=writer.name)
    changed = sum(row.before is not None for row in found.samples)
    return _made(found.samples, rewritten=changed, refused=found.refused)


@asset(group="m3cot", table="sample", step=duplicates, params=["m3cot.duplicates"], ins=PICTURED)
def deduplicated(rewritten: pa.Table, **tables: Pictures) -> dg.Output[pa.Table]:
    """The samples without those that repeat another: same question, options and answer, pictures over 99 % alike."""
    settings = params.load().m3cot.duplicates
    entered = samples.kept(rewritten)
    thumbnails = _thumbnails(tables, duplicates.wanted(entered))
    rows = duplicates.deduplicate(entered, thumbnails, **settings.model_dump())
    counted = duplicates.counts(entered, thumbnails, similarity=settings.similarity)
    return _made(rows, duplicates_by_measure=counted._asdict())


def _thumbnails(tables: Mapping[str, Pictures], wanted: set[str]) -> dict[str, thumbs.Thumbnail]:
    found: dict[str, thumbs.Thumbnail] = {}
    for _, table in sorted(tables.items()):
        here = wanted.intersection(table.ids().values()) - found.keys()
        found |= thumbs.thumbnails(table, here)
    return found


@asset(group="m3cot", table="sample", step=judged, params=["m3cot.votes", "m3cot.steps"], ins=JUDGED)
def annotated(deduplicated: pa.Table, judgements: pa.Table) -> dg.Output[pa.Table]:
    """The samples as annotators left them: rationales edited step by step, samples that cannot be mended discarded."""
    settings = params.load().m3cot
    found = judged.quality(
        samples.kept(deduplicated),
        annotation.of_table(judgements),
        steps_profile=settings.steps,
        pending=settings.votes.pending,
    )
    edited = sum(row.before is not None for row in found.samples)
    return _made(found.samples, edited=edited, pending=found.pending, decided=found.decided)


@asset(group="m3cot", table="sample", step=judged, params=["m3cot.votes"], ins=JUDGED)
def rechecked(annotated: pa.Table, judgements: pa.Table) -> dg.Output[pa.Table]:
    """The samples that passed both rechecks: at least two annotators agree that they are multi-step and multimodal."""
    votes = params.load().m3cot.votes
    found = judged.recheck(
        samples.kept(annotated), annotation.of_table(judgements), pending=votes.pending, needed=votes.needed
    )
    return _made(found.samples, pending=found.pending, decided=found.decided)


@asset(
    group="m3cot",
    table="sample",
    step=[splitting, duplicates],
    params=["m3cot.split", "m3cot.duplicates"],
    ins=PICTURED,
)
def benchmark(rechecked: pa.Table, **tables: Pictures) -> dg.Output[pa.Table]:
    """M3CoT: every sample that was kept, with its split; what shares or repeats a picture is in one split."""
    settings = params.load().m3cot
    entered = samples.kept(rechecked)
    thumbnails = _thumbnails(tables, duplicates.wanted(entered))
    alike = duplicates.groups(
        entered, thumbnails, similarity=settings.duplicates.similarity, measure=settings.duplicates.measure
    )
    weights = settings.split.model_dump(exclude={"seed"})
    rows = splitting.split(entered, alike, weights, seed=settings.split.seed)
    counted = Counter(row.split or "" for row in rows)
    return _made(
        rows, splits=dict(sorted(counted.items())), largest_group=max(Counter(alike.values()).values(), default=0)
    )


@asset(group="m3cot", table="image", step=pictures, ins=PICTURED, kinds=["png"])
def images(benchmark: pa.Table, **tables: Pictures) -> dg.Output[Made]:
    """The pictures of the benchmark, each once."""
    wanted = {
        image_id for row in samples.kept(benchmark) for image_id in (*(row.images or ()), *(row.choice_images or ()))
    }
    streams = (table.stream(wanted) for _, table in sorted(tables.items()))
    first = pictures.once(chain.from_iterable(streams))
    found = pictures.batches(row for row in first if row.png is not None)
    return dg.Output(Made(groups=found))
