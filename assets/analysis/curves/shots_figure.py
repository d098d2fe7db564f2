"""Accuracy by the number of shots, a curve a series."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis import figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A curve with intervals for each series of two evaluations or more (strict extractor, released labels)."""
    shown = [
        row
        for row in rows
        if row["extractor"] == "strict" and row["labels"] == "released" and row["accuracy"] is not None
    ]
    curves: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in shown:
        of = tuple(row[name] for name in ("benchmark", "edition", "split", "series"))
        curves.setdefault(of, []).append(row)
    curves = {of: own for of, own in curves.items() if len(own) > 1}
    title = "Accuracy by number of shots"
    if not curves:
        figure, axes = figures.axes_of(7.5, 2.0, title)
        figures.nothing(
            axes,
            f"{len(shown)} evaluations with an accuracy, and no two of them differ in their number of shots alone",
        )
        return figure
    figure, axes = figures.axes_of(7.5, 3.6 + 0.2 * len(curves), title)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    counts = sorted({row["shots"] for own in curves.values() for row in own})
    for place, (of, own) in enumerate(curves.items()):
        colour, marker = figures.series(place)
        shift = 0.06 * (place - (len(curves) - 1) / 2) / max(len(curves) / 6, 1)
        fewest, most = min(row["n"] for row in own), max(row["n"] for row in own)
        n = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
        axes.errorbar(
            [row["shots"] + shift for row in own],
            [100 * row["accuracy"] for row in own],
            yerr=[
                [100 * max(0.0, row["accuracy"] - row["low"]) for row in own],
                [100 * max(0.0, row["high"] - row["accuracy"]) for row in own],
            ],
            color=colour,
            marker=marker,
            markersize=5,
            linewidth=1.2,
            elinewidth=0.8,
            capsize=2,
            label=f"{of[3]} ({of[0]} {of[1]} {of[2]}, n={n})",
        )
    axes.set_xticks(counts)
    axes.set_xlabel("shots (solved samples shown before the question); bar: interval")
    axes.set_ylabel("accuracy, per cent")
    figure.legend(loc="outside lower center", frameon=False, fontsize=7)
    return figure
