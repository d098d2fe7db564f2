import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from assets.m3cot.mathematics import cards
from assets.m3cot.mathematics.cards import Figure, Formula, Text, card, html, parts
from assets.m3cot.mathematics.formulas import Unsupported


def ink(picture: Image.Image) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what is not white."""
    dark = np.asarray(picture.convert("L")) < 250
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]), int(rows[-1])


def reason(problem: str, figures: int = 0) -> str:
    with pytest.raises(Unsupported) as caught:
        card(problem, [Image.new("RGB", (40, 30))] * figures)
    assert caught.value.reason in cards.REASONS
    return caught.value.reason


def test_a_problem_splits_into_text_formulas_and_figures() -> None:
    assert parts(r"If $x=2$, see \[y\] and [asy]draw((0,0)--(1,1));[/asy] end \$5 $$z$$") == [
        Text("If "),
        Formula("x=2", False),
        Text(", see "),
        Formula("y", True),
        Text(" and "),
        Figure(0, "draw((0,0)--(1,1));"),
        Text(r" end \$5 "),
        Formula("z", True),
    ]


def test_an_environment_is_one_displayed_formula() -> None:
    assert parts("\\begin{align*}x&=1\\end{align*}") == [Formula("\\begin{align*}x&=1\\end{align*}", True)]


def test_a_dollar_inside_braces_does_not_end_a_formula() -> None:
    assert parts(r"$\text{if $x$}$!") == [Formula(r"\text{if $x$}", False), Text("!")]


def test_a_dollar_inside_a_figure_is_the_figures() -> None:
    assert parts('[asy]label("$A$",(0,0));[/asy]') == [Figure(0, 'label("$A$",(0,0));')]


def test_a_card_is_black_on_white_640_wide_and_inside_its_margins() -> None:
    picture = card("The value of $x$ is " + "rather long " * 30 + r"\[\frac12\]", [])
    assert (picture.mode, picture.width) == ("RGB", 640)
    left, top, right, bottom = ink(picture)
    assert left >= 22
    assert right <= 640 - 20
    assert top >= 20
    assert bottom <= picture.height - 20
    pixels = np.asarray(picture)
    assert (pixels[..., 0] == pixels[..., 1]).all()


def test_the_same_problem_gives_the_same_pixels() -> None:
    problem = r"Find $\sqrt{x^2}$ when $x=-3$."
    assert card(problem, []).tobytes() == card(problem, []).tobytes()


def test_a_figure_stands_between_the_text_before_and_after_it() -> None:
    red = Image.new("RGB", (200, 100), (255, 0, 0))
    pixels = np.asarray(card("Before [asy]a[/asy] after", [red]))
    is_red = (pixels[..., 0] > 200) & (pixels[..., 1] < 60)
    rows = np.flatnonzero(is_red.any(axis=1))
    dark = pixels.max(axis=2) < 100
    assert rows[-1] - rows[0] + 1 == 55
    assert dark[: rows[0]].any()
    assert dark[rows[-1] + 1 :].any()


def test_two_figures_stand_in_a_row() -> None:
    red, blue = Image.new("RGB", (200, 100), (255, 0, 0)), Image.new("RGB", (200, 100), (0, 0, 255))
    pixels = np.asarray(card("[asy]a[/asy]\n\n[asy]b[/asy]", [red, blue])).astype(int)
    is_red = pixels[..., 0] - pixels[..., 2] > 200
    is_blue = pixels[..., 2] - pixels[..., 0] > 200
    assert np.flatnonzero(is_red.any(axis=1)).tolist() == np.flatnonzero(is_blue.any(axis=1)).tolist()


def test_a_large_figure_is_made_to_fit() -> None:
    picture = card("[asy]a[/asy]", [Image.new("RGB", (5000, 5000), (0, 0, 0))])
    left, top, right, bottom = ink(picture)
    assert right - left + 1 == bottom - top + 1 == 480


def test_a_formula_stays_on_the_line_of_what_follows_without_a_space() -> None:
    page = html("word " * 13 + "$x+y+z$.", [])
    formula, stop = page.rindex("<svg"), page.rindex(">.</span>")
    above, below = page[formula:].split("left:", 1)[1], page[page.rindex("left:", 0, stop) :]
    assert float(above.split("px")[0]) < float(below.removeprefix("left:").split("px")[0])


def test_hostile_text_is_shown_as_text() -> None:
    page = html("<script>alert(1)</script> <img src=x> 'quote\" &amp; {left} $x$".replace("&", r"\&"), [])
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


def test_tex_quotes_and_faces_are_set() -> None:
    page = html(r"``a'' \textbf{bold \emph{both}} plain \$5", [])
    assert "“a”" in page
    assert "class='b'" in page
    assert "class='b i'" in page
    assert "$5" in page or ">$</span>" in page


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        ("a $x", "unsupported_formula"),
        (r"$a\not=b$", "unsupported_formula"),
        (r"\begin{tabular}{c}1\end{tabular}", "unsupported_text"),
        (r"\input{/etc/passwd}", "unsupported_text"),
        ("a & b", "unsupported_text"),
        ("in 中文", "unsupported_text"),
        ("w" * 300, "unsupported_text"),
        ("word " * 2000, "unsupported_text"),
        (r"a \\ " * 800, "card_too_tall"),
        ("[asy]a[/asy]", "figure_missing"),
        (r"\[" + "x+" * 60 + r"x\]", "unsupported_formula"),
    ],
    ids=["dollar", "not", "tabular", "input", "ampersand", "cjk", "word", "long", "tall", "figure", "wide"],
)
def test_what_cannot_be_shown_rightly_is_refused(problem: str, expected: str) -> None:
    assert reason(problem) == expected


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(alphabet=st.sampled_from("ab $\\{}[]()&<>%_^~\n\"'"), max_size=40))
def test_any_text_gives_a_card_or_a_reason(problem: str) -> None:
    try:
        assert card(problem, []).width == 640
    except Unsupported as refused:
        assert refused.reason in cards.REASONS
