"""The replies of the generated CoMT release: {id, response} records in the forms that models give them."""

import random
from collections.abc import Callable, Sequence

from assets.sources.generated.released_comt import LETTERS, Item

STRATEGIES = ("direct", "cot", "desp-cot", "vot")
"""Source: arXiv:2412.12932, section 4.1."""

Write = Callable[[Item, str, str, random.Random], str]

_SEEN = {
    "creation": "The sketch shows the points and lines that the question names.",
    "deletion": "There is a crowd, and some people stand behind others.",
    "update": "The pieces are put together to one figure.",
    "selection": "The two pictures are alike but for some places.",
}
_OPENINGS = {
    "direct": "",
    "cot": "Let us go step by step. {0} Looking closer, one option fits better than the others.",
    "desp-cot": "Description: {0} Nothing else is in it that matters here.",
    "vot": "State 0: {0}\nState 1: [ ][x][ ]\nState 2: [ ][x][x]\nThe last state decides.",
}

FORMS: dict[str, tuple[tuple[str, float], ...]] = {
    "answer_line": (
        ("answer line", 1.0),
        ("denied after", 0.04),
        ("letter", 0.06),
        ("prose", 0.06),
        ("no answer", 0.05),
        ("empty", 0.03),
    ),
    "loose": (
        ("answer line", 1.0),
        ("lower", 0.1),
        ("letter", 0.15),
        ("prose", 0.15),
        ("no answer", 0.1),
        ("empty", 0.05),
        ("several", 0.05),
    ),
    "letters": (("letter", 1.0), ("answer line", 0.2), ("prose", 0.05), ("empty", 0.05)),
}
"""Kinds of reply with their shares by form; the first kind takes what the others leave."""


def write_records(
    form: str, strategy: str, items: Sequence[Item], skill: float, rng: random.Random
) -> list[dict[str, object]]:
    """One record an item, in their order; the numbers of each kind of reply are exact shares.

    `skill` is the chance that a reply means the right option: float in [0, 1].
    """
    shares = FORMS[form]
    kinds = [kind for kind, share in shares[1:] for _ in range(round(share * len(items)))]
    kinds += [shares[0][0]] * (len(items) - len(kinds))
    rng.shuffle(kinds)
    records: list[dict[str, object]] = []
    for item, kind in zip(items, kinds, strict=True):
        others = [letter for letter in LETTERS if letter != item.answer]
        letter = item.answer if rng.random() < skill else rng.choice(others)
        records.append({"id": item.record["id"], "response": _KINDS[kind](item, letter, strategy, rng)})
    return records


def _thought(item: Item, strategy: str) -> str:
    opening = _OPENINGS[strategy].format(_SEEN[str(item.record["type"])])
    return f"{opening}\n" if opening else ""


def _text(item: Item, letter: str) -> str:
    return str(item.record["option"][LETTERS.index(letter)])


def _answer_line(item: Item, letter: str, strategy: str, _rng: random.Random) -> str:
    return f"{_thought(item, strategy)}ANSWER: ({letter})"


def _denied_after(item: Item, letter: str, strategy: str, rng: random.Random) -> str:
    other = rng.choice([one for one in LETTERS if one != letter])
    return f"{_thought(item, strategy)}ANSWER: ({letter}), not ({other})"


def _prose(item: Item, letter: str, strategy: str, _rng: random.Random) -> str:
    return f"{_thought(item, strategy)}It seems to be {_text(item, letter)}."


def _no_answer(item: Item, _letter: str, _strategy: str, rng: random.Random) -> str:
    ends = ("It cannot be told from this.", "More than one option would fit.", "The picture is too small to say.")
    return f"{_SEEN[str(item.record['type'])]} {rng.choice(ends)}"


def _several(item: Item, letter: str, strategy: str, rng: random.Random) -> str:
    other = rng.choice([one for one in LETTERS if one != letter])
    return f"{_thought(item, strategy)}At first ({other}) looks right.\nANSWER: ({letter})"


_KINDS: dict[str, Write] = {
    "answer line": _answer_line,
    "denied after": _denied_after,
    "several": _several,
    "prose": _prose,
    "no answer": _no_answer,
    "empty": lambda _item, _letter, _strategy, _rng: "",
    "letter": lambda _item, letter, _strategy, _rng: letter,
    "lower": lambda item, letter, strategy, _rng: f"{_thought(item, strategy)}answer: ({letter.lower()})",
}
