"""Every two evaluations of a split as a matrix: who is better by how many percentage points, and whether surely."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis import figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SURE = 0.05
"""Below which an adjusted p value is called significant."""

CELL = 0.23
"""Height of a row in inches."""

MOST_WRITTEN = 30
"""Evaluations of a split up to which a cell has its number; beyond, a dot says which are significant."""


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A matrix a benchmark, edition and split: accuracy of the row less that of the column, the best ones first.

    A number stands where the adjusted p is below 0.05, in the row of the better evaluation. The evaluations are in
    the order of their accuracy, as their mean difference from the others gives it.
    """
    blocks = _blocks(rows)
    if not blocks:
        figure, axes = figures.axes_of(7.5, 2.0, "Paired differences")
        figures.nothing(axes, "no two evaluations answered the same samples, so there is no pair to compare")
        return figure
    from matplotlib.figure import Figure

    orders = {block: _order(own) for block, own in blocks.items()}
    heights = [CELL * len(names) + 0.75 for names in orders.values()]
    figure = Figure(figsize=(7.5, sum(heights) + 1.2), dpi=figures.DPI, layout="constrained")
    grid = figure.subplots(len(blocks), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    bound = max(1.0, *(100 * abs(row["difference"]) for row in rows))
    for axes, (block, own) in zip(grid, blocks.items(), strict=True):
        shades = _matrix(axes, orders[block], own, bound)
        axes.set_title("{} {} {}, {}".format(*block, _said(own)), fontsize=9)
    figure.suptitle("Evaluations compared in pairs, best first", fontsize=11)
    bar = figure.colorbar(shades, ax=list(grid), location="bottom", shrink=0.6, aspect=40, fraction=0.03, pad=0.02)
    bar.set_label(
        "accuracy of the row less that of the column, percentage points; a number (or dot): adjusted p < 0.05",
        fontsize=8,
    )
    bar.ax.tick_params(labelsize=7)
    return figure


def _blocks(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str, str], list[Mapping[str, Any]]]:
    found: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["benchmark"], row["edition"], row["split"]), []).append(row)
    return found


def _order(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The evaluations from the best to the worst, equal ones by name."""
    differences: dict[str, list[float]] = {}
    for row in rows:
        differences.setdefault(row["a"], []).append(row["difference"])
        differences.setdefault(row["b"], []).append(-row["difference"])
    # Each has a difference of 0 from itself, which stands in the mean as well.
    means = {name: sum(found) / (len(found) + 1) for name, found in differences.items()}
    return sorted(means, key=lambda name: (-round(means[name], 12), name))


def _said(rows: Sequence[Mapping[str, Any]]) -> str:
    fewest, most = min(row["n"] for row in rows), max(row["n"] for row in rows)
    return f"n = {most:,}" if fewest == most else f"n = {fewest:,} to {most:,}"


def _matrix(axes: "Axes", names: Sequence[str], rows: Sequence[Mapping[str, Any]], bound: float) -> Any:
    import numpy as np
    from matplotlib import colormaps

    place = {name: index for index, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    for row in rows:
        a, b = place[row["a"]], place[row["b"]]
        values[a, b], values[b, a] = 100 * row["difference"], -100 * row["difference"]
    shades = colormaps["PuOr_r"].with_extremes(bad="#bbbbbb")
    image = axes.imshow(values, cmap=shades, vmin=-bound, vmax=bound, aspect="auto", interpolation="nearest")
    size = 6.5 if len(names) <= 24 else 5.0
    for row in rows:
        if row["p_adjusted"] < SURE:
            difference = 100 * row["difference"]
            text = f"{difference:.0f}" if len(names) <= MOST_WRITTEN else "•"
            colour = "white" if difference > 0.6 * bound else "black"
            axes.text(place[row["b"]], place[row["a"]], text, ha="center", va="center", fontsize=size, color=colour)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    numbers = [str(number) for number in range(1, len(names) + 1)]
    axes.set_xticks(range(len(names)), numbers, fontsize=size)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(names)), [f"{name}  {number}" for name, number in zip(names, numbers, strict=True)])
    axes.tick_params(axis="y", labelsize=size)
    return image
