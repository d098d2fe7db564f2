"""Accuracy by the number of reasoning steps, a panel an evaluation."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis import figures
from assets.analysis.curves.steps import BINS, curves
from assets.schema.analysis_vocabulary import STEPS_OF

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 12
"""Panels at most."""

JOINED = 10
"""Samples from which on a point is joined to the next: a curve through one sample says nothing."""

ACROSS = 3
"""Panels beside each other."""

NAMES = {"rationale": "steps of the gold rationale", "reply": "steps of the reply"}


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A panel each for the twelve evaluations with most samples, of equal ones those that write most in steps.

    A point is a bin with its interval and its number of samples (strict extractor, released labels).
    """
    shown = curves(rows)
    names = _chosen(shown)
    if not names:
        figure, axes = figures.axes_of(7.5, 2.0, "Accuracy by number of reasoning steps")
        figures.nothing(axes, "no evaluation has answers, so there is no curve to draw")
        return figure
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    down = -(-len(names) // ACROSS)
    figure = Figure(figsize=(7.5, 1.75 * down + 0.95), dpi=figures.DPI, layout="constrained")
    panels = figure.subplots(down, ACROSS, squeeze=False, sharey=True).ravel()
    for axes, name in zip(panels, names, strict=False):
        _panel(axes, name, [row for row in shown if row["evaluation"] == name])
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    every = len({row["evaluation"] for row in shown})
    figure.suptitle(f"Accuracy by number of reasoning steps, {len(names)} of {every} evaluations", fontsize=11)
    figure.supylabel("accuracy, per cent", fontsize=8)
    lines = []
    for place, steps_of in enumerate(STEPS_OF):
        if any(row["steps_of"] == steps_of and row["evaluation"] in names for row in shown):
            colour, marker = figures.series(place)
            lines.append(Line2D([], [], color=colour, marker=marker, markersize=4, label=NAMES[steps_of]))
    figure.legend(
        handles=lines,
        loc="outside lower center",
        ncols=2,
        frameon=False,
        fontsize=8,
        title=f"reasoning steps; number at a point: its samples; bar: interval; joined from {JOINED} samples on",
        title_fontsize=8,
    )
    return figure


def _chosen(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    samples: dict[str, int] = {}
    several: dict[str, int] = {}
    for row in rows:
        if row["steps_of"] == "reply":
            samples[row["evaluation"]] = samples.get(row["evaluation"], 0) + row["n"]
            several[row["evaluation"]] = several.get(row["evaluation"], 0) + (row["n"] if row["least"] > 1 else 0)
    return sorted(sorted(samples, key=lambda name: (-samples[name], -several[name], name))[:MOST])


def _panel(axes: "Axes", name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    places = {bin_name: place for place, (bin_name, _, _) in enumerate(BINS)}
    for number, steps_of in enumerate(STEPS_OF):
        own = [row for row in rows if row["steps_of"] == steps_of]
        if not own:
            continue
        colour, marker = figures.series(number)
        # Beside each other, so that the intervals of both can be read.
        across = [places[row["bin"]] + 0.16 * (2 * number - 1) for row in own]
        accuracy = [100 * row["accuracy"] for row in own]
        below = [100 * max(0.0, row["accuracy"] - row["low"]) for row in own]
        above = [100 * max(0.0, row["high"] - row["accuracy"]) for row in own]
        axes.errorbar(across, accuracy, yerr=[below, above], fmt="none", color=colour, elinewidth=0.8)
        joined = [place for place, row in enumerate(own) if row["n"] >= JOINED]
        axes.plot([across[at] for at in joined], [accuracy[at] for at in joined], color=colour, linewidth=1.0)
        axes.plot(across, accuracy, marker, color=colour, markersize=3.5)
        for x, row in zip(across, own, strict=True):
            axes.annotate(
                f"{row['n']}",
                (x, 100 * row["high"]),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                fontsize=5,
                color=colour,
            )
    axes.set_ylim(0, 108)
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.set_xlim(-0.6, len(BINS) - 0.4)
    axes.set_xticks(range(len(BINS)), [bin_name for bin_name, _, _ in BINS], fontsize=6, rotation=45)
    axes.tick_params(axis="y", labelsize=6)
    total = sum(row["n"] for row in rows if row["steps_of"] == "reply")
    axes.set_title(f"{name} (n={total:,})", fontsize=7)
