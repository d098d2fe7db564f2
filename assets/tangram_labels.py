"""What people call tangrams and their parts: labels cleaned, and whether two of them could mean the same thing."""

import re
from functools import lru_cache

LONGEST = 40
"""Characters of the longest label that is shown, unless a setting says otherwise."""

_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and another are as at be big by facing for from front has her his in into is it its large left like "
        "little looking lying of off on one or out over right shape side sideways sitting small some standing that "
        "the their to top two under up upside very view wearing with back down inside next old open young area areal "
        "aerial",
    )
)
_GROUPS = (
    "man woman person people human lady girl boy guy nun priest pope monk king queen emperor chef dancer runner goalie "
    "student graduate child kid baby soldier princess angel boxer knight wizard witch clown player mother father",
    "bird duck goose swan chicken rooster hen turkey eagle hawk parrot flamingo pelican crane ostrich penguin owl "
    "pigeon dove crow seagull chick",
    "dog puppy wolf fox hound poodle",
    "cat kitten lion tiger panther",
    "fish shark whale dolphin goldfish",
    "horse pony donkey mule camel llama giraffe deer moose goat sheep cow bull",
    "rabbit bunny hare kangaroo",
    "butterfly moth bat insect bug bee",
    "house home building church barn hut cabin castle tower temple factory",
    "boat ship sailboat canoe yacht",
    "car truck van bus tank tractor",
    "plane airplane jet aircraft rocket spaceship shuttle kite",
    "table desk bench counter stand",
    "chair armchair sofa couch throne seat",
    "lamp light lantern candle torch",
    "cup mug goblet glass bowl trophy vase jar pot kettle teapot pitcher bottle dish",
    "well fountain faucet sink",
    "hammer mallet axe cleaver anvil wrench",
    "hat cap crown helmet",
    "tree flower plant bush palm",
    "stove oven furnace fireplace chimney",
    "pyramid mountain hill volcano",
    "can canister bucket barrel",
    "arrow pointer",
    "gun pistol rifle",
    "robot android machine",
    "snail shell turtle tortoise",
    "snake worm",
    "bridge arch gate",
    "face head mask",
)
_GROUP_OF = {word: f"={number}" for number, words in enumerate(_GROUPS) for word in words.split()}


def clean(label: str) -> str:
    """A label without the article in front and the full stop behind."""
    return re.sub(r"^(?:an?|the|some) ", "", " ".join(label.split()).strip(" .,;"), flags=re.IGNORECASE)


def is_usable(label: str, longest: int = LONGEST) -> bool:
    """Whether a cleaned label can be shown: words, not UNKNOWN, no second sentence, `longest` characters or fewer."""
    plain = label.isprintable() and not re.search(r"[.!?;:] |[\"\[\]<>{}]", label)
    return plain and len(label) <= longest and label.lower() != "unknown" and bool(stems(label))


def words(label: str) -> frozenset[str]:
    """The content words of a label as stems, and the groups of synonyms that they are in, as `=` and a number."""
    return _words(label)


def stems(label: str) -> frozenset[str]:
    """The content words of a label as stems, without groups: two labels with the same ones say the same."""
    return frozenset(word for word in _words(label) if not word.startswith("="))


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two labels could mean the same thing: a word or a group shared, or a word of one within the other's."""
    if not one.isdisjoint(other):
        return True
    return any(_within(a, b) for a in one for b in other)


@lru_cache(maxsize=65_536)
def _words(label: str) -> frozenset[str]:
    found = re.findall(r"[^\W\d_]+", label.lower())
    content = [word for word in found if word not in _EMPTY_WORDS and len(word) > 1]
    # a label of nothing but such words, as "top", is its words
    stems = {_stem(word) for word in content or found}
    return frozenset(stems | {_GROUP_OF[stem] for stem in stems if stem in _GROUP_OF})


def _stem(word: str) -> str:
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: len(word) - len(ending)] + kept
    return word[:-3] if word.endswith("ing") and len(word) > 6 else word


def _within(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and short[0] != "=" and short in long
