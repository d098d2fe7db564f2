"""Boxed answers: where the box is, what is in it, and what says the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.m3cot.mathematics.boxed import LONGEST, answer, parse, same, unboxed, written
from assets.m3cot.mathematics.latex_tree import NoFormula


@pytest.mark.parametrize(
    ("solution", "content"),
    [
        (r"First $\boxed{1}$, then $\boxed{2}$.", "2"),
        (r"$\boxed{\frac{1}{2}}$", r"\frac{1}{2}"),
        (r"$\boxed{\{1, 2\}}$", r"\{1, 2\}"),
        (r"$\boxed 2$ units", "2"),
        (r"$\boxed\pi$", r"\pi"),
        (r"$\fbox{C}$", "C"),
        (r"$\boxed{ 7 }$", "7"),
        (r"$\boxed{3}$ and an open $\boxed{4", "3"),
        (r"$\boxed{}$", None),
        (r"no \boxeddot{1}", None),
        ("nothing", None),
        (r"\boxed", None),
    ],
)
def test_the_answer_is_what_is_in_the_last_box(solution, content):
    assert answer(solution) == content


def test_a_thousand_boxes_that_never_close_are_given_up():
    assert answer(r"\boxed{" * 50_000) is None


def test_boxes_are_replaced_by_what_is_in_them():
    assert unboxed(r"So $x = \boxed{\frac{1}{2}}$, or $\boxed 3$.") == r"So $x = \frac{1}{2}$, or $3$."


KINDS = [
    ("12", "number", None),
    ("-3.5", "number", None),
    (".79", "number", None),
    (r"85,\!184", "number", None),
    ("1,000", "number", None),
    (r"\frac12", "number", None),
    ("3/4", "number", None),
    (r"6 \frac{3}{4}", "number", None),
    (r"4\sqrt{2} + 4", "number", None),
    (r"\frac{1033}{4}+30\sqrt{3}", "number", None),
    (r"12\pi", "number", None),
    (r"8+4i", "number", None),
    (r"\cos(6^\circ)\sin(12^\circ)", "number", None),
    (r"2^{2008} - 2", "number", None),
    (r"7.2\%", "number", "%"),
    (r"\$675", "number", "$"),
    (r"30^\circ.", "number", "degree"),
    (r"69\text{ degrees}", "number", "degree"),
    (r"25 \, \text{km}", "number", "km"),
    (r"864 \mbox{ inches}^2", "number", "2 inch"),
    (r"8\sqrt{3} \text { square inches}", "number", "2 inch"),
    ("5 inches", "number", "inch"),
    (r"18\text{ units}", "number", None),
    (r"x^2-10x+41", "expression", None),
    (r"3 - 2f(x)", "expression", None),
    ("a", "expression", None),
    (r"\text{E}", "letters", None),
    ("(C)", "letters", None),
    (r"\text{A,D}", "letters", None),
    (r"\text{odd}", "text", None),
    ("Wednesday", "text", None),
    (r"\text{13}", "number", None),
    ("(2,4)", "tuple", None),
    (r"\left( 8 \sqrt{2}, \frac{\pi}{4}, \frac{\pi}{6} \right)", "tuple", None),
    ("[0,2)", "interval", None),
    (r"(-\infty, 3]", "interval", None),
    (r"(-\infty, -1) \cup (2, \infty)", "interval", None),
    (r"\{1,2\}", "list", None),
    (r"-2 \text{ or } -12", "list", None),
    ("7,9,12,13", "list", None),
    ("3:1", "ratio", None),
    (r"4210_{7}", "based", None),
    ("x^2 + y^2 = 13", "equation", None),
    (r"x \le 3", "inequality", None),
    (r"\begin{pmatrix} 7 & 1 \\ -1 & -3 \end{pmatrix}", "matrix", None),
    (r"\overline{CD}", "segment", None),
]


@pytest.mark.parametrize(("text", "kind", "unit"), KINDS, ids=[text for text, _, _ in KINDS])
def test_an_answer_has_a_kind_and_a_unit(text, kind, unit):
    found = parse(text)
    assert (found.kind, found.unit) == (kind, unit)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("0.5", r"\frac{1}{2}"),
        ("1/2", r"\frac12"),
        (r"\frac{2}{4}", r"\tfrac{1}{2}"),
        (r"50\%", r"\frac{1}{2}"),
        (r"50\%", "50"),
        (r"6\frac34", "6.75"),
        ("1,000", r"1{,}000"),
        (r"\sqrt{8}", r"2\sqrt{2}"),
        (r"\frac{1}{\sqrt{2}}", r"\frac{\sqrt{2}}{2}"),
        (r"\frac{1}{1+\sqrt{2}}", r"\sqrt2-1"),
        (r"\sqrt{3+2\sqrt{2}}", r"1+\sqrt{2}"),
        (r"\sqrt{6}\sqrt{10}", r"2\sqrt{15}"),
        (r"\sqrt[3]{-8}", "-2"),
        (r"8^{1/3}", "2"),
        (r"\sqrt{-4}", "2i"),
        (r"\frac{1}{i}", "-i"),
        (r"\frac{3}{4}\pi", r"\frac{3\pi}{4}"),
        (r"\tan 15^\circ", r"2-\sqrt{3}"),
        (r"\tan 15^\circ", r"\cot 75^\circ"),
        (r"\binom{5}{2}", "10"),
        ("4!", "24"),
        ("(w-2)(w+2)(w^2+4)", "w^4-16"),
        (r"\frac{x^2-1}{x-1}", "x+1"),
        ("3-2f(x)", "-2f(x)+3"),
        (r"5\text{ inches}", "5"),
        (r"60^\circ", r"60\text{ degrees}"),
        (r"\{1,2\}", r"\{2, 1\}"),
        (r"\sqrt{2}, -\sqrt{2}", r"-\sqrt{2}, \sqrt{2}"),
        (r"(\frac24, 1)", "(0.5, 1)"),
        ("3:1", "6:2"),
        ("10_2", "2"),
        ("x=2", "2"),
        ("x + y = 2", "2x + 2y = 4"),
        (r"x > 3", "3 < x"),
        (r"\overline{CD}", r"\overline{DC}"),
        (r"\text{A,D}", r"\text{D,A}"),
        ("2^{2008}-2", "2(2^{2007}-1)"),
    ],
)
def test_answers_that_say_the_same_are_the_same(a, b):
    assert same(parse(a), parse(b)) and same(parse(b), parse(a))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1", "2"),
        (r"\frac13", "0.333"),
        (r"\sqrt{2}", "1.414213562373095"),
        ("2^{2008}-2", "2^{2008}-1"),
        (r"3\text{ cm}", r"3\text{ cm}^2"),
        (r"5\text{ inches}", r"5\text{ feet}"),
        ("[0,2)", "(0,2)"),
        ("(1,2)", "(2,1)"),
        (r"\{1,2\}", r"\{1,2,2\}"),
        ("(1,2)", r"\{1,2\}"),
        ("x^2", "2x"),
        ("x^2 + y^2 = 13", "x^2 - y^2 = 13"),
        (r"x \le 3", "x < 3"),
        ("f(x)", "f(y)"),
        (r"\text{odd}", r"\text{even}"),
        (r"\overrightarrow{CD}", r"\overrightarrow{DC}"),
    ],
)
def test_answers_that_differ_are_not_the_same(a, b):
    assert not same(parse(a), parse(b)) and not same(parse(b), parse(a))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "x" * (LONGEST + 1),
        r"\frac{1}",
        "(1",
        r"\sqrt",
        "{" * 200,
        "!" * 90,
        "1+" * 140,
        "9_8_7",
        r"\frac" * 50,
    ],
    ids=["empty", "blank", "long", "half", "open", "bare", "deep", "bang", "plus", "bases", "fracs"],
)
def test_what_is_no_answer_is_refused(text):
    with pytest.raises(NoFormula):
        parse(text)


def test_an_answer_is_parted_from_its_notation():
    assert written(r"\$675") == (r"\$", "675", "")
    assert written(r"864 \mbox{ inches}^2") == ("", "864", r" \mbox{ inches}^2")
    assert written(r"50^{\circ}") == ("", "50", r"^{\circ}")
    assert written(r"-2 \text{ or } -12") == ("", r"-2 \text{ or } -12", "")


@given(st.text(alphabet=r"0123456789+-*/^_=<>()[]{}\,.:!|%$ xifπ°fracsqrtpiextcup", max_size=60))
def test_any_text_is_an_answer_or_is_refused(text):
    try:
        found = parse(text)
    except NoFormula:
        return
    assert same(found, found) or found.items == ()


@given(st.integers(-999, 999), st.integers(1, 99), st.integers(1, 9))
def test_a_fraction_and_its_multiple_are_the_same(above, below, factor):
    a = parse(rf"\frac{{{above}}}{{{below}}}")
    assert same(a, parse(rf"\frac{{{factor * above}}}{{{factor * below}}}"))
    assert not same(a, parse(rf"\frac{{{above + 1}}}{{{below}}}"))
