"""`assets.exports.vlmevalkit`: pandas, with which VLMEvalKit reads, gives back every text and every picture."""

import base64
import csv
import hashlib
import io
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from assets.exports import vlmevalkit
from assets.exports.vlmevalkit import GUARD
from assets.exports.written import ExportError
from assets.images import identify, of_pixels
from assets.samples import LETTERS
from tests.exported import HOSTILE, benchmark, built_comt, files_of, interrupted, pictures_of, sample


def listed(text: str) -> list[str]:
    """What VLMEvalKit's loader makes of `image` and `image_path`: a list that stands as Python writes it, or one."""
    return [str(each) for each in eval(text)] if text[0] == "[" and text[-1] == "]" else [text]


def loaded(path: Path) -> list[dict[str, Any]]:
    """The lines as VLMEvalKit has them: read by pandas, those without a picture left out, options that are not NaN."""
    import pandas as pd

    table = pd.read_csv(path, sep="\t")
    table = table[~pd.isna(table["image"])]
    rows = []
    for line in table.to_dict("records"):
        assert len(line["image"]) > 64
        options = [str(line[each]) for each in LETTERS if each in line and not pd.isna(line[each])]
        rows.append({**line, "options": options, "hint": None if pd.isna(line["hint"]) else line["hint"]})
    return rows


def seen(coded: str) -> str:
    return identify(Image.open(io.BytesIO(base64.b64decode(coded))))


def test_pandas_reads_every_text_and_picture_back(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    written = vlmevalkit.write(rows, pictures, tmp_path / "out")
    assert (written.records, written.pictures) == ({"train": 2, "validation": 2, "test": 2}, 10)
    found = {line["id"]: line for split in written.records for line in loaded(tmp_path / f"out/M3CoT_{split}.tsv")}
    for row in rows:
        line = found[row.id]
        assert [each.rstrip(GUARD) for each in line["options"]] == list(row.choices or ())
        assert (line["question"], line["answer"], line["split"]) == (row.question, row.answer, row.split)
        assert (line["hint"] or "", line["category"], line["l2-category"]) == (row.context, row.topic, row.domain)
        shown = [seen(each) for each in listed(line["image"])]
        assert shown == [*(row.images or ()), *(row.choice_images or ())]
    several = found["physics-2"]
    assert listed(several["image_path"]) == [f"1_{place}.png" for place in range(1, 6)]
    assert [line["index"] for line in loaded(tmp_path / "out/M3CoT_test.tsv")] == [1, 2]
    assert any("1 questions have several pictures" in note for note in written.notes)


def test_the_csv_module_reads_the_same(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    vlmevalkit.write(rows, pictures, tmp_path / "out")
    csv.field_size_limit(sys.maxsize)
    with (tmp_path / "out/M3CoT_validation.tsv").open(encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file, delimiter="\t")
    assert " ".join(head) == "index id image image_path question hint A B C answer category l2-category split"
    assert [line[1] for line in lines] == ["physics-1", "physics-4"]
    assert [line[4] for line in lines] == [f"{HOSTILE}?"] * 2


def test_what_pandas_takes_for_missing_stays_an_option(tmp_path: Path) -> None:
    choices = ("NA", "null", "", "x")
    rows, pictures = benchmark(sample(8, choices=choices))
    written = vlmevalkit.write(rows[-1:], pictures, tmp_path / "out")
    [line] = loaded(tmp_path / "out/M3CoT_test.tsv")
    assert line["options"] == [f"NA{GUARD}", f"null{GUARD}", GUARD, "x"]
    assert any("3 texts, such as None" in note for note in written.notes)


@pytest.mark.parametrize(
    "column", [("35", "1.50"), ("007", "8"), ("1e3", "2"), ("True", "false"), ("None", "3"), (" 4", "5 ")]
)
def test_a_column_of_numbers_stays_as_it_was_written(tmp_path: Path, column: tuple[str, str]) -> None:
    made = [sample(place * 3 + 2, choices=("yes", "no", each), id=f"n-{place}") for place, each in enumerate(column)]
    short = sample(8, choices=("yes", "no"))
    _, pictures = benchmark()
    written = vlmevalkit.write([short, *made], pictures, tmp_path / "out")
    lines = loaded(tmp_path / "out/M3CoT_test.tsv")
    assert [[each.rstrip(GUARD) for each in line["options"]] for line in lines] == [
        list(row.choices or ()) for row in (short, *made)
    ]
    assert any("the first text of C ends in a no-break space" in note for note in written.notes)


@pytest.mark.parametrize("values", [("001", "2"), ("1e3", "2.50"), ("True", "false"), ("NA", "7"), ("7", "")])
@pytest.mark.parametrize("field", ["id", "context", "topic", "domain", "question"])
def test_numbers_in_any_column_stay_the_texts_that_they_are(
    tmp_path: Path, field: str, values: tuple[str, str]
) -> None:
    if not values[1] and field in ("id", "question"):
        values = (values[0], "8")
    rows = [sample(2, **{"id": f"n-{place}", "context": "c", field: each}) for place, each in enumerate(values)]
    written = vlmevalkit.write(rows, benchmark()[1], tmp_path / "out")
    column = {"context": "hint", "topic": "category", "domain": "l2-category"}.get(field, field)
    import pandas as pd

    read = pd.read_csv(tmp_path / "out/M3CoT_test.tsv", sep="\t")[column]
    found = ["" if pd.isna(each) else each for each in read]
    assert [each.removesuffix(GUARD) for each in found] == list(values)
    # values that are counted together stay the same ones
    grouped = column in vlmevalkit.GROUPS
    assert [each.endswith(GUARD) for each in found if each] == [True, grouped][: len([each for each in found if each])]
    told = re.findall(r"the first text of ([^:]*) ends|every text of ([^:]*) ends", " ".join(written.notes))
    assert column in ", ".join(said for pair in told for said in pair).split(", ")


word = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6) | st.sampled_from(
    [
        "1",
        "-0",
        " 2.50",
        "1e400",
        "inf",
        "-Infinity",
        "0x1F",
        "1_0",
        "TRUE",
        "null",
        "#NA",
        "1,000",
        "\t",
        "\r",
        '"',
        "\uff11",
    ]
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(word, st.lists(word, min_size=2, max_size=4)), min_size=1, max_size=4))
def test_whatever_texts_say_pandas_reads_them_as_texts(told: list[tuple[str, list[str]]]) -> None:
    _, pictures = benchmark()
    rows = [
        sample(2, id=f"n-{number}", question=f"?{question}", context=question, choices=tuple(choices), answer="A")
        for number, (question, choices) in enumerate(told)
    ]
    with tempfile.TemporaryDirectory() as place:
        vlmevalkit.write(rows, pictures, Path(place) / "out")
        lines = loaded(Path(place) / "out/M3CoT_test.tsv")
    for row, line in zip(rows, lines, strict=True):
        assert [each.removesuffix(GUARD) for each in line["options"]] == [
            each.removesuffix(GUARD) for each in row.choices or ()
        ]
        assert line["question"] == row.question


def test_of_comt_the_question_shows_what_it_names_and_no_picture_of_its_rationale(tmp_path: Path) -> None:
    rows, pictures = built_comt()
    written = vlmevalkit.write(rows, pictures, tmp_path / "out")
    [line] = loaded(tmp_path / "out/CoMT_test.tsv")
    assert (line["id"], line["category"], len(listed(line["image"]))) == ("c-0", "selection", 1)
    assert Image.open(io.BytesIO(base64.b64decode(line["image"]))).size == (40, 30)
    [note] = [each for each in written.notes if "left out" in each]
    assert note.startswith("1 records left out") and "without a picture (c-1)" in note


def test_what_is_see_through_is_shown_on_white(tmp_path: Path) -> None:
    clear = of_pixels(Image.new("RGBA", (40, 30), (255, 0, 0, 0)), "clear")
    row = sample(2, images=(str(clear.image_id),))
    vlmevalkit.write([row], pictures_of([clear]), tmp_path / "out")
    [line] = loaded(tmp_path / "out/M3CoT_test.tsv")
    picture = Image.open(io.BytesIO(base64.b64decode(line["image"])))
    assert (picture.mode, picture.getpixel((3, 3))) == ("RGB", (255, 255, 255))


def test_the_card_has_the_md5_of_each_file(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    vlmevalkit.write(rows, pictures, tmp_path / "out")
    found = files_of(tmp_path / "out")
    for name in ("M3CoT_train.tsv", "M3CoT_validation.tsv", "M3CoT_test.tsv"):
        assert f"`{name}`: MD5 `{hashlib.md5(found[name]).hexdigest()}`" in found["README.md"].decode()
    vlmevalkit.write(rows, pictures, tmp_path / "again")
    assert files_of(tmp_path / "again") == found


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"images": None}, "passes over a question without a picture"),
        ({"answer": "F"}, "the answer is none of their options"),
        ({"choices": (None, "b")}, "an option is no text"),
        ({"choices": tuple(map(str, range(27)))}, "more than 26 options"),
        ({"question": " "}, "they have no question"),
        ({"context": "a\0b"}, "holds a NUL"),
    ],
)
def test_what_it_could_not_ask_is_left_out_with_the_reason(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    rows, pictures = benchmark(sample(8, **changes))
    written = vlmevalkit.write(rows, pictures, tmp_path / "out")
    assert sum(written.records.values()) == 6
    assert any(why in note and "(physics-8)" in note for note in written.notes)
    with pytest.raises(ExportError, match="can carry no sample of these"):
        vlmevalkit.write(rows[-1:], pictures, tmp_path / "none")


def test_a_question_that_names_a_picture_it_does_not_have_is_left_out(tmp_path: Path) -> None:
    rows, pictures = built_comt()
    beyond = rows[0]._replace(id="c-9", question="In [IMAGE0] and [IMAGE7]?")
    written = vlmevalkit.write([*rows, beyond], pictures, tmp_path / "out")
    assert any("names a picture that they do not have (c-9)" in note for note in written.notes)


def test_half_an_export_is_never_left(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    with pytest.raises(KeyboardInterrupt):
        vlmevalkit.write(rows, pictures, tmp_path / "out", interrupted)
    assert list(tmp_path.iterdir()) == []
