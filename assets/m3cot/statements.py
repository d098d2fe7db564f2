"""Statements of a rationale that stand alone, and what they become with one thing in them exchanged: wrong ones."""

import random
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from assets.m3cot.questions import plain

WRONG = 3

_NO_STATEMENT = re.compile(
    r"(?:so|therefore|thus|hence|but|and|because|to|look|use|figure|now|remember|recall|imagine|think|find|read|"
    r"compare|consider|note|determine|step|also|however|for example|in other words|it|its|they|their|this means|"
    r"this happens|this is because|these organisms|that|then|if|you|we|next|first|let)\b",
    re.IGNORECASE,
)
_CUES = frozenset(
    re.findall(
        r"\w+",
        "picture image photo map diagram model table graph chart arrow shown shows marked highlighted color colour "
        "balls container pair square box boxes left right top bottom north south east west fur feathers made label",
    )
)
_OPPOSITES = (
    ("attract", "repel"),
    ("greater", "smaller"),
    ("larger", "smaller"),
    ("higher", "lower"),
    ("most", "least"),
    ("north", "south"),
    ("northern", "southern"),
    ("east", "west"),
    ("eastern", "western"),
    ("left", "right"),
    ("above", "below"),
    ("hotter", "colder"),
    ("warm", "cold"),
    ("hard", "soft"),
    ("rough", "smooth"),
    ("dominant", "recessive"),
    ("solid", "liquid"),
    ("opaque", "transparent"),
    ("increases", "decreases"),
    ("longer", "shorter"),
)
_SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the and or of in on to is are was were it its this that these those also he she they him her his them "
        "their organism organisms living thing things other both either",
    )
)
_GENERAL = re.compile(
    r"\b(?:not|no|none|neither|never|cannot|you|your|usually|often|most|some|many)\b|"
    r"^(?:in an?|this colou?r)\b|^the \w+er\b.*, the \w+er\b|"
    r"^an? [\w-]+ (?:object|material|colou?r|organism|animal|substance|mixture|solution|force)\b|"
    r"\bwritten in italics\b",
    re.IGNORECASE,
)
_VERBS = frozenset(re.findall(r"\w+", "is are was were has have had does do can will match matches shows show reaches"))
_ELSEWHERE = re.compile(
    r"\b(?:hints?|passages?|texts?|tables?|options?|choices?|answers?|letters?|sentences?|paragraphs?|correct|incorrect)"
    r"\b|\(?\b[A-E]\)",
    re.IGNORECASE,
)
_SIDES = re.compile(r"\b(?:than|and|from|to|of)\b")
_LABEL = re.compile(
    r"(?<![\w'])(?:[B-Z]|A(?=[\s.,;]*$|[,;.]|\s+(?:is|are|was|has|have|and|or|than|to|from|of)\b))(?![\w'])"
)
_ARTICLE = re.compile(r"\b(?:an?|the) $", re.IGNORECASE)
_CLASS = re.compile(r"\b(?:is|are|was|were) (?:an?|one|some|members?)\b")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])")
_LONGEST_EXCHANGE = 4


class _Candidate(NamedTuple):
    """A statement with `before` in it exchanged by `behind`; a certain one is false whatever else is in the picture."""

    before: str
    behind: str
    text: str
    certain: bool = True


def alone(said: Sequence[str]) -> list[str]:
    """The steps that state something and stand alone: no instruction, conclusion or pronoun without its noun.

    Nor is a negation or a general truth among them: exchange something in one, and it may hold as well. Nor what
    speaks of the question's other parts, such as a hint, a passage or the options: it is not about the picture.
    """
    found = [
        step
        for step in said
        if step.endswith(".") and "\n" not in step and ":" not in step and 4 <= len(step.split()) <= 30
        if not _NO_STATEMENT.match(step) and not _GENERAL.search(step) and not _ELSEWHERE.search(step)
    ]
    return list(dict.fromkeys(found))


def told(statement: str, context: str) -> bool:
    """Whether three in four of the statement's content words stand in the context: no picture is needed for it."""
    known, words = set(plain(context).split()), _content(statement)
    return 4 * sum(word in known for word in words) >= 3 * len(words)


def seen(text: str) -> int:
    """How much of a statement is something seen: words of pictures, numbers, names."""
    words = re.findall(r"\w+", text)
    return sum(word.lower() in _CUES or word.isdigit() or word[:1].isupper() for word in words[1:])


def wrong(
    right: str, own: str, others: Sequence[str], question: str, choices: Sequence[str], right_choice: str, seed: str
) -> list[str]:
    """Up to three wrong statements of the form of the right one; those that are certainly wrong first.

    Only numbers and opposites in them are not of the sample itself, and none sets a thing against itself.

    Args:
        right: the statement that is true.
        own: the rationale that it is from; what comes out is not in it.
        others: statements about other pictures; what they say where the right one differs is taken if it is in the
            sample too.
        question: the question that the rationale answers.
        choices: its options.
        right_choice: the right one of them.
        seed: decides which ones are taken.
    """
    rng = random.Random(f"{seed}/wrong")
    tiers = (
        _with_wrong_options(right, choices, right_choice),
        _opposite(right),
        _exchanged(right, others, set(plain(" ".join((question, own, *choices))).split())),
        _other_numbers(right, own, others),
    )
    known = plain(own)
    own_words, right_words = set(known.split()), sorted(plain(right).split())
    chosen: dict[str, str] = {}
    for tier in tiers:
        candidates = list(dict.fromkeys(tier))
        rng.shuffle(candidates)
        for candidate in candidates:
            said = plain(candidate.text)
            content = _content(candidate.behind)
            if not candidate.certain and own_words.issuperset(content):
                continue
            # the same words in another order may say the same: one pole closest to another, and the other way round
            if content == _content(candidate.before) or sorted(said.split()) in [right_words, *map(_sorted, chosen)]:
                continue
            if _against_itself(candidate, right):
                continue
            if said not in known and said not in chosen:
                chosen[said] = candidate.text
            if len(chosen) == WRONG:
                return list(chosen.values())
    return list(chosen.values())


def finished(statement: str) -> str:
    """The statement as every option is written: with a capital at its start and one full stop at its end."""
    text = statement.strip().rstrip(" .")
    return f"{text[:1].upper()}{text[1:]}."


def _against_itself(candidate: _Candidate, right: str) -> bool:
    """Whether what was put into the statement now stands on both sides of a than, and, from, to or of."""
    put_in = _things(candidate.behind) - _things(candidate.before)
    sides = [_things(side) for side in _SIDES.split(candidate.text)]
    twice = {thing for place, side in enumerate(sides) for thing in side if any(thing in s for s in sides[:place])}
    before = [_things(side) for side in _SIDES.split(right)]
    known = {thing for place, side in enumerate(before) for thing in side if any(thing in s for s in before[:place])}
    return bool(twice & put_in or twice - known)


def _things(text: str) -> set[str]:
    """The content words of a text, in lower case, and the labels in it, such as the B of sample B."""
    labels = set(_LABEL.findall(text))
    return labels | {word for word in _content(text) if word.upper() not in labels}


def _exchanged(right: str, others: Iterable[str], allowed: Collection[str]) -> Iterator[_Candidate]:
    """The statement with one span exchanged by that of another one of the same form, if its words are allowed.

    The subject is exchanged only where the statements differ elsewhere too, and not before "is a": a penguin is a bird
    as well.
    """
    words = right.rstrip(".").split()
    for other in others:
        theirs = other.rstrip(".").split()
        if abs(len(theirs) - len(words)) > _LONGEST_EXCHANGE:
            continue
        blocks = SequenceMatcher(None, words, theirs, autojunk=False).get_opcodes()
        changes = [block for block in blocks if block[0] != "equal"]
        shared = sum(block[2] - block[1] for block in blocks if block[0] == "equal")
        if not changes or 2 * shared < max(len(words), len(theirs)) or any(kind != "replace" for kind, *_ in changes):
            continue
        for _, start, end, their_start, their_end in changes:
            subject = _VERBS.isdisjoint(words[:start])
            held = subject and (len(changes) == 1 or _CLASS.search(right))
            if not held and max(end - start, their_end - their_start) <= _LONGEST_EXCHANGE:
                span = theirs[their_start:their_end]
                if not all(word in allowed for word in plain(" ".join(span)).split()):
                    continue
                text = _sentence(*_around(words, start, " ".join(span), end))
                yield _Candidate(" ".join(words[start:end]), " ".join(span), text, certain=False)


def _with_wrong_options(right: str, choices: Sequence[str], right_choice: str) -> Iterator[_Candidate]:
    """The statement with a wrong option where it names the right one."""
    bare = _bare(right_choice)
    found = re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", right, re.IGNORECASE) if _content(bare) else None
    kind = _CLASS.search(right)
    if found is None or (kind is not None and found.start() < kind.start()):
        return
    for choice in choices:
        other = _bare(choice)
        if other != bare and ";" not in other and len(other.split()) <= len(bare.split()) + 2 and _content(other):
            before, behind = right[: found.start()], right[found.end() :]
            put_in = other if _ARTICLE.search(before) else choice.strip().rstrip(".")
            if found.start() and (
                put_in.startswith(("A ", "An ", "The ")) or (found[0][:1].islower() and bare[:1].isupper())
            ):
                put_in = f"{put_in[:1].lower()}{put_in[1:]}"
            yield _Candidate(bare, other, _sentence(before, put_in, behind))


def _opposite(right: str) -> Iterator[_Candidate]:
    """The statement with one word exchanged by its opposite."""
    words = right.rstrip(".").split()
    ways = [way for pair in _OPPOSITES for way in (pair, pair[::-1])]
    for place, word in enumerate(words):
        nouns = (each for each in words[place + 1 : place + 3] if each.endswith("s") and not each.endswith("ss"))
        amount = ("more", "fewer" if next(nouns, None) else "less")
        for before, behind in (*ways, amount):
            # a name is none of them: North Dakota
            if word == before:
                yield _Candidate(before, behind, _sentence(*_around(words, place, behind, place + 1)))


def _other_numbers(right: str, own: str, others: Iterable[str]) -> Iterator[_Candidate]:
    """The statement with one number exchanged by one that statements about other pictures have."""
    known = set(_NUMBER.findall(own))
    new = dict.fromkeys(number for other in others for number in _NUMBER.findall(other) if number not in known)
    for found in _NUMBER.finditer(right):
        for number in new:
            text = f"{right[: found.start()]}{number}{right[found.end() :]}"
            yield _Candidate(found[0], number, text, certain=False)


def _around(words: Sequence[str], start: int, put_in: str, end: int) -> tuple[str, str, str]:
    before, behind = words[:start], words[end:]
    return "".join(f"{word} " for word in before), put_in, "".join(f" {word}" for word in behind)


def _sentence(before: str, put_in: str, behind: str) -> str:
    """The statement with what was put into it; only the article before that is set right, as in the right statement."""
    if re.match(r"[b-df-hj-np-tv-z]", put_in):
        before = re.sub(r"\b([Aa])n $", r"\1 ", before)
    elif re.match(r"[aeio]", put_in):
        before = re.sub(r"\b([Aa]) $", r"\1n ", before)
    return finished(f"{before}{put_in}{behind}")


def _sorted(text: str) -> list[str]:
    return sorted(text.split())


def _bare(option: str) -> str:
    return re.sub(r"^(?:an?|the) ", "", option.strip().rstrip("."), flags=re.IGNORECASE)


def _content(text: str) -> list[str]:
    """The words that carry a meaning."""
    return [word for word in plain(text).split() if word not in _SMALL_WORDS]
