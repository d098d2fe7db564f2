"""Dialogues for a chat endpoint that fails as told, and what a model behind it makes of them."""

import base64

import pytest
from PIL import Image

from assets import images
from assets.models.model import Ask, Dialogue, ModelError, said
from assets.models.openai_chat import OpenAIChat
from assets.schema.sample import Part
from tests.fault_server import FaultServer, scripted

KEY = "a-key-nobody-may-see"
OTHER = "another-key-nobody-may-see"
RED = images.of_pixels(Image.new("RGB", (4, 3), (255, 0, 0)), "red")
BLUE = images.of_pixels(Image.new("RGB", (2, 2), (0, 0, 255)), "blue")


class Pictures:
    def __init__(self, *rows):
        self.pngs = {row.image_id: row.png for row in rows}

    def png(self, image_id):
        if image_id not in self.pngs:
            raise ModelError(f"there is no picture {image_id}")
        return self.pngs[image_id]


def picture(row):
    return Part("image", None, row.image_id)


def asks(*texts, name="a", **more):
    return Dialogue(name, tuple(Ask((said(text),)) for text in texts), ("x", "y"), **more)


def many(number):
    return [asks(f"p{at}", name=str(at)) for at in range(number)]


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    monkeypatch.setenv("COTLINE_TEST_KEY", KEY)
    monkeypatch.setenv("COTLINE_TEST_OTHER", OTHER)


def chat(server, **settings):
    url = server if isinstance(server, str) else server.url
    given = {"key_variables": ["COTLINE_TEST_KEY"], "timeout_s": 30.0, "first_pause_s": 0.001, "retries": 4}
    return OpenAIChat("vlm", model="m", base_url=url, **{**given, **settings})


def answered(server, dialogues, pictures=(), **settings):
    return list(chat(server, **settings).replies(dialogues, Pictures(*pictures)))


def one(*answers, text="p", **settings):
    """The reply to `text` by an endpoint that gives these answers in turn, and how often it was asked."""
    with FaultServer(scripted(*answers)) as server:
        [reply] = answered(server, [asks(text)], **settings)
    return reply, len(server.seen)


def url_of(png):
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
