"""The figure of asset analysis/extraction: which rules decide, by evaluation and extractor."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis.figures import GREY, PALETTE, axes_of, nothing
from assets.schema.vocabulary import EXTRACTORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHOWN = 10
"""Rules that have a colour of their own; the others are one."""

_HATCHES = ("", "/", ".", "x", "\\")
_OTHERS = "other rules"


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Two bars an evaluation, what the published rule and the strict grammar decide by which of their rules."""
    bars = sorted(
        {(row["evaluation"], row["extractor"]) for row in rows}, key=lambda bar: (bar[0], EXTRACTORS.index(bar[1]))
    )[::-1]
    figure, axes = axes_of(7.5, 1.9 + 0.19 * max(len(bars), 3), "Which rule decided")
    if not bars:
        nothing(axes, "no evaluation has answers")
        return figure
    wholes = Counter[tuple[str, str]]()
    shares: dict[tuple[str, str, str], int] = {}
    often = Counter[str]()
    for row in rows:
        often[row["rule"]] += row["n"]
    named = [rule for rule, _ in sorted(often.items(), key=lambda one: (-one[1], one[0]))[:_SHOWN]]
    for row in rows:
        bar = (row["evaluation"], row["extractor"])
        rule = row["rule"] if row["rule"] in named else _OTHERS
        wholes[bar] += row["n"]
        shares[(*bar, rule)] = shares.get((*bar, rule), 0) + row["n"]
    lefts = [0.0] * len(bars)
    for place, rule in enumerate([*named, *([_OTHERS] if len(often) > len(named) else [])]):
        widths = [100 * shares.get((*bar, rule), 0) / wholes[bar] for bar in bars]
        axes.barh(
            range(len(bars)),
            widths,
            left=lefts,
            height=0.75,
            label=rule,
            color=GREY if rule == _OTHERS else PALETTE[place % len(PALETTE)],
            hatch=_HATCHES[place // len(PALETTE)] + _HATCHES[place % 2],
            edgecolor="white",
            linewidth=0.4,
        )
        lefts = [left + width for left, width in zip(lefts, widths, strict=True)]
    axes.set_yticks(range(len(bars)), [f"{one} {by} (n={wholes[one, by]:,})" for one, by in bars], fontsize=7)
    axes.set_ylim(-0.6, len(bars) - 0.4)
    axes.set_xlim(0, 100)
    axes.set_xlabel("counted replies, per cent")
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=7)
    return figure
