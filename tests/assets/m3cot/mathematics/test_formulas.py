import re

import pytest

from assets.m3cot.mathematics import formulas
from assets.m3cot.mathematics.formulas import Unsupported, drawn, normalised, svg

WRONG = {
    "mathop": r"\mathop{\text{lcm}}[k,\ell]",
    "not": r"a \not= b",
    "overarc": r"\overarc{AB}",
    "array_rule": r"\begin{array}{c|c} 1 & 2 \end{array}",
    "hline": r"\begin{array}{cc} 1 & 2 \\ \hline 3 & 4 \end{array}",
    "cline": r"\begin{array}{cc} 1 & 2 \\ \cline{1-2} 3 & 4 \end{array}",
    "unknown_command": r"\foo{x}",
    "file": r"\input{/etc/passwd}",
    "address": r"\href{http://example.org}{x}",
    "definition": r"\newcommand{\x}{\x\x}\x",
    "unclosed": r"\frac{1}{2",
    "half_a_pair": r"\left( x",
    "nothing": "",
    "only_a_comment": "% x",
    "dollar": "a$b",
    "markup_in_text": r"\text{<script>}",
    "entity": "a&lt;b",
    "deep": "{" * 40 + "x" + "}" * 40,
    "long": "x+" * 2000 + "x",
}


@pytest.mark.parametrize("latex", WRONG.values(), ids=WRONG.keys())
def test_what_would_be_drawn_wrong_is_refused(latex: str) -> None:
    with pytest.raises(Unsupported) as caught:
        svg(latex, 20)
    assert caught.value.reason == "unsupported_formula"
    assert caught.value.reason in formulas.REASONS
    assert len(caught.value.detail) <= 120


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\mbox{cm}", r"\text{cm}"),
        (r"\emph{lune}", r"\textit{lune}"),
        (r"{\cal S}", r"\mathcal{S}"),
        (r"\bold{v}", r"\mathbf{v}"),
        (r"|a||b|", r"|a| |b|"),
        (r"\text{if $x$ is odd}", r"\text{if }x\text{ is odd}"),
        (r"\binom{\frac{1}{2}}{3}", r"\left( {\frac{1}{2}} \atop {3} \right)"),
        (r"\binom nk", r"\left( {n} \atop {k} \right)"),
        (r"(3,-2)", r"(3,{-}2)"),
        (r"\text{(-2)}", r"\text{(-2)}"),
        (r"a-2", r"a-2"),
        (r"1,000,000", r"1{,}000{,}000"),
        (r"(1,2)", r"(1,2)"),
        (r"2\times3", r"2\:\times\:3"),
        (r"\begin{align}x&=1\end{align}", r"\begin{align*}x&=1\end{align*}"),
        (r"\begin{equation}x\end{equation}", "x"),
        (r"\begin{gather*}x\\y\end{gather*}", r"\begin{array}{c}x\\y\end{array}"),
        (r"a\\[2pt]b", r"a\\b"),
    ],
)
def test_commands_are_rewritten_to_those_drawn_right(latex: str, expected: str) -> None:
    assert normalised(latex) == expected


def test_a_picture_holds_outlines_and_no_text_font_or_address() -> None:
    picture = svg(r"\frac{1}{2}x^2", 20)
    assert picture.startswith("<svg ")
    assert "<text" not in picture
    assert "href" not in re.sub(r'href="#[^"]+"', "", picture)


def test_the_same_formula_gives_the_same_bytes() -> None:
    first = svg(r"\sqrt{b^2-4ac}", 20)
    drawn.cache_clear()
    assert svg(r"\sqrt{b^2-4ac}", 20) == first


def test_a_fraction_stands_about_the_baseline_and_is_taller_when_displayed() -> None:
    inline, display = drawn(r"\frac{1}{2}", 20), drawn(r"\frac{1}{2}", 20, True)
    assert inline.descent > 5
    assert inline.ascent > inline.descent
    assert display.ascent + display.descent > inline.ascent + inline.descent


def test_a_letter_is_as_wide_as_it_is_scaled() -> None:
    small, large = drawn("x", 10), drawn("x", 20)
    # one pixel of margin on either side
    assert large.width - 2 == pytest.approx(2 * (small.width - 2), rel=0.02)
