"""Tables and folders as files: where they lie, how their bytes are made, what their version is."""

import functools
import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assets.params import ROOT
from assets.tables import TABLES

ROWS_IN_A_GROUP = 10_000


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
    """The hexadecimal MD5 of a file's bytes, as DVC records it, or None where there is no file.

    Within a process a file is read once, as long as its inode, length and time stay (DVC trusts these too).
    """
    try:
        stat = path.stat()
        return _md5(path, stat.st_ino, stat.st_size, stat.st_mtime_ns)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None


@functools.lru_cache(maxsize=4096)
def _md5(path: Path, inode: int, length: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def write_table(table: pa.Table, kind: str, target: Path) -> str:
    """Write `table` as the declared table `kind` to `target`, whole or not at all; its MD5 comes out.

    The bytes depend on the rows alone: fixed schema and column order, compression, row groups, no metadata.

    Raises:
        ValueError: a column is missing or cannot be cast; the sentence names it.
    """
    schema = TABLES[kind].schema
    if absent := [name for name in schema.names if name not in table.column_names]:
        raise ValueError(f"{relative(target)}: lacks the columns {', '.join(absent)} of table {kind!r}")
    try:
        plain = table.select(schema.names).cast(schema).replace_schema_metadata(None).combine_chunks()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"{relative(target)}: does not fit table {kind!r}: {error}") from error
    temporary = _beside(target)
    try:
        pq.write_table(plain, temporary, compression="zstd", compression_level=3, row_group_size=ROWS_IN_A_GROUP)
        md5 = md5_of(temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    if md5 is None:
        raise ValueError(f"{relative(target)}: vanished while it was written")
    return md5


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


def write_bytes(content: bytes, target: Path) -> None:
    """Write `content`, whole or not at all."""
    temporary = _beside(target)
    temporary.write_bytes(content)
    os.replace(temporary, target)


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
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(path for path in folder.rglob("*") if path.is_file())
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["manifest"].schema)


def _beside(target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.with_name(f".{target.name}.{os.getpid()}.tmp")
