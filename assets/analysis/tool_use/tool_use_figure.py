"""What goes wrong in runs with tools, as shares with their intervals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis import figures
from assets.analysis.tool_use.tool_use import REPEATED_CALL, REPEATED_OBSERVATION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = {
    ("status", "plan_error"): "runs: the plan cannot be carried out",
    ("status", "tool_error"): "runs: the tools failed",
    ("status", "bound_reached"): "runs: a bound was reached",
    ("fault", "unknown_tool"): "runs with a tool that there is not",
    ("fault", "bad_arguments"): "runs with wrong arguments",
    ("redundant", REPEATED_CALL): "calls made before",
    ("redundant", REPEATED_OBSERVATION): "calls that observe what was observed",
}
"""What the figure shows, each in a colour and a marker of its own."""

BAND = 0.62
"""Inches that an evaluation takes."""


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A band an evaluation: the shares of its runs that end without an answer or go wrong, and of redundant calls.

    What never happened has no mark, but for the redundant calls, which stand at 0.
    """
    names = sorted({row["evaluation"] for row in rows})
    title = "Plans, tools and bounds: what goes wrong in runs with tools"
    figure, axes = figures.axes_of(7.5, 1.9 + BAND * max(len(names), 1), title)
    if not names:
        figures.nothing(axes, "no evaluation of a model that uses tools has replies")
        return figure
    place = {name: len(names) - 1 - index for index, name in enumerate(names)}
    for number, ((kind, name), label) in enumerate(SHOWN.items()):
        own = [row for row in rows if (row["kind"], row["name"]) == (kind, name) and row["share"] is not None]
        colour, marker = figures.series(number)
        axes.errorbar(
            [100 * row["share"] for row in own],
            [place[row["evaluation"]] + 0.36 - 0.12 * number for row in own],
            xerr=[
                [100 * max(0.0, row["share"] - row["low"]) for row in own],
                [100 * max(0.0, row["high"] - row["share"]) for row in own],
            ],
            linestyle="none",
            color=colour,
            marker=marker,
            markersize=4.5,
            elinewidth=0.9,
            capsize=2,
            label=f"{label} ({sum(row['n'] for row in own):,})",
        )
    axes.set_yticks([place[name] for name in names], [_named(name, rows) for name in names], fontsize=7)
    axes.set_xlim(-1, 101)
    axes.set_ylim(-0.55, len(names) - 0.45)
    axes.set_xlabel("share of the evaluation's runs or calls, per cent; bar: interval; no mark: never")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=7)
    return figure


def _named(evaluation: str, rows: Sequence[Mapping[str, Any]]) -> str:
    own = [row for row in rows if row["evaluation"] == evaluation]
    runs = next(row["of"] for row in own if row["kind"] == "status")
    calls = next(row["of"] for row in own if row["kind"] == "redundant")
    return f"{evaluation}\n{own[0]['policy']}, {runs:,} runs, {calls:,} calls"
