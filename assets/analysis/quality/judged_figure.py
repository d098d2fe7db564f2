"""The figure of judged chains: Somers' D of each score by question, over all chains."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assets.analysis.figures import DPI, GREY, axes_of, nothing, series
from assets.analysis.quality.judged import TOTAL
from assets.schema.analysis_vocabulary import JUDGED_QUESTIONS, ROSCOE_SCORES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "ROSCOE's scores and people's judgements (Somers' D)"


def draw(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """A column a question, a line a score with its n, a mark a mode; scores without a value are named below."""
    from matplotlib.figure import Figure

    total = [row for row in rows if row["dataset"] == TOTAL]
    valued = [row for row in total if row["somers_d"] is not None]
    if not valued:
        figure, axes = axes_of(7.5, 2, TITLE)
        said = sorted({row["why"] for row in total if row["why"] is not None})
        nothing(axes, f"no score goes with a judgement: {', '.join(said) or 'no chain that people judged is here'}")
        return figure
    scores = [score for score in ROSCOE_SCORES if any(row["score"] == score for row in valued)]
    modes = sorted({row["mode"] for row in valued})
    places = {score: len(scores) - at for at, score in enumerate(scores)}
    absent = _absent(total, scores)
    figure = Figure(figsize=(7.5, 2.1 + 0.27 * len(scores) + 0.15 * len(absent)), dpi=DPI, layout="constrained")
    figure.suptitle(TITLE, fontsize=11)
    grid = figure.add_gridspec(2, len(JUDGED_QUESTIONS), height_ratios=[len(scores) + 1, 1 + 0.5 * len(absent)])
    for number, question in enumerate(JUDGED_QUESTIONS):
        axes = figure.add_subplot(grid[0, number])
        axes.axvline(0, color=GREY, linewidth=1)
        for place, mode in enumerate(modes):
            own = [row for row in valued if (row["question"], row["mode"]) == (question, mode)]
            colour, marker = series(place)
            axes.plot(
                [row["somers_d"] for row in own],
                [places[row["score"]] + 0.24 * (len(modes) - 1) / 2 - 0.24 * place for row in own],
                marker,
                color=colour,
                markersize=4,
                label=mode,
            )
        axes.set_title(question, fontsize=9)
        axes.set_xlim(-1.08, 1.08)
        axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["-1", "", "0", "", "1"])
        axes.set_xlabel("Somers' D", fontsize=7)
        axes.set_ylim(0.3, len(scores) + 0.7)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=7)
        names = [f"{score} ({_counted(valued, score)})" for score in scores]
        axes.set_yticks([places[score] for score in scores], names if number == 0 else [""] * len(scores), fontsize=7)
    below = figure.add_subplot(grid[1, :])
    below.axis("off")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    below.legend(handles, labels, loc="upper center", ncols=len(modes), fontsize=7, frameon=False)
    notes = "\n".join(["of the score given the judgement, good is high", *absent])
    below.text(0.5, 0, notes, ha="center", va="bottom", fontsize=7, transform=below.transAxes)
    return figure


def _counted(valued: Sequence[Mapping[str, Any]], score: str) -> str:
    counts = {row["n"] for row in valued if row["score"] == score}
    return f"n = {min(counts)}" if len(counts) == 1 else f"n = {min(counts)} to {max(counts)}"


def _absent(total: Sequence[Mapping[str, Any]], scores: Sequence[str]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for row in total:
        if row["score"] not in scores and row["why"] is not None:
            names = reasons.setdefault(row["why"], [])
            if row["score"] not in names:
                names.append(row["score"])
    said = [f"{why}: {', '.join(names)}" for why, names in sorted(reasons.items())]
    return [line for each in said for line in textwrap.wrap(each, 95)]
