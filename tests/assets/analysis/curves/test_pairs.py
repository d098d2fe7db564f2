"""`assets.analysis.curves.pairs`: the better one first, p values corrected by split, the samples that a test needs."""

from math import ceil, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.analysis import figures
from assets.analysis.curves import pairs_figure
from assets.analysis.curves.pairs import holm, needed, pairs
from assets.analysis.entries import Entry
from assets.schema.faults import Fault
from assets.schema.tables import TABLES, as_table
from assets.statistics import mcnemar, paired_interval


def entry(evaluation, split="test"):
    return Entry(evaluation, "a_model", "cot", 0, "m3cot", "released", split, None)


def difference(a, b, only_a, only_b, both=4, neither=2, **columns):
    n = both + only_a + only_b + neither
    low, high = paired_interval(both, only_a, only_b, neither) or (None, None)
    return {
        "a": a,
        "b": b,
        "extractor": "strict",
        "policy": "strict",
        "labels": "released",
        "n": n,
        "both": both,
        "only_a": only_a,
        "only_b": only_b,
        "neither": neither,
        "difference": (only_a - only_b) / n if n else None,
        "low": low,
        "high": high,
        "p": mcnemar(only_a, only_b) if n else None,
        **columns,
    }


def found(rows, entries, level=0.95, power=0.8):
    return list(pairs(as_table("difference", rows), entries, level=level, power=power))


def test_the_better_evaluation_is_a_and_its_interval_turns_with_it():
    [row] = found([difference("one", "two", 1, 3)], [entry("one"), entry("two")])
    assert list(row) == TABLES["paired_difference"].names
    assert (row["a"], row["b"], row["only_a"], row["only_b"]) == ("two", "one", 3, 1)
    assert row["difference"] == 0.2
    assert (row["low"], row["high"]) == pytest.approx(paired_interval(4, 3, 1, 2))
    assert row["p"] == 0.625


def test_of_equal_evaluations_the_first_by_name_is_a_and_nothing_is_needed():
    rows = found([difference("two", "one", 2, 2)], [entry("one"), entry("two")])
    assert [(row["a"], row["b"], row["difference"], row["p"], row["needed"]) for row in rows] == [
        ("one", "two", 0.0, 1.0, None)
    ]


def test_only_the_strict_extractor_with_released_labels_and_a_common_sample_is_compared():
    rows = [
        difference("one", "two", 3, 1, extractor="paper"),
        difference("one", "two", 3, 1, labels="paper"),
        difference("one", "two", 0, 0, both=0, neither=0),
    ]
    assert found(rows, [entry("one"), entry("two")]) == []


def test_differences_of_an_evaluation_that_is_gone_are_refused():
    with pytest.raises(Fault, match=r"still holds two, which params.yaml has not"):
        found([difference("one", "two", 3, 1)], [entry("one")])


def test_p_is_corrected_over_the_pairs_of_its_split_alone():
    rows = [
        difference("a", "b", 6, 0),
        difference("a", "c", 5, 0),
        difference("b", "c", 1, 0),
        difference("d", "e", 6, 0),
    ]
    entries = [entry(name) for name in "abc"] + [entry(name, split="validation") for name in "de"]
    adjusted = {(row["a"], row["b"]): (row["p"], row["p_adjusted"]) for row in found(rows, entries)}
    # 3 x 1/32, then 2 x 1/16, then 1 x 1
    assert adjusted == {
        ("a", "b"): (0.03125, 0.09375),
        ("a", "c"): (0.0625, 0.125),
        ("b", "c"): (1.0, 1.0),
        ("d", "e"): (0.03125, 0.03125),
    }


@pytest.mark.parametrize(
    ("values", "corrected"),
    [
        ([], []),
        ([0.2], [0.2]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, 0.5], [1.0, 1.0]),
        ([0.04, 0.01, 0.012], [0.04, 0.03, 0.03]),
    ],
)
def test_holm_as_worked_out_by_hand(values, corrected):
    assert holm(values) == pytest.approx(corrected)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_corrected_p_is_no_smaller_and_keeps_the_order(values):
    adjusted = holm(values)
    assert all(p <= q <= 1 for p, q in zip(values, adjusted, strict=True))
    ordered = [q for _, q in sorted(zip(values, adjusted, strict=True))]
    assert ordered == sorted(ordered)


def test_the_samples_needed_as_worked_out_by_hand():
    # psi 0.3, d 0.1: (1.95996 sqrt(0.3) + 0.84162 sqrt(0.29))^2 / 0.01 = 233.1
    assert needed(20, 10, 100, level=0.95, power=0.8) == needed(10, 20, 100, level=0.95, power=0.8) == 234
    assert ceil((1.959964 * sqrt(0.3) + 0.841621 * sqrt(0.29)) ** 2 / 0.01) == 234
    assert needed(20, 10, 100, level=0.95, power=0.9) > 234 < needed(20, 10, 100, level=0.99, power=0.8)


def reached(only_a, only_b, n, samples, level):
    """The exact chance that McNemar's test without correction shows the difference in so many samples."""
    from scipy.stats import binom, norm

    psi, least = (only_a + only_b) / n, norm.ppf((1 + level) / 2) ** 2
    chance = 0.0
    for discordant in range(samples + 1):
        weight = binom.pmf(discordant, samples, psi)
        if weight < 1e-9 or discordant == 0:
            continue
        # (2 b - m)^2 / m >= z^2, as so many of the m discordant ones are a's
        reach = sqrt(least * discordant)
        below, above = int((discordant - reach) // 2), ceil((discordant + reach) / 2)
        tails = binom.cdf(below, discordant, only_a / (only_a + only_b))
        tails += binom.sf(above - 1, discordant, only_a / (only_a + only_b))
        chance += weight * tails
    return chance


@pytest.mark.parametrize(("only_a", "only_b", "power"), [(20, 10, 0.8), (10, 2, 0.8), (30, 18, 0.9)])
def test_that_many_samples_have_the_power_that_was_asked_for(only_a, only_b, power):
    samples = needed(only_a, only_b, 100, level=0.95, power=power)
    assert reached(only_a, only_b, 100, samples, 0.95) == pytest.approx(power, abs=0.04)


def test_the_samples_needed_stay_within_the_column_and_above_nothing():
    assert needed(50_001, 50_000, 100_000, level=0.95, power=0.8) is None
    # six samples that differ all in one direction are the fewest with a two-sided exact p below 0.05: 2 / 2^6
    assert needed(10, 0, 10, level=0.95, power=0.01) == 6
    assert needed(5, 0, 10, level=0.95, power=0.01) == 12
    assert needed(9, 0, 10, level=0.5, power=0.001) == 3


def test_the_matrix_stands_in_the_order_of_accuracy_and_says_n():
    entries = [entry(name) for name in ("weak", "good", "best")]
    rows = found(
        [difference("best", "good", 30, 1), difference("best", "weak", 40, 1), difference("good", "weak", 2, 1)],
        entries,
    )
    figure = pairs_figure.draw(rows)
    matrix = figure.axes[0]
    assert [label.get_text() for label in matrix.get_yticklabels()] == ["best  1", "good  2", "weak  3"]
    assert matrix.get_title() == "m3cot released test, n = 9 to 47"
    assert [text.get_text() for text in matrix.texts] == ["78", "83"]


def test_twenty_four_evaluations_are_still_a_small_picture_and_always_the_same():
    names = [f"evaluation_{number:02}" for number in range(24)]
    rows = found(
        [difference(a, b, 30 + place, 5) for place, a in enumerate(names) for b in names[place + 1 :]],
        [entry(name) for name in names],
    )
    first = figures.png(pairs_figure.draw(rows))
    assert len(first) < 200_000
    assert first == figures.png(pairs_figure.draw(rows))


def test_without_a_pair_the_figure_says_so():
    [axes] = pairs_figure.draw([]).axes
    assert "no pair to compare" in axes.texts[0].get_text()
