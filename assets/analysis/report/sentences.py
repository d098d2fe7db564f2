"""What a section says beside its table: sentences and matrices, as HTML."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assets.analysis.report.escaping import text
from assets.analysis.report.html_table import NOTHING, number

Rows = Sequence[Mapping[str, Any]]

TOTAL = "total"
"""The shape of a gap that stands for all replies."""


def consensus(rows: Rows) -> str:
    """Why the table of suspects is empty, where it is."""
    if rows:
        return ""
    return (
        "<p>No sample: nowhere did three models or more answer and more than half of them agree on another letter than "
        "the label, on better evidence than the label has.</p>"
    )


def compared(rows: Rows) -> str:
    """How many published cells are compared and how many are equal, by extractor and label set."""
    cells = Counter((row["extractor"], row["labels"]) for row in rows if row["equal"] is not None)
    equal = Counter((row["extractor"], row["labels"]) for row in rows if row["equal"])
    if not cells:
        return "<p>No evaluation here repeats a published row.</p>"
    said = [
        f"{text(extractor)} extractor, labels {text(labels)}: {equal[extractor, labels]} of {n} cells equal"
        for (extractor, labels), n in sorted(cells.items())
    ]
    return f"<ul>{''.join(f'<li>{one}</li>' for one in said)}</ul>"


def gaps(rows: Rows) -> str:
    """The sentences of each evaluation, the largest difference first: of all its replies, then shape by shape."""
    by_evaluation: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["n"] or row["moved"]:
            by_evaluation.setdefault(row["evaluation"], []).append(row)
    if not by_evaluation:
        return "<p>The extractors read every reply alike.</p>"
    moved = {name: max(abs(row["moved"] or 0.0) for row in of) for name, of in by_evaluation.items()}
    return "".join(
        _gap(name, by_evaluation[name]) for name in sorted(by_evaluation, key=lambda name: (-moved[name], name))
    )


def _gap(name: str, rows: Rows) -> str:
    whole = "".join(f"<p>{text(row['sentence'])}</p>" for row in rows if row["shape"] == TOTAL)
    shapes = sorted(
        (row for row in rows if row["shape"] != TOTAL), key=lambda row: (-abs(row["moved"] or 0.0), row["shape"])
    )
    listed = "".join(f"<li>{text(row['sentence'])}</li>" for row in shapes)
    return f"<h3>{text(name)}</h3>{whole}" + (f"<ul>{listed}</ul>" if listed else "")


def matrices(rows: Rows, level: float) -> str:
    """One matrix a split: the row's evaluation less the column's, in points; a star where Holm's p is under 1 - level.

    Args:
        rows: those of table `paired_difference`.
        level: of the intervals, such as 0.95.
    """
    below = round(1 - level, 12)
    splits = sorted({(row["benchmark"], row["edition"], row["split"]) for row in rows})
    return "".join(_matrix(split, [row for row in rows if _split(row) == split], below) for split in splits)


def _split(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["benchmark"], row["edition"], row["split"]


def _matrix(split: tuple[str, str, str], rows: Rows, below: float) -> str:
    found = {(row["a"], row["b"]): (row["difference"], row) for row in rows}
    found |= {(row["b"], row["a"]): (-row["difference"], row) for row in rows}
    names = {name for pair in found for name in pair}
    wins = {name: sum(difference for (a, _), (difference, _) in found.items() if a == name) for name in names}
    order = sorted(names, key=lambda name: (-wins[name], name))
    heads = "".join(f'<th scope="col"><span>{text(name)}</span></th>' for name in order)
    lines = "".join(
        f'<tr><th scope="row">{text(a)}</th>{"".join(_cell(found.get((a, b)), a, b, below) for b in order)}</tr>'
        for a in order
    )
    title = f"{' '.join(split)}: row less column, percentage points; * adjusted p &lt; {below:g}"
    return (
        f'<p class="key">{title}</p><div class="scroll" tabindex="0" role="region" '
        f'aria-label="{text(" ".join(split))}"><table class="matrix"><thead>'
        f"<tr><td></td>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _cell(found: tuple[float, Mapping[str, Any]] | None, a: str, b: str, below: float) -> str:
    if found is None:
        return f"<td>{'' if a == b else NOTHING}</td>"
    difference, row = found
    star = "*" if row["p_adjusted"] < below else ""
    kind = ("more" if difference > 0 else "less") if star else "level"
    title = f"{a} less {b}: n {row['n']}, p {number(row['p'])}, adjusted {number(row['p_adjusted'])}"
    return f'<td class="{kind}" title="{text(title)}">{100 * difference:+.1f}{star}</td>'
