"""Figures: drawn without a display, as PNG small enough to stand on an asset in the UI, or as SVG for a page."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis.leaderboard import headline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette stays apart for colour-blind readers.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"
PALETTE = (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""What tells series apart without colour; `series` gives one of each."""

DPI = 100

_UNDRAWABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters but the end of a line, overrides of the direction of writing, and what is no character."""


def leaderboard(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Accuracy of each evaluation with its interval and, where the paper prints one, the published total."""
    shown = headline(rows)[::-1]
    figure, axes = axes_of(7.5, 1.3 + 0.27 * max(len(shown), 1))
    places = range(len(shown))
    several = len({(row["benchmark"], row["split"]) for row in shown}) > 1
    for place, row in zip(places, shown, strict=True):
        axes.plot([100 * row["low"], 100 * row["high"]], [place, place], color=BLUE, linewidth=2)
        axes.plot(100 * row["accuracy"], place, "o", color=BLUE, markersize=6)
        if row["published"] is not None:
            axes.plot(100 * row["published"], place, "x", color=ORANGE, markersize=7, markeredgewidth=2)
    axes.set_yticks(list(places), [_named(row, with_split=several) for row in shown], fontsize=8)
    axes.set_xlabel("accuracy, per cent\ndot and bar: strict extractor with its interval; cross: published total")
    axes.set_title("Accuracy by evaluation")
    return figure


def _named(row: Mapping[str, Any], *, with_split: bool) -> str:
    of = f"{row['benchmark']} {row['split']}, " if with_split else ""
    return f"{row['evaluation']}  ({of}n={row['n']})"


def comparison(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Each compared cell as a point, published against ours by the published rule; equal ones lie on the line."""
    figure, axes = axes_of(5.5, 5.5)
    compared = [
        row for row in rows if row["equal"] is not None and row["extractor"] == "paper" and row["table"] == "zero_shot"
    ]
    labels = sorted({row["labels"] for row in compared})
    axes.plot([0, 100], [0, 100], color=GREY, linewidth=1)
    for name, colour, marker in zip(labels, (BLUE, ORANGE), ("o", "x"), strict=False):
        points = [row for row in compared if row["labels"] == name]
        equal = sum(row["equal"] for row in points)
        axes.plot(
            [row["published"] for row in points],
            [row["ours"] for row in points],
            marker,
            color=colour,
            markersize=5,
            label=f"labels {name}: {equal} of {len(points)} cells equal",
        )
    axes.set_xlabel("published accuracy, per cent")
    axes.set_ylabel("ours, paper extractor, per cent")
    axes.set_title(f"Published and ours, n = {len(compared)} cells")
    if labels:
        axes.legend(loc="upper left", frameon=False)
    else:
        axes.text(50, 50, "no evaluation of this profile\nstands in the published table", ha="center", color=GREY)
    return figure


def axes_of(width: float, height: float, title: str | None = None) -> tuple["Figure", "Axes"]:
    """A figure of so many inches with one pair of axes, light lines across, no frame above and to the right."""
    # pyplot keeps figures alive and picks a display; the figure alone does neither.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if title is not None:
        axes.set_title(title)
    return figure, axes


def series(place: int) -> tuple[str, str]:
    """The colour and the marker of a series by its place; 49 pairs differ."""
    return PALETTE[place % len(PALETTE)], MARKERS[(place + place // len(PALETTE)) % len(MARKERS)]


def nothing(axes: "Axes", sentence: str) -> None:
    """Say within empty axes why there is nothing to see."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, sentence, ha="center", va="center", color=GREY, transform=axes.transAxes, wrap=True)


def png(figure: "Figure") -> bytes:
    """The figure as a PNG, the same bytes for the same figure; its texts are drawn as they read, never as maths."""
    return _saved(figure, format="png")


def svg(figure: "Figure") -> str:
    """The figure as an SVG element, the same text for the same figure; its letters stay text."""
    text = _saved(figure, format="svg", metadata={"Date": None, "Creator": None}).decode()
    return text[text.index("<svg") :]


def _saved(figure: "Figure", **how: Any) -> bytes:
    """The figure's file: samples' ids and texts stand in it, so a dollar is a dollar, and what cannot be drawn goes."""
    from matplotlib import rc_context

    buffer = io.BytesIO()
    # a text asks the setting when it is made, and labels of ticks are made as late as when they are drawn
    with rc_context({"text.parse_math": False, "svg.fonttype": "none", "svg.hashsalt": "cotline"}):
        _as_they_read(figure)
        figure.savefig(buffer, **how)
    return buffer.getvalue()


def _as_they_read(figure: "Figure") -> None:
    from matplotlib.axis import Axis
    from matplotlib.text import Text

    for axis in figure.findobj(Axis):
        for formatter in (axis.get_major_formatter(), axis.get_minor_formatter()):
            formatter.format_ticks = _drawable_labels(formatter.format_ticks)  # type: ignore[method-assign, assignment]
    for text in figure.findobj(Text):
        text.set_parse_math(False)
        text.set_text(drawable(text.get_text()))


def _drawable_labels(labels: Callable[[list[float]], list[str]]) -> Callable[[list[float]], list[str]]:
    return lambda values: [drawable(label) for label in labels(values)]


def drawable(text: str) -> str:
    """`text` without control characters, which no font has and SVG forbids, and without turns of its direction."""
    return _UNDRAWABLE.sub("", text.replace("\t", " "))
