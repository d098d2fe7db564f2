"""The systems of the papers: the published total of each, and what was reached here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis import figures
from assets.analysis.systems.systems import counts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINE = 0.19
"""Inches that a system takes."""


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A line each for the systems that have a published total or were run here, in the order of the papers' tables.

    Evaluations that ran the same way with other weights are not drawn: they are not the system.
    """
    shown = [row for row in rows if row["published"] is not None or row["evaluation"] is not None]
    names = list(dict.fromkeys((row["paper"], row["system"], row["setting"]) for row in shown))
    counted = counts(rows)
    title = f"Systems of the papers: {counted['run_here']} of {counted['systems']} run here"
    figure, axes = figures.axes_of(7.5, 1.6 + LINE * max(len(names), 6), title)
    if not names:
        figures.nothing(axes, "no system of the papers has a published total or was run")
        return figure
    place = {name: len(names) - 1 - index for index, name in enumerate(names)}
    at = [place[row["paper"], row["system"], row["setting"]] for row in shown]
    printed = [(row["published"], y) for row, y in zip(shown, at, strict=True) if row["published"] is not None]
    ours = [(row, y) for row, y in zip(shown, at, strict=True) if row["evaluation"] is not None]
    axes.plot(
        [value for value, _ in printed],
        [y for _, y in printed],
        "x",
        color=figures.ORANGE,
        markersize=6,
        markeredgewidth=1.8,
        label="published, the best total of its row",
    )
    for row, y in ours:
        axes.plot([row["low"], row["high"]], [y, y], color=figures.BLUE, linewidth=1.6)
    axes.plot(
        [row["ours"] for row, _ in ours],
        [y for _, y in ours],
        "o",
        color=figures.BLUE,
        markersize=5,
        label=f"here, strict extractor, with its interval ({len(ours)} evaluations)",
    )
    axes.set_yticks([place[name] for name in names], [_named(*name) for name in names], fontsize=7)
    axes.set_xlim(0, 100)
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_xlabel("accuracy, per cent; ours may be of other samples than the paper's")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=7)
    return figure


def _named(paper: str, system: str, setting: str) -> str:
    return f"{system}  ({paper}, {setting})"
