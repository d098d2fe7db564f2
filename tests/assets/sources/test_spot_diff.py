"""`assets.sources.spot_diff`: folders of two pictures and boxes as rows of tables `pair` and `image`."""

import json
import os

import pytest
from PIL import Image

from assets.images import Pictures
from assets.schema.tables import TABLES, as_table
from assets.sources.jsonlines import SourceError
from assets.sources.spot_diff import REASONS, Pair, pairs, pictures

BOX = {"left": 1, "top": 2, "width": 10, "height": 20.5}


def put(folder, name, boxes, *, first=(9, 9, 9), second=(8, 8, 8), size=(50, 40), second_size=None, suffix="png"):
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    if first is not None:
        Image.new("RGB", size, first).save(home / f"a.{suffix}")
    if second is not None:
        Image.new("RGB", second_size or size, second).save(home / f"b.{suffix}")
    if boxes is not None:
        (home / "boxes.json").write_text(boxes if isinstance(boxes, str) else json.dumps(boxes), encoding="utf-8")


def read(folder):
    held = Pictures.of(pictures(folder))
    return list(pairs(folder, held.ids(), held.reasons(), provenance="released"))


def test_a_pair_has_the_columns_of_the_table():
    assert list(Pair._fields) == TABLES["pair"].names


def test_a_folder_becomes_a_pair_with_its_two_pictures(tmp_path):
    put(tmp_path, "kitchen", [BOX, {"left": 30, "top": 0, "width": 5, "height": 5}])
    [row] = read(tmp_path)
    first, second = pictures(tmp_path)
    assert (first.file, second.file) == ("kitchen/a.png", "kitchen/b.png")
    assert row == Pair(
        "kitchen",
        first.image_id,
        second.image_id,
        ((1.0, 2.0, 10.0, 20.5), (30.0, 0.0, 5.0, 5.0)),
        "spot_diff",
        "released",
    )
    assert as_table("pair", [row]).to_pylist()[0]["boxes"][1] == {"left": 30, "top": 0, "width": 5, "height": 5}


def test_pairs_stand_in_the_order_of_their_numbers_and_their_pictures_side_by_side(tmp_path):
    for number in (10, 2, 1):
        put(tmp_path, f"p{number}", [BOX], first=(number, 0, 0), second=(number, 1, 0))
    assert [row.id for row in read(tmp_path)] == ["p1", "p2", "p10"]
    files = [picture.file for picture in pictures(tmp_path)]
    assert files == ["p1/a.png", "p1/b.png", "p2/a.png", "p2/b.png", "p10/a.png", "p10/b.png"]


def test_pictures_may_be_jpeg(tmp_path):
    put(tmp_path, "one", [BOX], second=(200, 8, 8), suffix="jpg")
    assert [row.dropped for row in read(tmp_path)] == [None]


def test_of_two_files_for_a_picture_the_one_that_can_be_read_counts(tmp_path):
    put(tmp_path, "one", [BOX], suffix="jpg", second=(200, 8, 8))
    (tmp_path / "one" / "a.png").write_bytes(b"nothing")
    [row] = read(tmp_path)
    [read_one] = [picture.image_id for picture in pictures(tmp_path) if picture.file == "one/a.jpg"]
    assert (row.dropped, row.first) == (None, read_one)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ((40, 30, 100, 100), (40, 30, 10, 10)),
        ((-5, -6, 10, 10), (0, 0, 5, 4)),
        ((-1, -1, 1e308, 1e308), (0, 0, 50, 40)),
    ],
)
def test_a_box_partly_outside_is_clipped_and_the_provenance_says_so(tmp_path, given, kept):
    put(tmp_path, "one", [dict(zip(("left", "top", "width", "height"), given, strict=True))])
    [row] = read(tmp_path)
    assert (row.boxes, row.dropped) == ((kept,), None)
    assert row.provenance == "released > boxes clipped to the picture"


def test_a_box_within_the_picture_is_kept_to_the_last_digit(tmp_path):
    put(tmp_path, "one", [{"left": 0.1, "top": 0.7, "width": 0.2, "height": 0.1}])
    [row] = read(tmp_path)
    assert (row.boxes, row.provenance) == (((0.1, 0.7, 0.2, 0.1),), "released")


@pytest.mark.parametrize(
    ("boxes", "reason", "excerpt"),
    [
        (None, "missing_file", None),
        ("", "empty_file", None),
        ("[{", "truncated_json", "[{"),
        ('[{"left": NaN}]', "not_a_number", '[{"left": NaN}]'),
        ({"boxes": [BOX]}, "no_boxes", '{"boxes": [{"left": 1, "top": 2, "width": 10, "height": 20.5}]}'),
        ([], "no_boxes", "[]"),
        ([BOX, {"left": 1, "top": 2, "width": 3}], "bad_box", 'box 2 of 2: {"left": 1, "top": 2, "width": 3}'),
        ([[1, 2, 3, 4]], "bad_box", "box 1 of 1: [1, 2, 3, 4]"),
        ([BOX | {"left": "1"}], "bad_box", None),
        ([BOX | {"left": True}], "bad_box", None),
        ([BOX | {"left": 10**400}], "bad_box", None),
        ([BOX | {"width": 0}], "bad_box", None),
        ([BOX | {"height": -3}], "bad_box", None),
        ([BOX, BOX | {"left": 50}], "box_outside", None),
        ([BOX | {"top": -20.5}], "box_outside", None),
        ([BOX] * 1001, "too_many_boxes", "1001 boxes"),
    ],
)
def test_boxes_that_are_none_are_set_aside_with_the_file_and_how_they_read(tmp_path, boxes, reason, excerpt):
    put(tmp_path, "one", boxes)
    put(tmp_path, "two", [BOX])
    row, good = read(tmp_path)
    assert (row.id, row.dropped, good.dropped) == ("one", reason, None)
    assert row.quarantined[0] == "one/boxes.json"
    assert excerpt is None or row.quarantined[2] == excerpt
    assert reason in REASONS


@pytest.mark.parametrize(
    ("given", "reason", "excerpt"),
    [
        ({"second": None}, "missing_picture", "one/b.png"),
        ({"second": (9, 9, 9)}, "disagrees", "one/a.png and one/b.png have the same pixels"),
        ({"second_size": (50, 41)}, "unequal_sizes", "one/a.png has 50 x 40, one/b.png has 50 x 41"),
    ],
)
def test_pictures_that_make_no_pair_are_set_aside(tmp_path, given, reason, excerpt):
    put(tmp_path, "one", [BOX], **given)
    [row] = read(tmp_path)
    assert (row.dropped, row.quarantined) == (reason, ("one/boxes.json", None, excerpt))


def test_a_picture_that_cannot_be_read_says_why(tmp_path):
    put(tmp_path, "one", [BOX])
    (tmp_path / "one" / "b.png").write_bytes((tmp_path / "one" / "a.png").read_bytes()[:60])
    [row] = read(tmp_path)
    assert (row.dropped, row.quarantined[2]) == ("unreadable_picture", "one/b.png: truncated_picture")


def test_sizes_are_those_of_the_pictures_as_they_are_turned(tmp_path):
    put(tmp_path, "one", [{"left": 0, "top": 45, "width": 5, "height": 5}], suffix="jpg")
    for name, colour in (("a", (9, 9, 9)), ("b", (200, 9, 9))):
        lying = Image.new("RGB", (50, 40), colour)
        exif = lying.getexif()
        exif[0x0112] = 6
        lying.save(tmp_path / "one" / f"{name}.jpg", exif=exif)
    [row] = read(tmp_path)
    assert (row.dropped, row.boxes) == (None, ((0, 45, 5, 5),))


def test_two_folders_of_one_name_are_one_pair_and_one_set_aside(tmp_path):
    put(tmp_path, "x/one", [BOX])
    put(tmp_path, "y/one", [BOX], first=(1, 2, 3))
    assert [(row.id, row.dropped) for row in read(tmp_path)] == [("one", None), ("one", "duplicate_id")]


def test_nothing_outside_the_folder_is_read(tmp_path):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    put(outside, "one", [BOX])
    put(inside, "linked-boxes", None)
    (inside / "linked-boxes" / "boxes.json").symlink_to(outside / "one" / "boxes.json")
    put(inside, "linked-picture", [BOX], second=None)
    (inside / "linked-picture" / "b.png").symlink_to(outside / "one" / "b.png")
    (inside / "linked").symlink_to(outside / "one")
    (inside / "round").symlink_to(inside)
    put(inside, "pipe", None)
    os.mkfifo(inside / "pipe" / "boxes.json")
    found = {row.id: (row.dropped, row.quarantined) for row in read(inside)}
    assert found == {
        "linked": ("path_outside", ("linked", None, None)),
        "round": ("linked_folder", ("round", None, None)),
        "linked-boxes": ("path_outside", ("linked-boxes/boxes.json", None, None)),
        "linked-picture": (
            "unreadable_picture",
            ("linked-picture/boxes.json", None, "linked-picture/b.png: path_outside"),
        ),
        "pipe": ("not_a_file", ("pipe/boxes.json", None, None)),
    }


@pytest.mark.parametrize("name", ["a\\b", "a\nb"])
def test_a_name_that_names_no_file_everywhere_is_no_id(tmp_path, name):
    put(tmp_path, name, [BOX])
    assert [row.dropped for row in read(tmp_path)] == ["bad_name"]


def test_other_files_make_no_pair(tmp_path):
    put(tmp_path, "one", [BOX])
    (tmp_path / "README.md").write_text("about")
    (tmp_path / "index.json").write_text("{}")
    Image.new("RGB", (4, 4)).save(tmp_path / "cover.png")
    for place in ("notes", ".git/refs", "__MACOSX", "one/old"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "notes" / "about.txt").write_text("about")
    assert [row.id for row in read(tmp_path)] == ["one"]


def test_a_folder_in_which_nothing_lies_is_a_pair_without_boxes_and_takes_no_name(tmp_path):
    put(tmp_path, "y/one", [BOX])
    (tmp_path / "x" / "one").mkdir(parents=True)
    (tmp_path / "two").mkdir()
    (tmp_path / "gone").symlink_to(tmp_path / "none")
    assert [(row.id, row.dropped, row.quarantined) for row in read(tmp_path)] == [
        ("gone", "path_outside", ("gone", None, None)),
        ("two", "missing_file", ("two/boxes.json", None, None)),
        ("one", "missing_file", ("x/one/boxes.json", None, None)),
        ("one", None, None),
    ]


def test_a_folder_without_pairs_is_a_fault_that_says_the_way_out(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match=r"holds no pair: put a folder a pair there"):
        list(pairs(tmp_path, {}, {}, provenance="released"))
    with pytest.raises(SourceError, match=r"set sources\.spot_diff\.folder"):
        list(pairs(tmp_path / "none", {}, {}, provenance="released"))


def test_the_pair_folder_itself_is_no_folder_of_pairs(tmp_path):
    put(tmp_path, "one", [BOX])
    [row] = read(tmp_path / "one")
    assert (row.id, row.dropped, row.quarantined) == (None, "no_id", ("boxes.json", None, None))
