"""Judgements to and from JSON lines, CSV and Label Studio."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.annotation import AnnotationError, Edit, Judgement, superseded
from assets.annotation_files import exported, imported, write

HEAD = "sample_id,stage,round,annotator,verdict,visual_steps,edits,note"
TASK: dict[str, Any] = {"sample_id": "s-1", "stage": "image_needed", "round": 1}

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["", "None", "NA", "null", '"', '""', '"a"', "=1+1", "a,b", "a\r\nb", "a\rb", "\0", " a "]
)
names = words.filter(str.strip)
judgements = st.lists(
    st.one_of(
        st.builds(
            Judgement, names, st.just("quality"), st.just(1), names, st.sampled_from(["accept", "discard"]), st.none(),
            st.none() | st.lists(st.builds(Edit, st.integers(0, 9), words), max_size=2).map(tuple),
            st.none() | words, st.just("f"), st.none(), st.none(),
        ),
        st.builds(
            Judgement, names, st.just("recheck"), st.integers(1, 2), names, st.sampled_from(["yes", "no"]),
            st.none() | st.lists(st.integers(1, 9), max_size=3).map(tuple), st.none(),
            st.none() | words, st.just("f"), st.none(), st.none(),
        ),
    ),
    max_size=4,
)  # fmt: skip


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
@settings(deadline=None)
@given(rows=judgements)
def test_what_is_written_is_read_back(
    form: str, rows: list[Judgement], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"{form}.txt"
    rows = list(superseded(rows))
    write(path, exported(rows, form))
    if form == "label_studio":
        tasks = list(dict.fromkeys(row.turn[:3] for row in rows))
        rows = sorted(rows, key=lambda row: tasks.index(row.turn[:3]))
    assert imported(path, form, "f") == rows


def test_csv_keeps_texts_that_look_like_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD}\ns-1,recheck,1,None,yes,[1],,NA\ns-2,recheck,1,null,no,,,\n", encoding="utf-8-sig")
    assert [row[:8] for row in imported(path, "csv")] == [
        ("s-1", "recheck", 1, "None", "yes", (1,), None, "NA"),
        ("s-2", "recheck", 1, "null", "no", None, None, None),
    ]


BAD_ROWS = {
    "a cell too few": ("s-1,recheck,1,a,yes,,", "wrong_cells"),
    "a blank line": ("", "blank_line"),
    "a round that is no number": ("s-1,recheck,one,a,yes,,,", "unknown_round"),
    "steps that are no JSON": ("s-1,recheck,1,a,yes,1;2,,", "bad_visual_steps"),
    "text behind a quote": ('s-1,recheck,1,"a"b,yes,,,', "broken_csv"),
}


@pytest.mark.parametrize(("row", "reason"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_bad_row_of_csv_is_quarantined_alone(tmp_path: Path, row: str, reason: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD}\n{row}\ns-2,recheck,1,a,yes,,,\n", encoding="utf-8")
    bad, good = imported(path, "csv")
    assert (bad.dropped, bad.quarantined and bad.quarantined[:2], good.sample_id) == (reason, ("a.csv", 2), "s-2")


def test_a_header_that_is_none_says_what_to_write(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for text, what in (
        ("", "holds no header"),
        ("sample_id;stage\n", "the header lacks sample_id"),
        (f"{HEAD},mood\n", "the header has mood"),
        (f"{HEAD},note\n", "the header has a column twice"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(AnnotationError, match=what):
            imported(path, "csv")


def choice(verdict: str, **more: Any) -> dict[str, Any]:
    return {"from_name": "verdict", "to_name": "q", "type": "choices", "value": {"choices": [verdict]}, **more}


def of_tasks(tmp_path: Path, *tasks: Any) -> list[Judgement]:
    path = tmp_path / "ls.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return imported(path, "label_studio")


def test_label_studio_names_the_annotator(tmp_path: Path) -> None:
    by: list[Any] = [{"id": 3, "email": "a@b.c"}, {"id": 3}, 7, "ann"]
    task = {"data": TASK, "annotations": [{"completed_by": who, "result": [choice("yes")]} for who in by]}
    assert [(row.annotator, row.verdict) for row in of_tasks(tmp_path, task)] == [
        ("a@b.c", "yes"),
        ("user-3", "yes"),
        ("user-7", "yes"),
        ("ann", "yes"),
    ]


BAD_TASKS: dict[str, tuple[Any, str]] = {
    "a task that is none": (5, "not_a_task"),
    "a task without data": ({"annotations": []}, "not_a_task"),
    "a control of another project": (
        {"data": TASK, "annotations": [{"completed_by": 1, "result": [choice("yes", from_name="box")]}]},
        "unknown_control",
    ),
    "a control of another type": (
        {"data": TASK, "annotations": [{"completed_by": 1, "result": [choice("yes", type="rating")]}]},
        "unknown_control",
    ),
    "two choices": (
        {
            "data": TASK,
            "annotations": [{"completed_by": 1, "result": [choice("yes", value={"choices": ["yes", "no"]})]}],
        },
        "not_an_annotation",
    ),
    "a value that is none": (
        {"data": TASK, "annotations": [{"completed_by": 1, "result": [choice("yes", value=None)]}]},
        "not_an_annotation",
    ),
    "a skipped task": (
        {"data": TASK, "annotations": [{"completed_by": 1, "was_cancelled": True, "result": []}]},
        "cancelled",
    ),
    "nothing chosen": ({"data": TASK, "annotations": [{"completed_by": 1, "result": []}]}, "unknown_verdict"),
    "nobody": ({"data": TASK, "annotations": [{"result": [choice("yes")]}]}, "no_annotator"),
    "a task of something else": (
        {"data": {"text": "a"}, "annotations": [{"completed_by": 1, "result": [choice("yes")]}]},
        "no_sample_id",
    ),
}


@pytest.mark.parametrize(("task", "reason"), BAD_TASKS.values(), ids=BAD_TASKS.keys())
def test_a_foreign_task_is_quarantined_alone(tmp_path: Path, task: Any, reason: str) -> None:
    fine = {"data": TASK, "annotations": [{"completed_by": 1, "result": [choice("no")]}]}
    bad, good = of_tasks(tmp_path, task, fine)
    assert (bad.dropped, bad.quarantined and bad.quarantined[:2]) == (reason, ("ls.json", 1))
    assert (good.verdict, good.dropped) == ("no", None)


def test_a_task_that_nobody_did_is_no_judgement_and_no_fault(tmp_path: Path) -> None:
    (row,) = of_tasks(tmp_path, {"data": TASK, "annotations": []})
    assert (row.sample_id, row.dropped, row.quarantined) == ("s-1", "not_judged", None)


def test_label_studio_shows_the_sample_beside_its_name() -> None:
    row = Judgement("s-1", "recheck", 2, "a", "yes", None, None, None, "f")
    (task,) = json.loads(exported([row], "label_studio", {"s-1": {"question": "Why?", "stage": "x"}}))
    assert task["data"] == {"question": "Why?", "sample_id": "s-1", "stage": "recheck", "round": 2}


def test_rows_that_were_no_judgement_are_not_written() -> None:
    row = Judgement("s-1", "recheck", 2, "a", "yes", None, None, None, "f")
    assert exported([row._replace(dropped="unknown_verdict")], "jsonl") == ""


@pytest.mark.parametrize("text", ["{", "{}", "[" * 100_000])
def test_a_file_that_is_no_export_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ls.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AnnotationError, match=r"ls\.json: (is no JSON|holds no array)"):
        imported(path, "label_studio")


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AnnotationError, match="none of jsonl, csv, label_studio"):
        exported([], "xlsx")
    with pytest.raises(AnnotationError, match="none of jsonl, csv, label_studio"):
        imported(tmp_path / "a", "xlsx")
