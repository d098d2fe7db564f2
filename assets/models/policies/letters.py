"""The letter that a text declares as its answer, by one narrow rule: what policies need while a run goes on.

What a reply answers is decided afterwards, by `assets.evaluation.extraction`.
"""

import re
from collections.abc import Sequence

from assets.schema.sample import LETTERS

_DECLARED = re.compile(
    r"(?i:\banswer\b(?:\s{1,9}is\b)?\s{0,9}:?\s{0,9}(?:the answer is\s{0,9})?)[*\"']*"
    r"(?:\(([A-Za-z])\)|([A-Z])(?![\w']))"
)
_OPENING = re.compile(r"\W*(?:\(([A-Za-z])\)|([A-Z])(?![\w' ]))")


def declared(text: str, choices: Sequence[str]) -> str | None:
    """The letter of the last `the answer is (B)` or `Answer: B` in the text that is one of an option."""
    found = [one or two for one, two in _DECLARED.findall(text)]
    return next((letter.upper() for letter in reversed(found) if _among(letter, choices)), None)


def opening(text: str, choices: Sequence[str]) -> str | None:
    """The letter of an option with which the text opens, as in `(B) a surplus`, or that it is, as in `B`."""
    match = _OPENING.match(text)
    letter = (match[1] or match[2]) if match else None
    return letter.upper() if letter and _among(letter, choices) else None


def _among(letter: str, choices: Sequence[str]) -> bool:
    return letter.upper() in LETTERS[: len(choices)]
