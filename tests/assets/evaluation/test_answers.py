"""`assets.evaluation.answers`: what each policy counts, with which options, and what is set aside."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.evaluation.answers import answers
from assets.evaluation.rows import Answer, Item, Reply
from assets.schema.tables import TABLES
from assets.schema.vocabulary import ANSWER_STATUSES

CHOICES = ("a brass kettle", "a kettle", "a blue lamp", "none of the above")


def item(sample_id, answer="B", choices=CHOICES, task=None):
    return Item(sample_id, choices, answer, "science", "natural-science", "kettles", task)


def reply(line, sample_id, text, choices=None, status="ok", dropped=None):
    return Reply(line, sample_id, choices, ("prompt", text), text, status, dropped)


def split(*items):
    return {one.id: one for one in items}


def brief(found, extractor):
    return [
        (row.line, row.sample_id, row.letter, row.status, row.counted, row.correct)
        for row in found.rows
        if row.extractor == extractor
    ]


def test_an_answer_has_the_columns_of_the_table():
    assert ["evaluation", *Answer._fields] == TABLES["answer"].names


def test_each_extractor_reads_each_reply():
    found = answers(split(item("a"), item("b")), [reply(1, "a", "(b)"), reply(2, "b", "Person(s) seen. Choose B")])
    assert brief(found, "paper") == [(1, "a", "B", "ok", True, True), (2, "b", "S", "ok", True, False)]
    assert brief(found, "strict") == [(1, "a", "B", "ok", True, True), (2, "b", "B", "ok", True, True)]
    assert found.flow == ("evaluation/answers", "", 2, 0, 2, 0, 0, {})


def test_a_missing_sample_is_wrong_for_strict_and_not_counted_for_paper():
    found = answers(split(item("a"), item("b"), item("c")), [reply(1, "b", "(B)")])
    assert found.missing == ("a", "c")
    assert [row[3:] for row in brief(found, "strict")] == [
        ("ok", True, True),
        ("missing", True, False),
        ("missing", True, False),
    ]
    assert [row[3:] for row in brief(found, "paper")] == [
        ("ok", True, True),
        ("missing", False, False),
        ("missing", False, False),
    ]


def test_the_policy_can_be_set_apart_from_the_extractor():
    found = answers(split(item("a"), item("b")), [reply(1, "b", "(B)")], policy="strict")
    assert sum(row.counted for row in found.rows) == 4
    found = answers(split(item("a"), item("b")), [reply(1, "b", "(B)")], policy="paper")
    assert sum(row.counted for row in found.rows) == 2


def test_of_a_repeated_id_the_first_counts_for_m3cot_and_the_second_is_listed():
    found = answers(split(item("a")), [reply(1, "a", "(A)"), reply(2, "a", "(B)")], evaluation="e", file="f")
    assert brief(found, "paper") == brief(found, "strict") == [(1, "a", "A", "ok", True, False)]
    assert found.quarantine == [("e", "f", 2, "a", "duplicate_id", "(B)")]
    assert found.flow == ("evaluation/answers", "e", 2, 0, 1, 0, 1, {"duplicate_id": 1})


def test_of_a_repeated_id_both_count_for_comt_by_the_published_rule_and_one_by_ours():
    items = split(item("a", task="creation"))
    found = answers(items, [reply(1, "a", "(A)"), reply(2, "a", "(B)")], "comt")
    assert [row[2] for row in brief(found, "paper")] == ["A", "B"]
    assert [row[2] for row in brief(found, "strict")] == ["A"]
    assert [row.reason for row in found.quarantine] == ["duplicate_id"]


def test_an_unknown_id_is_listed_and_counts_only_where_the_published_script_would_raise():
    found = answers(split(item("a")), [reply(1, "a", "(B)"), reply(2, "x", "(B)")])
    assert len(brief(found, "paper")) == len(brief(found, "strict")) == 1
    assert [(row.line, row.key, row.reason) for row in found.quarantine] == [(2, "x", "unknown_id")]
    comt = answers(split(item("a", task="update")), [reply(1, "a", "(B)"), reply(2, "x", "(B)")], "comt")
    assert brief(comt, "paper")[1] == (2, "x", None, "not_evaluable", True, False)
    assert len(brief(comt, "strict")) == 1


def test_an_id_whose_own_record_is_no_item_says_so():
    found = answers(split(item("a")), [reply(1, "a", "(B)"), reply(2, "x", "(B)")], unscorable={"x": "no_choices"})
    assert found.flow.reasons == {"no_choices": 1}


@pytest.mark.parametrize("benchmark", ["m3cot", "comt"])
def test_a_reply_to_a_sample_of_another_split_is_set_aside_and_counts_nowhere(benchmark):
    items = split(item("a", task="update"))
    found = answers(items, [reply(1, "a", "(B)"), reply(2, "x", "(B)")], benchmark, unscorable={"x": "other_split"})
    assert [(row.key, row.reason) for row in found.quarantine] == [("x", "other_split")]
    assert brief(found, "paper") == brief(found, "strict") == [(1, "a", "B", "ok", True, True)]


def test_a_task_that_comt_does_not_have_is_not_evaluable_by_the_published_rule():
    found = answers(split(item("a", task="other")), [reply(1, "a", "(B)")], "comt")
    assert brief(found, "paper") == [(1, "a", None, "not_evaluable", True, False)]
    assert brief(found, "strict") == [(1, "a", "B", "ok", True, True)]


def test_a_dropped_reply_does_not_enter():
    found = answers(split(item("a")), [reply(1, None, None, dropped="no_id"), reply(2, "a", "(B)")])
    assert found.flow.entered == 1
    assert found.missing == ()


@pytest.mark.parametrize("status", ["error", "filtered", "empty"])
def test_a_failed_reply_is_no_answer_for_strict_and_what_it_was_for_paper(status):
    found = answers(split(item("a", "D")), [reply(1, "a", "D", status=status)])
    assert brief(found, "strict") == [(1, "a", None, status, True, False)]
    assert brief(found, "paper") == [(1, "a", "D", status, True, True)]


def test_a_reply_without_text_is_not_evaluable_for_paper_and_an_error_for_strict():
    found = answers(split(item("a")), [reply(1, "a", None, status="error")])
    assert brief(found, "paper") == [(1, "a", None, "not_evaluable", True, False)]
    assert brief(found, "strict") == [(1, "a", None, "error", True, False)]


def test_an_option_that_is_no_text_makes_the_published_rule_fail_only_when_it_gets_there():
    items = split(item("a", choices=("x", None)), item("b", choices=("x", None)))
    found = answers(items, [reply(1, "a", "(B)"), reply(2, "b", "the second")])
    assert [row[2:4] for row in brief(found, "paper")] == [("B", "ok"), (None, "not_evaluable")]
    assert [row[2:4] for row in brief(found, "strict")] == [("B", "ok"), (None, "none")]


def test_the_options_of_the_record_are_read_and_a_difference_is_listed():
    items = split(item("a", "B"), item("b", "B"))
    found = answers(items, [reply(1, "a", "red", ("blue", "red")), reply(2, "b", "(B)", CHOICES)])
    assert brief(found, "paper")[0][2] == brief(found, "strict")[0][2] == "B"
    assert found.mismatches == [(1, "a", ("blue", "red"), CHOICES, False)]


def test_rearranged_options_are_told_apart_by_their_text_for_strict_only():
    items = split(item("a", "A", ("red", "blue", "green")))
    found = answers(items, [reply(1, "a", "(C)", ("blue", "green", "red"))])
    assert brief(found, "strict") == [(1, "a", "A", "ok", True, True)]
    assert brief(found, "paper") == [(1, "a", "C", "ok", True, False)]
    assert found.mismatches[0].rearranged


def test_a_letter_beyond_the_items_options_is_none_for_strict():
    items = split(item("a", "A", ("red", "blue")))
    found = answers(items, [reply(1, "a", "(C)", ("red", "blue", "green"))])
    assert brief(found, "strict") == [(1, "a", None, "none", True, False)]
    assert brief(found, "paper") == [(1, "a", "C", "ok", True, False)]


def test_repeated_options_are_no_rearrangement():
    items = split(item("a", "B", ("red", "blue", "red")))
    found = answers(items, [reply(1, "a", "(B)", ("red", "red", "blue"))])
    assert brief(found, "strict")[0][2] == "B"
    assert not found.mismatches[0].rearranged


def test_only_the_extractors_asked_for_run():
    items, replies = split(item("a")), [reply(1, "a", "(B)")]
    assert {row.extractor for row in answers(items, replies, extractors=("paper",)).rows} == {"paper"}
    assert answers(items, replies, extractors=()).rows == []


def test_every_status_is_a_declared_one():
    replies = [reply(n, f"s{n}", text) for n, text in enumerate(["", "(A)", "I'm sorry, I can't help.", "A or B", "?"])]
    found = answers(split(*(item(f"s{n}") for n in range(7))), replies)
    assert {row.status for row in found.rows} <= set(ANSWER_STATUSES)


def published_count(items, records):
    """Samples counted and right as M3CoT's `metric` has it, in our words."""
    seen, n, right = [], 0, 0
    for sample_id, text, choices in records:
        if sample_id in seen:
            continue
        seen.append(sample_id)
        found = [one for one in items if one.id == sample_id]
        if not found:
            continue
        n += 1
        options = found[0].choices if choices is None else choices
        letters = re.findall(r"\(([A-Za-z])\)", text)
        texts = ["ABCDEF"[place] for place, option in enumerate(options) if option.lower() in text.lower()]
        pieces = re.sub(r"[\n.,!?]", " ", text).split(" ")
        bare = [letter for letter in "ABCDEF"[: len(options)] if letter in pieces]
        lower = [letter for letter in "ABCDEF"[: len(options)] if letter.lower() in pieces]
        right += ([letter.upper() for letter in letters] or texts or bare or lower or [None])[-1] == found[0].answer
    return n, right


texts = st.sampled_from(["(A)", "(b) or (C)", "B.", "a", "red", "blue red", "", "none", "A red B", "(s)", "C\r"])
records = st.lists(st.tuples(st.sampled_from("abcdx"), texts, st.sampled_from([None, ("blue", "red"), ("red",)])))


@given(records)
def test_policy_paper_counts_as_the_published_loop_does(records):
    items = [
        item(sample_id, answer, ("red", "blue", "green")) for sample_id, answer in zip("abcd", "ABCA", strict=True)
    ]
    replies = [reply(line, *record) for line, record in enumerate(records, start=1)]
    found = answers(split(*items), replies, extractors=("paper",))
    counted = [row for row in found.rows if row.counted]
    assert (len(counted), sum(row.correct for row in counted)) == published_count(items, records)
    assert found.flow.entered == found.flow.retained + found.flow.quarantined == len(records)


@given(records)
def test_policy_strict_counts_every_sample_once_and_never_a_letter_outside_the_item(records):
    items = [item(sample_id, "A", ("red", "blue")) for sample_id in "abcd"]
    replies = [reply(line, *record) for line, record in enumerate(records, start=1)]
    found = answers(split(*items), replies, extractors=("strict",))
    assert sorted(row.sample_id for row in found.rows if row.counted) == list("abcd")
    assert {row.letter for row in found.rows} <= {"A", "B", None}


@pytest.mark.parametrize("benchmark", ["m3cot", "comt"])
def test_of_several_people_every_reply_counts_under_both_policies(benchmark):
    items = split(*(item(sample_id, task="update") for sample_id in "abc"))
    said = [reply(1, "a", "(B)"), reply(2, "b", "(A)"), reply(3, "a", "(C)"), reply(4, "a", "(B)")]
    found = answers(items, said, benchmark, several=True)
    lines = [(1, "a", "B", "ok", True, True), (2, "b", "A", "ok", True, False), (3, "a", "C", "ok", True, False)]
    lines.append((4, "a", "B", "ok", True, True))
    assert brief(found, "strict") == [*lines, (None, "c", None, "missing", True, False)]
    assert brief(found, "paper") == [*lines, (None, "c", None, "missing", False, False)]
    assert found.missing == ("c",)
    assert found.quarantine == []
    assert found.flow == ("evaluation/answers", "", 4, 0, 4, 0, 0, {})


def test_of_several_people_unknown_ids_and_other_options_are_still_listed():
    said = [reply(1, "a", "(B)"), reply(2, "a", "(B)", ("x", "y")), reply(3, "z", "(B)")]
    found = answers(split(item("a")), said, several=True)
    assert [(row.line, row.reason) for row in found.quarantine] == [(3, "unknown_id")]
    assert [one.line for one in found.mismatches] == [2]
