"""What every asker of an OpenAI-compatible chat endpoint shares: its address, its key, its client, and how to read it.

Source: the chat completions reference of OpenAI; what others add to it (OpenRouter, vLLM, DeepSeek, Azure) as found.
"""

import email.utils
import errno
import json
import os
import re
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from assets.schema.faults import Fault

if TYPE_CHECKING:
    import openai

RETRIES = 4
"""Times that 408, 409, 429 and 5xx are asked again, with the pauses of the SDK: Retry-After, or with jitter."""

HOSTED = "https://api.openai.com/v1"
"""The endpoint where none is set."""

WITHOUT_KEY = "none"
"""What goes out in place of a key to an endpoint that wants none."""

AGAIN = frozenset({408, 409, 429})
"""HTTP statuses below 500 that pass; all from 500 on do."""

FILTERS = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "data_inspection_failed",
        "moderation_blocked",
        "ResponsibleAIPolicyViolation",
    }
)
"""Codes of an error that say that what was asked was filtered."""

_CONNECT_S = 10.0
_KEY_LIKE = re.compile(r"\b(?:sk|pk)-[\w-]{8,}|(?<=\bBearer )\S+", re.IGNORECASE)


class EndpointFault(Fault):
    """An endpoint that cannot be asked as it is set; the message is a sentence without the asker's name."""


class NoCompletion(ValueError):
    """The body of an answer holds no completion; `passes`: asked again it may. `told`: what the service says."""

    def __init__(self, told: str = "", passes: bool = True) -> None:
        """Take both."""
        super().__init__("no completion")
        self.told = told
        self.passes = passes


class Completion(NamedTuple):
    """What a chat completion says.

    status: ok, refusal, filtered, empty, truncated or error. reason: the service's own word, or why there is nothing.
    said: ("text", a text) and ("picture", its URL) in their order. reasoning: what went before, where it is apart.
    fingerprint: the service's, or else the model's name as it gives it.
    """

    status: str
    reason: str | None
    said: tuple[tuple[str, str], ...] = ()
    reasoning: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    fingerprint: str | None = None

    @property
    def text(self) -> str:
        """The texts, joined as they came."""
        return "".join(value for kind, value in self.said if kind == "text")


def address(base_url: str | None) -> str:
    """The address of the endpoint, as it is set.

    Raises:
        EndpointFault: it is none, or holds a password, a query or a fragment, which would be stored and shown.
    """
    if base_url is None:
        return HOSTED
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port == 0 or parts.scheme not in ("http", "https") or re.search(r"\s", base_url):
        raise EndpointFault("base_url is no address of an endpoint: write it as http://HOST:PORT/v1 or https://HOST/v1")
    if "@" in parts.netloc or "?" in base_url or "#" in base_url:
        raise EndpointFault(
            "base_url holds a user name, password or query, which would be stored with what is asked: write host and "
            "path alone, and put the key into an environment variable"
        )
    return base_url.rstrip("/")


def place(base_url: str | None) -> str:
    """Host, port and path of the endpoint: what it is known by."""
    parts = urlsplit(address(base_url))
    return parts.netloc.lower() + parts.path


def key(variable: str) -> str:
    """The key in the environment variable of that name.

    Raises:
        EndpointFault: the variable is not set, or what it holds cannot be a key.
    """
    found = os.environ.get(variable, "").strip()
    if not found:
        raise EndpointFault(f"the environment variable {variable} is not set: put the key of the endpoint there")
    if not found.isascii() or not found.isprintable() or " " in found:
        raise EndpointFault(f"the environment variable {variable} holds what is no key: put the key alone there")
    return found


def client(secret: str, base_url: str, timeout_s: float, retries: int) -> "openai.OpenAI":
    """A client that pauses and asks again by itself."""
    import openai

    return openai.OpenAI(api_key=secret, base_url=base_url, timeout=_timeout(timeout_s), max_retries=retries)


def async_client(base_url: str, timeout_s: float) -> "openai.AsyncOpenAI":
    """A client that asks once; each request brings its key, by `with_options`."""
    import openai

    return openai.AsyncOpenAI(api_key=WITHOUT_KEY, base_url=base_url, timeout=_timeout(timeout_s), max_retries=0)


def read(body: bytes) -> Completion:
    """What the body of an answer says; endpoints leave out or null nearly every part of a completion.

    Raises:
        NoCompletion: it is cut, no JSON, or no completion.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise NoCompletion from None
    if not isinstance(answer, dict):
        raise NoCompletion
    error = answer.get("error")
    if error and not answer.get("choices"):
        code = error.get("code") if isinstance(error, dict) else None
        raise NoCompletion(told(error), not isinstance(code, int) or passes(code))
    if "choices" not in answer or not isinstance(answer["choices"], list | None):
        raise NoCompletion
    usage = _mapping(answer.get("usage"))
    version = next((name for at in ("system_fingerprint", "model") if (name := _text(answer.get(at)))), None)
    counted = (_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), version)
    if not answer["choices"]:
        return Completion("filtered", "no choices", (), "", *counted)
    choice = _mapping(answer["choices"][0])
    reason = _text(choice.get("finish_reason")) or None
    if not isinstance(choice.get("message"), dict):
        return Completion("filtered", reason or "no message", (), "", *counted)
    message = choice["message"]
    said = (*_parts(message.get("content")), *(part for part in _parts(message.get("images")) if part[0] == "picture"))
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    refusal = _text(message.get("refusal"))
    if reason is not None and reason.startswith("content_filter"):
        status = "filtered"
    elif refusal.strip():
        status, said = "refusal", (("text", refusal),)
    elif reason == "length":
        status = "truncated"
    elif reason == "error":
        status = "error"
    else:
        status = "ok" if any(kind == "picture" or value.strip() for kind, value in said) else "empty"
    return Completion(status, reason, said, reasoning, *counted)


def passes(status: int) -> bool:
    """Whether a request with this HTTP status may be answered when it is asked again."""
    return status in AGAIN or status >= 500


def filtered(error: "openai.APIStatusError") -> bool:
    """Whether a service says that it refuses this request for what stands in it."""
    body = _mapping(error.body)
    codes = {error.code, body.get("code"), _mapping(body.get("innererror")).get("code")}
    flagged = error.status_code == 403 and "flagged_input" in _mapping(body.get("metadata"))
    return error.status_code < 500 and (flagged or not FILTERS.isdisjoint(code for code in codes if type(code) is str))


def spent(error: "openai.APIStatusError") -> bool:
    """Whether a service says that the key's account has nothing left."""
    return error.status_code == 402 or (
        error.status_code == 429 and "insufficient_quota" in (error.code, error.type, _mapping(error.body).get("code"))
    )


def told(body: object) -> str:
    """What a service says in the body of an error, on one line."""
    found = _mapping(body)
    for name in ("message", "detail", "error"):
        if _text(found.get(name)):
            return " ".join(_text(found[name]).split())
    return " ".join(body.split()) if isinstance(body, str) and "<html" not in body.lower() else ""


def hidden(text: str, secrets: Iterable[str], most: int = 200) -> str:
    """The text, cut, without the secrets and what looks like one."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return _KEY_LIKE.sub("[key]", text)[:most]


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a service asks to wait; None where it names none."""
    for name, seconds in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name, "")) * seconds)
        except ValueError:
            continue
    try:
        return max(0.0, email.utils.parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def unreached(error: BaseException) -> str | None:
    """Why there was no connection at all, in words; None where there was one that broke."""
    chain = list(_chain(error))
    if not any(type(one).__name__ in ("ConnectError", "ConnectTimeout") for one in chain):
        return None
    for one in chain:
        if isinstance(one, socket.gaierror):
            return "no host of that name"
        if isinstance(one, OSError) and one.errno == errno.ECONNREFUSED:
            return "connection refused"
        if "timeout" in type(one).__name__.lower():
            return "no answer to connecting"
        if "SSL" in type(one).__name__:
            return "no agreement on TLS"
    return "no connection"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        for inner in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
            yield from _chain(inner)
        error = error.__cause__ or error.__context__


def _timeout(timeout_s: float) -> "openai.Timeout":
    import openai

    return openai.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s / 2))


def _parts(content: object) -> list[tuple[str, str]]:
    if isinstance(content, str):
        return [("text", whole(content))] if content else []
    found: list[tuple[str, str]] = []
    for part in content if isinstance(content, list) else []:
        one = _mapping(part)
        picture = one.get("image_url")
        url = _text(picture) or _text(_mapping(picture).get("url"))
        if url:
            found.append(("picture", url))
        elif text := _text(one.get("text")):
            found.append(("text", text))
    return found


def whole(text: str) -> str:
    """The text with U+FFFD for each half of a character, which no file could hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _text(value: object) -> str:
    return whole(value) if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
