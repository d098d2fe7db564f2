"""The numbers that the M3CoT paper prints, kept as data: accuracy in per cent by system, setting and topic."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assets.schema.vocabulary import TOPICS

FILES = ("published/m3cot_zero_shot.csv", "published/m3cot_exploration.csv")

COLUMNS = (*TOPICS, "total")


class Cell(NamedTuple):
    """One published number: accuracy in per cent, None where the paper prints a dash."""

    table: str
    model: str
    strategy: str
    column: str
    accuracy: float | None


def cells() -> Iterator[Cell]:
    """Every cell of the published zero-shot and exploration tables, row by row as printed.

    Source: M3CoT, tables 2 and 3 (zero-shot; tool usage and fine-tuning).
    """
    for name in FILES:
        path = Path(__file__).parent / name
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                model = row.get("model") or row["system"]
                strategy = row.get("strategy") or row["setting"]
                for column in COLUMNS:
                    value = row[column].strip()
                    number = float(value) if value not in {"", "-"} else None
                    yield Cell(path.stem.removeprefix("m3cot_"), model, strategy, column, number)
