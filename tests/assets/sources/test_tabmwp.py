"""`assets.sources.tabmwp`: problems_*.json and the pictures of their tables as rows of tables `sample` and `image`."""

import json

import pytest
from PIL import Image

from assets.images import Pictures
from assets.samples import to_table
from assets.schema.sample import Part
from assets.sources.jsonlines import SourceError
from assets.sources.tabmwp import CATEGORIES, REASONS, category, mojibake, pictures, samples, with_unit

FREE = {
    "question": "How much did she pay?",
    "choices": None,
    "answer": "8.20",
    "unit": "$",
    "table_title": "Prices",
    "table": "sand | $2",
    "table_for_pd": {"sand": ["$2"]},
    "row_num": 1,
    "column_num": 2,
    "solution": "Multiply.\n4.1 × 2 = 8.20",
    "ques_type": "free_text",
    "ans_type": "decimal_number",
    "grade": 5,
    "split": "dev",
}
CHOICE = FREE | {
    "question": "Which stop is the ferry at?",
    "choices": ["Rocky Port", "Bay Harbor"],
    "answer": "Bay Harbor",
    "unit": None,
    "ans_type": "extractive_text",
    "ques_type": "multi_choice",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tables").mkdir()
    for pid in ("1", "2"):
        Image.new("RGB", (9, int(pid))).save(tmp_path / "tables" / f"{pid}.png")
    return tmp_path


def put(folder, problems, file="problems_dev.json"):
    (folder / file).write_text(json.dumps(problems), encoding="utf-8")


def read(folder):
    held = Pictures.of(pictures(folder))
    return list(samples(folder, held.ids(), held.reasons(), provenance="released"))


def rows(folder, problems):
    put(folder, problems)
    return read(folder)


def test_a_problem_with_options_has_the_letter_of_the_one_that_is_the_answer(folder):
    [row] = rows(folder, {"1": CHOICE})
    assert (row.id, row.source, row.source_id) == ("tabmwp-1", "tabmwp", "1")
    assert (row.choices, row.answer, row.provenance) == (("Rocky Port", "Bay Harbor"), "B", "released")
    assert (row.domain, row.topic, row.subtopic, row.category) == (
        "mathematics",
        "algebra",
        "mathematics",
        "Table Enumeration",
    )
    assert (row.context, row.split, row.dropped) == ("Prices", "validation", None)
    assert row.rationale == (Part("text", "Multiply.\n4.1 × 2 = 8.20", None),)


def test_a_free_answer_is_the_only_option_with_its_unit(folder):
    [row] = rows(folder, {"1": FREE | {"table_title": None}})
    assert (row.choices, row.answer, row.context) == (("$8.20",), "A", "")
    assert row.provenance == "released > answer as the only option"


@pytest.mark.parametrize(
    ("answer", "unit", "expected"),
    [
        ("9,999", None, "9,999"),
        ("3/4", " ", "3/4"),
        ("8.20", "$", "$8.20"),
        ("-9", "$", "-$9"),
        ("−9", "$", "−$9"),
        ("2", "$, per year", "$2 per year"),
        ("-4", "rounds per year", "-4 rounds per year"),
        ("12", "bags", "12 bags"),
        ("40", "%", "40%"),
        ("8", "°C", "8°C"),
    ],
)
def test_a_unit_stands_where_the_solutions_have_it(answer, unit, expected):
    assert with_unit(answer, unit) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Temperature (Â°C)", "Temperature (°C)"),
        ("CafÃ© â\x88\x92 5", "Café − 5"),
        ("Â°C − ×", "°C − ×"),
        ("3 − 2 × 4 ÷ 2 → 5", "3 − 2 × 4 ÷ 2 → 5"),
        ("Âge, Ãº", "Âge, ú"),
        ("soft\u00adhyphen", "soft\u00adhyphen"),
    ],
)
def test_mojibake_is_put_right_where_it_is_exact(text, expected):
    assert mojibake(text) == expected


def test_what_was_put_right_is_in_the_provenance(folder):
    [row] = rows(folder, {"1": CHOICE | {"choices": ["9 Â°C", "8 Â°C"], "answer": "8 Â°C", "table_title": "In Â°C"}})
    assert (row.choices, row.answer, row.context) == (("9 °C", "8 °C"), "B", "In °C")
    assert row.provenance == "released > mojibake repaired"
    [row] = rows(folder, {"1": FREE | {"unit": "Â°C"}})
    assert row.choices == ("8.20°C",)
    assert row.provenance == "released > mojibake repaired > answer as the only option"


@pytest.mark.parametrize(
    ("question", "answer_type", "expected"),
    [
        ("Look at the table. At a price of $405, is there a shortage?", "boolean_text", "Table Analysis"),
        ("Some companies called. Which company made the most calls?", "extractive_text", "Table Comparison"),
        ("How many more bags did she sell on Friday?", "integer_number", "Table Comparison"),
        ("What is the weight of the lightest child?", "integer_number", "Table Comparison"),
        ("What fraction scored at least 10?", "decimal_number", "Table Calculation"),
        ("He counted the most. How many flocks had at least 9 birds?", "integer_number", "Table Counting"),
        ("What is the median of the numbers?", "integer_number", "Table Calculation"),
        ("What is the share? Simplify your answer.", "decimal_number", "Table Calculation"),
        ("Look at the schedule. Which event begins at 12.25 P.M.?", "other_text", "Table Enumeration"),
        ("Name it", None, "Table Enumeration"),
    ],
)
def test_the_category_follows_from_what_is_asked(question, answer_type, expected):
    assert category(question, answer_type) == expected
    assert expected in CATEGORIES


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"question": ""}, "no_question"),
        ({"choices": []}, "no_choices"),
        ({"choices": "Rocky Port"}, "no_choices"),
        ({"choices": ["Bay Harbor"] + ["x"] * 26}, "too_many_choices"),
        ({"choices": ["Bay Harbor", None]}, "not_text"),
        ({"unit": 5}, "not_text"),
        ({"answer": None}, "no_answer"),
        ({"answer": " "}, "no_answer"),
        ({"answer": 5}, "no_answer"),
        ({"answer": "bay harbor"}, "answer_not_an_option"),
        ({"choices": ["Bay Harbor", "Bay Harbor"]}, "ambiguous_answer"),
        ({"split": "other"}, "unknown_split"),
    ],
)
def test_a_problem_that_cannot_be_used_is_quarantined_with_its_reason(folder, change, reason):
    good, bad = rows(folder, {"1": CHOICE, "2": CHOICE | change})
    assert (good.dropped, bad.dropped, bad.id) == (None, reason, "tabmwp-2")
    assert bad.quarantined[:2] == ("problems_dev.json", 1)
    assert reason in REASONS


def test_a_table_without_a_picture_is_quarantined(folder):
    (folder / "tables" / "2.png").write_bytes(b"")
    one, two, three, out = rows(folder, {"1": FREE, "2": FREE, "3": FREE, "../1": FREE})
    assert (one.dropped, len(one.images)) == (None, 1)
    assert (two.dropped, two.quarantined[2]) == ("unreadable_picture", "tables/2.png: empty_file")
    assert (three.dropped, three.quarantined[2]) == ("missing_picture", "tables/3.png")
    assert (out.dropped, out.images) == ("path_outside", None)


def test_of_a_file_and_its_cut_the_whole_one_is_read(folder):
    put(folder, {"1": FREE, "2": FREE})
    put(folder, {"1": FREE | {"split": "dev1k"}}, "problems_dev1k.json")
    put(folder, {"2": FREE | {"split": "test1k"}}, "problems_test1k.json")
    put(folder, {"7": FREE}, "splits.json")
    assert [(row.id, row.dropped, row.split) for row in read(folder)] == [
        ("tabmwp-1", None, "validation"),
        ("tabmwp-2", None, "validation"),
        ("tabmwp-2", "duplicate_id", None),
    ]


def test_a_cut_alone_is_read(folder):
    put(folder, {"1": FREE | {"split": "dev1k"}}, "problems_dev1k.json")
    assert [row.split for row in read(folder)] == ["validation"]


def test_without_files_the_person_is_told(folder):
    with pytest.raises(SourceError, match=r"holds no problems_\*\.json"):
        read(folder)


def test_the_rows_fit_the_table(folder):
    assert to_table(rows(folder, {"1": FREE, "2": CHOICE, "3": FREE})).column("answer").to_pylist() == ["A", "B", "A"]


def test_a_file_without_a_readable_problem_is_said_with_its_first_reason(folder):
    (folder / "problems_dev.json").write_text('{"1": {"question": "How')
    said = r"problems_dev\.json: holds no readable problem \(truncated_json\): put TabMWP's problems_dev\.json there$"
    with pytest.raises(SourceError, match=said):
        read(folder)


def test_a_wrong_folder_is_said_with_its_setting(folder):
    with pytest.raises(SourceError, match=r"absent: there is no such folder: set sources\.tabmwp\.folder"):
        pictures(folder / "absent")
