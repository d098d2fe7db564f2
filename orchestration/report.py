"""`cotline report [-o DIR]`: one HTML page with tables, figures, audits and every sample, from the stored tables."""

import contextlib
import functools
import math
import sys
import tempfile
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets import flow as flowing
from assets import flow_figure, params
from assets.analysis.report import page
from assets.analysis.report.browser import Browser, Edition, Evaluated
from assets.analysis.report.page import Contents, Stored
from assets.analysis.report.sections import SECTIONS
from assets.images import Pictures
from assets.params import ROOT
from assets.schema.faults import Fault
from assets.schema.tables import TABLES
from assets.schema.vocabulary import BENCHMARKS, TASKS
from assets.settings_evaluation import MADE
from orchestration import storage, verdicts

FOLDER = ROOT / "var" / "report"
NAME = "report.html"
MOST_MB = 40.0

NO_REPLIES = "no replies yet"
UNREADABLE = (pa.ArrowException, OSError, ValueError)
"""What reading a file raises that is no whole parquet file."""

Key = tuple[str, str]
EDITIONS: Mapping[tuple[str, str], tuple[Key, Key]] = {
    **{
        (name, "released"): (("sources", f"{name}_released"), ("sources", f"{name}_released_images"))
        for name in BENCHMARKS
    },
    **{(name, "built"): ((name, "benchmark"), (name, "images")) for name in BENCHMARKS},
}
"""By benchmark and edition its samples and its pictures."""

EPILOG = f"""\
The page is one file, DIR/{NAME}, that opens in any browser, from a folder or a mail, without a network: tables that
sort, figures that print, and a browser of every sample with its pictures, its gold rationale and each model's reply.

It shows the tables as they are stored now. One that is not made yet is a section that says how to make it:
`make repro`, or `cotline materialize --all`, makes all of them. The same tables give the same bytes; the page ends
with their MD5s.

examples:
  cotline report
  cotline report -o /tmp/report --evaluations lively_cot,lively_direct
  cotline report --most-mb 10        pictures are left out first, then replies; the page says how many
"""


class ReportError(Fault):
    """The page cannot be made; the message says why and the way out."""


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline report`."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument(
        "-o", "--output", type=Path, default=FOLDER, metavar="DIR", help=f"where {NAME} goes (default: var/report)"
    )
    parser.add_argument(
        "--evaluations",
        metavar="A,B",
        help="only these evaluations, names joined by commas (default: all)",
    )
    parser.add_argument(
        "--most-mb",
        type=float,
        default=MOST_MB,
        metavar="MB",
        help=f"megabytes that the page may have at most (default: {MOST_MB:g})",
    )


def run(arguments: Namespace) -> int:
    """`cotline report`: 0.

    Raises:
        ReportError: an evaluation is not in params.yaml.
        Fault: the bound is too small.
    """
    names = None
    if arguments.evaluations is not None:
        names = [name.strip() for name in arguments.evaluations.split(",") if name.strip()]
    print(report(arguments.output, names, arguments.most_mb))
    return 0


def report(folder: Path, names: Sequence[str] | None = None, most_mb: float = MOST_MB) -> str:
    """Write the page to `folder`; its size and path come out, in a line or two.

    Raises:
        ReportError: an evaluation is not in params.yaml, the bound is no number of megabytes, or the folder cannot be
            written.
        Fault: the bound is too small.
    """
    known = params.load().evaluations
    wrong = "" if names is None or names else "it names none"
    if unknown := sorted(set(names or ()) - set(known)):
        wrong = f"params.yaml has no {', '.join(unknown)}"
    if wrong:
        raise ReportError(f"--evaluations: {wrong}: name some of {', '.join(sorted(known))}")
    if not (math.isfinite(most_mb) and most_mb > 0):
        raise ReportError(f"--most-mb {most_mb:g}: is no size of a page: give megabytes, such as {MOST_MB:g}")
    if folder.exists() and not folder.is_dir():
        raise ReportError(f"{folder}: is a file: name a folder for {NAME}")
    if (folder / NAME).is_dir():
        raise ReportError(f"{folder / NAME}: is a folder: name another one for {NAME} with -o")
    with _said_of(folder):
        _try(folder)
    made = page.build(_contents(names), most_mb, _told)
    with _said_of(folder):
        folder.mkdir(parents=True, exist_ok=True)
        storage.write_bytes(made.html, folder / NAME)
    said = f"{folder / NAME}: {len(made.html) / page.MEGABYTE:.1f} MB, {made.samples:,} samples, "
    said += f"{made.dialogues:,} replies, {made.pictures:,} pictures"
    if left := page.left_out(made):
        said += f"\nnot on the page: {left}"
    return said


@contextlib.contextmanager
def _said_of(folder: Path) -> Iterator[None]:
    """Within it what the disk refuses is said of `folder`."""
    try:
        yield
    except OSError as error:
        raise ReportError(f"{folder}: cannot be written ({error.strerror}): name another folder with -o") from None


def _try(folder: Path) -> None:
    """Raise what a file in `folder` would, before the page is built; nothing is left there."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    with tempfile.TemporaryFile(dir=there):
        pass


def _told(said: str) -> None:
    print(f"report: {said}", file=sys.stderr, flush=True)


def _contents(names: Sequence[str] | None) -> Contents:
    """What the stored tables hold for the page."""
    rows: dict[Key, list[dict[str, Any]]] = {}
    tables: dict[Key, Stored] = {}
    for section in SECTIONS:
        found, tables[section.key] = _rows(section.key, section.kind)
        if found is not None:
            rows[section.key] = found
    notes: list[str] = []
    editions, pictures = [], []
    for (benchmark, edition), (samples, images) in EDITIONS.items():
        table, tables[samples] = _table(samples, "sample")
        if table is not None:
            editions.append(Edition(benchmark, edition, table))
        opened, tables[images] = _opened(images)
        pictures += [opened] if opened is not None else []
    opened, tables["evaluation", "pictures"] = _opened(("evaluation", "pictures"))
    pictures += [opened] if opened is not None else []
    evaluations = _evaluated(names, tables, notes)
    settings = params.load()
    return Contents(
        rows=rows,
        tables=tables,
        flows={key: functools.partial(_flow, key) for key in rows if key[1] == "flow"},
        browser=Browser(editions, evaluations, settings.profile),
        pictures=pictures,
        profile=settings.profile,
        evaluations=names,
        notes=notes,
        level=settings.scoring.level,
    )


def _evaluated(names: Sequence[str] | None, tables: dict[Key, Stored], notes: list[str]) -> list[Evaluated]:
    """The evaluations with their replies and answers; those without either are told in `notes`."""
    answers, tables["evaluation", "answers"] = _table(("evaluation", "answers"), "answer")
    if answers is None:
        answers = TABLES["answer"].schema.empty_table()
        notes.append(f"evaluation/answers: {tables['evaluation', 'answers'].why}: letters and scores are not shown.")
    found, absent = [], []
    for name, one in sorted(params.load().evaluations.items()):
        if names is not None and name not in names:
            continue
        replies, why = _replies(name, tables)
        if why == NO_REPLIES:
            absent.append(name)
        elif why is not None:
            notes.append(f"The replies of {name} are not shown: {why}.")
        found.append(
            Evaluated(
                name=name,
                model=one.model,
                strategy=one.strategy,
                shots=one.shots,
                benchmark=one.benchmark,
                edition=one.edition,
                split=one.split,
                predictions=replies if replies is not None else TABLES["prediction"].schema.empty_table(),
                answers=answers.filter(pc.equal(answers["evaluation"], name)),
                why=why,
            )
        )
    if absent:
        notes.append(f"No replies yet of {', '.join(absent)}: cotline materialize --all.")
    return found


def _replies(name: str, tables: dict[Key, Stored]) -> tuple[pa.Table | None, str | None]:
    """The replies to an evaluation, or why there are none: no asset has any, or they are not good."""
    for asset in MADE:
        key = ("evaluation", asset)
        if storage.table_file(key, name).exists():
            table, stored = _table(key, "prediction", name)
            tables["evaluation", f"{asset}/{name}"] = stored
            return table, stored.why
    return None, NO_REPLIES


def _table(key: Key, kind: str, partition: str | None = None) -> tuple[pa.Table | None, Stored]:
    """A stored table, and what the page says of it at its end: rows and MD5, or why there are none."""
    file = storage.table_file(key, partition)
    try:
        table, md5 = storage.read_versioned(file)
        table.validate(full=True)
    except FileNotFoundError:
        return None, _without("not made yet", key, partition)
    except UNREADABLE:
        return None, _without("not readable", key, partition)
    if refusal := verdicts.refusal(_stage(key, partition), md5):
        return None, _without(refusal, key, partition)
    try:
        return storage.fitted(table, kind, file), Stored(len(table), md5)
    except ValueError:
        return None, _without("older than this code", key, partition)


def _rows(key: Key, kind: str) -> tuple[list[dict[str, Any]] | None, Stored]:
    """The rows of a stored table, and what the page says of it."""
    table, stored = _table(key, kind)
    return None if table is None else table.to_pylist(), stored


def _opened(key: Key) -> tuple[Pictures | None, Stored]:
    """A stored table of pictures, and what the page says of it."""
    try:
        opened, md5 = storage.open_versioned(storage.table_file(key))
    except FileNotFoundError:
        return None, _without("not made yet", key)
    except UNREADABLE:
        return None, _without("not readable", key)
    if refusal := verdicts.refusal(_stage(key), md5):
        return None, _without(refusal, key)
    if any(field not in opened.schema_arrow for field in TABLES["image"].schema):
        return None, _without("older than this code", key)
    pictures = Pictures(opened)
    try:
        pictures.index().validate(full=True)
    except UNREADABLE:
        return None, _without("not readable", key)
    return pictures, Stored(opened.metadata.num_rows, md5)


def _stage(key: Key, partition: str | None = None) -> str:
    return "-".join(key) + (f"@{partition}" if partition else "")


def _without(why: str, key: Key, partition: str | None = None) -> Stored:
    """Why a table is not shown, and what makes it again."""
    return Stored(
        None, None, f"{why}: cotline materialize {'/'.join(key)}" + (f" --partition {partition}" if partition else "")
    )


def _flow(key: Key, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The figure of a table `flow`, as it stands on the asset."""
    # local: the chains are told where the assets are, and the assets bring Dagster
    from assets.comt.account import defs as comt
    from assets.m3cot.account import defs as m3cot

    flows = flowing.of_rows(pa.Table.from_pylist(list(rows), schema=TABLES["flow"].schema))
    if key[0] == "m3cot":
        return flow_figure.sankey(flows, m3cot.SHOWN, "Samples through the construction of M3CoT, by source")
    tasks = [row._replace(stage=comt.FOUR_TASKS) if row.stage.removeprefix("comt/") in TASKS else row for row in flows]
    return flow_figure.sankey(tasks, comt.SHOWN, "Samples through the construction of CoMT, by source")
