"""`assets.evaluation.differences`: paired, on the samples that both count."""

import random

import pytest

from assets.evaluation import differences as differing
from assets.evaluation.differences import difference, pairs
from assets.evaluation.rows import Answer, Difference, Evaluation
from assets.schema.tables import TABLES
from assets.statistics import mcnemar, paired_interval


def answers(letters, label="A", counted=True, extractor="paper"):
    return [
        Answer(n, f"s{n}", extractor, letter, "rule", None, "ok", label, counted, letter == label)
        for n, letter in enumerate(letters)
    ]


def between(a, b, **options):
    return difference(a, b, a="one", b="two", extractor="paper", **options)


def test_a_difference_has_the_columns_of_the_table():
    assert list(Difference._fields) == TABLES["difference"].names


def test_the_four_cells_the_difference_its_interval_and_p():
    found = between(answers("AAAAAB"), answers("AABBBA"))
    assert found[5:10] == (6, 2, 3, 1, 0)
    assert found.difference == pytest.approx(2 / 6)
    assert (found.low, found.high) == paired_interval(2, 3, 1, 0)
    assert found.p == mcnemar(3, 1) == 0.625


def test_only_samples_that_both_count_are_compared():
    assert between(answers("AAA"), answers("A")).n == 1
    assert between(answers("AAA"), answers("AAA", counted=False))[5:] == (0, 0, 0, 0, 0, None, None, None, None)
    assert between(answers("AAA"), answers("AAA", extractor="strict")).n == 0


def test_within_restricts_the_samples():
    assert between(answers("AAB"), answers("BBB"), within={"s1", "s2"})[5:10] == (2, 0, 1, 0, 1)


def test_the_first_of_two_counted_answers_stands():
    twice = [*answers("A"), *answers("B")]
    assert between(twice, answers("A"))[5:10] == (1, 1, 0, 0, 0)


def test_the_label_set_decides_what_is_right():
    a = [answers("A", "B")[0]._replace(sample_id="social-commonsense-1274")]
    b = [answers("B", "B")[0]._replace(sample_id="social-commonsense-1274")]
    assert between(a, b).only_b == 1
    assert between(a, b, labels="paper").only_a == 1


def drawn(seed):
    """Answers of both extractors in another order, some uncounted, one of them to the sample of the erratum."""
    rng = random.Random(seed)
    rows = [
        Answer(1, sample_id, extractor, rng.choice("AB"), "rule", None, "ok", "B", rng.random() < 0.8, False)
        for extractor in ("paper", "strict")
        for sample_id in [*(f"s{n}" for n in range(40)), "social-commonsense-1274"]
    ]
    rng.shuffle(rows)
    return [row._replace(correct=row.counted and row.letter == row.label) for row in rows]


def test_all_pairs_are_what_the_one_pair_function_gives():
    answers = {name: drawn(seed) for seed, name in enumerate("cabd")}
    evaluations = {name: Evaluation("m3cot", "test", "f") for name in "abc"} | {"d": Evaluation("m3cot", "train", "f")}
    expected = [
        difference(answers[a], answers[b], a=a, b=b, extractor=extractor, labels=labels, level=0.9)
        for a, b in ("ab", "ac", "bc")
        for extractor in ("paper", "strict")
        for labels in ("released", "paper")
    ]
    assert list(pairs(answers, evaluations, ("released", "paper"), 0.9)) == expected
    assert len({row[5:] for row in expected}) > 6


def test_each_evaluation_is_gone_through_once_however_many_it_is_compared_with(monkeypatch):
    seen = []
    marks = differing._marks
    monkeypatch.setattr(differing, "_marks", lambda *args: seen.append(args[1]) or marks(*args))
    answers = {f"e{n}": drawn(n) for n in range(6)}
    evaluations = dict.fromkeys(answers, Evaluation("m3cot", "test", "f"))
    assert len(list(pairs(answers, evaluations, ("released",), 0.95))) == 2 * 15
    assert len(seen) == 2 * 6
