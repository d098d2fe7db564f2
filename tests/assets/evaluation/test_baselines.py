"""`assets.evaluation.baselines`: chance over three attempts and the most frequent letter, by hand."""

import math
import random

import pytest

from assets.evaluation.baselines import baselines, drawn, majority
from assets.evaluation.rows import Baseline, Item
from assets.schema.tables import TABLES, as_table
from assets.schema.vocabulary import TASKS


def item(sample_id, answer="A", options=4, task="update", topic=None, domain=None):
    return Item(sample_id, ("x",) * options, answer, domain, topic, None, task)


def split(*items):
    return {one.id: one for one in items}


def rows(items, benchmark="comt", **options):
    found = baselines({(benchmark, "released", "test"): split(*items)}, **{"level": 0.95} | options)
    return {(row.baseline, row.scope, row.name): row for row in found}


def test_a_baseline_has_the_columns_of_the_table():
    assert list(Baseline._fields) == TABLES["baseline"].names
    found = baselines({("comt", "released", "test"): split(item("a"))}, level=0.95)
    assert as_table("baseline", found).schema == TABLES["baseline"].schema


def test_random_draws_one_of_the_items_own_letters_by_seed_and_id():
    # random.Random("1/a"): what the standard library draws for this name, worked out apart from the code
    assert drawn(item("a"), 1) == "ABCD"[random.Random("1/a").randrange(4)]
    said = [drawn(item(f"i{n}", options=3), seed) for n in range(400) for seed in (1, 2, 3)]
    assert set(said) == {"A", "B", "C"}
    # 400 expected of each; 5 standard deviations are 82
    assert all(318 < said.count(letter) < 482 for letter in "ABC")


def test_random_does_not_depend_on_order_or_on_what_stands_beside():
    items = [item(f"i{n}", "ABCD"[n % 4]) for n in range(40)]
    assert rows(items) == rows(items[::-1])
    task = rows([*items, *(item(f"o{n}", task="creation") for n in range(9))])["random", "task", "update"]
    assert task._replace(scope="total", name="total") == rows(items)["random", "total", "total"]


def test_the_accuracy_of_random_is_the_mean_of_its_attempts():
    items = [item(f"i{n}", "ABCD"[n % 4]) for n in range(20)]
    right = [sum(drawn(one, seed) == one.answer for one in items) for seed in (1, 2, 3)]
    row = rows(items)["random", "total", "total"]
    assert (row.n, row.seeds, row.letter) == (20, (1, 2, 3), None)
    assert row.accuracy == pytest.approx(sum(right) / 60)
    assert (row.lowest, row.highest) == (min(right) / 20, max(right) / 20)
    assert row.low < row.accuracy < row.high
    one = rows(items, seeds=(2,))["random", "total", "total"]
    assert (one.accuracy, one.lowest, one.highest, one.seeds) == (right[1] / 20,) * 3 + ((2,),)


def test_a_higher_level_gives_a_wider_interval():
    items = [item(f"i{n}", "ABCD"[n % 4]) for n in range(20)]
    narrow, wide = (rows(items, level=level)["random", "total", "total"] for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_random_comes_to_what_its_numbers_of_options_let_expect():
    items = [item(f"i{n}", "A", 2) for n in range(600)] + [item(f"j{n}", "A", 5) for n in range(300)]
    row = rows(items)["random", "total", "total"]
    # 600 of 1/2 and 300 of 1/5; a standard error over 2,700 guesses is below 0.01
    assert row.expected == pytest.approx(0.4)
    assert abs(row.accuracy - 0.4) < 0.05


def test_majority_says_the_most_frequent_letter_the_first_of_equals():
    assert majority([item("a", "C"), item("b", "B"), item("c", "C")]) == "C"
    assert majority([item("a", "C"), item("b", "B"), item("c", "C"), item("d", "B")]) == "B"
    assert majority([]) is None


def test_majority_is_of_the_split_and_its_scores_are_worked_out_by_hand():
    items = [item("a", "C"), item("b", "C"), item("c", "B", task="creation"), item("d", "A", options=2)]
    found = rows(items)
    total = found["majority", "total", "total"]
    assert (total.letter, total.n, total.accuracy, total.seeds) == ("C", 4, 0.5, ())
    assert total.lowest == total.highest == 0.5
    # C: 2 hits of 2, said 4 times: 4/6; A and B never. update: C 2 hits of 2, said 3 times: 4/5, A 0; creation: 0
    assert total.macro_f1 == pytest.approx((2 / 3) / 3)
    assert total.mean_f1 == pytest.approx((0.4 + 0) / 2)
    assert total.macro_accuracy == pytest.approx((2 / 3 + 0) / 2)
    assert total.expected == pytest.approx((3 / 4 + 1 / 2) / 4)
    assert (found["majority", "task", "creation"].letter, found["majority", "task", "creation"].accuracy) == ("C", 0.0)
    # Wilson's interval of 2 of 4 at 95 %
    z2 = 1.959963984540054**2
    half = math.sqrt(z2 * (1 / 16 + z2 / 64)) / (1 + z2 / 4)
    assert (total.low, total.high) == (pytest.approx(0.5 - half), pytest.approx(0.5 + half))


def test_a_task_without_samples_stays_in_the_table_with_nothing():
    found = rows([item("a")])
    assert [name for baseline, scope, name in found if (baseline, scope) == ("random", "task")] == list(TASKS)
    row = found["random", "task", "creation"]
    assert (row.n, row.accuracy, row.low, row.lowest, row.mean_f1, row.expected) == (0, None, None, None, None, None)


def test_every_benchmark_and_split_with_samples_has_its_rows_in_order():
    items = {
        ("comt", "released", "test"): split(item("a")),
        ("comt", "released", "validation"): split(item("b")),
        ("m3cot", "released", "test"): split(item("c", task=None, topic="algebra", domain="mathematics")),
        ("m3cot", "released", "train"): {},
    }
    found = baselines(items, level=0.95)
    assert list(dict.fromkeys((row.benchmark, row.split, row.baseline) for row in found)) == [
        ("m3cot", "test", "random"),
        ("m3cot", "test", "majority"),
        ("comt", "validation", "random"),
        ("comt", "validation", "majority"),
        ("comt", "test", "random"),
        ("comt", "test", "majority"),
    ]
    assert baselines({}, level=0.95) == []


@pytest.mark.parametrize("seeds", [(), (1, 1)])
def test_seeds_are_one_or_more_and_each_once(seeds):
    with pytest.raises(ValueError, match="seeds: the random baseline needs one or more, each once"):
        rows([item("a")], seeds=seeds)
