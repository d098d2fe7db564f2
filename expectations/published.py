"""What the papers print, read from the project's data by itself: tables of assets are held against it."""

import csv
import functools

from assets import params
from assets.schema.vocabulary import TOPICS

PUBLISHED = {
    "zero_shot": ("m3cot_zero_shot.csv", "model", "strategy"),
    "exploration": ("m3cot_exploration.csv", "system", "setting"),
    "leaderboard": ("m3cot_leaderboard.csv", "model", "strategy"),
}
"""The file of each published table, and the two columns that name its rows; a cell stands in the column so named."""


@functools.cache
def published_cells() -> dict[tuple[str, str, str, str], float | None]:
    """The percentage of each published cell by (table, model, strategy, column); None where it is blank or a dash."""
    folder = params.ROOT / "assets" / "analysis" / "published"
    cells = {}
    for table, (name, *names) in PUBLISHED.items():
        with (folder / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                model, strategy = (row[of] for of in names)
                for column in (*TOPICS, "total"):
                    value = row[column].strip()
                    cells[table, model, strategy, column] = float(value) if value not in {"", "-"} else None
    return cells


@functools.cache
def systems() -> tuple[dict[str, str], ...]:
    """Every system that the two papers name, as a row of `systems.csv` has it."""
    path = params.ROOT / "assets" / "analysis" / "systems" / "systems.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
