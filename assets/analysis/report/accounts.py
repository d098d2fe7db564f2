"""What became of each evaluation's stored replies: how many the page shows, and why it does not show the others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assets.analysis.report.escaping import text

DROPPED = "dropped"
NO_SAMPLE = "to no sample of the split"
NO_SAMPLES = "whose samples are not on the page"
BOUND = "for the page's bound"


class Account(NamedTuple):
    """Of an evaluation: its stored replies (None where they cannot be had), those shown, the others by why.

    why: why its replies cannot be had, in a sentence.
    """

    evaluation: str
    stored: int | None
    shown: int
    others: Mapping[str, int]
    why: str | None = None


def fitted(accounts: Sequence[Account], shown: Mapping[str, int]) -> list[Account]:
    """The accounts where of what could be shown only so many replies by evaluation have room on the page."""
    return [
        one._replace(
            shown=shown.get(one.evaluation, 0),
            others={**one.others, **({BOUND: left} if (left := one.shown - shown.get(one.evaluation, 0)) else {})},
        )
        for one in accounts
    ]


def others(accounts: Sequence[Account]) -> Counter[str]:
    """The replies that are not shown, by why, over all evaluations."""
    return sum((Counter(one.others) for one in accounts), Counter[str]())


def listed(counts: Mapping[str, int]) -> str:
    """Counts by why, as words."""
    return ", ".join(f"{n:,} {why}" for why, n in sorted(counts.items()))


def table(accounts: Sequence[Account]) -> str:
    """The accounts as an HTML table, open where an evaluation's replies cannot be had; nothing without any."""
    if not accounts:
        return ""
    lines = "".join(
        f'<tr><th scope="row">{text(one.evaluation)}</th>'
        f"<td class=number>{'–' if one.stored is None else f'{one.stored:,}'}</td><td class=number>{one.shown:,}</td>"
        f"<td>{text(one.why or listed(one.others))}</td></tr>"
        for one in accounts
    )
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("evaluation", "stored", "shown", "not shown"))
    lacks = any(one.why for one in accounts)
    return (
        f'<details id="accounts"{" open" if lacks else ""}><summary>Replies by evaluation, stored and shown</summary>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Replies by evaluation"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div></details>"
    )
