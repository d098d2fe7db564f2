"""`assets.writer_openai`: a chat endpoint, scripted on the loopback, and every way it can fail."""

import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from assets.replies_store import RepliesStore
from assets.writer import Reply, Request, Stored, WriterError, of
from assets.writer_openai import OpenAI

KEY = "sk-a-key-nobody-may-see"


def completion(content="fine", reason="stop", **message):
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": content, **message}}
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
    }


class Endpoint:
    """A chat endpoint: `script` gives, by prompt, the answers in turn; the last one stays."""

    def __init__(self):
        self.script = {}
        self.seen = []
        self.most_at_once = self.at_once = 0
        self.barrier = None
        self.guard = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, headers, answer = endpoint.answer(
                    self.path, {name.lower(): value for name, value in self.headers.items()}, body
                )
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, path, headers, body):
        prompt = body["messages"][0]["content"]
        with self.guard:
            self.seen.append((path, headers, body))
            answers = self.script.get(prompt, [(200, {}, completion(f"about {prompt}"))])
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        if self.barrier is not None:
            self.barrier.wait(timeout=30)
        with self.guard:
            self.at_once -= 1
        return answer

    def asked(self, prompt):
        return sum(body["messages"][0]["content"] == prompt for _, _, body in self.seen)


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("COTLINE_TEST_KEY", KEY)
    endpoint = Endpoint()
    yield endpoint
    endpoint.server.shutdown()
    endpoint.server.server_close()


def writer(endpoint, **settings):
    return OpenAI("m", endpoint.url, **{"key_variable": "COTLINE_TEST_KEY", "timeout_s": 30.0, **settings})


def asked(endpoint, *answers, **settings):
    endpoint.script["p"] = list(answers)
    [reply] = writer(endpoint, **settings).write([Request("a", "rewrite", "p")])
    return reply


def test_a_reply_comes_with_its_tokens_and_the_request_says_how_to_sample(endpoint):
    reply = asked(endpoint, (200, {}, completion()), temperature=0.5, seed=11, max_tokens=64)
    assert reply == Reply("a", "ok", "fine", "stop", 7, 2)
    [(path, headers, body)] = endpoint.seen
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "p"}],
        "temperature": 0.5,
        "seed": 11,
        "max_tokens": 64,
    }


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ({**completion(), "choices": []}, ("filtered", "", "no choices", 7, 2)),
        ({**completion(), "choices": [{"index": 0, "message": None}]}, ("filtered", "", "no message", 7, 2)),
        (completion("half", "content_filter"), ("filtered", "half", "content_filter", 7, 2)),
        (completion("half", "length"), ("truncated", "half", "length", 7, 2)),
        (completion(None), ("empty", "", "stop", 7, 2)),
        (completion(" \n"), ("empty", " \n", "stop", 7, 2)),
        (completion(None, refusal="I will not."), ("refusal", "I will not.", "stop", 7, 2)),
        (completion("Error: it Failed, said the text"), ("ok", "Error: it Failed, said the text", "stop", 7, 2)),
        ({"choices": [{"message": {"content": "bare"}}]}, ("ok", "bare", None, None, None)),
        ({"error": {"message": KEY}}, ("error", "", "no completion", None, None)),
        (b"<html>busy</html>", ("error", "", "no completion", None, None)),
    ],
    ids=["choices", "message", "filter", "length", "null", "blank", "refusal", "error word", "bare", "error", "html"],
)  # fmt: skip
def test_an_answer_has_one_status(endpoint, answer, reply):
    assert asked(endpoint, (200, {}, answer)) == Reply("a", *reply)
    assert endpoint.asked("p") == 1


@pytest.mark.parametrize("status", [429, 500])
def test_what_passes_is_asked_again_after_the_pause_the_endpoint_names(endpoint, status):
    busy = (status, {"Retry-After-Ms": "1"}, {"error": {"message": "busy"}})
    assert asked(endpoint, busy, (200, {}, completion())).status == "ok"
    assert endpoint.asked("p") == 2


def test_retry_after_in_seconds_is_kept_to(endpoint, monkeypatch):
    pauses = []
    monkeypatch.setattr("openai._base_client.SyncAPIClient._sleep_for_retry", sleeping(pauses))
    assert asked(endpoint, (429, {"Retry-After": "17"}, {}), (200, {}, completion())).status == "ok"
    assert pauses == [17.0]


def sleeping(pauses):
    def noted(client, *, retries_taken, max_retries, options, response):
        pauses.append(client._calculate_retry_timeout(max_retries - retries_taken, options, response.headers))

    return noted


def test_what_never_passes_is_an_error_and_the_others_are_answered(endpoint):
    endpoint.script["p"] = [(500, {"Retry-After-Ms": "1"}, {"error": {"message": KEY}})]
    requests = [Request("a", "rewrite", "p"), Request("b", "rewrite", "q")]
    replies = list(writer(endpoint, retries=2).write(requests))
    assert replies == [Reply("a", "error", "", "http 500"), Reply("b", "ok", "about q", "stop", 7, 2)]
    assert endpoint.asked("p") == 3


def test_a_request_that_is_wrong_is_not_asked_again(endpoint):
    reply = asked(endpoint, (400, {}, {"error": {"message": f"too long {KEY}", "code": "context_length_exceeded"}}))
    assert reply == Reply("a", "error", "", "http 400")
    assert endpoint.asked("p") == 1


def test_a_request_that_a_filter_refuses_is_filtered(endpoint):
    reply = asked(endpoint, (400, {}, {"error": {"message": "no", "code": "content_filter"}}))
    assert reply == Reply("a", "filtered", "", "http 400")


@pytest.mark.parametrize(
    ("status", "message"), [(401, "refuses the key of COTLINE_TEST_KEY"), (404, "has no such model or path")]
)
def test_an_endpoint_that_cannot_answer_anything_stops_the_run(endpoint, status, message):
    with pytest.raises(WriterError, match=message) as raised:
        asked(endpoint, (status, {}, {"error": {"message": f"no {KEY}"}}))
    assert KEY not in str(raised.value)
    assert raised.value.__cause__ is None


def test_no_connection_is_an_error():
    closed = Endpoint()
    closed.server.server_close()
    [reply] = OpenAI("m", closed.url, key_variable=None, retries=0, timeout_s=5.0).write([Request("a", "t", "p")])
    closed.server.shutdown()
    assert reply == Reply("a", "error", "", "no connection")


def test_a_key_that_is_not_set_is_said_by_its_variable(endpoint, monkeypatch):
    monkeypatch.delenv("COTLINE_TEST_KEY")
    with pytest.raises(WriterError, match="the environment variable COTLINE_TEST_KEY is not set"):
        asked(endpoint)
    assert not endpoint.seen


def test_without_requests_no_key_is_needed(endpoint, monkeypatch):
    monkeypatch.delenv("COTLINE_TEST_KEY")
    assert list(writer(endpoint).write([])) == []


def test_replies_keep_the_order_of_the_requests_and_no_more_are_asked_at_once_than_allowed(endpoint):
    endpoint.barrier = threading.Barrier(4)
    requests = [Request(str(at), "rewrite", f"p{at}") for at in range(40)]
    replies = list(writer(endpoint, concurrency=4).write(requests))
    assert [(reply.id, reply.text) for reply in replies] == [(str(at), f"about p{at}") for at in range(40)]
    assert endpoint.most_at_once == 4


def test_no_more_requests_are_read_than_twice_the_concurrency(endpoint):
    read = []

    def requests():
        for at in range(100):
            read.append(at)
            yield Request(str(at), "rewrite", f"p{at}")

    stream = writer(endpoint, concurrency=2).write(requests())
    next(stream)
    assert len(read) <= 5
    stream.close()


def test_the_key_is_neither_stored_nor_logged_nor_shown(endpoint, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    asking = writer(endpoint)
    with RepliesStore(tmp_path) as store:
        [reply] = Stored(asking, store).write([Request("a", "rewrite", "p")])
    assert reply.status == "ok"
    shown = f"{vars(asking)}{caplog.text}" + "".join(path.read_text() for path in tmp_path.iterdir())
    assert KEY not in shown


def made(endpoint, folder):
    return of(
        "openai", store_folder=folder, model="m", base_url=endpoint.url, key_variable="COTLINE_TEST_KEY", retries=0
    )


def test_an_endpoint_that_answers_nothing_is_a_fault(endpoint, tmp_path):
    requests = [Request(str(at), "rewrite", f"p{at}") for at in range(8)]
    endpoint.script = {request.prompt: [(500, {}, {"error": {"message": KEY}})] for request in requests}
    with pytest.raises(WriterError) as raised:
        list(made(endpoint, tmp_path).write(requests))
    assert str(raised.value) == (
        "writer openai: 8 of 8 requests failed (the first: http 500): mend m3cot.writer in params.yaml; "
        "what was answered is kept"
    )


def test_more_errors_than_answers_are_a_fault_and_the_answers_are_kept(endpoint, tmp_path):
    requests = [Request(str(at), "rewrite", f"p{at}") for at in range(4)]
    endpoint.script = {f"p{at}": [(500, {}, {}), (200, {}, completion())] for at in range(3)}
    with pytest.raises(WriterError, match=r"3 of 4 requests failed \(the first: http 500\)"):
        list(made(endpoint, tmp_path).write(requests))
    assert [reply.status for reply in made(endpoint, tmp_path).write(requests)] == ["ok"] * 4
    assert endpoint.asked("p3") == 1


def test_half_of_the_answers_and_refusals_are_no_fault(endpoint, tmp_path):
    endpoint.script = {"p": [(500, {}, {})], "q": [(200, {}, completion(None, refusal="no"))]}
    replies = made(endpoint, tmp_path).write([Request("a", "rewrite", "p"), Request("b", "rewrite", "q")])
    assert [reply.status for reply in replies] == ["error", "refusal"]


def test_only_empty_replies_are_a_fault(endpoint, tmp_path):
    endpoint.script = {"p": [(200, {}, completion(None))]}
    with pytest.raises(WriterError, match=r"1 of 1 requests failed \(the first: empty reply\)"):
        list(made(endpoint, tmp_path).write([Request("a", "rewrite", "p")]))
