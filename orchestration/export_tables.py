"""The stored tables that an export reads: made, good, readable, of today's columns, or else one sentence."""

import contextlib
from collections.abc import Iterable, Iterator
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from assets.exports.written import ExportError
from assets.schema.tables import TABLES
from orchestration import storage, verdicts

Row = TypeVar("Row")


class Stored:
    """The rows of an opened table, some at a time, as an export of predictions asks for them."""

    def __init__(self, opened: pq.ParquetFile, key: tuple[str, str], partition: str | None = None) -> None:
        """Take the opened table, and which one it is."""
        self._opened = opened
        self._which = (key, partition)

    @property
    def schema_arrow(self) -> pa.Schema:
        """Its columns."""
        return self._opened.schema_arrow

    def iter_batches(self, batch_size: int) -> Iterator[pa.RecordBatch]:
        """Its rows, some at a time.

        Raises:
            ExportError: they cannot be read.
        """
        return rows(self._opened.iter_batches(batch_size), *self._which)


def sample_table(key: tuple[str, str]) -> pa.Table:
    """A stored table of samples, as it lies there now.

    Raises:
        ExportError: it has not been made, cannot be read, is no table of samples, or failed its checks.
    """
    with readable(key):
        table, md5 = storage.read_versioned(storage.table_file(key))
    _of_kind(table.schema, "sample", key)
    _refuse(key, md5)
    return table


def open_table(key: tuple[str, str], partition: str | None = None, kind: str = "image") -> pq.ParquetFile:
    """A stored table of a kind, or one partition of it, opened.

    Raises:
        ExportError: it has not been made, cannot be read, is no table of the kind, or failed its checks.
    """
    with readable(key, partition):
        opened, md5 = storage.open_versioned(storage.table_file(key, partition))
    try:
        _of_kind(opened.schema_arrow, kind, key, partition)
        _refuse(key, md5, partition)
    except ExportError:
        opened.close()
        raise
    return opened


@contextlib.contextmanager
def readable(key: tuple[str, str], partition: str | None = None) -> Iterator[None]:
    """What reads a table within it fails in a sentence that names the table and what makes it.

    Raises:
        ExportError: there is no such table, or its file cannot be read.
    """
    name, way_out = _named(key, partition), _made_by(key, partition)
    try:
        yield
    except FileNotFoundError:
        raise ExportError(f"{name}: not made yet: {way_out}") from None
    # OSError: also pyarrow's word for pages that do not decompress
    except (pa.ArrowException, OSError, EOFError) as error:
        said = (error.strerror if isinstance(error, OSError) else None) or str(error)
        why = (said.splitlines() or ["nothing can be read"])[0].strip().rstrip(".")[:100]
        raise ExportError(f"{name}: its file cannot be read ({why}): make it again with {way_out}") from None


def rows(found: Iterable[Row], key: tuple[str, str], partition: str | None = None) -> Iterator[Row]:
    """What is read of a table, one after another; the writer's own errors stay what they are.

    Raises:
        ExportError: the next cannot be read.
    """
    source = iter(found)
    while True:
        with readable(key, partition):
            try:
                one = next(source)
            except StopIteration:
                return
        yield one


def _of_kind(columns: pa.Schema, kind: str, key: tuple[str, str], partition: str | None = None) -> None:
    wanted = TABLES[kind].schema
    absent = [name for name in wanted.names if name not in columns.names]
    present = [name for name in wanted.names if name not in absent]
    other = [name for name in present if columns.field(name).type != wanted.field(name).type]
    if absent or other:
        what = f"lacks {', '.join(absent[:3])}" if absent else f"has other values in {', '.join(other[:3])}"
        raise ExportError(
            f"{_named(key, partition)}: is no table `{kind}` as it is now ({what}): make it again with "
            f"{_made_by(key, partition)}"
        )


def _refuse(key: tuple[str, str], md5: str, partition: str | None = None) -> None:
    stage = "-".join(key) + (f"@{partition}" if partition else "")
    if refusal := verdicts.refusal(stage, md5):
        raise ExportError(f"{_named(key, partition)}: {refusal}: {_made_by(key, partition)}")


def _named(key: tuple[str, str], partition: str | None) -> str:
    return "/".join((*key, partition) if partition else key)


def _made_by(key: tuple[str, str], partition: str | None) -> str:
    return f"cotline materialize {'/'.join(key)}" + (f" --partition {partition}" if partition else "")
