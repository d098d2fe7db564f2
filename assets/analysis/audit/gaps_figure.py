"""The figure of asset analysis/gaps: each evaluation's accuracy by the published rule and by the strict grammar."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis.figures import BLUE, GREY, ORANGE, axes_of, nothing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A line an evaluation from the published rule's accuracy to the strict grammar's, with what moves it most."""
    totals = [row for row in rows if row["shape"] == "total" and row["moved"] is not None]
    shown = sorted(totals, key=lambda row: (row["moved"], row["evaluation"]))
    figure, axes = axes_of(7.5, 1.4 + 0.28 * max(len(shown), 3), "What the extractors make of the same replies")
    if not shown:
        nothing(axes, "no evaluation has replies that both extractors count")
        return figure
    for place, row in enumerate(shown):
        paper, strict = 100 * row["paper_accuracy"], 100 * row["strict_accuracy"]
        axes.barh(place, strict - paper, left=paper, height=0.3, color="#bbbbbb")
        axes.plot(paper, place, "s", color=ORANGE, markersize=6, label="published rule" if place == 0 else None)
        axes.plot(strict, place, "o", color=BLUE, markersize=6, label="strict grammar" if place == 0 else None)
        axes.annotate(
            f"{100 * row['moved']:+.2f}{_most(rows, row)}",
            (max(paper, strict), place),
            xytext=(7, -3),
            textcoords="offset points",
            fontsize=7,
            color=GREY,
        )
    labels = [f"{row['evaluation']}  ({row['n']:,} of {row['replies']:,} read apart)" for row in shown]
    axes.set_yticks(range(len(shown)), labels, fontsize=8)
    axes.set_ylim(-0.7, len(shown) - 0.3)
    low, high = axes.get_xlim()
    axes.set_xlim(low, high + 0.35 * (high - low))
    axes.set_xlabel("accuracy, per cent, labels as released")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return figure


def _most(rows: Sequence[Mapping[str, Any]], total: Mapping[str, Any]) -> str:
    """The shape that moves an evaluation most in the direction in which it moves."""
    own = [
        row
        for row in rows
        if row["evaluation"] == total["evaluation"] and row["shape"] != "total" and row["moved"] * total["moved"] > 0
    ]
    return "" if not own else f" ({max(own, key=lambda row: abs(row['moved']))['shape']})"
