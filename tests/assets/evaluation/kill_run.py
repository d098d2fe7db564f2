"""The process that is killed: forks a child for each run, so that what is imported once is imported for all.

    python -m tests.assets.evaluation.kill_run DIALOGUES module:function

The function takes the base URL of an endpoint, which is URL/NAME/v1, and gives the model: its identity must not name
that URL. A line [FOLDER, URL, NAME, ...] of JSON on stdin starts a run for each name, all on the store of FOLDER; it
answers `pids ...`, and `ended ...` with the exit statuses. A run leaves NAME.json.
"""

import http.client
import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from assets.evaluation.asking import ask
from assets.models.model import FINAL, Ask, Dialogue, Reply, Turn, said
from assets.replies_store import RepliesStore

CONCURRENCY = 4
OPENAI_IN_FLIGHT = 2 * CONCURRENCY
"""Dialogues that the model of kind openai has at a time: it goes on while its replies are taken."""


def dialogues(count: int) -> Iterator[Dialogue]:
    """Dialogues of two asks each, no two alike."""
    for number in range(count):
        asks = (Ask((said(f"Question {number}: one or two?"),)), Ask((said("So which letter?"),)))
        yield Dialogue(f"s{number:04d}", asks, ("one", "two"))


def messages(conversation: Iterable[Turn]) -> list[dict[str, str]]:
    """A conversation of texts as an endpoint takes it."""
    return [{"role": turn.role, "content": "".join(part.text or "" for part in turn.parts)} for turn in conversation]


class Loopback:
    """A model at a chat endpoint: several requests at a time, none of them twice, nothing but the standard library."""

    name = "loopback"
    identity: ClassVar = {"kind": "loopback", "model": "tiny"}

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url)
        self._here = threading.local()

    def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
        stream = iter(dialogues)
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            waiting = {pool.submit(self._reply, one): one for one in islice(stream, CONCURRENCY)}
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    one, reply = waiting.pop(future), future.result()
                    yield reply
                    more = reply.status in FINAL and reply.ask + 1 < len(one.asks)
                    following = one.replied(reply.parts) if more else next(stream, None)
                    if following is not None:
                        waiting[pool.submit(self._reply, following)] = following

    def _reply(self, dialogue: Dialogue) -> Reply:
        place = len(dialogue.said)
        body = json.dumps({"model": "tiny", "messages": messages(dialogue.conversation())})
        connection = getattr(self._here, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(self._address.netloc, timeout=30)
            self._here.connection = connection
        try:
            connection.request("POST", f"{self._address.path}/chat/completions", body)
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != 200:
                return Reply(dialogue.id, place, (), "error", f"HTTP {answer.status}")
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            return Reply(dialogue.id, place, (), "error", type(error).__name__)
        found = json.loads(content)
        choice, usage = found["choices"][0], found["usage"]
        return Reply(
            dialogue.id,
            place,
            (said(choice["message"]["content"]),),
            "ok",
            choice["finish_reason"],
            usage["prompt_tokens"],
            usage["completion_tokens"],
            found["model"],
        )


def openai_chat(url: str) -> Any:
    """The model of kind openai, which tries again at once, and is the same one at every URL."""
    import openai  # noqa: F401 (here, so that it is imported before the first fork)

    from assets.models.openai_chat import OpenAIChat

    class Chat(OpenAIChat):
        identity = property(lambda self: {"kind": "openai", "model": "tiny"})  # type: ignore[assignment]

    limits = {"timeout_s": 30.0, "concurrency": CONCURRENCY, "retries": 2, "first_pause_s": 0.001}
    return Chat("chat", model="tiny", base_url=url, key_variables=(), **limits)


class NoPictures:
    """Pictures of dialogues without any."""

    def png(self, image_id: str) -> bytes:
        raise KeyError(image_id)

    def image(self, image_id: str) -> Any:
        raise KeyError(image_id)


def run(folder: Path, name: str, model: Any, count: int) -> None:
    """Ask all there is; the rows are in NAME.json when it is done."""
    with RepliesStore(folder / "replies") as store:
        found = ask("killed", dialogues(count), model, NoPictures(), store, most_failures=0.9)
    partial = folder / f"{name}.part"
    partial.write_text(json.dumps({"rows": found.rows, "progress": found.progress._asdict()}), encoding="utf-8")
    partial.replace(folder / f"{name}.json")


def main(count: int, model: str) -> None:
    module, _, function = model.partition(":")
    make = getattr(import_module(module), function)
    make("http://127.0.0.1:9/v1")
    for line in sys.stdin:
        pids = []
        folder, url, *names = json.loads(line)
        for name in names:
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    run(Path(folder), name, make(f"{url}/{name}/v1"), count)
                    status = 0
                finally:
                    if status:
                        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
                    os._exit(status)
            pids.append(pid)
        print("pids", *pids, flush=True)
        ended = dict(os.waitpid(pid, 0) for pid in pids)
        print("ended", *(os.waitstatus_to_exitcode(ended[pid]) for pid in pids), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
