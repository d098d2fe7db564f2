"""Wrong options beside a right one: the slips that lead to them, by rule, in the notation of the answer."""

import itertools
import math
import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assets.m3cot.likeness import MOST, three
from assets.m3cot.mathematics.boxed import Answer, cleaned, parse, same, written
from assets.m3cot.mathematics.latex_tree import NoFormula
from assets.m3cot.mathematics.notation import shown
from assets.m3cot.mathematics.slips import FRACTION, ROOT, SLASH, signs, slips, without_figures

MOST_CANDIDATES = 400
MOST_SLIPS = 10
"""Slips of the answer itself that are candidates; slips of slips fill up the rest."""

_MATH = re.compile(r"\$\$?([^$]+)\$\$?|\\\[(.{1,600}?)\\\]|\\\((.{1,600}?)\\\)", re.DOTALL)
_EQUALS = re.compile(r"=|\\approx|\\Rightarrow|\\implies|\\le(?:q)?(?![a-z])|\\ge(?:q)?(?![a-z])|\\\\|&|\\boxed")
_DIGITS = re.compile(r"(?<![\d.])\d+(?![\d.])")
_IMPROPER = re.compile(r"\d\s*\\[dt]?frac\{?(\d+)\}?\{?(\d+)\}?")
_UNREDUCED = re.compile(r"frac\{\s*(\d+)\s*(?:\\pi|\\sqrt\s*\{?\d+\}?|[a-z])\s*\}\{\s*(\d+)\s*\}")
_ABOVE = r"\\[dt]?frac\s*\{\s*((?:[^{}]|\{[^{}]*\})*?)\s*\}\s*"
_OVER_ONE = re.compile(r"\\[dt]?frac\s*\{\s*((?:[^{}+-]|\{[^{}]*\})*?)\s*\}\s*\{\s*1\s*\}")
_STILL_OVER_ONE = re.compile(_ABOVE + r"(?:\{\s*1\s*\}|1(?!\d))")
_OPERATORS = re.compile(r"[+*/^!(]|(?<=[^\s(,\[])\s*-")


class _Candidate(NamedTuple):
    """A wrong option, what it says, its body, and whether the solution works it out on its way."""

    option: str
    found: Answer
    body: str
    worked_out: bool


def distractors(answer: str, problem: str, solution: str, rng: random.Random) -> list[str] | None:
    """Three wrong options in the answer's notation, none equal to it or to another; None where no rule has three.

    First of all what the solution works out on its way (one, sometimes two), then the slips of the answer's own kind,
    changes of one number, sign or letter in it, and slips of those: two mistakes. A slip that a reader would see
    through is none: a negative length, a probability above one, an angle of 200 degrees among acute ones, a fraction
    not in lowest terms. Neither its size among the four nor its likeness to the other three gives the right one away.

    Raises:
        NoFormula: the answer is of no kind that is read here.
    """
    right = parse(answer)
    wished = rng.choice((1, 1, 2))
    # slips fall on both sides of a number, which would give away the middle: how many are smaller is drawn
    smaller = rng.randrange(4)
    pool = _pool(answer, right, problem, solution, rng)
    below = [_below(each.found, right) for each in pool]
    wished = min(wished, sum(each.worked_out for each in pool))

    def cost(chosen: Sequence[int]) -> float:
        under, unordered = sum(below[at] is True for at in chosen), sum(below[at] is None for at in chosen)
        return 2 * max(smaller - unordered - under, under - smaller, 0) + abs(
            wished - sum(pool[at].worked_out for at in chosen)
        )

    places = three(shown(answer), [shown(each.option) for each in pool], rng, cost)
    return None if places is None else [pool[at].option for at in places]


def _pool(answer: str, right: Answer, problem: str, solution: str, rng: random.Random) -> list[_Candidate]:
    """Wrong options to choose from, no two equal: slips of the answer first, then slips of those."""
    parts = written(answer)
    pool: list[_Candidate] = []

    def add(bodies: Iterator[str], most: int, worked_out: bool = False) -> list[_Candidate]:
        candidates = list(dict.fromkeys(map(_without_ones, _first(bodies, MOST_CANDIDATES))))
        rng.shuffle(candidates)
        start = len(pool)
        for body in candidates:
            if len(pool) - start == most:
                break
            option = parts.before + body + parts.behind
            found = _acceptable(option, body, answer, right, problem)
            if found is not None and not any(same(found, other.found) for other in pool):
                pool.append(_Candidate(option, found, body, worked_out))
        return pool[start:]

    add(_worked_out(parts.body, right, solution), 4, worked_out=True)
    of_kind = add(slips(parts.body, right, problem), MOST_SLIPS)
    add(_changes(parts.body, right, problem), MOST_SLIPS - len(of_kind) if len(of_kind) < MOST_SLIPS // 2 else 2)
    first = list(pool)
    rng.shuffle(first)
    for each in first:
        if len(pool) >= MOST:
            break
        again = itertools.chain(slips(each.body, each.found, problem), _changes(each.body, each.found, problem))
        add(again, 2)
    return pool


def _without_ones(body: str) -> str:
    """The body without denominators of one under roots and pi; a number over one would be no fraction any more."""
    return _OVER_ONE.sub(lambda over: over[1] if "\\" in over[1] else over[0], body)


def _below(found: Answer, right: Answer) -> bool | None:
    """Whether a number is smaller than the right one; None where they have no order."""
    if len(found.items) != 1 or len(right.items) != 1 or found.letters or right.letters:
        return None
    ours, its = found.items[0].number, right.items[0].number
    return None if ours is None or its is None or ours.imag or its.imag else ours.real < its.real


def _first(tier: Iterator[str], most: int) -> Iterator[str]:
    for _, one in zip(range(most), tier, strict=False):
        yield one


def _acceptable(option: str, body: str, answer: str, right: Answer, problem: str) -> Answer | None:
    if len(option) > 2 * len(answer) + 16 or "--" in body or body == answer:
        return None
    try:
        found = parse(option)
    except (NoFormula, ValueError, IndexError):
        return None
    if found.kind != right.kind or found.unit != right.unit or same(found, right) or not _reduced(body):
        return None
    if bool(found.letters) != bool(right.letters):
        return None
    if found.kind == "interval" and not _ascending(found):
        return None
    if found.kind in ("number", "based") and not _plausible(found, right, problem):
        return None
    if found.kind == "list" and any(same(_one(x), _one(y)) for x, y in _pairs(found)):
        return None
    return found


def _plausible(found: Answer, right: Answer, problem: str) -> bool:
    ours, its = found.items[0].number, right.items[0].number
    if ours is None or its is None or abs(its.imag) > 0 or abs(ours.imag) > 0:
        return (ours is None) == (its is None)
    new, old = ours.real, its.real
    signed = old < 0 or (old == 0 and "probab" not in problem)
    if new < 0 and not signed:
        return False
    if new == 0 and old > 0 and (right.unit is not None or old != int(old) or old > 12):
        return False
    if right.unit == "degree" or "degree" in problem:
        return new < 360 or old >= 360
    if 0 < old < 1 and "probab" in problem:
        return 0 < new < 1
    if right.unit == "%" and 0 <= old <= 100:
        return new <= 100 or old == 100
    return abs(new) <= max(12 * abs(old), 12)


def _ascending(found: Answer) -> bool:
    ends = [
        item.number.real if item.number is not None and r"\infty" not in item.text else None for item in found.items
    ]
    lows, highs = ends[::2], ends[1::2]
    if any(low is not None and high is not None and low >= high for low, high in zip(lows, highs, strict=True)):
        return False
    if any(r"\infty" in item.text and not item.text.startswith("-") for item in found.items[::2]):
        return False
    return not any(item.text.startswith(r"-\infty") for item in found.items[1::2])


def _one(item: object) -> Answer:
    return Answer("expression", (item,))  # type: ignore[arg-type]


def _pairs(found: Answer) -> Iterator[tuple[object, object]]:
    return ((x, y) for at, x in enumerate(found.items) for y in found.items[:at])


def _reduced(body: str) -> bool:
    """No fraction that can be reduced, no root that comes out, no factor of one."""
    for match in (*FRACTION.finditer(body), *SLASH.finditer(body)):
        groups = match.groups()
        above, below = (groups[2] or groups[3], groups[4] or groups[5]) if len(groups) == 6 else (groups[1], groups[3])
        if int(below) < 2 or math.gcd(int(above), int(below)) > 1 or int(above) == 0:
            return False
    if _STILL_OVER_ONE.search(body):
        return False
    if any(int(match[1]) >= int(match[2]) for match in _IMPROPER.finditer(body)):
        return False
    if any(math.gcd(int(match[1]), int(match[2])) > 1 for match in _UNREDUCED.finditer(body)):
        return False
    for match in ROOT.finditer(body):
        radicand = int(match[1] or match[2])
        if radicand < 2 or any(radicand % (n * n) == 0 for n in range(2, math.isqrt(min(radicand, 10**6)) + 1)):
            return False
    return not re.search(
        r"(?<![\d.,_{(-])-?[01] ?(?:\\(?:sqrt|pi)|[a-z(])|\^\{?[01]\}?(?!\d)|(?<![\d.])0(?=\s*[+-])|[+-]\s*0(?![\d.])"
        r"|\{[01](?:\\(?:sqrt|pi)|[a-z])|[+-] ?[01] ?(?:\\(?:sqrt|pi)|[a-z(])",
        body,
    )


def _worked_out(body: str, right: Answer, solution: str) -> Iterator[str]:
    """What the solution works out that is of the answer's kind, the latest first."""
    text = without_figures(solution)
    seen = 0
    pieces = [
        piece for match in _MATH.finditer(text) for piece in _EQUALS.split(match[1] or match[2] or match[3] or "")[-6:]
    ]
    for piece in reversed(pieces[-200:]):
        if len(piece) > 3 * len(body) + 60:
            continue
        piece = cleaned(piece)
        piece = written(piece[1:-1] if piece[:1] == "{" and piece[-1:] == "}" else piece).body
        if not len(body) // 3 < len(piece) <= len(body) + 12 or not _alike(piece, body):
            continue
        try:
            found = parse(piece)
        except (NoFormula, ValueError, IndexError):
            continue
        if found.kind != right.kind or same(found, right._replace(unit=None)):
            continue
        seen += 1
        yield piece
        if seen == 6:
            return


def _alike(piece: str, body: str) -> bool:
    """Of the same notation: the same commands, and a decimal point only beside one."""
    commands = set(re.findall(r"\\[a-z]+", body.replace("dfrac", "frac").replace("tfrac", "frac")))
    own = set(re.findall(r"\\[a-z]+", piece))
    operators = {sign.strip() for sign in _OPERATORS.findall(piece)}
    return (
        own == commands
        and ("." in piece) == ("." in body)
        and operators <= {sign.strip() for sign in _OPERATORS.findall(body)}
        and piece.count("{") == piece.count("}")
    )


def _changes(body: str, right: Answer, problem: str) -> Iterator[str]:
    """The answer with one of its numbers, signs or letters another."""
    for match in _DIGITS.finditer(body):
        before = body[: match.start()].rstrip()
        n = int(match[0]) if len(match[0]) < 30 else 0
        index = before.endswith(("_", "_{"))
        small = before.endswith(("^", "^{"))
        if index or (not n and match[0] != "0"):
            continue
        for other in (n + 1, n - 1) if small else (n + 1, n - 1, 2 * n, n // 2, n + 2, n - 2, n + 3):
            if other >= 0:
                yield body[: match.start()] + str(other) + body[match.end() :]
    if right.kind not in ("letters", "text", "segment", "based", "ratio"):
        yield from signs(body)
    for name, turned in ((r"\sin", r"\cos"), (r"\cos", r"\sin"), (r"\tan", r"\cot"), (r"\csc", r"\sec")):
        if name in body:
            yield body.replace(name, turned)
    if right.kind in ("expression", "equation", "inequality"):
        own = dict.fromkeys(re.findall(r"(?<![A-Za-z\\])[a-z](?![A-Za-z])", re.sub(r"\\[A-Za-z]+", " ", body)))
        named = [
            m[0]
            for m in re.finditer(
                r"(?<![A-Za-z\\])[a-z](?![A-Za-z(])", " ".join(m[0] for m in _MATH.finditer(without_figures(problem)))
            )
        ]
        for letter in own:
            for other_letter in dict.fromkeys((*named, *own)):
                if other_letter != letter:
                    yield re.sub(rf"(?<![A-Za-z\\]){letter}(?![A-Za-z])", other_letter, body)
        yield from (
            (f"2{body}", rf"\frac{{{body}}}{{2}}")
            if right.kind == "expression" and body[0].isalpha() and "+" not in body
            else ()
        )
