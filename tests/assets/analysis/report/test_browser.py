"""The data of the browser of samples: columns, chunks, numbers of pictures."""

import base64
import json
import zlib
from typing import Any

from assets.analysis.report.browser import Browser, Edition, packed
from assets.schema.tables import as_table
from tests.assets.analysis.report.report_tables import (
    DRAWN,
    HOSTILE,
    PREDICTIONS,
    QUESTION,
    SPAN,
    UNKNOWN,
    browser,
    evaluated,
    sample,
    table,
)


def unpacked(content: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(content), -15))


def test_samples_that_were_asked_come_first_and_dropped_ones_are_not_there() -> None:
    index = browser().index()
    assert index["groups"] == [["m3cot", "released", "test", 0, 3], ["m3cot", "released", "train", 3, 1]]
    assert index["ids"] == ["s-1", "s-2", "s-3", "s-4"]
    assert index["labels"] == "ABAB"
    assert [index["topics"][number] for number in index["topic"]] == ["algebra", "geometry", "algebra", "geometry"]


def test_an_evaluation_is_a_letter_a_sample_in_each_column() -> None:
    first, second = browser().index()["evaluations"]
    assert (first["name"], first["group"], second["name"]) == ("first_cot", 0, "second_cot")
    assert (first["paper"], first["strict"], first["right"]) == ("AB-", "AC-", "310")
    assert (second["paper"], second["strict"], second["right"]) == ("A-A", "B-A", "103")
    statuses = browser().index()["statuses"]
    assert [statuses[ord(code) - ord("a")] for code in first["status"] + second["status"]] == [
        *("ok", "ok", "missing"),
        *("ok", "refusal", "ok"),
    ]


def test_a_sample_past_an_evaluations_limit_was_not_asked() -> None:
    limited = evaluated("second_cot")
    limited = limited._replace(answers=limited.answers.slice(0, 1))
    [one] = Browser([Edition("m3cot", "released", table())], [limited], "small").index()["evaluations"]
    assert (one["paper"], one["strict"], one["status"], one["right"]) == ("A  ", "   ", "a  ", "1  ")


def test_an_evaluation_whose_samples_are_not_there_has_no_group() -> None:
    [one] = Browser([], [evaluated("second_cot")], "small").index()["evaluations"]
    assert (one["group"], one["strict"]) == (-1, "")


def test_pictures_are_numbered_by_where_they_are_needed_first_questions_then_rationales() -> None:
    assert browser().pictures == {QUESTION.image_id: 0, UNKNOWN.image_id: 1, DRAWN.image_id: 2}


def test_texts_hold_the_sample_with_the_numbers_of_its_pictures() -> None:
    [chunk] = browser().texts()
    held = unpacked(chunk.content)
    assert (chunk.name, len(held)) == ("t0", 4)
    assert held[0] == {
        "q": "Which one is number 1?",
        "c": "A <b>context</b>.",
        "o": ["one", "two", "three"],
        "i": [0],
        "r": ["First this. ", 2],
        "s": "generated",
        "p": "generated",
    }
    assert "i" not in held[2]


def test_dialogues_share_their_texts_and_carry_what_each_extractor_read() -> None:
    [(chunk, count)] = browser().chunks()
    held = unpacked(chunk.content)
    assert (chunk.name, count, len(held["of"])) == ("d0", {"first_cot": 2, "second_cot": 3}, 4)
    assert held["texts"].count("The prompt of sample 1.") == 1
    [[line, status, turns, paper, strict, options]] = held["of"][1]["0"]
    assert (line, status) == (2, "ok")
    assert [(speaker, [held["texts"][part] for part in parts]) for speaker, parts in turns] == [
        (0, ["The prompt of sample 2."]),
        (1, [HOSTILE]),
    ]
    assert paper == ["B", "paper_rule", list(SPAN), "ok", 1, 1]
    assert strict == ["C", "strict_rule", list(SPAN), "ok", 1, 0]
    assert options == ["two", "one", "three"]
    [[_, _, turns, _, _, options]] = held["of"][0]["1"]
    assert options is None
    assert turns[1][1][1] == -1 - 2
    assert "0" not in held["of"][2]


def test_replies_to_no_sample_are_not_counted() -> None:
    assert browser().dialogues == 5


def test_a_chunk_is_raw_deflate_of_json_in_base64() -> None:
    said = {"said": "ü 😀 </script> \u2028"}
    assert unpacked(packed(said)) == said


def test_many_samples_are_several_chunks() -> None:
    rows = [sample(number) for number in range(130)]
    many = Browser([Edition("m3cot", "released", table(rows))], [evaluated("second_cot")], "small")
    assert [chunk.name for chunk in many.texts()] == ["t0", "t1"]
    assert [chunk.name for chunk, _ in many.chunks()] == ["d0"]


def test_each_stored_reply_is_shown_or_counted_by_why_it_is_not() -> None:
    first, second = browser().accounts()
    assert (first.evaluation, first.stored, first.shown, dict(first.others)) == (
        *("first_cot", 3, 2),
        {"to no sample of the split": 1},
    )
    assert (second.stored, second.shown, dict(second.others)) == (3, 3, {})
    rows = [PREDICTIONS["second_cot"][0], PREDICTIONS["second_cot"][1] | {"dropped": "no_text"}]
    some = evaluated("second_cot", predictions=as_table("prediction", rows))
    [one] = Browser([Edition("m3cot", "released", table())], [some], "small").accounts()
    assert (one.stored, one.shown, dict(one.others)) == (2, 1, {"dropped (no_text)": 1})
    [one] = Browser([], [some], "small").accounts()
    assert (one.shown, dict(one.others)) == (0, {"dropped (no_text)": 1, "whose samples are not on the page": 1})
