"""The figure of rationale quality: each shown dimension against accuracy, a point an evaluation."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis.figures import DPI, nothing, series
from assets.analysis.quality.quality import FIVE, compared, correlations, of_mode, series_of
from assets.schema.analysis_vocabulary import PICTURE_MEASURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 2


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Small multiples: a measure's mean with its interval by accuracy; Spearman's rho and n of each series.

    Args:
        rows: of table `quality`; of ROSCOE's modes `sane` is shown, or else `reference`.
    """
    from matplotlib.figure import Figure

    shown = of_mode(rows)
    names = sorted({series_of(row) for row in rows})
    panels = (*FIVE, *PICTURE_MEASURES)
    lines = -(-len(panels) // COLUMNS)
    figure = Figure(figsize=(7.5, 0.7 + 2.1 * lines), dpi=DPI, layout="constrained")
    mode = next((row["mode"] for row in shown if row["mode"] in ("sane", "reference")), None)
    figure.suptitle(f"Quality of rationales and accuracy (ROSCOE: {mode or 'no scores'})", fontsize=11)
    for place, measure in enumerate(panels, start=1):
        axes = figure.add_subplot(lines, COLUMNS, place)
        axes.set_title(measure, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=7)
        _panel(axes, [row for row in shown if row["measure"] == measure], names)
    return figure


def _panel(axes: "Axes", rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    points = compared(rows)
    if not points:
        said = sorted({row["why"] for row in rows if row["scope"] == "total" and row["why"] is not None})
        nothing(axes, f"no value: {', '.join(said) or 'nothing was measured'}")
        axes.texts[-1].set_fontsize(8)
        return
    axes.set_xlabel("mean with its interval", fontsize=7)
    axes.set_ylabel("accuracy, per cent", fontsize=7)
    found = {one.series: one for one in correlations(rows)}
    for place, name in enumerate(names):
        own = [row for row in points if series_of(row) == name]
        if not own:
            continue
        colour, marker = series(place)
        one = found[name]
        rho = "" if one.rho is None else f", rho {one.rho:+.2f}"
        for row in own:
            if row["low"] is not None:
                axes.plot([row["low"], row["high"]], [100 * row["accuracy"]] * 2, color=colour, linewidth=1, alpha=0.5)
        axes.plot(
            [row["mean"] for row in own],
            [100 * row["accuracy"] for row in own],
            marker,
            color=colour,
            markersize=5,
            label=f"{name}\nn {one.n}{rho}",
        )
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(fontsize=6.5, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), handletextpad=0.2)
