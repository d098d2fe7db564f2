"""Problems of the generated ScienceQA that should not stay: the text suffices, or the picture serves one step only."""

import random

from assets.sources.generated.drawing import COLOURS, INK, Sheet, sheet
from assets.sources.generated.problem import Family, Problem, say, see
from assets.sources.generated.scienceqa_language import LANGUAGE, RHYMES
from assets.sources.generated.scienceqa_society import LANDS, NATURAL, SOCIAL

GENERA = ("Lumaria", "Tervola", "Quindra", "Ostella", "Pravidia", "Selnoma", "Brivus", "Corvella")
EPITHETS = ("minor", "vulgata", "rubens", "alpestris", "nivea", "palustris", "serena")
WHO = ("The baker", "My neighbour", "A young ferryman", "The old gardener", "Our teacher")
DID = ("painted the gate", "lost a glove", "mended the roof", "fed the hens", "sang by the river")
TOWNS = ("Arden Quay", "Brume", "Castelmoor", "Dunhollow", "Elmsport", "Fairwater", "Greyford", "Highlock")


def _decoration(rng: random.Random) -> Sheet:
    """A landscape that says nothing about any question."""
    page = sheet(rng, (160, 260), (100, 170))
    ground = page.height * rng.uniform(0.55, 0.75)
    page.box(0, 0, page.width, ground, rng.choice(("#cfe6f5", "#f5e3cf", "#dfe3f2")), None)
    page.box(0, ground, page.width, page.height, rng.choice(("#b5d39a", "#d9c79a", "#c9d8c0")), None)
    page.ball(rng.randint(20, page.width - 20), rng.randint(18, 40), rng.randint(8, 14), COLOURS["yellow"], None)
    for _ in range(rng.randint(2, 6)):
        x, y, r = rng.randint(10, page.width - 10), ground + rng.randint(-4, 20), rng.randint(8, 20)
        page.box(x - 2, y, x + 2, y + r, COLOURS["brown"], None)
        page.ball(x, y - r * 0.5, r, COLOURS[rng.choice(("green", "turquoise", "orange"))], INK)
    return page


def scientific_name(rng: random.Random) -> Problem:
    """Genus from a scientific name that the question gives."""
    genus, *others = rng.sample(GENERA, 4)
    first, second = rng.sample(EPITHETS, 2)
    answer = f"{genus} {second}"
    steps = (
        say(f"The scientific name {genus} {first} has two words."),
        say("Its first word is the genus."),
        say(f"Of the choices, only {answer} begins with {genus}, so it is in the same genus."),
    )
    return Problem(f"Which organism is in the same genus as {genus} {first}?", answer,
                   tuple(f"{name} {rng.choice((first, second))}" for name in others[: rng.choice((1, 2, 3))]), steps,
                   _decoration(rng).image, NATURAL, "biology", "Scientific names", "Use scientific names",
                   f"This organism's scientific name is {genus} {first}.", " ", needed=False)  # fmt: skip


def rhyming_text(rng: random.Random) -> Problem:
    """Rhymes among words that the choices give."""
    group, other, third = rng.sample(RHYMES, 3)
    asked, right = rng.sample(group, 2)
    steps = (
        say(f"The word {asked} ends in the same sound as {right}."),
        say("Words that end in the same sound rhyme."),
        say(f"So the word that rhymes is {right}."),
    )
    return Problem(f"Which word rhymes with {asked}?", right, (rng.choice(other), rng.choice(third)), steps,
                   _decoration(rng).image, LANGUAGE, "word-study", "Rhyming", "Find rhyming words",
                   needed=False)  # fmt: skip


def sentence(rng: random.Random) -> Problem:
    """Whether a line that the question quotes is a sentence."""
    who, did = rng.choice(WHO), rng.choice(DID)
    kind = rng.randrange(3)
    texts = ("a complete sentence", "a sentence fragment", "a run-on sentence")
    line = (f"{who} {did}.", f"{did.capitalize()} before noon.", f"{who} {did} it was late.")[kind]
    why = (
        "It has a subject and a verb and is one thought.",
        "It has no subject.",
        "It joins two sentences without a mark.",
    )
    steps = (say(f"The line reads {line.rstrip('.').lower()}."), say(why[kind]), say(f"So it is {texts[kind]}."))
    return Problem(f"What is the line below?\n\n{line}", texts[kind], tuple(t for t in texts if t != texts[kind]),
                   steps, _decoration(rng).image, LANGUAGE, "grammar", "Sentences, fragments, and run-ons",
                   "Identify fragments and run-ons", needed=False)  # fmt: skip


def experiment(rng: random.Random) -> Problem:
    """What a test could show, from a passage that tells it all."""
    thing, factor, effect = rng.choice((
        ("kites", "the length of the tail", "how steady it flew"),
        ("paper boats", "the thickness of the paper", "how long it stayed afloat"),
        ("candles", "the height of the glass", "how long it burned"),
        ("seedlings", "the amount of water", "how tall it grew"),
    ))  # fmt: skip
    number, who = rng.randint(3, 9), rng.choice(("Ada", "Bruno", "Cleo", "Dario", "Emi", "Farid"))
    answer = f"whether {factor} changes {effect}"
    wrong = (f"whether the day of the week changes {effect}", f"whether {factor} changes the price of {thing}")
    steps = (
        say(f"In the passage, {who} changed {factor} and nothing else."),
        say(f"For each of the {number} {thing}, {who} noted {effect}."),
        say("A test can only show the effect of what was changed on what was noted."),
        say(f"So the test could show {answer}."),
    )
    return Problem(f"Which of the following could the test with {number} {thing} show?", answer, wrong, steps,
                   _decoration(rng).image, NATURAL, "science-and-engineering-practices", "Designing experiments",
                   "Identify the experimental question",
                   f"{who} made {number} {thing} that differed in {factor} only. Of each, {who} wrote down {effect}. "
                   "Figure: the place of the test.", needed=False)  # fmt: skip


def adaptation(rng: random.Random) -> Problem:
    """What helps an animal, from a hint that describes it."""
    animal = rng.choice(("marsh runner", "dune hopper", "cliff gull", "stone fox", "ice hare"))
    part, use, off = rng.choice((
        ("long toes", "walk on soft mud", "hide in snow"),
        ("white fur", "hide in snow", "walk on soft mud"),
        ("a thick beak", "crack hard seeds", "catch fish under water"),
        ("webbed feet", "swim fast", "crack hard seeds"),
    ))  # fmt: skip
    steps = (
        say(f"The hint says that the animal has {part}."),
        say(f"With {part} an animal can {use}."),
        say(f"So the {animal} is adapted to {use}."),
    )
    return Problem(f"For what is the {animal} best adapted?", f"to {use}", (f"to {off}",), steps,
                   _decoration(rng).image, NATURAL, "biology", "Adaptations", "Adaptations of feet and beaks",
                   f"The {animal} is an animal with {part}.", needed=False)  # fmt: skip


def weather_text(rng: random.Random) -> Problem:
    """Weather or climate, from a passage alone."""
    land, climate = rng.choice(LANDS), rng.random() < 0.5
    passage = (f"In {land}, winters are mild and wet in most years.", f"This morning a storm broke over {land}.")[
        not climate
    ]
    answer, other = ("climate", "weather") if climate else ("weather", "climate")
    steps = (
        say("Weather is what the air does at one time, climate is what it does over many years."),
        say(f"The passage speaks of {'many years' if climate else 'one morning'}."),
        say(f"So it describes {answer}."),
    )
    return Problem(f"Does this passage about {land} describe the weather or the climate?", answer, (other,), steps,
                   _decoration(rng).image, NATURAL, "earth-science", "Weather and climate", "Weather and climate",
                   passage, needed=False)  # fmt: skip


def capital(rng: random.Random) -> Problem:
    """One marked land on a map; all the rest is in the hint."""
    page = sheet(rng, (200, 250), (130, 170))
    lands, towns = rng.sample(LANDS, 4), rng.sample(TOWNS, 4)
    asked = rng.randrange(4)
    for place, land in enumerate(lands):
        x, y = place % 2 * page.width / 2, place // 2 * page.height / 2
        page.box(x + 4, y + 4, x + page.width / 2 - 4, y + page.height / 2 - 4,
                 COLOURS["green"] if place == asked else "#e8e4da")  # fmt: skip
        page.text(x + page.width / 4, y + page.height / 4, land, 12)
    told = ", ".join(f"{town} is the capital of {land}" for town, land in sorted(zip(towns, lands, strict=True)))
    steps = (
        see(f"The land in green on the map is {lands[asked]}."),
        say(f"The hint says that {towns[asked]} is the capital of {lands[asked]}."),
        say(f"So the capital is {towns[asked]}."),
    )
    return Problem("What is the capital of the land that is marked in green?", towns[asked],
                   tuple(t for t in towns if t != towns[asked]), steps, page.image, SOCIAL, "geography",
                   "State capitals", "Identify capitals", f"{told}.")  # fmt: skip


def legs(rng: random.Random) -> Problem:
    """An animal whose number of legs is the one thing seen."""
    page = sheet(rng, (180, 240), (110, 150))
    number, answer, other = rng.choice(((6, "an insect", "a spider"), (8, "a spider", "an insect")))
    x, y = page.width / 2 + rng.randint(-12, 12), page.height / 2 + rng.randint(-8, 8)
    for place in range(number // 2):
        for side in (-1, 1):
            foot = y + (place - number / 4 + 0.5) * 22
            page.line(
                [(x, y + (place - number / 4 + 0.5) * 8), (x + side * 30, foot), (x + side * 44, foot + 12)], INK, 3
            )
    page.ball(x, y, 16, COLOURS[rng.choice(("brown", "grey", "red", "green"))], INK, 1.5)
    steps = (
        see(f"The animal in the picture has {number} legs."),
        say("Insects have six legs and spiders have eight."),
        say(f"So it is {answer}."),
    )
    return Problem(rng.choice(("What kind of animal is this?", "Is the animal in the picture an insect or a spider?")),
                   answer, (other,), steps, page.image, NATURAL, "biology", "Classification",
                   "Classify animals")  # fmt: skip


TEXT_SUFFICES: tuple[Family, ...] = (scientific_name, rhyming_text, sentence, experiment, adaptation, weather_text)
ONE_SEEN: tuple[Family, ...] = (capital, legs)
