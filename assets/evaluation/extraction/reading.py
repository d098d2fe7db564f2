"""One cleaned reply being read against its item: letter forms, option texts, lists, negation.

Source: the strict grammar, rules 4 (letter form, list, article) and 8 (negation's reach).
"""

import re
from bisect import bisect_right
from typing import NamedTuple

from assets.evaluation.extraction import cues
from assets.evaluation.extraction.cleaning import lowered
from assets.evaluation.extraction.options import ARTICLE, EXACT, Item, Occurrence, cjk, occurrences, of_a_word

_OPENERS = "([{*_`\"'$<“‘«„>"
_CLOSERS = ")]}*_`\"'$>”’»"
_BRACKETS = ")]"
_DELIMITER = re.compile(
    r"[)\]*_\"'`$>”’]*[ \t]*(?P<mark>[.:,;=、)]|-(?![\d.])|[\u2013—](?![\d.])|(?=\S))[)\]*_\"'`$>]*[ \t]*[(*_\"'`$]*"
)
_NEXT_WORD = re.compile(r"[ \t]+(?=[a-z])")
_INITIALS = re.compile(r"\.(?:[A-Za-z]\b|\s?[A-Z]\.)")
_PAST_VERBS = re.compile(
    r"[ \t]+(?:am|think|would|believe|guess|see|can|cannot|could|do|did|have|will|was|don)\b|['’](?:m|d|ll|ve)\b"
)
_TEXT_ENDS = re.compile(r"[)\]}*_\"'`$”’]*\s*(?:\Z|[.,;:!?\n)]|(?:because|since|as|due|for|given|but|so)(?![a-z]))")
_LETTERED_LINE = re.compile(r"[\s\-•·]*[(\[*_]*([A-Za-z])[)\].:*_]+[ \t]*(?P<words>\S?)")
_NOTHING_LEFT = re.compile(r"\s*\Z")
_PLUS_A_LETTER = re.compile(r"\+\s?[A-Z](?![A-Za-z0-9+])")
# A negation is looked for this far back at most: clauses are shorter.
_REACH = 200
# Longer lines and sentences are no prose.
_LINE = 2000
_SENTENCE = 600


class Form(NamedTuple):
    """A letter form: the letter as written, upper-cased, and the text's [start, end) it takes up."""

    letter: str
    start: int
    end: int
    wrapped: bool


class Found(NamedTuple):
    """What one place of a reply says: letters (one, or a list's several) and the text's [start, end) that says it.

    letters is empty when the letter lies outside the item. text: it was said by an option's text.
    """

    letters: tuple[str, ...]
    start: int
    end: int
    text: bool = False


class Reply:
    """A cleaned reply and its item; the places of option texts are worked out when first asked for."""

    __slots__ = ("_spots", "_starts", "item", "low", "text")

    def __init__(self, text: str, item: Item) -> None:
        """Lower-case the text; nothing else is worked out yet."""
        self.text = text
        self.low = lowered(text)
        self.item = item
        self._spots: list[Occurrence] | None = None
        self._starts: dict[int, list[Occurrence]] | None = None

    @property
    def starts(self) -> dict[int, list[Occurrence]]:
        """The same occurrences by where they start."""
        if self._starts is None:
            self._starts = {}
            for spot in self.spots:
                self._starts.setdefault(spot.start, []).append(spot)
        return self._starts

    @property
    def spots(self) -> list[Occurrence]:
        """Every occurrence of an option's text that no longer one swallows, by start."""
        if self._spots is None:
            self._spots = occurrences(self.text, self.low, self.item)
        return self._spots

    def inside_option(self, start: int, end: int) -> bool:
        """Whether text[start:end] belongs to an occurrence of an option's text of more than a letter or two."""
        spots = self.spots
        if not spots:
            return False
        # None lies inside another, so ends rise with starts and the last to start reaches furthest.
        last = spots[bisect_right(spots, start, key=_start) - 1]
        return last.start <= start and end <= last.end and last.end - last.start > 2

    def text_over(self, at: int) -> Found | None:
        """The option's text, of more than one character, that takes in the character at `at`."""
        spots = self.spots
        number = bisect_right(spots, at, key=_start) - 1
        if number < 0 or spots[number].end <= at or spots[number].end - spots[number].start < 2:
            return None
        start, end = spots[number].start, spots[number].end
        letters = (self.item.letters[s.option] for s in spots if (s.start, s.end) == (start, end))
        return Found(tuple(dict.fromkeys(letters)), start, end, True)

    def text_at(self, start: int, letter: str = "") -> Found | None:
        """The option whose text begins at `start`, the longest; of equal ones the one `letter` names, or several."""
        starts = self.starts
        if not starts:
            return None
        here = starts.get(start)
        if here is None:
            article = ARTICLE.match(self.low, start)
            here = starts.get(article.end()) if article else None
            if here is None or here[0].stage == EXACT:
                return None
        end = max(spot.end for spot in here)
        letters = tuple(dict.fromkeys(self.item.letters[spot.option] for spot in here if spot.end == end))
        if end - start == 1 and self.text[start].upper() in self.item.letters:
            return None
        return Found((letter,) if letter in letters else letters, start, end, True)

    def letter_at(self, start: int, any_case: bool = False) -> Form | None:
        """The letter form whose letter stands at `start`: bounded, no article, no pronoun, no initial.

        A lower-case letter must be wrapped, unless `any_case` says that its place makes it a letter.
        """
        text = self.text
        written = text[start]
        before = text[start - 1] if start else " "
        after = text[start + 1] if start + 1 < len(text) else " "
        if not written.isascii() or not written.isalpha() or _joined(text, start, before, after):
            return None
        wrapped = (before in _OPENERS and after in _CLOSERS) or after in _BRACKETS
        if not wrapped and before in "([{" and _NOTHING_LEFT.match(text, start + 1):
            # A reply cut off right after the letter leaves its bracket open.
            wrapped = True
        if wrapped:
            return Form(written.upper(), start, start + 1, True)
        if written.islower() and not any_case:
            return None
        if _INITIALS.match(text, start + 1) or self._is_a_word(written, start + 1):
            return None
        return Form(written.upper(), start, start + 1, False)

    def _is_a_word(self, written: str, end: int) -> bool:
        if written == "A":
            word = _NEXT_WORD.match(self.text, end)
            return word is not None and not cues.FOLLOWS_A_LETTER.match(self.text, word.end())
        if written == "I" and _PAST_VERBS.match(self.text, end):
            return True
        # "N = 6" and "x = 2" set a variable; an item's letter before "=" introduces its text.
        after = self.text[end : end + 2].lstrip(" ")[:1]
        if self.text.startswith("==", end):
            return False
        return after in ("=", "^") and after != "" and self.text_after(Form(written, end - 1, end, False)) is None

    def text_after(self, form: Form) -> Found | None:
        """The option text that directly follows a letter form, its own or another's."""
        delimiter = _DELIMITER.match(self.text, form.end)
        if delimiter is None:
            return None
        found = None
        # A text may begin with what else would wrap it: "$ 5", "(0, 1)".
        for start in range(delimiter.end("mark"), delimiter.end() + 1):
            found = self.text_at(start, form.letter)
            if found is not None:
                break
        if found is None or found.letters == (form.letter,):
            return found
        if delimiter["mark"] in (".", ",", ";") and not _TEXT_ENDS.match(self.low, found.end):
            # "The answer is (C). A kettle is heavy": a sentence of its own, not the text of C.
            return None
        return found

    def read(self, form: Form) -> Found:
        """What a letter form says: itself, another option's text that follows it, or the list it begins."""
        if form.letter not in self.item.letters:
            return Found((), form.start, form.end)
        following = self.text_after(form)
        if following is not None and following.letters != (form.letter,):
            return following
        end = following.end if following else form.end
        return self._listed(Found((form.letter,), form.start, form.end), end)

    def read_text(self, found: Found) -> Found:
        """What an option's text says, with the texts or letters joined to it."""
        return self._listed(found, found.end)

    def _listed(self, first: Found, end: int) -> Found:
        letters = list(first.letters)
        last = first.end
        while (joined := self._joined_to(end)) is not None:
            letters += joined.letters
            last = end = joined.end
        distinct = tuple(dict.fromkeys(letters))
        return first if len(distinct) == 1 else Found(distinct, first.start, last, first.text)

    def _joined_to(self, end: int) -> Found | None:
        """The letter form or option text that a comma, an `and` or an `or` joins to what ends at `end`."""
        joiner = cues.JOINER.match(self.low, end)
        if joiner is None or joiner.end() >= len(self.text) or joiner.end() == end:
            return None
        mark, word = joiner["mark"], joiner["word"]
        bare = not mark and not word
        if bare and ("\n" in joiner.group() or any(c.isalpha() for c in joiner.group())):
            return None
        text = None if bare else self.text_at(joiner.end())
        if text is not None and text.end - text.start > 1:
            conjoined = word is not None and not cues.SINGULAR_VERB.match(self.low, text.end)
            return text if conjoined or _ends(self.low, text.end) else None
        form = self.letter_at(joiner.end())
        if form is None or form.letter not in self.item.letters:
            return None
        own = self.text_after(form)
        own = own if own is not None and own.letters == (form.letter,) else None
        if bare and not form.wrapped and own is None and not _ends(self.low, form.end):
            return None
        after = own.end if own is not None else form.end
        said = Found((form.letter,), form.start, after)
        if word in ("or", "and/or", "o", "ou", "oder", "или", "或", "或者"):
            return said
        if word is not None:
            return None if cues.SINGULAR_VERB.match(self.low, after) else said
        return said if (bare and own is not None) or _ends(self.low, after) else None

    def begins_lettered_lines(self, found: Found) -> bool:
        """Whether the letter and the next line's are a list: consecutive lines, each with its own words."""
        text = self.text
        line_end = text.find("\n", found.end, found.end + _LINE)
        if line_end < 0 or not any(c.isalnum() for c in text[found.start + 1 : line_end]):
            return False
        following = _LETTERED_LINE.match(text, line_end + 1)
        if following is None or not following["words"]:
            return False
        letter = following[1].upper()
        if letter not in self.item.letters:
            return False
        own = self.text_after(Form(letter, following.start(1), following.end(1), True))
        if set(own.letters if own is not None else letter) <= set(found.letters):
            return False
        next_end = text.find("\n", following.end())
        line = self.low[line_end + 1 : next_end if next_end >= 0 else len(text)]
        return not cues.NEGATION.search(line)

    def negated(self, start: int) -> bool:
        """Whether a negation outside every option's text reaches `start`."""
        return self._reached(start, cues.NEGATION) or bool(
            cues.REJECTED_LIST.search(self.low, max(0, start - _REACH), start)
        )

    def cancelled(self, start: int) -> bool:
        """Whether `not`, `wrong`, `in-` or a doubt in the same clause cancels the cue at `start`."""
        return self._reached(start, cues.CANCEL)

    def _reached(self, start: int, words: re.Pattern[str]) -> bool:
        low = self.low
        clause = start - _REACH if start > _REACH else 0
        for mark in cues.REACH_MARKS:
            clause = max(clause, low.rfind(mark, clause, start) + 1)
        spans = [found.span() for found in words.finditer(low, clause, start)]
        for span in reversed(spans):
            if not self.inside_option(*span):
                # An earlier negation reaches `start` only if this one does.
                return not cues.REACH_WORDS.search(low, span[1], start)
        return False

    def rejected(self, found: Found) -> bool:
        """Whether the letter or text is called wrong right after, or right after the letter's own text."""
        end = found.end
        if not found.text and len(found.letters) == 1:
            own = self.text_after(Form(found.letters[0], found.start, found.end, False))
            end = own.end if own is not None else end
        return cues.REJECTED_AFTER.match(self.low, end) is not None

    def questioned(self, start: int, end: int) -> bool:
        """Whether the sentence around [start, end) asks whether it is correct."""
        if cues.QUESTION_TAG.match(self.low, end):
            return True
        low = self.low
        mark = low.find("?", end, end + _SENTENCE)
        if mark < 0:
            return False
        if any(sign in low[end:mark] for sign in (". ", "\n", "!")):
            return False
        earliest = start - _SENTENCE if start > _SENTENCE else 0
        sentence = max(low.rfind(sign, earliest, start) for sign in ".!?\n;")
        if sentence < 0 < earliest:
            return False
        opening = low[sentence + 1 : start].lstrip(" *_\"'([-")
        return cues.QUESTION_OPENS.match(opening) is not None


def _start(spot: Occurrence) -> int:
    return spot.start


def _joined(text: str, start: int, before: str, after: str) -> bool:
    """Whether the characters beside a letter make it part of a longer word or sign."""
    if of_a_word(before) or (before == "\\") or (before in "'’-" and start > 1 and of_a_word(text[start - 2])):
        return True
    if before in "(_" and start > 1 and of_a_word(text[start - 2]):
        return not (before == "(" and cjk(text[start - 2]))
    if of_a_word(after) or after in "#°":
        return True
    if after == "+":
        # "A+" is a grade or a blood type, "A+B" two letters.
        return not _PLUS_A_LETTER.match(text, start + 1)
    further = text[start + 2] if start + 2 < len(text) else " "
    return after in "'’-_" and of_a_word(further)


def _ends(low: str, end: int) -> bool:
    return cues.PLURAL_OR_END.match(low, end) is not None
