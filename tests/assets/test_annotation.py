"""Judgements: what a line of them is, the log, who decides, and edits."""

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from assets.annotation import (
    AnnotationError,
    Edit,
    Judgement,
    Log,
    decide,
    decisions,
    edited,
    of_record,
    of_table,
    read,
    to_record,
)
from assets.schema.tables import as_table
from assets.sources.jsonlines import SourceError

LINE: dict[str, Any] = {
    "sample_id": "scienceqa-5", "stage": "image_needed", "round": 1, "annotator": "ann", "verdict": "yes",
}  # fmt: skip


def vote(annotator: str, verdict: str, sample: str = "s-1", stage: str = "image_needed", round: int = 1) -> Judgement:
    return Judgement(sample, stage, round, annotator, verdict, None, None, None, "f")


def write(path: Path, *lines: dict[str, Any] | str) -> Path:
    path.write_text(
        "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )
    return path


def test_a_line_is_read_column_by_column(tmp_path: Path) -> None:
    edits = [{"step": 2, "text": "None"}]
    full = {**LINE, "stage": "quality", "verdict": "accept", "visual_steps": [], "edits": edits, "note": "null"}
    path = write(tmp_path / "a.jsonl", LINE, {**full, "at": "2026-11-30T10:00:00Z", "seconds": 3.5})
    assert list(read([(path, "a")])) == [
        Judgement("scienceqa-5", "image_needed", 1, "ann", "yes", None, None, None, "a"),
        Judgement("scienceqa-5", "quality", 1, "ann", "accept", (), (Edit(2, "None"),), "null", "a"),
    ]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no sample": ({"sample_id": None}, "no_sample_id"),
    "a number as sample": ({"sample_id": 5}, "no_sample_id"),
    "a blank sample": ({"sample_id": " "}, "no_sample_id"),
    "a sample's name without end": ({"sample_id": "s" * 301}, "no_sample_id"),
    "no annotator": ({"annotator": ""}, "no_annotator"),
    "a stage that is none": ({"stage": "vibes"}, "unknown_stage"),
    "a list as stage": ({"stage": ["quality"]}, "unknown_stage"),
    "round 2 where there is one": ({"round": 2}, "unknown_round"),
    "true as round": ({"round": True}, "unknown_round"),
    "a text as round": ({"round": "1"}, "unknown_round"),
    "accept where the question is yes or no": ({"verdict": "accept"}, "unknown_verdict"),
    "a verdict in capitals": ({"verdict": "Yes"}, "unknown_verdict"),
    "a list as verdict": ({"verdict": ["yes"]}, "unknown_verdict"),
    "step 0": ({"visual_steps": [0]}, "bad_visual_steps"),
    "a step that is true": ({"visual_steps": [True]}, "bad_visual_steps"),
    "a step beyond all": ({"visual_steps": [2**40]}, "bad_visual_steps"),
    "edits outside quality": ({"edits": [{"step": 1, "text": "a"}]}, "bad_edits"),
    "edits by name": ({"stage": "quality", "verdict": "accept", "edits": {"1": "a"}}, "bad_edits"),
    "an edit of a step below the question": (
        {"stage": "quality", "verdict": "accept", "edits": [{"step": -1, "text": "a"}]}, "bad_edits",
    ),
    "an edit of the question at a recheck": ({"stage": "recheck", "edits": [{"step": 0, "text": "a"}]}, "bad_edits"),
    "an edit of the question by false": (
        {"stage": "quality", "verdict": "accept", "edits": [{"step": False, "text": "a"}]}, "bad_edits",
    ),
    "an edit without text": ({"stage": "quality", "verdict": "accept", "edits": [{"step": 1}]}, "bad_edits"),
    "an edit of no end": (
        {"stage": "quality", "verdict": "accept", "edits": [{"step": 1, "text": "a" * 16_001}]}, "bad_edits",
    ),
    "a number as note": ({"note": 5}, "bad_note"),
    "a key that is misspelt": ({"edit": []}, "unknown_key"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), BAD.values(), ids=BAD.keys())
def test_what_is_no_judgement_is_quarantined_with_its_place(change: dict[str, Any], reason: str) -> None:
    row = of_record({**LINE, **change}, "a", 7)
    assert (row.dropped, row.verdict) == (reason, None)
    assert row.quarantined is not None and row.quarantined[:2] == ("a", 7)
    assert row.quarantined[2] and len(row.quarantined[2]) <= 200


def test_an_edit_of_step_0_is_one_of_the_question_and_comes_back() -> None:
    line = {**LINE, "stage": "quality", "verdict": "accept", "edits": [{"step": 0, "text": "Why?"}]}
    row = of_record(line, "a", 1)
    assert (row.dropped, row.edits) == (None, (Edit(0, "Why?"),))
    assert to_record(row) == line
    assert of_table(as_table("annotation", [row])) == [row]


@pytest.mark.parametrize("key", LINE)
def test_a_line_without_a_key_is_quarantined(key: str) -> None:
    row = of_record({name: value for name, value in LINE.items() if name != key}, "a", 1)
    assert row.dropped is not None and row.quarantined is not None


def test_lines_that_are_no_records_are_quarantined(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", LINE, "\n", "[1]\n", '{"sample_id": "s', )  # fmt: skip
    rows = list(read([(path, "a")]))
    assert [(row.dropped, row.quarantined and row.quarantined[1]) for row in rows] == [
        (None, None),
        ("blank_line", 2),
        ("not_an_object", 3),
        ("invalid_json", 4),
    ]


def test_the_later_judgement_of_the_same_turn_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", LINE, {**LINE, "annotator": "bob"}, {**LINE, "verdict": "no"})
    rows = list(read([(path, "a")]))
    assert [(row.annotator, row.verdict, row.dropped) for row in rows] == [
        ("ann", "yes", "superseded"),
        ("bob", "yes", None),
        ("ann", "no", None),
    ]
    assert rows[0].quarantined is None


def test_an_unreadable_change_of_mind_supersedes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", LINE, {**LINE, "verdict": "maybe"})
    assert [row.dropped for row in read([(path, "a")])] == [None, "unknown_verdict"]


def test_a_folder_is_its_jsonl_files_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "votes"
    folder.mkdir()
    write(folder / "b.jsonl", {**LINE, "verdict": "no"})
    write(folder / "a.jsonl", LINE)
    write(folder / "a.jsonl.lock", "x")
    write(folder / "readme.txt", "x")
    (folder / "c.jsonl").mkdir()
    write(tmp_path / "secret.jsonl", LINE)
    (folder / "d.jsonl").symlink_to(tmp_path / "secret.jsonl")
    rows = list(read([(folder, "votes/")]))
    assert [(row.source, row.verdict, row.dropped) for row in rows] == [
        ("votes/a.jsonl", "yes", "superseded"),
        ("votes/b.jsonl", "no", None),
        ("votes/c.jsonl", None, "not_a_file"),
        ("votes/d.jsonl", None, "outside_folder"),
    ]


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(SourceError, match=r"there is no such file or folder: set sources\.m3cot_annotations\.recorded"):
        list(read([(Path("/nowhere/a.jsonl"), "votes/a.jsonl")]))


def test_a_file_that_is_not_there_or_no_judgements_is_said_with_the_setting_that_names_it(tmp_path: Path) -> None:
    setting = "sources.comt_annotations.recorded"
    for path in (tmp_path / "none.jsonl", write(tmp_path / "a.jsonl", {"question": "Why?"})):
        with pytest.raises(SourceError, match=r"sources\.comt_annotations\.recorded"):
            list(read([(path, path.name)], setting))


def test_a_table_gives_back_what_it_was_made_of(tmp_path: Path) -> None:
    edits = [{"step": 1, "text": ""}]
    full = {**LINE, "stage": "quality", "verdict": "accept", "visual_steps": [1, 3], "edits": edits, "note": ""}
    path = write(tmp_path / "a.jsonl", LINE, full, full, "{\n", {**LINE, "round": 3})
    rows = list(read([(path, "a")]))
    assert of_table(as_table("annotation", rows)) == rows
    assert to_record(rows[2]) == full


def test_a_verdict_needs_as_many_as_agree() -> None:
    assert decide([vote("a", "yes"), vote("b", "yes"), vote("c", "no")]) == "yes"
    assert decide([vote("a", "yes"), vote("b", "no"), vote("c", "discard")]) == "no"
    assert decide([vote("a", "accept")], needed=1) == "yes"
    assert decide([vote("a", "yes")]) == "pending"
    assert decide([vote("a", "yes"), vote("b", "no")]) == "pending"
    assert decide([]) == "pending"


def test_a_tie_decides_nothing() -> None:
    assert decide([vote("a", "yes"), vote("b", "yes"), vote("c", "no"), vote("d", "no")]) == "pending"


def test_one_annotator_is_one_voice() -> None:
    assert decide([vote("a", "yes"), vote("a", "yes")]) == "pending"
    assert decide([vote("a", "yes"), vote("b", "yes")._replace(dropped="superseded")]) == "pending"


def test_decisions_are_of_one_stage_and_round() -> None:
    given = [vote("a", "yes"), vote("b", "yes"), vote("a", "no", "s-2"), vote("c", "yes", "s-3", "recheck", 2)]
    assert decisions(given, "image_needed") == {"s-1": "yes", "s-2": "pending"}
    assert decisions(given, "recheck", 2, needed=1) == {"s-3": "yes"}


def test_edits_replace_remove_and_add_by_the_numbers_shown() -> None:
    steps = ["One.", "Two.", "Three."]
    assert edited(steps, [Edit(3, "3."), Edit(1, ""), Edit(4, "Four."), Edit(4, "Five.")]) == [
        "Two.",
        "3.",
        "Four.",
        "Five.",
    ]
    assert edited(steps, [Edit(1, "a"), Edit(1, "b")]) == ["b", "Two.", "Three."]


def test_edits_out_of_range_name_the_sample() -> None:
    with pytest.raises(AnnotationError, match=r"s-1: an edit names step 3 of 1"):
        edited(["One."], [Edit(3, "a")], "s-1")
    with pytest.raises(AnnotationError, match=r"s-1: an edit names step 0 of 1: number the steps as they were shown"):
        edited(["One."], [Edit(0, "What?")], "s-1")
    with pytest.raises(AnnotationError, match=r"s-1: the edits leave no step"):
        edited(["One."], [Edit(1, " ")], "s-1")


def test_a_log_gives_back_what_was_added(tmp_path: Path) -> None:
    log = Log(tmp_path / "new" / "ann.jsonl")
    assert log.judgements() == []
    log.append({**LINE, "note": "a\nb", "at": "2026-11-30T10:00:00Z", "seconds": 4})
    log.append({**LINE, "verdict": "no"})
    assert [(row.verdict, row.note, row.dropped) for row in log.judgements()] == [
        ("yes", "a\nb", "superseded"),
        ("no", None, None),
    ]
    assert log.path.read_bytes().count(b"\n") == 2


def test_a_log_takes_no_line_that_would_be_quarantined(tmp_path: Path) -> None:
    log = Log(tmp_path / "ann.jsonl")
    with pytest.raises(AnnotationError, match=r"is no judgement \(unknown_verdict\): mend it"):
        log.append({**LINE, "verdict": "maybe"})
    with pytest.raises(AnnotationError, match="cannot be written as JSON"):
        log.append({**LINE, "note": "\ud800"})
    assert not log.path.exists()


def test_a_torn_last_line_is_quarantined_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "ann.jsonl", LINE, '{"sample_id": "scienceqa-6", "sta')
    log = Log(path)
    log.append({**LINE, "annotator": "bob"})
    assert [(row.annotator, row.dropped) for row in log.judgements()] == [
        ("ann", None),
        (None, "invalid_json"),
        ("bob", None),
    ]


def test_a_log_that_cannot_be_written_says_what_was_not_saved(tmp_path: Path) -> None:
    write(tmp_path / "folder", "a file where the folder should be")
    with pytest.raises(AnnotationError, match="the judgement of scienceqa-5 was not saved"):
        Log(tmp_path / "folder" / "ann.jsonl").append(LINE)


def _append_many(path: Path, annotator: str) -> None:
    log = Log(path)
    for number in range(12):
        log.append({**LINE, "sample_id": f"s-{number}", "annotator": annotator, "note": annotator * 3000})


def test_annotators_write_at_once_without_mixing_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "ann.jsonl", '{"torn')
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_append_many, args=(path, name)) for name in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    rows = Log(path).judgements()
    assert [row.dropped for row in rows if row.dropped] == ["invalid_json"]
    assert {name: sum(row.annotator == name for row in rows) for name in "abcd"} == dict.fromkeys("abcd", 12)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\x00\x01", "not_utf8"),
        (b'{\n  "1": {"question": "Why?"}\n}\n', "invalid_json"),
        (b'{"question": "Why?"}\n', "unknown_key"),
    ],
    ids=["binary", "JSON of many lines", "a record of something else"],
)
def test_a_file_without_a_judgement_is_said(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)
    said = rf"no line of it is a judgement \(the first: {reason}\): name a file of JSON lines in sources\.m3cot_annot"
    with pytest.raises(SourceError, match=rf"^votes/a\.jsonl: {said}"):
        list(read([(tmp_path, "votes")]))


def test_an_empty_file_a_folder_without_any_and_a_torn_log_are_fine(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    torn = write(tmp_path / "torn.jsonl", '{"sample_id": "s-1", "sta')
    given = [(write(tmp_path / "a.jsonl"), "a"), (tmp_path / "none", "none"), (torn, "torn")]
    assert [(row.source, row.dropped) for row in read(given)] == [("torn", "invalid_json")]
