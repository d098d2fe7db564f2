"""The figure of asset analysis/items: difficulty against discrimination."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis.figures import GREY, axes_of, nothing, series

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A point a sample; those below the line are answered better by the evaluations that are worse elsewhere."""
    known = [row for row in rows if row["discrimination"] is not None]
    figure, axes = axes_of(7.5, 5.0, "Samples by difficulty and discrimination")
    if not known:
        nothing(axes, "no sample was asked in three evaluations or more that differ on it")
        return figure
    splits = sorted({_split(row) for row in rows})
    for place, split in enumerate(splits):
        own = [row for row in known if _split(row) == split]
        asked = sum(_split(row) == split for row in rows)
        below = sum(row["discrimination"] < 0 for row in own)
        colour, marker = series(place)
        axes.plot(
            [100 * row["difficulty"] for row in own],
            [row["discrimination"] for row in own],
            linestyle="",
            marker=marker,
            color=colour,
            markersize=4,
            alpha=0.35,
            markeredgewidth=0,
            label=f"{split}: n = {len(own):,} of {asked:,}, {below:,} below 0",
        )
    axes.axhline(0, color=GREY, linewidth=1)
    axes.set_xlabel("difficulty: evaluations that have it wrong, per cent")
    axes.set_ylabel("discrimination: correlation with accuracy elsewhere")
    axes.set_xlim(-2, 102)
    figure.legend(loc="outside lower center", ncols=1, frameon=False, fontsize=8)
    return figure


def _split(row: Mapping[str, Any]) -> str:
    return f"{row['benchmark']} ({row['edition']}) {row['split']}"
