"""Figures of trainings: how losses and accuracy went, and what a model reaches with the pictures and without."""

import io
import math
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
"""Lines of a figure of controls, but that all totals are shown, however many there are."""
LONGEST = 33
"""Characters of a name that are shown."""
ROOM = 45
"""Characters of a label for which there is room; longer ones make the figure wider."""
ACROSS = 3
"""Panels beside each other."""


def curves(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Loss on train and validation and accuracy on validation, epoch by epoch, a panel a stage, as PNG."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    stages = list(dict.fromkeys(row["stage"] for row in rows))
    across = min(max(len(stages), 1), ACROSS)
    down = -(-max(len(stages), 1) // across)
    figure = Figure(figsize=(3.4 * across, 2.8 * down), dpi=DPI, layout="constrained")
    for place, stage in enumerate(stages, start=1):
        axes = figure.add_subplot(down, across, place)
        of = [row for row in rows if row["stage"] == stage]
        for name, style in (("loss", "-"), ("loss_validation", "--")):
            _line(axes, of, name, LOSS, style)
        axes.set_title(stage, parse_math=False)
        axes.set_xlabel("epoch")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylabel("loss (dashed: validation)", color=LOSS)
        axes.set_ylim(0, 1.05 * max(_values(of, "loss") + _values(of, "loss_validation") + [1e-9]))
        if any(row["accuracy_validation"] is not None for row in of):
            other = axes.twinx()
            _line(other, of, "accuracy_validation", RIGHT, ":")
            other.set_ylim(0, 1.05)
            other.set_ylabel("accuracy, validation (dotted)", color=RIGHT)
    return _png(figure)


def controls(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Accuracy of models with their pictures and under each control, as PNG: every total, then the largest topics.

    A topic is shown of all models or of none, so that they can be compared.
    """
    from matplotlib.figure import Figure

    shown = [row for row in rows if row["scope"] in ("total", "topic")]
    kept = lines(shown)[::-1]
    labels = [f"{short(training)}: {short(name)}  (n={n})" for training, _, name, n in kept]
    width = 7.5 + 0.06 * max([0, *(len(label) - ROOM for label in labels)])
    figure = Figure(figsize=(width, 1.5 + 0.34 * max(len(kept), 1)), dpi=DPI, layout="constrained")
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
    totals = sum(scope == "total" for _, scope, _, _ in kept)
    if 0 < totals < len(kept):
        axes.axhline(len(kept) - totals - 0.5, color="#dddddd", linewidth=0.8)
    axes.set_yticks(range(len(kept)), labels, fontsize=8, parse_math=False)
    axes.set_xlabel("accuracy, per cent, with its interval")
    axes.set_title("Does the model look at the picture?")
    if kept:
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return _png(figure)


def lines(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, int]]:
    """What a figure of controls shows, from its top: training, scope, name and samples of each line."""
    names = list(dict.fromkeys((row["training"], row["scope"], row["name"], row["n"]) for row in rows))
    found = [one for one in names if one[1] == "total"]
    largest: dict[str, int] = {}
    for _, scope, name, n in names:
        if scope == "topic":
            largest[name] = max(n, largest.get(name, 0))
    for topic in sorted(largest, key=lambda name: (-largest[name], name)):
        of = [one for one in names if one[1:3] == ("topic", topic)]
        if len(found) + len(of) > MOST:
            break
        found += of
    return found


def short(name: str) -> str:
    """A name in one line of at most `LONGEST` characters; its middle is left out, since ends tell names apart."""
    line = " ".join(name.split())
    half = (LONGEST - 1) // 2
    return line if len(line) <= LONGEST else f"{line[:half]}…{line[-half:]}"


def _values(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    return [row[name] for row in rows if row[name] is not None and math.isfinite(row[name])]


def _line(axes: "Axes", rows: Sequence[Mapping[str, Any]], name: str, colour: str, style: str) -> None:
    points = [(row["epoch"], row[name]) for row in rows if row[name] is not None]
    if points:
        axes.plot([x for x, _ in points], [y for _, y in points], style, marker=".", color=colour)


def _png(figure: "Figure") -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
