"""Texts as numbers and back: words of a vocabulary, and characters where a word is not in it."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from assets.steps import segment

PAD, START, END, STEP, UNKNOWN = "<pad>", "<start>", "<end>", "<step>", "<unknown>"
SPECIAL = (PAD, START, END, STEP, UNKNOWN)

_TOKEN = re.compile(r"\\?[^\W\d_]+|\d|[^\w\s]|_")
_LETTERED = re.compile(r"\(([A-Z])\)\s+(?=\S)")
_NUMBERING = re.compile(r"^\s*step\s+\d{1,3}\s*[:.)]\s*", re.I)
_CLOSING = frozenset(".,;:!?)]}%°'’^_")
_OPENING = frozenset("([{$^_'’")


def tokens(text: str) -> list[str]:
    """The words, digits and signs of a text in order; a longer word that only begins with a capital gets none.

    Short words keep their capitals: they are labels, such as A, FF and Ff.
    """
    return [token.lower() if len(token) > 2 and token[1:].islower() else token for token in _TOKEN.findall(text)]


def joined(words: Sequence[str]) -> str:
    """Tokens as text: digits together, no space before what closes and after what opens, a capital at the start."""
    text = ""
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        digits = word.isdigit() and before.isdigit()
        text += word if not text or digits or word in _CLOSING or before in _OPENING else f" {word}"
    return text[:1].upper() + text[1:]


def steps(rationale: str) -> list[str]:
    """The steps of a rationale, without their numbers and without letters of options, which nothing shows."""
    bare = (_LETTERED.sub("", _NUMBERING.sub("", step)) for step in segment(rationale, "marked"))
    return [step for step in bare if step]


class Vocabulary(NamedTuple):
    """Words by number: `SPECIAL` first, then characters, then whole words."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 2) -> "Vocabulary":
        """The vocabulary of these texts: every character, and each word that occurs at least so many times."""
        counts = Counter(token for text in texts for token in tokens(text))
        characters = {character for token in counts for character in token}
        whole = {token for token, count in counts.items() if count >= least} - characters
        return cls((*SPECIAL, *sorted(characters), *sorted(whole)))

    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}


class Words(Protocol):
    """Texts to numbers and back; 0 is no word.

    start: what a rationale is written after. end: what ends it. step: what stands between its steps, and before each
    option. unknown: what hides a word. count: how many numbers there are.
    """

    start: int
    end: int
    step: int
    unknown: int
    count: int

    def encoded(self, text: str) -> list[int]:
        """The text as numbers, without start and end."""
        ...

    def decoded(self, numbers: Iterable[int]) -> list[str]:
        """What was written, a text a step, up to the end."""
        ...


class Encoder:
    """Texts to numbers by a vocabulary."""

    start, end, step, unknown = (SPECIAL.index(word) for word in (START, END, STEP, UNKNOWN))

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Take the vocabulary."""
        self._numbers = vocabulary.numbers()
        self._words = vocabulary.words
        self.count = len(vocabulary.words)

    def encoded(self, text: str) -> list[int]:
        """The text's tokens as numbers; a word that is not in the vocabulary as its characters."""
        found: list[int] = []
        unknown = self._numbers[UNKNOWN]
        for token in tokens(text):
            number = self._numbers.get(token)
            if number is not None:
                found.append(number)
            else:
                found += [self._numbers.get(character, unknown) for character in token]
        return found

    def decoded(self, numbers: Iterable[int]) -> list[str]:
        """What was written, a text a step, up to the end."""
        written: list[list[str]] = [[]]
        for number in numbers:
            word = self._words[number]
            if word == END:
                break
            if word == STEP:
                written.append([])
            elif word not in SPECIAL:
                written[-1].append(word)
        return [joined(words) for words in written if words]
