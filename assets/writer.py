"""The language model that construction asks: requests in, replies out, in order, as a stream."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

from assets.replies_store import RepliesStore
from assets.schema.faults import Fault
from assets.schema.vocabulary import REPLY_STATUSES
from assets.sources.jsonlines import Unreadable
from assets.sources.jsonlines import read as read_lines
from assets.writer_json import json_object

__all__ = [
    "ACCEPTED",
    "KINDS",
    "Answered",
    "Asking",
    "Replay",
    "Reply",
    "Request",
    "Rule",
    "Rules",
    "Stored",
    "Watched",
    "Writer",
    "WriterError",
    "content_key",
    "json_object",
    "of",
]

KINDS = ("rules", "openai", "replay")

ACCEPTED = frozenset({"ok", "refusal"})
"""Statuses of a reply that is final; a request whose reply has any other is asked again by the next run."""

NOT_RECORDED = "not recorded"
_ROOT = Path(__file__).resolve().parent.parent
LOOK_AHEAD = 1024
"""Requests read ahead of the reply that is due, at most."""

_Value = TypeVar("_Value")

Rule = Callable[[Mapping[str, Any]], str | None]
Progress = Callable[[int, int | None], None]


class WriterError(Fault):
    """A writer cannot answer at all; the message names it, what is wrong and the way out."""


class Request(NamedTuple):
    """One thing to write: `prompt` is what a model reads, `facts` is what a rule reads and is never sent."""

    id: str
    task: str
    prompt: str
    facts: Mapping[str, Any] = MappingProxyType({})


class Reply(NamedTuple):
    """What came back for the request of the same id.

    status: ok, refusal, filtered, empty, truncated or error; only the text of an ok one is to be used.
    finish_reason: the service's own word, or why there is no text.
    """

    id: str
    status: str
    text: str
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None


class Writer(Protocol):
    """Whatever answers requests; `name` goes into the provenance of what it wrote."""

    @property
    def name(self) -> str:
        """The writer's name."""

    def write(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """One reply a request, in the order of the requests."""


class Asking(Writer, Protocol):
    """A writer that asks a model, so that its replies are worth keeping."""

    @property
    def model(self) -> str:
        """The model's id, part of the content key."""

    @property
    def sampling(self) -> Mapping[str, Any]:
        """How it samples, as JSON values, part of the content key."""


class Rules:
    """A writer made of rules: a task's rule reads the facts and gives the text that a model would give."""

    name = "rules"

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        """`rules`: by task; a rule that returns None, or blanks, has nothing to say: status empty."""
        self._rules = dict(rules)

    def write(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """One reply a request.

        Raises:
            WriterError: a request's task has no rule.
        """
        for request in requests:
            rule = self._rules.get(request.task)
            if rule is None:
                known = ", ".join(sorted(self._rules)) or "none"
                raise WriterError(
                    f"writer rules: no rule for task {request.task!r} (there is {known}): add one, or ask a model"
                )
            text = rule(request.facts) or ""
            yield Reply(request.id, "ok" if text.strip() else "empty", text)


class Replay:
    """A writer that reads recorded replies: JSON lines {id, task, text, status?, finish_reason?}."""

    def __init__(self, file: Path, name: str = "replay") -> None:
        """Read the replies of `file`; of several for one id and task the first final one counts, else the first.

        Raises:
            WriterError: a line is no reply.
            SourceError: the file cannot be read.
        """
        self.name = name
        self._replies: dict[tuple[str, str], Reply] = {}
        for line, record in read_lines(file, file.name):
            if isinstance(record, Unreadable):
                raise WriterError(f"{file.name}: line {line} is no reply ({record.reason}): mend it or take it out")
            task, reply = _recorded(record, f"{file.name}: line {line}")
            known = self._replies.get((reply.id, task))
            if known is None or (known.status not in ACCEPTED and reply.status in ACCEPTED):
                self._replies[reply.id, task] = reply

    def write(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """One reply a request: the recorded one, or an empty one that says so."""
        for request in requests:
            yield self._replies.get((request.id, request.task)) or Reply(request.id, "empty", "", NOT_RECORDED)


class Stored:
    """A writer that asks another one only what the store does not hold, and keeps all that comes back.

    ok and refusal are final; error, empty, filtered and truncated are kept as attempts and asked again next time.
    Requests of the same content are asked once.
    """

    def __init__(
        self,
        writer: Asking,
        store: RepliesStore,
        template: str = "1",
        asking: str = "first",
        ahead: int = LOOK_AHEAD,
    ) -> None:
        """`template`: the version of the prompts; `asking`: a name, another one asks everything anew."""
        self.name = writer.name
        self._writer = writer
        self._store = store
        self._template = template
        self._asking = asking
        self._ahead = ahead

    def write(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """One reply a request; what came back is durable when the stream ends, however it ends."""
        stream = iter(requests)
        try:
            while window := list(islice(stream, self._ahead)):
                yield from self._window(window)
        finally:
            self._store.sync()

    def key(self, request: Request) -> str:
        """The content key of the request when this writer asks it."""
        model, sampling = self._writer.model, self._writer.sampling
        return content_key(model, request.task, request.prompt, sampling, self._template, self._asking)

    def _window(self, window: list[Request]) -> Iterator[Reply]:
        keys = [self.key(request) for request in window]
        held: dict[str, Reply | None] = {}
        missing: list[Request] = []
        for key, request in zip(keys, window, strict=True):
            if key in held:
                continue
            record = self._store.get(key)
            held[key] = None if record is None else _of_record(record)
            if record is None:
                missing.append(request)
        answered = iter(self._writer.write(missing))
        for key, request in zip(keys, window, strict=True):
            known = held[key]
            if known is None:
                reply = next(answered, None)
                if reply is None or reply.id != request.id:
                    raise WriterError(f"writer {self.name}: no reply for {request.id}: it must reply in order to all")
                known = held[key] = self._keep(key, request, reply)
            yield known._replace(id=request.id)

    def _keep(self, key: str, request: Request, reply: Reply) -> Reply:
        record = {**reply._asdict(), "task": request.task, "model": self._writer.model}
        final = reply.status in ACCEPTED
        if self._store.put(key, record, accepted=final) or not final:
            return reply
        first = self._store.get(key)
        return reply if first is None else _of_record(first)


class Answered:
    """A writer that is at fault where its replies are of no use: nobody should take an empty result for a run's own."""

    def __init__(self, writer: Writer, told: Callable[[int, int, str, Reply], str]) -> None:
        """`told`: the message, of how many failed of how many, and how and at which reply the first one did."""
        self.name = writer.name
        self._writer = writer
        self._told = told

    def write(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """The replies of the writer; the last one is held back until they have been counted.

        Raises:
            WriterError: all replies are errors or empty, or more than half are errors or not recorded.
        """
        total, failed, empty = 0, 0, 0
        first: Reply | None = None
        due: Reply | None = None
        for reply in self._writer.write(requests):
            if due is not None:
                yield due
            due = reply
            total += 1
            lost = reply.status == "error" or reply.finish_reason == NOT_RECORDED
            failed += lost
            empty += reply.status == "empty" and not lost
            if first is None and (lost or reply.status == "empty"):
                first = reply
        if first is not None and (2 * failed > total or failed + empty == total):
            reason = (first.finish_reason or first.status) if first.status == "error" else "empty reply"
            raise WriterError(self._told(total if failed + empty == total else failed, total, reason, first))
        if due is not None:
            yield due


class Watched:
    """A writer that tells `progress` how many replies have passed, of how many where that is known."""

    def __init__(self, writer: Writer, progress: Progress) -> None:
        """`progress` is called with (done, total or None), first with 0."""
        self.name = writer.name
        self._writer = writer
        self._progress = progress

    def write(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """The replies of the watched writer."""
        total = len(requests) if isinstance(requests, Sized) else None
        self._progress(0, total)
        for done, reply in enumerate(self._writer.write(requests), start=1):
            self._progress(done, total)
            yield reply


def content_key(
    model: str,
    task: str,
    prompt: str,
    sampling: Mapping[str, Any],
    template: str = "1",
    asking: str = "first",
) -> str:
    """SHA-256, as 64 hexadecimal digits, over all that a reply depends on, as canonical JSON."""
    content = {
        "asking": asking,
        "model": model,
        "prompt": prompt,
        "sampling": dict(sampling),
        "task": task,
        "template": template,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def of(
    kind: str,
    *,
    rules: Mapping[str, Rule] | None = None,
    store_folder: Path | None = None,
    file: Path | None = None,
    name: str | None = None,
    template: str = "1",
    asking: str = "first",
    progress: Progress | None = None,
    **settings: Any,
) -> Writer:
    """The writer that the settings name.

    Args:
        kind: rules (needs `rules`), replay (needs `file`) or openai (needs `store_folder` and `settings`).
        rules: by task.
        store_folder: where the replies of a model are kept.
        file: the recorded replies.
        name: what provenance calls a replay; the file's name without suffix when left out.
        template: the version of the prompts.
        asking: another name asks a model everything anew.
        progress: called with (done, total or None) as replies pass.
        settings: of `assets.writer_openai.OpenAI`: model, base_url, temperature, seed, max_tokens, ...

    Raises:
        WriterError: an unknown kind, or what it needs is missing; `write` raises it where hardly a reply is of use.
    """
    writer: Writer
    if kind == "rules":
        writer = Rules(_needed(kind, "rules", rules))
    elif kind == "replay":
        path = _needed(kind, "file", file)
        named = path.relative_to(_ROOT).as_posix() if path.is_relative_to(_ROOT) else str(path)
        if not path.exists():
            raise WriterError(f"writer replay: there is no file {named}: set m3cot.writer.replies to one")
        replay = Replay(path, name or path.name.split(".")[0] or kind)
        writer = Answered(
            replay,
            lambda failed, total, _, first: (
                f"writer replay: {named} has no reply for {failed} of {total} requests (the first: {first.id}): "
                "set m3cot.writer.replies to the file that has"
            ),
        )
    elif kind == "openai":
        from assets.writer_openai import OpenAI

        folder = _needed(kind, "store_folder", store_folder)
        stored = Stored(OpenAI(**settings), RepliesStore(folder), template, asking)
        writer = Answered(
            stored,
            lambda failed, total, reason, _: (
                f"writer openai: {failed} of {total} requests failed (the first: {reason}): "
                "mend m3cot.writer in params.yaml; what was answered is kept"
            ),
        )
    else:
        raise WriterError(f"writer: kind {kind!r} is unknown: choose one of {', '.join(KINDS)}")
    return writer if progress is None else Watched(writer, progress)


def _needed(kind: str, name: str, value: _Value | None) -> _Value:
    if value is None:
        raise WriterError(f"writer {kind}: {name} is not set: set it, or choose another kind")
    return value


def _recorded(record: Mapping[str, Any], where: str) -> tuple[str, Reply]:
    texts = [record.get(name) for name in ("id", "task", "text")]
    if not all(type(text) is str for text in texts):
        raise WriterError(f"{where} is no reply: id, task and text must be texts")
    identifier, task, text = (str(value) for value in texts)
    status = record.get("status", "ok" if text.strip() else "empty")
    if status not in REPLY_STATUSES:
        raise WriterError(f"{where} has status {status!r}: use one of {', '.join(REPLY_STATUSES)}")
    reason = record.get("finish_reason")
    return task, Reply(identifier, status, text, reason if isinstance(reason, str) else None)


def _of_record(record: Mapping[str, Any]) -> Reply:
    return Reply(*(record.get(field) for field in Reply._fields))  # type: ignore[arg-type]
