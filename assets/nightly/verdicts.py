"""What a night's checks say: whether everybody was asked to the end, and whether a score moved."""

from collections.abc import Sequence
from typing import NamedTuple

from assets.nightly.nights import Asked, Change, printed


class Verdict(NamedTuple):
    """Whether a night passes a check, and why in one sentence a thing."""

    passed: bool
    sentences: tuple[str, ...]


def was_asked(rows: Sequence[Asked]) -> Verdict:
    """Whether every live evaluation was asked to the end; a sentence for each, those that were not first."""
    bad = [f"{row.evaluation}: not asked to the end: {row.reason}" for row in rows if not row.good]
    bad += [
        f"{row.evaluation}: not asked again: {row.reason}; its replies as {row.asking} stay"
        for row in rows
        if row.good and row.reason is not None
    ]
    good = [f"{row.evaluation}: {printed(row.statuses)}" for row in rows if row.good and row.reason is None]
    return Verdict(not bad, (*bad, *good))


def is_unchanged(changes: Sequence[Change], asked: Sequence[Asked], level: float) -> Verdict:
    """Whether nothing moved: no p value, corrected for the number of evaluations, is below `level`.

    Args:
        changes: one of each evaluation that was compared.
        asked: all live evaluations of the night.
        level: of the tests together.
    """
    compared = {change.evaluation: change for change in changes}
    good = [row.evaluation for row in asked if row.good]
    if not good:
        return Verdict(False, ("no live evaluation was asked to the end, so nothing can be compared",))
    sentences = [in_words(change, level) for change in sorted(changes, key=lambda one: not moved(one, level))]
    first = [f"{name}: first night, nothing to compare it with" for name in good if name not in compared]
    return Verdict(not any(moved(change, level) for change in changes), (*sentences, *first))


def moved(change: Change, level: float) -> bool:
    """Whether a change is more than chance, at `level` over all evaluations of the night."""
    return change.p_adjusted is not None and change.p_adjusted < level


def in_words(change: Change, level: float) -> str:
    """A change as a sentence: its size in percentage points with the interval, p, samples, and both nights."""
    if change.difference is None or change.low is None or change.high is None or change.p is None:
        return f"{change.evaluation}: no sample is counted both on {change.day} and on {change.compared_with}"
    word = "moved" if moved(change, level) else "not more than chance"
    return (
        f"{change.evaluation}: {100 * change.difference:+.2f} points "
        f"({100 * change.low:+.2f} to {100 * change.high:+.2f}) from {change.compared_with} to {change.day}, "
        f"p {change.p:.3g} ({change.p_adjusted:.3g} corrected), n {change.n}: {word}"
        + (f"; {change.left_out} left out whose reply failed" if change.left_out else "")
        + ("" if change.same_settings else "; its settings in params.yaml are not those of then")
    )
