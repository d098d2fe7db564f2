"""Physics and chemistry for the generated ScienceQA: answers that hang on two or more things seen."""

import math
import random

from assets.sources.generated.drawing import COLOURS, INK, Sheet, sheet
from assets.sources.generated.problem import Family, Problem, Step, say, see

NATURAL = "natural science"
POLES = {"north": ("N", COLOURS["red"]), "south": ("S", COLOURS["blue"])}
OTHER = {"north": "south", "south": "north"}
ELEMENTS = {
    "H": ("hydrogen", "#f4f4f4"),
    "O": ("oxygen", "#d0453b"),
    "C": ("carbon", "#505050"),
    "N": ("nitrogen", "#3b6fd0"),
    "Cl": ("chlorine", "#3a9a52"),
}
# The central atom and what is bound to it.
MOLECULES = (
    ("O", ("H", "H")),
    ("C", ("O", "O")),
    ("N", ("H", "H", "H")),
    ("C", ("H", "H", "H", "H")),
    ("O", ("O",)),
    ("H", ("Cl",)),
    ("C", ("O",)),
    ("N", ("N",)),
    ("C", ("Cl", "Cl", "Cl", "Cl")),
    ("N", ("Cl", "Cl", "Cl")),
    ("C", ("H", "H", "H", "Cl")),
    ("C", ("O", "Cl", "Cl")),
)
CHANGES = {
    ("solid", "liquid"): "melting",
    ("liquid", "solid"): "freezing",
    ("liquid", "gas"): "evaporation",
    ("gas", "liquid"): "condensation",
}


def _magnet(page: Sheet, x: float, y: float, long: float, high: float, left: str) -> None:
    for place, pole in enumerate((left, OTHER[left])):
        mark, colour = POLES[pole]
        start = x + place * long / 2
        page.box(start, y, start + long / 2, y + high, colour)
        page.text(start + long / 4, y + high / 2, mark, 14, "#ffffff")


def magnets_pull(rng: random.Random) -> Problem:
    """Two bar magnets in a row: whether they attract or repel hangs on the two poles that face each other."""
    page = sheet(rng, (220, 280), (84, 124))
    long, high, gap = rng.randint(66, 84), rng.randint(24, 36), rng.randint(12, 44)
    x, y = rng.randint(6, page.width - 2 * long - gap - 6), rng.randint(8, page.height - high - 8)
    left, right = rng.choice(("north", "south")), rng.choice(("north", "south"))
    _magnet(page, x, y, long, high, left)
    _magnet(page, x + long + gap, y, long, high, right)
    facing = OTHER[left], right
    alike = facing[0] == facing[1]
    answer, kind = ("repel", "like") if alike else ("attract", "unlike")
    steps = (
        see(rng.choice(("In the picture, the magnet on the left turns its {} pole to the gap.",
                        "The pole of the left magnet that lies next to the gap is its {} pole.")).format(facing[0])),
        see(rng.choice(("The magnet on the right turns its {} pole to the gap.",
                        "On the other side of the gap lies the {} pole of the right magnet.")).format(facing[1])),
        say(f"So two {kind} poles face each other."),
        say(rng.choice((f"{kind.capitalize()} poles {answer} each other.", f"As a rule, {kind} poles {answer}."))),
        say(f"These magnets will {answer} each other."),
    )  # fmt: skip
    question = rng.choice((
        "Will these two magnets attract or repel each other?",
        "What will the two bar magnets in the picture do to each other?",
        "The magnets are held as shown. What does each of them do to the other?",
    ))  # fmt: skip
    wrong = ("attract" if alike else "repel",)
    return Problem(question, answer, wrong, steps, page.image, NATURAL, "physics", "Magnets",
                   "Predict whether magnets attract or repel", "Two magnets are held near each other.",
                   "Like poles push each other away, unlike poles pull each other together.")  # fmt: skip


def magnets_strength(rng: random.Random) -> Problem:
    """Two pairs of magnets: the force is stronger in the pair with the narrower gap."""
    page = sheet(rng, (250, 310), (124, 160))
    long, high = rng.randint(60, 74), rng.randint(22, 28)
    place = rng.randrange(3)
    gaps = [rng.randint(2, 9)] * 2 if place == 2 else sorted(rng.sample(range(1, 10), 2), reverse=place == 1)
    poles = [(rng.choice(("north", "south")), rng.choice(("north", "south"))) for _ in gaps]
    x = rng.randint(40, max(41, page.width - 2 * long - 80))
    for row, (gap, (left, right)) in enumerate(zip(gaps, poles, strict=True)):
        y = page.height / 2 * row + rng.randint(14, 20)
        page.text(4, y + high / 2, f"pair {row + 1}", 10, anchor="lm")
        _magnet(page, x, y, long, high, left)
        _magnet(page, x + long + gap * 6, y, long, high, right)
        page.text(x + long + gap * 3, y + high + 9, f"{gap} cm", 10)
    texts = ("pair 1", "pair 2", "the same in both pairs")
    answer, wrong = texts[place], tuple(text for text in texts if text != texts[place])
    compared = "The two gaps are equally wide." if gaps[0] == gaps[1] else f"The narrower gap is that of {answer}."
    steps = (
        see(f"The magnets of pair 1 are {gaps[0]} cm apart."),
        see(rng.choice(("Those of pair 2 are {} cm apart.", "In pair 2 the gap measures {} cm.")).format(gaps[1])),
        say(compared),
        say("The magnets are alike, so only the distance matters."),
        say("The closer two magnets are, the stronger is the force between them."),
        say(f"So the force is {'the same in both pairs' if gaps[0] == gaps[1] else f'stronger in {answer}'}."),
    )
    question = rng.choice(("In which pair is the magnetic force stronger?",
                           "Where do the magnets act on each other with the greater force?"))  # fmt: skip
    return Problem(question, answer, wrong, steps, page.image, NATURAL, "physics", "Magnets",
                   "Compare the strength of magnetic forces", "All magnets in the picture are equally strong.",
                   "A magnetic force fades with distance.")  # fmt: skip


def particles(rng: random.Random) -> Problem:
    """Two boxes of particles with tails: the longer the tail, the faster the particle and the warmer the sample."""
    page = sheet(rng, (250, 300), (124, 160))
    warmer = rng.randrange(3)
    speeds = [rng.randint(1, 3)] * 2 if warmer == 2 else sorted(rng.sample((1, 2, 3), 2), reverse=warmer == 0)
    counts = [rng.randint(5, 9), rng.randint(5, 9)]
    colours = rng.sample(("green", "orange", "purple", "turquoise"), 2)
    half, top = page.width / 2, rng.randint(20, 26)
    for place, (speed, count, colour) in enumerate(zip(speeds, counts, colours, strict=True)):
        x0, x1, y0, y1 = place * half + 8, (place + 1) * half - 8, top, page.height - 6
        page.text((x0 + x1) / 2, top - 10, f"sample {'AB'[place]}", 12)
        page.box(x0, y0, x1, y1)
        tail = (10, 19, 30)[speed - 1]
        cells = rng.sample([(c, r) for c in range(3) for r in range(3)], count)
        for column, row in cells:
            x = x0 + (column + 0.8 + rng.uniform(-0.04, 0.04)) * (x1 - x0) / 3.2 + 3
            y = y0 + (row + 0.55 + rng.uniform(-0.1, 0.1)) * (y1 - y0) / 3.2 + 3
            turn = rng.choice((-1, 1)) * rng.uniform(-0.35, 0.35)
            page.line([(x, y), (x - tail * math.cos(turn), y + tail * math.sin(turn))], COLOURS["grey"], 3)
            page.ball(x, y, 6, COLOURS[colour])
    words = {1: "short", 2: "middling", 3: "long"}
    texts = ("sample A", "sample B", "neither; both are equally warm")
    answer, wrong = texts[warmer], tuple(text for text in texts if text != texts[warmer])
    steps = (
        see(
            f"The {counts[0]} particles of sample A have {words[speeds[0]]} tails, "
            f"which means a speed of {speeds[0]}00 m/s."
        ),
        see(f"The {counts[1]} particles of sample B have {words[speeds[1]]} tails and move at {speeds[1]}00 m/s."),
        say("Every particle has the same mass, so the faster ones have more kinetic energy on average."),
        say("How many particles there are does not change that average."),
        say("The temperature rises with the average kinetic energy."),
        say("Both samples are equally warm." if answer.startswith("n") else f"So {answer} has the higher temperature."),
    )
    question = rng.choice(("Which sample has the higher temperature?", "Compare the two samples. Which one is warmer?",
                           "In which sample is the average kinetic energy of a particle greater?"))  # fmt: skip
    return Problem(question, answer, wrong, steps, page.image, NATURAL, "physics", "Particle motion and energy",
                   "Identify how particle motion affects temperature",
                   "Each ball is a particle. The longer its tail, the faster it moves: a short tail means 100 m/s, a "
                   "middling one 200 m/s, a long one 300 m/s. All particles have the same mass.")  # fmt: skip


def forces(rng: random.Random) -> Problem:
    """A crate between two arrows: it moves the way of the greater force."""
    page = sheet(rng, (220, 280), (90, 130))
    amounts = [rng.randint(2, 9) * 10] * 2 if rng.random() < 0.22 else [n * 10 for n in rng.sample(range(2, 10), 2)]
    x, y, r = page.width / 2 + rng.randint(-8, 8), page.height / 2 + rng.randint(-8, 8), rng.randint(14, 20)
    load, colour = rng.choice((("crate", "brown"), ("trunk", "green"), ("sledge", "turquoise"), ("cart", "orange")))
    ends = (x - r - 12 - amounts[0] * 0.7, x + r + 12 + amounts[1] * 0.7)
    page.box(x - r, y - r, x + r, y + r, COLOURS[colour])
    page.line([(6, y + r + 2), (page.width - 6, y + r + 2)], INK, 2)
    page.arrow(x - r - 2, y, ends[0], y, COLOURS["red"], 5)
    page.arrow(x + r + 2, y, ends[1], y, COLOURS["blue"], 5)
    page.text(x - r - 6, y - 16, f"{amounts[0]} N", 12, anchor="rm")
    page.text(x + r + 6, y - 16, f"{amounts[1]} N", 12, anchor="lm")
    answers = ("to the left", "to the right", "it stays where it is")
    place = 2 if amounts[0] == amounts[1] else int(amounts[1] > amounts[0])
    net = abs(amounts[0] - amounts[1])
    steps = (
        see(rng.choice(("The red arrow shows a pull of {} N to the left.",
                        "To the left, a pull of {0} N acts on the {1}.")).format(amounts[0], load)),
        see(rng.choice(("The blue arrow shows a pull of {} N to the right.",
                        "To the right, a pull of {} N acts on it.")).format(amounts[1])),
        say(f"The forces act against each other, so {net} N are left of them."),
        say("A thing at rest starts to move the way of the net force." if net else "Balanced forces move nothing."),
        say(f"So the {load} stays where it is." if place == 2 else f"So the {load} starts to move {answers[place]}."),
    )  # fmt: skip
    question = rng.choice((f"The {load} was at rest. Which way does it start to move?",
                           f"Two children pull at a resting {load} as shown. What happens to it?"))  # fmt: skip
    return Problem(question, answers[place], tuple(a for a in answers if a != answers[place]), steps, page.image,
                   NATURAL, "physics", "Velocity, acceleration, and forces", "Find the net force",
                   "Friction is too small to matter.", "Forces in opposite directions are subtracted.")  # fmt: skip


def speeds(rng: random.Random) -> Problem:
    """Two cars with arrows: velocity is speed and direction."""
    page = sheet(rng, (230, 290), (100, 140))
    values = [rng.randint(2, 9) * 10] * 2 if rng.random() < 0.6 else [n * 10 for n in rng.sample(range(2, 10), 2)]
    ways = [rng.choice((-1, 1)) for _ in values]
    names = rng.sample(("red", "blue", "green", "yellow"), 2)
    for row, (value, way, name) in enumerate(zip(values, ways, names, strict=True)):
        y = page.height * (row + 0.5) / 2
        x = page.width / 2 + rng.randint(-20, 20)
        page.box(0, y + 13, page.width, y + 16, "#b0b0b0", None)
        page.shape([(x - 12, y - 12), (x + 10, y - 12), (x + 16, y), (x - 16, y)], COLOURS[name])
        page.box(x - 22, y - 2, x + 22, y + 9, COLOURS[name])
        for wheel in (x - 12, x + 12):
            page.ball(wheel, y + 10, 5, INK)
        page.arrow(x + way * 26, y + 2, x + way * (34 + value * 0.5), y + 2, INK, 3)
        page.text(x + way * (38 + value * 0.3), y - 10, f"{value} km/h", 10)
    same_speed, same_way = values[0] == values[1], ways[0] == ways[1]
    answers = ("the same velocity", "the same speed, but not the same velocity", "different speeds")
    place = 2 if not same_speed else int(not same_way)
    side = {-1: "left", 1: "right"}
    steps = (
        see(f"The {names[0]} car goes to the {side[ways[0]]} at {values[0]} km/h."),
        see(f"The {names[1]} car goes to the {side[ways[1]]} at {values[1]} km/h."),
        say(f"Their speeds are {'equal' if same_speed else 'different'}."),
        say(f"Their directions are {'the same' if same_way else 'opposite'}."),
        say("Two things have the same velocity only if both speed and direction agree."),
        say(f"So the cars have {answers[place]}."),
    )
    question = rng.choice(
        ("What do the two cars in the picture have?", "Which statement fits the motion of the two cars?")
    )
    return Problem(question, answers[place], tuple(a for a in answers if a != answers[place]), steps, page.image,
                   NATURAL, "physics", "Velocity, acceleration, and forces", "Compare velocities",
                   "Each arrow shows the direction in which a car moves.")  # fmt: skip


def concentration(rng: random.Random) -> Problem:
    """Two beakers with dots and volumes: particles for each millilitre decide."""
    page = sheet(rng, (220, 270), (140, 180))
    volumes = [rng.choice((20, 30, 40))] * 2 if rng.random() < 0.6 else [20, 40] if rng.random() < 0.5 else [40, 20]
    counts = [rng.randint(2, 11), rng.randint(2, 11)]
    if rng.random() < 0.22:
        counts[0] = rng.randint(1, 5) * volumes[0] // 10
        counts[1] = counts[0] * volumes[1] // volumes[0]
    colour = rng.choice(("green", "purple", "orange", "red"))
    floor = page.height - 24
    for place, (volume, count) in enumerate(zip(volumes, counts, strict=True)):
        x0 = page.width * place / 2 + rng.randint(12, 18)
        x1 = x0 + page.width / 2 - 32
        top = floor - volume * 2.4
        page.box(x0, top, x1, floor, "#cfe6f5", None)
        page.line([(x0, 14), (x0, floor), (x1, floor), (x1, 14)], INK, 2)
        page.text((x0 + x1) / 2, floor + 12, f"solution {'AB'[place]}: {volume} mL", 10)
        rows = max(2, volume // 10)
        for column, row in rng.sample([(c, r) for c in range(6) for r in range(rows)], count):
            x = x0 + (column + 0.5) * (x1 - x0) / 6
            y = top + 2 + (row + 0.5) * (floor - top - 4) / rows
            page.ball(x + rng.uniform(-1.5, 1.5), y + rng.uniform(-3, 3), 5, COLOURS[colour], None)
    shares = counts[0] * volumes[1], counts[1] * volumes[0]
    texts = ("solution A", "solution B", "neither; their concentrations are the same")
    answer = texts[2] if shares[0] == shares[1] else texts[shares[1] > shares[0]]
    per = [f"{count / volume:.3f}".rstrip("0").rstrip(".") for count, volume in zip(counts, volumes, strict=True)]
    steps = (
        see(f"Solution A holds {counts[0]} {colour} particle{'s' * (counts[0] > 1)} in {volumes[0]} mL."),
        see(f"Solution B holds {counts[1]} {colour} particle{'s' * (counts[1] > 1)} in {volumes[1]} mL."),
        say(f"That makes {per[0]} particles a millilitre in solution A and {per[1]} in the other one."),
        say(rng.choice(("The concentration is the number of particles for each millilitre.",
                        "What counts is how many particles share a millilitre."))),
        say("The concentrations are the same." if answer == texts[2] else f"So {answer} is the more concentrated one."),
    )  # fmt: skip
    question = rng.choice((f"Which solution has the higher concentration of {colour} particles?",
                           f"In which solution are the {colour} particles more concentrated?"))  # fmt: skip
    return Problem(question, answer, tuple(t for t in texts if t != answer), steps, page.image, NATURAL, "chemistry",
                   "Concentration Comparison", "Compare concentrations of solutions",
                   f"Each {colour} ball is one particle of what was dissolved.")  # fmt: skip


def density(rng: random.Random) -> Problem:
    """Three things in a tank: the higher one rests in the water, the less dense it is."""
    page = sheet(rng, (210, 260), (140, 180))
    forms = rng.sample(("cube", "ball", "prism"), 3)
    colours = rng.sample(("red", "green", "orange", "purple", "grey", "yellow"), 3)
    levels = rng.sample((0, 1, 2), 3)
    top, floor, r = 44, page.height - 12, rng.randint(13, 17)
    page.box(10, top, page.width - 10, floor, "#bfe0f2", None)
    page.line([(10, 14), (10, floor), (page.width - 10, floor), (page.width - 10, 14)], INK, 3)
    names = [f"the {colour} {form}" for colour, form in zip(colours, forms, strict=True)]
    for place, (form, colour, level) in enumerate(zip(forms, colours, levels, strict=True)):
        x = 10 + (page.width - 20) * (place + 0.5) / 3
        y = (top, (top + floor) / 2, floor - r - 1)[level]
        if form == "cube":
            page.box(x - r, y - r, x + r, y + r, COLOURS[colour])
        elif form == "ball":
            page.ball(x, y, r, COLOURS[colour])
        else:
            page.shape([(x, y - r), (x + r, y + r), (x - r, y + r)], COLOURS[colour])
    heavy = rng.random() < 0.5
    answer = names[levels.index(2 if heavy else 0)]
    how = {0: "floats at the surface", 1: "hovers in the middle of the water", 2: "lies on the bottom"}
    told = rng.sample(range(3), 3)
    compared = {0: "less dense than water", 1: "as dense as water", 2: "denser than water"}
    steps = (
        *(see(f"{names[i].capitalize()} {how[levels[i]]}.") for i in told),
        say("What sinks is denser than water, what floats is less dense, and what hovers is as dense."),
        say(f"Of the three, only {answer} is {compared[2 if heavy else 0]}."),
        say(f"So {answer} has the {'greatest' if heavy else 'smallest'} density."),
    )
    question = rng.choice(("Which of the three things has the {} density?",
                           "Three things were put into a tank of water. Which has the {} density?")).format(
        "greatest" if heavy else "smallest")  # fmt: skip
    return Problem(question, answer, tuple(n for n in names if n != answer), steps, page.image, NATURAL, "physics",
                   "Density Comparison", "Compare densities by floating and sinking")  # fmt: skip


def _formula(centre: str, arms: tuple[str, ...]) -> str:
    atoms = (centre, *arms)
    names = sorted(set(atoms), key=lambda name: (name != "C", name == "Cl", name != "N", name != "H", name))
    return "".join(name + (str(atoms.count(name)) if atoms.count(name) > 1 else "") for name in names)


def molecules(rng: random.Random) -> Problem:
    """A ball-and-stick model with its legend: the formula counts the balls of each colour."""
    page = sheet(rng, (200, 250), (150, 190))
    centre, arms = rng.choice(MOLECULES)
    x, y, turn, reach = page.width / 2, (page.height - 30) / 2, rng.uniform(0, 2 * math.pi), rng.randint(38, 44)
    spots = [(x + reach * math.cos(turn + 2 * math.pi * i / len(arms)), y + reach * math.sin(
        turn + 2 * math.pi * i / len(arms))) for i in range(len(arms))]  # fmt: skip
    for spot in spots:
        page.line([(x, y), spot], INK, 4)
    for (sx, sy), name in zip(spots, arms, strict=True):
        page.ball(sx, sy, 13, ELEMENTS[name][1])
    page.ball(x, y, 17, ELEMENTS[centre][1])
    shown = sorted({centre, *arms, *rng.sample(sorted(ELEMENTS), 1)})
    for place, name in enumerate(shown):
        page.ball(16 + place * 46, page.height - 14, 7, ELEMENTS[name][1])
        page.text(27 + place * 46, page.height - 14, name, 11, anchor="lm")
    answer = _formula(centre, arms)
    near = sorted({_formula(*other) for other in MOLECULES} - {answer})
    atoms = (centre, *arms)
    kinds: tuple[Step, ...] = tuple(
        see(f"The model has {atoms.count(n)} ball{'s' * (atoms.count(n) > 1)} in the colour of {ELEMENTS[n][0]}.")
        for n in sorted(set(atoms))
    )
    steps = (
        see(f"The legend gives a colour to each of {len(shown)} elements."),
        *kinds,
        say("A formula names each element with the number of its atoms."),
        say(f"So the formula is {answer}, and no other choice has these numbers."),
    )
    question = rng.choice(("What is the formula of the molecule in the picture?", "Which formula fits this model?"))
    return Problem(question, answer, tuple(rng.sample(near, rng.choice((2, 3, 3, 4)))), steps, page.image, NATURAL,
                   "chemistry", "Atoms and Molecules Recognize", "Read a ball-and-stick model",
                   "Balls are atoms and sticks are bonds.")  # fmt: skip


def states(rng: random.Random) -> Problem:
    """Particles before and after: the two arrangements name the change of state."""
    page = sheet(rng, (240, 290), (120, 150))
    change = rng.choice(list(CHANGES))
    colour = rng.choice(("blue", "green", "purple", "orange"))
    for place, state in enumerate(change):
        x0, y0 = place * (page.width / 2 + 8) + 8, rng.randint(22, 28)
        x1, y1 = x0 + page.width / 2 - 24, page.height - 6
        page.text((x0 + x1) / 2, y0 - 10, ("before", "after")[place], 12)
        page.box(x0, y0, x1, y1)
        if state == "gas":
            spots = rng.sample([(c, r) for c in range(5) for r in range(4)], 8)
            points = [(x0 + 10 + c * (x1 - x0 - 20) / 4, y0 + 10 + r * (y1 - y0 - 20) / 3) for c, r in spots]
        elif state == "liquid":
            points = [(x0 + 9 + c * (x1 - x0 - 18) / 6 + rng.uniform(-3, 3), y1 - 9 - r * 13 + rng.uniform(-2, 2))
                      for c in range(7) for r in range(3)]  # fmt: skip
        else:
            points = [((x0 + x1) / 2 + (c - 1.5) * 13, y1 - 8 - r * 13) for c in range(4) for r in range(5)]
        for x, y in points:
            page.ball(x, y, 6, COLOURS[colour])
    page.arrow(page.width / 2 - 8, page.height / 2 + 8, page.width / 2 + 8, page.height / 2 + 8, INK, 3)
    looks = {
        "solid": "stand in even rows, as in a solid",
        "liquid": "crowd at the bottom without any order, as in a liquid",
        "gas": "are far apart and fill the whole box, as in a gas",
    }
    answer = CHANGES[change]
    steps = (
        see(f"Before, the particles {looks[change[0]]}."),
        see(f"After, they {looks[change[1]]}."),
        say(f"So the sample goes from {change[0]} to {change[1]}."),
        say(f"The change from {change[0]} to {change[1]} is called {answer}."),
    )
    question = rng.choice(("Which change of state does the picture show?", "What has happened to the sample?"))
    others = [name for name in CHANGES.values() if name != answer]
    return Problem(question, answer, tuple(rng.sample(others, rng.choice((2, 3, 3)))), steps, page.image, NATURAL,
                   "physics", "States of matter", "Identify changes of state",
                   "Each ball is a particle of the same substance.")  # fmt: skip


FAMILIES: tuple[tuple[Family, int], ...] = (
    (magnets_pull, 9),
    (magnets_strength, 6),
    (particles, 9),
    (forces, 8),
    (speeds, 5),
    (concentration, 9),
    (density, 7),
    (molecules, 6),
    (states, 7),
)
