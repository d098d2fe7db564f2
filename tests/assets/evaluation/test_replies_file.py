"""`assets.evaluation.replies_file`: a person's own file, or one sentence on why it cannot be scored."""

import json

import pytest

from assets.evaluation.replies_file import evaluate, read_samples
from assets.sources.jsonlines import SourceError

ITEM = {"choices": ["a kite", "a ball"], "answer": "B", "domain": "science", "topic": "natural-science"}
COMT = {"option": ["1", "2", "3", "4"], "answer": "A", "type": "update"}


@pytest.fixture
def write(tmp_path):
    def written(*records, name="replies.jsonl"):
        path = tmp_path / name
        lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return written


def test_the_records_own_items_are_the_split(write):
    path = write({"id": "a", "messages": ["q", "(B)"], **ITEM}, {"id": "b", "messages": ["q", "(A)"], **ITEM})
    found = evaluate(path, "m3cot")
    assert list(found.samples.items) == ["a", "b"]
    assert (found.records, found.quarantine, found.answered.missing) == (2, [], ())


def test_samples_decide_options_and_labels_when_given(write):
    samples = read_samples(write({"id": "a", **ITEM}, {"id": "b", **ITEM}, name="samples.jsonl"), "m3cot")
    found = evaluate(write({"id": "a", "messages": ["q", "a ball"], "answer": "A"}), "m3cot", samples)
    assert [row.correct for row in found.answered.rows if row.counted and row.status == "ok"] == [True, True]
    assert found.answered.missing == ("b",)


def test_every_line_that_is_set_aside_has_file_line_and_reason(write):
    path = write(
        {"id": "a", "messages": ["q", "(B)"], **ITEM},
        "",
        "nonsense",
        {"messages": ["q", "(B)"], **ITEM},
        {"id": "b", "messages": ["q", "(B)"]},
        {"id": "c", "messages": ["q", "(B)"], "choices": ["x", "y"]},
        {"id": "a", "messages": ["q", "(A)"], **ITEM},
    )
    found = evaluate(path, "m3cot")
    assert {(row.file, row.line, row.reason) for row in found.quarantine} == {
        (str(path), 2, "blank_line"),
        (str(path), 3, "invalid_json"),
        (str(path), 4, "no_id"),
        (str(path), 5, "no_choices"),
        (str(path), 6, "no_answer"),
        (str(path), 7, "duplicate_id"),
    }
    assert found.records == 7 == len(found.quarantine) + found.answered.flow.retained


def test_lines_of_the_samples_that_are_set_aside_are_listed_too(write):
    path = write({"id": "a", **ITEM}, "", {"id": "a", **ITEM}, {"id": "b"}, name="samples.jsonl")
    samples = read_samples(path, "m3cot")
    assert [(row.line, row.reason) for row in samples.quarantine] == [
        (2, "blank_line"),
        (3, "duplicate_id"),
        (4, "no_choices"),
    ]
    found = evaluate(write({"id": "a", "messages": ["(B)"]}, {"id": "b", "messages": ["(B)"]}), "m3cot", samples)
    assert [(row.key, row.reason) for row in found.quarantine] == [("b", "no_choices")]


@pytest.mark.parametrize(
    ("records", "benchmark", "sentence"),
    [
        ([], "m3cot", "is empty"),
        (["nonsense", ""], "m3cot", r"none of its 2 lines is a JSON record \(invalid_json 1, blank_line 1\)"),
        ([{"id": "a", "response": "x"}], "m3cot", "score it with --benchmark comt"),
        ([{"id": "a", "messages": ["x"], **ITEM}], "comt", "score it with --benchmark m3cot"),
        ([{"id": "a", "prediction": "x"}], "m3cot", r"they lack messages \(they have id, prediction\)"),
        ([{"id": "a", "messages": ["(A)"]}], "m3cot", "no record carries choices and answer.*--samples"),
        ([{"id": "a", "response": "(A)"}], "comt", "no record carries option and answer.*--samples"),
        ([{"messages": ["(A)"], **ITEM}], "m3cot", "no record carries choices and answer.*--samples"),
    ],
)
def test_a_file_that_cannot_be_scored_says_why_in_one_sentence(write, records, benchmark, sentence):
    with pytest.raises(SourceError, match=sentence) as raised:
        evaluate(write(*records), benchmark)
    assert "\n" not in str(raised.value)


def test_replies_to_other_samples_say_so(write):
    samples = read_samples(write({"id": "a", **ITEM}, name="samples.jsonl"), "m3cot")
    with pytest.raises(SourceError, match=r"none of its ids is among the samples of .*samples.jsonl.*'x'"):
        evaluate(write({"id": "x", "messages": ["(A)"], **ITEM}), "m3cot", samples)


@pytest.mark.parametrize(
    ("records", "benchmark", "sentence"),
    [
        (
            [{"id": "a", "choices": ["x", "y"], "gold": "A"}],
            "m3cot",
            r"they lack answer \(they have choices, gold, id\)",
        ),
        ([{"id": "a", **COMT}], "m3cot", "score it with --benchmark comt"),
        ([{"id": "a", **ITEM}], "comt", "score it with --benchmark m3cot"),
        ([{"id": "a", "choices": [], "answer": "A"}], "m3cot", "their id, choices, answer cannot be used"),
        ([], "m3cot", "is empty"),
    ],
)
def test_samples_of_which_none_can_be_used_say_why(write, records, benchmark, sentence):
    with pytest.raises(SourceError, match=sentence):
        read_samples(write(*records), benchmark)


def test_options_called_none_or_na_are_read_as_text(write):
    choices = ["None", "NA", "null", "N/A"]
    path = write({"id": "a", "messages": ["q", "The answer is N/A"], **ITEM, "choices": choices, "answer": "D"})
    assert [row.letter for row in evaluate(path, "m3cot").answered.rows] == ["D", "D"]


def test_comt_replies_are_scored_against_its_data_file(write):
    samples = read_samples(write({"id": 1, **COMT}, {"id": 2, **COMT}, name="data.jsonl"), "comt")
    path = write({"id": 1, "response": "so ANSWER: (A)"}, {"id": 2, "response": "ANSWER: (B)"})
    found = evaluate(path, "comt", samples)
    assert [row.correct for row in found.answered.rows] == [True, False, True, False]
