"""The figures of the page's sections, each drawn by the module that draws it for the asset."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]


def leaderboard(rows: Rows) -> "Figure":
    """Accuracy by evaluation."""
    from assets.analysis import figures

    return figures.leaderboard(rows)


def comparison(rows: Rows) -> "Figure":
    """Published against ours."""
    from assets.analysis import figures

    return figures.comparison(rows)


def statistics(rows: Rows) -> "Figure":
    """Distributions of a benchmark."""
    from assets.analysis.report import statistics_figure

    return statistics_figure.draw(rows)


def pairs(rows: Rows) -> "Figure":
    """Paired differences."""
    from assets.analysis.curves import pairs_figure

    return pairs_figure.draw(rows)


def steps(rows: Rows) -> "Figure":
    """Accuracy by number of steps."""
    from assets.analysis.curves import steps_figure

    return steps_figure.draw(rows)


def shots(rows: Rows) -> "Figure":
    """Accuracy by number of shots."""
    from assets.analysis.curves import shots_figure

    return shots_figure.draw(rows)


def statuses(rows: Rows) -> "Figure":
    """How replies end."""
    from assets.analysis.curves import statuses_figure

    return statuses_figure.draw(rows)


def extraction(rows: Rows) -> "Figure":
    """Which rule decided."""
    from assets.analysis.audit import extraction_figure

    return extraction_figure.draw(rows)


def gaps(rows: Rows) -> "Figure":
    """What the extractors do not read alike."""
    from assets.analysis.audit import gaps_figure

    return gaps_figure.draw(rows)


def label_audit(rows: Rows) -> "Figure":
    """What speaks against labels."""
    from assets.analysis.audit import label_audit_figure

    return label_audit_figure.draw(rows)


def items(rows: Rows) -> "Figure":
    """Difficulty and discrimination."""
    from assets.analysis.audit import items_figure

    return items_figure.draw(rows)


def consensus(rows: Rows) -> "Figure":
    """Suspect labels."""
    from assets.analysis.audit import consensus_figure

    return consensus_figure.draw(rows)


def roscoe(rows: Rows) -> "Figure":
    """ROSCOE's scores."""
    from assets.analysis.rationales import roscoe_figure

    return roscoe_figure.draw(rows)


def alignment(rows: Rows) -> "Figure":
    """Replies and pictures."""
    from assets.analysis.pictures import alignment_figure

    return alignment_figure.draw(rows)


def quality(rows: Rows) -> "Figure":
    """Quality beside accuracy."""
    from assets.analysis.quality import quality_figure

    return quality_figure.draw(rows)


def coverage(rows: Rows) -> "Figure":
    """Spread of gold rationales."""
    from assets.analysis.quality import coverage_figure

    return coverage_figure.draw(rows)


def judged(rows: Rows) -> "Figure":
    """ROSCOE against people."""
    from assets.analysis.quality import judged_figure

    return judged_figure.draw(rows)


def tool_use(rows: Rows) -> "Figure":
    """How tools were used."""
    from assets.analysis.tool_use import tool_use_figure

    return tool_use_figure.draw(rows)


def systems(rows: Rows) -> "Figure":
    """Systems of the papers, published and ours."""
    from assets.analysis.systems import systems_figure

    return systems_figure.draw(rows)


def drawn(rows: Rows) -> "Figure":
    """Pictures that models drew."""
    from assets.analysis.drawn import drawn_figure

    return drawn_figure.draw(rows)
