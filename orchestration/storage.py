"""Tables and folders as files: where they lie, how their bytes are made, what their version is."""

import errno
import functools
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assets.params import ROOT
from assets.schema.tables import TABLES

CACHES = frozenset(("__pycache__",))
ROWS_IN_A_GROUP = 10_000
NOT_A_FILE = "not_a_file"
LINK_LOOP = "link_loop"
ROWS_AT_A_TIME = 16
"""Pictures read at once where only their being there matters."""


def table_file(key: Sequence[str], partition: str | None = None) -> Path:
    """The parquet file of asset `key` (group, name), or of one partition of it."""
    base = ROOT.joinpath("data", *key)
    return base / f"{partition}.parquet" if partition else base.with_name(f"{base.name}.parquet")


def folder_of(key: Sequence[str], partition: str | None = None) -> Path:
    """The folder that asset `key` writes beside its manifest."""
    return table_file(key, partition).with_suffix("")


def extra_file(key: Sequence[str], extra: str) -> Path:
    """The small JSON file `extra` that asset `key` writes beside its table, for DVC's metrics and plots."""
    return table_file(key).with_suffix(f".{extra}.json")


def relative(path: Path) -> str:
    """`path` relative to the project's root with forward slashes, as dvc.yaml writes it."""
    return Path(os.path.relpath(path, ROOT)).as_posix()


def md5_of(path: Path) -> str | None:
    """The hexadecimal MD5 of a file's bytes, or of a folder's list of files, as DVC records it; None where is none.

    Within a process a file is read once, as long as its inode, length and time stay (DVC trusts these too).
    What DVC would wait for or fail at is never opened, and has a word in place of an MD5, also within a folder's list:
    `not_a_file` a pipe, a socket or a device, `link_loop` a link that leads back to itself. So what is stale is still
    said, and who reads the folder sets the entry aside.
    """
    try:
        facts = path.stat()
        if stat.S_ISDIR(facts.st_mode):
            return _md5_of_folder(path)
        if not stat.S_ISREG(facts.st_mode):
            return NOT_A_FILE
        return _md5(path, facts.st_ino, facts.st_size, facts.st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return LINK_LOOP
        raise


def _md5_of_folder(folder: Path) -> str:
    """DVC's hash of a folder: of the JSON list of its files' MD5s and relative paths, sorted by path, and `.dir`.

    Like DVC it follows links to files and passes over links to folders, which may lead in a circle.
    """
    # within the checkout .dvcignore keeps Python's caches out
    ignored = CACHES if folder.is_relative_to(ROOT) else frozenset()
    files = {
        Path(base, name).relative_to(folder).as_posix(): Path(base, name)
        for base, _, names in os.walk(folder)
        if not ignored.intersection(Path(base).parts)
        for name in names
    }
    listed = [
        {"md5": md5, "relpath": place} for place, path in sorted(files.items()) if (md5 := md5_of(path)) is not None
    ]
    return f"{hashlib.md5(json.dumps(listed, sort_keys=True).encode()).hexdigest()}.dir"


@functools.lru_cache(maxsize=1 << 17)
def _md5(path: Path, inode: int, length: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def write_table(table: pa.Table, kind: str, target: Path) -> str:
    """Write `table` as the declared table `kind` to `target`, whole or not at all; its MD5 comes out.

    The bytes depend on the rows alone: fixed schema and column order, compression, row groups, no metadata.

    Raises:
        ValueError: a column is missing or cannot be cast; the sentence names it.
    """
    whole = fitted(table, kind, target).combine_chunks()
    return write_groups(
        (whole.slice(at, ROWS_IN_A_GROUP) for at in range(0, len(whole), ROWS_IN_A_GROUP)), kind, target
    )


def write_groups(groups: Iterable[pa.Table | pa.RecordBatch], kind: str, target: Path) -> str:
    """Write rows that come in groups as the table `kind`, a row group each, and hold one of them at a time.

    Raises:
        ValueError: a column is missing or cannot be cast; the sentence names it.
    """
    temporary = _beside(target)
    try:
        with pq.ParquetWriter(temporary, TABLES[kind].schema, compression="zstd", compression_level=3) as writer:
            for group in groups:
                part = pa.Table.from_batches([group]) if isinstance(group, pa.RecordBatch) else group
                writer.write_table(fitted(part, kind, target), row_group_size=max(len(part), 1))
                # what is written goes before the next group is made, and the pool gives it back
                del group, part
                pa.default_memory_pool().release_unused()
        md5 = md5_of(temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    if md5 is None:
        raise ValueError(f"{relative(target)}: vanished while it was written")
    return md5


def fitted(table: pa.Table, kind: str, target: Path) -> pa.Table:
    """`table` with the columns and types of the declared table `kind`.

    Raises:
        ValueError: a column is missing or cannot be cast; the sentence names it and `target`.
    """
    schema = TABLES[kind].schema
    if absent := [name for name in schema.names if name not in table.column_names]:
        raise ValueError(f"{relative(target)}: lacks the columns {', '.join(absent)} of table {kind!r}")
    try:
        return table.select(schema.names).cast(schema).replace_schema_metadata(None)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"{relative(target)}: does not fit table {kind!r}: {error}") from error


def read_table(path: Path) -> pa.Table:
    """The table in a parquet file that storage wrote."""
    return pq.read_table(path)


def read_versioned(path: Path) -> tuple[pa.Table, str]:
    """A table and the MD5 of the very bytes that it was read from, whoever replaces the file meanwhile.

    Raises:
        FileNotFoundError: there is no such file.
    """
    with path.open("rb") as file:
        md5 = hashlib.file_digest(file, "md5").hexdigest()
        file.seek(0)
        return pq.read_table(file), md5


def open_versioned(path: Path) -> tuple[pq.ParquetFile, str]:
    """A parquet file opened for reading row group by row group, and the MD5 of its bytes.

    It stays what it was when it was opened: a file that is replaced meanwhile is another one.

    Raises:
        FileNotFoundError: there is no such file.
    """
    file = path.open("rb")
    md5 = hashlib.file_digest(file, "md5").hexdigest()
    file.seek(0)
    return pq.ParquetFile(file), md5


def without_bytes(file: pq.ParquetFile) -> pa.Table:
    """The table with empty bytes in place of pictures: what checks and pages look at, in little memory."""
    return pa.concat_tables(_light(file)) if file.num_row_groups else file.schema_arrow.empty_table()


def _light(file: pq.ParquetFile) -> Iterator[pa.Table]:
    """The row groups in order, each with empty bytes in place of pictures."""
    schema = file.schema_arrow
    light = [field.name for field in schema if not pa.types.is_binary(field.type)]
    for group in range(file.num_row_groups):
        read = file.read_row_group(group, columns=light)
        yield pa.table(
            [read[field.name] if field.name in light else _emptied(file, group, field) for field in schema],
            schema=schema,
        )


def _emptied(file: pq.ParquetFile, group: int, field: pa.Field) -> pa.ChunkedArray:
    """A column of bytes in one row group, each value empty; some are read at a time, to see which are null."""
    batches = file.iter_batches(batch_size=ROWS_AT_A_TIME, row_groups=[group], columns=[field.name])
    held = pa.chunked_array([batch.column(0).is_valid() for batch in batches], pa.bool_())
    # The pool would keep what it is given back for a while, and a next group of pictures would come on top.
    pa.default_memory_pool().release_unused()
    return pc.if_else(held, pa.scalar(b"", field.type), pa.scalar(None, field.type))


def first_rows(path: Path, rows: int) -> tuple[pa.Table, int]:
    """The first `rows` rows of a table, with empty bytes in place of pictures, and how many rows it has in all."""
    with pq.ParquetFile(path) as file:
        groups: list[pa.Table] = []
        for group in _light(file):
            groups.append(group)
            if sum(map(len, groups)) >= rows:
                break
        head = pa.concat_tables(groups) if groups else file.schema_arrow.empty_table()
        return head.slice(0, rows), file.metadata.num_rows


def write_bytes(content: bytes, target: Path) -> None:
    """Write `content`, whole or not at all."""
    temporary = _beside(target)
    try:
        temporary.write_bytes(content)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def write_extra(content: Any, target: Path) -> None:
    """Write `content` as JSON with sorted keys, whole or not at all."""
    write_bytes(f"{json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)}\n".encode(), target)


def place_folder(made: Path, target: Path) -> None:
    """Move the folder `made` to `target`, in the place of what was there."""
    temporary, old = _beside(target), target.with_name(f".{target.name}.{os.getpid()}.old")
    shutil.move(made, temporary)
    temporary.chmod(0o755)
    if target.exists():
        target.rename(old)
    temporary.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def manifest(folder: Path) -> pa.Table:
    """The table `manifest` of a folder: each file's path, length in bytes and SHA-256, sorted by path."""
    rows: list[Mapping[str, Any]] = [
        {
            "file": path.relative_to(folder).as_posix(),
            "bytes": path.stat().st_size,
            "sha256": _sha256(path),
        }
        for path in sorted(path for path in folder.rglob("*") if path.is_file())
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["manifest"].schema)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _beside(target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.with_name(f".{target.name}.{os.getpid()}.tmp")
