"""The strict answer extraction: an ordered grammar that names the rule, and never guesses."""

import re
from collections.abc import Sequence

from assets.evaluation.extraction import cues
from assets.evaluation.extraction.cleaning import clean
from assets.evaluation.extraction.declarations import declaration, line_opening
from assets.evaluation.extraction.extraction import Extraction
from assets.evaluation.extraction.options import Item, item_of, without_echo
from assets.evaluation.extraction.reading import Form, Found, Reply
from assets.evaluation.extraction.structured import answer_field

# Statuses of a reply that holds no answer to read.
_WITHOUT_ANSWER = frozenset({"error", "filtered", "empty", "plan_error", "tool_error"})

_WRAPPERS = " \t\n.,:;!?()[]{}<>*_`\"'“”‘’«»„$#|\\/-\u2013—=~&…·•、。✓✔✅"
_WHOLE = re.compile(r"(?:\\[a-z]+|<[^<>]*>|[\s\W_])*([A-Za-z])(?:</?[^<>]*>|[\s\W_])*")
_WHOLE_LIST = re.compile(
    r"[(\[*]*[A-Za-z](?:[)\].*]*\s*(?:[,;/&+|、\s]|(?<![A-Za-z])(?:and|or)(?![A-Za-z]))+\s*[(\[*]*[A-Za-z])+[)\].*]*"
    r"|[A-Z]{2,26}|[a-z]{2,26}"
)
_LIST_LETTER = re.compile(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])|(?<![a-z])[A-Z](?![a-z])")
_ANNOUNCED = re.compile(r"(?:The (?:correct |right |best |final )?answer is:? |Answer: ?)(?=[(A-Z])")
_OPENING = re.compile(r"[\s\-•·*_>#\"'`$“]*([(\[{]*)(?=([A-Za-z]))")
_OPENING_DELIMITER = re.compile(
    r"[*_\"'`$”]*([)\]}]?)[*_\"'`$”]*\s*([.):,\]]|[-\u2013—](?=\s)|\n|(?<=\s)because(?=\s))?"
)
_AFTER_BRACKET = re.compile(r"\s*[*_\"'`$]*(?:[^a-z\s]|(?:because|since|as|due|given|for)(?![a-z])|\Z)")
_PARENTHESISED = re.compile(r"\(\s*[*_\"'`$]*([A-Za-z])[*_\"'`$]*\s*\)")
_LETTER_BEFORE_TEXT = re.compile(
    r"(?<![^\W_])(?:[(\[{]\s*[*_]*([A-Za-z])[*_]*\s*[)\]}][*_\"'`$]*\s*[.:,;=\-\u2013—]?"
    r"|[*_\"'`$]*([A-Za-z])[*_\"'`$]*\s*(?:[.):\]=、]|\s[\-\u2013—](?=\s)|[-\u2013—]))[*_\"'`$]*\s*[(*_\"'`$]*(?:(?:an?|the)\s+)?\Z",
    re.IGNORECASE,
)


def extract(text: str | None, choices: Sequence[str], status: str = "ok") -> Extraction:
    """The letter the reply answers with, or None: never a letter outside the item, never a guess.

    text: the raw reply. choices: the item's options, 2 to 26 of them. status: the reply's own (ok, refusal,
    filtered, empty, truncated, error). With a letter the extraction's status is the reply's own; without one it is
    that, or none, ambiguous, refusal, empty, truncated; not_evaluable for an item with other than 2 to 26 options.
    The rules, in order: status, thought, structured, declaration (bold, last_line, closing_clause), whole_reply,
    letter_line, letter_and_text, option_text, parentheses, refusal, none.

    Source: the strict grammar, rules 1 to 10.
    """
    if status in _WITHOUT_ANSWER:
        return Extraction(None, "status", None, status)
    if not isinstance(text, str):
        return Extraction(None, "status", None, "empty" if text is None else "error")
    if not 2 <= len(choices) <= 26:
        return Extraction(None, "option_count", None, "not_evaluable")
    item = item_of(choices)
    own = "ok" if status == "refusal" else status
    return _at_a_glance(text, item, own) or _in_order(text, item, status, own)


def _at_a_glance(raw: str, item: Item, status: str) -> Extraction | None:
    """The answer of a reply that is one letter, or one letter and its own text; None for any other.

    It says what the rules in order would say, sooner: more than half of all replies are of this kind.
    """
    text = raw.strip()
    if text.endswith("</s>"):
        text = text[:-4].rstrip()
    at = raw.find(text)
    announced = _ANNOUNCED.match(text) if text[:1] in ("T", "A") else None
    if announced:
        text = text[announced.end() :]
        at += announced.end()
    if len(text) < 3:
        letter = text[:1].upper()
        if not letter or letter not in item.letters or (len(text) == 2 and text[1] not in ".:),"):
            return None
        rest = ""
    elif text[0] == "(" and text[2] == ")":
        letter, rest = text[1].upper(), text[3:]
        at += 1
    elif text[1] in ".:)":
        letter, rest = text[0].upper(), text[2:]
    else:
        return None
    if letter not in item.letters or (announced and raw[at].islower() and raw[at - 1] != "("):
        return None
    if rest[:1] == "\n":
        return None
    rest = rest.strip()
    number = item.letters.index(letter)
    if not rest or rest == ".":
        rule = "whole_reply"
    elif (rest := rest.rstrip(". ")) == item.texts[number] or item.numbers.get(rest.lower(), -1) == number:
        rule = "letter_and_text"
    else:
        return None
    return Extraction(letter, "declaration" if announced else rule, (at, at + 1), status, (letter,))


def _in_order(raw: str, item: Item, status: str, own: str) -> Extraction:
    text, open_thought = clean(raw)
    if open_thought:
        return Extraction(None, "thought", None, "truncated")
    text = without_echo(text, item)
    if not text or text.isspace():
        return Extraction(None, "status", None, "empty")
    field = answer_field(text)
    if field is not None:
        inner = _read(Reply(" " * field.start + field.text, item), own)
        if inner is not None and (inner.letter or inner.status == "ambiguous"):
            span = inner.span if field.aligned else (field.start, field.end)
            return inner._replace(rule="structured", span=span)
    reply = Reply(text, item)
    found = _read(reply, own)
    if found is not None:
        return found
    refusal = cues.REFUSAL.search(reply.low)
    if refusal:
        return Extraction(None, "refusal", refusal.span(), "refusal")
    return Extraction(None, "none", None, "none" if status == "ok" else status)


def _read(reply: Reply, own: str) -> Extraction | None:
    """What rules 4 to 9 make of the reply: a letter, none (a letter outside the item), ambiguous; or None."""
    declared = declaration(reply)
    if declared is not None:
        return _decided(declared.rule, [declared.found], own)
    for rule, found in (
        ("whole_reply", _whole_reply),
        ("letter_line", _letter_lines),
        ("letter_and_text", _letters_and_texts),
        ("option_text", _option_texts),
        ("parentheses", _parenthesised),
    ):
        said = found(reply)
        if said:
            if rule == "letter_line" and _with_text(reply, said):
                rule = "letter_and_text"
            return _decided(rule, said, own)
    return None


def _with_text(reply: Reply, said: list[Found]) -> bool:
    """Whether the one letter found is followed by an option's text, or was read as it."""
    if len(said) != 1 or len(said[0].letters) != 1:
        return False
    start, end = said[0].start, said[0].end
    return said[0].text or reply.text_after(Form(said[0].letters[0], start, end, False)) is not None


def _decided(rule: str, said: list[Found], own: str) -> Extraction:
    letters = tuple(dict.fromkeys(letter for found in said for letter in found.letters))
    span = (said[-1].start, said[-1].end)
    if len(letters) == 1:
        return Extraction(letters[0], rule, span, own, letters)
    return Extraction(None, rule, span, "ambiguous" if letters else "none", letters)


def _whole_reply(reply: Reply) -> list[Found]:
    """Rule 5: the whole reply is a letter, or a list of letters."""
    text = reply.text
    core = text.strip(_WRAPPERS)
    if len(core) > 60:
        return []
    whole = _WHOLE.fullmatch(text)
    if whole:
        letter = whole[1].upper()
        if text.strip() != whole[1] and (named := reply.text_over(whole.start(1))):
            # "∠D" is the option of that text, not option D.
            return [named]
        inside = letter in reply.item.letters and "+" not in text
        return [Found((letter,), whole.start(1), whole.end(1))] if inside else []
    if not _WHOLE_LIST.fullmatch(core) or core.lower() in reply.item.lowered:
        return []
    letters = tuple(c.upper() for c in _LIST_LETTER.findall(core)) if not core.isalpha() else tuple(core.upper())
    if not all(letter in reply.item.letters for letter in letters):
        return []
    if core.isalpha() and len(set(letters)) < len(letters):
        return []
    start = text.find(core)
    if any(start <= spot.start and spot.end <= start + len(core) and spot.end - spot.start > 2 for spot in reply.spots):
        return []
    return [Found(tuple(dict.fromkeys(letters)), start, start + len(core))]


def _letter_lines(reply: Reply) -> list[Found]:
    """Rule 6: a letter alone on the first or last line, or opening the reply with a delimiter."""
    text = reply.text
    found = []
    if "\n" in text:
        lines = [(start, line) for start, line in _lines(text) if any(c.isalnum() for c in line)]
        for start, line in (lines[0], lines[-1]) if lines else ():
            alone = _WHOLE.fullmatch(line) if len(line) < 40 else None
            if alone and (named := reply.text_over(start + alone.start(1))):
                found.append(named)
            elif alone and alone[1].upper() in reply.item.letters and "+" not in line:
                found.append(Found((alone[1].upper(),), start + alone.start(1), start + alone.end(1)))
    opening = _opening(reply)
    return [opening, *found] if opening else found


def _lines(text: str) -> list[tuple[int, str]]:
    start = 0
    lines = []
    for line in text.split("\n"):
        lines.append((start, line))
        start += len(line) + 1
    return lines


def _opening(reply: Reply) -> Found | None:
    text = reply.text
    opening = _OPENING.match(text)
    if opening is None:
        return None
    at = opening.end()
    if reply.inside_option(at, at + 1):
        return None
    delimiter = _OPENING_DELIMITER.match(text, at + 1)
    if delimiter is None or not (delimiter[1] or delimiter[2]) or delimiter[2] == "\n":
        return None
    form = reply.letter_at(at, any_case=delimiter[2] in (".", ":", ")"))
    if form is None or form.letter not in reply.item.letters:
        return None
    said = reply.read(form)
    following = reply.text_after(form)
    bracket_only = bool(delimiter[1]) and not delimiter[2]
    if bracket_only and opening[1] and following is None and not _AFTER_BRACKET.match(text, delimiter.end()):
        return None
    if reply.rejected(said) or reply.questioned(form.start, said.end):
        return None
    if reply.begins_lettered_lines(said):
        return Found((*said.letters, *_next_letters(reply, said)), said.start, said.end)
    return said


def _next_letters(reply: Reply, said: Found) -> tuple[str, ...]:
    form = line_opening(reply, reply.text.find("\n", said.end) + 1)
    return (form.letter,) if form else ()


def _letters_and_texts(reply: Reply) -> list[Found]:
    """Rule 7: letter, delimiter, option text, anywhere."""
    found = []
    for spot in reply.spots:
        letter = _LETTER_BEFORE_TEXT.search(reply.text, max(0, spot.start - 16), spot.start)
        if letter is None:
            continue
        written = letter[1] or letter[2]
        if written.upper() not in reply.item.letters:
            continue
        start = letter.start(1) if letter[1] else letter.start(2)
        if reply.negated(letter.start()) or cues.REJECTED_AFTER.match(reply.low, spot.end):
            continue
        option = reply.text_at(spot.start, written.upper())
        if option is not None:
            found.append(Found(option.letters, start, spot.end))
    return found


def _option_texts(reply: Reply) -> list[Found]:
    """Rule 8: option text that no negation reaches; exact, then case-folded, then without its article."""
    rejected = cues.REJECTED_AFTER
    spots = [s for s in reply.spots if not reply.negated(s.start) and not rejected.match(reply.low, s.end)]
    best = min((spot.stage for spot in spots), default=0)
    letters = reply.item.letters
    return [Found((letters[s.option],), s.start, s.end, True) for s in spots if s.stage == best]


def _parenthesised(reply: Reply) -> list[Found]:
    """Rule 9: parenthesised letters of the item that are not negated."""
    found = []
    for match in _PARENTHESISED.finditer(reply.text):
        letter = match[1].upper()
        at = match.start(1)
        glued = match.start() and reply.text[match.start() - 1].isalnum() and reply.text[match.start() - 1].isascii()
        if letter not in reply.item.letters or glued or reply.inside_option(at, at + 1):
            continue
        said = Found((letter,), at, at + 1)
        if not (reply.negated(match.start()) or reply.rejected(said) or reply.questioned(at, at + 1)):
            found.append(said)
    return found
