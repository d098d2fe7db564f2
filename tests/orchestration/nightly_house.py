"""The night's assets beside tables of a test, with params.yaml, folders and an instance of their own."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from assets import params
from assets.nightly import defs as nightly_defs
from assets.nightly import nights
from assets.schema.faults import Fault
from orchestration import locks, materialize, nightly, schedules, storage
from orchestration.nights import Days, Nights, file_of
from tests.assets.nightly.night_tables import Book, predictions, samples

ROOT = Path(__file__).resolve().parents[2]
ENTRY = """\
  {name}:
    benchmark: m3cot   # a remark
    split: test
    model: guess
    strategy: direct
    live: {live}
"""


class Upstream(dg.IOManager):
    """The tables that a night reads: samples, no pictures, no checkpoints."""

    def load_input(self, context: dg.InputContext) -> Any:
        return samples() if context.asset_key.path == ["sources", "m3cot_released"] else {}

    def handle_output(self, context: dg.OutputContext, made: Any) -> None:
        raise AssertionError(f"a night wrote {context.asset_key.to_user_string()}, which is not its own")


class House:
    """Where nights are asked; `right` is what the model of each evaluation gets right, or why it cannot be asked."""

    def __init__(self, root: Path, instance: dg.DagsterInstance) -> None:
        self.folder = root / "nightly"
        self.instance = instance
        self.right: dict[str, int | str] = {"alpha": 16, "beta": 16}
        self.asked: list[tuple[str, str]] = []
        self.book = Book()
        self.defs = dg.Definitions(
            assets=[*dg.load_assets_from_modules([nightly_defs]), *_upstreams()],
            resources={"io_manager": Upstream(), "nights": Nights(folder=str(self.folder))},
            jobs=[schedules.nightly_job],
            schedules=[schedules.every_night],
        )

    def ask(self, name: str, under: str, tables: Any, told: Any) -> nights.Replies:
        self.asked.append((name, under))
        said = self.right[name]
        if isinstance(said, str):
            raise Fault(said)
        return nights.Replies(predictions(name, said), {"tokens_in": 200})

    def run(self, *arguments: str) -> int:
        """`cotline nightly` with these arguments."""
        import argparse

        parser = argparse.ArgumentParser()
        nightly.add_arguments(parser)
        return nightly.run(parser.parse_args(arguments))

    def night(
        self, day: str, *, tags: Mapping[str, str] | None = None, **right: int | str
    ) -> dg.ExecuteInProcessResult:
        """A run of the job, as the schedule starts one."""
        self.right |= right
        job = self.defs.resolve_job_def(schedules.JOB)
        return job.execute_in_process(
            instance=self.instance, partition_key=day, run_config=materialize.QUIET, tags=tags
        )

    def keep(self, day: str, **right: int | str) -> None:
        """A night as a run leaves it, without a run."""
        self.right |= right
        chosen = {row.evaluation: row.settings for row in nightly_defs.live()}
        self.book.night(day, {name: self.right[name] for name in chosen}, settings=chosen["alpha"])
        for name in ("asked", "answers", "scores", "changes"):
            table = getattr(self.book, name)[day]
            storage.write_table(table, nights.TABLES_OF[name], file_of(name, day, self.folder))

    def days(self, name: str) -> list[str]:
        return list(Days(name, self.folder))


def _upstreams() -> list[dg.AssetSpec]:
    found = {}
    for name, one in nightly_defs.READ.items():
        parts = dg.StaticPartitionsDefinition(["small"]) if name == "checkpoints" else None
        found[one.key] = dg.AssetSpec(one.key, partitions_def=parts)
    return list(found.values())


def write_params(file: Path, live: dict[str, bool]) -> None:
    """The default's params.yaml with one model and these evaluations in it, written by a person."""
    tree = yaml.safe_load((ROOT / "profiles/default.yaml").read_text(encoding="utf-8"))
    del tree["evaluations"]
    tree |= {"models": {"guess": {"kind": "baseline", "answers": "random"}}, "trainings": {}}
    entries = "".join(ENTRY.format(name=name, live=str(flag).lower()) for name, flag in live.items())
    file.write_text(f"{yaml.safe_dump(tree, sort_keys=False)}\n# What is asked.\nevaluations:\n{entries}", "utf-8")


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """Two live evaluations and one that is not; the latest night can be that of 2025-01-14."""
    file = tmp_path / "params.yaml"
    write_params(file, {"alpha": True, "beta": True, "gamma": False})
    monkeypatch.setattr(params, "PARAMS", file)
    monkeypatch.setattr(locks, "LOCKS", tmp_path / "locks")
    with dg.DagsterInstance.ephemeral() as instance:
        made = House(tmp_path, instance)
        monkeypatch.setattr(nightly_defs, "ask", made.ask)
        monkeypatch.setattr(schedules, "FOLDER", made.folder)
        monkeypatch.setattr(nightly, "FOLDER", made.folder)
        yield made
