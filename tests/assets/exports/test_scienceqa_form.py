"""`assets.exports.scienceqa`: our reader of ScienceQA reads what was written."""

import json
from pathlib import Path
from typing import Any

import pytest

from assets.exports import scienceqa as form
from assets.exports.written import ExportError
from assets.images import Pictures, once
from assets.samples import Part, Sample
from assets.sources import scienceqa
from tests.exported import HOSTILE, benchmark, files_of, interrupted, sample


def read(folder: Path) -> list[Sample]:
    pictures = Pictures.of(once(scienceqa.pictures(folder)))
    return list(scienceqa.samples(folder, pictures.ids(), pictures.reasons(), provenance="read"))


def test_our_reader_of_scienceqa_reads_what_was_written(tmp_path: Path) -> None:
    rows, pictures = benchmark(sample(6, images=None), sample(7, rationale=None, split="test"))
    written = form.write(rows, pictures, tmp_path / "out")
    assert written.records == {"train": 3, "validation": 2, "test": 3}
    again = read(tmp_path / "out")
    assert [row.source_id for row in again] == [row.id for row in rows]
    for row, one in zip(rows, again, strict=True):
        if row.topic == "algebra":
            assert one.dropped == "unknown_subject"
            continue
        lost = {"id": "", "source": "", "source_id": "", "provenance": ""}
        assert one._replace(**lost) == row._replace(**lost)
    assert any("2 problems have a subject that ScienceQA has not (algebra)" in note for note in written.notes)
    assert any("1 problems have no picture" in note for note in written.notes)


def test_pictures_of_options_lie_beside_the_problem(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    row = rows[2]._replace(topic="natural-science")
    form.write([row], pictures, tmp_path / "out")
    [one] = read(tmp_path / "out")
    assert (one.choice_images, one.images) == (row.choice_images, row.images)
    names = [name for name in files_of(tmp_path / "out") if name.startswith("images")]
    assert sorted(names) == [
        *(f"images/test/physics-2/choice_{place}.png" for place in range(4)),
        "images/test/physics-2/image.png",
    ]


def test_a_problem_has_the_keys_of_scienceqa_in_their_order(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    form.write(rows, pictures, tmp_path / "out")
    problem = json.loads((tmp_path / "out/problems.json").read_text("utf-8"))["physics-1"]
    assert " ".join(problem) == (
        "question choices answer hint image task grade subject topic category skill lecture solution split"
    )
    assert (problem["answer"], problem["hint"], problem["image"]) == (1, HOSTILE, "image.png")
    assert (problem["subject"], problem["topic"], problem["split"]) == ("social science", "physics", "val")
    splits = json.loads((tmp_path / "out/pid_splits.json").read_text("utf-8"))
    assert splits == {
        "train": ["physics-0", "physics-3"],
        "val": ["physics-1", "physics-4"],
        "test": ["physics-2", "physics-5"],
        "trainval": ["physics-0", "physics-3", "physics-1", "physics-4"],
    }
    unlike = scienceqa.other_splits(tmp_path / "out", {row.id or "": row.split for row in rows})
    assert unlike == {}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"images": ("a", "b")}, "a problem has one picture, and these have several"),
        ({"answer": None}, "the answer is none of their options"),
        ({"split": "other"}, "their split is none of ScienceQA's"),
    ],
)
def test_what_has_no_place_is_left_out_with_the_reason(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    rows, pictures = benchmark(sample(8, **changes))
    written = form.write(rows, pictures, tmp_path / "out")
    assert sum(written.records.values()) == 6
    assert any(why in note and "(physics-8)" in note for note in written.notes)


def test_rationales_that_show_pictures_are_refused(tmp_path: Path) -> None:
    row = sample(8, benchmark="comt", rationale=(Part("image", "[IMAGE0]", "x"),))
    with pytest.raises(ExportError, match="a solution is a text, and these rationales show pictures"):
        form.write([row], benchmark()[1], tmp_path / "out")


def test_a_missing_picture_and_a_stop_leave_nothing(tmp_path: Path) -> None:
    rows, pictures = benchmark(sample(8, images=("0" * 64,)))
    with pytest.raises(ExportError, match="physics-8: its picture 000000000000 is not in the table"):
        form.write(rows, pictures, tmp_path / "out")
    with pytest.raises(KeyboardInterrupt):
        form.write(rows[:6], pictures, tmp_path / "out", interrupted)
    with pytest.raises(ExportError, match="no picture's file can have"):
        form.write([rows[0]._replace(id="../x")], pictures, tmp_path / "out")
    assert files_of(tmp_path) == {}


def test_the_same_tables_give_the_same_bytes(tmp_path: Path) -> None:
    rows, pictures = benchmark()
    form.write(rows, pictures, tmp_path / "a")
    form.write(rows, pictures, tmp_path / "b")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
