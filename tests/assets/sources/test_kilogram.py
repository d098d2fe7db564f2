"""`assets.sources.kilogram`: drawings with what people wrote about them, and a row for whatever is amiss."""

import json
import os

import pytest

from assets.ordering import natural
from assets.schema.columns import DESCRIPTION, PIECE
from assets.schema.tables import TABLES, as_table
from assets.sources import kilogram
from assets.sources.jsonlines import SourceError
from assets.sources.kilogram import Group, KilogramError, PartLabel, Tangram, annotations, tangrams

SVG = '<svg viewBox="0 0 40 30" xmlns="http://www.w3.org/2000/svg">{}</svg>'
GOOD = SVG.format("".join(f'<polygon id="{piece}" points="0,0 {piece},0 0,{piece}"/>' for piece in range(1, 8)))
TOLD = {
    "whole": {"wholeAnnotation": "duck", "timestamp": "t"},
    "part": {"7": "head", "3": "wing", "1": "wing"},
    "workerId": "w1",
    "metadata": {
        "10": {"final": True, "pieces": [7], "annotation": "head", "timestamp": "t"},
        "2": {"final": True, "pieces": [1, 3], "annotation": "wing", "timestamp": "t"},
        "0": {"final": False, "pieces": [1], "annotation": "tail", "timestamp": "t"},
    },
}


def entry(*records):
    return {"snd": 0.5, "pnd": 0.5, "psa": 1.0, "annotations": list(records)}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tangrams-svg").mkdir()
    for name in ("page1-10", "page1-2", "page-A"):
        (tmp_path / "tangrams-svg" / f"{name}.svg").write_text(GOOD)
    return tmp_path


def read(folder, told=None, name="dense10.json"):
    if told is not None:
        (folder / name).write_text(told if isinstance(told, str) else json.dumps(told))
    return list(tangrams(folder, provenance="generated"))


def test_a_tangram_has_the_columns_of_the_table():
    assert list(Tangram._fields) == TABLES["tangram"].names
    assert [field.name for field in DESCRIPTION] == list(kilogram.Description._fields)
    assert [field.name for field in PIECE] == ["piece", "points"]


def test_rows_come_in_the_natural_order_of_their_names(folder):
    assert [row.id for row in read(folder)] == ["page1-2", "page1-10", "page-A"]


def test_numbers_of_any_length_sort_by_size():
    names = ["a" + "9" * 5000, "a10", "a9", "a09", "a", "b1"]
    assert sorted(names, key=natural) == ["a", "a09", "a9", "a10", "a" + "9" * 5000, "b1"]


def test_a_description_has_parts_by_piece_and_groups_as_they_were_written(folder):
    row = read(folder, {"page1-2": entry(TOLD)})[0]
    [told] = row.descriptions
    assert (told.annotator, told.whole) == ("w1", "duck")
    assert told.parts == (PartLabel("1", "wing"), PartLabel("3", "wing"), PartLabel("7", "head"))
    assert told.groups == (Group((1,), "tail", False), Group((1, 3), "wing", True), Group((7,), "head", True))


def test_a_row_goes_into_the_table_as_it_is(folder):
    [first, *_] = as_table("tangram", read(folder, {"page1-2": entry(TOLD)})).to_pylist()
    assert (first["width"], first["height"], first["source"], first["provenance"]) == (40, 30, "kilogram", "generated")
    assert first["pieces"][1] == {"piece": "2", "points": [0, 0, 2, 0, 0, 2]}
    assert first["descriptions"][0]["groups"][0] == {"pieces": [1], "text": "tail", "final": False}
    assert (first["dropped"], first["quarantined"]) == (None, None)


def test_a_tangram_that_nobody_described_is_kept_without_descriptions(folder):
    assert [(row.descriptions, row.dropped) for row in read(folder, {})] == [((), None)] * 3


def test_the_file_with_the_most_annotations_is_read(folder):
    assert annotations(folder) is None
    for name in ("dense10.json", "dense.json", "full.json"):
        (folder / name).write_text("{}")
        assert annotations(folder) == folder / name


def test_an_annotation_without_a_drawing_is_a_quarantined_row_at_the_end(folder):
    last = read(folder, {"page9-1": entry(TOLD), "page1-2": entry(TOLD)})[-1]
    assert (last.id, last.dropped, last.quarantined[:2]) == ("page9-1", "missing_drawing", ("dense10.json", None))
    assert last.quarantined[2].startswith('{"snd": 0.5') and len(last.quarantined[2]) <= 200


def changed(**keys):
    return {**TOLD, **keys}


def grouped(**keys):
    return changed(metadata={"0": {**TOLD["metadata"]["2"], **keys}})


@pytest.mark.parametrize(
    "record",
    [
        None,
        "duck",
        [],
        {},
        changed(workerId=7),
        changed(whole="duck"),
        changed(whole={"wholeAnnotation": None}),
        changed(whole={"wholeAnnotation": "\ud800"}),
        changed(whole={"wholeAnnotation": "x" * 3000}),
        changed(part=["wing"]),
        changed(part={"8": "wing"}),
        changed(part={"1": 5}),
        changed(metadata=None),
        changed(metadata={"x": TOLD["metadata"]["2"]}),
        changed(metadata={"9" * 5000: TOLD["metadata"]["2"]}),
        changed(metadata={"0": None}),
        grouped(final="true"),
        grouped(pieces=[0]),
        grouped(pieces=[8]),
        grouped(pieces=[True]),
        grouped(pieces=["1"]),
        grouped(pieces=[]),
        grouped(pieces=[1, 1]),
        grouped(annotation=None),
    ],
)
def test_a_malformed_description_is_a_row_of_its_own_and_the_others_stay(folder, record):
    tangram, bad, *others = read(folder, {"page1-2": entry(record, TOLD)})
    assert (tangram.id, tangram.dropped, [told.whole for told in tangram.descriptions]) == ("page1-2", None, ["duck"])
    assert (bad.id, bad.dropped) == ("page1-2", "bad_description")
    assert bad.quarantined == ("dense10.json", None, json.dumps(record)[:200])
    assert [row.dropped for row in others] == [None, None]


@pytest.mark.parametrize("told", [None, [], "x", {"annotations": {}}, {}])
def test_an_entry_without_a_list_of_annotations_is_a_row_of_its_own(folder, told):
    assert [row.dropped for row in read(folder, {"page1-2": told})] == [None, "bad_description", None, None]


def test_a_description_with_a_key_twice_says_nothing_certain(folder):
    twice = json.dumps(entry(TOLD)).replace('"workerId": "w1"', '"workerId": "w1", "workerId": "w2"')
    assert [row.dropped for row in read(folder, f'{{"page1-2": {twice}}}')][:2] == [None, "bad_description"]


def test_scores_that_are_no_numbers_do_not_matter(folder):
    told = json.dumps({"page1-2": entry(TOLD)}).replace("0.5", "NaN")
    assert len(read(folder, told)[0].descriptions) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "dense10.json: is no JSON .*: get it again"),
        ("[" * 200_000, "dense10.json: is no JSON"),
        ("[]", "dense10.json: is no JSON object of tangrams by id"),
        ('{"page1-2": {}, "page1-2": {}}', "dense10.json: names a tangram twice"),
    ],
    ids=["cut", "deep", "list", "twice"],
)
def test_a_file_of_annotations_that_cannot_be_read_is_named(folder, text, message):
    with pytest.raises(KilogramError, match=message):
        read(folder, text)


def test_a_file_past_all_size_is_not_read(folder, monkeypatch):
    monkeypatch.setattr(kilogram, "MOST_BYTES", 10)
    with pytest.raises(KilogramError, match=r"dense10\.json: is longer than"):
        read(folder, {"page1-2": entry(TOLD)})


def test_a_folder_without_drawings_is_named(tmp_path):
    with pytest.raises(KilogramError, match="holds no folder tangrams-svg: point at"):
        read(tmp_path)


def test_what_is_no_drawing_is_quarantined_with_its_reason(folder):
    drawings = folder / "tangrams-svg"
    (drawings / "b-empty.svg").write_bytes(b"")
    (drawings / "b-entities.svg").write_text('<!DOCTYPE svg [<!ENTITY a "b">]>' + GOOD)
    (drawings / "b-folder.svg").mkdir()
    (drawings / "b-link.svg").symlink_to(folder / "secret")
    (drawings / "b-loop.svg").symlink_to(drawings / "b-loop.svg")
    (drawings / "b-notes.txt").write_text("read me")
    os.mkfifo(drawings / "b-pipe.svg")
    (drawings / ".DS_Store").write_bytes(b"\0")
    (folder / "secret").write_text("secret")
    rows = read(folder, {"b-empty": entry(TOLD), "page-A": entry(TOLD)})
    assert [(row.id, row.dropped) for row in rows if row.id[0] == "b"] == [
        ("b-empty", "empty_file"),
        ("b-entities", "doctype"),
        ("b-folder", "unreadable_file"),
        ("b-link", "outside_folder"),
        ("b-loop", "unreadable_file"),
        ("b-notes", "wrong_suffix"),
        ("b-pipe", "unreadable_file"),
    ]
    assert [row.quarantined for row in rows if row.id == "b-entities"] == [("tangrams-svg/b-entities.svg", None, "svg")]
    assert not any("secret" in str(row) for row in rows)
    assert {row.dropped for row in rows} - {None} <= set(kilogram.REASONS)


def test_names_that_are_no_text_become_rows_without_an_id(folder):
    name = os.fsdecode(b"page\xff.svg")
    (folder / "tangrams-svg" / name).write_text(GOOD)
    rows = read(folder, {"\ud800": entry(TOLD)})
    assert [(row.id, row.dropped) for row in rows[-2:]] == [(None, "unreadable_name"), (None, "missing_drawing")]
    assert rows[-2].quarantined[0] == "tangrams-svg/page\\udcff.svg"
    assert as_table("tangram", rows).num_rows == 5


def test_a_folder_of_drawings_without_any_is_named(tmp_path):
    (tmp_path / "tangrams-svg").mkdir()
    with pytest.raises(KilogramError, match="holds no drawing in tangrams-svg: put KILOGRAM's"):
        read(tmp_path)


def test_a_wrong_folder_is_said_with_its_setting(tmp_path):
    (tmp_path / "afile").write_text("")
    with pytest.raises(
        SourceError, match="afile: is a file, not a folder: name the folder that holds its tangrams-svg"
    ):
        read(tmp_path / "afile")
    with pytest.raises(SourceError, match=r"absent: there is no such folder: set sources\.kilogram\.folder"):
        read(tmp_path / "absent")
