"""`openai` against a real server of a real (tiny) image-text model: its text is the folder's, through faults too."""

import functools
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from PIL import Image

from assets import images
from assets.models.model import Ask, Dialogue, said
from assets.models.openai_chat import OpenAIChat
from assets.schema.sample import Part
from tests import tiny_model
from tests.fault_server import BROKEN, BUSY, CUT, DROPPED, FaultServer, scripted

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("fastapi", "uvicorn", "accelerate", "psutil")),
    reason="the server needs the extra transformers[serving]",
)

TOKENS = 12
PICTURES = {
    row.image_id: row
    for row in (
        images.of_pixels(Image.new("RGB", (40, 30), (255, 0, 0)), "red"),
        images.of_pixels(Image.linear_gradient("L").resize((32, 32)), "grey"),
        images.of_pixels(Image.radial_gradient("L").convert("RGB"), "round"),
    )
}
RED, GREY, ROUND = (Part("image", None, image_id) for image_id in PICTURES)


class Stored:
    def png(self, image_id):
        return PICTURES[image_id].png


DIALOGUES = (
    Dialogue("one", (Ask((said("Which colour? "), RED)), Ask((said("Therefore, the answer is"),))), ()),
    Dialogue("two", (Ask((ROUND, said("first, "), GREY, said("second: which is round?"))), Ask((said("Why?"),))), ()),
    Dialogue("none", (Ask((said("Without a picture: 3 + 4 = ?"),)),), ()),
)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model.make(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def server(folder, tmp_path_factory):
    """The address of `transformers serve`."""
    home = tmp_path_factory.mktemp("home")
    port = free_port()
    command = Path(sys.executable).with_name("transformers")
    one_thread = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "HF_HOME": str(home)}
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, command, "serve", folder, "--device", "cpu", "--host", "127.0.0.1", "--port", str(port)],
            env={**os.environ, **one_thread, "HOME": str(home)},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + 180
        while not is_up(port):
            assert process.poll() is None and time.monotonic() < until, (home / "log").read_text()[-3000:]
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def is_up(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def loaded(folder):
    """The text that the folder's own model gives to messages, at each token the likeliest, and its count of tokens."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    processor = AutoProcessor.from_pretrained(folder)
    model = AutoModelForImageTextToText.from_pretrained(folder)

    def answer(conversation):
        messages = [
            {
                "role": turn.role,
                "content": [
                    {"type": "text", "text": part.text}
                    if part.kind == "text"
                    else {"type": "image", "image": images.decode(PICTURES[part.image_id].png).convert("RGB")}
                    for part in turn.parts
                ],
            }
            for turn in conversation
        ]
        inputs = processor.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        )
        told = model.generate(**inputs, do_sample=False, max_new_tokens=TOKENS)[0, inputs["input_ids"].shape[1] :]
        return processor.decode(told, skip_special_tokens=True), inputs["input_ids"].shape[1], len(told)

    yield functools.cache(answer)
    torch.set_num_threads(threads)


def asked(url, model, dialogues=DIALOGUES, **settings):
    chat = OpenAIChat(
        "tiny",
        model=str(model),
        base_url=url,
        key_variables=[],
        max_tokens=TOKENS,
        first_pause_s=0.01,
        **{"concurrency": 2, **settings},
    )
    return {(reply.id, reply.ask): reply for reply in chat.replies(dialogues, Stored())}


def expected(loaded):
    """By dialogue and ask: text, tokens in and out."""
    found = {}
    for dialogue in DIALOGUES:
        while len(dialogue.said) < len(dialogue.asks):
            answer = loaded(dialogue.conversation())
            found[dialogue.id, len(dialogue.said)] = answer
            dialogue = dialogue.replied((said(answer[0]),))
    return found


def facts(replies):
    return {place: (reply.text, reply.tokens_in, reply.tokens_out) for place, reply in replies.items()}


def test_the_model_says_something_else_to_each(loaded):
    assert len({text for text, _, _ in expected(loaded).values()}) == 5


def test_a_server_gives_the_text_of_the_folder_with_one_picture_two_and_none_and_two_asks(server, folder, loaded):
    replies = asked(server, folder)
    assert facts(replies) == expected(loaded)
    assert {reply.status for reply in replies.values()} <= {"ok", "truncated"}
    assert {reply.status for reply in replies.values() if reply.tokens_out == TOKENS} == {"truncated"}


def test_faults_on_the_way_change_nothing(server, folder, loaded):
    faults = scripted(BUSY, BROKEN, CUT, DROPPED, None, CUT, BUSY, None, BROKEN)
    with FaultServer(faults, upstream=server) as proxy:
        replies = asked(proxy.url, folder)
    assert facts(replies) == expected(loaded)
    assert proxy.done == {"answer": 5, "429": 2, "500": 2, "cut": 2, "dropped": 1}
    assert set(proxy.answered.values()) == {1}


def test_many_at_once_are_as_one_at_a_time(server, folder, loaded):
    many = [dialogue._replace(id=f"{dialogue.id}{at}") for at in range(4) for dialogue in DIALOGUES]
    replies = asked(server, folder, many, concurrency=8)
    assert {place: facts(replies)[place] for place in replies} == {
        (f"{name}{at}", ask): answer for (name, ask), answer in expected(loaded).items() for at in range(4)
    }


def test_a_picture_that_the_server_cannot_read_is_an_error_and_the_others_are_answered(
    server, folder, loaded, monkeypatch
):
    broken = images.of_pixels(Image.new("L", (3, 3)), "broken")._replace(png=b"\x89PNG\r\n\x1a\nno picture")
    monkeypatch.setitem(PICTURES, broken.image_id, broken)
    bad = Dialogue("bad", (Ask((said("See? "), Part("image", None, broken.image_id))),), ())
    replies = asked(server, folder, [bad, *DIALOGUES], retries=1, concurrency=1)
    assert replies.pop(("bad", 0)).status == "error"
    assert facts(replies) == expected(loaded)
