"""Difficulty, discrimination, votes and suspects: by hand, and against numpy and scipy."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pointbiserialr

from assets.analysis.audit.consensus import evidence, suspects
from assets.analysis.audit.items import items as item_rows
from assets.analysis.audit.votes import Asked, ballots, most
from assets.evaluation.rows import Answer, Item
from assets.schema.faults import Fault
from assets.schema.tables import as_table

SPLIT = ("m3cot", "released", "test")


def answer(sample: str, letter: str | None, label: str, line: int = 1) -> Answer:
    return Answer(line, sample, "strict", letter, "r", None, "ok", label, True, letter == label)


def asked(labels: dict[str, str], options: int = 4, topic: str = "algebra") -> dict[str, Item]:
    choices = tuple(f"option {place}" for place in range(options))
    return {key: Item(key, choices, label, None, topic, None, None) for key, label in labels.items()}


def ballot(given: dict[str, dict[str, str | None]], labels: dict[str, str], models: dict[str, str] | None = None, **of):
    """Of each evaluation its letters by sample; an evaluation is its own model unless `models` says another one."""
    evaluations = {name: Asked((models or {}).get(name, name), SPLIT) for name in given}
    answers = {
        name: [answer(key, letter, labels[key]) for key, letter in letters.items()] for name, letters in given.items()
    }
    return ballots(answers, evaluations, {SPLIT: asked(labels, **of)})


def rows(found):
    return {row["sample_id"]: row for row in as_table("item", item_rows(found)).to_pylist()}


def test_the_letter_given_most_often_is_a_vote_and_a_tie_is_none() -> None:
    assert most(["A", None, "B", "A"]) == "A"
    assert most(["A", "B", None]) is None
    assert most([None]) is None
    assert most([]) is None


def test_a_model_has_one_vote_however_often_it_was_asked() -> None:
    given = {
        "m_1": {"s": "A"},
        "m_2": {"s": "A"},
        "m_3": {"s": "B"},
        "n": {"s": "B"},
        "o": {"s": "B"},
        "p": {"s": None},
    }
    models = {"m_1": "m", "m_2": "m", "m_3": "m"}
    row = rows(ballot(given, {"s": "A"}, models))["s"]
    assert (row["evaluations"], row["correct"], row["models"]) == (6, 2, 4)
    assert row["difficulty"] == pytest.approx(4 / 6)
    assert (row["consensus"], row["agreement"], row["support"]) == ("B", pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_two_letters_with_as_many_votes_are_no_consensus() -> None:
    row = rows(ballot({"m": {"s": "A"}, "n": {"s": "B"}}, {"s": "A"}))["s"]
    assert (row["consensus"], row["agreement"], row["support"]) == (None, None, 0.5)


def test_several_replies_of_people_to_a_sample_are_one_letter() -> None:
    evaluations = {"people": Asked("people", SPLIT)}
    answers = {"people": [answer("s", letter, "A", line) for line, letter in enumerate("ABA", start=1)]}
    row = rows(ballots(answers, evaluations, {SPLIT: asked({"s": "A"})}))["s"]
    assert (row["evaluations"], row["correct"], row["consensus"]) == (1, 1, "A")


def test_a_sample_that_nobody_was_asked_has_no_numbers() -> None:
    row = rows(ballot({"m": {"s": "A"}}, {"s": "A", "t": "B"}))["t"]
    nothing = ("difficulty", "discrimination", "consensus", "agreement", "support")
    assert [row[name] for name in nothing] == [None] * 5
    assert (row["evaluations"], row["models"]) == (0, 0)


def test_discrimination_by_hand() -> None:
    # On s1 and s2 the evaluations have 2, 1 and 0 right of 2; s0 goes with them, s3 against them.
    labels = dict.fromkeys(("s0", "s1", "s2", "s3"), "A")
    given = {
        "good": {"s0": "A", "s1": "A", "s2": "A", "s3": "B"},
        "fair": {"s0": "B", "s1": "A", "s2": "B", "s3": "B"},
        "poor": {"s0": "B", "s1": "B", "s2": "B", "s3": "A"},
    }
    found = rows(ballot(given, labels))
    # s3: right is (0, 0, 1), elsewhere (3, 1, 0) of 3: products of deviations -4/3, squares 2/3 and 14/3.
    assert found["s3"]["discrimination"] == pytest.approx(pointbiserialr([0, 0, 1], [1, 1 / 3, 0]).statistic, abs=1e-6)
    assert found["s3"]["discrimination"] == pytest.approx(-4 / 3 / (2 / 3 * 14 / 3) ** 0.5, abs=1e-6)
    assert found["s0"]["discrimination"] == pytest.approx(pointbiserialr([1, 0, 0], [2 / 3, 1 / 3, 1 / 3]).statistic)


LETTERS = st.sampled_from(["A", "B", "C", None])


@given(st.lists(st.lists(st.one_of(LETTERS, st.just("-")), min_size=6, max_size=6), min_size=1, max_size=6))
def test_discrimination_is_scipys_point_biserial_of_item_and_rest(table) -> None:
    labels = {f"s{place}": "A" for place in range(6)}
    given_by = {
        f"m{row}": {f"s{place}": letter for place, letter in enumerate(letters) if letter != "-"}
        for row, letters in enumerate(table)
    }
    found = rows(ballot(given_by, labels))
    for key in labels:
        pairs = []
        for letters in given_by.values():
            others = [letter == "A" for other, letter in letters.items() if other != key]
            if key in letters:
                pairs.append((letters[key] == "A", sum(others) / len(others) if others else 0.0))
        hits, elsewhere = [hit for hit, _ in pairs], [share for _, share in pairs]
        if len(pairs) < 3 or len(set(hits)) < 2 or len(set(elsewhere)) < 2:
            assert found[key]["discrimination"] is None
        else:
            assert found[key]["discrimination"] == pytest.approx(pointbiserialr(hits, elsewhere).statistic, abs=2e-6)


def test_the_evidence_of_votes_by_hand() -> None:
    # Four options: a wrong letter has a third of what is left. (0.7 / 0.1) * (0.1 / 0.7) * (0.4 / 0.2); C says nothing.
    votes = [("A", 0.7), ("B", 0.7), ("A", 0.4), ("C", 0.9)]
    assert evidence(votes, "A", "B", 4) == pytest.approx(log(2))
    assert evidence(votes, "B", "A", 4) == pytest.approx(-log(2))
    assert evidence([("A", 0.25)], "A", "B", 4) == pytest.approx(0)
    assert evidence([("A", 0.1)], "A", "B", 4) < 0


@given(st.lists(st.tuples(st.sampled_from("ABCD"), st.floats(0.05, 0.95)), min_size=1, max_size=9))
def test_the_evidence_is_the_ratio_of_two_likelihoods(votes) -> None:
    def likelihood(truth: str) -> float:
        product = 1.0
        for letter, right in votes:
            product *= right if letter == truth else (1 - right) / 3
        return product

    assert evidence(votes, "A", "B", 4) == pytest.approx(log(likelihood("A") / likelihood("B")))


def test_a_suspect_by_hand() -> None:
    # Each of three models is right on both other samples: (2 + 1) / (2 + 4) = 1/2, so a vote weighs log(1/2 / 1/6).
    labels = {"s": "B", "t": "A", "u": "A"}
    given_by = {name: {"s": letter, "t": "A", "u": "A"} for name, letter in (("m", "A"), ("n", "A"), ("o", "B"))}
    (row,) = as_table("suspect", suspects(ballot(given_by, labels), {SPLIT: {"s": "Which\n one?"}})).to_pylist()
    assert row == {
        "rank": 1,
        "benchmark": "m3cot",
        "edition": "released",
        "split": "test",
        "sample_id": "s",
        "label": "B",
        "consensus": "A",
        "models": 3,
        "agreement": pytest.approx(2 / 3),
        "support": pytest.approx(1 / 3),
        "surprise": pytest.approx(log(3), abs=1e-6),
        "question": "Which one?",
    }


def test_a_model_is_judged_by_the_other_samples_of_the_topic() -> None:
    labels = {"s": "B", "t": "A", "far": "A"}
    given_by = {name: {"s": "A", "t": "A", "far": "C"} for name in "mno"}
    evaluations = {name: Asked(name, SPLIT) for name in given_by}
    answers = {name: [answer(key, letter, labels[key]) for key, letter in of.items()] for name, of in given_by.items()}
    items = asked({"s": "B", "t": "A"}) | asked({"far": "A"}, topic="geometry")
    (row, *_) = suspects(ballots(answers, evaluations, {SPLIT: items}), {SPLIT: {}})
    # 1 of 1 on the other sample of algebra: (1 + 1) / (1 + 4) = 2/5 against 1/5 for each wrong letter, three times.
    assert (row["sample_id"], row["surprise"]) == ("s", pytest.approx(3 * log(2), abs=1e-6))


def test_models_that_are_worse_than_guessing_make_no_suspect() -> None:
    labels = {key: "A" for key in ("s", "t", "u", "v")}
    given_by = {name: dict.fromkeys(labels, "B") for name in "mno"}
    assert list(suspects(ballot(given_by, labels), {SPLIT: {}})) == []


def test_ranks_count_within_a_split_from_the_largest_surprise() -> None:
    right = {f"r{place}": "A" for place in range(6)}
    labels = {"s": "B", "t": "B", **right}
    given_by = {
        "m": {"s": "A", "t": "A", **right},
        "n": {"s": "A", "t": "A", **right},
        "o": {"s": "A", "t": "B", **right},
    }
    table = list(suspects(ballot(given_by, labels), {SPLIT: {}}))
    assert [(row["rank"], row["sample_id"]) for row in table] == [(1, "s"), (2, "t")]
    assert table[0]["surprise"] > table[1]["surprise"] > 0


def test_answers_of_samples_that_are_gone_are_refused_in_a_sentence() -> None:
    with pytest.raises(Fault, match=r"m was answered on samples that m3cot released test has not .1, such as t"):
        ballots({"m": [answer("t", "A", "A")]}, {"m": Asked("m", SPLIT)}, {SPLIT: asked({"s": "A"})})


def test_the_tables_do_not_depend_on_the_order_of_evaluations() -> None:
    labels = {"s": "B", "t": "A", "u": "C"}
    given_by = {name: {"s": "A", "t": "A", "u": letter} for name, letter in zip("mno", "ABC", strict=True)}
    other = dict(reversed(given_by.items()))
    one, two = ballot(given_by, labels), ballot(other, labels)
    assert as_table("item", item_rows(one)).equals(as_table("item", item_rows(two)))
    assert list(suspects(one, {SPLIT: {}})) == list(suspects(two, {SPLIT: {}}))
