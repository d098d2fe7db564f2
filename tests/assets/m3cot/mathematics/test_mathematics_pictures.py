import pytest

from assets.images import decode
from assets.m3cot.mathematics import asymptote
from assets.m3cot.mathematics.pictures import drawn, executable
from assets.schema.sample import Sample


def problem(number: int, question: str) -> Sample:
    return Sample(f"math-{number}", "m3cot", "math", str(number), "generated", topic="algebra", question=question)


PROBLEMS = [
    problem(1, "What is $\\frac{1}{2}+\\frac{1}{3}$?"),
    problem(2, "How many are there?"),
    problem(3, "Find $x$ in [asy]draw((0,0)--(1,1));[/asy] where $x^2=2$."),
    problem(4, "Is $\\overarc{AB}$ the longer one of $x$ and $y+2$?"),
]


def rows(problems=PROBLEMS, **options):
    options = {"most_per_topic": None, "executable": None, "seconds": 20.0} | options
    return list(drawn(problems, **options))


def test_every_problem_is_a_row_and_says_why_it_has_no_picture() -> None:
    found = rows()
    assert [row.file for row in found] == ["math-1", "math-2", "math-3", "math-4"]
    assert [row.dropped for row in found] == [None, "no_formula_or_figure", "no_renderer", "unsupported_formula"]
    assert [row.png is None for row in found] == [False, True, True, True]


def test_a_card_is_black_on_white() -> None:
    picture = decode(rows()[0].png)
    assert picture.mode in ("RGB", "L")
    low, high = picture.convert("L").getextrema()
    assert low < 60
    assert high == 255


def test_a_quota_leaves_out_the_rest_visibly() -> None:
    several = [problem(number, f"What is $\\frac{{1}}{{{number}}}+1$?") for number in range(2, 8)]
    reasons = [row.dropped for row in rows(several, most_per_topic=2)]
    assert reasons.count(None) == 2
    assert reasons.count("over_quota") == 4


def test_the_same_problems_give_the_same_bytes() -> None:
    assert rows() == rows()


def test_progress_is_told() -> None:
    seen = []
    rows(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_none_draws_no_figure_even_where_asymptote_is() -> None:
    assert executable("none") is None


@pytest.mark.skipif(asymptote.available() is None, reason="Asymptote is not installed")
def test_a_figure_is_drawn_where_asymptote_is() -> None:
    row = rows([PROBLEMS[2]], executable=executable("asymptote"))[0]
    assert row.dropped is None
