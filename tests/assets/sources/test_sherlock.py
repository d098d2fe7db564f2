"""`assets.sources.sherlock`: instances and their pictures as rows of tables `clue` and `image`."""

import json

import pytest
from PIL import Image

from assets.images import Pictures
from assets.schema.tables import TABLES, as_table
from assets.sources.jsonlines import SourceError
from assets.sources.sherlock import REASONS, Clue, clues, picture_file, pictures

URL = "http://example.org/rak248/VG_100K/17.jpg"
INPUTS = {
    "image": {"url": URL, "width": 50, "height": 40},
    "bboxes": [{"left": 1, "top": 2, "width": 10, "height": 20.5}],
    "clue": "a wet umbrella",
    "confidence": 3.0,
    "obs_idx": 0,
}
INSTANCE = {"inputs": INPUTS, "targets": {"inference": "it has rained"}, "instance_id": "a1"}


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "images" / "VG_100K" / "17.jpg"
    path.parent.mkdir(parents=True)
    Image.new("RGB", (50, 40), (9, 9, 9)).save(path)
    return tmp_path


def put(folder, instances, file="sherlock_train_v1_1.json"):
    (folder / file).write_text(instances if isinstance(instances, str) else json.dumps(instances), encoding="utf-8")


def read(folder):
    held = Pictures.of(pictures(folder))
    return list(clues(folder, held.ids(), held.reasons(), provenance="released"))


def rows(folder, *instances):
    put(folder, list(instances))
    return read(folder)


def with_inputs(**change):
    return INSTANCE | {"inputs": INPUTS | change, "instance_id": "a2"}


def test_a_clue_has_the_columns_of_the_table():
    assert list(Clue._fields) == TABLES["clue"].names


def test_an_instance_becomes_a_clue_with_its_picture(folder):
    [row] = rows(folder, INSTANCE)
    [picture] = pictures(folder)
    assert (row.instance_id, row.url, row.image_id) == ("a1", URL, picture.image_id)
    assert (row.clue, row.inference, row.confidence) == ("a wet umbrella", "it has rained", 3.0)
    assert row.boxes == ((1.0, 2.0, 10.0, 20.5),)
    assert (row.source, row.provenance, row.split) == ("sherlock", "released", "train")
    assert (row.dropped, row.quarantined) == (None, None)


@pytest.mark.parametrize(
    ("file", "split"),
    [
        ("sherlock_val_with_split_idxs_v1_1.json", "validation"),
        ("sherlock_test_v1_1.json", "test"),
        ("sherlock_trainer.json", None),
    ],
)
def test_the_file_says_which_split_it_is(folder, file, split):
    put(folder, [INSTANCE], file)
    assert [row.split for row in read(folder)] == [split]


@pytest.mark.parametrize(
    ("boxes", "kept", "dropped"),
    [
        ([(40, 30, 100, 100)], ((40, 30, 10, 10),), None),
        ([(-5, -6, 10, 10)], ((0, 0, 5, 4),), None),
        ([(60, 0, 5, 5), (0, 0, 50, 40)], ((0, 0, 50, 40),), None),
        ([(60, 0, 5, 5)], ((60, 0, 5, 5),), "box_outside"),
        ([(1, 1, 0, 5)], ((1, 1, 0, 5),), "box_outside"),
        ([(1, 1, -3, 5)], ((1, 1, -3, 5),), "box_outside"),
    ],
)
def test_boxes_are_clipped_to_the_picture(folder, boxes, kept, dropped):
    sides = ("left", "top", "width", "height")
    [row] = rows(folder, with_inputs(bboxes=[dict(zip(sides, box, strict=True)) for box in boxes]))
    assert (row.boxes, row.dropped, row.quarantined) == (kept, dropped, None)
    assert row.provenance == ("released" if dropped else "released > boxes clipped to the picture")


def test_a_box_within_the_picture_is_kept_to_the_last_digit(folder):
    box = {"left": 0.1, "top": 0.7, "width": 0.2, "height": 0.1}
    [row] = rows(folder, with_inputs(bboxes=[box]))
    assert (row.boxes, row.provenance) == (((0.1, 0.7, 0.2, 0.1),), "released")


@pytest.mark.parametrize(
    ("instance", "reason"),
    [
        ("text", "not_an_object"),
        (INSTANCE | {"instance_id": None}, "no_id"),
        (INSTANCE | {"instance_id": ""}, "no_id"),
        (INSTANCE, "duplicate_id"),
        (with_inputs(clue=" "), "no_clue"),
        (INSTANCE | {"instance_id": "a2", "inputs": None}, "no_clue"),
        (INSTANCE | {"instance_id": "a2", "targets": {}}, "no_inference"),
        (with_inputs(confidence="high"), "bad_confidence"),
        (with_inputs(bboxes=[]), "no_boxes"),
        (with_inputs(bboxes=None), "no_boxes"),
        (with_inputs(bboxes=[{"left": 1, "top": 2, "width": 3}]), "bad_box"),
        (with_inputs(bboxes=[{"left": True, "top": 2, "width": 3, "height": 4}]), "bad_box"),
        (with_inputs(bboxes=[{"left": 10**400, "top": 2, "width": 3, "height": 4}]), "bad_box"),
        (with_inputs(image=None), "no_url"),
        (with_inputs(image={"url": "http://x/../.."}), "path_outside"),
        (with_inputs(image={"url": "http://x/VG_100K/18.jpg"}), "missing_picture"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_instance_that_cannot_be_used_is_quarantined_with_its_reason(folder, instance, reason):
    good, bad = rows(folder, INSTANCE, instance)
    assert (good.dropped, bad.dropped) == (None, reason)
    assert bad.quarantined[:2] == ("sherlock_train_v1_1.json", 1)
    assert reason in REASONS


def test_a_record_of_the_leaderboard_has_no_clue_and_keeps_what_it_says(folder):
    record = {"image": INPUTS["image"], "region": INPUTS["bboxes"], "inference": "it rains", "test_id": "t1"}
    put(folder, [record], "leaderboard_example.json")
    [row] = read(folder)
    assert (row.instance_id, row.clue, row.inference) == ("t1", None, "it rains")
    assert (row.boxes, row.image_id is None) == (((1.0, 2.0, 10.0, 20.5),), False)
    assert (row.dropped, row.quarantined[:2]) == ("no_clue", ("leaderboard_example.json", 1))


def test_a_broken_picture_gives_its_own_reason(folder):
    (folder / "images" / "VG_100K" / "17.jpg").write_bytes(b"\xff\xd8\xff")
    [row] = rows(folder, INSTANCE)
    assert (row.dropped, row.image_id) == ("unreadable_picture", None)
    assert row.quarantined[2].startswith("images/VG_100K/17.jpg: ")


def test_a_broken_instance_is_set_aside_and_the_next_is_read(folder):
    put(folder, f'[{{"inputs": NaN}},\n{json.dumps(INSTANCE)},\n{{"inputs": ')
    assert [(row.instance_id, row.dropped) for row in read(folder)] == [
        (None, "not_a_number"),
        ("a1", None),
        (None, "truncated_json"),
    ]


def test_the_same_id_in_two_files_is_kept_once(folder):
    put(folder, [INSTANCE], "sherlock_train_v1_1.json")
    put(folder, [INSTANCE], "sherlock_val_v1_1.json")
    assert [row.dropped for row in read(folder)] == [None, "duplicate_id"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://cs.example.org/people/VG_100K/2371713.jpg", "images/VG_100K/2371713.jpg"),
        ("https://x/a/movie%20one/3.02@5.jpg?size=9#top", "images/movie one/3.02@5.jpg"),
        ("https://x/1.jpg", "images/1.jpg"),
        ("VG_100K/1.jpg", "images/VG_100K/1.jpg"),
        ("https://x/a/%2e%2e/1.jpg", None),
        ("https://x/a/..%2f..%2f1.jpg", None),
        ("https://x/a/b%5C..%5C1.jpg", None),
        ("https://x/a/%00.jpg", None),
        ("https://x/", None),
        ("http://[", None),
    ],
)
def test_a_picture_is_found_by_the_last_two_parts_of_its_url(url, expected):
    assert picture_file(url) == expected


@pytest.mark.parametrize("content", [None, "{}"], ids=["no file", "no list"])
def test_without_instances_the_person_is_told(folder, content):
    if content is not None:
        put(folder, content)
    with pytest.raises(SourceError, match=r"holds no sherlock_\*\.json|does not hold a JSON array"):
        read(folder)


def test_the_rows_fit_the_table(folder):
    table = as_table("clue", rows(folder, INSTANCE, with_inputs(clue=None), 5))
    assert table.column("dropped").to_pylist() == [None, "no_clue", "not_an_object"]
    assert table.column("boxes").to_pylist()[0] == [{"left": 1.0, "top": 2.0, "width": 10.0, "height": 20.5}]


@pytest.mark.parametrize(("content", "said"), [("[]", "its lists are empty"), ('[{"inputs"', "truncated_json")])
def test_files_without_a_readable_instance_are_said_with_the_first_reason(folder, content, said):
    put(folder, content)
    with pytest.raises(SourceError, match=rf"holds no readable instance \(.*{said}\): put Sherlock's"):
        read(folder)


def test_one_readable_record_of_any_file_is_enough(folder):
    put(folder, '[{"inputs"')
    put(folder, [{"test_id": "t"}], "leaderboard_example.json")
    assert [row.dropped for row in read(folder)] == ["no_clue", "truncated_json"]


def test_a_wrong_folder_is_said_with_its_setting(folder):
    with pytest.raises(SourceError, match=r"absent: there is no such folder: set sources\.sherlock\.folder"):
        read(folder / "absent")
