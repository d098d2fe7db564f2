"""The history as a PNG: accuracy night after night, drawn without a display."""

import io
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import cycle
from typing import Any

SHOWN = 60
"""Nights in the figure, the latest; the table has them all."""

TICKS = 8
"""Days that are written below the figure at most."""

DPI = 100
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, which stays apart for colour-blind readers; markers tell the lines apart once more."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def history(rows: Sequence[Mapping[str, Any]], level: float, shown: int = SHOWN) -> bytes:
    """Each evaluation's accuracy with its interval by night; nights that moved are ringed, those not asked crossed.

    Args:
        rows: of table `night`.
        level: below which a corrected p value counts as moved.
        shown: how many nights, the latest.
    """
    from matplotlib.figure import Figure

    nights = sorted({row["day"] for row in rows})[-shown:]
    names = sorted({row["evaluation"] for row in rows if row["day"] in nights})
    figure = Figure(figsize=(8.5, 4.2), dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    lowest = min((100 * row["low"] for row in rows if row["low"] is not None and row["day"] in nights), default=0.0)
    for place, (name, colour, marker) in enumerate(zip(names, cycle(COLOURS), cycle(MARKERS))):
        own = sorted((row for row in rows if row["evaluation"] == name and row["day"] in nights), key=_day)
        good = [row for row in own if row["accuracy"] is not None]
        accuracy = [100 * row["accuracy"] for row in good]
        below = [100 * (row["accuracy"] - row["low"]) for row in good]
        above = [100 * (row["high"] - row["accuracy"]) for row in good]
        axes.errorbar(
            [_day(row) for row in good],
            accuracy,
            yerr=[below, above],
            color=colour,
            marker=marker,
            markersize=5,
            linewidth=1.2,
            elinewidth=0.8,
            capsize=2,
            linestyle="-" if place < len(COLOURS) else "--",
            label=name,
        )
        ringed = [row for row in good if row["p_adjusted"] is not None and row["p_adjusted"] < level]
        axes.plot(
            [_day(row) for row in ringed],
            [100 * row["accuracy"] for row in ringed],
            "o",
            markersize=13,
            markerfacecolor="none",
            markeredgecolor=colour,
            markeredgewidth=1.5,
        )
        lost = [_day(row) for row in own if not row["good"]]
        # Below everything, a step for each evaluation: there is no accuracy to stand at.
        axes.plot(lost, [lowest - 2 - 2 * place] * len(lost), "x", color=colour, markersize=8, markeredgewidth=2)
    ticks = nights[:: -(-len(nights) // TICKS) or 1]
    axes.set_xticks([_place(day) for day in ticks], ticks, fontsize=8)
    axes.set_ylabel("accuracy, per cent")
    axes.set_xlabel("bar: interval; ring: moved since the last good night; cross below: not asked to the end")
    axes.set_title("Live evaluations, night after night")
    if names:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def _place(day: str) -> int:
    return date.fromisoformat(day).toordinal()


def _day(row: Mapping[str, Any]) -> int:
    return _place(row["day"])
