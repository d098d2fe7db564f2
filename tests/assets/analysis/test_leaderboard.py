"""`assets.analysis.leaderboard` and `paper_comparison`: what is ranked together, and what stands beside it."""

import pytest

from assets.analysis import paper_comparison
from assets.analysis.entries import Entry
from assets.analysis.leaderboard import rank
from assets.evaluation.rows import Score
from assets.schema.faults import Fault
from assets.schema.tables import TABLES, as_table


def entry(evaluation, benchmark="m3cot", split="test", shots=0, published=None, strategy="direct"):
    return Entry(evaluation, "a_model", strategy, shots, benchmark, "released", split, published)


def scores(**right_of_four):
    return as_table(
        "score",
        [
            Score(
                evaluation=name,
                extractor="strict",
                policy="strict",
                labels="released",
                scope="total",
                name="total",
                n=4,
                correct=correct,
                accuracy=correct / 4,
                low=0.0,
                high=1.0,
                macro_accuracy=None,
                macro_f1=None,
                mean_f1=correct / 8,
                errors_excluded=None,
                missing=0,
                statuses={"ok": 4},
            )
            for name, correct in right_of_four.items()
        ],
    )


def ranks(table):
    return [(row["benchmark"], row["split"], row["evaluation"], row["rank"]) for row in table.to_pylist()]


def test_only_evaluations_of_one_split_are_ranked_together():
    entries = [entry("a"), entry("b"), entry("c", split="validation"), entry("d", "comt"), entry("e", "comt")]
    assert ranks(rank(scores(a=1, b=2, c=4, d=3, e=3), entries)) == [
        ("comt", "test", "d", 1),
        ("comt", "test", "e", 1),
        ("m3cot", "test", "b", 1),
        ("m3cot", "test", "a", 2),
        ("m3cot", "validation", "c", 1),
    ]


def test_what_is_scored_stands_on_the_board():
    [row] = rank(scores(a=2), [entry("a")]).to_pylist()
    assert (row["accuracy"], row["mean_f1"]) == (0.5, 0.25)


def test_evaluations_of_equal_accuracy_share_a_rank_and_those_without_replies_have_none():
    entries = [entry(name) for name in "abcd"]
    assert [row[2:] for row in ranks(rank(scores(b=0, c=3, d=3), entries))] == [
        ("c", 1),
        ("d", 1),
        ("b", 3),
        ("a", None),
    ]


def test_the_published_total_stands_beside_the_test_split_without_shots_only():
    entries = [
        entry("a", published="gpt4v"),
        entry("b", published="gpt4v", split="validation"),
        entry("c", published="gpt4v", shots=4),
        entry("d", "comt", published="gpt4v"),
    ]
    table = rank(scores(a=1, b=1, c=1, d=1), entries)
    assert table.schema == TABLES["leaderboard"].schema
    assert {row["evaluation"]: row["published"] for row in table.to_pylist()} == {
        "a": pytest.approx(0.5695, abs=0.01),
        "b": None,
        "c": None,
        "d": None,
    }
    compared = paper_comparison.compare(scores(a=1, b=1, c=1, d=1), entries).to_pylist()
    assert {row["evaluation"] for row in compared} == {"a", None}


def test_two_evaluations_for_one_published_row_are_refused_by_both_tables():
    entries = [entry("a", published="gpt4v"), entry("b", published="gpt4v")]
    for table_of in (rank, paper_comparison.compare):
        with pytest.raises(Fault, match="evaluations a and b both stand for the published row gpt4v direct"):
            table_of(scores(a=1, b=1), entries)
