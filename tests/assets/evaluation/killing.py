"""Runs that are killed again and again while they ask an endpoint at fault, and what is left of them in the end."""

import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from assets.models.model import content_key, said
from assets.replies_store import RepliesStore, Statistics
from tests.assets.evaluation.kill_run import CONCURRENCY, Loopback, dialogues, messages

ROOT = Path(__file__).resolve().parents[3]
LOOPBACK = "tests.assets.evaluation.kill_run:Loopback"

FAULTS = ("HTTP 500", "HTTP 429", "cut", "slow")
FAULT_SHARE = 0.15
MOST_FAULTS = 2
"""Faults that one prompt meets at most."""

DELAY_S = 0.01
KILL_WITHIN_S = 0.08


def prompt(sent: Sequence[Mapping[str, Any]]) -> str:
    """What tells one request from another: who says what in it, pictures aside."""
    texts = []
    for message in sent:
        content = message["content"]
        parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        texts.append([message["role"], "".join(parts)])
    return json.dumps(texts)


def text_for(asked: str, number: int | None = None) -> str:
    """The reply to a prompt; with a number, one that is never given again."""
    digest = hashlib.sha256(asked.encode()).hexdigest()[:12]
    return f"{digest}{'' if number is None else f' {number}'}: the answer is (B)."


class Endpoint(ThreadingHTTPServer):
    """A chat endpoint on loopback at `/RUN/v1` for every run; it notes which run it answered which prompt, whole."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *, faults: bool = False, varied: bool = False, delay_s: float = DELAY_S) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.faults, self.varied, self.delay_s = faults, varied, delay_s
        self.random = random.Random(11)
        self.changed = threading.Condition()
        self.answered: list[tuple[str, str]] = []
        self.met: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.requests = self.active = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error of the endpoint's."""

    def idle(self) -> None:
        """Wait until nothing is being answered."""
        with self.changed:
            assert self.changed.wait_for(lambda: not self.active, timeout=30)

    def fault(self, asked: str) -> str | None:
        with self.changed:
            if not self.faults or self.met[asked] >= MOST_FAULTS or self.random.random() >= FAULT_SHARE:
                return None
            self.met[asked] += 1
            kind = self.random.choice(FAULTS)
            self.kinds[kind] += 1
            return kind


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Endpoint

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_POST(self) -> None:
        server = self.server
        with server.changed:
            server.requests += 1
            number = server.requests
            server.active += 1
            server.changed.notify_all()
        try:
            self._answer(number)
        except OSError:
            self.close_connection = True
        finally:
            with server.changed:
                server.active -= 1
                server.changed.notify_all()

    def _answer(self, number: int) -> None:
        server = self.server
        asked = prompt(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"])
        fault = server.fault(asked)
        time.sleep(server.delay_s * (4 if fault == "slow" else 1))
        if fault in ("HTTP 500", "HTTP 429"):
            self._send(int(fault.split()[1]), b'{"error": {"message": "not now"}}')
            return
        message = {"role": "assistant", "content": text_for(asked, number if server.varied else None)}
        body = {
            **{"id": "1", "object": "chat.completion", "created": 0, "model": "tiny-1"},
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": len(asked), "completion_tokens": 5, "total_tokens": len(asked) + 5},
        }
        self._send(200, json.dumps(body).encode(), cut=fault == "cut")
        if fault != "cut":
            with server.changed:
                server.answered.append((self.path.split("/")[1], asked))

    def _send(self, status: int, content: bytes, *, cut: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if status == 429:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = cut


@contextlib.contextmanager
def serving(endpoint: Endpoint) -> Iterator[Endpoint]:
    """The endpoint while it answers."""
    thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.shutdown()
        thread.join()
        endpoint.server_close()


class Runs:
    """Starts runs of `kill_run`, and kills them."""

    def __init__(self, count: int, model: str = LOOPBACK) -> None:
        command = [sys.executable, "-m", "tests.assets.evaluation.kill_run", str(count), model]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout

    def start(self, folder: Path, url: str, *names: str) -> list[int]:
        """Start a run for each name; their process ids."""
        folder.mkdir(exist_ok=True)
        self._in.write(json.dumps([str(folder), url, *names]) + "\n")
        return [int(pid) for pid in self._line("pids")]

    def ended(self) -> list[int]:
        """Wait for the end; the exit statuses, negative for the signal that ended it."""
        return [int(status) for status in self._line("ended")]

    def close(self) -> None:
        self._in.close()
        self._process.wait(timeout=60)
        self._out.close()

    def _line(self, word: str) -> list[str]:
        said = self._out.readline().split()
        assert said[:1] == [word], said
        return said[1:]


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """What a run that ended well left."""
    rows: list[dict[str, Any]] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    return rows


class Outcome(NamedTuple):
    """What many kills left.

    killed: runs that a kill ended. lost: answers by prompt that were not kept, since their run was killed; most_lost:
    the most of one kill, of which in_flight can be on their way at a time. answered: whole answers by prompt. kept:
    accepted records by (sample, ask).
    """

    killed: int
    lost: Counter[str]
    most_lost: int
    in_flight: int
    answered: Counter[str]
    kept: Counter[tuple[str, int]]
    statistics: Statistics
    rows: list[dict[str, Any]]
    undisturbed: list[dict[str, Any]]
    faults: Counter[str]

    def violations(self) -> list[str]:
        """What must hold and does not."""
        paid = {asked: n for asked, n in self.answered.items() if n != 1 + self.lost[asked]}
        found = {
            f"{len(paid)} prompts were answered more often than once and once a kill in flight": bool(paid),
            f"{self.most_lost} answers were lost by one kill": self.most_lost > self.in_flight,
            "a reply has no accepted record, or several": self.kept
            != Counter({(row["sample_id"], ask): 1 for row in self.undisturbed for ask in range(2)}),
            "the table is another one": self.rows != self.undisturbed,
            f"{self.statistics.duplicates} duplicates": self.statistics.duplicates > 0,
        }
        return [what for what, violated in found.items() if violated]


def keys(count: int, identity: Mapping[str, Any]) -> dict[str, str]:
    """The content key of each prompt that undisturbed dialogues send."""
    found = {}
    for dialogue in dialogues(count):
        for _ in dialogue.asks:
            conversation = dialogue.conversation()
            asked = prompt(messages(conversation))
            found[asked] = content_key(identity, conversation)
            dialogue = dialogue.replied((said(text_for(asked)),))
    return found


def kill_again_and_again(
    folder: Path,
    kills: int,
    count: int,
    seed: int,
    *,
    model: str = LOOPBACK,
    identity: Mapping[str, Any] = Loopback.identity,
    in_flight: int = CONCURRENCY,
) -> Outcome:
    """Ask `count` dialogues of an endpoint at fault, with so many kills at random moments, and once undisturbed.

    Of ten kills two come while the run still looks up what is kept, the others while it asks.

    Args:
        folder: for the stores and the tables.
        kills: how many.
        count: of the dialogues.
        seed: of the moments.
        model: `module:function` of what asks.
        identity: that model's.
        in_flight: answers that can be between the endpoint and the store at a time.
    """
    moments = random.Random(seed)
    of_prompt = keys(count, identity)
    kept_by: dict[str, set[str]] = {}
    killed = 0
    runs = Runs(count, model)
    with serving(Endpoint(faults=True)) as endpoint:
        reader = RepliesStore(folder / "replies")
        for number in range(kills):
            before = endpoint.requests
            [pid] = runs.start(folder, endpoint.url, f"killed-{number}")
            if moments.random() < 0.8:
                with endpoint.changed:
                    endpoint.changed.wait_for(lambda before=before: endpoint.requests > before, timeout=30)
            time.sleep(moments.uniform(0, KILL_WITHIN_S))
            os.kill(pid, signal.SIGKILL)
            killed += runs.ended() == [-signal.SIGKILL]
            kept_by[f"killed-{number}"] = {key for key, _ in reader.records()}
        rows: list[dict[str, Any]] = []
        for number in range(2 * MOST_FAULTS + 1):
            runs.start(folder, endpoint.url, f"whole-{number}")
            assert runs.ended() == [0]
            rows = rows_of(folder, f"whole-{number}")
            if all(row["status"] == "ok" for row in rows):
                break
        endpoint.idle()
    gone = [(run, asked) for run, asked in endpoint.answered if run in kept_by and of_prompt[asked] not in kept_by[run]]
    store = RepliesStore(folder / "replies")
    kept = Counter((record["sample_id"], record["ask"]) for _, record in store.records())
    with serving(Endpoint(delay_s=0)) as calm:
        runs.start(folder / "undisturbed", calm.url, "whole")
        assert runs.ended() == [0]
        undisturbed = rows_of(folder / "undisturbed", "whole")
        runs.close()
    return Outcome(
        killed,
        Counter(asked for _, asked in gone),
        max(Counter(run for run, _ in gone).values(), default=0),
        in_flight,
        Counter(asked for _, asked in endpoint.answered),
        kept,
        store.statistics(),
        rows,
        undisturbed,
        endpoint.kinds,
    )
