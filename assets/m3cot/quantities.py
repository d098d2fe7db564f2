"""The numbers that a text states, so that a rewrite can be held to those of its original."""

import re
import unicodedata
from decimal import Decimal, InvalidOperation

_STEP_NUMBERS = re.compile(
    r"\bsteps?\s+\d{1,3}(?:\s*(?:,|and|to|-|–)\s*\d{1,3}\b)*|^[ \t>*_#-]{0,20}\(?\d{1,3}[.)](?=\s)", re.I | re.M
)
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴-⁹]+")
_VULGAR = re.compile(r"(\d?)([¼-¾⅐-⅞])")
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\s*(?:\{\s*(\d+)\s*\}|(\d))\s*(?:\{\s*(\d+)\s*\}|(\d))")
_FRACTION = re.compile(r"(?<![\d.,/])(\d{1,15})\s?/\s?(\d{1,15})(?![\d/]|[.,]\d)")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|(?<!\d)\.\d+")
_SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty")
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_WORDS = {word: Decimal(value) for value, word in enumerate((*_SMALL, *_TEENS))} | {
    word: Decimal(value) for word, value in {**_TENS, "hundred": 100, "thousand": 1000}.items()
}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.I)
_SAID_OF_ANYTHING = 3
"""Words up to "three" count things of any text ("the two samples") and give away no figure."""


def new_numbers(text: str, sources: str) -> list[str]:
    """Numbers of `text` that `sources` do not state, as written, in order; step numbers are none.

    Compared by value and without sign: 1,000 is 1000, 4.30 is 4.3, −2 is 2, ½ and 1/2 and 0.5 are one, and a digit
    may stand for its word. A fraction is also known where both its parts are.
    """
    known = _values(_plain(sources))
    found = []
    rest = _plain(text)
    for match in _FRACTION.finditer(rest):
        parts = [_decimal(part) for part in match.groups()]
        if not (_quotient(*match.groups()) in known or all(part in known for part in parts)):
            found.append((match.start(), match[0]))
    rest = _FRACTION.sub(lambda match: " " * len(match[0]), rest)
    found += [(match.start(), match[0]) for match in _NUMBER.finditer(rest) if _decimal(match[0]) not in known]
    for match in _WORD.finditer(rest):
        value = _WORDS[match[0].lower()]
        if value > _SAID_OF_ANYTHING and value not in known:
            found.append((match.start(), match[0]))
    return [number for _, number in sorted(found)]


def _values(text: str) -> set[Decimal | None]:
    values = {_decimal(match[0]) for match in _NUMBER.finditer(text)}
    values |= {_quotient(*match.groups()) for match in _FRACTION.finditer(text)}
    return values | {_WORDS[match[0].lower()] for match in _WORD.finditer(text)}


def _plain(text: str) -> str:
    """The text with every number in ASCII digits, fractions as a/b, and without step numbers."""
    text = _VULGAR.sub(lambda match: f"{match[1]} {unicodedata.normalize('NFKC', match[2])} ", text)
    text = _SUPERSCRIPT.sub(lambda match: f"^{unicodedata.normalize('NFKC', match[0])} ", text)
    text = _LATEX_FRACTION.sub(lambda match: f" {match[1] or match[2]}/{match[3] or match[4]} ", text)
    text = unicodedata.normalize("NFKC", text).replace("⁄", "/").replace("{,}", ",")
    return _STEP_NUMBERS.sub(" ", text)


def _decimal(number: str) -> Decimal | None:
    try:
        return Decimal(number.replace(",", ""))
    except InvalidOperation:
        return None


def _quotient(above: str, below: str) -> Decimal | None:
    divisor = Decimal(below)
    return Decimal(above) / divisor if divisor else None
