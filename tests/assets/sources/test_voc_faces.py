"""`assets.sources.voc_faces`: photographs with face boxes as rows of tables `crowd` and `image`."""

import pytest
from PIL import Image

from assets.images import Pictures
from assets.schema.tables import as_table
from assets.sources import voc_faces
from assets.sources.jsonlines import SourceError
from assets.sources.voc_faces import REASONS, crowds, pictures

HEAD = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<?xml-stylesheet type='text/xsl' href='sheet.xsl'?>\n"
BOX = "<box top='5' left='7' width='10' height='12'/>"


def picture(folder, file="a.jpg", size=(60, 40)):
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (9, 90, 200)).save(path)


def image(boxes=BOX, file="a.jpg", more="width='60' height='40'"):
    return f"<image file='{file}' {more}>\n{boxes}\n</image>"


def put(folder, *images, name="training.xml", head=HEAD, before="<name>Faces</name><comment>some</comment>"):
    text = f"{head}<dataset>\n{before}\n<images>\n" + "\n".join(images) + "\n</images>\n</dataset>"
    (folder / name).write_bytes(text.encode("latin-1"))


@pytest.fixture
def folder(tmp_path):
    picture(tmp_path)
    return tmp_path


def read(folder):
    held = Pictures.of(pictures(folder))
    rows = list(crowds(folder, held.ids(), held.reasons(), provenance="released"))
    as_table("crowd", rows)
    assert {row.dropped for row in rows} <= {None, *REASONS}
    assert all((row.dropped is None) == (row.quarantined is None) for row in rows)
    return rows


def test_a_photograph_becomes_a_crowd_that_says_what_it_stands_in_for(folder):
    put(folder, image(BOX + "<box height='6' width='5' left='-2' top='38'/>"))
    [row], [stored] = read(folder), pictures(folder)
    assert row.heads == ((7.0, 5.0, 10.0, 12.0, None, None), (-2.0, 38.0, 5.0, 6.0, None, None))
    assert (row.id, row.image_id, row.width, row.height) == ("a", stored.image_id, 60, 40)
    assert (row.source, row.split) == ("voc_faces", "train")
    assert row.provenance == "released > face boxes in place of JHU-CROWD++"


def test_training_comes_before_testing_and_each_is_its_split(folder):
    picture(folder, "b.jpg", (50, 30))
    put(folder, image(file="a.jpg"), name="testing.xml")
    put(folder, image(file="b.jpg", more=""))
    assert [(row.id, row.split, row.width) for row in read(folder)] == [("b", "train", 50), ("a", "test", 60)]


def test_names_are_read_in_the_encoding_that_the_file_declares(folder):
    picture(folder, "k\u00f6ln/b.jpg")
    put(folder, image(file="k\u00f6ln/b.jpg"), image())
    assert [(row.id, row.dropped) for row in read(folder)] == [("b", None), ("a", None)]


def test_a_photograph_without_boxes_has_no_heads_and_is_kept(folder):
    put(folder, image(""))
    [row] = read(folder)
    assert (row.heads, row.dropped) == ((), None)


@pytest.mark.parametrize(
    ("given", "reason", "line"),
    [
        (image(file="../a.jpg"), "path_outside", 6),
        (image(file="/etc/passwd"), "path_outside", 6),
        (image(file="x/..\\..\\a.jpg"), "path_outside", 6),
        ("<image/>", "path_outside", 6),
        (image(file="b.jpg"), "missing_picture", 6),
        (image(file="broken.jpg"), "unreadable_picture", 6),
        (image(file="a b.jpg"), "bad_name", 6),
        (image(more="width='61' height='40'"), "size_differs", 6),
        (image(more="height='9'"), "size_differs", 6),
        (image(BOX + "\n<box top='5' left='60' width='10' height='12'/>"), "box_outside", 8),
        (image("<box top='5' left='7' width='10'/>"), "bad_box", 7),
        (image("<box top='5' left='7' width='1.5' height='12'/>"), "bad_box", 7),
        (image("<box top='5' left='7' width='-1' height='12'/>"), "bad_box", 7),
    ],
)
def test_what_is_no_crowd_is_set_aside_with_its_line(folder, given, reason, line):
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff")
    put(folder, given)
    row = read(folder)[0]
    assert (row.heads, row.dropped, row.quarantined[:2]) == (None, reason, ("training.xml", line))


def test_a_stem_that_came_before_is_a_duplicate(folder):
    put(folder, image())
    put(folder, image(), name="testing.xml")
    assert [row.dropped for row in read(folder)] == [None, "duplicate_id"]


def test_a_picture_that_no_file_names_comes_at_the_end(folder):
    picture(folder, "more/z.png")
    put(folder, image())
    assert [(row.id, row.dropped, row.quarantined) for row in read(folder)][1:] == [
        (None, "no_boxes", ("more/z.png", None, None))
    ]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("&#x26;", "unexpected_text"),
        ("&lol;", "entity"),
        ("<?php x?>", "processing_instruction"),
        ("<script/>", "unknown_element"),
        ("<image file='b.jpg'><label>no face</label></image>", "unknown_element"),
        ("<image file='b.jpg'><box top='1' left='1' width='9' height='9' ignore='1'/></image>", "unknown_attribute"),
        ("<box top='1' left='1' width='9' height='9'/>", "unknown_element"),
        ("<image file='b.jpg'>", "not_xml"),
        ("<image file='b.jpg' file='c.jpg'/>", "not_xml"),
        ("\0", "not_xml"),
    ],
)
def test_where_a_file_holds_anything_else_what_stands_before_is_kept(folder, given, reason):
    put(folder, image(), given)
    first, second = read(folder)
    assert (first.id, first.dropped) == ("a", None)
    assert (second.id, second.dropped, second.quarantined[0]) == (None, reason, "training.xml")
    assert second.quarantined[1] in (9, 10)


BOMB = "<!DOCTYPE dataset [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>"


@pytest.mark.parametrize("doctype", [BOMB, "<!DOCTYPE dataset SYSTEM 'file:///etc/passwd'>"])
def test_a_file_with_a_doctype_is_refused_before_anything_is_read(folder, doctype):
    put(folder, image(), head=HEAD + doctype)
    put(folder, image(), name="testing.xml")
    assert [(row.id, row.dropped) for row in read(folder)] == [(None, "doctype"), ("a", None)]
    put(folder, image(), head=HEAD + doctype, name="testing.xml")
    with pytest.raises(SourceError, match=r"training\.xml, line 3: doctype"):
        read(folder)


def test_files_are_bounded(folder, monkeypatch):
    put(folder, image(), image("", file="b.jpg"))
    put(folder, image(), name="testing.xml", before="")
    monkeypatch.setattr(voc_faces, "MOST_ELEMENTS", 6)
    assert [row.dropped for row in read(folder)] == [None, "too_many_elements", "duplicate_id"]
    monkeypatch.setattr(voc_faces, "MOST_BYTES", (folder / "testing.xml").stat().st_size)
    assert [row.dropped for row in read(folder)] == ["file_too_long", None]


def test_an_encoding_that_is_neither_is_read_as_utf_8(folder):
    put(folder, image(), head="<?xml version='1.0' encoding='utf-7'?>")
    assert [row.id for row in read(folder)] == ["a"]


def test_a_folder_without_files_of_boxes_says_what_belongs_there(folder):
    with pytest.raises(SourceError, match=r"holds neither training\.xml nor testing\.xml"):
        read(folder)
    with pytest.raises(SourceError, match=r"sources\.voc_faces\.folder"):
        list(crowds(folder / "none", {}, {}, provenance="released"))


def test_a_file_of_boxes_that_leads_out_is_not_opened(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    put(outside, image())
    (folder / "training.xml").symlink_to(outside / "training.xml")
    with pytest.raises(SourceError, match="leads out of its folder"):
        read(folder)
