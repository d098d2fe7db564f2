"""What building CoMT costs: samples a second by task, memory at four times the pictures, tangrams drawn.

    python -m benchmarks.comt_build [tasks] [memory] [tangrams]

Without a word all three. Everything is made in a temporary folder: for `tasks` the embedded default's upstreams in its
own size, read, drawn and stored as the assets do it, without an engine and its checks; for `memory` pictures of noise,
which no compression makes small, in the upstreams' forms, each step in a process of its own; for `tangrams` the 1,013
drawings of KILOGRAM where the slice of upstream files is there, generated ones else.
Run it while nothing else does: seconds are those of the clock, the median of the runs.
"""

import json
import pickle
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa

from assets import images, samples
from assets.images import Pictures
from assets.schema.sample import Sample
from assets.schema.tables import as_table
from benchmarks import measuring
from benchmarks.measuring import ROOT, store

RUNS = 3
TANGRAMS = 1_013
MOST_SECONDS = 15.0
SLICE = ROOT.parent / "shared" / "data" / "kilogram"
NOISE = {"crowds": 60, "pairs": 24, "geometry": 300}
"""Pictures (of pairs: pairs) whose memory is measured, by what they are of; beside them four times as many."""


def _settings() -> Any:
    from assets import params
    from orchestration import profile

    return params.validate(params.parse(profile.text("default")))


def _read(reader: ModuleType, folder: Path, records: str, kind: str, out: Path) -> tuple[pa.Table, Pictures]:
    """The records and pictures of an upstream as its assets store them."""
    found = store(reader.pictures(folder), out / f"{kind}_source.parquet")
    rows = getattr(reader, records)(folder, found.ids(), found.reasons(), provenance="generated")
    return as_table(kind, rows), found


def creation(world: Path, out: Path, settings: Any) -> list[Sample]:
    """The samples of geometry, from the upstream's files to a table."""
    from assets.comt import creation as creating
    from assets.sources import geoqa

    table, _ = _read(geoqa, world / "geoqa", "samples", "sample", out)
    return creating.samples(samples.kept(table), **settings.comt.creation.model_dump())


def deletion(world: Path, out: Path, settings: Any) -> list[Sample]:
    """The samples of crowds."""
    from assets.comt import deletion as deleting
    from assets.sources import jhu_crowd

    table, pictures = _read(jhu_crowd, world / "jhu_crowd", "crowds", "crowd", out)
    given = settings.comt.deletion.model_dump()
    shown = {name: value for name, value in given.items() if name != "seed"}
    drawn = store(deleting.pictures(table, pictures, **shown), out / "deletion.parquet")
    return deleting.samples(table, drawn.ids(), drawn.reasons(), **given)


def update(world: Path, out: Path, settings: Any) -> list[Sample]:
    """The samples of tangrams."""
    from assets.comt import update as updating
    from assets.sources import kilogram

    table = as_table("tangram", kilogram.tangrams(world / "kilogram", provenance="generated"))
    given = settings.comt.update.model_dump()
    drawn = store(updating.pictures(table, **given), out / "update.parquet")
    return updating.samples(table, drawn.ids(), drawn.reasons(), **given)


def selection(world: Path, out: Path, settings: Any) -> list[Sample]:
    """The samples of pairs of pictures."""
    from assets.comt import selection as selecting
    from assets.sources import spot_diff

    table, pictures = _read(spot_diff, world / "spot_diff", "pairs", "pair", out)
    given = settings.comt.selection
    cut = selecting.pictures(table, pictures, count=given.pairs, gap=given.gap)
    drawn = store(cut, out / "selection.parquet")
    sizes = selecting.sizes(pictures)
    return selecting.samples(table, drawn.ids(), drawn.reasons(), sizes=sizes, count=given.pairs, seed=given.seed)


TASKS = (creation, deletion, update, selection)


def tasks(folder: Path) -> None:
    """Prints samples, pictures, seconds and samples a second of every task, of the default's size."""
    from assets.sources.generated import upstreams

    settings = _settings()
    drawn = settings.sources.generated_upstreams.model_dump() | {"scienceqa": 0, "math": 0, "tabmwp": 0, "sherlock": 0}
    began = time.perf_counter()
    upstreams.draw(folder / "world", **drawn)
    print(f"the world, once: {time.perf_counter() - began:.2f} s")
    print(f"{'task':<12}{'samples':>9}{'pictures':>10}{'seconds':>9}{'samples/s':>11}")
    for task in TASKS:
        seconds, kept = [], []
        for _ in range(RUNS):
            with tempfile.TemporaryDirectory(dir=folder) as out:
                began = time.perf_counter()
                rows = task(folder / "world", Path(out), settings)
                seconds.append(time.perf_counter() - began)
                kept = [row for row in rows if row.dropped is None]
        taken, shown = statistics.median(seconds), sum(len(row.images or ()) for row in kept)
        print(f"{task.__name__:<12}{len(kept):>9,}{shown:>10,}{taken:>9.2f}{len(kept) / taken:>11.1f}")


def _crowds(folder: Path) -> None:
    deletion(folder, folder, _settings())


def _pairs(folder: Path) -> None:
    selection(folder, folder, _settings())


def _geometry(folder: Path) -> None:
    creation(folder, folder, _settings())


STEPS: dict[str, Callable[[Path], Any]] = {"crowds": _crowds, "pairs": _pairs, "geometry": _geometry}


def memory(folder: Path) -> None:
    """Prints the peak of each task whose pictures come from outside, and its ratio at four times the pictures."""
    for times in (1, 4):
        _noise_crowds(folder / "crowds" / str(times) / "jhu_crowd", NOISE["crowds"] * times)
        _noise_pairs(folder / "pairs" / str(times) / "spot_diff", NOISE["pairs"] * times)
        _noise_geometry(folder / "geometry" / str(times) / "geoqa", NOISE["geometry"] * times)
    for name, step in STEPS.items():
        measuring.compare("benchmarks.comt_build", {name: step}, {name: NOISE[name]}, folder)


def _noise_crowds(folder: Path, count: int) -> None:
    measuring.noise(folder / "train" / "images", 640, 480, count)
    (folder / "train" / "gt").mkdir()
    heads = "".join(f"{20 + 40 * place} {60 + 7 * place} 24 24 1 0\n" for place in range(15))
    for picture in sorted((folder / "train" / "images").iterdir()):
        (folder / "train" / "gt" / f"{picture.stem}.txt").write_text(heads, encoding="utf-8")


def _noise_pairs(folder: Path, count: int) -> None:
    measuring.noise(folder / "all", 640, 480, 2 * count)
    boxes = json.dumps([{"left": 80 * place, "top": 50, "width": 40, "height": 40} for place in range(6)])
    for number in range(count):
        (folder / str(number)).mkdir()
        for side, name in enumerate(("a.png", "b.png")):
            (folder / "all" / f"{2 * number + side}.png").rename(folder / str(number) / name)
        (folder / str(number) / "boxes.json").write_text(boxes, encoding="utf-8")
    (folder / "all").rmdir()


def _noise_geometry(folder: Path, count: int) -> None:
    import numpy as np

    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    question = "In triangle ABC, AB = AC, angle BAC = 40°, and D is the midpoint of BC. Find angle ABC."
    items = [
        {
            "id": number,
            "subject": question,
            "choices": ["40°", "50°", "60°", "70°"],
            "label": 3,
            "answer": "AB equals AC. So the two angles at B and C are equal. So the answer is D.",
            "image": rng.integers(0, 256, (240, 320), dtype=np.uint8),
        }
        for number in range(count)
    ]
    (folder / "train.pk").write_bytes(pickle.dumps(items, protocol=4))


def tangrams(folder: Path) -> None:
    """Prints the seconds in which as many plain tangrams as KILOGRAM has are read, drawn and stored."""
    from assets.comt import update_pictures
    from assets.sources import kilogram
    from assets.sources.generated.kilogram import draw_kilogram

    where = SLICE
    if not where.exists():
        where = folder / "kilogram"
        draw_kilogram(where, seed=1, count=TANGRAMS)
    began = time.perf_counter()
    rows = [row for row in kilogram.tangrams(where, provenance="measured") if row.dropped is None]
    drawn = (
        images.of_pixels(update_pictures.drawing({int(one.piece): one.points for one in row.pieces}), row.id)
        for row in rows
    )
    stored = store(drawn, folder / "tangrams.parquet")
    taken = time.perf_counter() - began
    whose = "KILOGRAM's own" if where == SLICE else "generated"
    print(f"{len(stored.ids()):,} tangrams ({whose}) read, drawn and stored: {taken:.1f} s (bound {MOST_SECONDS:.0f})")


PARTS: measuring.Steps = {"tasks": tasks, "memory": memory, "tangrams": tangrams}


if __name__ == "__main__":
    sys.exit(measuring.main(sys.argv[1:], PARTS, STEPS))
