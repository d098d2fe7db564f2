"""`cotline export BENCHMARK -o DIR`: a benchmark's stored tables in the form in which it was released."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from assets import samples
from assets.comt import release, release_parquet
from assets.comt.release import ExportError, Written
from assets.images import Picture, Pictures
from assets.schema.sample import Sample
from assets.schema.vocabulary import BENCHMARKS
from orchestration import storage, verdicts

FORMS: dict[str, Callable[..., Written]] = {"released": release.write, "parquet": release_parquet.write}
EVERY = 1000

EPILOG = """\
forms:
  released  data.jsonl (and dev.jsonl, the development set), images/<type>/..., README.md
  parquet   data/<split>-00000-of-00001.parquet with the pictures in the rows, README.md;
            datasets.load_dataset("DIR") opens it, test and validation apart, pictures as pictures

examples:
  cotline export comt -o comt-built
  cotline export comt -o comt-hub --form parquet
  cotline export comt -o copy --from released        what sources.comt_released.items named, as it was

What is exported are the stored tables (comt/benchmark and comt/images, or sources/comt_released and
sources/comt_released_images): `make repro`, or `cotline materialize comt/benchmark comt/images`, makes them.
DIR is a new folder; it appears when all of it has been written.
"""


class Tables(NamedTuple):
    """The two tables that an export reads, and the heading of its README."""

    samples: tuple[str, str]
    images: tuple[str, str]
    title: str


TABLES = {
    "built": Tables(("comt", "benchmark"), ("comt", "images"), "CoMT, built anew from its sources"),
    "released": Tables(
        ("sources", "comt_released"), ("sources", "comt_released_images"), "CoMT, from a copy of its release"
    ),
}


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline export`."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("benchmark", choices=BENCHMARKS, metavar="BENCHMARK", help="comt (m3cot comes later)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="a new or empty folder")
    parser.add_argument("--form", choices=tuple(FORMS), default="released", help="(default: released)")
    parser.add_argument(
        "--from",
        dest="origin",
        choices=tuple(TABLES),
        default="built",
        help="built: the benchmark made here; released: the release that was read (default: built)",
    )


def run(arguments: Namespace) -> int:
    """`cotline export`: 0.

    Raises:
        ExportError: the tables are not there or not good, or the folder is taken.
    """
    if arguments.benchmark != "comt":
        raise ExportError(f"{arguments.benchmark}: its export comes later; comt can be exported")
    print(export(arguments.output, arguments.form, arguments.origin))
    return 0


def export(folder: Path, form: str = "released", origin: str = "built") -> str:
    """Write the stored tables of CoMT to `folder`; what was written comes out, in a line or two.

    Raises:
        ExportError: a table has not been made, or failed its checks, or holds no sample with pictures, or they do
            not fit each other, or the folder is taken.
    """
    tables = TABLES[origin]
    table, opened = _sample_table(tables.samples), _open(tables.images)
    try:
        rows = samples.of_table(table)
        kept = [row for row in rows if row.dropped is None]
        _check(kept, tables, origin)
        pictures = Pictures(opened)
        total = len(pictures.ids())
        written = FORMS[form](kept, pictures, folder, _watched(folder, total), title=tables.title)
    finally:
        opened.close()
    return _said(folder, written, len(rows) - len(kept), tables)


def _check(kept: list[Sample], tables: Tables, origin: str) -> None:
    name = "/".join(tables.samples)
    if not kept and origin == "released":
        raise ExportError(
            f"{name}: holds no sample: set sources.comt_released.items in params.yaml to the folder of a release, "
            f"then cotline materialize {name}"
        )
    if not kept:
        raise ExportError(f"{name}: holds no sample: `cotline status` and its flow say why")
    if not any(row.images for row in kept):
        raise ExportError(
            f"{name}: its samples have no pictures: set sources.comt_released.items in params.yaml to the folder that "
            f"holds data.jsonl and images, then cotline materialize {'/'.join(tables.images)} {name}"
        )


def _said(folder: Path, written: Written, dropped: int, tables: Tables) -> str:
    splits = ", ".join(f"{split} {n:,}" for split, n in written.records.items())
    said = f"{folder}: {sum(written.records.values()):,} records ({splits}), {written.pictures:,} picture files"
    if written.left_out:
        said += f"\n{written.left_out:,} picture files are no record's and have no place in parquet: left out"
    if dropped:
        said += f"\n{dropped:,} rows of {'/'.join(tables.samples)} have a reason in `dropped`: left out"
    return said


def _sample_table(key: tuple[str, str]) -> pa.Table:
    try:
        table, md5 = storage.read_versioned(storage.table_file(key))
    except FileNotFoundError:
        raise _missing(key) from None
    _refuse(key, md5)
    return table


def _open(key: tuple[str, str]) -> pq.ParquetFile:
    try:
        opened, md5 = storage.open_versioned(storage.table_file(key))
    except FileNotFoundError:
        raise _missing(key) from None
    _refuse(key, md5)
    return opened


def _missing(key: tuple[str, str]) -> ExportError:
    name = "/".join(key)
    return ExportError(f"{name}: not made yet: cotline materialize {name}")


def _refuse(key: tuple[str, str], md5: str) -> None:
    if refusal := verdicts.refusal("-".join(key), md5):
        name = "/".join(key)
        raise ExportError(f"{name}: {refusal}: cotline materialize {name}")


def _watched(folder: Path, total: int) -> Callable[[Iterable[Picture]], Iterator[Picture]]:
    def watched(pictures: Iterable[Picture]) -> Iterator[Picture]:
        for number, picture in enumerate(pictures, start=1):
            if number % EVERY == 0:
                print(f"{folder}: {number:,} of {total:,} pictures", file=sys.stderr, flush=True)
            yield picture

    return watched
