"""`assets.sources.m3cot_released`: released items as rows of table `sample`, and as items."""

import pytest

from assets.evaluation.rows import Item
from assets.schema.sample import Sample
from assets.schema.tables import TABLES
from assets.sources.jsonlines import Unreadable
from assets.sources.m3cot_released import NoItem, item, items, samples

RELEASED = {
    "id": "physical-commonsense-1398",
    "category": "Usage Purpose",
    "context": "",
    "question": "What is it for?",
    "choices": ["a kite", "a ball"],
    "image_id": "1498",
    "answer": "B",
    "domain": "commonsense",
    "topic": "physical-commonsense",
}


def rows(*records, **options):
    return list(samples(enumerate(records, start=1), file="items.jsonl", **options))


def test_a_sample_has_the_columns_of_the_table():
    assert sorted(Sample._fields) == sorted(TABLES["sample"].names)


def test_a_released_item_becomes_a_sample_of_the_test_split():
    [row] = rows(RELEASED)
    assert row.id == row.source_id == "physical-commonsense-1398"
    assert (row.benchmark, row.domain, row.topic) == ("m3cot", "commonsense", "physical-commonsense")
    assert (row.subtopic, row.category, row.task) == ("physical-commonsense", "Usage Purpose", None)
    assert (row.question, row.context) == ("What is it for?", "")
    assert (row.choices, row.answer, row.split) == (("a kite", "a ball"), "B", "test")
    assert (row.dropped, row.quarantined) == (None, None)


@pytest.mark.parametrize(("own", "split"), [("dev", "validation"), ("validation", "validation"), ("train", "train")])
def test_both_spellings_of_validation_are_accepted(own, split):
    assert rows({**RELEASED, "split": own})[0].split == split


def test_options_called_none_or_na_stay_text():
    choices = ["None", "NA", "null", "N/A", "nan"]
    assert rows({**RELEASED, "choices": choices})[0].choices == tuple(choices)


def test_an_option_that_is_no_text_is_none_for_m3cot_and_its_text_for_comt():
    assert item({**RELEASED, "choices": ["a", 5]}).choices == ("a", None)
    assert item({**RELEASED, "option": ["a", 5]}, "comt").choices == ("a", "5")


@pytest.mark.parametrize(("answer", "letter"), [(0, "A"), (True, "B"), (-1, "F"), ("b", "b"), (" B", " B")])
def test_a_number_is_a_place_in_the_letter_table_and_text_stays(answer, letter):
    assert item({**RELEASED, "answer": answer}).answer == letter


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": None}, "no_id"),
        ({"id": ""}, "no_id"),
        ({"id": 1.5}, "no_id"),
        ({"choices": None}, "no_choices"),
        ({"choices": []}, "no_choices"),
        ({"choices": ["x"] * 27}, "too_many_choices"),
        ({"answer": None}, "no_answer"),
        ({"answer": ""}, "no_answer"),
        ({"answer": ["B"]}, "no_answer"),
        ({"answer": 6}, "answer_past_choices"),
    ],
)
def test_a_record_that_is_no_item_is_quarantined_with_its_reason(change, reason):
    [row] = rows({**RELEASED, **change})
    assert row.dropped == reason
    assert row.quarantined[:2] == ("items.jsonl", 1)
    assert isinstance(item({**RELEASED, **change}), NoItem)


def test_unreadable_lines_and_second_ids_stay_in_the_table():
    found = rows(Unreadable("items.jsonl", 1, "blank_line", ""), RELEASED, {**RELEASED, "answer": "A"})
    assert [(row.id, row.dropped) for row in found] == [
        (None, "blank_line"),
        (RELEASED["id"], None),
        (RELEASED["id"], "duplicate_id"),
    ]
    assert list(items(found).values()) == [
        Item(RELEASED["id"], ("a kite", "a ball"), "B", "commonsense", "physical-commonsense", "Usage Purpose", None)
    ]


def test_a_comt_item_has_its_options_and_task():
    record = {"id": "creation-3", "question": "?", "option": ["1", "2", "3", "4"], "answer": "D", "type": "creation"}
    [row] = rows(record, benchmark="comt", source="comt_released")
    assert (row.choices, row.answer, row.task) == (("1", "2", "3", "4"), "D", "creation")
    assert (row.domain, row.topic, row.subtopic) == (None, None, None)


def test_a_record_nested_deeper_than_can_be_written_is_still_only_quarantined():
    nested = value = []
    for _ in range(600):
        value.append([])
        value = value[0]
    [row] = rows({"id": "x", "choices": nested[:0], "deep": nested})
    assert row.dropped == "no_choices"
