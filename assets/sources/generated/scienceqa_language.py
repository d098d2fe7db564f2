"""Language science for the generated ScienceQA: words and signs that only the picture shows."""

import random

from assets.sources.generated.drawing import COLOURS, INK, Sheet, sheet
from assets.sources.generated.problem import Family, Problem, say, see

LANGUAGE = "language science"
RHYMES = (
    ("moon", "spoon", "tune", "June"),
    ("cake", "lake", "snake", "rake"),
    ("light", "kite", "night", "white"),
    ("bear", "chair", "pear", "square"),
    ("boat", "coat", "goat", "note"),
    ("train", "rain", "plane", "chain"),
    ("door", "floor", "four", "shore"),
    ("mouse", "house", "blouse"),
)
GOALS = (
    ("bed", "You are tired and would like to sleep."),
    ("cup", "You are thirsty and would like a hot drink."),
    ("boat", "You would like to row on the lake."),
    ("tree", "You would like to walk in the wood."),
)


def rhyming(rng: random.Random) -> Problem:
    """A word on top and three on cards, all only in the picture: which card rhymes."""
    page = sheet(rng, (220, 270), (110, 140))
    group, *others = rng.sample(RHYMES, 3)
    top, right = rng.sample(group, 2)
    words = [right, rng.choice(others[0]), rng.choice(others[1])]
    rng.shuffle(words)
    page.box(page.width / 2 - 44, 8, page.width / 2 + 44, 42, "#fff3c4")
    page.text(page.width / 2, 25, top, 16)
    step = page.width / 3
    for place, word in enumerate(words):
        page.box(place * step + 6, 62, (place + 1) * step - 6, 92, "#ffffff")
        page.text((place + 0.5) * step, 77, word, 14)
        page.text((place + 0.5) * step, 101, f"card {place + 1}", 10)
    place = words.index(right)
    away = [word for word in words if word != right]
    steps = (
        see(f"The card on top has the word {top} on it."),
        see(f"The three cards below have the words {', '.join(words[:2])} and {words[2]}."),
        say(f"The words {top} and {right} end in the same sound."),
        say(f"The words {away[0]} and {away[1]} end differently."),
        say(f"So card {place + 1} is the one that rhymes."),
    )
    cards = [f"card {number}" for number in (1, 2, 3)]
    question = rng.choice(
        ("Which card has a word that rhymes with the word on top?", "Which card rhymes with the top card?")
    )
    return Problem(question, cards[place], tuple(c for c in cards if c != cards[place]), steps, page.image,
                   LANGUAGE, "word-study", "Rhyming", "Find rhyming words",
                   lecture="Rhyming words end in the same sound.")  # fmt: skip


def _pictogram(page: Sheet, x: float, y: float, name: str) -> None:
    if name == "bed":
        page.box(x - 14, y, x + 14, y + 6, COLOURS["brown"])
        page.box(x - 14, y - 8, x - 11, y + 10, COLOURS["brown"])
        page.box(x - 10, y - 5, x - 2, y, "#ffffff")
    elif name == "cup":
        page.box(x - 8, y - 6, x + 6, y + 9, "#ffffff", INK, 2)
        page.ball(x + 9, y + 1, 4, None, INK, width=2)
    elif name == "boat":
        page.shape([(x - 14, y + 2), (x + 14, y + 2), (x + 8, y + 10), (x - 8, y + 10)], COLOURS["red"])
        page.shape([(x, y - 12), (x + 10, y), (x, y)], "#ffffff")
    else:
        page.box(x - 2, y + 2, x + 2, y + 11, COLOURS["brown"])
        page.shape([(x, y - 12), (x + 10, y + 3), (x - 10, y + 3)], COLOURS["green"])


def signpost(rng: random.Random) -> Problem:
    """A board of pictograms and arrows: which way it sends a person with a wish."""
    page = sheet(rng, (170, 220), (150, 190))
    shown = rng.sample(GOALS, 3)
    ways = [rng.choice(("left", "right", "straight on")) for _ in shown]
    asked = rng.randrange(3)
    step = (page.height - 30) / 3
    for row, ((name, _), way) in enumerate(zip(shown, ways, strict=True)):
        y = 12 + (row + 0.5) * step
        page.box(14, y - step / 2 + 3, page.width - 14, y + step / 2 - 3, "#dcebf7")
        _pictogram(page, page.width * 0.32, y, name)
        x = page.width * 0.7
        dx, dy = {"left": (-20, 0), "right": (20, 0), "straight on": (0, -17)}[way]
        page.arrow(x - dx, y - dy, x + dx, y + dy, COLOURS["blue"], 5)
    page.box(page.width / 2 - 4, page.height - 17, page.width / 2 + 4, page.height, COLOURS["grey"])
    (name, wish), answer = shown[asked], ways[asked]
    level = ("top", "middle", "bottom")[asked]
    arrows = {"left": "to the left", "right": "to the right", "straight on": "upwards"}
    steps = (
        say(f"Of the pictograms, a {name} fits this wish."),
        see(f"The {name} stands in the {level} row of the sign."),
        see(f"The arrow in that row points {arrows[answer]}."),
        say(f"So the sign sends you {answer}."),
    )
    texts = ("left", "right", "straight on")
    return Problem(f"{wish} Which way does the sign send you?", answer, tuple(t for t in texts if t != answer), steps,
                   page.image, LANGUAGE, "reading-comprehension", "Visual elements", "Read signs without words",
                   "An arrow that points upwards means straight on.")  # fmt: skip


FAMILIES: tuple[tuple[Family, int], ...] = ((rhyming, 3), (signpost, 7))
