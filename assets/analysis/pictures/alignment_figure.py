"""The figure of how replies fit pictures: each measure's mean and spread by evaluation."""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any

from assets.analysis.figures import DPI, GREY, nothing, series
from assets.schema.analysis_vocabulary import NO_MODEL, PICTURE_MEASURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AXES = {
    "clip_score": ("CLIPScore", "2.5 x cosine, at least 0; mean over pictures"),
    "interaction_steps": ("Interaction steps", "steps about a picture, a reply"),
}


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Side by side the two measures, a line an evaluation: its replies as ticks, their mean as a marker, n beside.

    Args:
        rows: of table `alignment`.
    """
    from matplotlib.figure import Figure

    measured = [[row for row in rows if row["measure"] == measure] for measure in PICTURE_MEASURES]
    shown = [[row for row in one if row["value"] is not None] for one in measured]
    most = max(len({row["evaluation"] for row in one}) for one in shown)
    figure = Figure(figsize=(7.5, 1.8 + 0.24 * max(most, 3)), dpi=DPI, layout="constrained")
    figure.suptitle(f"Replies and pictures ({_model(rows)})", fontsize=11)
    for place, measure in enumerate(PICTURE_MEASURES):
        axes = figure.add_subplot(1, 2, place + 1)
        title, unit = AXES[measure]
        axes.set_title(title, fontsize=10)
        if not shown[place]:
            nothing(axes, _why(measured[place]))
            continue
        axes.set_xlabel(unit, fontsize=8)
        _panel(axes, shown[place], *series(place))
    return figure


def _model(rows: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({row["model"] for row in rows})) or "no replies"


def _why(rows: Sequence[Mapping[str, Any]]) -> str:
    comparable = sum(row["pictures"] > 0 and row["steps"] > 0 for row in rows)
    if not rows:
        return "there are no replies"
    if not comparable:
        return f"none of {len(rows)} replies has a picture\nto be compared with"
    if all(row["model"] == NO_MODEL for row in rows):
        return f"{comparable} of {len(rows)} replies can be compared,\nonce analysis.alignment.model\nnames a model"
    return f"none of {len(rows)} replies could be compared"


def _panel(axes: "Axes", rows: Sequence[Mapping[str, Any]], colour: str, marker: str) -> None:
    names = sorted({row["evaluation"] for row in rows}, reverse=True)
    labels = []
    for place, name in enumerate(names):
        values = [row["value"] for row in rows if row["evaluation"] == name]
        axes.plot(values, [place] * len(values), "|", color=GREY, markersize=7)
        axes.plot(fsum(values) / len(values), place, marker, color=colour, markersize=6)
        labels.append(f"{name}  (n={len(values)})")
    axes.set_yticks(range(len(names)), labels, fontsize=7)
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.tick_params(axis="x", labelsize=7)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
