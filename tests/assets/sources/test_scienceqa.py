"""`assets.sources.scienceqa`: problems.json and its pictures as rows of tables `sample` and `image`."""

import json

import pytest
from PIL import Image

from assets.images import Pictures
from assets.samples import to_table
from assets.schema.sample import Part
from assets.sources.jsonlines import SourceError
from assets.sources.scienceqa import REASONS, other_splits, pictures, samples

PROBLEM = {
    "question": "Which is farthest north?",
    "choices": ["West Virginia", "Maine", "Ohio"],
    "answer": 1,
    "hint": "A map\u00ad of states.",
    "image": None,
    "task": "closed choice",
    "grade": "grade2",
    "subject": "social science",
    "topic": "geography",
    "category": "State capitals",
    "skill": "Read a map",
    "lecture": "Maps have directions.",
    "solution": "North is up.\nMaine is at the top.",
    "split": "val",
}


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def draw(folder, *places, content=None):
    for number, place in enumerate(places):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            Image.new("RGB", (4, 3), (number, len(place), sum(place.encode()) % 256)).save(path)
        else:
            path.write_bytes(content)


def rows(folder, problems, **options):
    text = problems if isinstance(problems, str) else json.dumps(problems)
    (folder / "problems.json").write_text(text, encoding="utf-8")
    held = Pictures.of(pictures(folder))
    return list(samples(folder, held.ids(), held.reasons(), provenance="released", **options))


def test_a_problem_becomes_a_sample_with_its_texts_as_they_are(folder):
    [row] = rows(folder, {"7": PROBLEM})
    assert (row.id, row.source, row.source_id, row.provenance) == ("scienceqa-7", "scienceqa", "7", "released")
    assert (row.benchmark, row.domain, row.topic) == ("m3cot", "science", "social-science")
    assert (row.subtopic, row.category, row.split) == ("geography", "State capitals", "validation")
    assert (row.question, row.context) == ("Which is farthest north?", "A map\u00ad of states.")
    assert (row.choices, row.answer) == (("West Virginia", "Maine", "Ohio"), "B")
    assert row.rationale == (Part("text", "North is up.\nMaine is at the top.", None),)
    assert (row.images, row.choice_images, row.dropped, row.quarantined) == (None, None, None, None)


@pytest.mark.parametrize("solution", ["", " ", "\n\t", None])
def test_a_blank_solution_is_no_rationale(folder, solution):
    [row] = rows(folder, {"1": PROBLEM | {"solution": solution, "hint": None}})
    assert (row.rationale, row.context, row.dropped) == (None, "", None)


def test_options_called_none_or_na_stay_text(folder):
    choices = ["None", "NA", "null", "N/A", "nan"]
    assert rows(folder, {"1": PROBLEM | {"choices": choices}})[0].choices == tuple(choices)


@pytest.mark.parametrize(("split", "named"), [("train", "train"), ("val", "validation"), ("test", "test")])
def test_splits_have_the_names_of_the_tables(folder, split, named):
    assert rows(folder, {"1": PROBLEM | {"split": split}})[0].split == named


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"question": None}, "no_question"),
        ({"question": " "}, "no_question"),
        ({"choices": None}, "no_choices"),
        ({"choices": []}, "no_choices"),
        ({"choices": {"A": "x"}}, "no_choices"),
        ({"choices": ["x"] * 27}, "too_many_choices"),
        ({"choices": ["x", 5]}, "not_text"),
        ({"hint": 5}, "not_text"),
        ({"solution": ["x"]}, "not_text"),
        ({"image": 5}, "not_text"),
        ({"answer": None}, "no_answer"),
        ({"answer": "B"}, "no_answer"),
        ({"answer": True}, "no_answer"),
        ({"answer": 1.0}, "no_answer"),
        ({"answer": 3}, "answer_past_choices"),
        ({"answer": -1}, "answer_past_choices"),
        ({"subject": "mathematics"}, "unknown_subject"),
        ({"subject": None}, "unknown_subject"),
        ({"split": "minitest"}, "unknown_split"),
        ({"split": ["test"]}, "unknown_split"),
        ({"image": "../2/image.png"}, "path_outside"),
        ({"image": "..\\..\\x.png"}, "path_outside"),
        ({"image": "/etc/passwd"}, "path_outside"),
        ({"image": "image.png"}, "missing_picture"),
    ],
)
def test_a_problem_that_cannot_be_used_is_quarantined_with_its_reason(folder, change, reason):
    good, bad = rows(folder, {"1": PROBLEM, "2": PROBLEM | change})
    assert (good.dropped, bad.dropped, bad.id) == (None, reason, "scienceqa-2")
    assert bad.quarantined[:2] == ("problems.json", 1)
    assert reason in REASONS


@pytest.mark.parametrize(
    ("entry", "reason", "sample_id"),
    [
        ('"2": "text"', "not_an_object", "scienceqa-2"),
        ('"2": null', "not_an_object", "scienceqa-2"),
        ('"2": NaN', "not_a_number", "scienceqa-2"),
        ('"2": {"a": 1, "a": 2}', "duplicate_key", "scienceqa-2"),
        ('" ": {}', "no_id", None),
        ('"1": {}', "duplicate_id", "scienceqa-1"),
    ],
)
def test_an_entry_that_is_no_problem_is_quarantined_at_its_line(folder, entry, reason, sample_id):
    good, bad = rows(folder, f'{{"1": {json.dumps(PROBLEM)},\n{entry}}}')
    assert (good.dropped, bad.dropped, bad.id) == (None, reason, sample_id)
    assert bad.quarantined[:2] == ("problems.json", 2)
    assert reason in REASONS


def test_a_file_that_ends_in_the_middle_keeps_what_came_before(folder):
    good, bad = rows(folder, f'{{"1": {json.dumps(PROBLEM)},\n"2": {{"question": "Wh')
    assert (good.dropped, bad.dropped) == (None, "truncated_json")
    assert bad.quarantined == ("problems.json", 2, '{"question": "Wh')


def test_a_problem_has_the_picture_that_it_names(folder):
    draw(folder, "images/val/7/image.png", "images/val/8/image.png", "images/test/9/image.png")
    named = PROBLEM | {"image": "image.png"}
    seven, eight, nine, without = rows(folder, {"7": named, "8": named, "9": named, "10": PROBLEM})
    ids = {row.file: row.image_id for row in pictures(folder)}
    assert seven.images == (ids["images/val/7/image.png"],)
    assert eight.images == (ids["images/val/8/image.png"],)
    assert nine.images == (ids["images/test/9/image.png"],)
    assert without.images is None
    assert {row.dropped for row in (seven, eight, nine, without)} == {None}


def test_a_picture_that_is_not_there_is_named_in_the_quarantined_row(folder):
    [row] = rows(folder, {"7": PROBLEM | {"image": "image.png"}})
    assert row.quarantined == ("problems.json", 1, "images/val/7/image.png")
    assert (row.question, row.images) == ("Which is farthest north?", None)


def test_a_broken_picture_gives_its_own_reason(folder):
    draw(folder, "images/val/7/image.png", content=b"no picture")
    [row] = rows(folder, {"7": PROBLEM | {"image": "image.png"}})
    assert row.dropped == "unreadable_picture"
    assert row.quarantined == ("problems.json", 1, "images/val/7/image.png: not_a_picture")


def test_pictures_of_options_count_when_every_option_has_one(folder):
    whole = [f"images/val/7/choice_{option}.png" for option in range(3)]
    draw(folder, *whole, "images/val/8/choice_0.png", "images/val/8/choice_1.png")
    seven, eight = rows(folder, {"7": PROBLEM, "8": PROBLEM})
    ids = {row.file: row.image_id for row in pictures(folder)}
    assert seven.choice_images == tuple(ids[file] for file in whole)
    assert eight.choice_images is None
    assert (seven.images, seven.dropped, eight.dropped) == (None, None, None)


def test_a_broken_picture_of_an_option_leaves_the_problem_without_them(folder):
    draw(folder, "images/val/7/choice_0.png", "images/val/7/choice_1.png")
    draw(folder, "images/val/7/choice_2.png", content=b"")
    [row] = rows(folder, {"7": PROBLEM})
    assert (row.choice_images, row.dropped) == (None, None)


def test_picture_files_come_in_natural_order_and_none_is_left_out(folder):
    draw(folder, "images/test/10/image.png", "images/test/9/image_2.png", "images/test/9/image.png")
    draw(folder, "images/test/2/image.png", content=b"")
    assert [(row.file, row.dropped) for row in pictures(folder)] == [
        ("images/test/2/image.png", "empty_file"),
        ("images/test/9/image.png", None),
        ("images/test/9/image_2.png", None),
        ("images/test/10/image.png", None),
    ]


def test_the_rows_fit_the_table(folder):
    draw(folder, "images/val/7/image.png")
    given = rows(folder, {"7": PROBLEM | {"image": "image.png"}, "8": PROBLEM | {"image": "image.png"}, "9": 5})
    assert to_table(given).column("dropped").to_pylist() == [None, "missing_picture", "not_an_object"]


@pytest.mark.parametrize(
    ("content", "said"), [(None, "no such file"), ("[]", "does not hold a JSON object"), ("{}", "holds no problems")]
)
def test_without_problems_the_person_is_told(folder, content, said):
    if content is not None:
        (folder / "problems.json").write_text(content)
    with pytest.raises(SourceError, match=said):
        list(samples(folder, {}, {}, provenance="released"))


def test_pid_splits_that_differ_are_listed_and_the_problems_own_stands(folder):
    listed = {"train": ["1", "2"], "val": ["3"], "test": ["4", 5], "trainval": ["4"], "minitest": ["1"]}
    (folder / "pid_splits.json").write_text(json.dumps(listed))
    own = {"1": "train", "2": "test", "3": "validation", "4": "train"}
    assert other_splits(folder, own) == {"2": "train", "4": "test"}
    (folder / "pid_splits.json").unlink()
    assert other_splits(folder, own) == {}


@pytest.mark.parametrize("content", ["{", '{"7": {"quest', '{"7": {"choices": [NaN]}}'], ids=["start", "entry", "NaN"])
def test_a_file_without_a_readable_problem_is_said_with_its_first_reason(folder, content):
    (folder / "problems.json").write_text(content)
    reason = "not_a_number" if "NaN" in content else "truncated_json"
    said = rf"problems\.json: holds no readable problem \({reason}\): put ScienceQA's problems\.json there$"
    with pytest.raises(SourceError, match=said):
        list(samples(folder, {}, {}, provenance="released"))


def test_a_readable_entry_that_is_no_problem_is_quarantined(folder):
    assert [row.dropped for row in rows(folder, '{"7": 5, "8": {')] == ["not_an_object", "truncated_json"]


@pytest.mark.parametrize("read", [pictures, lambda folder: samples(folder, {}, {}, provenance="x")])
def test_a_wrong_folder_is_said_with_its_setting(folder, read):
    (folder / "afile").write_text("{}")
    with pytest.raises(
        SourceError, match=r"afile: is a file, not a folder: name the folder that holds its problems\.json"
    ):
        list(read(folder / "afile"))
    said = r"absent: there is no such folder: set sources\.scienceqa\.folder in params\.yaml to where ScienceQA lies"
    with pytest.raises(SourceError, match=said):
        list(read(folder / "absent"))
