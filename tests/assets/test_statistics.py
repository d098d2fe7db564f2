"""`assets.statistics` against hand-worked values and other people's code."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import f1_score

from assets import statistics
from assets.statistics import (
    clustered_error,
    f1_means,
    macro_accuracy,
    macro_f1,
    mcnemar,
    paired_interval,
    quantile,
    wilson,
)

counts = st.integers(0, 60)


def test_all_right_of_21_is_no_certainty():
    low, high = wilson(21, 21)
    assert low == pytest.approx(0.8454, abs=1e-4)
    assert high == 1.0


def test_without_samples_there_is_no_interval():
    assert wilson(0, 0) is None
    assert paired_interval(0, 0, 0, 0) is None


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.9, 0.95]))
def test_wilson_equals_scipy(result, level):
    correct, n = result
    theirs = binomtest(correct, n).proportion_ci(level, method="wilson")
    assert wilson(correct, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("level", [0, 1, 95, -1, math.nan])
def test_a_level_is_between_0_and_1(level):
    with pytest.raises(ValueError, match="level"):
        quantile(level)


@pytest.mark.parametrize(("only_a", "only_b", "p"), [(0, 0, 1.0), (5, 5, 1.0), (1, 9, 22 / 1024), (0, 3, 0.25)])
def test_mcnemar_by_hand(only_a, only_b, p):
    assert mcnemar(only_a, only_b) == mcnemar(only_b, only_a) == p


@given(st.integers(0, 800), st.integers(0, 800))
def test_mcnemar_equals_scipys_binomial_test(only_a, only_b):
    theirs = binomtest(only_a, only_a + only_b, 0.5).pvalue if only_a + only_b else 1.0
    assert mcnemar(only_a, only_b) == pytest.approx(theirs, rel=1e-9)


def test_mcnemar_of_many_pairs_is_the_same_in_logarithms(monkeypatch):
    exact = mcnemar(9800, 10190)
    monkeypatch.setattr(statistics, "_LARGEST_EXACT", 10)
    assert mcnemar(9800, 10190) == pytest.approx(exact, rel=1e-9)
    assert mcnemar(0, 30_000) == 0.0


@pytest.mark.parametrize(
    ("table", "interval"),
    [
        # Altman et al., Statistics with Confidence (2000), table 6.2
        ((14, 5, 0, 22), (0.011, 0.226)),
        # Newcombe (1998), table II, method 10
        ((36, 12, 2, 0), (0.0569, 0.3404)),
    ],
)
def test_the_paired_interval_equals_the_published_examples(table, interval):
    assert paired_interval(*table) == pytest.approx(interval, abs=10 ** -len(str(interval[0])[2:]) / 2)


@given(counts, counts, counts, counts)
def test_the_paired_interval_holds_the_difference_and_mirrors(both, only_a, only_b, neither):
    interval = paired_interval(both, only_a, only_b, neither)
    n = both + only_a + only_b + neither
    if n == 0:
        assert interval is None
        return
    low, high = interval
    assert -1 <= low <= (only_a - only_b) / n <= high <= 1
    assert paired_interval(both, only_b, only_a, neither) == pytest.approx((-high, -low))


def test_a_class_that_is_never_predicted_counts_and_no_answer_is_no_class():
    # A: 1 hit of 1, once predicted; B: 1 hit of 2 (one NONE); C: never
    labels, letters = ["A", "B", "B", "C"], ["A", "B", None, "A"]
    by_hand = (2 / 3 + 2 / 3 + 0) / 3
    assert macro_f1(labels, letters) == pytest.approx(by_hand)
    assert macro_f1([], []) is None


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("ABC"), st.sampled_from("ABCD")), min_size=1))
def test_the_order_of_samples_leaves_no_trace_in_a_mean(rows):
    groups, labels, letters = zip(*rows, strict=True)
    assert f1_means(groups, labels, letters) == f1_means(groups[::-1], labels[::-1], letters[::-1])
    right = [label == letter for label, letter in zip(labels, letters, strict=True)]
    assert macro_accuracy(groups, right) == macro_accuracy(groups[::-1], right[::-1])


def test_what_has_no_label_is_no_class():
    assert macro_f1(["A", ""], ["A", None]) == 1.0
    # said of one that has no label, A is still said wrongly: 1 hit of 1, said twice
    assert macro_f1(["A", ""], ["A", "A"]) == pytest.approx(2 / 3)
    assert macro_f1([""], [None]) is None


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from(["A", "B", "C", "D", None])), min_size=1))
def test_macro_f1_equals_scikit_learns(pairs):
    labels, letters = zip(*pairs, strict=True)
    theirs = f1_score(
        labels,
        [letter or "none" for letter in letters],
        labels=sorted(set(labels)),
        average="macro",
        zero_division=0,
    )
    assert macro_f1(labels, letters) == pytest.approx(theirs)


@given(
    st.lists(
        st.tuples(st.sampled_from(["x", "y", None]), st.sampled_from("ABC"), st.sampled_from(["A", "B", "D", None])),
        min_size=1,
    )
)
def test_the_mean_of_macro_f1_equals_the_mean_of_scikit_learns(rows):
    def theirs(kept):
        labels = [label for _, label, _ in kept]
        letters = [letter or "none" for _, _, letter in kept]
        return f1_score(labels, letters, labels=sorted(set(labels)), average="macro", zero_division=0)

    groups = sorted({group for group, _, _ in rows if group is not None})
    over_all, over_groups = f1_means(*zip(*rows, strict=True))
    assert over_all == pytest.approx(theirs(rows))
    if not groups:
        assert over_groups is None
        return
    each = [theirs([row for row in rows if row[0] == group]) for group in groups]
    assert over_groups == pytest.approx(sum(each) / len(each))


def test_without_a_label_there_is_no_mean_of_macro_f1():
    assert f1_means([], [], []) == (None, None)


def test_a_group_with_nothing_right_stays_in_the_mean():
    assert macro_accuracy(["x", "x", "y"], [True, True, False]) == 0.5
    assert macro_accuracy([], []) is None


def test_micro_and_macro_of_groups_of_unlike_size():
    groups = ["x"] * 10 + ["y"] * 90
    right = [True] * 9 + [False] + [True] * 9 + [False] * 81
    assert macro_accuracy(groups, right) == pytest.approx(0.5)
    assert sum(right) / len(right) == pytest.approx(0.18)


def test_answers_that_go_together_widen_the_error():
    values = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0]
    naive = clustered_error(values, range(6))
    assert naive == pytest.approx(math.sqrt(sum((v - 2 / 3) ** 2 for v in values) / 5 / 6))
    # deviations of the three pictures: 2/3, -4/3, 2/3
    assert clustered_error(values, [1, 1, 2, 2, 3, 3]) == pytest.approx(math.sqrt(3 / 2 * 24 / 9) / 6)
    assert clustered_error(values, [1, 1, 2, 2, 3, 3]) > naive


def test_one_cluster_has_no_error_to_show():
    assert clustered_error([1.0, 0.0], ["p", "p"]) is None
    assert clustered_error([], []) is None
