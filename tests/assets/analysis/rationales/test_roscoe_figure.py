"""The map of ROSCOE's means shows each evaluation with its n, and says why where there is nothing."""

from assets.analysis import figures
from assets.analysis.rationales import roscoe, roscoe_figure
from assets.analysis.rationales.chains import Reasoned
from tests.assets.analysis.rationales.vectors import Given, chain


def test_a_mean_is_over_the_replies_that_have_the_score() -> None:
    rows = [
        {"evaluation": "a", "faithfulness": 0.2},
        {"evaluation": "a", "faithfulness": None},
        {"evaluation": "a", "faithfulness": 0.4},
        {"evaluation": "b", "faithfulness": None},
    ]

    (a,), (b,) = roscoe_figure.means(rows, ["a", "b"], ["faithfulness"])
    assert a == 0.30000000000000004 and b is None


def test_the_map_shows_evaluations_with_their_n_the_mode_and_only_scores_that_are_there() -> None:
    replies = [
        Reasoned("one_cot", "s1", chain("0", "10, 30"), True),
        Reasoned("one_cot", "s2", chain("0", ""), True),
        Reasoned("two_cot", "s1", chain("0", "10"), True),
    ]
    figure = roscoe_figure.draw(roscoe.rows(replies, Given()))
    axes = figure.axes[0]

    assert [label.get_text() for label in axes.get_yticklabels()] == ["one_cot  (n=1)", "two_cot  (n=1)"]
    assert axes.get_title() == "ROSCOE by evaluation, mode sane"
    scores = [label.get_text() for label in axes.get_xticklabels()]
    assert "faithfulness ww" in scores and "redundancy" not in scores
    assert len(axes.texts) == 2 * len(scores) - 2
    assert len(figures.png(figure)) < 200_000


def test_with_nothing_scored_the_figure_says_why() -> None:
    for rows in ([], roscoe.rows([Reasoned("a", "s", chain("0", ""), True)], Given())):
        figure = roscoe_figure.draw(rows)
        assert [text.get_text() for text in figure.axes[0].texts] == [
            "no rationale to score: none of the sampled replies has a step"
        ]
