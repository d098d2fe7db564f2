"""Where the nights' tables lie, var/nightly/<day>/<name>.parquet, and Dagster's hand on them."""

import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import dagster as dg
import pyarrow as pa

from assets import params
from assets.nightly.nights import TABLES_OF, Night, asked_rows
from assets.schema.tables import TABLES
from orchestration import locks, storage
from orchestration.io_manager import PREVIEW_ROWS, preview

FOLDER = params.ROOT / "var" / "nightly"

EVERY_NIGHT = "every_night"
"""An input with this entry in its metadata gets the tables of all nights, as `Days`."""

LOCK = "nightly"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def file_of(name: str, day: str | None, folder: Path = FOLDER) -> Path:
    """The file of `nightly/<name>` of one night, or of a table over all nights."""
    return (folder / day if day else folder) / f"{name}.parquet"


class Days(Mapping[str, pa.Table]):
    """The tables `nightly/<name>` by night, those that are there; each is read when it is looked up."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        """Look at what lies in `folder` now."""
        self._name, self._folder = name, folder
        found = folder.iterdir() if folder.is_dir() else ()
        self._days = sorted(
            path.name for path in found if _DAY.fullmatch(path.name) and file_of(name, path.name, folder).is_file()
        )

    def __getitem__(self, day: str) -> pa.Table:
        """The table of a night."""
        if day not in self._days:
            raise KeyError(day)
        return read(self._name, day, self._folder)

    def __contains__(self, day: object) -> bool:
        """Whether there is that night; nothing is read."""
        return day in self._days

    def __iter__(self) -> Iterator[str]:
        """The nights in order."""
        return iter(self._days)

    def __len__(self) -> int:
        """How many nights."""
        return len(self._days)


def read(name: str, day: str | None, folder: Path = FOLDER) -> pa.Table:
    """A table of a night as it is declared today; a column that it was written without is null.

    Raises:
        FileNotFoundError: there is none.
    """
    table = storage.read_table(file_of(name, day, folder))
    schema = TABLES[TABLES_OF[name]].schema
    columns = [
        table[field.name] if field.name in table.column_names else pa.nulls(len(table), field.type) for field in schema
    ]
    return pa.table(columns, names=schema.names).cast(schema)


class Nights(dg.ConfigurableIOManager):
    """Stores the nights' tables as they are declared, and lets one run at a time write them."""

    folder: str = str(FOLDER)

    @contextlib.contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["Nights"]:
        """Hold the lock of the nights, or say who has it."""
        run = context.run
        if run is None:
            yield self
            return
        with locks.held({LOCK}, set(), params.load().running.lock_wait_s, f"run {run.run_id[:8]}"):
            yield self

    def stored(self, day: str) -> Night | None:
        """The replies that there are of a night, and how they were asked; None where there are none."""
        try:
            found = {name: read(name, day, Path(self.folder)) for name in ("predictions", "asked")}
        except FileNotFoundError:
            return None
        return Night(found["predictions"], asked_rows(found["asked"]), {})

    def handle_output(self, context: dg.OutputContext, table: pa.Table) -> None:
        """Write the table; its MD5 is its data version."""
        name = context.asset_key.path[-1]
        file = file_of(name, context.asset_partition_key if context.has_asset_partitions else None, Path(self.folder))
        md5 = storage.write_table(table, TABLES_OF[name], file)
        context.step_context.set_data_version(context.asset_key, dg.DataVersion(md5))
        context.add_output_metadata(
            {
                "dagster/row_count": table.num_rows,
                "preview": dg.MetadataValue.md(preview(table.slice(0, PREVIEW_ROWS))),
                "path": dg.MetadataValue.path(str(file)),
                "md5": md5,
            }
        )

    def load_input(self, context: dg.InputContext) -> "pa.Table | Days":
        """The table of the run's night, or of every night there is where the input asks for that.

        Raises:
            Failure: there is none.
        """
        name = context.asset_key.path[-1]
        if context.definition_metadata.get(EVERY_NIGHT):
            return Days(name, Path(self.folder))
        day = context.asset_partition_key if context.has_asset_partitions else None
        try:
            return read(name, day, Path(self.folder))
        except FileNotFoundError:
            missing = file_of(name, day, Path(self.folder))
            raise dg.Failure(f"{missing}: missing; `cotline nightly run --day {day}` makes it") from None
