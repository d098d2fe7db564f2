"""The replies of every evaluation with the pictures that they hold, from the tables of predictions."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from assets.analysis.entries import Entry
from assets.evaluation.rows import Item
from assets.schema.faults import Fault

SEPARATOR = ":"
"""Between the evaluation and the sample in what names a judged reply; no evaluation's name has one."""


class DrawnReply(NamedTuple):
    """A reply to a sample that was asked, and its pictures.

    pictures: how many it holds, those that cannot be had included. lost: of them those that cannot be had.
    """

    evaluation: str
    model: str
    strategy: str
    asked: tuple[str, str, str]
    task: str | None
    sample_id: str
    pictures: int
    lost: int

    @property
    def name(self) -> str:
        """What a judgement of it names: `<evaluation>:<sample_id>`."""
        return f"{self.evaluation}{SEPARATOR}{self.sample_id}"


def replies(
    predictions: Mapping[str, pa.Table],
    items: Mapping[str, Mapping[str, Item]],
    entries: Mapping[str, Entry],
    several: frozenset[str] = frozenset(),
) -> list[DrawnReply]:
    """The replies to samples of their evaluation's split, evaluation by evaluation, in the order of their lines.

    Of several replies to a sample the first counts, as the strict policy has it; of people's all do.

    Args:
        predictions: tables `prediction` by evaluation.
        items: by evaluation the samples that it was asked, by id.
        entries: what params.yaml says of each.
        several: evaluations that several people answer.

    Raises:
        Fault: there are replies of an evaluation that params.yaml has not.
    """
    found = []
    for name, table in sorted(predictions.items()):
        if name not in entries:
            raise Fault(f"there are replies of {name}, which params.yaml has not: reload the definitions")
        entry = entries[name]
        seen: set[str] = set()
        for row in _rows(table):
            item = items[name].get(row["sample_id"])
            if item is None or row["dropped"] is not None or (item.id in seen and name not in several):
                continue
            seen.add(item.id)
            pictures = [part for turn in row["turns"] or () for part in pictures_of(turn)]
            lost = sum(part["image_id"] is None for part in pictures)
            asked = entry.benchmark, entry.edition, entry.split
            found.append(DrawnReply(name, entry.model, entry.strategy, asked, item.task, item.id, len(pictures), lost))
    return found


def pictures_of(turn: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The parts of a turn that are pictures, where it is the model's."""
    return [part for part in turn["parts"] if part["kind"] == "image"] if turn["role"] == "assistant" else []


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    """The rows in the order of their lines; turns are left out where no reply of the table holds a picture."""
    columns = ["line", "sample_id", "dropped"]
    turns = pc.list_flatten(table["turns"])
    kinds = pc.struct_field(pc.list_flatten(pc.struct_field(turns, "parts")), "kind")
    if pc.any(pc.equal(kinds, "image")).as_py():
        rows: list[dict[str, Any]] = table.select([*columns, "turns"]).to_pylist()
    else:
        rows = [{**row, "turns": None} for row in table.select(columns).to_pylist()]
    return sorted(rows, key=lambda row: row["line"])
