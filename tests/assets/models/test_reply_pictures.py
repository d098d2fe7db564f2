"""Replies of models that draw, in `assets.models.replay`: texts and pictures in turn, none of them lost."""

import base64
import os

import pytest
from PIL import Image

from assets import images
from assets.evaluation.answers import answers
from assets.evaluation.rows import Item
from assets.models import replay
from assets.models.model import Reply as Live
from assets.schema.sample import Part
from assets.schema.tables import as_table

RED = images.of_pixels(Image.new("RGB", (3, 2), (200, 0, 0)), "red")
GREY = images.of_pixels(Image.new("L", (2, 2), 90), "grey")


@pytest.fixture
def folder(tmp_path):
    """A folder of pictures with one outside it, and all the ways out."""
    inside = tmp_path / "pictures"
    (inside / "deep").mkdir(parents=True)
    (inside / "red.png").write_bytes(RED.png)
    (inside / "deep" / "grey.png").write_bytes(GREY.png)
    (inside / "text.png").write_bytes(b"no picture at all")
    (inside / "cut.png").write_bytes(RED.png[:-20])
    (tmp_path / "secret.png").write_bytes(RED.png)
    (inside / "out.png").symlink_to(tmp_path / "secret.png")
    (inside / "up").symlink_to(tmp_path)
    (inside / "again.png").symlink_to("red.png")
    (inside / "circle.png").symlink_to("circle.png")
    os.mkfifo(inside / "pipe.png")
    return inside


def text(said):
    return {"type": "text", "text": said}


def image(path):
    return {"type": "image", "image": path}


def address(png):
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def read(response, folder, **record):
    [found] = replay.illustrated([(7, {"id": "a", "response": response, **record})], "comt", folder, "mine")
    return found


def kept(found, benchmark="comt"):
    """The one row of the table `prediction` as storage gives it back."""
    return as_table("prediction", replay.rows("mine", "f.jsonl", [found], benchmark)).to_pylist()[0]


def test_texts_and_pictures_keep_their_order_and_the_texts_are_scored(folder):
    found = read([text("First "), image("red.png"), text("then "), image("./deep/grey.png"), text("(B)")], folder)
    row = kept(found)
    assert row["turns"] == [
        {
            "role": "assistant",
            "parts": [
                {"kind": "text", "text": "First ", "image_id": None},
                {"kind": "image", "text": None, "image_id": RED.image_id},
                {"kind": "text", "text": "then ", "image_id": None},
                {"kind": "image", "text": None, "image_id": GREY.image_id},
                {"kind": "text", "text": "(B)", "image_id": None},
            ],
        }
    ]
    assert (row["status"], row["finish_reason"]) == ("ok", None)
    assert replay.stored(row).text == found.reply.text == "First then (B)"
    assert [(one.file, one.png) for one in found.drawn] == [("mine/red.png", RED.png), ("mine/deep/grey.png", GREY.png)]


def test_a_reply_read_from_a_file_has_the_text_that_the_same_live_reply_has(folder):
    found = read([text("a"), image("red.png"), text("b")], folder)
    live = Live("a", 0, (Part("text", "a", None), Part("image", None, RED.image_id), Part("text", "b", None)), "ok")
    assert found.parts[0] == live.parts
    assert found.reply.text == live.text == "ab"


def test_pictures_stand_in_the_record_itself_too(folder):
    found = read([{"type": "image_url", "image_url": {"url": address(RED.png)}}, text("(A)")], None)
    assert [(one.image_id, one.file, one.dropped) for one in found.drawn] == [
        (RED.image_id, "mine/line 7 picture 1", None)
    ]
    assert kept(found)["turns"][0]["parts"][0]["image_id"] == RED.image_id


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("gone.png", "missing_picture"),
        ("deep", "unreadable_file"),
        ("pipe.png", "unreadable_file"),
        ("text.png", "not_a_picture"),
        ("cut.png", "truncated_picture"),
        ("out.png", "path_outside"),
        ("up/secret.png", "path_outside"),
        ("../secret.png", "path_outside"),
        ("deep/../../secret.png", "path_outside"),
        ("/etc/hostname", "path_outside"),
        ("..\\secret.png", "path_outside"),
        ("circle.png", "path_outside"),
        ("http://127.0.0.1:9/red.png", "path_outside"),
        ("file:///etc/hostname", "path_outside"),
        ("a\0b.png", "path_outside"),
        ("x" * 5000, "unreadable_file"),
        ("", "missing_picture"),
        (None, "missing_picture"),
        (["red.png"], "missing_picture"),
        ("data:image/png;base64,####", "broken_picture"),
        ("data:image/png;base64,", "empty_file"),
        ("data:image/png,abc", "not_a_picture"),
        (address(b"abc"), "not_a_picture"),
    ],
)
def test_a_picture_that_cannot_be_had_keeps_its_place_and_is_counted_twice(folder, source, reason):
    found = read([image("again.png"), text("(B)"), image(source)], folder)
    row = kept(found)
    assert row["finish_reason"] == f"picture 2: {reason}"
    assert [(part["kind"], part["image_id"]) for part in row["turns"][0]["parts"]] == [
        ("image", RED.image_id),
        ("text", None),
        ("image", None),
    ]
    assert (row["status"], row["dropped"], replay.stored(row).text) == ("ok", None, "(B)")
    good, bad = replay.drawn([found])
    assert (good.image_id, good.dropped, bad.image_id, bad.png, bad.dropped) == (
        RED.image_id,
        None,
        None,
        None,
        reason,
    )
    assert bad.quarantined[0] == bad.file
    as_table("image", [good, bad])


def test_without_a_folder_the_pictures_are_missing_and_the_texts_are_not():
    found = read([text("(A)"), image("red.png"), image("red.png")], None)
    assert kept(found)["finish_reason"] == "picture 1: missing_picture; picture 2: missing_picture"
    assert found.reply.text == "(A)"


def test_a_part_of_another_kind_is_counted(folder):
    found = read([text("(A)"), {"type": "audio", "audio": "x"}, {"type": "text", "text": None}], folder)
    assert kept(found)["finish_reason"] == "part 2: unknown_part; part 3: unknown_part"
    assert found.reply.text == "(A)"


def test_a_picture_alone_is_no_empty_reply_and_has_no_letter(folder):
    found = read([image("red.png")], folder)
    row = kept(found)
    assert (row["status"], replay.stored(row).text) == ("ok", "")
    items = {"a": Item("a", ("x", "y"), "A", None, None, None, "update")}
    scored = answers(items, [replay.stored(row)], "comt").rows
    assert [(one.extractor, one.letter, one.counted) for one in scored] == [
        ("paper", None, True),
        ("strict", None, True),
    ]
    assert read([text(" ")], folder).reply.status == "empty"
    assert read([text(" REJECT ")], folder).reply.status == "filtered"
    assert read([image("red.png")], folder, status="error").reply.status == "error"


def test_messages_of_m3cot_may_be_lists_and_count_their_pictures_through(folder):
    messages = ["question", [text("look: "), image("red.png")], "so?", [image("gone.png"), text("(C)")]]
    [found] = replay.illustrated([(1, {"id": "a", "messages": messages})], "m3cot", folder)
    row = kept(found, "m3cot")
    assert [(turn["role"], [part["kind"] for part in turn["parts"]]) for turn in row["turns"]] == [
        ("user", ["text"]),
        ("assistant", ["text", "image"]),
        ("user", ["text"]),
        ("assistant", ["image", "text"]),
    ]
    assert row["finish_reason"] == "picture 2: missing_picture"
    assert replay.stored(row).messages == found.reply.messages == ("question", "look: ", "so?", "(C)")


@pytest.mark.parametrize("response", [[], ["A"], [{"text": "A"}], [text("A"), "B"], [{"type": 5}], [{"type": "audio"}]])
def test_a_list_that_is_no_list_of_parts_stays_an_error(response, folder):
    found = read(response, folder)
    assert (found.text, found.status) == (None, "error")
    [found] = replay.illustrated([(1, {"id": "a", "messages": ["q", response]})], "m3cot", folder)
    assert (found.text, found.status, found.messages) == (None, "error", ("q", None))


@pytest.mark.parametrize("messages", [["q", "(A)"], "REJECT", ["q", *"REJECT"], ["q", ""], None, [], ["q", {"a": 1}]])
def test_replies_without_lists_are_what_they_were(messages):
    lines = [(1, {"id": "a", "messages": messages})]
    assert list(replay.illustrated(lines, "m3cot", None)) == list(replay.replies(lines))


def test_texts_alone_are_read_where_no_pictures_are_wanted():
    [found] = replay.replies([(1, {"id": "a", "response": [text("(A"), image("red.png"), text(")")]})], "comt")
    assert (found.text, found.status) == ("(A)", "ok")


def test_a_picture_that_several_replies_show_comes_once(folder):
    lines = [(n, {"id": str(n), "response": [image("red.png"), image("gone.png")]}) for n in (1, 2)]
    found = list(replay.drawn(replay.illustrated(lines, "comt", folder)))
    assert [(one.file, one.dropped) for one in found] == [("red.png", None), ("gone.png", "missing_picture")]
