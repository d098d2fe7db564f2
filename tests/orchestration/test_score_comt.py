"""`cotline score --benchmark comt` as a person runs it on responses in the form of the release."""

import gzip
import json
from pathlib import Path

import pytest

from orchestration.cli import main

OPTIONS = ["red", "green", "white", "black"]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def written(name, *records):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return name

    return written


def item(sample_id, kind, answer="B"):
    picture = "[IMAGE0:IMAGE-ID0]"
    return {
        "id": sample_id,
        "question": "[IMAGE0] Which?",
        "option": OPTIONS,
        "image": [picture],
        "rationale": "So. [IMAGE0]",
        "answer": answer,
        "type": kind,
        "annotations": {},
    }


def run(capsys, *arguments):
    status = main(["score", *arguments, "--benchmark", "comt"])
    out, err = capsys.readouterr()
    return status, out, err


def rows(capsys, *arguments):
    status, out, _ = run(capsys, *arguments, "--format", "json")
    assert status == 0
    return {(row["extractor"], row["name"]): row for row in json.loads(out)}


ITEMS = [item("u1", "update"), item("u2", "update", "A"), item("d1", "deletion", "C"), item("s1", "selection", "D")]


@pytest.fixture
def samples(write):
    return write("data.jsonl", *ITEMS)


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("It is green. ANSWER: (B)", "B"),
        # without [Answer] nothing is cut: the last letter in parentheses of the whole wins
        ("ANSWER: (B), not (D)", "D"),
        ("(A) is wrong. ANSWER: B", "A"),
        # with it, what stands before the last ANSWER: is cut
        ("[Answer] (A) is wrong. ANSWER: B", "B"),
        ("(A) or ANSWER: (B), so ANSWER: C [Answer]", "C"),
        # and without ANSWER: nothing is
        ("(A) [Answer] B", "A"),
        ("[Answer] (A). Answer: B", "A"),
        ("[Answer] (A). ANSWER : B", "A"),
        ("[answer] (A). ANSWER: B", "A"),
        ("[Answer] ANSWER:", None),
        ("[Answer] ANSWER: [Rationale] (C)", "C"),
        ("it is green, not red", "B"),
        ("nothing", None),
    ],
)
def test_the_published_rule_cuts_at_one_marker_where_another_stands(capsys, write, response, letter):
    right = []
    for answer in "ABCD":
        samples = write("data.jsonl", item("u1", "update", answer))
        file = write("responses.jsonl", {"id": "u1", "response": response})
        right += [answer] * rows(capsys, file, "--samples", samples, "--extractor", "paper")["paper", "total"][
            "correct"
        ]
    assert right == ([] if letter is None else [letter])


def test_a_task_without_a_reply_is_nothing_and_the_others_stand(capsys, write, samples):
    file = write("responses.jsonl", {"id": "u1", "response": "ANSWER: (B)"}, {"id": "d1", "response": "ANSWER: (A)"})
    found = rows(capsys, file, "--samples", samples, "--by", "task")
    assert [
        (name, row["n"], row["accuracy"], row["macro_f1"]) for (by, name), row in found.items() if by == "paper"
    ] == [
        ("creation", 0, None, None),
        ("deletion", 1, 0.0, 0.0),
        ("update", 1, 1.0, 1.0),
        ("selection", 0, None, None),
    ]
    assert [row["n"] for (by, _), row in found.items() if by == "strict"] == [0, 1, 2, 1]
    status, out, err = run(capsys, file, "--samples", samples, "--by", "task")
    assert status == 0
    assert out.count("n/a") > 4
    assert "2 of 4 samples have no reply (u2, s1)" in err


def test_duplicates_count_twice_and_unknown_ids_as_wrong_by_the_published_count_alone(capsys, write, samples):
    replies = [("u1", "B"), ("u1", "A"), ("zz", "B"), ("d1", "C")]
    file = write("responses.jsonl", *({"id": name, "response": f"ANSWER: ({letter})"} for name, letter in replies))
    found = rows(capsys, file, "--samples", samples)
    paper, strict = found["paper", "total"], found["strict", "total"]
    assert (paper["n"], paper["correct"], paper["missing"]) == (4, 2, 2)
    assert paper["statuses"] == {"not_evaluable": 1, "ok": 3}
    assert (strict["n"], strict["correct"], strict["missing"]) == (4, 2, 2)
    # update 1 of 2, deletion 1 of 1; strict: update 1 of 2, deletion 1 of 1, selection 0 of 1
    assert paper["macro_accuracy"] == pytest.approx(0.75)
    assert strict["macro_accuracy"] == pytest.approx(0.5)
    # paper: update has B alone as its label, 1 hit of 2, said once: 2/3; deletion 1
    assert paper["mean_f1"] == pytest.approx((2 / 3 + 1) / 2)
    # strict: update A never, B hit and said once: 1/2; deletion 1, selection 0
    assert strict["mean_f1"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    _, out, err = run(capsys, file, "--samples", samples)
    assert "2 of 4 lines quarantined: duplicate_id 1, unknown_id 1" in err
    assert "mF1" in out
    assert "83.33" in out
    by_task = rows(capsys, file, "--samples", samples, "--by", "task")
    assert [(by_task["paper", task]["n"], by_task["paper", task]["correct"]) for task in ("update", "deletion")] == [
        (2, 1),
        (1, 1),
    ]


def test_by_task_no_column_says_the_same_as_another(capsys, write, samples):
    file = write("responses.jsonl", {"id": "u1", "response": "ANSWER: (B)"})
    _, out, _ = run(capsys, file, "--samples", samples, "--by", "task")
    assert "F1" in out
    assert "mF1" not in out


def test_the_folder_of_a_release_stands_for_its_items(capsys, write):
    write("release/data.jsonl", *ITEMS)
    write("release/dev.jsonl", item("u9", "update"))
    file = write("responses.jsonl", {"id": "u1", "response": "ANSWER: (B)"})
    found = rows(capsys, file, "--samples", "release")
    assert (found["strict", "total"]["n"], found["strict", "total"]["correct"]) == (4, 1)
    Path("zipped").mkdir()
    Path("zipped/data.jsonl.gz").write_bytes(gzip.compress(Path("release/data.jsonl").read_bytes()))
    assert rows(capsys, file, "--samples", "zipped")["strict", "total"]["n"] == 4


def test_another_folder_is_one_sentence(capsys, write, tmp_path):
    file = write("responses.jsonl", {"id": "u1", "response": "ANSWER: (B)"})
    write("other/items.jsonl", *ITEMS)
    status, out, err = run(capsys, file, "--samples", "other")
    assert (status, out) == (1, "")
    assert err == "cotline score: other: is a folder without data.jsonl: name the file of CoMT's samples\n"
    status = main(["score", file, "--benchmark", "m3cot", "--samples", "other"])
    assert status == 1
    assert "other: is a folder: name the file of the split that was asked in it" in capsys.readouterr().err


def test_responses_alone_say_what_they_lack(capsys, write):
    file = write("responses.jsonl", {"id": "u1", "response": "ANSWER: (B)"})
    status, _, err = run(capsys, file)
    assert status == 1
    assert "no record carries option and answer: name a file of the samples with --samples" in err
