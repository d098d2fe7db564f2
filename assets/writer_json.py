"""The one JSON object of a model's reply, with what models get wrong about JSON mended by rule."""

import json
import re
from typing import Any

LONGEST = 1 << 20
"""A longer reply is not searched."""

DEEPEST = 50

_FENCE = re.compile(r"```[ \t]*[A-Za-z0-9_-]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
# Written with one backslash these read as JSON's own escapes, and nobody means a form feed and "rac".
_LATEX = re.compile(
    r"(?<!\\)((?:\\\\)*)\\(?=(?:frac|forall|beta|begin|bar|binom|boxed|big|times|theta|text|tfrac|triangle|neq|nabla"
    r"|rho|right|rangle|underline|union)(?![a-z]))"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"', "'": "'"}
_CLOSING = {'"': '"”“', "“": '”“"', "”": '”"', "'": "'’", "‘": "’'", "’": "’'"}
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?(?![\w.])")
_SPACE = re.compile(r"\s*")
_STRING_ENDS = re.compile(r"\s*(?:[,}\]:]|\Z)")


class _NoJson(Exception):
    """The text at hand is no JSON, mended or not."""


def json_object(text: str) -> dict[str, Any] | None:
    """The one JSON object of the reply; None where there is none, or several that differ.

    Code fences and prose around it are passed over; trailing commas, quotes of other kinds, bare keys, Python's
    words, line ends and unescaped quotes inside texts, and single backslashes of LaTeX are mended.
    An object with the same key twice, or cut short, is none.
    """
    if len(text) > LONGEST:
        return None
    text = _LATEX.sub(lambda match: f"{match[1]}\\\\", text)
    fenced = [found for match in _FENCE.finditer(text) for found in _objects(match[1])]
    found = fenced or _objects(text)
    if not found or any(other != found[0] for other in found[1:]):
        return None
    return found[0]


def _objects(text: str) -> list[dict[str, Any]]:
    """The outermost objects of the text, those of JSON as it should be first of all."""
    found = []
    at = text.find("{")
    tried = 0
    while at >= 0 and tried < DEEPEST:
        tried += 1
        read = _strict(text, at) or _mended(text, at)
        if read is not None:
            found.append(read[0])
        at = text.find("{", at + 1 if read is None else read[1])
    return found


def _strict(text: str, at: int) -> tuple[dict[str, Any], int] | None:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, dict) else None


def _mended(text: str, at: int) -> tuple[dict[str, Any], int] | None:
    try:
        value, end = _value(text, at, 0)
    except _NoJson:
        return None
    return (value, end) if isinstance(value, dict) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_unique, parse_constant=_no_constant)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    at = _skip(text, at)
    first = text[at : at + 1]
    if depth > DEEPEST or not first:
        raise _NoJson
    if first == "{":
        return _object(text, at + 1, depth + 1)
    if first == "[":
        return _array(text, at + 1, depth + 1)
    if first in _CLOSING:
        return _string(text, at)
    number = _NUMBER.match(text, at)
    if number:
        whole = number[0].lstrip("-").isdigit()
        return (int(number[0]) if whole else float(number[0])), number.end()
    word = _WORD.match(text, at)
    if word and word[0] in _WORDS:
        return _WORDS[word[0]], word.end()
    raise _NoJson


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return found, at + 1
        word = _WORD.match(text, at)
        if word:
            key, at = word[0], word.end()
        elif text[at : at + 1] in _CLOSING:
            key, at = _string(text, at)
        else:
            raise _NoJson
        at = _skip(text, at)
        if text[at : at + 1] != ":" or key in found:
            raise _NoJson
        found[key], at = _value(text, at + 1, depth)
        at = _next(text, at, "}")


def _array(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return found, at + 1
        value, at = _value(text, at, depth)
        found.append(value)
        at = _next(text, at, "]")


def _next(text: str, at: int, end: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == ",":
        return at + 1
    if text[at : at + 1] == end:
        return at
    raise _NoJson


def _string(text: str, at: int) -> tuple[str, int]:
    """The text quoted at `at`: its quote ends it only where JSON goes on, so "it's" and 'the "big" one' hold."""
    closing = _CLOSING[text[at]]
    at += 1
    read: list[str] = []
    while at < len(text):
        character = text[at]
        if character == "\\" and at + 1 < len(text):
            escaped = text[at + 1]
            point = text[at + 2 : at + 6] if escaped == "u" else ""
            if re.fullmatch(r"[0-9A-Fa-f]{4}", point):
                read.append(chr(int(point, 16)))
                at += 6
                continue
            read.append(_ESCAPES.get(escaped, f"\\{escaped}"))
            at += 2
            continue
        if character in closing and _STRING_ENDS.match(text, at + 1):
            return "".join(read), at + 1
        read.append(character)
        at += 1
    raise _NoJson
