"""Answer letters in balance: options are reordered, except where a text names them by letter or place."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from assets.schema.sample import LETTERS, Sample

_WORD = r"(?i:options?|choices?|answers?|letters?)"
_NAMED = re.compile(
    r"\([A-H]\)"
    rf"|\b{_WORD}\s*(?:is|are|was|:)?\s*[\"'“]?[B-H]\b(?!['’])"
    rf"|\b{_WORD}\s*(?:is|are|was|:)?\s*[\"'“]?A\b(?!['’]|\s+(?!and\b|or\b|is\b|are\b)[a-z])"
    r"|\b[A-H],? (?:and|or) [A-H]\b"
    r"|(?m:^\s*[A-H][.):]\s)"
)
"""`A` alone is an article as often as a letter: it counts where no word follows that it could belong to."""

_PLACED = re.compile(
    r"\b(all|none|both|neither|either|any) (of|the|options|choices|answers|are)\b.*|"
    r"\b(all|none|both|neither) of (them|these|the above|the others)\b|"
    r"\b(first|second|third|fourth|last|former|latter|above|below|following) (option|choice|answer)s?\b|"
    r"^(all|none|both|neither)$",
    re.IGNORECASE,
)


def names_letters(sample: Sample) -> bool:
    """Whether a text of the sample names its options by letter or place, so that their order must stay."""
    texts = (sample.question, sample.context, sample.text)
    if any(_NAMED.search(text) for text in texts if text):
        return True
    return any(_NAMED.search(choice) or _PLACED.search(choice) for choice in sample.choices or ())


def balanced(samples: Iterable[Sample], *, seed: int) -> list[Sample]:
    """The samples in their order, with options reordered so that each letter is right as often as the others.

    Balance is sought among the samples with equally many options. Those whose texts name letters keep their order
    and are counted: the free ones, in a seeded order, take the letter that is right least often so far. The wrong
    options keep their order among themselves; pictures of options go with them.
    """
    rows = list(samples)
    counts: dict[int, Counter[str]] = {}
    free: dict[int, list[int]] = {}
    for place, sample in enumerate(rows):
        options = len(sample.choices or ())
        if sample.dropped is not None or options < 2 or sample.answer is None:
            continue
        if names_letters(sample):
            counts.setdefault(options, Counter())[sample.answer] += 1
        else:
            free.setdefault(options, []).append(place)
    for options, places in sorted(free.items()):
        right = counts.setdefault(options, Counter())
        order = random.Random(seed * 100 + options)
        order.shuffle(places)
        for place in places:
            least = min(right[letter] for letter in LETTERS[:options])
            letter = order.choice([letter for letter in LETTERS[:options] if right[letter] == least])
            right[letter] += 1
            rows[place] = _with_answer(rows[place], letter)
    return rows


def _with_answer(sample: Sample, letter: str) -> Sample:
    """The sample with its right option at `letter`."""
    if sample.answer == letter or sample.answer is None or sample.choices is None:
        return sample
    old = LETTERS.index(sample.answer)
    order = [place for place in range(len(sample.choices)) if place != old]
    order.insert(LETTERS.index(letter), old)
    return sample._replace(
        choices=_ordered(sample.choices, order),
        choice_images=None if sample.choice_images is None else _ordered(sample.choice_images, order),
        answer=letter,
    ).made("options reordered")


def _ordered(values: Sequence[str], order: Sequence[int]) -> tuple[str, ...]:
    return tuple(values[place] for place in order)
