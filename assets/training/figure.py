"""Figures of trainings: how losses and accuracy went, and what a model reaches with the pictures and without."""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette stays apart for colour-blind readers.
COLOURS = {"seen": "#0072B2", "shuffled": "#D55E00", "blank": "#009E73", "random": "#777777"}
MARKERS = {"seen": "o", "shuffled": "s", "blank": "D", "random": "x"}
LOSS, RIGHT = "#0072B2", "#D55E00"
DPI = 100
MOST = 14
"""Names of a scope that a figure shows, those with most samples."""


def curves(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Loss on train and validation and accuracy on validation, epoch by epoch, a panel a stage, as PNG."""
    from matplotlib.figure import Figure

    stages = list(dict.fromkeys(row["stage"] for row in rows))
    figure = Figure(figsize=(3.4 * max(len(stages), 1), 2.8), dpi=DPI, layout="constrained")
    for place, stage in enumerate(stages, start=1):
        axes = figure.add_subplot(1, len(stages), place)
        of = [row for row in rows if row["stage"] == stage]
        for name, style in (("loss", "-"), ("loss_validation", "--")):
            _line(axes, of, name, LOSS, style)
        axes.set_title(stage)
        axes.set_xlabel("epoch")
        axes.set_ylabel("loss (dashed: validation)", color=LOSS)
        axes.set_ylim(bottom=0)
        if any(row["accuracy_validation"] is not None for row in of):
            other = axes.twinx()
            _line(other, of, "accuracy_validation", RIGHT, ":")
            other.set_ylim(0, 1)
            other.set_ylabel("accuracy, validation (dotted)", color=RIGHT)
    return _png(figure)


def controls(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Accuracy of a model with its pictures and under each control, on the whole and by topic, as PNG."""
    shown = [row for row in rows if row["scope"] in ("total", "topic")]
    names = list(dict.fromkeys((row["training"], row["scope"], row["name"], row["n"]) for row in shown))
    kept = sorted(names, key=lambda one: (one[1] != "total", -one[3]))[:MOST][::-1]
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 1.5 + 0.34 * max(len(kept), 1)), dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    for control, colour in COLOURS.items():
        points = [
            (place + 0.16 * (1.5 - list(COLOURS).index(control)), row)
            for place, key in enumerate(kept)
            for row in shown
            if (row["training"], row["scope"], row["name"], row["n"]) == key and row["control"] == control
        ]
        for height, row in points:
            axes.plot([100 * row["low"], 100 * row["high"]], [height, height], color=colour, linewidth=1.4)
        axes.plot(
            [100 * row["accuracy"] for _, row in points],
            [height for height, _ in points],
            MARKERS[control],
            color=colour,
            markersize=4.5,
            label=control if control == "random" else f"pictures {control}",
        )
    labels = [f"{training}: {name}  (n={n})" for training, _, name, n in kept]
    axes.set_yticks(range(len(kept)), labels, fontsize=8)
    axes.set_xlabel("accuracy, per cent, with its interval")
    axes.set_title("Does the model look at the picture?")
    if kept:
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return _png(figure)


def _line(axes: "Axes", rows: Sequence[Mapping[str, Any]], name: str, colour: str, style: str) -> None:
    points = [(row["epoch"], row[name]) for row in rows if row[name] is not None]
    if points:
        axes.plot([x for x, _ in points], [y for _, y in points], style, marker=".", color=colour)


def _png(figure: "Figure") -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
