"""`assets.sources.jhu_crowd`: pictures with a box on each head as rows of tables `crowd` and `image`."""

import pytest
from PIL import Image

from assets.images import Pictures
from assets.schema.tables import TABLES, as_table
from assets.sources import jhu_crowd
from assets.sources.jhu_crowd import REASONS, Crowd, crowds, pictures
from assets.sources.jsonlines import SourceError


def picture(folder, file, size=(60, 40), shade=9, **kwargs):
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (shade, 90, 200)).save(path, **kwargs)


def gt(folder, file, text):
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def folder(tmp_path):
    picture(tmp_path, "train/images/0003.jpg")
    return tmp_path


def read(folder):
    held = Pictures.of(pictures(folder))
    rows = list(crowds(folder, held.ids(), held.reasons(), provenance="released"))
    as_table("crowd", rows)
    assert {row.dropped for row in rows} <= {None, *REASONS}
    assert all((row.dropped is None) == (row.quarantined is None) for row in rows)
    return rows


def only(folder, text):
    gt(folder, "train/gt/0003.txt", text)
    [row] = read(folder)
    return row


def test_a_crowd_has_the_columns_of_the_table():
    assert list(Crowd._fields) == TABLES["crowd"].names


def test_heads_come_from_their_centre_to_their_upper_left_corner(folder):
    row = only(folder, "10 20 4 6 1 0\n31 15 5 7 3 1\n")
    [stored] = pictures(folder)
    assert row.heads == ((8.0, 17.0, 4.0, 6.0, 1, 0), (28.5, 11.5, 5.0, 7.0, 3, 1))
    assert (row.id, row.image_id, row.width, row.height) == ("train-0003", stored.image_id, 60, 40)
    assert (row.source, row.provenance, row.split) == ("jhu_crowd", "released", "train")


def test_the_folder_says_which_split_it_is_and_names_come_in_natural_order(folder):
    for name in ("val/images/12.jpg", "val/images/9.PNG", "test/images/7.jpg"):
        picture(folder, name)
    for name in ("train/gt/0003.txt", "val/gt/9.txt", "val/gt/12.txt", "test/gt/7.txt"):
        gt(folder, name, "5 5 2 2 1 0")
    assert [(row.id, row.split, row.dropped) for row in read(folder)] == [
        ("train-0003", "train", None),
        ("val-9", "validation", None),
        ("val-12", "validation", None),
        ("test-7", "test", None),
    ]


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", " \r\n\r\n"])
def test_an_empty_file_is_a_picture_without_heads(folder, text):
    row = only(folder, text)
    assert (row.heads, row.dropped, row.width) == ((), None, 60)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff10 20 4 6 1 0\r\n30 20 4 6 2 1\r\n",
        "10 20 4 6 1 0 \t\n30 20 4 6 2 1  \n\n\n",
        "10\t20 4  6 1 0\n30 20 4 6 2 1",
    ],
)
def test_byte_order_mark_crlf_and_trailing_blanks_are_fine(folder, text):
    assert only(folder, text).heads == ((8.0, 17.0, 4.0, 6.0, 1, 0), (28.0, 17.0, 4.0, 6.0, 2, 1))


@pytest.mark.parametrize(
    "line",
    [
        "10 20 4 6 1",
        "10 20 4 6 1 0 0",
        "10 20 4.0 6 1 0",
        "10 20 4 six 1 0",
        "10 20 -4 6 1 0",
        "10 20 4 6 4 0",
        "10 20 4 6 1 2",
        "10 20 4 6 1 1234567890",
        "10 20 4 6 1 \u0661",
        "",
    ],
)
def test_a_line_that_is_no_head_sets_the_picture_aside(folder, line):
    row = only(folder, f"10 20 4 6 1 0\n{line}\n9 9 1 1 1 0\n")
    assert (row.heads, row.dropped, row.quarantined) == (None, "bad_box", ("train/gt/0003.txt", 2, line))


@pytest.mark.parametrize("head", ["-2 20 4 6", "62 20 4 6", "20 -3 4 6", "20 43 4 6", "61 20 0 0", "20 41 0 9999"])
def test_a_box_wholly_outside_sets_the_picture_aside(folder, head):
    row = only(folder, f"10 20 4 6 1 0\n{head} 1 0\n")
    reached = head.endswith("9999")
    expected = (None, None) if reached else ("box_outside", ("train/gt/0003.txt", 2, f"{head} 1 0"))
    assert (row.dropped, row.quarantined) == expected


@pytest.mark.parametrize(
    "head", ["-1 20 4 6", "61 20 4 6", "20 -2 4 6", "20 42 4 6", "60 40 0 0", "0 0 0 0", "0 9 0 5"]
)
def test_a_box_partly_outside_or_without_size_is_kept_as_it_is(folder, head):
    x, y, width, height = map(int, head.split())
    assert only(folder, f"{head} 1 0").heads == ((x - width / 2, y - height / 2, width, height, 1, 0),)


def test_a_file_that_is_no_text_or_too_long_sets_the_picture_aside(folder, monkeypatch):
    row = only(folder, b"10 20 4 6 1 0\n\xff\xfe\n")
    assert (row.dropped, row.quarantined) == ("not_utf8", ("train/gt/0003.txt", 2, "ff fe 0a"))
    monkeypatch.setattr(jhu_crowd, "MOST_BYTES", 13)
    assert only(folder, "10 20 4 6 1 0").dropped is None
    assert only(folder, "10 20 4 6 1 0\n").dropped == "file_too_long"


def test_what_lacks_its_picture_or_its_heads_is_set_aside(folder):
    gt(folder, "train/gt/0004.txt", "10 20 4 6 1 0")
    gt(folder, "val/images/5.jpg", b"\xff\xd8\xff broken")
    gt(folder, "val/gt/5.txt", "")
    assert [(row.id, row.dropped, row.quarantined) for row in read(folder)] == [
        ("train-0003", "missing_file", ("train/gt/0003.txt", None, None)),
        ("train-0004", "missing_picture", ("train/gt/0004.txt", None, None)),
        ("val-5", "unreadable_picture", ("val/images/5.jpg", None, "broken_picture")),
    ]


def test_a_label_that_counts_other_than_the_lines_sets_the_picture_aside(folder):
    labels = "0003,2,street,0,0\n"
    gt(folder, "train/image_labels.txt", labels)
    assert only(folder, "10 20 4 6 1 0\n30 20 4 6 2 1\n").dropped is None
    row = only(folder, "10 20 4 6 1 0\n")
    told = ("train/image_labels.txt", 1, "0003,2,street,0,0: train/gt/0003.txt has 1")
    assert (row.dropped, row.quarantined) == ("count_differs", told)


def test_labels_of_nothing_unreadable_ones_and_second_ones_are_rows(folder):
    gt(folder, "train/gt/0003.txt", "10 20 4 6 1 0")
    gt(folder, "train/image_labels.txt", "\ufeff0003,1,a, b,0,0\r\n0009,4,street,0,0\r\n0003,1,a,0,0\r\n0003;1\r\n")
    at = "train/image_labels.txt"
    assert [(row.id, row.dropped, row.quarantined) for row in read(folder)] == [
        ("train-0003", None, None),
        ("train-0009", "missing_picture", (at, 2, "0009,4,street,0,0")),
        (None, "duplicate_id", (at, 3, "0003,1,a,0,0")),
        (None, "bad_label", (at, 4, "0003;1")),
    ]


def test_labels_that_cannot_be_read_are_a_row(folder, tmp_path_factory):
    gt(folder, "train/gt/0003.txt", "")
    outside = tmp_path_factory.mktemp("outside") / "labels.txt"
    outside.write_text("0003,7,street,0,0")
    (folder / "train/image_labels.txt").symlink_to(outside)
    assert [(row.id, row.dropped) for row in read(folder)] == [("train-0003", None), (None, "path_outside")]


def test_two_pictures_of_one_name_are_one_crowd_and_a_duplicate(folder):
    picture(folder, "train/images/0003.png", shade=1)
    gt(folder, "train/gt/0003.txt", "10 20 4 6 1 0")
    assert [(row.dropped, row.quarantined) for row in read(folder)] == [
        (None, None),
        ("duplicate_id", ("train/images/0003.png", None, None)),
    ]


@pytest.mark.parametrize("name", ["a b", "sub/7", "\u00fcber", "-7", "x" * 101])
def test_a_name_that_makes_no_id_is_set_aside(folder, name):
    gt(folder, "train/gt/0003.txt", "")
    picture(folder, f"train/images/{name}.jpg")
    gt(folder, f"train/gt/{name}.txt", "")
    rows = {row.id: row for row in read(folder)}
    assert set(rows) == {"train-0003", None}
    assert (rows[None].dropped, rows[None].quarantined[0]) == ("bad_name", f"train/images/{name}.jpg")


def test_heads_behind_a_link_that_leads_out_are_not_opened(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "0003.txt"
    outside.write_text("10 20 4 6 1 0")
    (folder / "train/gt").mkdir()
    (folder / "train/gt/0003.txt").symlink_to(outside)
    [row] = read(folder)
    assert (row.heads, row.dropped) == (None, "path_outside")
    (folder / "train/gt/0003.txt").unlink()
    (folder / "train/gt").rmdir()
    (folder / "train/gt").symlink_to(outside.parent)
    assert [(row.id, row.dropped) for row in read(folder)] == [("train-0003", "missing_file"), (None, "path_outside")]


def test_the_size_is_that_of_the_picture_as_it_is_turned(folder):
    turned = Image.Exif()
    turned[0x0112] = 6
    picture(folder, "train/images/0003.jpg", exif=turned)
    [stored] = pictures(folder)
    row = only(folder, "20 55 4 4 1 0")
    assert (stored.width, stored.height) == (row.width, row.height) == (40, 60)
    assert row.dropped is None


def test_a_picture_that_changed_since_it_was_read_is_set_aside(folder):
    held = Pictures.of(pictures(folder))
    gt(folder, "train/gt/0003.txt", "")
    gt(folder, "train/images/0003.jpg", "gone")
    [row] = crowds(folder, held.ids(), held.reasons(), provenance="released")
    assert (row.dropped, row.quarantined[0]) == ("unreadable_picture", "train/images/0003.jpg")


def test_a_folder_without_any_of_it_says_what_belongs_there(tmp_path):
    with pytest.raises(SourceError, match=r"holds no pictures in train/images"):
        read(tmp_path)
    with pytest.raises(SourceError, match=r"sources\.jhu_crowd\.folder"):
        list(crowds(tmp_path / "none", {}, {}, provenance="released"))
