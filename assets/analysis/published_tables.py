"""The published numbers of M3CoT, kept as data: accuracy in per cent by system, setting and topic."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assets.analysis.entries import Entry
from assets.schema.faults import Fault
from assets.schema.vocabulary import TOPICS

FILES = ("published/m3cot_zero_shot.csv", "published/m3cot_exploration.csv", "published/m3cot_leaderboard.csv")

COLUMNS = (*TOPICS, "total")

ZERO_SHOT = "zero-shot"


class Row(NamedTuple):
    """A model with a strategy, of the released test split, whole and without shots."""

    model: str
    strategy: str


TABLE = "zero_shot"
"""The paper's table of M3CoT's test split without shots, whose totals stand on the leaderboard beside ours."""


class Cell(NamedTuple):
    """One published number: accuracy in per cent, None where a dash is printed.

    repeats: what an evaluation of ours has to be to repeat the row; None where none can.
    """

    table: str
    model: str
    strategy: str
    column: str
    accuracy: float | None
    repeats: Row | None = None


def cells() -> Iterator[Cell]:
    """Every cell of the published tables zero_shot, exploration and leaderboard, row by row as printed.

    The board's rows have as `strategy` their prompt and setting, and what else tells them apart; its odd values are in
    the column `note` of the file. Where a row stands in the zero-shot table too, the cells of both are equal.

    Source: M3CoT, tables 2 and 3 (zero-shot; tool usage and fine-tuning); the 116 rows of its public leaderboard.
    """
    for name in FILES:
        path = Path(__file__).parent / name
        table = path.stem.removeprefix("m3cot_")
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                model = row.get("model") or row["system"]
                strategy = row.get("strategy") or row["setting"]
                repeats = _repeats(table, row)
                for column in COLUMNS:
                    value = row[column].strip()
                    number = float(value) if value not in {"", "-"} else None
                    yield Cell(table, model, strategy, column, number, repeats)


def _repeats(table: str, row: Mapping[str, str]) -> Row | None:
    match table:
        case "zero_shot":
            return Row(row["model"], row["strategy"])
        case "leaderboard" if row["setting"] == ZERO_SHOT:
            return Row(row["published"], row["prompt"].lower())
    return None


def claims(found: Sequence[Entry]) -> dict[str, Row]:
    """By evaluation the published model and strategy that it repeats, of the zero-shot table or the leaderboard.

    Only an evaluation of the released M3CoT's whole test split without shots repeats a row: the published numbers are
    of nothing else.

    Raises:
        Fault: two evaluations repeat one row.
    """
    rows = {cell.repeats for cell in cells()}
    claimed: dict[Row, str] = {}
    for entry in found:
        row = Row(entry.published or "", entry.strategy)
        of = (entry.benchmark, entry.edition, entry.split, entry.shots, entry.limit)
        if of != ("m3cot", "released", "test", 0, None) or row not in rows:
            continue
        if row in claimed:
            raise Fault(
                f"evaluations {claimed[row]} and {entry.evaluation} both stand for the published row "
                f"{' '.join(row)}: give one of them a model whose `published` is null"
            )
        claimed[row] = entry.evaluation
    return {evaluation: row for row, evaluation in claimed.items()}
