"""TabMWP's problems with options: a right answer that stands alone gets three wrong ones by rule."""

import itertools
import math
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from assets.m3cot.likeness import MOST, WRONG, three
from assets.m3cot.questions import ordered, plain
from assets.schema.sample import Sample

REASONS = ("no_options",)
MADE = "options by rules"

_NUMBER = re.compile(
    r"(?P<before>[-\u2212]?\$?)(?P<body>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?P<behind>(?![\d/:,.]).*)?"
)
_FRACTION = re.compile(r"(?P<before>[-\u2212]?)(?P<above>\d{1,6})/(?P<below>\d{1,6})(?P<behind>(?![\d/]).*)?")
_TIME = re.compile(r"\b\d{1,2}:\d{2}(?: ?[AaPp]\.?[Mm]\.?)?(?!\d)")
_SAID_NUMBER = re.compile(r"(?<![\d.,/])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d/]|[.,]\d)")
_SAID_FRACTION = re.compile(r"\\frac\{(\d{1,6})\}\{(\d{1,6})\}|(?<![\d/])(\d{1,6})/(\d{1,6})(?![\d/])")
_CELL = re.compile(r"^\s*([^\W\d][\w' -]{1,38}):", re.MULTILINE)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,3}")
_LONGEST = 60
_MOST_DIGITS = 15
_MOST_STATED = 4


class _Candidate(NamedTuple):
    """A wrong option, its value where it is a number, and whether the solution states it."""

    option: str
    value: Decimal | None
    stated: bool


class _Value(NamedTuple):
    """A number as it is written: what stands before it, its value and decimals, what stands behind it."""

    before: str
    value: Decimal
    decimals: int
    grouped: bool
    behind: str

    def written(self, value: Decimal) -> str:
        """Another value in the same form; a negative one turns the sign."""
        sign = "\u2212" if "\u2212" in self.before else "-"
        before = self.before.replace(sign, "")
        number = f"{abs(value):{',' if self.grouped or abs(value) >= 10_000 else ''}.{self.decimals}f}"
        return f"{sign if value < 0 else ''}{before}{number}{self.behind}"


def samples(rows: Sequence[Sample], *, seed: int) -> list[Sample]:
    """Every row, in order: with the options that it has, or with three made by rule beside its only one.

    A wrong number is one that the solution works with, or a slip: one or ten off in the last place, two digits
    swapped, in the answer's own notation, decimals and unit. A wrong fraction is another one in lowest terms. A wrong
    word is another label that the solution names. What has no three of them is dropped, `no_options`.

    Source: arXiv:2405.16473, appendix A.4.2 names TabMWP for augmentation and does not say how free answers got
    options: the rule is this project's.
    """
    return [row if row.dropped is not None or len(row.choices or ()) != 1 else _optioned(row, seed) for row in rows]


def wrong_options(answer: str, question: str, rationale: str, rng: random.Random) -> list[str] | None:
    """Three wrong options in the answer's form, no two equal; None where no rule has three.

    One or two that the solution states, as far as it has them, the rest slips and slips of slips. How many of them lie
    below the answer is drawn, and how alike to the other three it is, so that neither gives it away.
    """
    right: Decimal | None = None
    candidates: Iterable[_Candidate]
    if found := _FRACTION.fullmatch(answer):
        right = Decimal(int(found["above"])) / max(int(found["below"]), 1)
        candidates = _fractions(found, rationale, rng)
    elif (found := _NUMBER.fullmatch(answer)) and len(found["body"]) <= _MOST_DIGITS:
        number = _value(found)
        right = number.value
        candidates = _numbers(number, question, rationale, rng)
    else:
        candidates = _words(answer, rationale, rng)
    # a sign is no word: numbers are told apart by their values
    texts, values = {plain(answer)} if right is None else set(), {right}
    pool: list[_Candidate] = []
    for each in candidates:
        known = plain(each.option) in texts if each.value is None else each.value in values
        if not known:
            texts.add(plain(each.option))
            values.add(each.value)
            pool.append(each)
        if len(pool) == MOST:
            break
    return _chosen(answer, right, pool, rng)


def _chosen(answer: str, right: Decimal | None, pool: list[_Candidate], rng: random.Random) -> list[str] | None:
    wished = min(rng.choice((1, 2)), sum(each.stated for each in pool))
    under = rng.randint(0, WRONG)

    def cost(chosen: Sequence[int]) -> float:
        stated = abs(wished - sum(pool[at].stated for at in chosen))
        if right is None:
            return stated
        below = sum(value < right for at in chosen if (value := pool[at].value) is not None)
        return stated + 2 * abs(under - below)

    places = three(answer, [each.option for each in pool], rng, cost)
    return None if places is None else [pool[at].option for at in places]


def _optioned(row: Sample, seed: int) -> Sample:
    rng = random.Random(f"{seed}/{row.id}")
    right = (row.choices or ("",))[0]
    wrong = wrong_options(right, row.question or "", row.text, rng)
    if wrong is None:
        return row.drop("no_options")
    choices, letter = ordered(right, wrong, f"{seed}/{row.id}")
    return row._replace(choices=choices, answer=letter).made(MADE)


def _value(found: re.Match[str]) -> _Value:
    body = found["body"]
    value = Decimal(body.replace(",", ""))
    negative = found["before"][:1] in ("-", "\u2212")
    decimals = len(body.partition(".")[2])
    return _Value(found["before"], -value if negative else value, decimals, "," in body, found["behind"] or "")


def _numbers(right: _Value, question: str, rationale: str, rng: random.Random) -> Iterator[_Candidate]:
    """Other numbers: some that the solution states, then slips, then slips of those."""
    signed = right.value < 0 or "rate of change" in question.lower()
    said, slips = _stated(right, rationale), _slips(right, signed)
    rng.shuffle(said)
    rng.shuffle(slips)
    first = [*said[:_MOST_STATED], *slips]
    twice = [value for one in first for value in _slips(right._replace(value=one), signed)]
    rng.shuffle(twice)
    for value in dict.fromkeys((*first, *twice)):
        if value != right.value and (value > 0 or signed or (value == 0 and right.value <= 3)):
            yield _Candidate(right.written(value), value, value in said)


def _stated(right: _Value, rationale: str) -> list[Decimal]:
    """Numbers of the solution that the answer could be taken for: within a factor of ten, no finer than it is."""
    size = abs(right.value)
    found = []
    for match in _SAID_NUMBER.finditer(rationale):
        if len(match[0]) > _MOST_DIGITS:
            continue
        value = Decimal(match[0].replace(",", ""))
        fine = value != round(value, right.decimals)
        if not fine and size <= 10 * value and value <= 10 * max(size, Decimal(1)):
            found.append(-value if right.value < 0 else value)
    return list(dict.fromkeys(found))


def _slips(right: _Value, signed: bool) -> list[Decimal]:
    """The answer a little off: one or two, or ten, in the last place that counts, digits swapped, the sign turned."""
    value = right.value
    last = Decimal(1).scaleb(-right.decimals)
    whole = abs(value) >= 1 and value == value.to_integral_value()
    if right.decimals and whole:
        last = Decimal(1)
    steps = (1, -1, 2, -2, 3) if abs(value) < 10 * last else (1, -1, 2, -2, 10, -10)
    found = [value + step * last for step in steps]
    if right.decimals == 2 and not whole and abs(value) >= 2:
        found += [value + 1, value - 1]
    digits = f"{abs(value):.{right.decimals}f}"
    places = [place for place, digit in enumerate(digits) if digit.isdigit()]
    for one, other in itertools.pairwise(places):
        if one == 0 and digits[other] == "0":
            continue
        swapped = list(digits)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        found.append(Decimal("".join(swapped)) * (-1 if value < 0 else 1))
    if signed:
        found.append(-value)
    return list(dict.fromkeys(found))


def _fractions(found: re.Match[str], rationale: str, rng: random.Random) -> Iterator[_Candidate]:
    """Other fractions in lowest terms, below one where the answer is: those said, slips, slips of slips."""
    above, below = int(found["above"]), int(found["below"])
    pairs = [_lowest(int(m[1] or m[3]), int(m[2] or m[4])) for m in _SAID_FRACTION.finditer(rationale)]
    said = [pair for pair in dict.fromkeys(pairs) if pair and pair != _lowest(above, below)]
    once, twice = _near(above, below), [pair for one in _near(above, below) for pair in _near(*one)]
    for tier in (said, once, twice):
        rng.shuffle(tier)
    behind = found["behind"] or ""
    for a, b in (*said[:_MOST_STATED], *once, *twice):
        if b > 1 and (a < b or above >= below):
            yield _Candidate(f"{found['before']}{a}/{b}{behind}", Decimal(a) / b, (a, b) in said)


def _near(above: int, below: int) -> list[tuple[int, int]]:
    """Fractions in lowest terms that have a part one or two off, or are the rest to one."""
    pairs = [(above + 1, below), (above - 1, below), (above, below + 1), (above, below - 1), (below - above, below)]
    pairs += [(above + 2, below), (above, below + 2), (above + 1, below + 1)]
    return list(dict.fromkeys(pair for a, b in pairs if (pair := _lowest(a, b))))


def _lowest(above: int, below: int) -> tuple[int, int] | None:
    shared = math.gcd(above, below)
    return (above // shared, below // shared) if above > 0 and below > 0 else None


def _words(answer: str, rationale: str, rng: random.Random) -> Iterator[_Candidate]:
    """Other times where the answer is one, else other labels of rows and names that the solution speaks of."""
    patterns = (_TIME,) if _TIME.fullmatch(answer) else (_CELL, _NAME)
    said = [
        (match[1] if pattern is _CELL else match[0]).strip()
        for pattern in patterns
        for match in pattern.finditer(rationale)
    ]
    own = plain(answer)
    others = [
        each
        for each in dict.fromkeys(said)
        if len(each) <= _LONGEST and plain(each) not in own and own not in plain(each)
    ]
    rng.shuffle(others)
    return (_Candidate(each, None, False) for each in others)
