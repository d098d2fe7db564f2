"""The finished release of M3CoT, as a folder or as parquet -> rows of tables `sample` and `image`."""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from assets import images
from assets.images import Picture
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.sources import jsonlines, m3cot_released
from assets.sources.jsonlines import EXCERPT, Record, Unreadable
from assets.sources.m3cot_released import SPLIT_NAMES

REASONS = ("damaged_parquet", "not_utf8", "duplicate_id")
"""Why a row of a parquet file gives no item or no picture, beside the reasons of lines, items and pictures."""

COLUMNS = (
    "id",
    "category",
    "question",
    "choices",
    "context",
    "answer",
    "rationale",
    "split",
    "image",
    "domain",
    "topic",
)
"""The columns that are read. Source: M3CoT's data set on the hub, which has `image_id` besides."""

_TEXTS = tuple(name for name in COLUMNS if name != "image")

ROWS = 16
"""Rows turned into records at a time."""

MOST_ROWS = 1_000_000
MOST_BYTES = 2 << 30
"""Of a row group, as the file's footer has it: reading one whose pictures are in one page takes twice that memory."""

_IMAGES = ("images", "data/images")


class ReleaseError(Fault):
    """A folder or a file that is no release of M3CoT."""


class _File(NamedTuple):
    """One file of a release: where it lies, what the rows call it, and the split that its name gives."""

    path: Path
    name: str
    split: str


def samples(
    path: Path, ids: Mapping[str, str], reasons: Mapping[str, str], *, provenance: str = "released"
) -> Iterator[Sample]:
    """Each item of the release as one row of table `sample`, file after file, the unreadable ones included.

    `path` is a folder with train, dev or validation, and test as .jsonl or .jsonl.gz and the pictures in `images`;
    a folder with train-*.parquet and so on, in it or in `data` within; or one such file. An item's own split wins
    over the one of its file's name. An item whose picture was not found is kept, with no images and
    ` > picture missing` after its provenance, or ` > picture <reason>` where its file gave none.
    Reasons in `dropped`: those of `m3cot_released.samples`, an id that an earlier file had being a duplicate too;
    of parquet also not_utf8, and damaged_parquet where the rest of a row group cannot be read.

    Args:
        path: the release.
        ids: image id by file of the pictures, as `pictures` names the files.
        reasons: why a file gave no picture, by file.
        provenance: which step made the rows.

    Raises:
        ReleaseError: nothing of it can be read, or a column is missing.

    Source: M3CoT's data set on the hub, which has 40 test items fewer than the paper, and its files.
    """
    seen: set[str] = set()
    finder = _Finder(path)
    for file in _files(path):
        of_parquet = _is_parquet(file.path)
        records = _rows(file, _TEXTS) if of_parquet else jsonlines.read(file.path, file.name)
        for number, record in records:
            [row] = m3cot_released.samples(
                [(number, record)], file=file.name, provenance=provenance, split=file.split, seen=seen
            )
            if row.dropped is not None or isinstance(record, Unreadable):
                yield row
                continue
            picture = f"{row.split}/{row.id}" if of_parquet else finder.file(record.get("image"))
            yield _with_picture(row, picture, ids, reasons)


def is_release(path: Path) -> bool:
    """Whether the path is a whole release (a folder, or a parquet file), rather than a file of items alone.

    Raises:
        ReleaseError: it is neither, nor JSON lines.
    """
    if path.is_dir() or path.suffix == ".parquet":
        return True
    if not path.name.endswith((".jsonl", ".jsonl.gz")):
        raise ReleaseError(
            f"{path.name}: is no release of M3CoT: name a .jsonl or .jsonl.gz file, a parquet file, or a folder of "
            "them (a loader script is never run: download the data set's parquet files)"
        )
    return False


def pictures(path: Path) -> Iterator[Picture]:
    """The pictures of the release as rows of table `image`, one for each file that an item names, in order of names.

    `file` is the path within the folder. In parquet, where a picture lies in its row, it is `<split>/<id>`, in the
    order of the rows; rows without an id or a picture give none, and a second row of the same id is set aside
    (duplicate_id), as its item is. An item may write the path with backslashes or from another folder: what is
    not at that place is sought by its name below `images`, and nothing outside the folder is ever opened.

    Raises:
        ReleaseError: nothing of it can be read, or a column is missing.
    """
    files = list(_files(path))
    if any(_is_parquet(file.path) for file in files):
        yield from _embedded(files)
        return
    finder = _Finder(path)
    named: set[str] = set()
    for file in files:
        for _, record in jsonlines.read(file.path, file.name):
            found = None if isinstance(record, Unreadable) else finder.file(record.get("image"))
            named |= set() if found is None else {found}
    for name in sorted(named):
        yield images.read(finder.folder / name, name)


def _with_picture(row: Sample, picture: str | None, ids: Mapping[str, str], reasons: Mapping[str, str]) -> Sample:
    if picture is not None and picture in ids:
        return row._replace(images=(ids[picture],))
    why = "missing" if picture is None else reasons.get(picture, "missing")
    return row._replace(images=()).made(f"picture {why}")


def _files(path: Path) -> list[_File]:
    """The files of a release, those of train first, then validation, then test."""
    if path.is_file():
        return [_File(path, path.name, _split(path.name) or "test")]
    if not path.is_dir():
        raise ReleaseError(f"{path.name}: there is no such file or folder: point at the release of M3CoT")
    found = [
        _File(entry, entry.relative_to(path).as_posix(), split)
        for folder in (path, path / "data")
        if folder.is_dir()
        for entry in sorted(folder.iterdir())
        if entry.is_file() and (split := _split(entry.name)) is not None
    ]
    forms = {_is_parquet(file.path) for file in found}
    if not found:
        raise ReleaseError(
            f"{path.name}: holds neither train.jsonl, validation.jsonl (or dev.jsonl), test.jsonl nor "
            "train-*.parquet and so on: point at the folder of M3CoT's release"
        )
    if len(forms) > 1:
        raise ReleaseError(f"{path.name}: holds parquet and JSON lines of the same splits: leave one of them there")
    lines = [file.split for file in found if not _is_parquet(file.path)]
    twice = sorted({split for split in lines if lines.count(split) > 1})
    if twice:
        names = ", ".join(file.name for file in found if file.split == twice[0])
        raise ReleaseError(f"{path.name}: holds {twice[0]} more than once ({names}): leave one of them there")
    order = tuple(dict.fromkeys(SPLIT_NAMES.values()))
    return sorted(found, key=lambda file: (order.index(file.split), file.name))


def _split(name: str) -> str | None:
    """The split that a file's name gives, or None for a name that is not of a release's file."""
    found = re.fullmatch(r"(train|dev|validation|test)(\.jsonl|\.jsonl\.gz|(-.*)?\.parquet)", name)
    return None if found is None else SPLIT_NAMES[found[1]]


def _is_parquet(path: Path) -> bool:
    return path.suffix == ".parquet"


class _Finder:
    """Finds the file that an item means by its `image`, within one folder."""

    def __init__(self, path: Path) -> None:
        self.folder = path if path.is_dir() else path.parent
        self._root = self.folder.resolve()
        self._by_name: dict[str, list[str]] | None = None

    def file(self, image: Any) -> str | None:
        """The path within the folder, with forward slashes; None where there is no such file in it."""
        given = image.get("path") if type(image) is dict else image
        if type(given) is not str or not given or "\0" in given:
            return None
        parts = [part for part in given.replace("\\", "/").split("/") if part not in {"", "."}]
        name = parts[-1] if parts else ".."
        if name == ".." or not _is_storable(given):
            return None
        places = [] if ".." in parts else ["/".join(parts)]
        places += [f"{folder}/{name}" for folder in _IMAGES]
        for place in places:
            if self._is_inside(place):
                return place
        below = self._below_images().get(name, [])
        # of several with one name nobody can tell which was meant
        return below[0] if len(below) == 1 else None

    def _is_inside(self, name: str) -> bool:
        try:
            path = (self.folder / name).resolve()
            return path.is_relative_to(self._root) and path.is_file()
        except (OSError, RuntimeError):
            return False

    def _below_images(self) -> dict[str, list[str]]:
        if self._by_name is None:
            self._by_name = {}
            for path in sorted(path for folder in _IMAGES for path in (self.folder / folder).rglob("*")):
                name = path.relative_to(self.folder).as_posix()
                if _is_storable(name) and self._is_inside(name):
                    self._by_name.setdefault(path.name, []).append(name)
        return self._by_name


def _is_storable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _embedded(files: list[_File]) -> Iterator[Picture]:
    seen: set[str] = set()
    for file in files:
        for number, record in _rows(file, ("id", "split", "image.bytes")):
            if isinstance(record, Unreadable):
                yield _set_aside(f"{file.name}:{number}", record.reason, file, number, record.excerpt)
                continue
            item_id = m3cot_released.identifier(record)
            content = (record["image"] or {}).get("bytes")
            if item_id is None or content is None:
                continue
            own = record["split"]
            split = SPLIT_NAMES.get(own, file.split) if isinstance(own, str) else file.split
            name = f"{split}/{item_id}"
            if name in seen:
                yield _set_aside(name, "duplicate_id", file, number, None)
                continue
            seen.add(name)
            yield images.read_bytes(content, name)


def _set_aside(name: str, reason: str, file: _File, number: int, excerpt: str | None) -> Picture:
    return Picture(None, name, None, None, None, None, reason, (file.name, number, excerpt))


def _rows(file: _File, columns: Sequence[str]) -> Iterator[tuple[int, Record | Unreadable]]:
    """The rows of a parquet file, numbered from 1; where a row group breaks off, why, and then the next group."""
    with _opened(file) as source:
        number = 0
        for group in range(source.num_row_groups):
            after = number + source.metadata.row_group(group).num_rows
            try:
                for batch in source.iter_batches(ROWS, row_groups=[group], columns=list(columns), use_threads=False):
                    for record in _records(batch, file.name, number):
                        number += 1
                        yield number, record
            except (pa.ArrowException, OSError) as error:
                yield number + 1, Unreadable(file.name, number + 1, "damaged_parquet", str(error)[:EXCERPT])
            number = max(number, after)


@contextlib.contextmanager
def _opened(file: _File) -> Iterator[pq.ParquetFile]:
    try:
        # unbuffered, Arrow holds every page of a row group at once
        source = pq.ParquetFile(pa.OSFile(str(file.path)), buffer_size=1 << 20, pre_buffer=False)
        schema, facts = source.schema_arrow, source.metadata
    except (pa.ArrowException, OSError) as error:
        raise ReleaseError(f"{file.name}: is no parquet file ({str(error)[:EXCERPT]}): get it again") from None
    with source:
        lacking = [name for name in COLUMNS if schema.names.count(name) != 1]
        if lacking:
            raise ReleaseError(
                f"{file.name}: has no column {', '.join(lacking)}, or has it twice: a release of M3CoT has each once"
            )
        picture = schema.field("image").type
        if not pa.types.is_struct(picture) or picture.get_field_index("bytes") < 0:
            raise ReleaseError(
                f"{file.name}: column image is {str(picture)[:80]} and not bytes and path: "
                "write it as the hub's data set has it"
            )
        largest = max((facts.row_group(group).total_byte_size for group in range(facts.num_row_groups)), default=0)
        if facts.num_rows > MOST_ROWS or largest > MOST_BYTES:
            raise ReleaseError(
                f"{file.name}: has {facts.num_rows} rows and up to {largest} bytes in a row group, more than the "
                f"{MOST_ROWS} and {MOST_BYTES} that are read: split it"
            )
        yield source


def _records(batch: pa.RecordBatch, name: str, before: int) -> Iterator[Record | Unreadable]:
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:
        for place in range(batch.num_rows):
            try:
                [record] = batch.slice(place, 1).to_pylist()
            except UnicodeDecodeError as error:
                yield Unreadable(name, before + place + 1, "not_utf8", str(error)[:EXCERPT])
            else:
                yield record
