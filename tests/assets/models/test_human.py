"""`assets.models.human`: replies of people from a file, and their mean."""

import gzip
import json

import pytest

from assets.evaluation.answers import answers
from assets.evaluation.rows import Item
from assets.models import human, replay
from assets.schema.tables import as_table
from assets.sources import jsonlines
from assets.sources.jsonlines import Unreadable


def rows(*records, benchmark="m3cot"):
    return list(human.rows("people", "people.jsonl", enumerate(records, start=1), benchmark))


def one(**record):
    [row] = rows({"participant": "p1", "id": "a", **record})
    return row


def texts(row):
    return [[part["text"] for part in turn["parts"]] for turn in row["turns"]]


@pytest.mark.parametrize(
    ("record", "said", "status"),
    [
        ({"letter": "B"}, ["(B)"], "ok"),
        ({"letter": " (b) "}, ["(B)"], "ok"),
        ({"text": "It is blue, so B."}, ["It is blue, so B."], "ok"),
        ({"text": "A looks right, but no.", "letter": "B"}, ["A looks right, but no.", "(B)"], "ok"),
        ({"text": " ", "letter": "B"}, ["(B)"], "ok"),
        ({"text": "I cannot tell", "letter": None}, ["I cannot tell"], "ok"),
        ({"letter": None}, [""], "empty"),
        ({"letter": ""}, [""], "empty"),
        ({"text": " \n"}, [" \n"], "empty"),
    ],
)
def test_what_a_person_said_is_kept_and_the_last_is_scored(record, said, status):
    row = one(**record)
    assert texts(row) == [[text] for text in said]
    assert {turn["role"] for turn in row["turns"]} == {"assistant"}
    assert (row["status"], row["dropped"], row["fingerprint"]) == (status, None, "p1")
    assert replay.stored(row).text == said[-1]


@pytest.mark.parametrize(
    "record",
    [{}, {"text": None}, {"text": 5}, {"letter": 2}, {"letter": "AB"}, {"letter": "7"}, {"text": ["x"], "letter": "A"}],
)
def test_what_is_no_answer_is_dropped_with_its_line(record):
    row = one(**record)
    assert (row["dropped"], row["quarantined"], row["sample_id"]) == (
        "no_answer",
        ("people.jsonl", 1, None),
        "a",
    )


def test_every_reason_is_said_and_only_a_persons_second_answer_to_a_sample_is_one_too_many():
    found = rows(
        {"participant": "p1", "id": "a", "letter": "A"},
        Unreadable("people.jsonl", 2, "invalid_json", "{"),
        {"participant": "p1", "letter": "A"},
        {"id": "a", "letter": "A"},
        {"participant": " ", "id": "a", "letter": "A"},
        {"participant": "p2", "id": "a"},
        {"participant": "p2", "id": "a", "letter": "C"},
        {"participant": "p1", "id": "a", "letter": "B"},
        {"participant": 7, "id": 5, "text": "D"},
        {"participant": "p1 ", "id": "a", "letter": "B"},
    )
    assert [(row["line"], row["dropped"]) for row in found] == [
        (1, None),
        (2, "invalid_json"),
        (3, "no_id"),
        (4, "no_participant"),
        (5, "no_participant"),
        (6, "no_answer"),
        (7, None),
        (8, "duplicate_id"),
        (9, None),
        (10, "duplicate_id"),
    ]
    assert found[1]["quarantined"] == ("people.jsonl", 2, "{")
    assert found[7]["quarantined"] == ("people.jsonl", 8, "(B)")
    assert (found[8]["fingerprint"], found[8]["sample_id"]) == ("7", "5")
    assert {row["dropped"] for row in found} - {None, "invalid_json"} == set(human.REASONS)


def test_the_options_are_those_that_the_person_saw():
    assert one(letter="A")["choices"] is None
    assert one(letter="A", choices=["x", "y"])["choices"] == ("x", "y")
    [row] = rows({"participant": "p", "id": "a", "letter": "A", "option": ["x", 2]}, benchmark="comt")
    assert row["choices"] == ("x", "2")


def test_a_gzipped_file_becomes_a_table_of_predictions(tmp_path):
    lines = [{"participant": "p1", "id": "a", "letter": "A"}, {"participant": "p2", "id": "a", "text": "é"}]
    path = tmp_path / "people.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    table = as_table("prediction", human.rows("people", "people.jsonl.gz", jsonlines.read(path)))
    assert table["fingerprint"].to_pylist() == ["p1", "p2"]
    assert [replay.stored(row).text for row in table.to_pylist()] == ["(A)", "é"]


def scored(*said):
    """What people said, (participant, sample, letter) each, and the answers; `B` is right everywhere."""
    items = {key: Item(key, ("x", "y", "z"), "B", None, None, None, None) for key in "abc"}
    found = rows(*({"participant": who, "id": key, "letter": letter} for who, key, letter in said))
    answered = answers(items, [replay.stored(row) for row in found if row["dropped"] is None], several=True)
    return found, answered


def test_with_equal_coverage_the_replies_average_to_the_mean_over_participants():
    found, answered = scored(
        ("p1", "a", "B"), ("p1", "b", "B"), ("p2", "a", "A"), ("p2", "b", "B"), ("p1", "c", "C"), ("p2", "c", "C")
    )
    people = human.participants(found, answered.rows)
    assert [one for one in people if one.extractor == "strict"] == [
        ("strict", "p1", 3, 2, 2 / 3),
        ("strict", "p2", 3, 1, 1 / 3),
    ]
    assert human.mean_accuracy(people) == pytest.approx({"paper": 0.5, "strict": 0.5})
    right = [row.correct for row in answered.rows if row.extractor == "strict" and row.counted]
    assert (sum(right), len(right)) == (3, 6)


def test_with_unequal_coverage_the_mean_over_participants_is_another():
    found, answered = scored(("p1", "a", "B"), ("p2", "a", "A"), ("p2", "b", "A"), ("p2", "c", "A"))
    assert human.mean_accuracy(human.participants(found, answered.rows)) == {"paper": 0.5, "strict": 0.5}
    right = [row.correct for row in answered.rows if row.extractor == "strict" and row.counted]
    assert (sum(right), len(right)) == (1, 4)


def test_a_sample_that_nobody_answered_is_no_participants():
    found, answered = scored(("p1", "a", "B"))
    assert answered.missing == ("b", "c")
    assert human.participants(found, answered.rows) == [("paper", "p1", 1, 1, 1.0), ("strict", "p1", 1, 1, 1.0)]
