"""The figures of coverage: rationales on the two main axes with their hulls, and the table's measures as bars."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis.figures import DPI, axes_of, nothing, series
from assets.analysis.quality.coverage import Point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEASURES = {
    "spread": "mean cosine distance\nof two rationales",
    "dimensions": "effective dimensions",
    "area": "hull's area on\nthe main axes",
    "overlap": "share within the first\ncollection's hull",
}


def scatter(points: Sequence[Point]) -> "Figure":
    """Each drawn rationale on the two main axes of all, with the convex hull of its collection.

    Source: arXiv:2405.16473, figures 4b and 7c.
    """
    import numpy as np
    from scipy.spatial import ConvexHull, QhullError

    figure, axes = axes_of(7.5, 5.5, f"Where gold rationales lie, n = {len(points)}")
    if not points:
        nothing(axes, "no collection has gold rationales")
        return figure
    for place, name in enumerate(dict.fromkeys(point.collection for point in points)):
        own = np.array([(point.x, point.y) for point in points if point.collection == name])
        colour, marker = series(place)
        axes.plot(own[:, 0], own[:, 1], marker, color=colour, markersize=4, alpha=0.6, label=f"{name} (n = {len(own)})")
        try:
            corners = own[ConvexHull(own).vertices] if len(own) > 2 else own
        except QhullError:
            corners = own
        axes.fill(corners[:, 0], corners[:, 1], facecolor=colour, edgecolor=colour, alpha=0.12, linewidth=1.5)
    axes.set_xlabel("first main axis of all rationales' sentence vectors")
    axes.set_ylabel("second main axis")
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)
    return figure


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """The measures of each collection as a whole, side by side."""
    from matplotlib.figure import Figure

    shown = [row for row in rows if row["scope"] == "total" and row["n"]]
    if not shown:
        figure, axes = axes_of(7.5, 2, "How far gold rationales spread")
        nothing(axes, "no collection has gold rationales")
        return figure
    figure = Figure(figsize=(7.5, 1.4 + 0.32 * len(shown)), dpi=DPI, layout="constrained")
    figure.suptitle("How far gold rationales spread", fontsize=11)
    places = list(range(len(shown)))[::-1]
    for number, (measure, title) in enumerate(MEASURES.items()):
        axes = figure.add_subplot(1, len(MEASURES), number + 1)
        axes.set_title(title, fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(labelsize=7)
        for place, row in zip(places, shown, strict=True):
            colour, _ = series(shown.index(row))
            if row[measure] is None:
                axes.text(0, place, " none", va="center", fontsize=7)
            else:
                axes.barh(place, row[measure], color=colour, height=0.6)
        axes.set_ylim(-0.6, len(shown) - 0.4)
        names = [f"{row['collection']}\n(n = {row['n']} of {row['of']})" for row in shown]
        axes.set_yticks(places, names if number == 0 else [""] * len(names), fontsize=7)
    return figure
