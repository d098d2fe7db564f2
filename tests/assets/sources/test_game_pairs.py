"""`assets.sources.game_pairs`: records of data.json and the pictures beside it as rows of `pair` and `image`."""

import json

import pytest
from PIL import Image

from assets.images import Pictures
from assets.sources.game_pairs import REASONS, pairs, pictures
from assets.sources.jsonlines import SourceError

RECORD = {
    "level": 1,
    "gameTitle": "Eggs",
    "images": {"image1": "test/img/eggs-og.png", "image2": "test/img/eggs-diff.png"},
    "differences": [{"x": 4, "y": 0, "width": 18, "height": 16}],
}


@pytest.fixture
def folder(tmp_path):
    for name, colour in (("eggs-og", "red"), ("eggs-diff", "green"), ("hens-og", "blue"), ("hens-diff", "white")):
        Image.new("RGB", (50, 40), colour).save(tmp_path / f"{name}.png")
    return tmp_path


def put(folder, records):
    text = records if isinstance(records, str) else json.dumps(records)
    (folder / "data.json").write_text(text, encoding="utf-8")


def read(folder):
    held = Pictures.of(pictures(folder))
    return list(pairs(folder, held.ids(), held.reasons(), provenance="released"))


def test_a_record_becomes_a_pair_by_the_names_of_its_pictures(folder):
    put(folder, [RECORD])
    ids = {picture.file: picture.image_id for picture in pictures(folder)}
    [row] = read(folder)
    assert (row.id, row.first, row.second) == ("1", ids["eggs-og.png"], ids["eggs-diff.png"])
    assert (row.boxes, row.source, row.provenance) == (((4, 0, 18, 16),), "game_pairs", "released")
    assert (row.dropped, row.quarantined) == (None, None)
    assert "Eggs" not in str(row)


def test_the_folder_above_will_do_and_only_pictures_beside_data_json_are_read(folder):
    home = folder / "game"
    home.mkdir()
    put(home, [RECORD])
    for name in ("eggs-og", "eggs-diff"):
        (folder / f"{name}.png").rename(home / f"{name}.png")
    assert [picture.file for picture in pictures(folder)] == ["game/eggs-diff.png", "game/eggs-og.png"]
    assert [row.dropped for row in read(folder)] == [None]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ("text", "not_an_object"),
        (RECORD | {"level": None}, "no_id"),
        (RECORD | {"level": True}, "no_id"),
        (RECORD | {"level": " "}, "no_id"),
        (RECORD | {"level": "../1"}, "no_id"),
        (RECORD | {"level": "a\\b"}, "no_id"),
        (RECORD | {"level": "a\nb"}, "no_id"),
        (RECORD, "duplicate_id"),
        (RECORD | {"level": "1"}, "duplicate_id"),
        (RECORD | {"level": 2, "images": None}, "missing_picture"),
        (RECORD | {"level": 2, "images": {"image1": "eggs-og.png"}}, "missing_picture"),
        (RECORD | {"level": 2, "images": {"image1": "eggs-og.png", "image2": 5}}, "missing_picture"),
        (RECORD | {"level": 2, "images": {"image1": "eggs-og.png", "image2": "../.."}}, "path_outside"),
        (RECORD | {"level": 2, "images": {"image1": "eggs-og.png", "image2": "img/"}}, "path_outside"),
        (RECORD | {"level": 2, "images": {"image1": "eggs-og.png", "image2": "ducks.png"}}, "missing_picture"),
        (RECORD | {"level": 2, "images": {"image1": "eggs-og.png", "image2": "eggs-og.png"}}, "disagrees"),
        (RECORD | {"level": 2, "differences": None}, "no_boxes"),
        (RECORD | {"level": 2, "differences": [{"left": 1, "top": 1, "width": 2, "height": 2}]}, "bad_box"),
        (RECORD | {"level": 2, "differences": [{"x": 50, "y": 1, "width": 2, "height": 2}]}, "box_outside"),
    ],
)
def test_a_record_that_is_no_pair_is_set_aside_with_its_line(folder, record, reason):
    put(folder, f"[{json.dumps(RECORD)},\n\n{json.dumps(record)}]")
    good, row = read(folder)
    assert (good.dropped, row.dropped) == (None, reason)
    assert row.quarantined[:2] == ("data.json", 3)
    assert row.quarantined[2]
    assert reason in REASONS


def test_a_broken_record_does_not_take_the_others_with_it(folder):
    put(folder, f'[{{"level": 1e999}}, {json.dumps(RECORD)}]')
    assert [(row.id, row.dropped) for row in read(folder)] == [(None, "not_a_number"), ("1", None)]


def test_a_path_leads_nowhere_but_beside_data_json(folder):
    home = folder / "game"
    home.mkdir()
    Image.new("RGB", (50, 40), "blue").save(home / "b.png")
    up = {"image1": "../eggs-og.png", "image2": "..\\..\\b.png"}
    put(home, [RECORD | {"images": up}])
    [row] = read(home)
    assert (row.dropped, row.quarantined[2]) == ("missing_picture", "eggs-og.png")


def test_a_picture_that_is_a_link_out_of_the_folder_is_not_read(folder):
    home = folder / "game"
    home.mkdir()
    (home / "eggs-og.png").symlink_to(folder / "eggs-og.png")
    Image.new("RGB", (50, 40), "blue").save(home / "eggs-diff.png")
    put(home, [RECORD])
    [row] = read(home)
    assert (row.dropped, row.quarantined[2]) == ("unreadable_picture", "eggs-og.png: path_outside")


def test_no_data_json_is_a_fault_that_says_the_way_out(folder):
    with pytest.raises(SourceError, match=r"holds no data\.json: put the puzzle pairs' data\.json there"):
        list(pairs(folder, {}, {}, provenance="released"))
    with pytest.raises(SourceError, match=r"set sources\.game_pairs\.folder"):
        list(pictures(folder / "none"))


def test_a_linked_data_json_that_leads_out_is_a_fault(folder):
    home = folder / "game"
    home.mkdir()
    put(folder, [RECORD])
    (home / "data.json").symlink_to(folder / "data.json")
    with pytest.raises(SourceError, match="leads out of its folder"):
        list(pairs(home, {}, {}, provenance="released"))


def test_a_file_without_a_readable_record_is_a_fault(folder):
    put(folder, "[]")
    with pytest.raises(SourceError, match="its list is empty"):
        list(pairs(folder, {}, {}, provenance="released"))
