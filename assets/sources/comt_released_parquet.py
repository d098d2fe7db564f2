"""CoMT's release as parquet files whose rows hold their pictures -> its records, and rows of table `image`."""

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from assets.comt.picture_files import PictureFiles, names
from assets.comt.pictures import ORIGINALS
from assets.images import Picture, read_bytes
from assets.schema.faults import Fault
from assets.schema.vocabulary import TASKS
from assets.sources import folders
from assets.sources.jsonlines import EXCERPT, Record, Unreadable
from assets.sources.m3cot_released import SPLIT_NAMES
from assets.sources.released_folder import MOST_BYTES, MOST_ROWS

REASONS = ("damaged_parquet", "not_utf8", "duplicate_id", "missing_picture", "path_outside", "unknown_type")
"""Why a row of a parquet file gives no record or no picture, beside the reasons of records and pictures."""

COLUMNS = ("id", "question", "option", "image", "rationale", "answer", "type", "images")
PICTURES = ("images", "originals")
"""The columns of pictures: those that the record names by number, and the whole ones behind a selection."""

ROWS = 8
"""Rows turned into records at a time."""


class ReleaseError(Fault):
    """A folder or a file that is no release of CoMT."""


class File(NamedTuple):
    """One parquet file of a release: where it lies, what the rows call it, and the split that its name gives."""

    path: Path
    name: str
    split: str


def listed(folder: Path) -> list[Path]:
    """The parquet files in a folder, or in `data` within it."""
    return sorted(path for below in ("", "data") for path in (folder / below).glob("*.parquet"))


def files(path: Path) -> list[File]:
    """The parquet files of a release, those of train first, then test, then validation; a name without one is test's.

    Raises:
        SourceError: one of them is a link that leads out of the folder.
    """
    if not path.is_dir():
        return [File(path, path.name, _split(path.name))]
    places = [file.relative_to(path).as_posix() for file in listed(path)]
    found = [File(folders.main_file(path, name), name, _split(PurePosixPath(name).name)) for name in places]
    return sorted(found, key=lambda file: (("train", "test", "validation").index(file.split), file.name))


def rows(file: File) -> Iterator[tuple[int, Record | Unreadable]]:
    """Each row as a record, numbered from 1; where a row group breaks off, why, and then the next group.

    A null is a key that the record lacks. `annotations` may be JSON text or a struct; the keys in the JSON text of a
    column `other` are the record's own.

    Raises:
        ReleaseError: it is no parquet file of the release.
    """
    with _opened(file) as source:
        columns = [name for name in source.schema_arrow.names if name not in PICTURES]
        for number, row in _read(source, file, columns):
            yield number, row if isinstance(row, Unreadable) else _record(row)


def pictures(path: Path) -> Iterator[Picture]:
    """The pictures in the rows of the release, each file once, in the order of the rows.

    `file` is `<type>/<name>`, the name that the row gives its picture, or else its IMAGE-ID; pictures behind a
    selection are below `selection/original`. A row that gives another picture a name that is taken has it set aside
    (duplicate_id) under `aside` of the name, as are rows without one (missing_picture).

    Raises:
        ReleaseError: nothing of it can be read.
    """
    seen: dict[str, bytes] = {}
    for file in files(path):
        with _opened(file) as source:
            columns = ["type", "image", *(name for name in PICTURES if name in source.schema_arrow.names)]
            for number, row in _read(source, file, columns):
                yield from _of_row(file, number, row, seen)


def aside(file: str, number: int, name: str) -> str:
    """What a picture is called that a row could not give as `name`."""
    return f"{file}:{number}:{name}"


def _of_row(file: File, number: int, row: Record | Unreadable, seen: dict[str, bytes]) -> Iterator[Picture]:
    if isinstance(row, Unreadable):
        yield _set_aside(file, number, "", row.reason, row.excerpt)
        return
    task, named = row.get("type"), names(row.get("image")) or ()
    if task not in TASKS:
        yield _set_aside(file, number, "", "unknown_type", str(task)[:EXCERPT])
        return
    for column in PICTURES:
        for place, picture in enumerate(row.get(column) or ()):
            given, content = (picture or {}).get("path"), (picture or {}).get("bytes")
            found = _name(task, given, named, place) if column == "images" else _below(ORIGINALS, given)
            if found is None or content is None:
                reason = "path_outside" if found is None else "missing_picture"
                yield _set_aside(file, number, found or str(place), reason, given and given[:EXCERPT])
                continue
            digest = hashlib.sha256(content).digest()
            if found not in seen:
                seen[found] = digest
                yield read_bytes(content, found, keep=True)
            elif seen[found] != digest:
                yield _set_aside(file, number, found, "duplicate_id", None)


def _name(task: str, given: str | None, named: Sequence[str], place: int) -> str | None:
    found = _below(task, given)
    if found is not None and any(PictureFiles([found]).file(task, name) for name in named):
        return found
    return folders.place(task, named[place]) if place < len(named) else found


def _below(folder: str, given: str | None) -> str | None:
    """The place of a file that a row names; of a name that leads elsewhere only its last part counts."""
    if not given:
        return None
    path = given.replace("\\", "/").removeprefix("images/")
    within = folders.place(path)
    if within is not None and within.startswith(f"{folder}/"):
        return within
    return folders.place(folder, path) or folders.place(folder, path.rpartition("/")[2])


def _set_aside(file: File, number: int, name: str, reason: str, excerpt: str | None) -> Picture:
    where = (file.name, number, excerpt)
    return Picture(None, aside(file.name, number, name), None, None, None, None, reason, where)


def _record(row: Record) -> Record:
    record = {key: value for key, value in row.items() if value is not None}
    if isinstance(record.get("annotations"), str):
        with contextlib.suppress(ValueError, RecursionError):
            record["annotations"] = json.loads(record["annotations"])
    if isinstance(record.get("other"), str):
        with contextlib.suppress(ValueError, RecursionError):
            told = json.loads(record["other"])
            if isinstance(told, dict):
                del record["other"]
                record |= told
    return record


def _split(name: str) -> str:
    found = re.match(r"(train|dev|validation|test)(?![a-z])", name)
    return "test" if found is None else SPLIT_NAMES[found[1]]


def _read(source: pq.ParquetFile, file: File, columns: Sequence[str]) -> Iterator[tuple[int, Record | Unreadable]]:
    number = 0
    for group in range(source.num_row_groups):
        after = number + source.metadata.row_group(group).num_rows
        try:
            for batch in source.iter_batches(ROWS, row_groups=[group], columns=list(columns), use_threads=False):
                for place in range(batch.num_rows):
                    number += 1
                    yield number, _one(batch, place, file, number)
        except (pa.ArrowException, OSError) as error:
            yield number + 1, Unreadable(file.name, number + 1, "damaged_parquet", str(error)[:EXCERPT])
        number = max(number, after)
        pa.default_memory_pool().release_unused()


def _one(batch: pa.RecordBatch, place: int, file: File, number: int) -> Record | Unreadable:
    try:
        [record] = batch.slice(place, 1).to_pylist()
    except UnicodeDecodeError as error:
        return Unreadable(file.name, number, "not_utf8", str(error)[:EXCERPT])
    return dict(record)


@contextlib.contextmanager
def _opened(file: File) -> Iterator[pq.ParquetFile]:
    try:
        # unbuffered, Arrow holds every page of a row group at once
        source = pq.ParquetFile(pa.OSFile(str(file.path)), buffer_size=1 << 20, pre_buffer=False)
        schema, facts = source.schema_arrow, source.metadata
    except (pa.ArrowException, OSError) as error:
        raise ReleaseError(f"{file.name}: is no parquet file ({str(error)[:EXCERPT]}): get it again") from None
    with source:
        lacking = [name for name in COLUMNS if name not in schema.names]
        if lacking:
            raise ReleaseError(f"{file.name}: has no column {', '.join(lacking)}: a release of CoMT has {COLUMNS}")
        twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
        if twice:
            raise ReleaseError(f"{file.name}: has the column {twice[0]} more than once: leave one of them")
        for name in set(PICTURES) & set(schema.names):
            kind = schema.field(name).type
            if not _is_list(kind) or not _holds_files(kind.value_type):
                raise ReleaseError(
                    f"{file.name}: column {name} is {str(kind)[:80]} and no list of bytes and path: "
                    "write it with the Image feature of the hub's data sets"
                )
        largest = max((facts.row_group(group).total_byte_size for group in range(facts.num_row_groups)), default=0)
        if facts.num_rows > MOST_ROWS or largest > MOST_BYTES:
            raise ReleaseError(
                f"{file.name}: has {facts.num_rows} rows and up to {largest} bytes in a row group, more than the "
                f"{MOST_ROWS} and {MOST_BYTES} that are read: split it"
            )
        yield source


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _holds_files(kind: Any) -> bool:
    return bool(pa.types.is_struct(kind)) and {"bytes", "path"} <= {field.name for field in kind}
