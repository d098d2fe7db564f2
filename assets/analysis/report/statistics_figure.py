"""The distributions among a benchmark's statistics: steps of rationales, and samples by topic or task."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis import figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]


def draw(rows: Rows) -> "Figure":
    """Bars of what is built here: on the left samples by steps, on the right by topic or task."""
    from matplotlib.figure import Figure

    steps = [row for row in rows if row["kind"] == "steps" and row["scope"] == "distribution"]
    groups = [row for row in rows if row["kind"] == "samples" and row["scope"] in ("topic", "task")]
    if not steps and not groups:
        empty, axes = figures.axes_of(7.5, 1.5)
        figures.nothing(axes, "the statistics hold no distribution")
        return empty
    figure = Figure(figsize=(9.0, 3.4), dpi=figures.DPI, layout="constrained")
    left, right = figure.subplots(1, 2)
    total = sum(row["value"] for row in groups)
    every = next((row["value"] for row in rows if row["kind"] == "samples" and row["scope"] == "all"), total)
    _bars(left, sorted(steps, key=_steps), f"samples by reasoning steps, n = {every:,.0f}", "steps", None)
    _bars(right, groups, f"samples by topic or task, n = {total:,.0f}", "", "samples")
    left.set_ylabel(steps[0]["unit"] if steps else "samples")
    return figure


def _steps(row: Mapping[str, Any]) -> tuple[int, str]:
    digits = "".join(letter for letter in row["name"] if letter.isdigit())
    return int(digits or 0), row["name"]


def _bars(axes: "Axes", rows: Rows, title: str, across: str, along: str | None) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=10)
    if not rows:
        figures.nothing(axes, "not counted")
        return
    names = [row["name"].replace(" or more", "+") for row in rows]
    values = [row["value"] for row in rows]
    if along is None:
        axes.bar(names, values, color=figures.BLUE)
        axes.set_xlabel(across)
        axes.tick_params(axis="x", labelsize=6.5)
        return
    axes.barh(names[::-1], values[::-1], color=figures.BLUE)
    axes.set_xlabel(along)
    axes.tick_params(axis="y", labelsize=8)
