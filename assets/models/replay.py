"""Replies read from a file: M3CoT's `messages` records and CoMT's `response` records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assets.evaluation.rows import Reply
from assets.schema.vocabulary import REPLY_STATUSES
from assets.sources.jsonlines import Record, Unreadable
from assets.sources.m3cot_released import OPTIONS, identifier, options

REPLY = {"m3cot": "messages", "comt": "response"}
"""The key that holds the reply. Source: the published evaluation scripts of both benchmarks."""

_TEXTS = frozenset({str})

MARKERS = frozenset({"REJECT", "BLOCKED"})
"""Whole replies that a harness writes where the service withheld one. Source: 36 replies of gemini/direct and cot."""


def replies(lines: Iterable[tuple[int, Record | Unreadable]], benchmark: str = "m3cot") -> Iterator[Reply]:
    """Each line of a replies file as one reply, in the file's order, the unreadable ones included (`dropped`).

    The reasons in `dropped` are those of `jsonlines.read`, and no_id.
    A record that names a status of its own keeps it. Otherwise: empty for white space alone; filtered for a
    harness's marker; error where there is no text to score, or the text is the last character of a string that
    stood (or was joined on) where a list of turns is expected. `text` is what the published script scores even then.

    Args:
        lines: what `jsonlines.read` gives.
        benchmark: m3cot (`messages`, the last one is scored) or comt (`response`).
    """
    read = _comt if benchmark == "comt" else _m3cot
    key = OPTIONS[benchmark]
    for line, record in lines:
        if isinstance(record, Unreadable):
            yield Reply(line, None, None, None, None, "error", record.reason, record.excerpt)
            continue
        sample_id = identifier(record)
        messages, text, status = read(record)
        own = record.get("status")
        if type(own) is str and own in REPLY_STATUSES:
            status = own
        yield Reply(
            line,
            sample_id,
            options(record.get(key), benchmark),
            messages,
            text,
            status,
            None if sample_id is not None else "no_id",
        )


def rows(evaluation: str, file: str, read: Iterable[Reply], benchmark: str) -> Iterator[dict[str, Any]]:
    """Rows of table `prediction`: one a reply, those that could not be read with where they stand."""
    for reply in read:
        yield {
            "evaluation": evaluation,
            "line": reply.line,
            "sample_id": reply.sample_id,
            "choices": reply.choices,
            "turns": turns(reply, benchmark),
            "status": reply.status,
            "finish_reason": None,
            "tokens_in": None,
            "tokens_out": None,
            "fingerprint": None,
            "dropped": reply.dropped,
            "quarantined": None if reply.dropped is None else (file, reply.line, reply.excerpt),
        }


def stored(row: Mapping[str, Any]) -> Reply:
    """The reply that a row of table `prediction` holds: what `replies` gave when the row was written.

    Only the columns line, sample_id, choices, turns, status and dropped are read.
    """
    turns = row["turns"]
    messages = None if turns is None else tuple([_first_text(turn) for turn in turns])
    choices = row["choices"]
    return Reply(
        row["line"],
        row["sample_id"],
        None if choices is None else tuple(choices),
        messages,
        messages[-1] if messages else None,
        row["status"],
        row["dropped"],
    )


def turns(reply: Reply, benchmark: str = "m3cot") -> list[dict[str, Any]] | None:
    """The dialogue as table `prediction` keeps it: {role, parts: [{kind, text, image_id}]} a message.

    Messages alternate user and assistant, a lone one is the assistant's; one that is no text has no parts.
    """
    if reply.messages is None:
        return None
    first = 1 if benchmark == "comt" or len(reply.messages) == 1 else 0
    return [
        {
            "role": ("user", "assistant")[(place + first) % 2],
            "parts": [] if message is None else [{"kind": "text", "text": message, "image_id": None}],
        }
        for place, message in enumerate(reply.messages)
    ]


def _first_text(turn: Mapping[str, Any]) -> str | None:
    return next((part["text"] for part in turn["parts"] if part["kind"] == "text"), None)


def _m3cot(record: Record) -> tuple[tuple[str | None, ...] | None, str | None, str]:
    messages = record.get("messages")
    if type(messages) is str:
        # the published script indexes the string: "REJECT" answers "T"
        return tuple(messages), messages[-1:] or None, "error"
    if type(messages) is not list:
        return None, None, "error"
    texts: tuple[str | None, ...] = tuple(messages)
    if not _TEXTS.issuperset(map(type, messages)):
        texts = tuple([message if type(message) is str else None for message in messages])
    text = texts[-1] if texts else None
    if text is None or (len(text) == 1 and _split_up(texts)):
        return texts, text, "error"
    return texts, text, _status(text)


def _comt(record: Record) -> tuple[tuple[str | None, ...] | None, str | None, str]:
    response = record.get("response")
    if type(response) is not str:
        return None, None, "error"
    return (response,), response, _status(response)


def _status(text: str) -> str:
    if not text or text.isspace():
        return "empty"
    return "filtered" if len(text) < 20 and text.strip() in MARKERS else "ok"


def _split_up(messages: Sequence[str | None]) -> bool:
    """Whether the last messages are the characters of one string, put where turns belong.

    No dialogue ends in three single characters, nor in two where the last would be a prompt; a whole dialogue
    of single characters may be somebody's short prompts and letters, unless it is longer than two turns.
    """
    run = 0
    for message in reversed(messages):
        if message is None or len(message) != 1:
            break
        run += 1
    if run == len(messages):
        return run > 4
    return run > 2 or (run == 2 and len(messages) % 2 == 1)
