"""Replies read from a file: M3CoT's `messages` records and CoMT's `response` records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from assets.evaluation.rows import Reply
from assets.schema.sample import Part
from assets.schema.vocabulary import REPLY_STATUSES
from assets.sources.jsonlines import Record, Unreadable
from assets.sources.m3cot_released import OPTIONS, identifier, options

if TYPE_CHECKING:
    from assets.images import Picture

REPLY = {"m3cot": "messages", "comt": "response"}
"""The key that holds the reply. Source: the published evaluation scripts of both benchmarks."""

_TEXTS = frozenset({str})

PICTURE_PARTS = frozenset({"image", "image_url"})
"""Types of the parts that are pictures. Source: the chat messages of transformers and of OpenAI's protocol."""

MARKERS = frozenset({"REJECT", "BLOCKED"})
"""Whole replies that a harness writes where the service withheld one. Source: 36 replies of gemini/direct and cot."""


class Illustrated(NamedTuple):
    """A reply of which a message is a list of texts and pictures.

    reply: its messages and text are the texts alone, joined as they came. parts: what those messages really are, by
    their place. drawn: the pictures in their order, those that cannot be had included. faults: what went wrong.
    """

    reply: Reply
    parts: Mapping[int, tuple[Part, ...]]
    drawn: "tuple[Picture, ...]"
    faults: tuple[str, ...]


def replies(lines: Iterable[tuple[int, Record | Unreadable]], benchmark: str = "m3cot") -> Iterator[Reply]:
    """Each line of a replies file as one reply, in the file's order, the unreadable ones included (`dropped`).

    The reasons in `dropped` are those of `jsonlines.read`, and no_id.
    A record that names a status of its own keeps it. Otherwise: empty for white space alone; filtered for a
    harness's marker; error where there is no text to score, or the text is the last character of a string that
    stood (or was joined on) where a list of turns is expected. `text` is what the published script scores even then.
    Of a message that is a list of texts and pictures (`illustrated`) the texts are read, joined; pictures without
    a text are no empty reply.

    Args:
        lines: what `jsonlines.read` gives.
        benchmark: m3cot (`messages`, the last one is scored) or comt (`response`).
    """
    for line, record in lines:
        yield _reply(line, record, benchmark)


def illustrated(
    lines: Iterable[tuple[int, Record | Unreadable]], benchmark: str, pictures: Path | None, named: str = ""
) -> Iterator[Reply | Illustrated]:
    """What `replies` gives, and with each reply of a model that draws its pictures.

    CoMT's `response`, and a message of M3CoT, may be a list of {type: text, text}, {type: image, image: its path in
    the folder} and {type: image_url, image_url: {url}} with a `data:` address, base64. Nothing is fetched. A picture
    that cannot be had keeps its place, without an id, and is counted in `faults` and by its row in `drawn`.

    Args:
        lines: what `jsonlines.read` gives.
        benchmark: m3cot or comt.
        pictures: the folder of the pictures; None where there is none.
        named: what comes before a picture's place in the `file` of its row, such as the evaluation's name.
    """
    from assets.models.reply_pictures import ReplyPictures, told

    reader = ReplyPictures(pictures, named)
    for line, record in lines:
        reply = _reply(line, record, benchmark)
        lists = {} if isinstance(record, Unreadable) else _lists(record, benchmark)
        if not lists:
            yield reply
            continue
        parts: dict[int, tuple[Part, ...]] = {}
        drawn: list[Picture] = []
        faults: list[str] = []
        for place, message in lists.items():
            found = told(message, line, len(drawn), reader)
            parts[place] = found.parts
            drawn += found.pictures
            faults += found.faults
        yield Illustrated(reply, parts, tuple(drawn), tuple(faults))


def drawn(read: Iterable[Reply | Illustrated]) -> "Iterator[Picture]":
    """Rows of table `image`: each picture that the replies show, by its file, once; one that cannot be had included.

    `images.once` then keeps equal pixels once.
    """
    seen: set[str] = set()
    for one in read:
        for picture in one.drawn if isinstance(one, Illustrated) else ():
            if picture.file not in seen:
                seen.add(picture.file)
                yield picture


def rows(evaluation: str, file: str, read: Iterable[Reply | Illustrated], benchmark: str) -> Iterator[dict[str, Any]]:
    """Rows of table `prediction`: one a reply, those that could not be read with where they stand.

    `finish_reason` is null but for what went wrong with pictures, such as `picture 2: missing_picture`.
    """
    for one in read:
        shown = one if isinstance(one, Illustrated) else None
        reply = one.reply if isinstance(one, Illustrated) else one
        yield {
            "evaluation": evaluation,
            "line": reply.line,
            "sample_id": reply.sample_id,
            "choices": reply.choices,
            "turns": turns(reply, benchmark, shown and shown.parts),
            "status": reply.status,
            "finish_reason": (shown and "; ".join(shown.faults)) or None,
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
    messages = None if turns is None else tuple([_text(turn) for turn in turns])
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


def turns(
    reply: Reply, benchmark: str = "m3cot", parts: Mapping[int, tuple[Part, ...]] | None = None
) -> list[dict[str, Any]] | None:
    """The dialogue as table `prediction` keeps it: {role, parts: [{kind, text, image_id}]} a message.

    Messages alternate user and assistant, a lone one is the assistant's; one that is no text has no parts. `parts`
    are those of the messages that are lists, by their place.
    """
    if reply.messages is None:
        return None
    first = 1 if benchmark == "comt" or len(reply.messages) == 1 else 0
    return [
        {
            "role": ("user", "assistant")[(place + first) % 2],
            "parts": [part._asdict() for part in parts[place]]
            if parts and place in parts
            else []
            if message is None
            else [{"kind": "text", "text": message, "image_id": None}],
        }
        for place, message in enumerate(reply.messages)
    ]


def _text(turn: Mapping[str, Any]) -> str | None:
    """The texts of a turn, joined; None where it has neither a text nor a picture."""
    parts = turn["parts"]
    if len(parts) == 1 and parts[0]["kind"] == "text":
        text: str | None = parts[0]["text"]
        return text
    return "".join(part["text"] or "" for part in parts if part["kind"] == "text") if parts else None


def _reply(line: int, record: Record | Unreadable, benchmark: str) -> Reply:
    if isinstance(record, Unreadable):
        return Reply(line, None, None, None, None, "error", record.reason, record.excerpt)
    sample_id = identifier(record)
    messages, text, status = _comt(record) if benchmark == "comt" else _m3cot(record)
    own = record.get("status")
    if type(own) is str and own in REPLY_STATUSES:
        status = own
    return Reply(
        line,
        sample_id,
        options(record.get(OPTIONS[benchmark]), benchmark),
        messages,
        text,
        status,
        None if sample_id is not None else "no_id",
    )


def _lists(record: Record, benchmark: str) -> dict[int, list[Record]]:
    """By its place each message that is a list of parts."""
    if benchmark == "comt":
        response = record.get("response")
        return {0: response} if _is_list(response) else {}
    messages = record.get("messages")
    if type(messages) is not list or _TEXTS.issuperset(map(type, messages)):
        return {}
    return {place: message for place, message in enumerate(messages) if _is_list(message)}


def _is_list(message: Any) -> TypeGuard[list[Record]]:
    return (
        type(message) is list
        and any(type(part) is dict and (part.get("type") in PICTURE_PARTS or _is_text(part)) for part in message)
        and all(type(part) is dict and type(part.get("type")) is str for part in message)
    )


def _is_text(part: Record) -> bool:
    return part.get("type") == "text" and type(part.get("text")) is str


def _as_text(message: Any) -> str | None:
    """A message that is a text, or the texts of one that is a list of parts; None for any other."""
    if type(message) is str:
        return message
    return "".join(part["text"] for part in message if _is_text(part)) if _is_list(message) else None


def _m3cot(record: Record) -> tuple[tuple[str | None, ...] | None, str | None, str]:
    messages = record.get("messages")
    if type(messages) is str:
        # the published script indexes the string: "REJECT" answers "T"
        return tuple(messages), messages[-1:] or None, "error"
    if type(messages) is not list:
        return None, None, "error"
    texts: tuple[str | None, ...] = tuple(messages)
    if not _TEXTS.issuperset(map(type, messages)):
        texts = tuple([_as_text(message) for message in messages])
    text = texts[-1] if texts else None
    if text is None or (len(text) == 1 and _split_up(texts)):
        return texts, text, "error"
    return texts, text, _status(text) if type(messages[-1]) is str else _status_of_list(messages[-1], text)


def _comt(record: Record) -> tuple[tuple[str | None, ...] | None, str | None, str]:
    response = record.get("response")
    if type(response) is str:
        return (response,), response, _status(response)
    if not _is_list(response):
        return None, None, "error"
    text = _as_text(response) or ""
    return (text,), text, _status_of_list(response, text)


def _status_of_list(message: Iterable[Record], text: str) -> str:
    status = _status(text)
    return "ok" if status == "empty" and any(part["type"] in PICTURE_PARTS for part in message) else status


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
