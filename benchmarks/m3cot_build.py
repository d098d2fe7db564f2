"""What building M3CoT costs: rows a second by stage, memory at four times the pictures, the search for duplicates.

    python -m benchmarks.m3cot_build [stages] [memory] [duplicates]

Without a word all three. Everything is made in a temporary folder: for `stages` the embedded default in its own size,
whose stages are called as functions, without an engine and its checks, each from table to table; for `memory` pictures
of noise, which no compression makes small, few large ones and many small ones, each step in a process of its own; for
`duplicates` thumbnails of one question, the same ones for the plain loop, which looks at each pair in turn.
Run it while nothing else does: seconds are those of the clock, the median of the runs.
"""

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from assets import images, samples
from assets.images import Picture, Pictures
from benchmarks import measuring
from benchmarks.measuring import store
from orchestration import storage

RUNS = 3
MOST_SECONDS = 2.0
SETS = {"large": (640, 480, 90), "small": (64, 48, 1_500)}
"""Width, height and number of the pictures whose memory is measured; beside them four times as many. M3CoT of the
default has about as many as there are small ones: what is kept of each, as a thumbnail of 4 kB, counts there."""
SAME_QUESTION = 2_000
IN_THE_LOOP = 400
IMAGES = ("scienceqa_images", "tabmwp_images", "sherlock_images", "mathematics_images", "science_images")
MADE_HERE = (("m3cot/science", "map"), ("m3cot/synthesis", "synthesis"))


def chain(world: Path, out: Path, settings: Any) -> Iterator[tuple[str, int]]:
    """Makes table after table of the construction; of each its name and its rows, when it is there."""
    from assets import agreement, annotation, flow, writer
    from assets.m3cot import commonsense, duplicates, judged, letters, new_samples, rewrite, split
    from assets.m3cot import thumbnails as small
    from assets.m3cot.account import benchmark_statistics
    from assets.m3cot.mathematics import options
    from assets.m3cot.mathematics import pictures as cards
    from assets.m3cot.mathematics import samples as mathematics
    from assets.m3cot.science import maps, table_questions, tangram_questions
    from assets.schema.tables import as_table
    from assets.sources import kilogram, math_problems, scienceqa, sherlock, tabmwp

    m3cot, provenance = settings.m3cot, "generated"
    votes, science = m3cot.votes, m3cot.science
    tables: dict[str, pa.Table] = {}
    pictures: dict[str, Pictures] = {}

    def stored(name: str, found: Iterable[Picture]) -> tuple[str, int]:
        pictures[name] = store(found, out / f"{name}.parquet")
        tables[name] = pictures[name].index()
        return name, len(tables[name])

    def made(name: str, rows: Iterable[Any], kind: str = "sample") -> tuple[str, int]:
        tables[name] = as_table(kind, rows)
        return name, len(tables[name])

    def kept(*names: str) -> list[samples.Sample]:
        return samples.kept(*(tables[name] for name in names))

    def read(name: str) -> tuple[dict[str, str], dict[str, str]]:
        return pictures[name].ids(), pictures[name].reasons()

    def long_enough(rows: Iterable[samples.Sample]) -> list[samples.Sample]:
        return judged.drop_short(rows, steps_profile=m3cot.steps, least_steps=m3cot.filter.least_steps)

    def thumbnails(wanted: set[str], names: Sequence[str]) -> dict[str, small.Thumbnail]:
        found: dict[str, small.Thumbnail] = {}
        for name in names:
            here = wanted.intersection(pictures[name].ids().values()) - found.keys()
            found |= small.thumbnails(pictures[name], here)
        return found

    yield stored("scienceqa_images", scienceqa.pictures(world / "scienceqa"))
    yield stored("tabmwp_images", tabmwp.pictures(world / "tabmwp"))
    yield stored("sherlock_images", sherlock.pictures(world / "sherlock"))
    yield made("scienceqa", scienceqa.samples(world / "scienceqa", *read("scienceqa_images"), provenance=provenance))
    yield made("math", math_problems.samples(world / "math", provenance=provenance))
    yield made("tabmwp", tabmwp.samples(world / "tabmwp", *read("tabmwp_images"), provenance=provenance))
    yield made("kilogram", kilogram.tangrams(world / "kilogram", provenance=provenance), "tangram")
    yield made("sherlock", sherlock.clues(world / "sherlock", *read("sherlock_images"), provenance=provenance), "clue")
    yield made("m3cot_annotations", annotation.read([(world / "annotations", "annotations")]), "annotation")
    judgements = annotation.of_table(tables["m3cot_annotations"])
    yield stored(
        "mathematics_images",
        cards.drawn(
            kept("math"), most_per_topic=None, executable=cards.executable(m3cot.mathematics.figures), seconds=10.0
        ),
    )
    drawn = itertools.chain(
        tangram_questions.pictures(tables["kilogram"]), maps.pictures(science.maps, seed=science.seed)
    )
    yield stored("science_images", drawn)
    found = judged.image_needed(kept("scienceqa"), judgements, pending=votes.pending, needed=votes.needed)
    yield made("image_needed", found.samples)
    found = judged.multistep(
        kept("image_needed"),
        judgements,
        steps_profile=m3cot.steps,
        least_steps=m3cot.filter.least_steps,
        pending=votes.pending,
        needed=votes.needed,
    )
    yield made("multistep", found.samples)
    entered, (ids, reasons) = kept("math"), read("mathematics_images")
    asked = options.requests([row for row in entered if row.id in ids])
    replies = writer.Rules({options.TASK: options.rule}).write(list(asked))
    yield made("mathematics", long_enough(mathematics.mathematics(entered, replies, ids, reasons, writer="rules")))
    clues = [row for row in tables["sherlock"].to_pylist() if row["dropped"] is None]
    limits = {"least": m3cot.commonsense.least_clues, "most": m3cot.commonsense.most_clues}
    scenes, _ = commonsense.scenes(clues, **limits)
    asked = commonsense.requests(scenes.values(), seed=m3cot.commonsense.seed)
    replies = writer.Rules({commonsense.TASK: commonsense.rule}).write(list(asked))
    yield made("commonsense", commonsense.samples(clues, replies, **limits, writer="rules"))
    ids, _ = read("science_images")
    by_rule = [
        *table_questions.samples(kept("tabmwp"), seed=science.seed),
        *tangram_questions.samples(tables["kilogram"], ids, seed=science.seed),
        *maps.samples(science.maps, ids, seed=science.seed),
    ]
    yield made("science", long_enough(by_rule))
    entered = kept("multistep")
    sparse = list(new_samples.requests(entered, sparse=science.sparse, most=science.most_new, seed=science.seed))
    replies = writer.Rules({new_samples.TASK: new_samples.rule}).write(sparse)
    yield made("synthesis", new_samples.samples(entered, sparse, replies, writer="rules"))
    entered = kept("multistep", "mathematics", "commonsense", "science", "synthesis")
    yield made("balanced", letters.balanced(entered, seed=m3cot.letters_seed))
    entered = kept("balanced")
    replies = writer.Rules({rewrite.TASK: rewrite.rule}).write(list(rewrite.requests(entered)))
    yield made("rewritten", rewrite.rewritten(entered, replies, writer="rules").samples)
    entered = kept("rewritten")
    thumbs = thumbnails(duplicates.wanted(entered), IMAGES)
    rows = duplicates.deduplicate(entered, thumbs, **m3cot.duplicates.model_dump())
    duplicates.counts(entered, thumbs, similarity=m3cot.duplicates.similarity)
    yield made("deduplicated", rows)
    found = judged.quality(kept("deduplicated"), judgements, steps_profile=m3cot.steps, pending=votes.pending)
    yield made("annotated", found.samples)
    found = judged.recheck(kept("annotated"), judgements, pending=votes.pending, needed=votes.needed)
    yield made("rechecked", found.samples)
    entered = kept("rechecked")
    measured = {"similarity": m3cot.duplicates.similarity, "measure": m3cot.duplicates.measure}
    alike = duplicates.groups(entered, thumbnails(duplicates.wanted(entered), IMAGES), **measured)
    weights = m3cot.split.model_dump(exclude={"seed"})
    yield made("benchmark", split.split(entered, alike, weights, seed=m3cot.split.seed))
    entered = kept("benchmark")
    yield stored("images", selected((pictures[name] for name in IMAGES), shown(entered)))
    thumbs = thumbnails(duplicates.wanted(entered), ["images"])
    yield made("similar", duplicates.similar(entered, thumbs, **measured), "similar")
    yield made("agreement", agreement.agreement(judgements), "agreement")
    audited = judged.audit(
        kept("scienceqa", "tabmwp"), judgements, fraction=m3cot.audit.share, seed=m3cot.audit.seed, needed=votes.needed
    )
    yield made("audit", audited.rows, "audit")
    stages = {f"m3cot/{name}": table for name, table in tables.items() if "dropped" in table.column_names}
    flows = flow.of_stages(stages, MADE_HERE)
    yield made("flow", flows, "flow")
    counted = benchmark_statistics.statistics(
        entered, kept("scienceqa"), flows, steps_profile=m3cot.steps, profile="default"
    )
    yield made("statistics", counted, "statistic")


def selected(tables: Iterable[Pictures], wanted: set[str]) -> Iterator[Picture]:
    """The pictures of several tables that are wanted, as `m3cot/images` takes them."""
    streams = itertools.chain.from_iterable(table.stream(wanted) for table in tables)
    return (row for row in images.once(streams) if row.png is not None)


def shown(rows: Iterable[samples.Sample]) -> set[str]:
    """The ids of all pictures of these samples."""
    return {image_id for row in rows for image_id in (*(row.images or ()), *(row.choice_images or ()))}


def stages(folder: Path) -> None:
    """Prints rows, seconds and rows a second of every stage, of the default's size."""
    from assets import params
    from assets.sources.generated import upstreams
    from orchestration import profile

    settings = params.validate(params.parse(profile.text("default")))
    drawn = settings.sources.generated_upstreams
    began = time.perf_counter()
    upstreams.draw(folder / "world", **drawn.model_dump() | {"geoqa": 0, "jhu_crowd": 0, "spot_diff": 0})
    taken = time.perf_counter() - began
    drawn_rows = drawn.scienceqa + drawn.math + drawn.tabmwp + drawn.kilogram + drawn.sherlock
    seconds: dict[str, list[float]] = {}
    rows: dict[str, int] = {}
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory(dir=folder) as out:
            began = time.perf_counter()
            for name, count in chain(folder / "world", Path(out), settings):
                seconds.setdefault(name, []).append(time.perf_counter() - began)
                rows[name] = count
                began = time.perf_counter()
    print(f"{'stage':<20}{'rows':>8}{'seconds':>10}{'rows/s':>10}")
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    for name, median in [("the world (once)", taken), *medians.items()]:
        count = rows.get(name, drawn_rows)
        print(f"{name:<20}{count:>8,}{median:>10.2f}{count / median:>10,.0f}")
    print(f"{'all but the world':<20}{sum(rows.values()):>8,}{sum(medians.values()):>10.2f}")


def _read(folder: Path) -> None:
    from assets.sources import folders

    store(folders.pictures(folder, "images"), folder / "stored.parquet")


def _looked_up(folder: Path) -> None:
    stored = _stored(folder)
    stored.index()
    stored.ids()
    stored.reasons()


def _checked(folder: Path) -> None:
    storage.without_bytes(storage.open_versioned(folder / "stored.parquet")[0])


def _previewed(folder: Path) -> None:
    from orchestration import io_manager

    io_manager.some_of(_stored(folder))


def _selected(folder: Path) -> None:
    stored = _stored(folder)
    store(selected([stored], set(stored.ids().values())), folder / "selected.parquet")


def _compared(folder: Path) -> None:
    from assets.m3cot import thumbnails as small

    stored = _stored(folder)
    small.thumbnails(stored, set(stored.ids().values()))


def _stored(folder: Path) -> Pictures:
    return measuring.opened(folder / "stored.parquet")


STEPS: measuring.Steps = {
    "read": _read,
    "ids": _looked_up,
    "checks": _checked,
    "contact sheet": _previewed,
    "selection": _selected,
    "thumbnails": _compared,
}


def memory(folder: Path) -> None:
    """Prints the peak of each step that handles pictures, and its ratio at four times the pictures."""
    for kind, (width, height, count) in SETS.items():
        for times in (1, 4):
            measuring.noise(folder / kind / str(times) / "images", width, height, count * times)
    measuring.compare("benchmarks.m3cot_build", STEPS, {kind: count for kind, (*_, count) in SETS.items()}, folder)


def duplicates(folder: Path) -> None:
    """Prints the seconds of the search in one group of pictures, and its ratio to a plain loop over fewer."""
    import numpy as np

    from assets.m3cot import duplicates as searching

    rows, thumbs = same_question(SAME_QUESTION)
    searches: dict[str, Callable[[Sequence[samples.Sample]], Any]] = {
        "deduplicate": lambda some: [row.id for row in searching.deduplicate(some, thumbs) if row.dropped],
        "groups": lambda some: searching.groups(some, thumbs),
        "similar": lambda some: searching.similar(some, thumbs),
    }
    for name, search in searches.items():
        taken = statistics.median(timed(search, rows)[0] for _ in range(RUNS))
        print(f"{name} among {SAME_QUESTION:,} pictures of one question: {taken:.2f} s (bound {MOST_SECONDS:.0f})")

    def plain(some: Sequence[samples.Sample]) -> list[str | None]:
        kept: list[Any] = []
        repeats = []
        for row in some:
            grey = thumbs[(row.images or ("",))[0]].grey.ravel()
            if any(np.corrcoef(grey, other)[0, 1] > 0.99 for other in kept):
                repeats.append(row.id)
            else:
                kept.append(grey)
        return repeats

    few = rows[:IN_THE_LOOP]
    ours = statistics.median(timed(searches["deduplicate"], few)[0] for _ in range(RUNS))
    theirs = statistics.median(timed(plain, few)[0] for _ in range(RUNS))
    same = plain(few) == searches["deduplicate"](few)
    print(
        f"deduplicate among the first {IN_THE_LOOP}: {ours:.3f} s, the plain loop {theirs:.2f} s, "
        f"{theirs / ours:.0f} times; {'the same' if same else 'OTHER'} duplicates"
    )


def same_question(count: int) -> tuple[list[samples.Sample], dict[str, Any]]:
    """Samples of one question and answer, each with its picture; every tenth picture nearly repeats an earlier one."""
    import numpy as np

    from assets.m3cot.thumbnails import SIDE, Thumbnail

    rng = np.random.default_rng(0)
    greys: list[Any] = []
    for number in range(count):
        if number % 10 == 9:
            grey = np.clip(greys[rng.integers(number)] + rng.integers(-3, 4, (SIDE, SIDE)), 0, 255)
        else:
            grey = np.kron(rng.integers(0, 256, (8, 8)), np.ones((SIDE // 8, SIDE // 8)))
        greys.append(grey.astype(np.int64))
    thumbs = {f"{number}": Thumbnail(grey.astype(np.uint8), number) for number, grey in enumerate(greys)}
    blank = samples.Sample(None, "m3cot", "drawn", None, "drawn", question="Which?", choices=("a", "b"), answer="A")
    rows = [blank._replace(id=f"s-{at}", source_id=str(at), split="train", images=(str(at),)) for at in range(count)]
    return rows, thumbs


def timed(search: Callable[[Sequence[samples.Sample]], Any], rows: Sequence[samples.Sample]) -> tuple[float, Any]:
    began = time.perf_counter()
    found = search(rows)
    return time.perf_counter() - began, found


PARTS: measuring.Steps = {"stages": stages, "memory": memory, "duplicates": duplicates}


if __name__ == "__main__":
    sys.exit(measuring.main(sys.argv[1:], PARTS, STEPS))
