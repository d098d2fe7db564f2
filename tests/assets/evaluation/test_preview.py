"""`assets.evaluation.preview`: a dialogue shown exactly as it will be sent, whatever stands in it."""

import base64
import io
import random
import re

import numpy as np
import pytest
from PIL import Image

from assets.evaluation.preview import MOST_BYTES, pages, preview, rows, shown
from assets.models.model import REPLY, Ask, Dialogue, ModelError, Turn
from assets.schema.sample import Part
from assets.schema.tables import as_table


def text(said):
    return Part("text", said, None)


def picture(image_id):
    return Part("image", None, image_id)


class Drawn:
    """Pictures of noise, which no compression makes small."""

    def __init__(self, **sizes):
        self.sizes = sizes

    def image(self, image_id):
        if image_id not in self.sizes:
            raise ModelError(f"{image_id}: no such picture")
        width, height = self.sizes[image_id]
        return Image.fromarray(np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8))

    def png(self, image_id):
        raise AssertionError(image_id)


ONE = Dialogue(
    "physics-1",
    (
        Ask(
            (picture("a" * 64), text("What?\n(A) x")),
        ),
        Ask((text("So?"),)),
    ),
    ("x",),
)
PICTURES = Drawn(**{"a" * 64: (30, 20)})


def without_pixels(markdown):
    return re.sub(r"base64,[A-Za-z0-9+/=]+", "base64,...", markdown)


def test_a_preview_shows_every_turn_with_its_pictures_in_their_places():
    assert without_pixels(preview(ONE, PICTURES)) == (
        "### physics\\-1\n\n"
        "**user**\n\n"
        "![picture aaaaaaaa, 30 x 20 pixels](data:image/png;base64,...)  \npicture aaaaaaaa, 30 x 20 pixels\n\n"
        "```text\nWhat?\n(A) x\n```\n\n"
        "*(the model replies)*\n\n"
        "**user**\n\n"
        "```text\nSo?\n```\n\n"
        "*(the model replies)*\n"
    )


def test_a_fresh_ask_says_so_and_where_the_reply_stands():
    again = Ask((picture("a" * 64), text("It shows: "), REPLY, text(" So?")), fresh=True)
    found = without_pixels(preview(ONE._replace(asks=(ONE.asks[0], again)), PICTURES))
    assert found.endswith(
        "*(the model replies)*\n\n**user**, in a new conversation\n\npicture aaaaaaaa, again\n\n"
        "```text\nIt shows: \n```\n\n*(here stands the reply)*\n\n```text\n So?\n```\n\n*(the model replies)*\n"
    )
    replied = without_pixels(
        preview(ONE._replace(asks=(ONE.asks[0], again), said=((text("A `cup`."),),)), PICTURES),
    )
    assert "**assistant**\n\n```text\nA `cup`.\n```\n\n**user**, in a new" in replied
    assert "It shows: \n```\n\n```text\nA `cup`.\n```\n\n```text\n So?" in replied


@pytest.mark.parametrize(
    ("said", "fence"),
    [
        ("</textarea><script>alert(1)</script>", "```"),
        ("```\n<img src=x onerror=alert(1)>\n```", "````"),
        ("`````` and ```", "```````"),
        ("![x](http://example.org/x.png) **bold** [a](javascript:b)", "```"),
        ("~~~\n# Heading\n~~~", "```"),
        ("", "```"),
        ("    indented\n\n\nlines\n", "```"),
    ],
)
def test_a_text_stands_to_the_letter_in_a_fence_that_it_cannot_close(said, fence):
    found = preview(Dialogue("one", (Ask((text(said),)),), ()), PICTURES)
    assert found == f"### one\n\n**user**\n\n{fence}text\n{said}\n{fence}\n\n*(the model replies)*\n"


def test_an_id_that_looks_like_markup_is_shown_as_it_is():
    name = "<script>`a`\n![x](y)"
    found = preview(Dialogue(name, (Ask((picture(name),)),), ()), Drawn())
    assert found.startswith("### \\<script\\>\\`a\\` \\!\\[x\\]\\(y\\)\n\n**user**\n\n")
    assert "picture \\<script\\>, which is not there" in found


def test_a_preview_of_many_large_pictures_stays_below_its_bound_and_keeps_their_real_size():
    names = [f"{n}-picture" for n in range(20)]
    many = Dialogue("one", (Ask(tuple(map(picture, names))),), ())
    found = preview(many, Drawn(**{name: (900, 600) for name in names}))
    assert len(found.encode()) < MOST_BYTES
    pngs = [base64.b64decode(one) for one in re.findall(r"\(data:image/png;base64,([^)]+)\)", found)]
    assert len(pngs) == 20
    assert {Image.open(io.BytesIO(one)).size for one in pngs} == {(96, 64)}
    assert found.count("900 x 600 pixels") == 40
    few = preview(many, Drawn(**{name: (900, 600) for name in names}), most=5000)
    assert len(few.encode()) < 5000
    assert few.count("900 x 600 pixels, not shown here for want of room") == 20


def test_a_text_that_is_too_long_says_how_much_more_is_sent():
    found = preview(Dialogue("one", (Ask((text("é" * 100_000),)),), ()), PICTURES)
    assert len(found.encode()) < MOST_BYTES
    cut = int(re.search(r"\*\((\d+) more characters are sent\)\*", found)[1])
    assert found.count("é") + cut == 100_000


def test_pages_stand_one_after_another_until_the_room_is_used():
    assert pages(["one\n", "two\n"]) == "one\n\n---\n\ntwo\n"
    assert pages([]) == "\n"
    assert pages(["a" * 400, "b" * 400, "c" * 400], most=1000) == (
        f"{'a' * 400}\n\n---\n\n{'b' * 400}\n\n---\n\n*(1 more not shown here for want of room)*\n"
    )


def test_rows_are_those_of_the_table_with_a_place_for_replies():
    two = Dialogue("b", (Ask((text("Look."),)), Ask((text("It is "), REPLY), fresh=True)), ("x",))
    found = list(rows("night", [ONE, two, ONE], first=2))
    assert found == [
        {
            "evaluation": "night",
            "sample_id": "physics-1",
            "turns": [
                {
                    "role": "user",
                    "parts": [
                        {"kind": "image", "text": None, "image_id": "a" * 64},
                        {"kind": "text", "text": "What?\n(A) x", "image_id": None},
                    ],
                },
                {"role": "user", "parts": [{"kind": "text", "text": "So?", "image_id": None}]},
            ],
            "pictures": 1,
            "characters": 14,
        },
        {
            "evaluation": "night",
            "sample_id": "b",
            "turns": [
                {"role": "user", "parts": [{"kind": "text", "text": "Look.", "image_id": None}]},
                {
                    "role": "user",
                    "parts": [
                        {"kind": "text", "text": "It is ", "image_id": None},
                        {"kind": "reply", "text": None, "image_id": None},
                    ],
                },
            ],
            "pictures": 0,
            "characters": 11,
        },
    ]
    assert as_table("dialogue", found).to_pylist() == found
    assert len(list(rows("night", [ONE, two, ONE]))) == 3


def test_plain_text_names_pictures_and_the_reply_by_their_places():
    turn = Turn("user", (picture("0123456789abcdef"), text("See: "), REPLY))
    assert shown([turn, Turn("assistant", (text("(A)"),))]) == (
        "user:\n[picture 01234567]See: [the reply]\n\nassistant:\n(A)\n"
    )


def test_a_reader_of_markdown_finds_every_text_as_it_is_and_no_markup_of_its_own():
    markdown = pytest.importorskip("markdown_it").MarkdownIt()
    chance = random.Random(1)
    pieces = [
        "`",
        "```",
        "~~~",
        "\n",
        "\r",
        "<script>",
        "</textarea>",
        "![x](y)",
        "# ",
        "    ",
        "> ",
        "- ",
        "<!--",
        "\\",
    ]
    for _ in range(1000):
        said = "".join(chance.choices(pieces, k=chance.randint(0, 12)))
        asks = (Ask((text(said), picture("a" * 64), text(said))),)
        found = markdown.parse(preview(Dialogue(said, asks, ()), PICTURES))
        lines = f"{said}\n".replace("\r\n", "\n").replace("\r", "\n")
        assert [one.content for one in found if one.type == "fence"] == [lines, lines]
        inner = [child for one in found for child in one.children or ()]
        assert not [one for one in (*found, *inner) if "html" in one.type]
        assert [str(one.attrs["src"])[:15] for one in inner if one.type == "image"] == ["data:image/png;"]
        assert [one.type for one in inner if one.type == "link_open"] == []
