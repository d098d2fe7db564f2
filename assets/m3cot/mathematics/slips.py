"""The slips that lead from an answer to a wrong one, kind by kind, in the answer's notation."""

import re
from collections.abc import Iterator
from fractions import Fraction

from assets.m3cot.mathematics.boxed import Answer, split

POOLS = (
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    (
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ),
    ("north", "east", "south", "west"),
    ("even", "odd", "neither", "both"),
    ("yes", "no", "only sometimes", "cannot be determined"),
    ("true", "false", "only sometimes", "cannot be determined"),
    ("point", "line", "circle", "parabola", "ellipse", "hyperbola", "empty", "two lines"),
    ("sphere", "cylinder", "cone", "plane", "line", "circle", "point"),
    ("acute", "right", "obtuse", "equilateral", "isosceles", "scalene"),
    ("square", "rectangle", "rhombus", "parallelogram", "trapezoid", "kite"),
    ("red", "blue", "green", "yellow", "white", "black", "purple", "orange"),
    ("first", "second", "third", "fourth", "fifth", "sixth"),
    ("increasing", "decreasing", "constant", "neither"),
)
"""Words of one kind, where an answer is one of them: the others are its wrong options."""

_TEXT = re.compile(r"(\\(?:text|mbox|textrm|textbf|mathrm)\s*\{)([^{}]*)(\})")
FRACTION = re.compile(r"(-?)\s*(\\[dt]?frac)\s*(?:\{(-?\d+)\}|\s*(\d))\s*(?:\{(\d+)\}|\s*(\d+))")
SLASH = re.compile(r"(-?)(\d+)(\s*/\s*)(\d+)")
_INTEGER = re.compile(r"(-?)\s*(\d{1,3}(?:(?:,\\!|\{,\}|,)\d{3})+|\d+)")
_DECIMAL = re.compile(r"(-?)(\d*)\.(\d+)")
_COMMA = re.compile(r",\\!|\{,\}|,")
ROOT = re.compile(r"\\sqrt\s*(?:\{(\d+)\}|(\d))")
_SIGN = re.compile(r"(?<=[\w)}])\s*([+-])\s*(?=[\w\\(])")
_MINUS = re.compile(r"(?:^|(?<=[&,(\[])|(?<=\\\\))\s*(-)\s*(?=[\w\\.])")


def without_figures(text: str) -> str:
    """The text without [asy] code; code that is never closed goes to the text's end."""
    kept, at = [], 0
    while (start := text.find("[asy]", at)) >= 0:
        kept.append(text[at:start])
        end = text.find("[/asy]", start)
        at = len(text) if end < 0 else end + len("[/asy]")
    return " ".join((*kept, text[at:]))


def slips(body: str, right: Answer, problem: str) -> Iterator[str]:
    """Bodies that stand for a mistake of the answer's kind; some may be equal, wrong in form or implausible."""
    for form, of_number in ((_INTEGER, _of_integer), (_DECIMAL, _of_decimal)):
        whole = form.fullmatch(body.strip())
        if whole:
            yield from of_number(whole, right)
            return
    for form in (FRACTION, SLASH):
        whole = form.fullmatch(body.strip())
        if whole:
            yield from _of_fraction(whole)
            return
    if right.kind in ("letters", "text", "segment"):
        yield from _of_words(body, right, problem)
    elif right.kind in ("tuple", "interval", "list"):
        yield from _of_several(body, right)
    elif right.kind == "ratio":
        yield ":".join(reversed(body.split(":")))
    elif right.kind in ("number", "expression"):
        yield from _of_formula(body)


def _of_integer(whole: re.Match[str], right: Answer) -> Iterator[str]:
    digits = _COMMA.sub("", whole[2])
    comma = _COMMA.search(whole[2])
    n = int(whole[1] + digits)
    near = [n + 1, n - 1, n + 2, n - 2, 2 * n]
    if right.unit == "degree":
        near = [180 - n, 90 - n, 360 - n, 2 * n, n + 10, n - 10, n + 5, n - 5]
    elif abs(n) >= 20:
        near += [n + 10, n - 10]
    if abs(n) >= 1000:
        step = 10 ** (len(digits) - 2)
        near = [n + step, n - step, n + 10, n - 10, n * 10, n // 10 if n % 10 == 0 else n + 1, 2 * n]
    if n % 2 == 0:
        near.append(n // 2)
    if n % 3 == 0 and n:
        near.append(n // 3)
    if n < 0:
        near.append(-n)
    near += [int(("-" if n < 0 else "") + swapped) for swapped in _swapped(digits)]
    for each in near:
        yield _grouped(each, comma[0]) if comma else str(each)


def _grouped(n: int, comma: str) -> str:
    return f"{n:,}".replace(",", comma)


def _swapped(digits: str) -> list[str]:
    """The number with two neighbouring digits changed about."""
    swaps = [digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :] for at in range(len(digits) - 1)]
    return [swap for swap in swaps[-3:] if swap != digits and swap[0] != "0"]


def _of_decimal(whole: re.Match[str], right: Answer) -> Iterator[str]:
    sign, before, after = whole.groups()
    places, n = len(after), int(before + after)
    one = 10**places
    for each in (
        n + one,
        n - one,
        n + one // 10,
        n - one // 10,
        2 * n,
        n + 1,
        n - 1,
        *map(int, _swapped(before + after)),
    ):
        if each > 0:
            text = str(each).rjust(places + 1, "0")
            text = f"{text[:-places]}.{text[-places:]}"
            yield sign + (text.removeprefix("0") if not before else text)
    if n % 2 == 0:
        half = str(n // 2).rjust(places + 1, "0")
        yield f"{sign}{half[:-places].removeprefix('0') if not before else half[:-places]}.{half[-places:]}"
    if len(before) > 1:
        yield f"{sign}{before[:-1]}.{before[-1]}{after}"
    if places > 1:
        yield f"{sign}{before}{after[0]}.{after[1:]}"
    if sign:
        yield before + "." + after


def _of_fraction(whole: re.Match[str]) -> Iterator[str]:
    groups = whole.groups()
    long = len(groups) == 6
    above, below = (groups[2] or groups[3], groups[4] or groups[5]) if long else (groups[1], groups[3])
    own = Fraction(int(groups[0] + "1") * int(above), int(below))
    p, q = own.numerator, own.denominator
    if not p:
        return
    near = [
        Fraction(q, p),
        2 * own,
        own / 2,
        Fraction(p + 1, q),
        Fraction(p - 1, q),
        Fraction(p, q + 1),
        own / 3,
        3 * own,
    ]
    near += [Fraction(p, q - 1)] if q > 2 else []
    near += [1 - own] if 0 < own < 1 else [own - 1, own + 1]
    near += [Fraction(p, q - p), Fraction(p, p + q)] if 0 < p < q else [Fraction(p + q, q)]
    near += [-own] if own < 0 else []
    for each in near:
        if each.denominator == 1:
            continue
        sign = "-" if each < 0 else ""
        over, under = abs(each.numerator), each.denominator
        yield f"{sign}{groups[1]}{{{over}}}{{{under}}}" if long else f"{sign}{over}{groups[2]}{under}"


def _of_words(body: str, right: Answer, problem: str) -> Iterator[str]:
    wrapped = _TEXT.fullmatch(body.strip())
    before, inner, behind = wrapped.groups() if wrapped else ("", body.strip(), "")
    if right.kind == "segment":
        points = "".join(dict.fromkeys(re.findall(r"[A-Z]", "".join(re.findall(r"\b[A-Z]{1,4}\b", problem)))))
        name = right.shape.split(" ")[1]
        for a in points if len(name) == 2 else ():
            yield from (re.sub(r"[A-Z]{2}", a + b, body) for b in points if a < b)
    elif right.kind == "letters":
        own = right.shape.split(" ")
        last = max("E", *own)
        letters = [chr(code) for code in range(ord("A"), ord(last) + 1)]
        if len(own) == 1:
            yield from (before + inner.replace(own[0], other) + behind for other in letters if other != own[0])
            return
        joint = re.search(r"[A-Z](\W+|,? and )", inner)
        others = [letter for letter in letters if letter not in own]
        several = [[*own, other] for other in others]
        for at in range(len(own)):
            left = own[:at] + own[at + 1 :]
            several += [left, *([*left, other] for other in others)]
        for some in several:
            yield before + (joint[1] if joint else ", ").join(sorted(some)) + behind
    else:
        yield from (before + word + behind for word in _other_words(inner, problem))


def _other_words(word: str, problem: str) -> Iterator[str]:
    def in_case(other: str) -> str:
        return other.title() if word.istitle() else other

    pool = next((pool for pool in POOLS if word.lower() in pool), None)
    if pool:
        yield from (in_case(other) for other in pool if other != word.lower())
    elif word.istitle():
        text = without_figures(problem)
        yield from (name for name in dict.fromkeys(re.findall(r'"([A-Z][a-z]{2,})"', problem)) if name != word)
        names = re.findall(r"(?<![.?!:] )(?<![.?!:]  )\b[A-Z][a-z]{2,}\b", text)
        names += [name for inner in _TEXT.findall(text) for name in re.findall(r"\b[A-Z][a-z]{2,}\b", inner[1])]
        names += re.findall(r"\b[A-Z][a-z]{2,}(?=:|'s| and | or |, [A-Z])", problem)
        yield from (name for name in dict.fromkeys(names) if name != word)


def _of_several(body: str, right: Answer) -> Iterator[str]:
    text = re.sub(r"\\(?:left|right)(?![A-Za-z])", "", body).strip()
    inside = re.fullmatch(r"([(\[]|\\\{)(.*?)([)\]]|\\\})", text, re.DOTALL)
    opening, inner, closing = inside.groups() if inside else ("", text, "")
    items = split(inner)
    gap = ", " if ", " in inner else ","
    if right.kind == "interval" and inside and len(items) == 2:
        other = {"(": "[", "[": "(", ")": "]", "]": ")"}
        yield from (
            left + inner + end
            for left, end in ((other[opening], closing), (opening, other[closing]), (other[opening], other[closing]))
            if (items[0].lstrip("-") != r"\infty" or left == "(") and (items[1] != r"\infty" or end == ")")
        )
    if len(items) < 2:
        return
    for at, item in enumerate(items):
        turned = item[1:].strip() if item.startswith("-") else f"-{item}"
        if item != "0":
            yield opening + gap.join((*items[:at], turned, *items[at + 1 :])) + closing
        if right.kind == "list" and len(items) > 2:
            yield opening + gap.join((*items[:at], *items[at + 1 :])) + closing
    if right.kind == "tuple":
        yield opening + gap.join(reversed(items)) + closing
        yield opening + gap.join((*items[1:], items[0])) + closing


def _of_formula(body: str) -> Iterator[str]:
    """A root or pi forgotten, coefficients doubled and halved, terms taken with the other sign."""
    yield from signs(body)
    if body.strip() in ("i", "-i"):
        yield from ("1", "-1", "i", "-i", "1+i", "1-i", "2i", "-2i")
    for match in ROOT.finditer(body):
        radicand = int(match[1] or match[2])
        lone = body[: match.start()].rstrip()[-1:].isdigit()
        if not lone:
            yield body[: match.start()] + str(radicand) + body[match.end() :]
        for other in (2, 3, 5, 6, radicand + 1, radicand - 1, 2 * radicand):
            yield body[: match.start()] + rf"\sqrt{{{other}}}" + body[match.end() :]
    single = re.fullmatch(r"(-?)(\d*)(\s*\\(?:sqrt|pi).*)", body.strip(), re.DOTALL)
    if single and not _SIGN.search(body):
        sign, factor, rest = single[1], int(single[2] or 1), single[3].strip()
        for other in (2 * factor, 3 * factor, factor + 1, factor - 1, factor * factor, 4 * factor):
            yield f"{sign}{'' if other == 1 else other}{rest}"
        if factor % 2:
            yield rf"{sign}\frac{{{'' if factor == 1 else factor}{rest}}}{{2}}"
        else:
            yield f"{sign}{'' if factor == 2 else factor // 2}{rest}"
        if single[1]:
            yield body.strip()[1:]


def signs(body: str) -> Iterator[str]:
    """The body with one sign the other way."""
    for match in _SIGN.finditer(body):
        yield body[: match.start(1)] + ("-" if match[1] == "+" else "+") + body[match.end(1) :]
    for match in _MINUS.finditer(body):
        yield body[: match.start(1)] + body[match.end() :]
    if not body.strip().startswith(("-", "(", "[", "\\{", r"\begin")):
        yield f"-{body.strip()}"
