"""Dialogues as messages of a chat endpoint, and its completions as replies, pictures included."""

import base64
import binascii
import re
from collections.abc import Mapping
from itertools import chain
from typing import Any

from assets import chat_completion, images
from assets.chat_completion import Completion
from assets.images import Picture
from assets.models.model import ASSISTANT, Dialogue, Pictures, Reply, Turn, said
from assets.schema.sample import Part

_DATA_URL = re.compile(r"data:image/[\w.+-]+;base64,(.*)", re.IGNORECASE | re.DOTALL)
_THOUGHT = re.compile(r"\s*<think>.*?</think>\s*", re.DOTALL)


def shown_in(dialogue: Dialogue, pictures: Pictures) -> dict[str, str]:
    """The dialogue's pictures as URLs, by id."""
    parts = chain(chain.from_iterable(ask.parts for ask in dialogue.asks), *dialogue.said)
    ids = {part.image_id for part in parts if part.kind == "image" and part.image_id is not None}
    return {image_id: url_of(pictures.png(image_id)) for image_id in sorted(ids)}


def url_of(png: bytes) -> str:
    """The picture as a data URL."""
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def message(turn: Turn, shown: Mapping[str, str]) -> dict[str, Any]:
    """A turn as it is sent: texts that touch as one, texts alone as a string; a model's thoughts stay behind."""
    content: list[dict[str, Any]] = []
    for part in turn.parts:
        if part.kind == "image":
            content.append({"type": "image_url", "image_url": {"url": shown[part.image_id or ""]}})
        elif content and content[-1]["type"] == "text":
            content[-1]["text"] += chat_completion.whole(part.text or "")
        else:
            content.append({"type": "text", "text": chat_completion.whole(part.text or "")})
    if turn.role == ASSISTANT and content and content[0]["type"] == "text":
        thought = _THOUGHT.match(content[0]["text"])
        content[0]["text"] = content[0]["text"][thought.end() if thought else 0 :]
    if all(part["type"] == "text" for part in content):
        return {"role": turn.role, "content": "".join(part["text"] for part in content)}
    return {"role": turn.role, "content": content}


def reply(identifier: str, ask: int, found: Completion) -> Reply:
    """The completion as a reply; a picture that is not in it whole is left out, and the reason says so."""
    parts: list[Part] = []
    drawn: dict[str, Picture] = {}
    dropped: list[str] = []
    for place, (kind, value) in enumerate(found.said):
        if kind == "text":
            parts.append(said(value))
            continue
        picture = _picture(value, f"{identifier}/{ask}/{place}")
        if isinstance(picture, str) or picture.image_id is None:
            dropped.append(picture if isinstance(picture, str) else picture.dropped or "broken_picture")
            continue
        parts.append(Part("image", None, picture.image_id))
        drawn.setdefault(picture.image_id, picture)
    status, reason = found.status, found.reason
    if dropped:
        reason = "; ".join([*([reason] if reason else []), f"left out pictures: {', '.join(dropped)}"])
        if status == "ok" and not drawn and not any((part.text or "").strip() for part in parts):
            status = "empty"
    if found.reasoning and not (parts and _thinks(parts[0].text or "")):
        thought = f"<think>{found.reasoning}</think>"
        if parts and parts[0].kind == "text":
            parts[0] = said(thought + (parts[0].text or ""))
        else:
            parts.insert(0, said(thought))
    counted = (found.tokens_in, found.tokens_out, found.fingerprint)
    return Reply(identifier, ask, tuple(parts), status, reason, *counted, drawn=tuple(drawn.values()))


def _thinks(text: str) -> bool:
    return text.lstrip().startswith("<think>")


def _picture(url: str, file: str) -> Picture | str:
    """The picture in a data URL, or why there is none; nothing is fetched."""
    match = _DATA_URL.fullmatch(url)
    if match is None:
        return "not_fetched"
    data = "".join(match[1].split())
    if len(data) > images.LIMITS.most_bytes * 4 // 3 + 4:
        return "file_too_long"
    try:
        return images.read_bytes(base64.b64decode(data, validate=True), file)
    except binascii.Error:
        return "broken_picture"
