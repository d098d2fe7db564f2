"""The flow of samples through the construction as a Sankey figure: what figure 11 of M3CoT's paper counts."""

import io
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assets.flow import Flow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette stays apart for colour-blind readers.
COLOURS = {
    "scienceqa": "#0072B2",
    "math": "#E69F00",
    "sherlock": "#009E73",
    "tabmwp": "#CC79A7",
    "kilogram": "#56B4E9",
    "map": "#D55E00",
    "synthesis": "#F0E442",
    "geoqa": "#0072B2",
    "geometry3k": "#F0E442",
    "jhu_crowd": "#E69F00",
    "voc_faces": "#D55E00",
    "spot_diff": "#009E73",
    "game_pairs": "#CC79A7",
}
"""No two sources of one benchmark have the same."""

OTHER = "#777777"
WIDTH, HEIGHT, DPI = 9.0, 5.5, 100
BAR = 0.12
MOST_REASONS = 3
LINE = 19
"""Characters of a line beneath a stage."""


def sankey(flows: Sequence[Flow], stages: Sequence[str], title: str) -> bytes:
    """The figure as PNG: bars are what entered a stage by source, bands what went on, grey what was left out and why.

    `stages` are the chain that every sample ends in, left to right; what other stages make joins it on the way.

    Source: arXiv:2405.16473, figure 11 (samples generated and retained at each stage).
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.axis("off")
    counts = {(flow.stage, flow.source): flow for flow in flows if flow.stage in stages}
    sources = [name for name in COLOURS if any(source == name for _, source in counts)]
    sources += sorted({source for _, source in counts} - set(sources))
    tallest = max((_entered(counts, stage, sources) for stage in stages), default=0)
    if not tallest:
        axes.text(0.5, 0.5, "nothing has entered the construction yet", ha="center", color=OTHER)
        return _png(figure)
    for place, stage in enumerate(stages):
        following = stages[place + 1] if place + 1 < len(stages) else None
        _stage(axes, place, stage, following, counts, sources, tallest)
    axes.set_xlim(-0.2, len(stages) - 0.2)
    axes.set_ylim(-0.42 * tallest, 1.16 * tallest)
    handles = [Patch(color=COLOURS.get(source, OTHER), label=source) for source in sources]
    axes.legend(handles=handles, loc="lower right", frameon=False, fontsize=8, ncols=7)
    axes.set_title(title, fontsize=11)
    return _png(figure)


def _entered(counts: dict[tuple[str, str], Flow], stage: str, sources: Sequence[str]) -> int:
    return sum(_came(counts.get((stage, source))) for source in sources)


def _came(flow: Flow | None) -> int:
    return 0 if flow is None else flow.entered + flow.generated


def _stage(
    axes: "Axes",
    place: int,
    stage: str,
    following: str | None,
    counts: dict[tuple[str, str], Flow],
    sources: Sequence[str],
    tallest: int,
) -> None:
    """One bar, the bands from it to the next bar, and beneath it what the stage left out."""
    base, next_base = 0.0, 0.0
    left_out: dict[str, int] = {}
    for source in sources:
        flow = counts.get((stage, source))
        after = _came(counts.get((following, source))) if following else 0
        came, kept = _came(flow), 0 if flow is None else flow.retained
        colour = COLOURS.get(source, OTHER)
        axes.fill_between([place, place + BAR], base, base + came, color=colour, linewidth=0)
        if following is None:
            kept = 0
        _band(axes, place + BAR, place + 1, (base, base + kept), (next_base, next_base + min(kept, after)), colour)
        for reason, n in (flow.reasons if flow else {}).items():
            left_out[reason] = left_out.get(reason, 0) + n
        base += came
        next_base += after
    axes.text(place, base + 0.02 * tallest, f"{int(base):,}", fontsize=8, va="bottom")
    axes.text(place, 1.07 * tallest, stage.partition("/")[2].replace("_", " "), fontsize=8, weight="bold")
    worst = sorted(left_out.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"-{n:,} {reason.replace('_', ' ')}" for reason, n in worst[:MOST_REASONS]]
    if len(worst) > MOST_REASONS:
        lines.append(f"-{sum(n for _, n in worst[MOST_REASONS:]):,} for {len(worst) - MOST_REASONS} reasons more")
    if lines:
        total = sum(left_out.values())
        axes.fill_between([place, place + BAR], -0.02 * tallest - 0.12 * total, -0.02 * tallest, color="#bbbbbb")
        axes.text(
            place,
            -0.15 * tallest,
            "\n".join(textwrap.fill(line, LINE) for line in lines),
            fontsize=6.5,
            va="top",
            color="#444444",
        )


def _band(
    axes: "Axes", left: float, right: float, of: tuple[float, float], to: tuple[float, float], colour: str
) -> None:
    if of[1] <= of[0]:
        return
    places = [step / 24 for step in range(25)]
    eased = [place * place * (3 - 2 * place) for place in places]
    xs = [left + (right - left) * place for place in places]
    low, high = ([of[side] + (to[side] - of[side]) * value for value in eased] for side in (0, 1))
    axes.fill_between(xs, low, high, color=colour, alpha=0.35, linewidth=0)


def _png(figure: "object") -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})  # type: ignore[attr-defined]
    return buffer.getvalue()
