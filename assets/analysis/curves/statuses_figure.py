"""How the replies of each evaluation end, as bars of 100 per cent."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis import figures
from assets.schema.vocabulary import ANSWER_STATUSES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = (*figures.PALETTE, figures.GREY, "#999933", "#661100", "#332288", "#88ccee", "#44aa99")
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "oo", "++", "||||", "**", "//", "..", "\\\\")
"""A colour and a hatch each of `ANSWER_STATUSES`, which tell them apart twice."""

BAR = 0.2
"""Inches that a bar takes."""


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A bar an evaluation, made of the shares of its counted replies by status, as the strict extractor reads them."""
    strict = [row for row in rows if row["extractor"] == "strict"]
    names = sorted({row["evaluation"] for row in strict})
    figure, axes = figures.axes_of(7.5, 1.6 + BAR * max(len(names), 4), "How replies end (strict extractor)")
    if not strict:
        figures.nothing(axes, "no evaluation has replies, so there is no status to count")
        return figure
    place = {name: len(names) - 1 - index for index, name in enumerate(names)}
    sizes = {row["evaluation"]: row["of"] for row in strict}
    reached = dict.fromkeys(names, 0.0)
    for number, status in enumerate(ANSWER_STATUSES):
        own = [row for row in strict if row["status"] == status]
        if not own:
            continue
        axes.barh(
            [place[row["evaluation"]] for row in own],
            [100 * row["share"] for row in own],
            left=[100 * reached[row["evaluation"]] for row in own],
            height=0.75,
            color=COLOURS[number],
            hatch=HATCHES[number],
            edgecolor="white",
            linewidth=0.3,
            label=f"{status} ({sum(row['n'] for row in own):,})",
        )
        for row in own:
            reached[row["evaluation"]] += row["share"]
    axes.set_yticks([place[name] for name in names], [f"{name}  (n={sizes[name]:,})" for name in names], fontsize=7)
    axes.set_xlim(0, 100)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlabel("share of the counted replies, per cent")
    figure.legend(loc="outside lower center", ncols=5, frameon=False, fontsize=7)
    return figure
