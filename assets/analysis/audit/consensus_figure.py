"""The figure of asset analysis/consensus: the first suspects with their votes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis.figures import BLUE, ORANGE, axes_of, nothing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHOWN = 10


def first(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The ten rows of table `suspect` with the largest surprise, over all splits."""
    return sorted(rows, key=lambda row: (-row["surprise"], row["sample_id"]))[:_SHOWN]


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A bar a suspect, the ten with the largest surprise: votes for the consensus, the label and other letters."""
    shown = first(rows)[::-1]
    of = f": the first {len(shown)} of {len(rows):,} suspects" if shown else ""
    figure, axes = axes_of(7.5, 1.9 + 0.34 * max(len(shown), 3), f"Models against the label{of}")
    if not shown:
        nothing(axes, "on no sample do the models agree on another letter than the label")
        return figure
    places = range(len(shown))
    consensus = [round(row["agreement"] * row["models"]) for row in shown]
    label = [round(row["support"] * row["models"]) for row in shown]
    others = [row["models"] - one - other for row, one, other in zip(shown, consensus, label, strict=True)]
    axes.barh(places, consensus, color=BLUE, label="the consensus")
    axes.barh(places, label, left=consensus, color=ORANGE, hatch="//", edgecolor="white", label="the label")
    before = [one + other for one, other in zip(consensus, label, strict=True)]
    axes.barh(places, others, left=before, color="#bbbbbb", hatch="..", edgecolor="white", label="other letters")
    for place, row in enumerate(shown):
        axes.annotate(
            f"{row['surprise']:.1f}", (row["models"], place), xytext=(4, -3), textcoords="offset points", fontsize=8
        )
    labels = [f"{row['sample_id']}  {row['label']} → {row['consensus']}" for row in shown]
    axes.set_yticks(places, labels, fontsize=8)
    axes.set_xlim(0, 1.12 * max(row["models"] for row in shown))
    axes.set_xlabel("models, one vote each\nbehind a bar: the surprise (natural logarithm of a likelihood ratio)")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure
