"""How often models draw in their replies, by task, and which scores people give what they drew."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis import figures
from assets.schema.vocabulary import TASKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HATCHES = ("", "///", "xxx", "...")
"""What tells tasks apart without colour, beside their order."""

MOST_HATCHED = 8
"""Evaluations beyond which bars are thin and plain: the picture stays small."""

SHADES = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")
"""The scores 0 to 4, from dark to light: viridis."""

SCORES = ("0 not relevant", "1 relevant, wrong", "2 partly right", "3 right", "4 right and beautiful")

Rows = Sequence[Mapping[str, Any]]


def draw(rows: Rows) -> "Figure":
    """Above, the share of replies with a picture, by evaluation and task; below, the agreed scores of the pictures.

    Source: the forms of arXiv:2412.12932, figures 7 and 8.
    """
    if not rows:
        figure, axes = figures.axes_of(7.5, 2, "Pictures in replies")
        figures.nothing(axes, "no evaluation of CoMT has replies yet, and no reply of another holds a picture")
        return figure
    named = list(dict.fromkeys(row["evaluation"] for row in rows))
    judged = _judged(rows)
    each = 0.7 if len(named) <= MOST_HATCHED else 0.45
    upper, lower = 1.3 + each * len(named), 1.2 + 0.35 * max(len(judged), 1)
    figure, axes = figures.axes_of(7.5, upper + lower)
    axes.remove()
    halves: Any = figure.subfigures(2, 1, height_ratios=[upper, lower])
    for part, show in zip(halves, (_shares, _scores), strict=True):
        axes = part.subplots()
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        show(axes, rows)
        if names := axes.get_legend_handles_labels()[1]:
            part.legend(loc="outside lower center", ncols=len(names), fontsize=7, frameon=False, handlelength=1.2)
    return figure


def _judged(rows: Rows) -> Rows:
    return [row for row in rows if row["scope"] == "total" and row["agreed"]]


def _shares(axes: "Axes", rows: Rows) -> None:
    named = list(dict.fromkeys(row["evaluation"] for row in rows))
    wide = 0.8 / len(TASKS)
    totals = {row["evaluation"]: row for row in rows if row["scope"] == "total"}
    by_task = {(row["evaluation"], row["name"]): row for row in rows if row["scope"] == "task"}
    for number, task in enumerate(TASKS):
        colour, _ = figures.series(number)
        found = [(place, by_task[name, task]) for place, name in enumerate(named) if (name, task) in by_task]
        drawn = [(place + (number - 1.5) * wide, row) for place, row in found if row["share"] is not None]
        if not drawn:
            continue
        axes.barh(
            [place for place, _ in drawn],
            [100 * row["share"] for _, row in drawn],
            height=wide,
            color=colour,
            edgecolor="white",
            linewidth=0.4,
            hatch=HATCHES[number] if len(named) <= MOST_HATCHED else "",
            label=task,
        )
        _intervals(axes, drawn)
    without = [(place, totals[name]) for place, name in enumerate(named) if (name, TASKS[0]) not in by_task]
    if whole := [(place, row) for place, row in without if row["share"] is not None]:
        shown = [100 * row["share"] for _, row in whole]
        axes.barh([place for place, _ in whole], shown, height=wide, color=figures.GREY, label="all of it")
        _intervals(axes, whole)
    axes.set_yticks(range(len(named)), [f"{name}  (n={totals[name]['n']})" for name in named], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("replies with a picture, per cent (line: interval)")
    axes.set_title("How often models draw")


def _intervals(axes: "Axes", drawn: Sequence[tuple[float, Mapping[str, Any]]]) -> None:
    for place, row in drawn:
        axes.plot([100 * row["low"], 100 * row["high"]], [place, place], color="#333333", linewidth=1)


def _scores(axes: "Axes", rows: Rows) -> None:
    judged = _judged(rows)
    axes.set_title("How good people find the pictures")
    if not judged:
        figures.nothing(axes, "no score that enough annotators agree on: cotline annotate picture_quality")
        return
    left = [0.0] * len(judged)
    for score, words in enumerate(SCORES):
        counts = [next((one["n"] for one in row["scores"] if one["score"] == score), 0) for row in judged]
        parts = [100 * count / row["agreed"] for count, row in zip(counts, judged, strict=True)]
        axes.barh(range(len(judged)), parts, left=left, height=0.7, color=SHADES[score], label=words)
        for place, (part, start) in enumerate(zip(parts, left, strict=True)):
            if part >= 4:
                light = score >= 3
                axes.text(
                    start + part / 2,
                    place,
                    str(score),
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="black" if light else "white",
                )
        left = [start + part for start, part in zip(left, parts, strict=True)]
    labels = [f"{row['evaluation']}  (n={row['agreed']}, mean {row['mean']:.2f})" for row in judged]
    axes.set_yticks(range(len(judged)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("replies with that score, per cent of those agreed on")
