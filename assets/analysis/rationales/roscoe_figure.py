"""ROSCOE at a glance: the mean of each score by evaluation, as a map with its numbers."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from assets.analysis import figures
from assets.schema.analysis_vocabulary import ROSCOE_MODES, ROSCOE_SCORES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 7.5
_DARK = 0.55
"""Below it a cell of the map is so dark that its number is white."""


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Evaluations down, scores across; in each cell the mean of the replies that have the score.

    Of the modes that were scored it shows the paper's forms where they are among them. Scores that no reply has are
    left out; an empty cell has no value. Beside an evaluation stands the number of its replies that have steps.
    """
    evaluations = sorted({row["evaluation"] for row in rows})
    figure, axes = figures.axes_of(WIDTH, 1.6 + 0.23 * max(len(evaluations), 2), "ROSCOE by evaluation")
    modes = [mode for mode in ROSCOE_MODES[::-1] if any(row["mode"] == mode and row["steps"] for row in rows)]
    if modes:
        _map(axes, modes[0], evaluations, [row for row in rows if row["mode"] == modes[0]])
    else:
        figures.nothing(axes, "no rationale to score: none of the sampled replies has a step")
    return figure


def means(
    rows: Sequence[Mapping[str, Any]], evaluations: Sequence[str], scores: Sequence[str]
) -> list[list[float | None]]:
    """The mean of each score over each evaluation's rows that have it; None where none has."""
    found: list[list[float | None]] = []
    for name in evaluations:
        of = [row for row in rows if row["evaluation"] == name]
        values = [[row[score] for row in of if row[score] is not None] for score in scores]
        found.append([fmean(one) if one else None for one in values])
    return found


def _map(axes: "Axes", mode: str, evaluations: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    scores = [score for score in ROSCOE_SCORES if any(row[score] is not None for row in rows)]
    values = means(rows, evaluations, scores)
    numbers = [[math.nan if value is None else value for value in line] for line in values]
    axes.grid(False)
    axes.imshow(numbers, cmap="cividis", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    for down, line in enumerate(values):
        for across, value in enumerate(line):
            if value is not None:
                colour = "white" if value < _DARK else "black"
                axes.text(across, down, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=7)
    counts = [sum(1 for row in rows if row["evaluation"] == name and row["steps"]) for name in evaluations]
    named = [f"{name}  (n={n})" for name, n in zip(evaluations, counts, strict=True)]
    axes.set_yticks(range(len(evaluations)), named, fontsize=8)
    spoken = [score.replace("_", " ") for score in scores]
    axes.set_xticks(range(len(scores)), spoken, rotation=40, ha="right", rotation_mode="anchor", fontsize=7)
    axes.set_xlabel("score of ROSCOE, mean in [0, 1], higher is better; n: replies with steps", fontsize=8)
    axes.set_title(f"ROSCOE by evaluation, mode {mode}")
