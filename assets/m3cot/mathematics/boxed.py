"""The boxed answer of a MATH solution, what kind of answer it is, and when two answers are the same."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from assets.m3cot.mathematics.latex_tree import NoFormula
from assets.m3cot.mathematics.latex_values import Value, equal, value

MOST_BOXES = 200
LONGEST_BOX = 2000
"""Boxes of a solution that are looked at, from its end, and characters within which one must close."""

LONGEST = 300
"""Characters of the longest answer or option that is read; the longest of MATH has some 150."""

KINDS = (
    "number",
    "expression",
    "letters",
    "text",
    "tuple",
    "interval",
    "list",
    "ratio",
    "based",
    "equation",
    "inequality",
    "matrix",
    "segment",
)

_BOX = re.compile(r"\\f?boxed(?![A-Za-z])|\\fbox(?![A-Za-z])")
_WORD = r"\\(?:text|mbox|textrm|textbf|textit|mathrm|textnormal|mathbf|hbox)"
_WHOLE_TEXT = re.compile(rf"{_WORD}\s*\{{([^{{}}]*)\}}")
_UNIT = re.compile(
    rf"(.*[^\s\\,;:!])(?:\s|\\[,;:! ])*{_WORD}\s*\{{([^{{}}]*)\}}\s*(?:\^\s*\{{?\s*(\d)\s*\}}?)?", re.DOTALL
)
_PLAIN_UNIT = re.compile(r"(.*[\d)}])\s+([A-Za-z][A-Za-z. ]*[A-Za-z.])", re.DOTALL)
_DEGREES = re.compile(r"(.*\S)\s*(?:\^\s*(?:\\circ|\{\s*\\circ\s*\})|°|\\degree)", re.DOTALL)
_PERCENT = re.compile(r"(.*[^\s\\])\s*\\?%", re.DOTALL)
_MONEY = re.compile(r"(?:\\\$|\$|\\text\{\\?\$\})\s*(.+)", re.DOTALL)
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_BASED = re.compile(r"(-?[0-9A-Za-z]+)\s*_\s*\{?\s*(\d{1,2})\s*\}?")
_MATRIX = re.compile(r"\\begin\s*\{([pbvB]?matrix)\}(.*)\\end\s*\{\1\}", re.DOTALL)
_SEGMENT = re.compile(
    r"(\\overline|\\overrightarrow|\\overleftrightarrow|\\angle|\\triangle)\s*\{?\s*([A-Z]{1,4})\s*\}?"
)
_LETTERS = re.compile(r"\(?([A-Z])\)?((?:\s*(?:,|and|,\s*and)\s*\(?[A-Z]\)?)*)")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z' .-]{2,}")
_RELATION = re.compile(r"\\leq?(?![A-Za-z])|\\geq?(?![A-Za-z])|\\lt(?![A-Za-z])|\\gt(?![A-Za-z])|<|>|≤|≥")
_SAME_WORDS = {"°": "degree", "degrees": "degree", "percent": "%", "dollars": "$", "inches": "inch", "feet": "foot"}


class Answer(NamedTuple):
    """An answer that was read.

    kind: one of `KINDS`. items: the formulas in it, in order. shape: what else tells it from another of its kind, such
    as brackets, relations or words. unit: degree, %, $ or a word, where it has one.
    """

    kind: str
    items: tuple[Value, ...]
    shape: str = ""
    unit: str | None = None

    @property
    def letters(self) -> set[str]:
        """The names in its formulas."""
        return {letter for item in self.items for letter in item.letters}


class Written(NamedTuple):
    """An answer's text in three: what stands before its body and behind it is the notation of the unit."""

    before: str
    body: str
    behind: str


def answer(solution: str) -> str | None:
    r"""The content of the last box of a solution; None when there is none, or an empty one, or it is never closed.

    A box without braces holds the one token behind it (``\boxed 2``).
    """
    for box in _boxes(solution):
        content = _content(solution, box.end())
        if content is not None:
            return content[0].strip() or None
    return None


def unboxed(solution: str) -> str:
    """The solution with every box replaced by what is in it."""
    for box in _boxes(solution):
        content = _content(solution, box.end())
        if content is not None:
            solution = solution[: box.start()] + content[0].strip() + solution[content[1] :]
    return solution


def _boxes(solution: str) -> list[re.Match[str]]:
    """The last boxes, the very last one first."""
    return list(_BOX.finditer(solution))[: -MOST_BOXES - 1 : -1]


def _content(text: str, at: int) -> tuple[str, int] | None:
    while at < len(text) and text[at].isspace():
        at += 1
    if at == len(text):
        return None
    if text[at] != "{":
        token = re.compile(r"\\[A-Za-z]+|\\?[^\s$]").match(text, at)
        return (token[0], token.end()) if token else None
    depth, start, escaped = 0, at + 1, False
    while at < min(len(text), start + LONGEST_BOX):
        character = text[at]
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return text[start:at], at + 1
        at += 1
    return None


def cleaned(text: str) -> str:
    """The answer without what does not change it: outer dollars, spacing, sizes of brackets, a full stop."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "$":
        text = text.strip("$").strip()
    text = re.sub(r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits)(?![A-Za-z])", "", text)
    text = re.sub(r"(?<=\d)(?:\{,\}|,\\!)(?=\d)", "", text)
    text = re.sub(r"(?<!\\)\\[!,;: ]|~|\\q?quad(?![A-Za-z])", " ", text)
    text = re.sub(r"\\[dtc]frac(?![A-Za-z])", r"\\frac", text)
    text = text.replace("−", "-")
    return text.strip().rstrip(".,;").strip()


def written(text: str) -> Written:
    """The text of an answer parted into sign of money, body, and unit, percent or degrees."""
    whole = text.strip()
    body = whole.rstrip(".").rstrip()
    before = ""
    money = _MONEY.fullmatch(body)
    if money and body[-1] != "$":
        before, body = body[: money.start(1)], money[1]
    if _OF_ANGLES.search(body):
        return Written(before, body, "")
    for form in (_PERCENT, _DEGREES, _UNIT, _PLAIN_UNIT):
        found = form.fullmatch(body)
        if found and not _WORDS_IN_BETWEEN.search(body) and _bare(found[1]):
            return Written(before, found[1].rstrip(), body[len(found[1].rstrip()) :])
    return Written(before, body, "")


# the degrees behind a sine are its argument's
_OF_ANGLES = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc)(?![a-z])")
_WORDS_IN_BETWEEN = re.compile(rf"{_WORD}\s*\{{\s*(?:or|and)\s*\}}")


def _bare(body: str) -> bool:
    """Whether a body before a unit is one quantity: no point, no set, no command that waits for what follows."""
    return bool(re.search(r"[\w})]$", re.sub(r"\\[!,;: ]|\s", "", body))) and "," not in re.sub(
        r",\\?!?\d{3}", "", body
    )


def parse(text: str) -> Answer:
    """The answer that a text gives.

    Raises:
        NoFormula: it is none of the kinds read here, or longer than `LONGEST`.
    """
    if len(text) > LONGEST:
        raise NoFormula("too long")
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "$" and not text.endswith(r"\$"):
        text = text.strip("$").strip()
    parts = written(text)
    unit = _unit(parts)
    body = cleaned(parts.body)
    if not body:
        raise NoFormula("empty")
    for form in (_words, _matrix, _segment, _based, _related, _separated):
        found = form(body)
        if found is not None:
            return found._replace(unit=unit)
    item = value(body.replace(",", "") if _THOUSANDS.fullmatch(body) else body)
    return Answer("expression" if item.letters or _named(body) else "number", (item,), unit=unit)


def same(a: Answer, b: Answer) -> bool:
    """Whether two answers say the same; in doubt they do, so that no two options are both right.

    A unit that only one of them has is passed over; 50 % is the same as 0.5 and as 50.
    """
    if a.unit and b.unit and a.unit != b.unit and "%" not in (a.unit, b.unit):
        return False
    if a.kind == b.kind == "equation":
        return _same_equation(a, b)
    for one, other in ((a, b), (b, a)):
        if one.kind == "equation" and other.kind != "equation":
            return len(other.items) == 1 and one.shape != "" and equal(one.items[1], other.items[0])
    if {a.kind, b.kind} <= {"number", "expression", "based"}:
        return any(equal(x, y) for x in _readings(a) for y in _readings(b))
    if a.kind != b.kind or a.shape != b.shape or len(a.items) != len(b.items):
        return False
    if a.kind == "list":
        return _same_unordered(a.items, b.items)
    return all(equal(x, y) for x, y in zip(a.items, b.items, strict=True))


def _readings(one: Answer) -> tuple[Value, ...]:
    item = one.items[0]
    if one.unit != "%" or item.rational is None:
        return (item,)
    share = item.rational / 100
    return item, Value((((1, 0, ()), share),) if share else (), complex(share), item.text)


def _same_unordered(left: Sequence[Value], right: Sequence[Value]) -> bool:
    waiting = list(right)
    for item in left:
        found = next((other for other in waiting if equal(item, other)), None)
        if found is None:
            return False
        waiting.remove(found)
    return True


def _same_equation(a: Answer, b: Answer) -> bool:
    (p, q), (r, s) = a.items[:2], b.items[:2]
    if (equal(p, r) and equal(q, s)) or (equal(p, s) and equal(q, r)):
        return True
    if None in (p.number, q.number, r.number, s.number):
        return False
    # both sides brought to one; a common factor does not change an equation
    left, right = a.items[2], b.items[2]
    if left.exact and right.exact:
        first, second = dict(left.exact), dict(right.exact)
        leading = max(first)
        if first.keys() != second.keys():
            return False
        return all(first[at] * second[leading] == second[at] * first[leading] for at in first)
    return False


def _unit(parts: Written) -> str | None:
    if parts.before:
        return "$"
    if not parts.behind:
        return None
    if "circ" in parts.behind or "°" in parts.behind or "degree" in parts.behind:
        return "degree"
    if "%" in parts.behind:
        return "%"
    words = re.sub(_WORD, " ", parts.behind).lower()
    words = " ".join(re.sub(r"\\[,;:! ]|[{}~.^]", " ", words).replace("square ", "2 ").replace("cubic ", "3 ").split())
    tokens = [_SAME_WORDS.get(token, token.rstrip("s")) for token in words.split()]
    return " ".join(sorted(token for token in tokens if token != "unit")) or None


def _words(body: str) -> Answer | None:
    inner = _WHOLE_TEXT.fullmatch(body)
    text = inner[1].strip() if inner else body
    letters = _LETTERS.fullmatch(text)
    if letters:
        return Answer("letters", (), " ".join(sorted(re.findall(r"[A-Z]", re.sub("and", "", text)))))
    if inner is None:
        return Answer("text", (), " ".join(text.lower().split())) if _PLAIN.fullmatch(text) else None
    try:
        return (
            parse(text) if text and not _PLAIN.fullmatch(text) else Answer("text", (), " ".join(text.lower().split()))
        )
    except NoFormula:
        return Answer("text", (), " ".join(text.lower().split()))


def _matrix(body: str) -> Answer | None:
    found = _MATRIX.fullmatch(body)
    if found is None:
        return None
    rows = [row.split("&") for row in found[2].split(r"\\") if row.strip()]
    shape = f"{found[1]} {' '.join(str(len(row)) for row in rows)}"
    return Answer("matrix", tuple(value(cell) for row in rows for cell in row), shape)


def _segment(body: str) -> Answer | None:
    found = _SEGMENT.fullmatch(body)
    if found is None:
        return None
    points = found[2]
    if found[1] in (r"\overline", r"\overleftrightarrow", r"\triangle"):
        points = "".join(sorted(points))
    elif found[1] == r"\angle":
        points = min(points, points[::-1])
    return Answer("segment", (), f"{found[1]} {points}")


def _based(body: str) -> Answer | None:
    found = _BASED.fullmatch(re.sub(r"\s", "", body))
    if found is None or not found[1].lstrip("-")[0].isdigit():
        return None
    base = int(found[2])
    if not 2 <= base <= 36:
        raise NoFormula(body)
    try:
        number = int(found[1], base)
    except ValueError:
        raise NoFormula(body) from None
    return Answer("based", (value(str(number)),), str(base))


def _related(body: str) -> Answer | None:
    sides = body.split("=")
    if len(sides) == 2 and not _RELATION.search(body):
        left, right = (side.strip() for side in sides)
        name = left if re.fullmatch(r"[A-Za-z]{1,3}|[A-Za-z]\([A-Za-z]\)", left) else ""
        return Answer("equation", (value(left), value(right), value(f"({left})-({right})")), name)
    signs = _RELATION.findall(body)
    if not signs or len(sides) > 1:
        return None
    parts = [value(part) for part in _RELATION.split(body)]
    plain = [
        "<=" if sign[:3] == r"\le" or sign == "≤" else ">=" if sign[:3] == r"\ge" or sign == "≥" else sign
        for sign in signs
    ]
    plain = [sign.replace(r"\lt", "<").replace(r"\gt", ">") for sign in plain]
    if all(sign[0] == ">" for sign in plain):
        parts, plain = parts[::-1], [sign.replace(">", "<") for sign in plain[::-1]]
    return Answer("inequality", tuple(parts), " ".join(plain))


def _separated(body: str) -> Answer | None:
    """Points, intervals and their unions, sets and lists, ratios."""
    united = re.split(r"\\cup(?![A-Za-z])|∪", body)
    brackets = [(part.strip()[:1], part.strip()[-1:]) for part in united]
    if all(left in ("(", "[") and right in (")", "]") for left, right in brackets) and all(map(_one_group, united)):
        pairs = [split(part.strip()[1:-1]) for part in united]
        shape = " ".join("".join(pair) for pair in brackets)
        infinite = r"\infty" in body
        if len(united) > 1 or (len(pairs[0]) == 2 and (infinite or shape != "()")):
            if any(len(pair) != 2 for pair in pairs):
                raise NoFormula(body)
            return Answer("interval", tuple(value(item) for pair in pairs for item in pair), shape)
        if shape == "()" and len(pairs[0]) > 1:
            return Answer("tuple", tuple(map(value, pairs[0])), shape)
    listed = re.sub(rf"{_WORD}\s*\{{\s*(?:or|and)\s*\}}|\b(?:or|and)\b", ",", body)
    inner = re.fullmatch(r"\\\{(.*)\\\}", listed, re.DOTALL)
    items = [item for item in split(inner[1] if inner else listed) if item]
    if inner or (len(items) > 1 and not _THOUSANDS.fullmatch(body)):
        return Answer("list", tuple(map(value, items)))
    parts = body.split(":")
    if len(parts) > 1:
        terms = [value(part) for part in parts]
        last = terms[-1].rational
        if last is None or not last or any(term.rational is None for term in terms):
            return Answer("ratio", tuple(terms))
        return Answer("ratio", tuple(value(_fraction((term.rational or Fraction(0)) / last)) for term in terms))
    return None


def _fraction(number: Fraction) -> str:
    return f"({number.numerator})/({number.denominator})"


def _one_group(part: str) -> bool:
    depth = 0
    part = part.strip()
    for at, character in enumerate(part):
        depth += (character in "([") - (character in ")]")
        if depth == 0 and at < len(part) - 1:
            return False
    return depth == 0


def split(text: str) -> list[str]:
    """A list's items: the text at its outermost commas."""
    items, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            items.append(text[start:at].strip())
            start = at + 1
    return [*items, text[start:].strip()]


def _named(body: str) -> bool:
    """Whether a formula has letters of its own, of which the exact value may know nothing."""
    return bool(re.search(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+|(?<![A-Za-z])i(?![A-Za-z])", "", body)))
