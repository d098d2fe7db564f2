"""ROSCOE held against people: Somers' D by an own count of pairs, its direction, and why there is none."""

from itertools import combinations, permutations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.analysis import figures
from assets.analysis.quality import judged_figure
from assets.analysis.quality.judged import best, judged, judged_scores, somers
from assets.schema.tables import as_table
from expectations.analysis_rationales import SUITES
from expectations.validation import validate

WITHOUT = ("grammar_step",)


def chain(dataset, overall, reference=None, **columns):
    judged_as = {"overall": overall, "coherency": 3.0, "missing_steps": overall < 3, "contradiction": None}
    row = {"dataset": dataset, "chain_id": "1", "context": "Ada sits. Who sits?", "reference": reference}
    row |= {"steps": ["She sits.", "A: Ada"], **judged_as, "provenance": "test", "dropped": None, "quarantined": None}
    return row | columns


def compared(chains, values, score="faithfulness", **columns):
    scores = {"sane": [{score: value} for value in values]}
    rows = judged_scores(
        judged(as_table("judged_chain", chains)), scores, sentence_model="small", without_model=WITHOUT
    )
    return [row for row in rows if row["score"] == score and all(row[name] == v for name, v in columns.items())]


def pairwise(pairs):
    """Somers' D of the second given the first, pair by pair."""
    differ = alike = other = 0
    for (x, y), (u, v) in combinations(pairs, 2):
        if x != u:
            differ += 1
            alike += (x - u) * (y - v) > 0
            other += (x - u) * (y - v) < 0
    return (alike - other) / differ


def test_d_is_one_when_scores_follow_the_judgements_and_ties_of_judgements_do_not_count():
    assert somers([(1, 0.1), (1, 0.2), (5, 0.8), (5, 0.9)]).d == 1.0
    assert somers([(1, 0.9), (5, 0.1), (5, 0.2)]).d == -1.0
    # of the four pairs that were judged differently three are ordered alike, and one is tied in the score
    assert somers([(1, 0.1), (1, 0.5), (5, 0.5), (5, 0.9)]).d == 0.75


def test_a_perfect_order_is_never_less_likely_by_chance_than_one_fault_in_it():
    """The asymptotic error of D itself gave 6e-15 for one fault in 22 chains, and 6e-6 for none."""
    judged = [1.0] * 4 + [5.0] * 18
    perfect = [(one, n / 100) for n, one in enumerate(judged)]
    faulty = [*perfect[:3], (5.0, perfect[3][1]), (1.0, perfect[4][1]), *perfect[5:]]
    assert somers(perfect).d == 1.0
    assert somers(faulty).d == pytest.approx(1 - 2 / 72, abs=5e-5)
    assert somers(perfect).p <= somers(faulty).p
    assert somers(perfect).p == pytest.approx(2 / comb(22, 4), abs=0.003)


def test_the_p_value_is_never_below_the_share_of_orders_that_agree_as_fully():
    # two of the six ways to give four chains two judgements of each kind, and of the two ways to order two chains both
    assert somers([(1, 0.1), (1, 0.2), (5, 0.8), (5, 0.9)]).p == 0.3333
    assert somers([(1, 0.1), (5, 0.8)]).p == 1.0
    assert somers([(1, 0.5), (5, 0.5), (1, 0.2), (5, 0.2)]).p == 1.0


def test_the_p_value_is_near_that_of_all_orders_of_the_judgements():
    judged, scores = [1, 1, 2, 4, 5, 5, 5], [0.2, 0.1, 0.5, 0.3, 0.4, 0.9, 0.8]
    d = abs(pairwise(list(zip(judged, scores, strict=True))))
    orders = [abs(pairwise(list(zip(order, scores, strict=True)))) >= d - 1e-9 for order in permutations(judged)]
    assert somers(list(zip(judged, scores, strict=True))).p == pytest.approx(sum(orders) / len(orders), abs=0.02)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 6)), min_size=2, max_size=25))
def test_d_equals_the_count_over_all_pairs(pairs):
    found = somers([(float(x), y / 10) for x, y in pairs])
    if len({x for x, _ in pairs}) < 2 or len({y for _, y in pairs}) < 2:
        assert (found.d, found.p, found.why) == (None, None, "constant")
    else:
        assert found.d == pytest.approx(pairwise(pairs), abs=5e-5)
        assert 0 <= found.p <= 1


def test_more_agreement_over_more_chains_is_less_likely_chance():
    few, many = ([(n % 5 + 1, n % 5 + (n % 3) / 10) for n in range(number)] for number in (10, 100))
    assert somers(many).p <= somers(few).p < 0.05


def test_yes_is_bad_for_missing_steps_and_contradiction():
    chains = [chain("drop", 1.0), chain("drop", 2.0), chain("drop", 4.0), chain("drop", 5.0)]
    rows = compared(chains, [0.1, 0.2, 0.8, 0.9], dataset="drop")
    d = {row["question"]: row["somers_d"] for row in rows}
    assert (d["overall"], d["missing_steps"]) == (1.0, 1.0)


def test_datasets_stand_apart_and_together_and_each_gap_says_why():
    chains = [chain("drop", 1.0), chain("drop", 5.0), chain("gsm8k", 2.0, "1 + 1 = 2"), chain("gsm8k", 4.0)]
    rows = compared(chains, [0.5, 0.6, 0.9, None], question="overall")
    assert [(row["dataset"], row["n"], row["undefined"], row["somers_d"], row["why"]) for row in rows] == [
        ("drop", 2, 0, 1.0, None),
        ("gsm8k", 1, 1, None, "constant"),
        ("total", 3, 1, 0.3333, None),
    ]
    assert {row["why"] for row in compared(chains, [0.5, 0.6, 0.9, 0.1], question="coherency")} == {"constant"}
    assert {row["why"] for row in compared(chains, [0.5, 0.6, 0.9, 0.1], question="contradiction")} == {"undefined"}
    needs = compared(chains, [None] * 4, "reasoning_alignment", question="overall")
    assert [row["why"] for row in needs] == ["no reference", "undefined", "undefined"]
    assert {row["why"] for row in compared(chains, [None] * 4, "grammar_step")} == {"no model"}
    assert {row["why"] for row in compared([], [])} == {"no chain"}


def test_scores_that_differ_by_less_than_float32_tells_are_ties():
    chains = [chain("drop", 1.0), chain("drop", 5.0), chain("drop", 3.0)]
    (row,) = compared(chains, [0.50001, 0.5, 0.7], dataset="drop", question="overall")
    # of the three pairs: one tied, one alike, one the other way
    assert row["somers_d"] == 0.0
    assert row["p"] == 1.0


def test_chains_are_split_as_roscoe_does_and_dropped_ones_left_out():
    rows = [
        chain("gsm8k", 5.0, "2 + 2 = 4. So it is.\nA: 4\n"),
        chain("gsm8k", 5.0, dropped="bad_label", steps=None, context=None),
        chain("gsm8k", 1.0, steps=[]),
    ]
    first, empty = judged(as_table("judged_chain", rows))
    assert first.chain.context == ("Ada sits.", "Who sits?")
    assert first.chain.steps == ("She sits.", "A: Ada")
    assert first.chain.reference == ("2 + 2 = 4. So it is.", "A: 4")
    assert (empty.chain.steps, empty.chain.reference) == ((), None)
    assert first.said == {"overall": 5.0, "coherency": 3.0, "missing_steps": 1.0, "contradiction": None}


def table(chains, values):
    scores = {"sane": [{"faithfulness": value} for value in values]}
    return judged_scores(judged(as_table("judged_chain", chains)), scores, sentence_model="small")


def test_the_suite_holds_of_what_is_compared():
    chains = [chain("drop", 1.0), chain("drop", 5.0), chain("gsm8k", 3.0)]
    rows = [*table(chains, [0.1, 0.2, 0.15])]
    assert validate(SUITES["analysis/judged"], as_table("judged_score", rows)).failed == ()
    assert best(rows) == {"sane": 1.0}
    assert best(rows, "coherency") == {}


def test_the_figure_shows_n_and_names_what_is_missing():
    chains = [chain("drop", 1.0), chain("drop", 5.0), chain("gsm8k", 3.0)]
    figure = judged_figure.draw(table(chains, [0.1, 0.2, 0.15]))
    assert [axes.get_title() for axes in figure.axes[:4]] == ["overall", "coherency", "missing_steps", "contradiction"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["faithfulness (n = 3)"]
    assert "grammar_step" in figure.axes[4].texts[0].get_text()
    assert len(figures.png(figure)) < 200_000
    empty = judged_figure.draw([])
    assert "no chain that people judged is here" in empty.axes[0].texts[0].get_text()
