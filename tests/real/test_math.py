"""The slice of MATH: every problem read, every answer of a known kind, four options by rule for each."""

import ast
import difflib
import itertools
import json
import math
import operator
import re
from collections import Counter
from pathlib import Path

import pytest

from assets.m3cot.mathematics.boxed import answer, parse
from assets.m3cot.mathematics.notation import shown
from assets.m3cot.mathematics.options import Options, checked, is_letter, requests, rule
from assets.m3cot.mathematics.samples import has_formula, mathematics, needs_figure, selected
from assets.samples import to_table
from assets.sources.math_problems import samples
from assets.writer import Rules

ROOT = Path(__file__).resolve().parents[2]
MATH = ROOT.parent / "shared" / "data" / "math"

pytestmark = pytest.mark.skipif(not MATH.is_dir(), reason="the slice of MATH is not here")


KINDS = {
    "number": 1177,
    "tuple": 36,
    "letters": 17,
    "expression": 14,
    "text": 7,
    "matrix": 7,
    "list": 6,
    "equation": 4,
    "based": 3,
    "ratio": 2,
    "segment": 1,
}


@pytest.fixture(scope="module")
def problems():
    return list(samples(MATH, provenance="released"))


@pytest.fixture(scope="module")
def asked(problems):
    return [row for row in problems if not is_letter(answer(row.text) or "")]


@pytest.fixture(scope="module")
def replies(problems):
    return list(Rules({"options": rule}).write(requests(problems)))


def test_the_1274_problems_are_read_and_none_is_lost(problems):
    assert len(problems) == len({row.id for row in problems}) == 1274
    assert {row.dropped for row in problems} == {None}
    assert Counter(row.topic for row in problems) == {"geometry": 782, "algebra": 431, "theory": 61}
    assert sum(needs_figure(row) for row in problems if row.topic == "geometry") == 328
    assert {"math-train-geometry-377", "math-train-geometry-471"} <= {row.id for row in problems}


def test_every_solution_has_a_boxed_answer_of_a_known_kind(problems):
    kinds = Counter(parse(answer(row.text) or "").kind for row in problems)
    assert kinds == KINDS


def test_every_problem_whose_answer_is_no_letter_gets_four_options_by_rule(asked, replies):
    assert Counter(reply.status for reply in replies) == {"ok": 1259}
    found = [checked(row, reply.text) for row, reply in zip(asked, replies, strict=True)]
    assert Counter(one for one in found if isinstance(one, str)) == {}


def test_no_two_options_are_equal_by_another_reckoning(asked, replies):
    reckoned = 0
    for row, reply in zip(asked, replies, strict=True):
        four = checked(row, reply.text)
        assert isinstance(four, Options)
        values = [reckon(option) for option in four.options]
        plain = {re.sub(r"\s", "", option) for option in four.options}
        assert len(plain) == 4, four
        if None in values:
            continue
        reckoned += 1
        for one, other in itertools.combinations(values, 2):
            assert not math.isclose(one, other, rel_tol=1e-9), four
        assert math.isclose(values[four.right], reckon(answer(row.text) or ""), rel_tol=1e-9)
    assert reckoned > 1100


def test_the_option_most_like_the_others_is_seldom_the_right_one(replies):
    hits = 0.0
    for reply in replies:
        four = [shown(option) for option in json.loads(reply.text)["options"]]
        sums = [
            round(sum(difflib.SequenceMatcher(None, one, other).ratio() for other in four if other != one), 9)
            for one in four
        ]
        hits += (sums[0] == max(sums)) / sums.count(max(sums))
    assert hits / len(replies) <= 0.33


def test_the_same_problems_give_the_same_table(problems, replies):
    drawn = {row.id: "0" * 64 for row in problems}
    rows = list(selected(problems, 100, figures_only=True))
    once = mathematics(rows, replies, drawn, {}, writer="rules")
    again = mathematics(rows, replies[::-1], dict(reversed(drawn.items())), {}, writer="rules")
    assert to_table(once).equals(to_table(again))
    assert not any("[asy]" in f"{row.question}{row.text}" or "boxed" in row.text for row in once if not row.dropped)
    built = mathematics(problems, replies, drawn, {}, writer="rules")
    assert Counter(row.dropped for row in built) == {None: 1259, "answer_is_a_letter": 15}
    letters = Counter(row.answer for row in built if row.dropped is None)
    assert min(letters.values()) > 270


def test_970_problems_have_something_to_draw(problems):
    drawable = [row for row in problems if needs_figure(row) or has_formula(row)]
    assert len(drawable) == 970


OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def reckon(option):
    """The option's number by another way: its LaTeX made a line of Python's arithmetic; None where that fails."""
    if "{ or }" in option:
        return None
    text = re.sub(r"\\(?:left|right|text|mbox)\s*(?:\{[^}]*\})?(?:\^\{?\d\}?)?", "", option)
    text = re.sub(r"\^\s*\{?\\circ\}?|\\[%$]|\\[,;: ]", "", re.sub(r",\\!|\{,\}", "", text))
    text = re.sub(r"\\[dt]frac", r"\\frac", text)
    text = re.sub(r"(?<=\d)\s*(?=\\frac\s*\{?\d+\}?\s*\{?\d+\}?$)", "+", text)
    text = re.sub(r"\\frac\s*(\d|\\pi)\s*", r"\\frac{\1}", text)
    text = re.sub(r"\\frac\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s*(\d+)", r"\\frac{\1}{\2}", text)
    text = re.sub(r"\\sqrt\s*(\d)", r"\\sqrt{\1}", text).replace(r"\pi", f"({math.pi!r})")
    for _ in range(3):
        text = re.sub(r"\\sqrt\{([^{}]*)\}", r"((\1)**0.5)", text)
        text = re.sub(r"\\frac\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))", text)
    text = re.sub(r"(?<=[\d)])\s*(?=\()", "*", text)
    if not re.fullmatch(r"[\d.+*/() -]+", text):
        return None
    try:
        return number(ast.parse(text.strip().replace("(-(", "(-1*("), mode="eval").body)
    except (SyntaxError, TypeError, KeyError, ZeroDivisionError):
        return None


def number(node):
    if isinstance(node, ast.Constant):
        return float(node.value)
    if isinstance(node, ast.UnaryOp):
        return -number(node.operand) if isinstance(node.op, ast.USub) else number(node.operand)
    return OPERATIONS[type(node.op)](number(node.left), number(node.right))
