"""The test items of the generated release: questions built by rule from small vocabularies, no sentence of anyone's.

One item is one multiple-choice question over a picture that nobody drew; the picture decides the label, so that the
label is drawn and not derived. Proportions and quirks follow the M3CoT test split, contents do not.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

LETTERS = "ABCDE"
NONE_HOLDS = "none of the listed options"

# Counts of the released test split (2,318 items).
OPTION_COUNTS = {2: 146, 3: 781, 4: 1244, 5: 147}
LABEL_WEIGHTS = {2: (50, 50), 3: (34, 34, 32), 4: (27, 27, 26, 20), 5: (20, 20, 20, 20, 20)}
TOPIC_FLOOR = 12

WORDS: dict[str, tuple[str, ...]] = {
    "tint": ("red", "blue", "green", "yellow", "grey", "orange", "striped"),
    "thing": ("cart", "kite", "bench", "lantern", "basket", "boat", "ladder", "barrel", "gate"),
    "place": ("harbour", "market", "orchard", "station", "library", "meadow", "workshop", "quay"),
    "who": ("gardener", "baker", "cyclist", "teacher", "painter", "ferryman", "young couple"),
    "prey": ("snails", "reeds", "beetles", "minnows", "moss"),
    "rhyme": ("boon", "fate", "sand", "bold"),
    "measure": ("output a head", "wage bill", "trade balance", "yearly surplus"),
}


class Frame(NamedTuple):
    """One way of asking: texts with {slots}, and options that the picture, or a sum over n and m, decides between."""

    category: str
    context: str
    question: str
    options: tuple[str, ...] = ()
    value: Callable[[int, int], int] | None = None


class Branch(NamedTuple):
    """One subtopic under its topic: its count in the released test split and its ways of asking."""

    domain: str
    topic: str
    subtopic: str
    weight: int
    frames: tuple[Frame, ...]


@dataclass(frozen=True)
class Item:
    """One generated test item; `ease` (log odds, mean near 0) and `lure` (a wrong letter) are shared by all models."""

    id: str
    category: str
    context: str
    question: str
    choices: tuple[str, ...]
    image_id: str
    answer: str
    domain: str
    topic: str
    prompt_question: str
    prompt_choices: tuple[str, ...]
    ease: float
    lure: str

    def record(self) -> dict[str, object]:
        """The item as a line of the release's items file, with `provenance` as its only further key."""
        return {
            "id": self.id,
            "category": self.category,
            "context": self.context,
            "question": self.question,
            "choices": list(self.choices),
            "image_id": self.image_id,
            "answer": self.answer,
            "domain": self.domain,
            "topic": self.topic,
            "provenance": "generated: drawn by rule from a seed, neither observed nor quoted",
        }


_ORDERS = ("1, 2, 3", "2, 1, 3", "3, 1, 2", "1, 3, 2", "2, 3, 1", "3, 2, 1")
_TITLES = ("The Quiet {place}", "The quiet {place}", "the quiet {place}", "the Quiet {place}", "THE QUIET {place}")
_ON_SHEET = tuple(f"option {letter} of the picture" for letter in LETTERS)
_EVENTS = ("a wedding", "a concert", "a market day", "a farewell party", "a rehearsal", "a boat race")
_PLACES = ("at the harbour", "in a school yard", "at the old harbour", "on a ferry", "in a kitchen", "in a theatre")
_MOODS = ("curious", "tired", "amused", "worried", "indifferent", "very tired")
_PAIRS = ("they have just met", "they are old friends", "one teaches the other", "they wait", "they work side by side")
_NEXT = ("sit down and rest", "cross the road", "rest", "open the gate", "call for help", "pack everything away")
_FIGURES = ("metaphor", "simile", "mixed metaphor", "hyperbole", "personification", "alliteration")
_POINTS = ("the shop opens later", "bread is cheaper", "the road is closed", "the road is closed on Sunday", "rain")
_EATERS = ("the heron", "the water snail", "the grey heron", "the otter", "the heron chick", "the pike")
_FORMS = ("two dominant forms", "two recessive forms", "one form of each kind", "one form only", "no such gene")
_FLASKS = ("flask 1", "flask 2", "neither; it is the same in both", "both in turn", "the picture does not show it")
_PULLS = ("they attract", "they repel", "they attract, then repel", "neither of the two", "it depends on their weight")
_SHAPES = ("a swan", "a runner", "a sailing boat", "a chair", "a fox", "a kneeling runner", "a teapot")
_LANDS = tuple(f"Country {number} has the highest figure" for number in range(1, 7))
_SUMS = ("-{n}.{m} x 10^9 $", "{m}.{n} x 10^9 $", "{n}{m}.5 x 10^9 $", "0.{m}{n} x 10^9 $", "-{m}{n}.{n} x 10^9 $")
_SIDES = ("in the north", "in the east", "in the south", "in the west", "in the middle", "near the pier")
_CLIMATES = ("dry summers", "wet winters", "mild, wet winters", "long frost", "even all year", "summers without rain")
_COUNTS = ("0", "1", "2", "3", "4", "5")

BRANCHES: tuple[Branch, ...] = (
    Branch("commonsense", "physical-commonsense", "physical-commonsense", 21, (
        Frame("generated object purpose", "", "What is the {tint} {thing} by the {place} most likely for?",
              ("to carry water", "to keep birds away", "to mark the path", "to hold a gate open", "to give shade")),)),
    Branch("commonsense", "physical-commonsense", "physics", 69, (
        Frame("generated materials", "", "What is the {tint} {thing} in the picture most likely made of?",
              ("wood", "woven straw", "painted metal", "glass", "clay", "metal")),)),
    Branch("commonsense", "social-commonsense", "social-commonsense", 193, (
        Frame("generated event", "", "Which event does the gathering at the {place} suggest?", _EVENTS),
        Frame("generated location", "", "Where was the picture of the {who} most likely taken?", _PLACES),
        Frame("generated feeling", "", "What does the {who} feel about the person(s) near the {thing}?", _MOODS))),
    # As in the release, where the 49 items of this subtopic have no category.
    Branch("commonsense", "social-commonsense", "synthesis-problem", 49, (
        Frame("", "", "What can be said of the two people at the {place}, one of them a {who}?", _PAIRS),)),
    Branch("commonsense", "temporal-commonsense", "mathematics", 98, (
        Frame("generated event order", "", "In which order do the panels with the {who} belong?", _ORDERS),)),
    Branch("commonsense", "temporal-commonsense", "temporal-commonsense", 25, (
        Frame("generated next event", "", "What will the {who} at the {place} most likely do next?", _NEXT),)),
    Branch("science", "language-science", "figurative-language", 19, (
        Frame("generated figures", "The {place} was a sleeping cat, says the caption.",
              "Which figure of speech is in the caption?", _FIGURES),)),
    Branch("science", "language-science", "grammar", 47, (
        Frame("generated capitals", "", "Which title is written as on the cover?", _TITLES),
        Frame("generated sentence kinds", "The sign says: Past the {place}, and slowly.", "What is on the sign?",
              ("a sentence", "a fragment", "a run-on", "a run-on sentence", "a heading")))),
    Branch("science", "language-science", "phonological-awareness", 21, (
        Frame("generated rhymes", "", "Which pictured word rhymes with {rhyme}?",
              ("moon", "late", "hand", "cold", "green", "grand")),)),
    Branch("science", "language-science", "reading-comprehension", 21, (
        Frame("generated main point", "", "Read the note pinned to the {thing}.\nWhat is its main point?", _POINTS),)),
    Branch("science", "language-science", "writing-strategies", 103, (
        Frame("generated drafts", "", "The draft about the {place} has one slip.\nWhich pictured version mends it?",
              _ON_SHEET),)),
    Branch("science", "natural-science", "biology", 256, (
        Frame("generated food webs", "The arrows point from the eaten to the eater.",
              "Which animal of the food web eats the {prey}?", _EATERS),
        Frame("generated traits", "In this plant a gene for petal colour has two forms; {tint} is recessive.",
              "What does the {tint} flower carry?", _FORMS))),
    Branch("science", "natural-science", "chemistry", 77, (
        Frame("generated particles", "Both flasks hold {n} particles of the same mass at different speeds.",
              "In which flask is the temperature higher?", _FLASKS),)),
    Branch("science", "natural-science", "physical-commonsense", 269, (
        Frame("generated sinking", "The water in the {tint} tub is at {n} °C.",
              "How many of the items in the picture will sink?", _COUNTS),)),
    Branch("science", "natural-science", "physics", 181, (
        Frame("generated magnets", "Two magnets of {n} cm lie as pictured.", "What will the magnets do?", _PULLS),)),
    Branch("science", "social-science", "cognitive-science", 106, (
        Frame("generated tile figures", "", "What does the {tint} figure of seven pieces look like?", _SHAPES),)),
    Branch("science", "social-science", "economics", 290, (
        Frame("generated comparison", "", "Which country of the table has the highest {measure}?", _LANDS),
        Frame("generated reckoning", "All figures are in dollars.", "What is the {measure} of country {n}?", _SUMS))),
    Branch("science", "social-science", "geography", 232, (
        Frame("generated depth", "Darker blue is deeper.", "Where is the {place} bay of the chart deepest?", _SIDES),
        Frame("generated climate", "", "What does the {tint} curve tell of the climate at the {place}?", _CLIMATES))),
    Branch("mathematics", "algebra", "mathematics", 140, (
        Frame("generated products", "", "The picture shows {n} rows of {m} tiles. How many tiles are there?",
              value=lambda n, m: n * m),
        Frame("generated checking", "", "I tried to add {n} and {m}. Which pictured solution is right?", _ON_SHEET))),
    Branch("mathematics", "geometry", "mathematics", 80, (
        Frame("generated perimeters", "", "A rectangle is {n} cm by {m} cm. What is its perimeter in cm?",
              value=lambda n, m: 2 * (n + m)),
        Frame("generated areas", "", "The legs of the right triangle are {n} cm and {m} cm. What is twice its area?",
              value=lambda n, m: n * m))),
    Branch("mathematics", "theory", "mathematics", 21, (
        Frame("generated remainders", "", "What is left when {m} pearls are laid in rows of {n}?",
              value=lambda n, m: m % n),)),
)  # fmt: skip

TOPIC_EASE = {
    "language-science": 0.4,
    "natural-science": 0.0,
    "social-science": -0.2,
    "physical-commonsense": 0.9,
    "social-commonsense": 0.7,
    "temporal-commonsense": 0.5,
    "algebra": -0.5,
    "geometry": -0.6,
    "theory": -0.4,
}


def shared_out(total: int, weights: Sequence[int], floor: int = 0) -> list[int]:
    """Whole numbers that add up to `total`, each at least `floor`, the rest by weight with the largest remainders."""
    low = [i for i, weight in enumerate(weights) if weight * total < floor * sum(weights)]
    if low and len(low) < len(weights):
        rest = [i for i in range(len(weights)) if i not in low]
        parts = shared_out(total - floor * len(low), [weights[i] for i in rest], floor)
        given = dict(zip(rest, parts, strict=True))
        return [given.get(i, floor) for i in range(len(weights))]
    exact = [weight * total / sum(weights) for weight in weights]
    counts = [math.floor(value) for value in exact]
    order = sorted(range(len(weights)), key=lambda i: (counts[i] - exact[i], i))
    for i in order[: total - sum(counts)]:
        counts[i] += 1
    return counts


def block(question: str, choices: Sequence[str], context: str) -> str:
    """The question with a second block of question, choices and context inside, as 1,357 released prompts have it."""
    return f"<QUESTION>\n{question}\n\n<CHOICE>\n{lettered(choices)}\n\n<CONTEXT>\n{context}"


def lettered(choices: Sequence[str]) -> str:
    """The options, one a line, each after its letter in parentheses."""
    return "\n".join(f"({letter}) {text}" for letter, text in zip(LETTERS, choices, strict=False))


def draw_items(items: int, rng: random.Random) -> list[Item]:
    """The test items, grouped by topic: exact numbers of options, every topic at least 12 where `items` allows it.

    Source: counts by subtopic, number of options and label of the released M3CoT test split (2,318 items).
    """
    topics = {branch.topic: 0 for branch in BRANCHES}
    for branch in BRANCHES:
        topics[branch.topic] += branch.weight
    by_topic = dict(
        zip(topics, shared_out(items, list(topics.values()), min(TOPIC_FLOOR, items // len(topics))), strict=True)
    )
    shares = shared_out(items, list(OPTION_COUNTS.values()))
    sizes = [size for size, share in zip(OPTION_COUNTS, shares, strict=True) for _ in range(share)]
    rng.shuffle(sizes)
    numbers = {name: iter(rng.sample(range(1, 4 * items), items)) for name in sorted({b.subtopic for b in BRANCHES})}
    drawn: list[Item] = []
    for topic, count in by_topic.items():
        branches = [branch for branch in BRANCHES if branch.topic == topic]
        pictures = iter(rng.sample(range(1, 3 * items), count))
        parts = shared_out(count, [branch.weight for branch in branches], 1)
        for branch, part in zip(branches, parts, strict=True):
            for turn in range(part):
                number, picture = next(numbers[branch.subtopic]), next(pictures)
                drawn.append(_item(branch, turn, number, picture, sizes[len(drawn)], rng))
    # Pictures are numbered by topic in the release, so that some ids are shared; here at least this one is.
    first, last = drawn[0], drawn[-1]
    return [*drawn[:-1], replace(last, image_id=first.image_id)]


def chances(items: Sequence[Item], skill: float) -> list[float]:
    """Each item's probability of a right reply: float in [0, 1], mean over the items = `skill`."""
    if skill in (0.0, 1.0):
        return [skill] * len(items)
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        mean = sum(1 / (1 + math.exp(-middle - item.ease)) for item in items) / len(items)
        low, high = (middle, high) if mean < skill else (low, middle)
    return [1 / (1 + math.exp(-low - item.ease)) for item in items]


def _item(branch: Branch, turn: int, number: int, picture: int, size: int, rng: random.Random) -> Item:
    frame = branch.frames[turn % len(branch.frames)]
    n, m = rng.randint(2, 9), rng.randint(11, 29) if frame.value else rng.randint(2, 9)
    fill: dict[str, object] = {name: rng.choice(words) for name, words in WORDS.items()} | {"n": n, "m": m}
    letter = rng.choices(LETTERS[:size], LABEL_WEIGHTS[size])[0]
    choices = _choices(frame, fill, size, turn, LETTERS.index(letter), rng)
    question, context = frame.question.format(**fill), frame.context.format(**fill)
    asked = _reworded(choices, rng) if rng.random() < 0.59 else choices
    # 93 released items of one subtopic carry the block in the question itself, most science prompts only there.
    nested = "sinking" in frame.category and turn % 3 == 0
    if nested:
        question = block(question, choices, context)
    in_prompt = not nested and branch.domain == "science" and rng.random() < 0.83
    return Item(
        id=f"{branch.subtopic}-{number}",
        category=frame.category,
        context=context,
        question=question,
        choices=choices,
        image_id=f"generated-{picture}",
        answer=letter,
        domain=branch.domain,
        topic=branch.topic,
        prompt_question=block(question, asked, context) if in_prompt else question,
        prompt_choices=asked,
        ease=TOPIC_EASE[branch.topic] + rng.gauss(0.0, 1.4),
        lure=rng.choice([other for other in LETTERS[:size] if other != letter]),
    )


def _choices(
    frame: Frame, fill: dict[str, object], size: int, turn: int, label: int, rng: random.Random
) -> tuple[str, ...]:
    if frame.value is not None:
        right = frame.value(int(str(fill["n"])), int(str(fill["m"])))
        near = [right + step for step in (-3, -2, -1, 1, 2, 3, 10) if right + step >= 0]
        wrong = [str(value) for value in rng.sample(near, size - 1)]
        return (*wrong[:label], str(right), *wrong[label:])
    if frame.options is _ON_SHEET:
        return frame.options[:size]
    if frame.options is _TITLES or turn % 4:
        texts = [text.format(**fill) for text in rng.sample(frame.options, size)]
    else:
        # Neighbours in the lists above hold options that lie inside one another.
        start = rng.randint(0, len(frame.options) - size)
        texts = [text.format(**fill) for text in frame.options[start : start + size]]
        rng.shuffle(texts)
    if size > 2 and rng.random() < 0.25:
        texts[-1] = NONE_HOLDS
    return tuple(texts)


def _reworded(choices: Sequence[str], rng: random.Random) -> tuple[str, ...]:
    # The release changed the wording of options after the models had been asked.
    wording = rng.choice(("{0}.", "it is {0}", "{1}", "{1}, as pictured"))
    return tuple(wording.format(text, text[:1].upper() + text[1:]) for text in choices)
