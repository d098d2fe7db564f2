"""`assets.models.replay`: replies files in both forms, with every quirk of the released ones."""

import pytest

from assets.evaluation.rows import Reply
from assets.models.replay import replies, stored, turns
from assets.sources.jsonlines import Unreadable


def reply(record, benchmark="m3cot"):
    [found] = replies([(1, {"id": "a-1", **record})], benchmark)
    return found


@pytest.mark.parametrize(
    ("messages", "text", "status"),
    [
        (["question", "(A) it is"], "(A) it is", "ok"),
        (["question", "description", "so?", " B"], " B", "ok"),
        (["question", "reply", "so?"], "so?", "ok"),
        (["reply alone"], "reply alone", "ok"),
        (["q", "B"], "B", "ok"),
        (["q", "r", "s", "B"], "B", "ok"),
        (["question", ""], "", "empty"),
        (["question", "  \n"], "  \n", "empty"),
        (["question", "REJECT"], "REJECT", "filtered"),
        (["question", " BLOCKED\n"], " BLOCKED\n", "filtered"),
        (["question", "I would reject (A)"], "I would reject (A)", "ok"),
    ],
)
def test_the_last_message_is_the_reply(messages, text, status):
    found = reply({"messages": messages})
    assert (found.text, found.status) == (text, status)


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        (["question", "E", "J", "E", "C", "T"], "T"),
        (["question", "description", *"REJECT"], "T"),
        (["question", *"BLOCKED"], "D"),
        (["question", "description", "again", *"None"], "e"),
        (["question", "N", "O"], "O"),
        (list("REJECT"), "T"),
        ("REJECT", "T"),
        ("BLOCKED", "D"),
        ("A", "A"),
    ],
)
def test_a_string_where_turns_belong_is_an_error_and_the_published_script_still_sees_its_end(messages, text):
    found = reply({"messages": messages})
    assert (found.text, found.status) == (text, "error")


@pytest.mark.parametrize("messages", [None, [], "", 5, {"role": "user"}, ["question", {"content": "B"}], [None]])
def test_a_reply_without_text_is_an_error(messages):
    found = reply({"messages": messages})
    assert (found.text, found.status, found.dropped) == (None, "error", None)


def test_comt_has_one_response():
    assert reply({"response": "ANSWER: (A)"}, "comt")[4:6] == ("ANSWER: (A)", "ok")
    assert reply({"response": ""}, "comt")[4:6] == ("", "empty")
    assert reply({"response": ["A"]}, "comt")[4:6] == (None, "error")
    assert reply({}, "comt")[4:6] == (None, "error")


def test_a_record_keeps_a_status_of_its_own():
    assert reply({"messages": ["q", "(A)"], "status": "error"}).status == "error"
    assert reply({"messages": ["q", "(A)"], "status": "done"}).status == "ok"
    assert reply({"messages": ["q", "(A)"], "status": ["error"]}).status == "ok"


def test_own_options_are_kept_and_their_absence_too():
    assert reply({"messages": ["q", "B"], "choices": ["x", "None"]}).choices == ("x", "None")
    assert reply({"messages": ["q", "B"], "choices": ["x", 3]}).choices == ("x", None)
    assert reply({"messages": ["q", "B"], "choices": "xy"}).choices == (None,)
    assert reply({"messages": ["q", "B"]}).choices is None


@pytest.mark.parametrize("sample_id", [None, "", 1.0, ["a"], True])
def test_a_record_without_a_usable_id_is_dropped(sample_id):
    assert reply({"id": sample_id, "messages": ["q", "B"]}).dropped == "no_id"


def test_a_whole_number_is_an_id():
    assert reply({"id": 7, "messages": ["q", "B"]}).sample_id == "7"


def test_unreadable_lines_come_out():
    lines = [(1, {"id": "a", "messages": ["q", "B"]}), (2, Unreadable("f", 2, "blank_line", "")), (3, {"messages": []})]
    found = list(replies(lines))
    assert [(one.line, one.dropped) for one in found] == [(1, None), (2, "blank_line"), (3, "no_id")]


@pytest.mark.parametrize(
    "record",
    [
        {"messages": ["q", "(A)"], "choices": ["x", "y"]},
        {"messages": ["question", *"REJECT"]},
        {"messages": "REJECT"},
        {"messages": ["q", ""]},
        {"messages": ["q", None]},
        {"messages": []},
        {},
    ],
)
def test_what_the_prediction_table_keeps_gives_the_same_reply_back(record):
    first = reply(record)
    row = {**first._asdict(), "turns": turns(first)}
    row["choices"] = None if first.choices is None else list(first.choices)
    assert stored(row) == first


def test_turns_alternate_and_a_lone_message_is_the_models():
    roles = [turn["role"] for turn in turns(reply({"messages": ["p", "r", "p", "r"]}))]
    assert roles == ["user", "assistant", "user", "assistant"]
    assert [turn["role"] for turn in turns(reply({"messages": ["r"]}))] == ["assistant"]
    assert turns(reply({"response": "r"}, "comt"), "comt") == [
        {"role": "assistant", "parts": [{"kind": "text", "text": "r", "image_id": None}]}
    ]
    assert turns(Reply(1, "a", None, None, None, "error")) is None
