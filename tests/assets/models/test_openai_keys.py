"""`assets.models.openai_chat`: keys, addresses, and endpoints that are away."""

import socket

import pytest

from assets.models import openai_chat
from assets.models.model import ModelError
from assets.models.openai_chat import OpenAIChat
from tests import fault_server
from tests.assets.models.openai_endpoint import (
    KEY,
    OTHER,
    answered,
    asks,
    keys,  # noqa: F401 (fixture)
    many,
)
from tests.fault_server import FaultServer, failing


def bearers(server):
    return [request.headers["authorization"].removeprefix("Bearer ") for request in server.seen]


def test_keys_take_turns():
    with FaultServer() as server:
        answered(server, many(6), key_variables=["COTLINE_TEST_KEY", "COTLINE_TEST_OTHER"], concurrency=1)
    assert bearers(server) == [KEY, OTHER] * 3


@pytest.mark.parametrize("fault", [failing(401), failing(402), failing(429, "spent", "insufficient_quota")])
def test_a_key_that_is_refused_or_spent_is_taken_out_and_nothing_is_lost(fault):
    with FaultServer(lambda request, nth: fault if KEY in request.headers["authorization"] else None) as server:
        variables = ["COTLINE_TEST_KEY", "COTLINE_TEST_OTHER"]
        replies = answered(server, many(6), key_variables=variables, concurrency=1, retries=0)
    assert [reply.status for reply in replies] == ["ok"] * 6
    assert bearers(server) == [KEY, OTHER, *[OTHER] * 5]


def test_when_no_key_is_left_all_are_named():
    named = "COTLINE_TEST_KEY: refused, HTTP 401; COTLINE_TEST_OTHER: out of quota"
    with (
        FaultServer(lambda request, nth: failing(401 if KEY in request.headers["authorization"] else 402)) as server,
        pytest.raises(ModelError, match=named),
    ):
        answered(server, many(6), key_variables=["COTLINE_TEST_KEY", "COTLINE_TEST_OTHER"], concurrency=1)
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "the environment variable COTLINE_TEST_KEY is not set: put the key of the endpoint there"),
        (" \n", "the environment variable COTLINE_TEST_KEY is not set: put the key of the endpoint there"),
        ("two words", "the environment variable COTLINE_TEST_KEY holds what is no key: put the key alone there"),
        ("a\nb", "the environment variable COTLINE_TEST_KEY holds what is no key: put the key alone there"),
        ("ключ", "the environment variable COTLINE_TEST_KEY holds what is no key: put the key alone there"),
    ],
)
def test_a_key_that_is_not_there_is_said_by_its_variable(monkeypatch, value, sentence):
    if value is None:
        monkeypatch.delenv("COTLINE_TEST_KEY")
    else:
        monkeypatch.setenv("COTLINE_TEST_KEY", value)
    with FaultServer() as server, pytest.raises(ModelError) as raised:
        answered(server, [asks("p")])
    way = "models.vlm.key_variables names it, and may be empty for an endpoint that wants no key"
    assert str(raised.value) == f"models.vlm: {sentence} ({way})"
    assert not server.seen


def test_without_dialogues_no_key_is_needed_and_nothing_is_asked(monkeypatch):
    monkeypatch.delenv("COTLINE_TEST_KEY")
    with FaultServer() as server:
        assert answered(server, []) == []
    assert not server.seen


def test_an_endpoint_without_keys_is_asked_without_one(monkeypatch):
    with FaultServer() as server:
        [reply] = answered(server, [asks("p")], key_variables=[])
    assert reply.status == "ok"
    assert bearers(server) == ["none"]


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


@pytest.mark.parametrize("number", [1, 2, 3, 500])
def test_an_endpoint_that_is_away_is_said_soon_and_no_reply_comes(monkeypatch, number):
    taken, tries = [], []
    url = f"http://127.0.0.1:{closed_port()}/v1"
    attempt = openai_chat._Asking._attempt
    monkeypatch.setattr(openai_chat._Asking, "_attempt", lambda *given: tries.append(1) or attempt(*given))

    def dialogues():
        for dialogue in many(number):
            taken.append(dialogue.id)
            yield dialogue

    with pytest.raises(ModelError) as raised:
        answered(url, dialogues(), concurrency=2)
    assert str(raised.value) == (
        f"models.vlm: endpoint {url} cannot be reached (connection refused): start it or set models.vlm.base_url"
    )
    assert len(taken) <= 7
    assert len(tries) <= 3 * min(number, 7)


def test_a_host_that_is_not_there_is_said(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(
        ModelError, match=r"endpoint http://nowhere\.invalid/v1 cannot be reached \(no host of that name\)"
    ):
        answered("http://nowhere.invalid/v1", [asks("p")])


def test_an_endpoint_that_goes_away_later_leaves_errors():
    def plan(request, nth):
        if request.text == "p1":
            server.close()
            return fault_server.DROPPED
        return None

    with FaultServer(plan) as server:
        replies = answered(server, many(4), concurrency=1, retries=0)
    assert [(reply.status, reply.finish_reason) for reply in replies] == [
        ("ok", "stop"),
        ("error", "connection broke"),
        ("error", "connection refused"),
        ("error", "connection refused"),
    ]


@pytest.mark.parametrize(
    "url",
    [
        "https://user:secretword@host/v1",
        "https://secretword@host/v1",
        "https://host/v1?key=secretword",
        "https://host/v1#secretword",
    ],
)
def test_an_address_with_a_secret_is_refused_without_being_shown(url):
    with pytest.raises(ModelError, match=r"models\.vlm: base_url holds a user name, password or query") as raised:
        OpenAIChat("vlm", model="m", base_url=url)
    assert "secretword" not in str(raised.value)


@pytest.mark.parametrize("url", ["", "host/v1", "ftp://host/v1", "http://", "http://host:port/v1", "http://a b/v1"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ModelError, match=r"models\.vlm: base_url is no address of an endpoint"):
        OpenAIChat("vlm", model="m", base_url=url)
