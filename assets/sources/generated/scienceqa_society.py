"""Biology, earth and society for the generated ScienceQA: answers that hang on two or more things seen."""

import math
import random

from assets.sources.generated.drawing import COLOURS, INK, Sheet, sheet
from assets.sources.generated.problem import Family, Problem, say, see, with_articles

NATURAL, SOCIAL = "natural science", "social science"
TRAITS = (
    ("pea plants", "flower colour", "purple flowers", "white flowers", "F"),
    ("rabbits", "coat", "black coats", "brown coats", "B"),
    ("tomato plants", "stem", "tall stems", "dwarf stems", "T"),
    ("cats", "ears", "straight ears", "curled ears", "E"),
)
LIVING = ("reed", "moss", "algae", "snail", "beetle", "minnow", "vole", "frog", "heron", "otter", "pike", "owl")
PLACES = ("mill", "harbour", "chapel", "quarry", "ferry", "orchard", "lighthouse", "market")
LANDS = ("Norland", "Estria", "Talmark", "Veyland", "Ostrin Isle", "Kelder", "Morvia", "Pelland")
SEASONS = {"spring": "green", "summer": "yellow", "autumn": "orange", "winter": "blue"}


def punnett(rng: random.Random) -> Problem:
    """A Punnett square of two parents: how many of its boxes show the recessive or the dominant form."""
    page = sheet(rng, (180, 230), (160, 200))
    animals, trait, strong, weak, letter = rng.choice(TRAITS)
    big, small = letter, letter.lower()
    parents = [rng.choice(((big, big), (big, small), (small, small))) for _ in range(2)]
    cells = [[a + b if a == big or b == small else b + a for a in parents[0]] for b in parents[1]]
    size, x0, y0 = rng.randint(50, 58), rng.randint(38, 48), rng.randint(30, 36)
    tint = {big + big: "#c9b3e0", big + small: "#dfd3ee", small + small: "#ffffff"}
    for row in range(2):
        page.text(x0 - 16, y0 + (row + 0.5) * size, parents[1][row], 18)
        page.text(x0 + (row + 0.5) * size, y0 - 14, parents[0][row], 18)
        for column in range(2):
            x, y = x0 + column * size, y0 + row * size
            page.box(x, y, x + size, y + size, tint[cells[row][column]], INK, 2)
            page.text(x + size / 2, y + size / 2, cells[row][column], 20)
    flat = [cell for line in cells for cell in line]
    recessive = rng.random() < 0.5
    asked = weak if recessive else strong
    number = sum((cell == small * 2) == recessive for cell in flat)
    texts = [f"{n} of 4" for n in range(5)]
    answer = texts[number]
    rule = f"only {small}{small} gives {weak}" if recessive else f"one {big} is enough for {strong}"
    steps = (
        see(f"Above the square stand the alleles {' and '.join(parents[0])} of one parent."),
        see(f"Beside it stand the alleles {' and '.join(parents[1])} of the other."),
        see(f"The four boxes read {', '.join(flat)}."),
        say(f"The allele {big} is dominant, so {rule}."),
        say(f"So {answer} boxes show offspring with {asked}."),
    )
    question = rng.choice((f"How many boxes of the Punnett square show {animals} with {asked}?",
                           f"How many of the offspring are expected to have {asked}?"))  # fmt: skip
    others = [text for text in texts if text != answer]
    return Problem(question, answer, tuple(rng.sample(others, rng.choice((2, 3, 4)))), steps, page.image, NATURAL,
                   "biology", "Genes to traits", "Use Punnett squares",
                   f"In these {animals}, the gene for the {trait} has two alleles. The allele {big} for {strong} is "
                   f"dominant over the allele {small} for {weak}.")  # fmt: skip


def food_web(rng: random.Random) -> Problem:
    """A web of five organisms: what can be reached from one of them along two arrows or more."""
    page = sheet(rng, (250, 300), (150, 190))
    # In the order of LIVING, which leads from what is eaten to what eats.
    names = [LIVING[place] for place in sorted(rng.sample(range(len(LIVING)), 5))]
    spots = [(0.5, 0.87), (0.2, 0.55), (0.8, 0.55), (0.24, 0.14), (0.76, 0.14)]
    places = [(x * page.width + rng.randint(-6, 6), y * page.height + rng.randint(-4, 4)) for x, y in spots]
    start, other = (1, 2) if rng.random() < 0.5 else (2, 1)
    top, free = rng.choice(((3, 4), (4, 3)))
    arrows = [(0, 1), (0, 2), (start, top), (other, free)]
    for a, b in arrows:
        (ax, ay), (bx, by) = places[a], places[b]
        length = math.hypot(bx - ax, by - ay)
        ux, uy = (bx - ax) / length, (by - ay) / length
        cut = min(17 / max(abs(uy), 0.01), 38)
        page.arrow(ax + ux * cut, ay + uy * cut, bx - ux * cut, by - uy * cut, COLOURS["green"], 2)
    for name, (x, y) in zip(names, places, strict=True):
        page.ball(x, y, 32, "#ffffff", INK, 0.42)
        page.text(x, y, name, 12)
    answer = names[top]
    wrong = [names[free], names[other], names[0]]
    steps = (
        see(f"An arrow leads from the {names[start]} to the {answer}."),
        see(f"No arrow leads from the {names[start]} to the {names[free]}."),
        see(f"The arrows at the {names[0]} only lead away from it."),
        say("An arrow points from what is eaten to what eats it."),
        say(f"So matter of the {names[start]} passes into the {answer}."),
    )
    question = f"Which of these organisms contains matter that was once part of the {names[start]}?"
    return Problem(question, answer, tuple(wrong[: rng.choice((1, 2, 3))]), steps, page.image, NATURAL, "biology",
                   "Ecosystems", "Interpret food webs", "The picture is a food web of a pond.")  # fmt: skip


def day_and_night(rng: random.Random, crossed: bool | None = None) -> Problem:
    """The sun on one side, a globe with a cross: day where the cross is on the lit side.

    `crossed`: whether the cross is on the left half; drawn where it is None. Nothing else depends on it.
    """
    page = sheet(rng, (220, 280), (100, 140))
    sun_left, cross_left = rng.random() < 0.5, rng.random() < 0.5
    cross_left = cross_left if crossed is None else crossed
    x, y, r = page.width / 2 + rng.randint(-20, 20), page.height / 2 + rng.randint(-6, 6), rng.randint(32, 38)
    sx = 24 if sun_left else page.width - 24
    page.ball(sx, y, rng.randint(14, 18), COLOURS["yellow"], COLOURS["orange"], width=2)
    page.ball(x, y, r, "#7fb4e6", INK, width=2)
    mark = (x + (-1 if cross_left else 1) * r * 0.5, y + rng.randint(-12, 12))
    for sign in (-1, 1):
        page.line([(mark[0] - 6, mark[1] - 6 * sign), (mark[0] + 6, mark[1] + 6 * sign)], COLOURS["red"], 4)
    side = {True: "left", False: "right"}
    day = sun_left == cross_left
    answer, other = ("day", "night") if day else ("night", "day")
    town = rng.choice(("town", "island", "camp", "harbour"))
    steps = (
        see(f"The sun stands to the {side[sun_left]} of the globe."),
        see(rng.choice(("The red cross lies on the {} half of the globe.",
                        "The {1} is marked on the {0} half.")).format(side[cross_left], town)),
        say("The half that is turned to the sun is lit, the other one is dark."),
        say(f"So the {town} lies on the {'lit' if day else 'dark'} half and has {answer}."),
    )  # fmt: skip
    question = rng.choice((f"Is it day or night at the {town} with the red cross?",
                           f"What time is it at the {town} that is marked in the picture?"))  # fmt: skip
    wrong = [other] + ["dusk everywhere on the globe"] * (rng.random() < 0.3)
    return Problem(question, answer, tuple(wrong), steps, page.image, NATURAL, "earth-science", "Astronomy",
                   "Day and night", with_articles(f"The red cross marks a {town}."))  # fmt: skip


def weather(rng: random.Random) -> Problem:
    """Rain by season as bars: the tallest or the lowest of four."""
    page = sheet(rng, (220, 280), (130, 170))
    amounts = rng.sample(range(2, 19), 4)
    most = rng.random() < 0.6
    floor, step = page.height - 24, (page.width - 30) / 4
    page.line([(24, 10), (24, floor), (page.width - 4, floor)], INK, 2)
    for place, (season, amount) in enumerate(zip(SEASONS, amounts, strict=True)):
        x, top = 30 + place * step, floor - amount * (floor - 26) / 18
        page.box(x, top, x + step - 10, floor, COLOURS[SEASONS[season]])
        page.text(x + (step - 10) / 2, top - 8, f"{amount}0", 10)
        page.text(x + (step - 10) / 2, floor + 11, season, 10)
    page.text(4, 8, "mm", 10, anchor="lm")
    order = sorted(zip(amounts, SEASONS, strict=True), reverse=most)
    (first, answer), (second, next_best) = order[:2]
    steps = (
        see(f"The {'tallest' if most else 'lowest'} bar stands over {answer} and shows {first}0 mm."),
        see(f"The next one is that of {next_best} with {second}0 mm."),
        say(f"{first}0 is {'more' if most else 'less'} than {second}0, and the other bars are further off."),
        say(f"So the {'most' if most else 'least'} rain falls in {answer}."),
    )
    land = rng.choice(LANDS)
    question = f"In which season does {land} get the {'most' if most else 'least'} rain?"
    return Problem(question, answer, tuple(s for s in SEASONS if s != answer), steps, page.image, NATURAL,
                   "earth-science", "Weather and climate", "Read climate graphs", "Bars show the rain of a season.",
                   "Climate is weather over many years.")  # fmt: skip


def directions(rng: random.Random) -> Problem:
    """A map with a compass that may be turned: in which direction one place lies from the other."""
    page = sheet(rng, (190, 240), (160, 200))
    winds = ("north", "east", "south", "west")
    turn, side = rng.randrange(4), rng.randrange(4)
    moves = ((0, -1), (1, 0), (0, 1), (-1, 0))
    here, there = rng.sample(PLACES, 2)
    x, y = page.width / 2 + rng.randint(-14, 14), page.height / 2 + rng.randint(-6, 14)
    reach = rng.randint(48, 58)
    ends = (x + moves[side][0] * reach, y + moves[side][1] * reach)
    page.line([(x, y), ends], "#c9b48a", 5)
    for (px, py), name, colour, above in (((x, y), here, "blue", side == 2), (ends, there, "red", side == 0)):
        page.ball(px, py, 8, COLOURS[colour])
        page.text(px, py + (-15 if above else 15), name, 12)
    cx, cy = page.width - 28, 28
    page.ball(cx, cy, 22, "#ffffff")
    dx, dy = moves[turn]
    page.arrow(cx - dx * 16, cy - dy * 16, cx + dx * 18, cy + dy * 18, INK, 3)
    page.text(cx + (9 if dy else 0) - dx * 10, cy + (10 if dx else 0) - dy * 10, "N", 11)
    words = ("to the top", "to the right", "to the bottom", "to the left")
    answer = winds[(side - turn) % 4]
    steps = (
        see(f"The compass arrow for north points {words[turn]} of the page."),
        see(f"On the page, the {there} lies from the {here} {words[side]}."),
        say(f"With north {words[turn]}, what lies {words[side]} is in the {answer}."),
        say(f"So the {there} lies {answer} of the {here}."),
    )
    question = f"In which direction does the {there} lie, seen from the {here}?"
    others = [wind for wind in winds if wind != answer]
    return Problem(question, answer, tuple(rng.sample(others, rng.choice((2, 3, 3)))), steps, page.image, SOCIAL,
                   "geography", "Maps", "Use a compass rose", "N on the compass stands for north.")  # fmt: skip


def trade(rng: random.Random) -> Problem:
    """Exports and imports as two bars: surplus, deficit or balance."""
    page = sheet(rng, (180, 240), (140, 180))
    outcome = rng.randrange(3)
    values = [rng.randint(2, 9)] * 2 if outcome == 2 else sorted(rng.sample(range(2, 10), 2), reverse=outcome == 0)
    floor, land = page.height - 24, rng.choice(LANDS)
    page.line([(14, floor), (page.width - 14, floor)], INK, 2)
    for place, (name, value, colour) in enumerate(
        zip(("exports", "imports"), values, ("green", "orange"), strict=True)
    ):
        x, top = page.width * (0.14 + 0.42 * place), floor - value * (floor - 30) / 9.5
        page.box(x, top, x + page.width * 0.3, floor, COLOURS[colour])
        page.text(x + page.width * 0.15, top - 9, f"{value} bn", 12)
        page.text(x + page.width * 0.15, floor + 11, name, 12)
    net = values[0] - values[1]
    counted = rng.random() < 0.3
    if counted:
        answer = f"{net} billion"
        others = [f"{n} billion" for n in sorted({-net, sum(values), net + 1, net - 2}) if n != net]
        texts = [answer, *rng.sample(others, 3)]
        question = f"What is the trade balance of {land}?"
    else:
        texts = ["a surplus", "a deficit", "neither; trade is balanced"]
        answer = texts[outcome]
        question = rng.choice(
            (f"Does {land} have a trade surplus or a deficit?", f"How does the trade of {land} stand?")
        )
    steps = (
        see(f"The green bar shows exports of {values[0]} billion."),
        see(f"The orange bar shows imports of {values[1]} billion."),
        say(f"The balance is exports less imports, {values[0]} - {values[1]} = {net} billion."),
        say("More exports than imports make a surplus, fewer make a deficit."),
        say(f"So the right choice is {answer}."),
    )
    return Problem(question, answer, tuple(t for t in texts if t != answer), steps, page.image, SOCIAL, "economics",
                   "Trade Balance Calculation", "Read trade figures", f"The bars show a year of {land}.")  # fmt: skip


def _person(page: Sheet, x: float, y: float, colour: str) -> None:
    page.ball(x, y - 9, 4, colour, None)
    page.shape([(x, y - 6), (x + 6, y + 8), (x - 6, y + 8)], colour, None)


def per_head(rng: random.Random) -> Problem:
    """Output and heads of two lands: which has more output a head."""
    page = sheet(rng, (230, 280), (110, 150))
    first, second = rng.sample(LANDS, 2)
    while True:
        heads = [rng.randint(1, 4) for _ in range(2)]
        each = [rng.randint(2, 9) for _ in range(2)]
        if each[0] != each[1]:
            break
    totals = [h * e for h, e in zip(heads, each, strict=True)]
    for row, (land, total, head) in enumerate(zip((first, second), totals, heads, strict=True)):
        y = page.height * (row + 0.5) / 2
        page.text(6, y - 16, f"{land}: output {total} bn", 12, anchor="lm")
        for place in range(head):
            _person(page, 20 + place * 24, y + 10, COLOURS[("blue", "purple")[row]])
    answer, other = (first, second) if each[0] > each[1] else (second, first)
    steps = (
        see(f"{first} has an output of {totals[0]} billion and {heads[0]} figure{'s' * (heads[0] > 1)}."),
        see(f"{second} has an output of {totals[1]} billion and {heads[1]} figure{'s' * (heads[1] > 1)}."),
        say("Each figure stands for a million people."),
        say(f"That makes {each[0]},000 a head in {first} and {each[1]},000 in {second}."),
        say(f"So the output a head is higher in {answer}."),
    )
    wrong = [other] + ["it is the same in both"] * (rng.random() < 0.5)
    return Problem(f"Which of the two has the higher output a head, {first} or {second}?", answer, tuple(wrong), steps,
                   page.image, SOCIAL, "economics", "Per capita GDP Comparison", "Compare output a head",
                   "One figure stands for a million people.")  # fmt: skip


def _inner(
    ring: tuple[float, float, float] | None, outer: tuple[float, float, float], turn: float, ratio: float
) -> float:
    """How far from the middle of `outer`, at this turn, `ring` ends: in the widths of `outer`."""
    if ring is None:
        return 0.0
    return max(
        step
        for step in range(int(outer[2]) + 1)
        if math.hypot(
            outer[0] + step * math.cos(turn) - ring[0], (outer[1] + step * ratio * math.sin(turn) - ring[1]) / ratio
        )
        <= ring[2]
    )


def altitude(rng: random.Random) -> Problem:
    """Bands of height with a legend, and two points on them: which one is higher."""
    page = sheet(rng, (220, 270), (150, 190))
    bands = ("#9fd08c", "#e6d27a", "#c98f4e", "#8a5a34")
    # The legend takes one side, the mountain the rest, its bands shifted towards one steep flank.
    left = rng.random() < 0.5
    wide = (page.width - 62) / 2
    x, y = wide + (62 if left else 0), page.height / 2
    ratio = (page.height / 2 - 6) / (wide - 4)
    steep, reach = rng.uniform(0, 2 * math.pi), rng.uniform(0, 0.1) * wide
    rings = [
        (x + reach * level * math.cos(steep), y + reach * level * ratio * math.sin(steep), (wide - 4) * share)
        for level, share in enumerate((1, 0.74, 0.5, 0.26))
    ]
    for (cx, cy, r), colour in zip(rings, bands, strict=True):
        page.ball(cx, cy, r, colour, INK, ratio)
    for level, colour in enumerate(bands):
        key, top = 6 if left else page.width - 54, page.height - 30 - level * 26
        page.box(key, top, key + 16, top + 16, colour)
        page.text(key + 20, top + 8, f"{level * 200 + 100} m", 10, anchor="lm")
    higher = rng.randrange(3)
    levels = [rng.randint(1, 2)] * 2 if higher == 2 else sorted(rng.sample(range(4), 2), reverse=higher == 0)
    away = rng.uniform(-1.0, 1.0)
    for place, (name, level) in enumerate(zip("AB", levels, strict=True)):
        # Towards the gentle flank the band is at its widest; the two points stand apart on it.
        turn = steep + math.pi + (0.7 if place else -0.7) + away * 0.4
        cx, cy, r = rings[level]
        inside = _inner(rings[level + 1] if level < 3 else None, rings[level], turn, ratio)
        far = (r + inside) / 2 if level < 3 else r * 0.5
        px, py = cx + far * math.cos(turn), cy + far * ratio * math.sin(turn)
        page.ball(px, py, 4, COLOURS["red" if place else "blue"], "#ffffff")
        page.text(px, py + 11, name, 13, "#000000")
    heights = [level * 200 + 100 for level in levels]
    texts = ("point A", "point B", "neither; both are equally high")
    answer = texts[higher]
    steps = (
        see(f"By the legend, point A lies {heights[0]} m above the sea."),
        see(f"Point B lies {heights[1]} m above the sea."),
        say(f"The two heights differ by {abs(heights[0] - heights[1])} metres."),
        say("Both are equally high." if answer == texts[2] else f"So {answer} is the higher one."),
    )
    question = rng.choice(
        ("Which point on the map is higher?", "Which of the two marked points lies higher above the sea?")
    )
    return Problem(question, answer, tuple(t for t in texts if t != answer), steps, page.image, SOCIAL, "geography",
                   "Altitude Comparison", "Read a height map", "Colours show height above the sea.")  # fmt: skip


FAMILIES: tuple[tuple[Family, int], ...] = (
    (punnett, 6),
    (food_web, 4),
    (day_and_night, 7),
    (weather, 7),
    (directions, 7),
    (trade, 7),
    (per_head, 4),
    (altitude, 6),
)
