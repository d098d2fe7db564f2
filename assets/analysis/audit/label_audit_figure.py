"""The figure of asset analysis/label_audit: how often each finding was made, by edition."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis.figures import axes_of, nothing, series
from assets.schema.analysis_vocabulary import FINDINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HATCHES = ("", "//", "..", "xx")


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A bar a finding and edition: samples of which it was found."""
    samples = {
        (row["finding"], f"{row['benchmark']} ({row['edition']})", row["split"], row["sample_id"]) for row in rows
    }
    n = Counter((finding, edition) for finding, edition, _, _ in samples)
    editions = sorted({edition for _, edition in n})
    figure, axes = axes_of(7.5, 1.6 + 0.17 * len(FINDINGS) * max(len(editions), 2), "What speaks against a label")
    if not n:
        nothing(axes, "nothing was found that speaks against a label")
        return figure
    names = list(FINDINGS)[::-1]
    height = 0.8 / len(editions)
    for place, edition in enumerate(editions):
        counts = [n[finding, edition] for finding in names]
        heights = [at + 0.4 - height * (place + 0.5) for at in range(len(names))]
        drawn = axes.barh(
            heights,
            counts,
            height=height,
            color=series(place)[0],
            hatch=_HATCHES[place % len(_HATCHES)],
            edgecolor="white",
            linewidth=0.4,
            label=f"{edition}, n = {sum(counts)}",
        )
        axes.bar_label(drawn, padding=2, fontsize=7)
    axes.set_yticks(range(len(names)), [name.replace("_", " ") for name in names], fontsize=8)
    axes.set_xlabel("samples")
    axes.margins(x=0.08)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return figure
