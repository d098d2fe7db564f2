"""Which rule decided, which replies are read apart, and why the accuracies differ: by hand, and by sums."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.analysis.audit.disagreements import disagreements
from assets.analysis.audit.extraction import decisions
from assets.analysis.audit.gaps import gaps
from assets.analysis.audit.readings import readings
from assets.evaluation.answers import answers
from assets.evaluation.rows import Item, Reply
from assets.schema.faults import Fault
from assets.schema.tables import as_table

CHOICES = ("a kettle", "a lamp", "a chair")


def items(labels: str, benchmark: str = "m3cot") -> dict[str, Item]:
    task = "creation" if benchmark == "comt" else None
    found = {}
    for place, label in enumerate(labels):
        found[f"s{place}"] = Item(f"s{place}", CHOICES, label, None, None, None, task)
    return found


def reply(line: int, sample: int | str, text: str) -> Reply:
    key = sample if isinstance(sample, str) else f"s{sample}"
    return Reply(line, key, CHOICES, ("Which?", text), text, "ok" if text.strip() else "empty")


def read(labels: str, texts: list[tuple[int | str, str]], benchmark: str = "m3cot"):
    asked = items(labels, benchmark)
    replies = [reply(line, sample, text) for line, (sample, text) in enumerate(texts, start=1)]
    return readings(answers(asked, replies, benchmark).rows, replies, asked, evaluation="a")


def rows(found, kind="gap"):
    return {row["shape"]: row for row in as_table(kind, gaps({"a": found})).to_pylist()}


# s0 to s3 hold B. Two end tokens, of which the published rule reads neither: one right. "(B) a lamp" is read alike.
# "A person sits there." is A by the published rule (the article), and nothing by the strict grammar; label A.
FIVE = ("BBBBA", [(0, "B</s>"), (1, "C</s>"), (2, "(B) a lamp"), (3, "(A)"), (4, "A person sits there.")])


def test_the_rows_of_a_gap_by_hand() -> None:
    found = rows(read(*FIVE))
    numbers = {
        name: tuple(row[column] for column in ("replies", "n", "paper_correct", "strict_correct"))
        for name, row in found.items()
    }
    assert numbers == {
        "letter_and_end_token": (2, 2, 0, 1),
        "no_letter": (1, 1, 1, 0),
        "parenthesised_letter": (1, 0, 0, 0),
        "letter_and_option_text": (1, 0, 0, 0),
        "total": (5, 3, 1, 1),
    }
    assert {row["paper_accuracy"] for row in found.values()} == {2 / 5}
    assert {row["strict_accuracy"] for row in found.values()} == {2 / 5}
    assert [found[name]["moved"] for name in ("letter_and_end_token", "no_letter", "total")] == [0.2, -0.2, 0.0]


def test_the_sentence_of_a_shape_says_what_can_be_counted() -> None:
    found = rows(read(*FIVE))
    assert found["letter_and_end_token"]["sentence"] == (
        "2 replies are one letter and an end-of-text token: the extractors read all of them differently. Of these the "
        "published rule reads no letter from any (failed 2), the strict grammar has 1 right (whole_reply 2). That "
        "alone takes the accuracy from 40.00 to 60.00 per cent (+20.00 points)."
    )
    assert found["parenthesised_letter"]["sentence"] == (
        "1 reply is one parenthesised letter alone: the extractors read it alike."
    )
    assert found["total"]["sentence"] == (
        "The extractors read 3 of 5 replies differently: the published rule comes to 40.00 per cent (2 of 5), the "
        "strict grammar to 40.00 per cent (2 of 5) (+0.00 points)."
    )


def test_what_the_policies_count_differently_has_its_own_row() -> None:
    # s1 has no reply: 1 of 1 by the published policy, 1 of 2 by the strict one.
    found = rows(read("BB", [(0, "(B)")]))
    assert list(found) == ["parenthesised_letter", "counting", "total"]
    assert [found[name]["moved"] for name in found] == [0.0, -0.5, -0.5]
    assert (found["total"]["paper_accuracy"], found["total"]["strict_accuracy"]) == (1.0, 0.5)
    assert found["counting"]["sentence"] == (
        "The policies count differently: 1 sample has no reply, which the strict policy counts as wrong and the "
        "published one does not count. That moves the accuracy by -50.00 points."
    )


def test_ids_that_comt_counts_twice_or_does_not_know_are_counting_too() -> None:
    # Published: (B), (B) again, and an unknown id: 2 of 3. Strict: 1 of 1.
    found = rows(read("B", [(0, "(B)"), (0, "(B)"), ("x", "(C)")], "comt"))
    assert [(row["replies"], row["n"], row["paper_correct"]) for row in found.values()] == [
        (1, 0, 0),
        (2, 2, 1),
        (3, 2, 1),
    ]
    assert found["counting"]["moved"] == pytest.approx(1 - 2 / 3)
    assert (
        "2 replies to a repeated or unknown id are counted by the published policy alone, 1 of them right"
        in (found["counting"]["sentence"])
    )


def test_without_a_reply_nothing_is_moved_and_nothing_is_made_up() -> None:
    found = rows(read("BB", []))
    assert list(found) == ["counting", "total"]
    assert {(row["paper_accuracy"], row["strict_accuracy"], row["moved"]) for row in found.values()} == {
        (None, 0.0, None)
    }
    assert found["total"]["sentence"] == "No reply counts for both extractors; 2 samples count for one of them."


TEXTS = st.sampled_from(["B</s>", "(A)", "(B) a lamp", "A person.", "C:", "", "(C) a lamp", "b", "Not (A) but (B)."])
REPLIES = st.lists(st.tuples(st.integers(0, 5), TEXTS), max_size=9)


@given(REPLIES, st.sampled_from(["m3cot", "comt"]), st.text("ABC", min_size=6, max_size=6))
def test_the_shapes_move_exactly_what_lies_between_the_accuracies(texts, benchmark, labels) -> None:
    found = read(labels, texts, benchmark)
    table = list(gaps({"a": found}))
    *parts, total = table
    assert total["shape"] == "total"
    for count in ("replies", "n", "paper_correct", "strict_correct"):
        assert total[count] == sum(part[count] for part in parts)
    every = {
        extractor: [
            answer
            for answer in [*(getattr(one, extractor) for one in found.both), *found.alone]
            if answer.extractor == extractor
        ]
        for extractor in ("paper", "strict")
    }
    shares = {
        name: Fraction(sum(answer.correct for answer in own), len(own)) if own else None for name, own in every.items()
    }
    if shares["paper"] is None:
        assert total["moved"] is None
    else:
        moved = shares["strict"] - shares["paper"]
        assert total["moved"] == float(moved)
        assert sum(part["moved"] for part in parts) == pytest.approx(float(moved), abs=1e-12)


@given(REPLIES, st.text("ABC", min_size=6, max_size=6))
def test_the_rows_read_apart_are_those_that_the_gaps_count(texts, labels) -> None:
    found = read(labels, texts)
    apart = as_table("disagreement", disagreements({"a": found})).to_pylist()
    by_shape = rows(found)
    for name, row in by_shape.items():
        if name not in ("total", "counting"):
            own = [one for one in apart if one["shape"] == name]
            assert row["n"] == len(own)
            assert row["paper_correct"] == sum(one["paper_correct"] for one in own)
            assert row["strict_correct"] == sum(one["strict_correct"] for one in own)


def test_a_disagreement_has_both_readings_and_the_end_of_the_reply() -> None:
    (first, *_) = as_table("disagreement", disagreements({"a": read(*FIVE)})).to_pylist()
    assert first == {
        "evaluation": "a",
        "line": 1,
        "sample_id": "s0",
        "label": "B",
        "paper": None,
        "paper_rule": "failed",
        "strict": "B",
        "strict_rule": "whole_reply",
        "paper_correct": False,
        "strict_correct": True,
        "shape": "letter_and_end_token",
        "excerpt": "B</s>",
    }


def test_the_rules_of_an_extractor_add_up_to_what_its_policy_counts() -> None:
    asked = items("BBB")
    replies = [reply(1, 0, "(B)"), reply(2, 1, "C</s>")]
    table = as_table("decision", decisions({"a": answers(asked, replies).rows})).to_pylist()
    assert [(row["extractor"], row["rule"], row["n"], row["correct"]) for row in table] == [
        ("paper", "failed", 1, 0),
        ("paper", "parentheses", 1, 1),
        ("strict", "whole_reply", 2, 1),
        ("strict", "missing", 1, 0),
    ]


def test_answers_of_other_replies_are_refused_in_a_sentence() -> None:
    asked = items("BB")
    rows_of = answers(asked, [reply(1, 0, "(B)")]).rows
    with pytest.raises(Fault, match=r"line 1 of a was read from another reply .* materialize evaluation/answers"):
        readings(rows_of, [reply(1, 1, "(B)")], asked, evaluation="a")
