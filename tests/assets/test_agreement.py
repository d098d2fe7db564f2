"""Kappas by hand and against scikit-learn, their rows by stage and round, and the onboarding test."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from assets.agreement import PASSING, agreement, cohen, fleiss, onboarding
from assets.annotation import Judgement
from assets.schema.tables import as_table


def votes(annotator: str, verdicts: str, stage: str = "recheck", round: int = 1) -> list[Judgement]:
    """One vote a letter: y(es), n(o), - for none."""
    words = {"y": "yes", "n": "no"}
    return [
        Judgement(f"s-{place}", stage, round, annotator, words[letter], None, None, None, "f")
        for place, letter in enumerate(verdicts)
        if letter != "-"
    ]


def test_cohen_by_hand() -> None:
    # 20 + 15 of 50 agree; marginals 25/25 and 30/20: chance 0.5 x 0.6 + 0.5 x 0.4 = 0.5; (0.7 - 0.5) / 0.5
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohen(pairs) == (0.7, 0.4)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=30))
def test_cohen_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) > 1:
        assert cohen(pairs)[1] == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


def test_fleiss_by_hand() -> None:
    # samples yyy, yyn, nnn, ynn: 3 + 1 + 3 + 1 of 12 pairs agree; half of 12 marks are y: chance 0.5
    observed, kappa = fleiss(["yyy", "yyn", "nnn", "ynn"])
    assert (observed, kappa) == (pytest.approx(8 / 12), pytest.approx(1 / 3))


def test_fleiss_of_the_worked_example() -> None:
    # Fleiss' kappa as worked out in the article of that name in Wikipedia: 14 raters, 10 subjects, 5 categories
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    samples = ["".join(letter * count for letter, count in zip("abcde", row, strict=True)) for row in table]
    observed, kappa = fleiss(samples)
    assert (round(observed or 0, 3), round(kappa or 0, 3)) == (0.378, 0.210)


def test_no_samples_have_no_agreement_and_full_chance_no_kappa() -> None:
    assert cohen([]) == fleiss([]) == (None, None)
    assert cohen([("y", "y")] * 3) == fleiss(["yyy"] * 3) == (1.0, None)


def test_pairs_share_two_and_fleiss_what_all_judged() -> None:
    rows = agreement(votes("b", "yyn-") + votes("a", "yynn") + votes("c", "-ynn"))
    assert [(row.measure, row.a, row.b, row.annotators, row.n, row.observed) for row in rows] == [
        ("fleiss", None, None, 3, 2, 1.0),
        ("cohen", "a", "b", 2, 3, 1.0),
        ("cohen", "a", "c", 2, 3, 1.0),
        ("cohen", "b", "c", 2, 2, 1.0),
    ]
    assert [row.published for row in rows] == [0.85, None, None, None]
    assert as_table("agreement", rows).num_rows == 4


def test_stages_and_rounds_are_apart_and_in_order() -> None:
    given = [row for round in (2, 1) for name in "ab" for row in votes(name, "yn", "recheck", round)]
    given += [row for name in "ab" for row in votes(name, "yn", "image_needed")] + votes("a", "y", "audit")
    rows = [(row.stage, row.round, row.measure, row.published) for row in agreement(given)]
    assert rows == [
        ("image_needed", 1, "fleiss", None),
        ("image_needed", 1, "cohen", None),
        ("recheck", 1, "fleiss", 0.85),
        ("recheck", 1, "cohen", None),
        ("recheck", 2, "fleiss", 0.85),
        ("recheck", 2, "cohen", None),
    ]


def test_the_published_kappa_is_that_of_the_benchmark() -> None:
    given = votes("a", "yn") + votes("b", "yn")
    assert [row.published for row in agreement(given, "comt")] == [0.93, None]
    assert [row.published for row in agreement(given, "m3cot")] == [row.published for row in agreement(given)]


def test_annotators_without_a_sample_in_common_are_no_pair() -> None:
    (row,) = agreement(votes("a", "y-") + votes("b", "-y"))
    assert (row.measure, row.n, row.observed, row.kappa) == ("fleiss", 0, None, None)


def test_dropped_judgements_do_not_count() -> None:
    given = votes("a", "yn") + [row._replace(dropped="superseded") for row in votes("b", "yn")]
    assert agreement(given) == []


def test_onboarding_passes_at_80_of_100() -> None:
    reference = {f"s-{place}": "yes" for place in range(100)}
    assert onboarding(reference, votes("a", "y" * 80 + "n" * 20)) == (100, 80, 0.8, True)
    assert onboarding(reference, votes("a", "y" * 79 + "n" * 21)) == (100, 79, 0.79, False)


def test_onboarding_is_not_over_before_its_samples_are() -> None:
    reference = {f"s-{place}": "yes" for place in range(100)}
    assert onboarding(reference, votes("a", "y" * 99)) == (99, 99, 1.0, False)
    assert onboarding(reference, []) == (0, 0, None, False)


def test_onboarding_asks_for_what_each_paper_asks() -> None:
    assert PASSING == {"m3cot": 0.80, "comt": 0.85}


def test_onboarding_of_comt_wants_more_and_ignores_other_samples() -> None:
    reference = {f"s-{place}": "yes" for place in range(20)}
    assert onboarding(reference, votes("a", "y" * 17 + "n" * 3 + "n"), samples=20, share=0.85) == (20, 17, 0.85, True)
