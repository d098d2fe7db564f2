"""A reply made readable without moving a character, so that offsets into it are offsets into the raw text.

Source: the strict grammar, rule 2.
"""

import re
from typing import NamedTuple

# Stands where an echo of the options was: no letter, no space, nothing a cue may be followed by.
ECHO = "\ufffc"

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ONE_FOR_ONE = _WIDE | {
    0x3000: " ",
    0xA0: " ",
    0x200B: " ",
    0xFEFF: " ",
    0x2060: " ",
    0x3010: "[",
    0x3011: "]",
    0x3014: "(",
    0x3015: ")",
    0x300C: '"',
    0x300D: '"',
    0x300E: '"',
    0x300F: '"',
    0x2212: "-",
}
_END_TOKEN = re.compile(r"<\|[A-Za-z_]+\|>|</?s>|<(?:eos|pad|bos|end_of_turn|end_of_utterance)>|\[/?INST\]")
_THOUGHT_TAG = re.compile(r"<(/?)(?:think|thinking|thought|thoughts|reasoning)>|◁(/?)think▷", re.IGNORECASE)
# Markup of a web page: bold is kept as bold, other emphasis as emphasis, the rest says nothing.
_MARKUP = re.compile(
    r"<(?P<close>/?)(?:(?P<bold>b|strong)|(?P<slanted>i|em|u|code|mark|font)|p|span|div|br|h[1-6]|sup|sub|center|pre|a|ul|ol|li)"
    r"(?:\s[^<>\n]{0,80})?/?>",
    re.IGNORECASE,
)
_NOT_NEWLINE = re.compile(r"[^\n]")


class Cleaned(NamedTuple):
    """text: the reply, as long as the raw one, with what is no evidence blanked; open_thought: it never ended."""

    text: str
    open_thought: bool


def widths_folded(text: str) -> str:
    """The text with full-width letters, digits and brackets as ASCII, character for character."""
    return text if text.isascii() else text.translate(_ONE_FOR_ONE)


def lowered(text: str) -> str:
    """The text in lower case, character for character: a letter that would grow is left as it is."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)


def clean(raw: str) -> Cleaned:
    """The reply without end-of-text tokens, carriage returns, full-width letters and thought.

    Source: the strict grammar, rule 2.
    """
    text = widths_folded(raw)
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    if "<" not in text and "[" not in text and "◁" not in text:
        return Cleaned(text, False)
    open_thought = False
    if "think" in text or _THOUGHT_TAG.search(text):
        text, open_thought = _without_thought(text)
    if "</" in text or "<br" in text:
        text = _MARKUP.sub(_wrapper, text)
    return Cleaned(_END_TOKEN.sub(_blank, text), open_thought)


def _wrapper(tag: re.Match[str]) -> str:
    wrapper = "**" if tag["bold"] else "*" if tag["slanted"] else ""
    width = len(tag.group())
    return wrapper.ljust(width) if tag["close"] else wrapper.rjust(width)


def _blank(match: re.Match[str]) -> str:
    return _NOT_NEWLINE.sub(" ", match.group())


def _without_thought(text: str) -> tuple[str, bool]:
    """The text with thought blanked: from each opening tag, or the text's start, to its closing one."""
    opened: int | None = None
    thoughts: list[tuple[int, int]] = []
    for tag in _THOUGHT_TAG.finditer(text):
        if not (tag.group(1) or tag.group(2)):
            opened = tag.start() if opened is None else opened
        elif opened is not None:
            thoughts.append((opened, tag.end()))
            opened = None
        else:
            thoughts = [(0, tag.end())]
    kept_from = 0
    pieces: list[str] = []
    for start, end in thoughts:
        pieces += [text[kept_from:start], _NOT_NEWLINE.sub(" ", text[start:end])]
        kept_from = end
    return "".join(pieces) + text[kept_from:], opened is not None
