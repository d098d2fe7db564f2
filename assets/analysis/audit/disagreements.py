"""The replies that the two extractors do not read alike, one by one."""

from collections.abc import Iterator, Mapping
from typing import Any

from assets.analysis.audit.readings import Readings

FIRST, LAST = 90, 60
"""Characters of a reply's beginning and end that its excerpt keeps."""


def disagreements(readings: Mapping[str, Readings]) -> Iterator[dict[str, Any]]:
    """Rows of table `disagreement`: by evaluation and line, the replies from which different letters are read.

    Both must be counted; no letter is a reading like any other. Two rules that come to the same letter agree.

    Args:
        readings: by evaluation.
    """
    for evaluation, found in sorted(readings.items()):
        for reading in found.both:
            if reading.alike:
                continue
            paper, strict = reading.paper, reading.strict
            yield {
                "evaluation": evaluation,
                "line": paper.line,
                "sample_id": paper.sample_id,
                "label": paper.label,
                "paper": paper.letter,
                "paper_rule": paper.rule,
                "strict": strict.letter,
                "strict_rule": strict.rule,
                "paper_correct": paper.correct,
                "strict_correct": strict.correct,
                "shape": reading.shape,
                "excerpt": excerpt(reading.text),
            }


def excerpt(text: str | None) -> str:
    """The first and last characters of a text, those that cannot be printed written out; "" where there is none."""
    if text is None:
        return ""
    if len(text) > FIRST + LAST:
        return f"{_printed(text[:FIRST])} […] {_printed(text[-LAST:])}"
    return _printed(text)


def _printed(text: str) -> str:
    return "".join(
        one if one.isprintable() and one != "\\" else one.encode("unicode_escape").decode("ascii") for one in text
    )
