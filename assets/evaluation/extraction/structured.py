"""The answer field of a structured reply: a tag, a JSON object, a tool call.

Source: the strict grammar, rule 3.
"""

import re
from typing import NamedTuple

_TAG = re.compile(r"<\s*((?:final[_-]?)?answer)\b[^<>]*>(.*?)</\s*\1\s*>", re.IGNORECASE | re.DOTALL)
_PARAMETER = re.compile(
    r"<parameter(?:\s+name\s*=\s*|=)[\"']?(?:\w*answer\w*|choice|option|letter)[\"']?\s*>(.*?)</parameter>",
    re.IGNORECASE | re.DOTALL,
)
_VALUE = r"""(?:\\?"((?:[^"\\]|\\.)*?)\\?"|'([^'\n]*)'|(\[[^\]]*\])|([^\s,{}\[\]"']+))"""
_KEYS = (
    r"[\w -]{0,40}answer[\w -]{0,40}",
    r"(?:selected|chosen|final|correct)?[_ -]?(?:choice|option|letter|selection)",
)
_JSON = tuple(re.compile(rf"""\\?["']{key}\\?["']\s*:\s*{_VALUE}""", re.IGNORECASE) for key in _KEYS)
_CALL = re.compile(
    rf"""(?<!\w)\w{{0,40}}(?:answer|finish|submit|choose|select|respond)\w{{0,40}}\(\s*(?:\w+\s*=\s*)?{_VALUE}\s*\)"""
    rf"""|\w\(\s*(?:\w+\s*=[^()]*,\s*)?\w{{0,40}}(?:answer|choice|option|letter)\w{{0,40}}\s*=\s*{_VALUE}"""
    r"""|(?<!\w)finish\[([^\[\]]*)\]""",
    re.IGNORECASE,
)
_CALL_SIGN = re.compile(r"""[(=]\s?["']|inish\[""")
_LETTER_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPE = re.compile(r"\\(?:n|t|r)")


class Field(NamedTuple):
    """The content of an answer field: its text and where it stands in the reply.

    aligned: text is reply[start:end] character for character; not so once escaped letters are spelled out.
    """

    text: str
    start: int
    end: int
    aligned: bool = True


def answer_field(text: str) -> Field | None:
    """The last answer field of the reply, or None.

    Source: the strict grammar, rule 3.
    """
    found: list[Field] = []
    if "</" in text:
        found += [Field(tag[2], *tag.span(2)) for tag in _TAG.finditer(text)]
        found += [Field(tag[1], *tag.span(1)) for tag in _PARAMETER.finditer(text)]
    if "{" in text and ('"' in text or "'" in text):
        for key in _JSON:
            fields = [_value(match) for match in key.finditer(text)]
            found += fields
            if fields:
                break
    if not found and ("(" in text or "inish[" in text) and _CALL_SIGN.search(text):
        found += [_value(match) for match in _CALL.finditer(text)]
    return max(found, key=lambda field: field.start) if found else None


def _value(match: re.Match[str]) -> Field:
    group = next(number for number, part in enumerate(match.groups(), start=1) if part is not None)
    start, end = match.span(group)
    if "\\u" in match[group]:
        spelled = _LETTER_ESCAPE.sub(lambda code: chr(int(code[1], 16)), match[group])
        return Field(spelled, start, end, aligned=False)
    return Field(_ESCAPE.sub("  ", match[group]).replace('\\"', ' "'), start, end)
