"""`assets.models.openai_chat`: every way in which a request can fail."""

import contextlib
import logging
import socket
import threading
import traceback

import pytest

from assets.models import openai_chat
from assets.models.model import ModelError, said
from tests import fault_server
from tests.assets.models.openai_endpoint import (
    KEY,
    Pictures,
    answered,
    asks,
    chat,
    keys,  # noqa: F401 (fixture)
    many,
    one,
)
from tests.fault_server import FaultServer, answering, by_text, failing


@pytest.mark.parametrize(
    "fault",
    [
        *[failing(status, retry_after_ms="1") for status in (408, 409, 429, 500, 503)],
        failing(429, retry_after="0.001"),
        failing(500, retry_after="soon"),
        fault_server.CUT,
        fault_server.DROPPED,
        fault_server.WRONG_JSON,
        fault_server.HTML,
        answering([1]),
        answering({"error": {"message": "upstream is busy", "code": 502}}),
    ],
    ids=lambda fault: fault.kind,
)
def test_what_passes_is_asked_again(fault):
    reply, asked = one(fault, fault, None)
    assert (reply.status, reply.text, asked) == ("ok", "about p", 3)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (failing(500, "broken", retry_after_ms="1"), "http 500: broken"),
        (fault_server.CUT, "connection broke"),
        (fault_server.WRONG_JSON, "no completion"),
        (answering({"error": {"message": "busy", "code": 502}}), "no completion: busy"),
        (answering({"choices": "?"}), "no completion"),
        (answering({"id": "c"}), "no completion"),
    ],
)
def test_what_never_passes_is_an_error_after_all_retries_and_the_others_are_answered(fault, reason):
    with FaultServer(by_text({"p": [fault]})) as server:
        replies = answered(server, [asks("p"), asks("q", name="b")], retries=2)
    assert {reply.id: (reply.status, reply.finish_reason, reply.parts) for reply in replies} == {
        "a": ("error", reason, ()), "b": ("ok", "stop", (said("about q"),)),
    }  # fmt: skip
    assert server.texts().count("p") == 3


def test_a_stall_is_given_up_and_asked_again():
    reply, asked = one(fault_server.slow(20), None, timeout_s=0.3)
    assert (reply.status, asked) == ("ok", 2)
    reply, asked = one(*[fault_server.slow(20)] * 2, timeout_s=0.2, retries=1)
    assert (reply.status, reply.finish_reason, asked) == ("error", "timeout", 2)


def test_a_body_that_trickles_is_given_up_at_the_timeout():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ending = threading.Event()

        def trickle():
            line, _ = listening.accept()
            with line:
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n")
                for _ in range(100):
                    if ending.wait(0.05):
                        break
                    line.sendall(b" ")

        def tolerant():
            with contextlib.suppress(OSError):
                trickle()

        threading.Thread(target=tolerant, daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        [reply] = answered(url, [asks("p")], timeout_s=0.4, retries=0)
        ending.set()
    assert (reply.status, reply.finish_reason) == ("error", "timeout")


def paused(monkeypatch, *answers, **settings):
    """The pauses in seconds between the attempts."""
    pauses = []

    async def noted(seconds):
        pauses.append(seconds)

    monkeypatch.setattr(openai_chat.asyncio, "sleep", noted)
    reply, _ = one(*answers, **settings)
    return reply, pauses


@pytest.mark.parametrize(
    "headers", [{"retry_after": "17"}, {"retry_after_ms": "17000"}, {"retry_after": "17", "retry_after_ms": "x"}]
)
def test_the_pause_that_the_service_asks_for_is_kept_and_spread(monkeypatch, headers):
    reply, [pause] = paused(monkeypatch, failing(429, **headers))
    assert reply.status == "ok"
    assert 17 <= pause <= 18.7


def test_a_pause_until_a_date_is_kept(monkeypatch):
    monkeypatch.setattr("assets.chat_completion.time.time", lambda: 784111777.0)
    _, [pause] = paused(monkeypatch, failing(503, retry_after="Sun, 06 Nov 1994 08:49:57 GMT"))
    assert 20 <= pause <= 22


def test_a_service_that_asks_for_more_than_a_minute_is_left_alone(monkeypatch):
    reply, pauses = paused(monkeypatch, failing(429, "come back tomorrow", retry_after="86400"))
    assert (reply.status, reply.finish_reason, pauses) == ("error", "http 429: come back tomorrow", [])


def test_other_pauses_double_up_to_sixteen_times_and_differ(monkeypatch):
    _, pauses = paused(monkeypatch, *[failing(500)] * 7, retries=7, first_pause_s=0.5)
    assert [whole >= pause >= whole * 0.75 for pause, whole in zip(pauses, [0.5, 1, 2, 4, 8, 8, 8], strict=True)] == [
        True
    ] * 7
    assert len(set(pauses)) == 7


def test_a_request_that_is_wrong_is_not_asked_again_and_its_reason_is_short_and_without_keys():
    reply, asked = one(failing(400, f"too long:\n {KEY} " + "x" * 500, "context_length_exceeded"))
    assert (reply.status, asked) == ("error", 1)
    assert reply.finish_reason == ("http 400: too long: [key] " + "x" * 500)[:210]


@pytest.mark.parametrize(
    "body", [{"detail": "bad"}, {"object": "error", "message": "bad", "code": 422}, {"error": "bad"}]
)
def test_a_reason_is_found_however_it_is_told(body):
    reply, _ = one(answering(body, status=422))
    assert reply.finish_reason == "http 422: bad"


@pytest.mark.parametrize(
    "fault",
    [
        failing(400, "no", "content_filter"),
        failing(400, "no", "content_policy_violation"),
        answering({"error": {"message": "no", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}, status=400),
        answering({"error": {"message": "no", "code": 403, "metadata": {"flagged_input": "x"}}}, status=403),
    ],
)
def test_a_request_that_a_filter_refuses_is_filtered(fault):
    reply, asked = one(fault)
    assert (reply.status, asked) == ("filtered", 1)
    assert reply.finish_reason in ("http 400: no", "http 403: no")


def test_a_service_that_calls_the_limit_otherwise_gets_it_so():
    body = {"error": {"message": "use another", "code": "unsupported_parameter", "param": "max_tokens"}}
    with FaultServer(
        lambda request, nth: answering(body, status=400) if "max_tokens" in request.body else None
    ) as server:
        replies = answered(server, many(3), concurrency=1, max_tokens=9)
    assert [reply.status for reply in replies] == ["ok"] * 3
    assert [request.body.get("max_completion_tokens") for request in server.seen] == [None, 9, 9, 9]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (
            failing(401, f"bad {KEY}"),
            "models.vlm: endpoint PLACE takes no key that is there (COTLINE_TEST_KEY: refused, HTTP 401): set "
            "models.vlm.key_variables to variables with keys that are good and run again, what was answered is kept",
        ),
        (
            failing(402, "pay"),
            "models.vlm: endpoint PLACE takes no key that is there (COTLINE_TEST_KEY: out of quota, HTTP 402): set "
            "models.vlm.key_variables to variables with keys that are good and run again, what was answered is kept",
        ),
        (
            failing(403, f"not {KEY}"),
            "models.vlm: endpoint PLACE forbids what is asked (HTTP 403: not [key]): set models.vlm.model and base_url "
            "right and run again, what was answered is kept",
        ),
        (
            failing(404, "no model m"),
            "models.vlm: endpoint PLACE has no such model or path (HTTP 404: no model m): set models.vlm.model and "
            "base_url right and run again, what was answered is kept",
        ),
    ],
)  # fmt: skip
def test_an_endpoint_that_cannot_answer_anything_stops_the_run_with_a_sentence(fault, sentence):
    with FaultServer(by_text({"p3": [fault]})) as server:
        model, got = chat(server, concurrency=1), []
        with pytest.raises(ModelError) as raised:
            for reply in model.replies(many(20), Pictures()):
                got.append(reply.id)
    assert str(raised.value) == sentence.replace("PLACE", server.url.removeprefix("http://"))
    assert got == ["0", "1", "2"]
    assert len(server.seen) == 4


def test_no_key_is_in_what_is_raised_shown_or_logged(caplog):
    caplog.set_level(logging.DEBUG)
    shown = []
    for fault in (None, failing(400, KEY), failing(401, KEY), failing(404, KEY), failing(500, KEY), fault_server.CUT):
        with FaultServer(lambda request, nth, fault=fault: fault) as server:
            model = chat(server, retries=0)
            try:
                shown.append(answered(server, [asks("p")], retries=0))
            except ModelError as error:
                shown += [error, error.__cause__, error.__context__ and error.__suppress_context__]
            shown += [model, vars(model), model.identity]
    assert KEY not in f"{shown}{caplog.text}"
    assert not any(KEY in str(record.__dict__) for record in caplog.records)


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_the_trace_of_a_fault_shows_no_key(status):
    with FaultServer(lambda request, nth: failing(status, f"bad {KEY}")) as server, pytest.raises(ModelError) as raised:
        answered(server, [asks("p")])
    trace = "".join(traceback.format_exception(raised.value))
    assert "models.vlm: endpoint" in trace
    assert KEY not in trace


def test_what_looks_like_a_key_is_in_no_reason_either():
    reply, _ = one(failing(400, "Incorrect API key sk-proj-abc_DEF-123456 in Bearer eyJhbGciOi.x, see the skies"))
    assert reply.finish_reason == "http 400: Incorrect API key [key] in Bearer [key] see the skies"
