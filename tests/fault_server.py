"""A chat endpoint on the loopback that fails as told: by itself, or as a proxy in front of another server.

with FaultServer(seeded(7, 0.3)) as server:
    ...ask server.url...
assert set(server.answered.values()) == {1}
"""

import argparse
import base64
import hashlib
import http.client
import json
import random
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self


class Request(NamedTuple):
    """What came in; `key` stands for its messages, `text` is what the user said last."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages") or [])

    @property
    def text(self) -> str:
        return text_of(self.messages[-1]) if self.messages else ""

    @property
    def key(self) -> str:
        return key_of(self.messages)


class Answer(NamedTuple):
    """What goes out: an HTTP answer, and what is done to it.

    kind: for the counts. status, headers, body: of the answer; a body of None stands for the right one. wait_s: before
    it goes out. cut: only half of the body comes, then the connection ends; drop: it ends without any answer.
    """

    kind: str
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    wait_s: float = 0.0
    cut: bool = False
    drop: bool = False


Plan = Callable[[Request, int], Answer | None]
"""What becomes of a request that is its conversation's n-th, from 0; None lets it pass."""


def completion(content: Any = "fine", reason: str | None = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion of 7 tokens in and 2 out."""
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


def answering(body: Any, kind: str = "answer", status: int = 200, **headers: str) -> Answer:
    """A body of one's own; header names with _ for -."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(kind, status, tuple((name.replace("_", "-"), value) for name, value in headers.items()), data)


def failing(status: int, message: str = "no", code: str | None = None, **headers: str) -> Answer:
    """An HTTP error as OpenAI words it; its kind is the status."""
    return answering({"error": {"message": message, "code": code}}, str(status), status, **headers)


def slow(wait_s: float) -> Answer:
    """The right answer, late; later than the asker's timeout it is a stall."""
    return Answer("slow", wait_s=wait_s)


BUSY = failing(429, "busy", retry_after_ms="50")
BUSY_SECONDS = failing(429, "busy", retry_after="1")
BROKEN = failing(500, "broken")
CUT = Answer("cut", cut=True)
DROPPED = Answer("dropped", drop=True)
NO_CHOICES = answering({**completion(), "choices": []}, "no choices")
NULL_MESSAGE = answering({**completion(), "choices": [{"index": 0, "message": None}]}, "null message")
FILTERED = answering(completion(None, "content_filter"), "filtered")
WRONG_JSON = answering(b'{"choices": [{"mess', "wrong json")
HTML = answering(b"<html>busy</html>", "html")

PASSING = (BUSY, BROKEN, CUT, DROPPED, WRONG_JSON, slow(0.02))
"""Faults after which the same request is answered when it is asked again."""


def scripted(*answers: Answer | None) -> Plan:
    """The answers in turn, whoever asks; then everything passes."""
    left = list(answers)
    guard = threading.Lock()

    def plan(request: Request, nth: int) -> Answer | None:
        with guard:
            return left.pop(0) if left else None

    return plan


def by_text(answers: Mapping[str, Sequence[Answer | None]]) -> Plan:
    """The answers in turn to what the user said last; the last one stays."""

    def plan(request: Request, nth: int) -> Answer | None:
        mine = answers.get(request.text)
        return mine[min(nth, len(mine) - 1)] if mine else None

    return plan


def seeded(seed: int, rate: float, faults: Sequence[Answer] = PASSING, most: int = 2) -> Plan:
    """Faults at random, the same for the same conversation whatever the order: at most `most` of each one's first."""

    def plan(request: Request, nth: int) -> Answer | None:
        drawn = random.Random(f"{seed}:{request.key}:{nth}")
        return drawn.choice(faults) if nth < most and drawn.random() < rate else None

    return plan


def text_of(message: Mapping[str, Any]) -> str:
    """The texts of a message, joined."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [] if part.get("type") == "text")


def pictures_of(message: Mapping[str, Any]) -> list[bytes]:
    """The pictures of a message that are data URLs, decoded, in their order."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    urls = [part["image_url"]["url"] for part in parts if part.get("type") == "image_url"]
    return [base64.b64decode(url.partition(",")[2], validate=True) for url in urls]


def key_of(messages: Iterable[Mapping[str, Any]]) -> str:
    """What stands for messages in the counts: SHA-256, as hexadecimal digits, over their JSON."""
    text = json.dumps(list(messages), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def echo(request: Request) -> str:
    """What the user said last."""
    return f"about {request.text}"


def letter(request: Request) -> str:
    """A text that ends in a letter from A to D, both by the messages alone."""
    return f"By {request.key[:8]}, the answer is ({'ABCD'[int(request.key, 16) % 4]})."


class FaultServer:
    """A server from `with` to its end; `asked` and `answered` count by `Request.key`, `done` by kind of answer.

    Only what went out whole with status 200 and the right body counts as answered.
    """

    def __init__(
        self,
        plan: Plan | None = None,
        *,
        reply: Callable[[Request], Any] = echo,
        upstream: str | None = None,
        port: int = 0,
    ) -> None:
        """Args: reply: content or whole completion to a request that passes. upstream: who answers instead."""
        self.seen: list[Request] = []
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.most_at_once = 0
        self.gate: Callable[[Request], None] | None = None
        self._plan, self._reply, self._upstream = plan, reply, upstream
        self._at_once = 0
        self._guard = threading.Lock()
        self._ending = threading.Event()
        self._server = _Server(("127.0.0.1", port), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Take no more connections; those that there are go on."""
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()

    def texts(self) -> list[str]:
        """What users said last, in the order asked."""
        with self._guard:
            return [request.text for request in self.seen]

    def answer(self, request: Request) -> Answer:
        """The answer that the plan gives; its body is filled."""
        key = request.key
        with self._guard:
            self.seen.append(request)
            nth = self.asked[key]
            self.asked[key] += 1
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if self.gate is not None:
                self.gate(request)
            answer = (self._plan(request, nth) if self._plan is not None else None) or Answer("answer")
            if answer.wait_s:
                self._ending.wait(answer.wait_s)
            if answer.body is None and not answer.drop:
                answer = self._right(request, answer)
            return answer
        finally:
            with self._guard:
                self._at_once -= 1

    def note(self, request: Request, answer: Answer, whole: bool) -> None:
        """Count what went out."""
        with self._guard:
            self.done[answer.kind] += 1
            if whole and answer.status == 200 and answer.kind in ("answer", "slow"):
                self.answered[request.key] += 1

    def _right(self, request: Request, answer: Answer) -> Answer:
        if self._upstream is not None:
            status, body = _forwarded(self._upstream, request)
            return answer._replace(status=status, body=body)
        content = self._reply(request)
        whole = content if isinstance(content, dict) and "choices" in content else completion(content)
        return answer._replace(body=json.dumps(whole).encode())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An asker that goes away, killed or out of patience, is nothing to report."""


def _handler(server: FaultServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            answer = server.answer(request)
            data = answer.body or b""
            if answer.drop:
                self.close_connection = True
                server.note(request, answer, False)
                return
            self.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **dict(answer.headers)}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if answer.cut:
                self.close_connection = True
                data = data[: len(data) // 2]
            server.note(request, answer, not answer.cut)
            self.wfile.write(data)

        def log_message(self, *arguments: Any) -> None:
            pass

    return Handler


def _forwarded(upstream: str, request: Request) -> tuple[int, bytes]:
    """The upstream's answer; 502 where it gives none."""
    parts = urllib.parse.urlsplit(upstream)
    path = parts.path.removesuffix("/v1").rstrip("/") + request.path
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=300)
    try:
        connection.request("POST", path, json.dumps(request.body).encode(), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, http.client.HTTPException) as error:
        return 502, json.dumps({"error": {"message": f"upstream: {type(error).__name__}"}}).encode()
    finally:
        connection.close()


def main() -> None:
    """Serve until killed: `python tests/fault_server.py --rate 0.3`; the first line out is the address."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, default=0)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--rate", type=float, default=0.0)
    arguments.add_argument("--upstream")
    given = arguments.parse_args()
    plan = seeded(given.seed, given.rate)
    with FaultServer(plan, reply=letter, upstream=given.upstream, port=given.port) as server:
        print(server.url, flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
