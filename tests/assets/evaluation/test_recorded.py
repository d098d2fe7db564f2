"""Replies that stand in a file or a folder: which reader they go to, and what becomes of drawn pictures."""

import json
from pathlib import Path

import pytest
from PIL import Image

from assets.evaluation import recorded
from assets.evaluation.drawn import Drawn
from assets.schema.faults import Fault
from assets.schema.tables import as_table


def written(path: Path, *records: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def rows(root: Path, named: str, kind: str = "replay", benchmark: str = "comt") -> list[dict[str, object]]:
    found = recorded.rows("mine", kind, benchmark, root, named, Drawn(root / "drawn"))
    return as_table("prediction", found).to_pylist()


def test_a_folder_of_replies_gives_its_pictures_and_says_which_are_not_there(tmp_path: Path) -> None:
    shown = [
        {"type": "text", "text": "I draw it. "},
        {"type": "image", "image": "drawn/one.png"},
        {"type": "image", "image": "../outside.png"},
        {"type": "text", "text": "ANSWER: (B)"},
    ]
    written(tmp_path / "mine/replies.jsonl", {"id": "a", "response": shown})
    (tmp_path / "mine/drawn").mkdir()
    Image.new("RGB", (5, 4), "#00ff00").save(tmp_path / "mine/drawn/one.png")
    Image.new("RGB", (5, 4), "#0000ff").save(tmp_path / "outside.png")
    [row] = rows(tmp_path, "mine")
    [turn] = row["turns"]
    assert [part["kind"] for part in turn["parts"]] == ["text", "image", "image", "text"]
    kept = turn["parts"][1]["image_id"]
    assert (kept in Drawn(tmp_path / "drawn"), turn["parts"][2]["image_id"]) == (True, None)
    assert row["finish_reason"] == "picture 2: path_outside"
    [picture] = Drawn(tmp_path / "drawn").read([kept])
    assert (picture.width, picture.height) == (5, 4)


def test_a_lone_file_has_no_folder_of_pictures(tmp_path: Path) -> None:
    written(tmp_path / "replies.jsonl", {"id": "a", "response": [{"type": "image", "image": "one.png"}]})
    Image.new("RGB", (5, 4)).save(tmp_path / "one.png")
    [row] = rows(tmp_path, "replies.jsonl")
    assert row["finish_reason"] == "picture 1: missing_picture"


def test_peoples_lines_are_kept_with_who_they_are_of(tmp_path: Path) -> None:
    written(
        tmp_path / "people.jsonl",
        {"participant": "ann", "id": "a", "letter": "B"},
        {"participant": "bo", "id": "a", "text": "The answer is (A)."},
        {"participant": "ann", "id": "a", "letter": "C"},
    )
    found = rows(tmp_path, "people.jsonl", "human", "m3cot")
    assert [(row["fingerprint"], row["dropped"]) for row in found] == [
        ("ann", None),
        ("bo", None),
        ("ann", "duplicate_id"),
    ]


def test_a_folder_without_replies_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(Fault, match=r"^mine: is a folder without replies\.jsonl: put the replies there"):
        rows(tmp_path, "mine")
