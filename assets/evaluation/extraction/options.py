"""An item's options made ready for reading, and where their texts stand in a reply.

Source: the strict grammar, rules 2 (echo) and 8 (option text).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from assets.evaluation.extraction.cleaning import ECHO, lowered, widths_folded

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# How well an occurrence matches: rule 8 tries these one after the other.
EXACT, FOLDED, WITHOUT_ARTICLE = 0, 1, 2

ARTICLE = re.compile(r"(?:an?|the|el|la|los|las|un|una|le|les|une|der|die|das|ein|eine|il|lo|o|os|um|uma)\s+")
# "kg/m", then "3" on a line of its own: an exponent copied from a page is no number of the reply.
# What these wrap is the text: a reply may set the same formula otherwise, in `\boxed{}` say.
_FORMULA = re.compile(r"(?:\$\$?|\\\()\s*([^$]*[^$\s])\s*(?:\$\$?|\\\))")
# The option "no" is a word, unlike other options of two letters, where no noun follows to make it a determiner.
_NO_ALONE = re.compile(r"[)\]}*_\"'`$]*\s*(?:[.,;:!\n}<]|\Z)")
# An article or a pronoun, not the option "a" or "I".
_A_OR_I = re.compile(
    r"[Aa][ \t]+(?!(?:is|was|and|or|but|because|since|as|in|on|for|with|would|must|should|the|allele)\b)[a-z]"
    r"|I(?:[ \t]+(?:am|think|would|believe|guess|see|can|cannot|could|do|did|have|will|was|don)\b|['’](?:m|d|ll|ve)\b)"
)
_METRES = re.compile(r"(?<![a-z])[kcdm]?m \Z")
_SPACES = re.compile(r"\s+")
_NOT_NEWLINE = re.compile(r"[^\n]")
_BETWEEN_ECHOED = re.compile(r"[\s.,;:!?|*_\"'`\-•]*(?:(?:and|or)\s)?[\s|*_\"'`\-•]*")
_ECHOED_LETTER = re.compile(r"[(\[{*_\"'`]*([a-z])[)\]}*_\"'`]*\s*(?:[.:,=]|-(?!\d))?[)*_]*\s*")
# The last one must be followed only by its own text too; here follows what is said of it.
_SAYS_MORE = re.compile(
    r"[)*_\"'`]*[ \t]*(?:[:=][ \t]*\w|\([ \t]*\w\w|[-\u2013—][ \t]+\w|(?:is|are|was|were|must|should|would|will|can"
    r"|seems?|looks?|appears?|fits?|matches"
    r"|describes?|because|since|as|best|are)(?![a-z])|[是为])"
)
_LETTER_BEFORE = re.compile(r"(?<![^\W_])[(\[{*_\"'`]*a[)\]}*_\"'`]*\s*[.:,=\-]?[)*_]*\s*\Z")


_ANNOUNCED = re.compile(
    r"(?:answers?|choose|select|pick|go with|antwort|respuesta|réponse|risposta|resposta|ответ|答案|答え|正解)"
    r"(?:\s+(?:is|are|would\s+be|should\s+be|both|es|son|ist|sind|est|sont))?[\s:*_\"'`>=是は为]*\Z"
)


class Item(NamedTuple):
    """The options of one item.

    letters: the letters of its range. texts, lowered: each option as written, and in lower case. bare: each option
    in lower case without its leading article, "" where it has none. numbers: the only option with this text or
    lower-cased text, -1 where there are several.
    """

    letters: str
    texts: tuple[str, ...]
    lowered: tuple[str, ...]
    bare: tuple[str, ...]
    numbers: dict[str, int]


class Occurrence(NamedTuple):
    """Option number `option` stands at text[start:end], matched as well as `stage` says."""

    start: int
    end: int
    option: int
    stage: int


def item_of(choices: Sequence[str]) -> Item:
    """The item with these options, in their order: A is the first."""
    return _item(tuple(choices))


@lru_cache(maxsize=8192)
def _item(choices: tuple[str, ...]) -> Item:
    texts = tuple(_SPACES.sub(" ", widths_folded(str(choice)).strip()) for choice in choices)
    texts = tuple(text.rstrip(". ") or text for text in texts)
    texts = tuple(found[1] if (found := _FORMULA.fullmatch(text)) else text for text in texts)
    low = tuple(lowered(text) for text in texts)
    bare = tuple(text[found.end() :] if (found := ARTICLE.match(text)) else "" for text in low)
    index: dict[str, int] = {}
    for number, text in enumerate(texts):
        index[text] = -1 if text in index else number
    for number, text in enumerate(low):
        if text != texts[number]:
            index[text] = -1 if text in index else number
        if low.count(text) > 1 and text not in texts:
            index[text] = -1
    index.pop("", None)
    return Item(LETTERS[: len(choices)], texts, low, bare, index)


def cjk(character: str) -> bool:
    """Whether the character belongs to a script that puts no space between words."""
    return "\u2e80" <= character <= "\ud7ff" or "\uf900" <= character <= "\ufaff"


def of_a_word(character: str) -> bool:
    """Whether the character, next to a word, would make the word a longer one."""
    return character.isalnum() and not cjk(character)


def occurrences(text: str, low: str, item: Item) -> list[Occurrence]:
    """Every whole occurrence of every option, by start; one that lies inside a longer one is swallowed."""
    flat = low.replace("\n", " ") if "\n" in low else low
    found: list[Occurrence] = []
    for number, needle in enumerate(item.lowered):
        if needle and needle in flat:
            _find(text, flat, needle, number, item, found)
        if "%" in needle and "\\%" in flat:
            _find(text, flat, needle.replace("%", "\\%"), number, item, found)
        needle = item.bare[number]
        if needle and needle in flat:
            _find_bare(text, flat, needle, number, item, found)
    return found if len(found) < 2 else _swallowed(found)


def _find(text: str, flat: str, needle: str, number: int, item: Item, found: list[Occurrence]) -> None:
    short = len(needle) <= 2 and needle.isalpha()
    at = flat.find(needle)
    while at >= 0:
        end = at + len(needle)
        if whole(flat, at, end):
            exact = _as_written(text, at, end, number, item)
            said = exact or not short or (needle == "no" and _NO_ALONE.match(flat, end))
            if said and not (len(needle) == 1 and _A_OR_I.match(text, at)):
                found.append(Occurrence(at, end, number, EXACT if exact else FOLDED))
        at = flat.find(needle, at + 1)


def _find_bare(text: str, flat: str, needle: str, number: int, item: Item, found: list[Occurrence]) -> None:
    short = len(needle) <= 2
    at = flat.find(needle)
    while at >= 0:
        end = at + len(needle)
        if whole(flat, at, end) and not (short and text[at:end] != item.texts[number][-len(needle) :]):
            found.append(Occurrence(at, end, number, WITHOUT_ARTICLE))
        at = flat.find(needle, at + 1)


def _as_written(text: str, at: int, end: int, number: int, item: Item) -> bool:
    """Whether the option stands as written, or with the capital that a sentence begins with."""
    written, option = text[at:end], item.texts[number]
    if written == option:
        return True
    if written in item.texts:
        return False
    if written[1:] != option[1:] or not written[0].isupper() or len(option) <= 2:
        return False
    before = text[:at].rstrip(" \t(*_\"'")
    return not before or before[-1] in ".!?:\n"


def _swallowed(found: list[Occurrence]) -> list[Occurrence]:
    kept: list[Occurrence] = []
    for one in sorted(found, key=lambda o: (o.start, -o.end, o.stage)):
        if kept and one.end <= kept[-1].end and (one.start, one.end) != (kept[-1].start, kept[-1].end):
            continue
        same = [k for k in kept[-4:] if (k.start, k.end) == (one.start, one.end)]
        # Options equal but for case: the one written as it is in the reply is meant.
        if any(k.stage < one.stage for k in same):
            continue
        kept.append(one)
    return kept


def whole(low: str, start: int, end: int) -> bool:
    """Whether low[start:end] is whole words and whole numbers: no `18` in `180`, no `2` in `-2`."""
    return (not start or _whole_before(low, start)) and (end >= len(low) or _whole_after(low, end))


def _whole_before(low: str, start: int) -> bool:
    first, before = low[start], low[start - 1]
    if first == "\\":
        # "\\sqrt{3}" is not whole in "2\\sqrt{3}".
        return not (of_a_word(before) or before in "}-^_")
    if not first.isalnum():
        return not (first in "-+.$" and of_a_word(before)) or (first in "-+" and cjk(before))
    if of_a_word(before) or (before == "_" and start > 1 and of_a_word(low[start - 2])):
        return cjk(first) and not before.isdigit()
    further = low[start - 2] if start > 1 else " "
    if first.isdigit():
        if before == " " and first in "23" and _METRES.search(low, max(0, start - 6), start):
            return False
        return not (before in "-\u2013^√\\." or (before in ",/:" and further.isdigit()))
    return not (before == "\\" or (before == "-" and of_a_word(further)))


def _whole_after(low: str, end: int) -> bool:
    last, after = low[end - 1], low[end]
    if last == "}":
        return not (of_a_word(after) or after in "^_\\/")
    if not last.isalnum():
        return True
    if of_a_word(after):
        return cjk(last)
    further = low[end + 1] if end + 1 < len(low) else " "
    if last.isdigit():
        return not (after == "^" or (after in ".,/:" and further.isdigit()))
    return not (after in "-_" and of_a_word(further))


def without_echo(text: str, item: Item) -> str:
    """The text with each echo of the option list blanked.

    An echo is two or more consecutive letters from A, either case, each followed only by its own option's text.
    """
    first, second = item.lowered[:2]
    if not first or not second:
        return text
    low = lowered(text)
    if second not in low or first not in low:
        return text
    flat = low.replace("\n", " ")
    at = flat.find(first)
    while at >= 0:
        start = _LETTER_BEFORE.search(flat, max(0, at - 12), at)
        end, echoed = (
            _echo_end(low, flat, at + len(first), item) if start and whole(flat, at, at + len(first)) else (0, 0)
        )
        if start and end and echoed < len(item.letters) and _ANNOUNCED.search(flat, max(0, at - 60), start.start()):
            # "The answer is (A) red, (B) blue" is a list, not the options once more.
            end = 0
        if start and end:
            blank = _NOT_NEWLINE.sub(ECHO, text[start.start() : end])
            text = text[: start.start()] + blank + text[end:]
        at = flat.find(first, max(end, at + 1))
    return text


def _echo_end(low: str, flat: str, end: int, item: Item) -> tuple[int, int]:
    """Where the echo that began with option A's text, ending at `end`, stops, and how many options it holds.

    0 where it is none.
    """
    ends = [end]
    for number in range(1, len(item.letters)):
        between = _BETWEEN_ECHOED.match(flat, ends[-1])
        letter = _ECHOED_LETTER.match(flat, between.end()) if between else None
        option = item.lowered[number]
        if letter is None or letter.group(1) != item.letters[number].lower() or not option:
            break
        rest = flat[letter.end() : letter.end() + len(option) + 1].rstrip()
        if len(rest) < len(option) and option.startswith(rest) and len(ends) > 1:
            # The reply was cut off in the middle of the list.
            return len(flat), len(ends)
        if not flat.startswith(option, letter.end()) or not whole(flat, letter.end(), letter.end() + len(option)):
            break
        ends.append(letter.end() + len(option))
    if _SAYS_MORE.match(low, ends[-1]):
        ends.pop()
    return (ends[-1], len(ends)) if len(ends) > 1 else (0, 0)
