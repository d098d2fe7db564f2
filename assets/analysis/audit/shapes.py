"""What a scored reply looks like: the first of the declared shapes that fits it."""

import re
from collections.abc import Iterable, Sequence

from assets.evaluation.extraction import cues
from assets.evaluation.extraction.options import LETTERS, item_of, without_echo
from assets.evaluation.extraction.structured import answer_field
from assets.models.replay import MARKERS

_END = re.compile(
    r"(?:\s*(?:</s>|<\|[A-Za-z_]{1,30}\|>|<(?:eos|pad|end_of_turn|end_of_utterance)>))+\s*\Z", re.IGNORECASE
)
_THOUGHT = re.compile(r"</?(?:think|thinking|thought|thoughts|reasoning)>|◁/?think▷", re.IGNORECASE)
_PARENTHESISED_ALONE = re.compile(r"[\W_]*\(\s*[A-Za-z]\s*\)[\W_]*")
_LETTER_ALONE = re.compile(r"[\W_]*([A-Za-z])[\W_]*")
_LETTERS_ALONE = re.compile(r"[\W_]*[A-Za-z](?:(?:[\W_]|(?<![A-Za-z])(?:and|or)(?![A-Za-z]))+[A-Za-z])+[\W_]*")
_ANNOUNCEMENT = re.compile(
    r"[\s*_\"'`\[(]*(?:so |therefore,? |thus,? )?(?:(?:the|my|our) )?(?:(?:final|correct|best|right) )?"
    r"(?:answer|option|choice)(?![A-Za-z])[\s*_\"'`\])]*(?:is|would be|should be|must be)?[\s:*_]*"
    r"(?:(?:option|choice) )?",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"[\s*_\"'`\-•]*([(\[]?)\s*([A-Za-z])\s*([)\].:,]*)[*_\"'`]*\s*(.*)", re.DOTALL)
_NUMBER = re.compile(r"[^\w]*\d+(?:[.,:/]\d+)*\s*(?:%|°[CF]?)?[^\w]*")
_HEADING = re.compile(r"\[[A-Z][a-z]+\]")
_PARENTHESISED = re.compile(r"\(([A-Za-z])\)")
_BARE = re.compile(r"(?<![\w'’])([A-Z])(?![\w'’])")
_ARTICLE = re.compile(r"A\s+[a-z]")
_SHORT = 80
"""Characters within which a reply can be nothing but letters."""


def shape(text: str | None, choices: Sequence[str | None], messages: Sequence[str | None] = ()) -> str:
    """The name of the first of the declared shapes that fits.

    text: what is scored, the last message; None where there is none. choices: the options that the reply was read
    with. messages: the whole dialogue, user and assistant in turn, where it was recorded: what a reply can echo.
    White space around the reply never counts, and an end-of-text token only after one letter.
    """
    if text is None:
        return "no_text"
    if len(messages) > 2 and all(message is not None and len(message) == 1 for message in messages[-3:]):
        return "characters"
    body = text.strip()
    said = _END.sub("", body)
    if not said:
        return "empty"
    if said in MARKERS:
        return "withheld"
    return (
        _letter_alone(said, ended=said != body)
        or _marked(said)
        or _letter_and_text(said, choices)
        or _echo(said, choices, messages)
        or _prose(said, len(choices))
    )


def _letter_alone(said: str, *, ended: bool) -> str | None:
    if len(said) > _SHORT:
        return None
    alone = _LETTER_ALONE.fullmatch(said)
    if alone is None:
        return None
    if len(said) == 1 and ended:
        return "letter_and_end_token"
    if _PARENTHESISED_ALONE.fullmatch(said):
        return "parenthesised_letter"
    if alone[1].islower():
        return "lower_case_letter"
    return "letter" if len(said) == 1 else "letter_and_punctuation"


def _marked(said: str) -> str | None:
    if ("<" in said or "◁" in said) and _THOUGHT.search(said):
        return "thought"
    return "structured" if answer_field(said) is not None else None


def _letter_and_text(said: str, choices: Sequence[str | None]) -> str | None:
    """The shape of what is an announcement, letters and an option's text, or some of these, and nothing else."""
    opening = _ANNOUNCEMENT.match(said)
    rest = said[opening.end() :] if opening else said
    texts = [_plain(choice or "") for choice in choices]
    lettered = _LETTERED.fullmatch(rest)
    if lettered and (lettered[1] or lettered[3] or opening):
        place, follows = LETTERS.find(lettered[2].upper()), _plain(lettered[4])
        if not follows and opening:
            return "announced_letter"
        if follows and place < len(texts) and follows == texts[place]:
            return "letter_and_option_text"
        if follows and follows in texts:
            return "letter_and_other_text"
    plain = _plain(said)
    if plain and plain in texts:
        return "option_text"
    if len(rest) <= _SHORT and _LETTERS_ALONE.fullmatch(rest):
        return "letters"
    return "number" if _NUMBER.fullmatch(said) else None


def _plain(text: str) -> str:
    """The text without case, and without white space and full stops around it, to compare with another."""
    return " ".join(text.split()).strip(" .*_\"'`").casefold()


def _echo(said: str, choices: Sequence[str | None], messages: Sequence[str | None]) -> str | None:
    if "[" in said:
        asked = {heading for message in messages[:-1:2] for heading in _HEADING.findall(message or "")}
        if not asked.isdisjoint(_HEADING.findall(said)):
            return "echo"
    if 2 <= len(choices) <= len(LETTERS):
        item = item_of([choice or "" for choice in choices])
        if without_echo(said, item) != said:
            return "echo"
    return None


def _prose(said: str, options: int) -> str:
    if cues.REFUSAL.search(said.lower()):
        return "refusal"
    parenthesised = _distinct(_PARENTHESISED.findall(said))
    if parenthesised:
        return "one_parenthesised" if len(parenthesised) == 1 else "several_parenthesised"
    bare = {
        found[1]
        for found in _BARE.finditer(said)
        if found[1] in LETTERS[:options] and not _ARTICLE.match(said, found.start())
    }
    if not bare:
        return "no_letter"
    return "one_letter" if len(bare) == 1 else "several_letters"


def _distinct(letters: Iterable[str]) -> set[str]:
    return {letter.upper() for letter in letters}
