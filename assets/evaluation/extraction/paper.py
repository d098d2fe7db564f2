"""The published answer extraction of M3CoT and of CoMT, bit for bit, its faults included."""

import re
from collections.abc import Sequence

from assets.evaluation.extraction.extraction import Extraction

# M3CoT's script has six letters in its table, CoMT's has four.
_LETTERS = {"m3cot": "ABCDEF", "comt": "ABCD"}

_PARENTHESISED = re.compile(r"\(([A-Za-z])\)")
# The script turns newline . , ! ? into spaces and splits at the single space; these are the pieces it would get.
_BARE_CAPITAL = re.compile(r"(?<![^ \n.,!?])[A-F](?![^ \n.,!?])")
_BARE_LOWER = re.compile(r"(?<![^ \n.,!?])[a-f](?![^ \n.,!?])")


def gold_letter(answer: object, benchmark: str = "m3cot") -> object:
    """The gold answer as the published script compares it: an int through the letter table, the rest as is.

    A bool counts as an int and a negative int wraps round.

    Raises:
        IndexError: the int lies outside the benchmark's letter table, as in the published script.

    Source: M3CoT's published evaluation, rule 0; CoMT's has the same rule with four letters.
    """
    if isinstance(answer, int):
        return _letters(benchmark)[answer]
    return answer


def extract(text: object, choices: Sequence[object], benchmark: str = "m3cot") -> Extraction:
    """The letter the published script predicts for `text`, right or wrong, inside the item or not.

    rule is parentheses, option_text, bare_capital, bare_lower or failed (letter None, status none). Where the
    script would raise, letter is None, status is not_evaluable and rule names why: text_not_a_string,
    choices_not_a_sequence, option_not_a_string, option_past_letter_table.
    candidates are the letters the deciding rule found; the last one is the prediction.

    Raises:
        ValueError: the benchmark is neither m3cot nor comt.

    Source: M3CoT's and CoMT's published evaluation scripts, rules 1 to 6.
    """
    letters = _letters(benchmark)
    if not isinstance(text, str):
        return _raises("text_not_a_string")
    start, reply = _after_marker(text, benchmark)
    found = _PARENTHESISED.findall(reply)
    if found:
        at = start + reply.rfind("(" + found[-1] + ")")
        return Extraction(found[-1].upper(), "parentheses", (at, at + 3), "ok", tuple(map(str.upper, found)))
    try:
        count = len(choices)
    except TypeError:
        return _raises("choices_not_a_sequence")
    return _by_option_text(reply, start, choices, letters, benchmark) or _by_bare_letter(reply, start, count, letters)


def _letters(benchmark: str) -> str:
    try:
        return _LETTERS[benchmark]
    except KeyError:
        raise ValueError(f"benchmark: {benchmark!r} has no published extractor: use m3cot or comt") from None


def _raises(reason: str) -> Extraction:
    return Extraction(None, reason, None, "not_evaluable")


def _after_marker(text: str, benchmark: str) -> tuple[int, str]:
    """The part of the text the script reads, and where it starts in the text."""
    if "[Answer]" not in text:
        return 0, text
    if benchmark == "comt":
        # It tests for one marker and cuts at another; without "ANSWER:" the split leaves the whole.
        at = text.rfind("ANSWER:")
        return (0, text) if at < 0 else (at + len("ANSWER:"), text[at + len("ANSWER:") :])
    start = text.rfind("[Answer]") + len("[Answer]")
    return start, text[start:].split("[Rationale]")[0].split("[Context]")[0]


def _by_option_text(
    reply: str, start: int, choices: Sequence[object], letters: str, benchmark: str
) -> Extraction | None:
    lowered = reply.lower()
    found: list[str] = []
    needle = ""
    for index, choice in enumerate(choices):
        if not isinstance(choice, str):
            if benchmark == "m3cot":
                return _raises("option_not_a_string")
            choice = str(choice)
        option = choice.lower()
        if option in lowered:
            if index >= len(letters):
                return _raises("option_past_letter_table")
            found.append(letters[index])
            needle = option
    if not found:
        return None
    at = _offset(reply, lowered.find(needle))
    end = _offset(reply, lowered.find(needle) + len(needle))
    return Extraction(found[-1], "option_text", (start + at, start + end), "ok", tuple(found))


def _offset(reply: str, lowered_offset: int) -> int:
    """Where an offset into reply.lower() lies in the reply: a few letters grow when lowered."""
    if reply.isascii():
        return lowered_offset
    length = 0
    for offset, character in enumerate(reply):
        if length >= lowered_offset:
            return offset
        length += len(character.lower())
    return len(reply)


def _by_bare_letter(reply: str, start: int, count: int, letters: str) -> Extraction:
    if count > len(letters):
        return _raises("option_past_letter_table")
    for rule, pattern in (("bare_capital", _BARE_CAPITAL), ("bare_lower", _BARE_LOWER)):
        pieces = {match.group().upper(): match.span() for match in pattern.finditer(reply)}
        found = tuple(letter for letter in letters[:count] if letter in pieces)
        if found:
            at, end = pieces[found[-1]]
            return Extraction(found[-1], rule, (start + at, start + end), "ok", found)
    return Extraction(None, "failed", None, "none")
