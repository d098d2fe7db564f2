"""What people call tangrams and their parts: labels cleaned, and whether two of them could mean the same thing."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

LONGEST = 40
"""Characters of the longest label that is shown, unless a setting says otherwise."""

_SHORTEST = 4
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"[^\W_]")
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
    "student graduate child kid baby soldier princess angel boxer knight wizard witch clown player mother father "
    "someone somebody anyone men women children couple skater golfer hiker builder geisha joker leader follower driver "
    "ballerina wrestler yogi aunt uncle blacksmith dealer umpire villain star flagman footballer preacher performer "
    "singer skydiver server pitcher guerilla driller gymnast guard swimmer surfer worker teacher doctor nurse waiter "
    "cowboy ninja samurai pirate diver athlete bride groom dude fellow "
    "ghost scarecrow nutcracker avatar "
    "skating gymnastics taekwondo prayer praying embrace embracing hug hugging",
    "bird duck goose swan chicken rooster hen turkey eagle hawk parrot flamingo pelican crane ostrich penguin owl "
    "pigeon dove crow seagull chick stork heron raven",
    "dog puppy wolf fox hound poodle",
    "cat kitten lion tiger panther",
    "fish shark whale dolphin goldfish eel manta ray",
    "seal sea otter walrus",
    "horse pony donkey mule camel llama giraffe deer moose goat sheep cow bull pegasus unicorn dromedary",
    "rabbit bunny hare kangaroo",
    "butterfly moth bat insect bug bee ant spider beetle fly wasp",
    "crab lobster scorpion crayfish shrimp spider claw pincer",
    "frog toad tadpole",
    "monkey ape gorilla guerilla",
    "dragon dinosaur monster lizard crocodile",
    "house home building church barn hut cabin castle tower temple factory cottage apartment garage silo mill industry "
    "chimney",
    "boat ship sailboat canoe yacht",
    "car truck van bus tank tractor train",
    "plane airplane jet aircraft rocket spaceship shuttle kite ufo missile firework",
    "table desk bench counter stand podium pedestal furniture platform bed",
    "stand booth kiosk stall",
    "chair armchair sofa couch throne seat stool bench lounge furniture bed",
    "lamp light lantern candle torch",
    "cup mug goblet glass bowl trophy vase jar pot kettle teapot pitcher bottle dish snifter jug urn basket ladle",
    "well fountain faucet sink tap pump basin toilet tub pool",
    "hammer mallet axe cleaver anvil wrench tool clamp pliers nutcracker drill driller screw",
    "knife sword dagger blade cleaver spear scabbard axe",
    "hat cap crown helmet hood",
    "collar shawl scarf cloak robe",
    "bow bowtie necktie tie ribbon",
    "tree flower plant bush palm rose tulip blossom bud",
    "stove oven furnace fireplace chimney",
    "chimney pipe exhaust duct",
    "pyramid mountain hill hils volcano cliff rock boulder valley plateau peak giza sphinx",
    "can canister bucket barrel tank bottle jar",
    "arrow pointer",
    "sign pole post pillar column",
    "gun pistol rifle cannon",
    "robot android machine printer scanner press vacuum console",
    "camera cam",
    "telephone phone",
    "box boxes present gift package crate",
    "envelope mail",
    "fan mill windmill propeller",
    "step stair staircase stairway ladder",
    "cookie cake biscuit snack sundae fries food",
    "snail shell turtle tortoise",
    "snake worm cobra serpent viper eel",
    "bridge arch gate tunnel",
    "face head mask",
    "hand glove fist",
)
_REAL_WORDS = (
    "angle area around back balance bald ball band bang bank barb base battle beach bead beagle beak beam bear "
    "beard beer bell belly belt bend bent bill bind black blow board book brick broad brow butt cable cart chain "
    "check chest chief chip class click cloth coach coat come cone container cover crest crop deck dinner disk "
    "diving dock doing door dress drive each fall fang fast feather feed feet fight finger fire flame flap flapping "
    "flipping float floor flying foot form formal frame free french frill from funnel giving globe going golf gown "
    "grass grip ground grow habit hack hair hamper handle hang hard having hear heart heat heel held high hilt hind "
    "hold hole hook hope horn hose hump inner item jack juice jump kick knee kneel knob knot kung lake land later "
    "lather laying lick limb limp link living loader loch lock loin look loose lower luck lying main mast meat "
    "metal might mold money month mouse mouth nail narrow near neck night normal nose open other outer over paint "
    "pale panel pant park part pear petal pick pile pill place planet plate pocket point porch power pray race rail "
    "ramp reach read ready rear rest right ring rise river road robed rocky roof room root rope round rump rushing "
    "sail sand sepal shade shake shaking shank shape sharp sheet shelf shin shoe shop show side silk site sleep "
    "slipping slope smell smoke snout socket soda soil some sound span spark spell spout sprayer stack stalk start "
    "stay steam steep stem stick stinger stone store storm strap straw switch tail tall there thick thigh thing "
    "thorn three toll torn touch track tray trip trough trunk tuned turn turned vent vest waist wait walk wall warm "
    "wash watch water waving wear wheel where while whip wind wine wing wish with wood word wrist"
)
_COARSE_WORDS = (
    "penis dick vagina boob butthole turd shit crap fuck fucker whore slut bitch stripper striptease porn sex sexual "
    "orgasm"
)
_DANGLING_WORDS = frozenset(
    re.findall(
        r"\w+",
        "and or but nor with without of to for from at by into onto upon between against toward towards than",
    )
)


def clean(label: str) -> str:
    """A label without the article in front and the full stop behind."""
    return re.sub(r"^(?:an?|the|some) ", "", " ".join(label.split()).strip(" .,;"), flags=re.IGNORECASE)


def is_usable(label: str, longest: int = LONGEST) -> bool:
    """Whether a cleaned label, of a whole or a part, can be shown.

    It is of words, not UNKNOWN, not coarse, without a second sentence, not broken off after `and` or `of`, and of
    `longest` characters or fewer.
    """
    plain = label.isprintable() and not re.search(r"[.!?;:] |[\"\[\]<>{}]", label)
    return plain and len(label) <= longest and label.lower() != "unknown" and bool(stems(label)) and _decent(label)


def is_usable_whole(label: str, longest: int = LONGEST) -> bool:
    """Whether a cleaned label of a whole can be shown: as any other, and of more than a single letter."""
    return is_usable(label, longest) and len(_LETTERS.findall(label)) > 1


def names(part: str, whole: str) -> bool:
    """Whether what a part is called gives away what the whole is called: all words of it, in singular or plural."""
    return _literal(whole) <= _literal(part)


def words(label: str) -> frozenset[str]:
    """The content words of a label as stems, and the groups of synonyms that they are in, as `=` and a number.

    A word that is in no group and could be a misspelt one of some is in theirs.
    """
    return _words(label)


def stems(label: str) -> frozenset[str]:
    """The content words of a label as stems, without groups: two labels with the same ones say the same."""
    return frozenset(word for word in _words(label) if not word.startswith("="))


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two labels could mean the same thing.

    They share a word or a group, a word of one is within a word of the other, or one could be the other misspelt.
    """
    if not one.isdisjoint(other):
        return True
    return any(_within(a, b) or _misspelt(a, b) for a in one for b in other)


def near(vocabulary: Iterable[str]) -> dict[str, set[str]]:
    """The words of a vocabulary that make two labels alike with each of its words, itself among them."""
    found = {word: {word} for word in vocabulary}
    spelt: dict[str, list[str]] = {}
    for word in found:
        for start in range(len(word)):
            for end in range(start + _SHORTEST, len(word) + 1):
                if (part := word[start:end]) in found and _within(part, word):
                    found[word].add(part)
                    found[part].add(word)
        for spelling in _spellings(word):
            spelt.setdefault(spelling, []).append(word)
    for kin in spelt.values():
        for one, other in combinations(kin, 2):
            if _misspelt(one, other):
                found[one].add(other)
                found[other].add(one)
    return found


@lru_cache(maxsize=65_536)
def _words(label: str) -> frozenset[str]:
    found = _WORD.findall(label.lower())
    content = [word for word in found if word not in _EMPTY_WORDS and len(word) > 1]
    # a label of nothing but such words, as "top", is its words
    stems = {_stem(word) for word in content or found}
    return frozenset(stems.union(*map(_groups, stems)))


@lru_cache(maxsize=65_536)
def _groups(stem: str) -> frozenset[str]:
    if stem in _KNOWN:
        return _GROUPS_OF.get(stem, frozenset())
    return frozenset().union(*(groups for known, groups in _GROUPS_OF.items() if _misspelt(stem, known)))


@lru_cache(maxsize=65_536)
def _literal(label: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in _WORD.findall(clean(label).lower()))


def _decent(label: str) -> bool:
    found = _WORD.findall(label.lower())
    dangling = len(found) > 1 and found[-1] in _DANGLING_WORDS and label[-1:].isalpha()
    return not dangling and _COARSE.isdisjoint(map(_stem, found))


def _within(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST and short[0] != "=" and short in long


def _misspelt(one: str, other: str) -> bool:
    """Whether one of two words could be the other with a letter wrong, more, less, or with its letters mixed up.

    Two words that are known to be words are not.

    Source: Damerau (1964); a distance of one, and anagrams besides.
    """
    if abs(len(one) - len(other)) > 1 or min(len(one), len(other)) < _SHORTEST or "=" in (one[0], other[0]):
        return False
    if one in _KNOWN and other in _KNOWN:
        return False
    if len(one) != len(other):
        short, long = sorted((one, other), key=len)
        return any(long[:place] + long[place + 1 :] == short for place in range(len(long)))
    return sum(a != b for a, b in zip(one, other, strict=True)) <= 1 or sorted(one) == sorted(other)


def _spellings(word: str) -> set[str]:
    """Keys of which two words share one if one of them could be the other misspelt."""
    if len(word) < _SHORTEST or word[0] == "=":
        return set()
    shorter = {word[:place] + word[place + 1 :] for place in range(len(word))}
    return {word, *shorter, f"={''.join(sorted(word))}"}


def _stem(word: str) -> str:
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: len(word) - len(ending)] + kept
    return word[:-3] if word.endswith("ing") and len(word) > 6 else word


def _by_stem(groups: Sequence[str]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for number, words in enumerate(groups):
        for stem in map(_stem, words.split()):
            found[stem] = found.get(stem, frozenset()) | {f"={number}"}
    return found


_GROUPS_OF = _by_stem(_GROUPS)
_KNOWN = frozenset(_GROUPS_OF) | frozenset(map(_stem, _REAL_WORDS.split()))
_COARSE = frozenset(map(_stem, _COARSE_WORDS.split()))
