"""`assets.models.openai_chat`: what goes to a chat endpoint, and what its answers become."""

import pytest

from assets import images
from assets.models.model import REPLY, Ask, Dialogue, Reply, said
from assets.models.openai_chat import OpenAIChat
from tests import fault_server
from tests.assets.models.openai_endpoint import (
    BLUE,
    KEY,
    RED,
    answered,
    asks,
    keys,  # noqa: F401 (fixture)
    one,
    picture,
    url_of,
)
from tests.fault_server import FaultServer, answering, completion, scripted


def test_a_reply_has_its_tokens_and_version_and_the_request_says_how_to_sample():
    with FaultServer(reply=lambda request: {**completion(), "system_fingerprint": "fp_7"}) as server:
        replies = answered(server, [asks("p")], temperature=0.5, top_p=0.9, seed=11, max_tokens=64)
    assert replies == [Reply("a", 0, (said("fine"),), "ok", "stop", 7, 2, "fp_7")]
    [request] = server.seen
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "p"}],
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 11,
        "max_tokens": 64,
    }


def test_what_is_left_to_the_endpoint_is_not_sent():
    with FaultServer() as server:
        [reply] = answered(server, [asks("p")], temperature=None)
    assert reply.fingerprint == "m"
    assert set(server.seen[0].body) == {"model", "messages", "max_tokens"}


def test_pictures_go_in_their_places_as_png():
    parts = (picture(RED), said("one, "), said("two"), picture(BLUE), picture(RED), said("which?"))
    with FaultServer() as server:
        answered(server, [Dialogue("a", (Ask(parts),), ())], [RED, BLUE])
    [message] = server.seen[0].messages
    assert [part.get("text", part["type"]) for part in message["content"]] == [
        "image_url", "one, two", "image_url", "image_url", "which?",
    ]  # fmt: skip
    assert message["content"][0] == {"type": "image_url", "image_url": {"url": url_of(RED.png)}}
    assert fault_server.pictures_of(message) == [RED.png, BLUE.png, RED.png]


def test_the_next_ask_carries_the_reply_before_it_but_not_the_thoughts():
    with FaultServer(reply=lambda request: "<think>hm (A)</think>\n(B) it is") as server:
        replies = answered(server, [asks("first", "second")])
    assert [(reply.ask, reply.text) for reply in replies] == [
        (0, "<think>hm (A)</think>\n(B) it is"), (1, "<think>hm (A)</think>\n(B) it is"),
    ]  # fmt: skip
    assert server.seen[1].messages == [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "(B) it is"},
        {"role": "user", "content": "second"},
    ]


def test_a_fresh_ask_stands_alone_with_the_reply_inside():
    dialogue = Dialogue("a", (Ask((said("describe"),)), Ask((said("[D] "), REPLY, said("!")), fresh=True)), ())
    with FaultServer() as server:
        answered(server, [dialogue])
    assert server.seen[1].messages == [{"role": "user", "content": "[D] about describe!"}]


def test_only_what_a_dialogue_lacks_is_asked():
    with FaultServer() as server:
        half = asks("first", "second", said=((said("known"),),))
        replies = answered(server, [half, asks("all", name="b", said=((said("known"),),))])
    assert [(reply.id, reply.ask, reply.text) for reply in replies] == [("a", 1, "about second")]
    assert [message["content"] for message in server.seen[0].messages] == ["first", "known", "second"]


@pytest.mark.parametrize(
    ("body", "text", "status", "reason"),
    [
        ({**completion(), "choices": []}, "", "filtered", "no choices"),
        ({**completion(), "choices": None}, "", "filtered", "no choices"),
        ({**completion(), "choices": [{"index": 0, "message": None}]}, "", "filtered", "no message"),
        ({**completion(), "choices": [None]}, "", "filtered", "no message"),
        (completion("half", "content_filter"), "half", "filtered", "content_filter"),
        (completion("half", "length"), "half", "truncated", "length"),
        (completion(None), "", "empty", "stop"),
        (completion(" \n"), " \n", "empty", "stop"),
        (completion(None, refusal="I will not."), "I will not.", "refusal", "stop"),
        (completion("half", "error"), "half", "error", "error"),
        (completion("Error: it Failed, said the text"), "Error: it Failed, said the text", "ok", "stop"),
        (completion([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "ab", "ok", "stop"),
        (completion("(B)", reasoning_content="hm (A)"), "<think>hm (A)</think>(B)", "ok", "stop"),
        (completion("(B)", reasoning="hm (A)"), "<think>hm (A)</think>(B)", "ok", "stop"),
        (completion(None, "length", reasoning_content="hm"), "<think>hm</think>", "truncated", "length"),
        (completion("", reasoning_content="hm"), "<think>hm</think>", "empty", "stop"),
        (completion("half of \ud83d"), "half of �", "ok", "stop"),
    ],
)  # fmt: skip
def test_an_answer_has_one_status_and_is_asked_for_once(body, text, status, reason):
    reply, asked = one(answering(body))
    assert (reply.text, reply.status, reply.finish_reason, asked) == (text, status, reason, 1)
    assert (reply.tokens_in, reply.tokens_out) == (7, 2)


@pytest.mark.parametrize("status", ["filtered", "empty", "error"])
def test_a_dialogue_ends_at_a_reply_that_is_not_kept(status):
    body = {
        "filtered": {**completion(), "choices": []}, "empty": completion(""), "error": completion("x", "error"),
    }[status]  # fmt: skip
    with FaultServer(scripted(answering(body))) as server:
        [reply] = answered(server, [asks("first", "second")])
    assert (reply.status, len(server.seen)) == (status, 1)


@pytest.mark.parametrize(
    ("body", "status"), [(completion("x", "length"), "truncated"), (completion("", refusal="no"), "refusal")]
)
def test_a_dialogue_goes_on_after_a_reply_that_is_kept(body, status):
    with FaultServer(scripted(answering(body))) as server:
        replies = answered(server, [asks("first", "second")])
    assert [reply.status for reply in replies] == [status, "ok"]


def test_the_identity_is_what_replies_depend_on():
    model = OpenAIChat("vlm", model="m", base_url="https://Host.example:8443/Path/v1/", seed=3, concurrency=2)
    sampling = {"max_tokens": 1024, "seed": 3, "temperature": 0.0, "top_p": None}
    known = {"kind": "openai", "model": "m", "base_url": "host.example:8443/Path/v1", "sampling": sampling}
    assert model.identity == known
    assert OpenAIChat("x", model="m").identity["base_url"] == "api.openai.com/v1"
    again = OpenAIChat(
        "y", model="m", base_url="https://host.example:8443/Path/v1", seed=3, retries=0, timeout_s=1, key_variables=[]
    )
    assert again.identity == known
    drawing = OpenAIChat("vlm", model="m", base_url="https://host.example:8443/Path/v1", seed=3, draws=True)
    assert drawing.identity == {**known, "draws": True}


def test_pictures_in_a_reply_keep_their_places_and_new_ones_come_along():
    content = [
        {"type": "text", "text": "first"},
        {"type": "image_url", "image_url": {"url": url_of(RED.png)}},
        {"type": "text", "text": "then"},
        {"type": "image_url", "image_url": url_of(BLUE.png)},
        {"type": "image_url", "image_url": {"url": url_of(RED.png)}},
    ]
    reply, _ = one(answering(completion(content)), draws=True)
    assert reply.parts == (said("first"), picture(RED), said("then"), picture(BLUE), picture(RED))
    assert [(row.image_id, row.png) for row in reply.drawn] == [(RED.image_id, RED.png), (BLUE.image_id, BLUE.png)]
    assert (reply.status, reply.finish_reason) == ("ok", "stop")


def test_pictures_beside_the_text_come_after_it_and_a_picture_alone_is_a_reply():
    beside = [{"type": "image_url", "image_url": {"url": url_of(RED.png)}}]
    reply, _ = one(answering(completion("look", images=beside)))
    assert reply.parts == (said("look"), picture(RED))
    reply, _ = one(answering(completion("", images=beside)))
    assert (reply.parts, reply.status) == ((picture(RED),), "ok")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:9/a.png", "not_fetched"),
        ("file:///etc/hosts", "not_fetched"),
        ("data:image/png;base64,%%%", "broken_picture"),
        (url_of(b"GIF89a"), "broken_picture"),
        (url_of(b"<svg/>"), "not_a_picture"),
        (url_of(RED.png[:-20]), "truncated_picture"),
        (url_of(b""), "empty_file"),
    ],
)
def test_a_picture_that_is_broken_or_elsewhere_is_left_out_with_a_note(url, reason):
    remote = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": url}}]
    reply, _ = one(answering(completion(remote)))
    assert (reply.parts, reply.drawn, reply.status) == ((said("look"),), (), "ok")
    assert reply.finish_reason == f"stop; left out pictures: {reason}"
    reply, _ = one(answering(completion(remote[1:])))
    assert (reply.parts, reply.status) == ((), "empty")


def test_a_picture_larger_than_allowed_is_left_out(monkeypatch):
    monkeypatch.setattr(images, "LIMITS", images.Limits(most_bytes=30))
    reply, _ = one(answering(completion([{"type": "image_url", "image_url": {"url": url_of(RED.png)}}])))
    assert reply.finish_reason == "stop; left out pictures: file_too_long"


def test_what_was_drawn_goes_back_with_the_next_ask():
    content = [{"type": "text", "text": "drawn"}, {"type": "image_url", "image_url": {"url": url_of(RED.png)}}]
    with FaultServer(scripted(answering(completion(content)))) as server:
        replies = answered(server, [asks("draw", "look")], draws=True)
    assert [reply.status for reply in replies] == ["ok", "ok"]
    assert server.seen[0].body["modalities"] == ["text", "image"]
    assert server.seen[1].messages[1]["content"] == [
        {"type": "text", "text": "drawn"}, {"type": "image_url", "image_url": {"url": url_of(RED.png)}},
    ]  # fmt: skip
