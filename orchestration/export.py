"""`cotline export WHAT -o DIR`: a benchmark's stored tables, or predictions, in the form that others read."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from assets import samples
from assets.comt import release as comt_release
from assets.comt import release_parquet as comt_parquet
from assets.exports import lmms_eval, scienceqa, vlmevalkit
from assets.exports.folder import PREFIX
from assets.exports.written import ExportError, Written
from assets.images import Picture, Pictures
from assets.m3cot import release as m3cot_release
from assets.m3cot import release_parquet as m3cot_parquet
from assets.schema.sample import Sample
from assets.schema.vocabulary import BENCHMARKS, SPLITS
from orchestration import storage
from orchestration.export_stop import cleared
from orchestration.export_tables import open_table, readable, rows, sample_table

RELEASES: dict[tuple[str, str], Callable[..., Written]] = {
    ("comt", "released"): comt_release.write,
    ("comt", "parquet"): comt_parquet.write,
    ("m3cot", "released"): m3cot_release.write,
    ("m3cot", "parquet"): m3cot_parquet.write,
}
OTHERS: dict[str, Callable[..., Written]] = {
    "vlmevalkit": vlmevalkit.write,
    "lmms-eval": lmms_eval.write,
    "scienceqa": scienceqa.write,
}
"""Forms that are written of either benchmark, as far as they can carry it."""

FORMS = ("released", "parquet", *OTHERS)
PREDICTIONS = "predictions"
ORIGINS = ("built", "released")
EVERY = 1000

EPILOG = f"""\
forms:
  released    as the authors release it.
              comt: data.jsonl (and dev.jsonl, the development set), images/<type>/...
              m3cot: train.jsonl, dev.jsonl, test.jsonl, images/<id>.png
              predictions: <evaluation>.jsonl of id, domain, topic, choices, answer, messages (comt: id, response)
  parquet     data/<split>-00000-of-00001.parquet with the pictures in the rows;
              datasets.load_dataset("DIR") opens it, the splits apart, pictures as pictures
  vlmevalkit  a TSV for each split, pictures within, as VLMEvalKit reads it; the MD5s are those for its DATASET_MD5
  lmms-eval   a task: YAML, utils.py and parquet; lmms_eval --include_path DIR --tasks m3cot_built
  scienceqa   problems.json, pid_splits.json, images/<split>/<pid>/image.png (m3cot)
Each has a README.md that says what lies there, where it is from and what had no place.

examples:
  cotline export comt -o comt-built
  cotline export comt -o comt-hub --form parquet
  cotline export comt -o copy --from released        what sources.comt_released.items named, as it was
  cotline export m3cot -o m3cot-sqa --form scienceqa
  cotline export m3cot -o m3cot-vlm --form vlmevalkit --split test
  cotline export predictions -o said --evaluation small_m3cot small_comt
  cotline export predictions -o all --form parquet

What is exported are the stored tables (m3cot/benchmark and m3cot/images, comt/benchmark and comt/images, or those of
sources/*_released; evaluation/*): `make repro`, or `cotline materialize m3cot/benchmark m3cot/images`, makes them.
DIR is a new folder; it appears when all of it has been written. Until then it lies beside DIR as {PREFIX}XXXXXXXX,
which goes when the export fails or is stopped; only kill -9 leaves it: delete it then.
"""

TITLES = {"m3cot": "M3CoT", "comt": "CoMT"}


class Tables(NamedTuple):
    """The two tables that an export reads, and the heading of its README."""

    samples: tuple[str, str]
    images: tuple[str, str]
    title: str


def tables_of(benchmark: str, origin: str) -> Tables:
    """The tables of a benchmark as it is built here, or as a release was read."""
    name = TITLES[benchmark]
    if origin == "built":
        return Tables((benchmark, "benchmark"), (benchmark, "images"), f"{name}, built anew from its sources")
    table = f"{benchmark}_released"
    return Tables(("sources", table), ("sources", f"{table}_images"), f"{name}, from a copy of its release")


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline export`."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument(
        "what", choices=(*BENCHMARKS, PREDICTIONS), metavar="WHAT", help=f"{', '.join(BENCHMARKS)} or {PREDICTIONS}"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="a new or empty folder")
    parser.add_argument("--form", choices=FORMS, default="released", help="(default: released)")
    parser.add_argument(
        "--from",
        dest="origin",
        choices=ORIGINS,
        help="built: the benchmark made here; released: the release that was read (default: built)",
    )
    parser.add_argument("--split", nargs="+", choices=SPLITS, metavar="SPLIT", help="of a benchmark (default: all)")
    parser.add_argument("--evaluation", nargs="+", metavar="NAME", help="of predictions (default: all)")


def run(arguments: Namespace) -> int:
    """`cotline export`: 0.

    Raises:
        ExportError: the tables are not there or not good, the form is none for them, or the folder is taken.
        Stopped: a signal asked the process to end; what was half written is cleared away.
    """
    with cleared():
        print(_told(arguments))
    return 0


def _told(arguments: Namespace) -> str:
    if arguments.what != PREDICTIONS:
        if arguments.evaluation:
            raise ExportError(f"--evaluation is for predictions: leave it out, or cotline export {PREDICTIONS}")
        return export(
            arguments.output, arguments.form, arguments.origin or "built", arguments.what, tuple(arguments.split or ())
        )
    if arguments.origin or arguments.split:
        raise ExportError("--from and --split are for a benchmark: leave them out, and name --evaluation instead")
    from orchestration import export_predictions

    return export_predictions.export(arguments.output, arguments.form, arguments.evaluation)


def export(
    folder: Path, form: str = "released", origin: str = "built", benchmark: str = "comt", splits: tuple[str, ...] = ()
) -> str:
    """Write the stored tables of a benchmark to `folder`; what was written comes out, in some lines.

    Args:
        folder: a new one, or an empty one.
        form: one of FORMS.
        origin: built or released.
        benchmark: m3cot or comt.
        splits: those that are written; all where none is named.

    Raises:
        ExportError: a table has not been made, or failed its checks, or holds no sample that the form can carry, or
            they do not fit each other, or the folder is taken.
    """
    tables = tables_of(benchmark, origin)
    table, opened = sample_table(tables.samples), open_table(tables.images)
    try:
        found = samples.of_table(table)
        kept = [row for row in found if row.dropped is None]
        _check(kept, tables, origin, benchmark)
        chosen = [row for row in kept if not splits or row.split in splits]
        if not chosen:
            there = ", ".join(dict.fromkeys(str(row.split) for row in kept))
            raise ExportError(f"{'/'.join(tables.samples)}: has no sample of {', '.join(splits)}: it has {there}")
        with readable(tables.images):
            pictures = Pictures(opened)
            total = len(pictures.ids())
        write = RELEASES[benchmark, form] if form not in OTHERS else OTHERS[form]
        if form == "lmms-eval":
            write = partial(write, task=f"{benchmark}_{origin}")
        shown = comt_parquet.OfSamples(pictures, chosen) if benchmark == "comt" and splits else pictures
        written = write(chosen, shown, folder, watched(folder, total, tables.images), title=tables.title)
    finally:
        opened.close()
    notes = [f"{len(found) - len(kept):,} rows of {'/'.join(tables.samples)} have a reason in `dropped`: left out"]
    return said(folder, written, notes if len(found) > len(kept) else ())


def _check(kept: list[Sample], tables: Tables, origin: str, benchmark: str) -> None:
    name = "/".join(tables.samples)
    if not kept and origin == "released":
        raise ExportError(
            f"{name}: holds no sample: set sources.{benchmark}_released.items in params.yaml to the folder of a "
            f"release, then cotline materialize {name}"
        )
    if not kept:
        raise ExportError(f"{name}: holds no sample: `cotline status` and its flow say why")
    # a test item of M3CoT without its picture is one of its release; all of CoMT's have some
    if benchmark == "comt" and not any(row.images for row in kept):
        raise ExportError(
            f"{name}: its samples have no pictures: set sources.comt_released.items in params.yaml to the folder that "
            f"holds data.jsonl and images, then cotline materialize {'/'.join(tables.images)} {name}"
        )


def said(folder: Path, written: Written, notes: Iterable[str] = ()) -> str:
    """What was written, in a line; then what was not, and the MD5 of each file of records."""
    records = ", ".join(f"{split} {n:,}" for split, n in written.records.items())
    lines = [f"{folder}: {sum(written.records.values()):,} records ({records}), {written.pictures:,} picture files"]
    if written.left_out:
        lines.append(f"{written.left_out:,} picture files are no record's and have no place in parquet: left out")
    lines += [*written.notes, *notes]
    files = sorted(
        path
        for pattern in ("*.jsonl", "*/replies.jsonl", "*.tsv", "*.json", "*.parquet", "data/*.parquet")
        for path in folder.glob(pattern)
    )
    return "\n".join([*lines, *(f"{storage.md5_of(path)}  {path.relative_to(folder).as_posix()}" for path in files)])


def watched(folder: Path, total: int, key: tuple[str, str]) -> Callable[[Iterable[Picture]], Iterator[Picture]]:
    """What says on stderr, now and then, how many pictures have been written, or that their table cannot be read."""

    def counted(pictures: Iterable[Picture]) -> Iterator[Picture]:
        for number, picture in enumerate(rows(pictures, key), start=1):
            if number % EVERY == 0:
                print(f"{folder}: {number:,} of {total:,} pictures", file=sys.stderr, flush=True)
            yield picture

    return counted
