"""`assets.sources.geometry3k`: a folder a problem as rows of tables `sample` and `image`."""

import json

import pytest
from PIL import Image

from assets.images import Pictures
from assets.samples import to_table
from assets.schema.sample import Part, Sample
from assets.sources.geometry3k import REASONS, pictures, samples
from assets.sources.jsonlines import SourceError

RECORD = {
    "problem_text": "In \\odot X, A B = 30. Find m \\widehat A B.",
    "compact_text": "In \\odot X, AB = 30. Find m \\widehat AB.",
    "annotat_text": "In $\\odot X, A B=30$. Find $m\\widehat{A B}$",
    "choices": ["\\frac { 2 } { 5 }", "40", "60", "80"],
    "compact_choices": ["\\frac{2}{5}", "40", "60", "80"],
    "answer": "D",
    "detailed_solution": " ",
    "id": 11,
    "data_type": "val",
}


def put(folder, place, record, picture=True):
    path = folder / place
    path.mkdir(parents=True, exist_ok=True)
    (path / "data.json").write_bytes(record if isinstance(record, bytes) else json.dumps(record).encode())
    if picture:
        Image.new("RGBA", (5, int(path.name) if path.name.isdigit() else 3), "white").save(path / "img_diagram.png")
        Image.new("L", (2, 2)).save(path / "img_problem.png")


def read(folder):
    table = Pictures.of(pictures(folder))
    return list(samples(folder, table.ids(), table.reasons(), provenance="released"))


def test_a_folder_is_one_row_with_the_compact_text_the_answer_and_the_diagram(tmp_path):
    put(tmp_path, "11", RECORD)
    [picture] = pictures(tmp_path)
    assert (picture.file, picture.height) == ("11/img_diagram.png", 11)
    assert read(tmp_path) == [
        Sample(
            id="geometry3k-11",
            benchmark="comt",
            source="geometry3k",
            source_id="11",
            provenance="released",
            question="In \\odot X, AB = 30. Find m \\widehat AB.",
            choices=("\\frac{2}{5}", "40", "60", "80"),
            answer="D",
            images=(picture.image_id,),
            split="validation",
        )
    ]


def test_without_compact_forms_the_tokenised_ones_are_taken(tmp_path):
    put(tmp_path, "1", {key: value for key, value in RECORD.items() if not key.startswith("compact")})
    [row] = read(tmp_path)
    assert (row.question, row.choices[0]) == (RECORD["problem_text"], "\\frac { 2 } { 5 }")


def test_a_solution_is_the_rationale_and_folders_are_in_natural_order(tmp_path):
    for name in ("10", "9", "2"):
        put(tmp_path, f"train/{name}", RECORD | {"detailed_solution": "AB = 30.", "data_type": None})
    rows = read(tmp_path)
    assert [(row.source_id, row.split, row.dropped) for row in rows] == [
        ("2", "train", None),
        ("9", "train", None),
        ("10", "train", None),
    ]
    assert rows[0].rationale == (Part("text", "AB = 30.", None),)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"compact_text": "", "problem_text": ""}, "no_question"),
        ({"compact_text": 5}, "not_text"),
        ({"compact_choices": ["1"]}, "no_choices"),
        ({"compact_choices": list("1234567")}, "too_many_choices"),
        ({"compact_choices": [1, 2, 3, 4]}, "not_text"),
        ({"detailed_solution": []}, "not_text"),
        ({"answer": "d"}, "no_answer"),
        ({"answer": 3}, "no_answer"),
        ({"answer": "AB"}, "no_answer"),
        ({"answer": "E"}, "answer_past_choices"),
    ],
)
def test_a_record_that_is_no_question_is_set_aside(tmp_path, change, reason):
    put(tmp_path, "1", RECORD | change)
    put(tmp_path, "2", RECORD)
    row, good = read(tmp_path)
    assert (row.dropped, row.quarantined[0], good.dropped) == (reason, "1/data.json", None)
    assert reason in REASONS
    to_table([row])


def test_broken_files_missing_pictures_and_repeated_names_are_set_aside(tmp_path):
    put(tmp_path, "1", b"{")
    put(tmp_path, "2", RECORD, picture=False)
    put(tmp_path, "3", RECORD)
    (tmp_path / "3" / "img_diagram.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    put(tmp_path, "4", [])
    put(tmp_path, "5", RECORD)
    put(tmp_path, "test/5", RECORD)
    assert [(row.source_id, row.dropped) for row in read(tmp_path)] == [
        ("1", "truncated_json"),
        ("2", "missing_picture"),
        ("3", "unreadable_picture"),
        ("4", "not_an_object"),
        ("5", None),
        (None, "duplicate_id"),
    ]


def told(rows):
    return [(row.source_id, row.dropped, row.quarantined and row.quarantined[0]) for row in rows]


def test_a_problem_whose_record_or_whole_content_is_gone_is_set_aside_as_missing(tmp_path):
    for name in ("11", "12", "9"):
        put(tmp_path, name, RECORD)
    (tmp_path / "12" / "data.json").unlink()
    (tmp_path / "10").mkdir()
    (tmp_path / "13").mkdir()
    (tmp_path / "13" / ".DS_Store").write_bytes(b"")
    (tmp_path / "14").mkdir()
    (tmp_path / "14" / "logic_form.json").write_text("{}")
    (tmp_path / "LICENSE").write_text("MIT")
    rows = read(tmp_path)
    assert told(rows) == [
        ("9", None, None),
        ("10", "missing_file", "10/data.json"),
        ("11", None, None),
        ("12", "missing_file", "12/data.json"),
        ("13", "missing_file", "13/data.json"),
        ("14", "missing_file", "14/data.json"),
    ]
    assert (rows[1].id, rows[1].quarantined) == ("geometry3k-10", ("10/data.json", None, None))
    to_table(rows)


def test_a_missing_record_below_a_split_is_named_once_and_no_other_folder_is_a_problem(tmp_path):
    for place in ("train/1", "train/2", "test/3"):
        put(tmp_path, place, RECORD)
    (tmp_path / "train" / "2" / "data.json").unlink()
    Image.new("L", (2, 2)).save(tmp_path / "train" / "cover.png")
    for place in ("train/1/points", "train/2/points", ".git/refs", "__MACOSX", "test/4"):
        (tmp_path / place).mkdir(parents=True)
    assert told(read(tmp_path)) == [
        ("3", None, None),
        ("4", "missing_file", "test/4/data.json"),
        ("1", None, None),
        ("2", "missing_file", "train/2/data.json"),
    ]


def test_a_link_to_a_folder_is_a_row_and_is_not_followed(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    put(inside, "1", RECORD)
    put(outside, "2", RECORD)
    (inside / "2").symlink_to(outside / "2")
    (inside / "3").symlink_to(inside / "1")
    (inside / "4").symlink_to(outside / "none")
    (inside / "5").symlink_to(inside / "5")
    assert told(read(inside)) == [
        ("1", None, None),
        ("2", "path_outside", "2"),
        ("3", "linked_folder", "3"),
        ("4", "path_outside", "4"),
        ("5", "path_outside", "5"),
    ]


def test_a_binary_record_is_no_utf8(tmp_path):
    put(tmp_path, "1", bytes([0, 255, 254, 10, 0, 200]))
    put(tmp_path, "2", RECORD)
    assert [row.dropped for row in read(tmp_path)] == ["not_utf8", None]


def test_a_folder_of_which_nothing_is_left_says_so_in_a_sentence(tmp_path):
    with pytest.raises(SourceError, match=r"holds no data\.json"):
        read(tmp_path)
    (tmp_path / "1").mkdir()
    with pytest.raises(SourceError, match=r"holds no readable problem \(1/data\.json: missing_file\)"):
        read(tmp_path)
    put(tmp_path, "1", b"")
    with pytest.raises(SourceError, match=r"holds no readable problem \(1/data\.json: empty_file\)"):
        read(tmp_path)
    with pytest.raises(SourceError, match=r"set sources\.geometry3k\.folder"):
        pictures(tmp_path / "none")
