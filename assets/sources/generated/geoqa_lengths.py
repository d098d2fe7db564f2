"""Problems of the generated GeoQA+ that ask for a length, a perimeter or an area; and all families together."""

import math
import random
from collections.abc import Callable

from assets.sources.generated import geoqa_problems as angles
from assets.sources.generated.geoqa_problems import Problem, Value, Words, lengths

TRIPLES = ((3, 4, 5), (4, 3, 5), (5, 12, 13), (12, 5, 13), (8, 15, 17), (15, 8, 17), (6, 8, 10), (8, 6, 10),
           (9, 12, 15), (12, 9, 15), (12, 16, 20), (16, 12, 20), (7, 24, 25), (10, 24, 26))  # fmt: skip
"""Legs and hypotenuse of right triangles with whole sides."""


def parallelogram(rng: random.Random) -> Problem:
    """The perimeter of a parallelogram with a bisector."""
    p, q, unit = rng.randint(3, 9), rng.randint(1, 5), rng.choice(("", "cm"))
    whole = 2 * (2 * p + q)
    east = p * math.cos(math.radians(rng.choice((58, 64, 70))))
    north = math.sqrt(p * p - east * east)
    points = {"B": (0.0, 0.0), "C": (float(p + q), 0.0), "A": (east, north), "D": (east + p + q, north),
              "E": (float(p), 0.0)}  # fmt: skip
    return Problem(
        "parallelogram", points, ("AB", "BC", "CD", "DA", "AE"), None,
        (("length", "BE", f"{p}"), ("length", "EC", f"{q}")), (p, q), 2,
        ("perimeter", "ABCD"), Value(whole, unit=unit), lengths(unit, 2 * p + q, 2 * (p + q), 4 * p + q, 2 * p + 4 * q),
        Words(
            ("quadrilateral ABCD is a parallelogram", "AE bisects ∠BAD", "AE intersects BC at point E",
             f"BE = {p}{unit}", f"EC = {q}{unit}"), "the perimeter of ▱ABCD is",
            ("ABCD is a parallelogram, so AD ∥ BC.", "Hence the alternate angles ∠DAE and ∠AEB are equal.",
             "AE bisects ∠BAD, so ∠BAE = ∠DAE = ∠AEB.", f"It follows that AB = BE = {p}{unit}.",
             f"BC = BE + EC = {p} + {q} = {p + q}{unit}.",
             f"Therefore the perimeter is 2 × ({p} + {p + q}) = {whole}{unit}.")),
        Words(
            ("四边形ABCD是平行四边形", "AE平分∠BAD", "AE交BC于点E", f"BE={p}{unit}", f"EC={q}{unit}"),
            "▱ABCD的周长为",
            ("∵四边形ABCD是平行四边形,∴AD∥BC,∴∠DAE=∠AEB。", f"∵AE平分∠BAD,∴∠BAE=∠AEB,∴AB=BE={p}{unit}。",
             f"BC=BE+EC={p + q}{unit}。", f"∴▱ABCD的周长为2×({p}+{p + q})={whole}{unit}。")),
    )  # fmt: skip


def rhombus(rng: random.Random) -> Problem:
    """The area of a rhombus from its diagonals."""
    x, y, z = rng.choice(TRIPLES[:8])
    unit = rng.choice(("", "cm"))
    area = 2 * x * y
    points = {"A": (-float(x), 0.0), "C": (float(x), 0.0), "B": (0.0, -float(y)), "D": (0.0, float(y)), "O": (0.0, 0.0)}
    square = f"{unit}²" if unit else ""
    return Problem(
        "rhombus", points, ("AB", "BC", "CD", "DA", "AC", "BD"), None,
        (("length", "AB", f"{z}"), ("length", "AO", f"{x}")), (z, x), 1,
        ("area", "ABCD"), Value(area, unit=square), lengths(square, x * y, x * z * 2, 4 * x * y, z * y),
        Words(
            ("quadrilateral ABCD is a rhombus", "the diagonals AC and BD intersect at point O", f"AB = {z}{unit}",
             f"OA = {x}{unit}"), "the area of rhombus ABCD is",
            ("ABCD is a rhombus, so AC ⊥ BD and each diagonal halves the other.",
             f"In the right triangle AOB, OB² = AB² - OA² = {z * z} - {x * x} = {y * y}.", f"Hence OB = {y}{unit}.",
             f"AC = 2OA = {2 * x}{unit} and BD = 2OB = {2 * y}{unit}.",
             f"Therefore the area is {2 * x} × {2 * y} ÷ 2 = {area}{square}.")),
        Words(
            ("四边形ABCD是菱形", "对角线AC与BD相交于点O", f"AB={z}{unit}", f"OA={x}{unit}"), "菱形ABCD的面积为",
            ("∵四边形ABCD是菱形,∴AC⊥BD,AC=2OA,BD=2OB。", f"在Rt△AOB中,OB²=AB²-OA²={y * y},∴OB={y}{unit}。",
             f"∴AC={2 * x}{unit},BD={2 * y}{unit}。", f"∴菱形ABCD的面积为{2 * x}×{2 * y}÷2={area}{square}。")),
    )  # fmt: skip


def midpoints(rng: random.Random) -> Problem:
    """The perimeter of the triangle of the midpoints of the sides."""
    half = sorted(rng.sample(range(4, 12), 3))
    while half[0] + half[1] <= half[2] + 1:
        half = sorted(rng.sample(range(4, 12), 3))
    rng.shuffle(half)
    x, y, z, unit = 2 * half[0], 2 * half[1], 2 * half[2], rng.choice(("", "cm"))
    whole = sum(half)
    b, c = (0.0, 0.0), (float(y), 0.0)
    east = (x * x + y * y - z * z) / (2 * y)
    a = (east, math.sqrt(x * x - east * east))
    points = {"A": a, "B": b, "C": c}
    points |= {
        name: ((one[0] + two[0]) / 2, (one[1] + two[1]) / 2)
        for name, one, two in (("D", a, b), ("E", b, c), ("F", c, a))
    }
    return Problem(
        "midpoints", points, ("AB", "BC", "CA", "DE", "EF", "FD"), None,
        (), (x, y, z), 1,
        ("perimeter", "DEF"), Value(whole, unit=unit), lengths(unit, 2 * whole, half[0] + half[1], x + y, x + half[1]),
        Words(
            ("in △ABC, D, E and F are the midpoints of AB, BC and CA", "connect DE, EF and FD", f"AB = {x}{unit}",
             f"BC = {y}{unit}", f"CA = {z}{unit}"), "the perimeter of △DEF is",
            ("D, E and F are midpoints, so DE, EF and FD are midlines of △ABC.",
             f"DE = CA ÷ 2 = {z // 2}{unit}.", f"EF = AB ÷ 2 = {x // 2}{unit}.", f"FD = BC ÷ 2 = {y // 2}{unit}.",
             f"Therefore the perimeter is {z // 2} + {x // 2} + {y // 2} = {whole}{unit}.")),
        Words(
            ("在△ABC中,D、E、F分别是AB、BC、CA的中点", "连接DE、EF、FD", f"AB={x}{unit}", f"BC={y}{unit}",
             f"CA={z}{unit}"), "△DEF的周长为",
            ("∵D、E、F分别是AB、BC、CA的中点,∴DE、EF、FD是△ABC的中位线。",
             f"∴DE=CA÷2={z // 2}{unit},EF=AB÷2={x // 2}{unit},FD=BC÷2={y // 2}{unit}。",
             f"∴△DEF的周长为DE+EF+FD={whole}{unit}。")),
    )  # fmt: skip


def altitude(rng: random.Random) -> Problem:
    """A leg of a right triangle of 30° from a part of its hypotenuse."""
    k, unit = rng.randint(2, 12), rng.choice(("", "cm"))
    root = math.sqrt(3)
    # A is at the left end of the hypotenuse, D its foot of the altitude.
    points = {"A": (0.0, 0.0), "B": (4.0, 0.0), "D": (3.0, 0.0), "C": (3.0, root)}
    return Problem(
        "altitude", points, ("AB", "BC", "CA", "CD"), None,
        (("angle", "BAC", "30°"), ("right", "ADC", ""), ("length", "BD", f"{k}")), (90, 30, k), 1,
        ("length", "AC"), Value(2 * k, 3, unit), (Value(k, 3, unit), Value(4 * k, 1, unit), Value(3 * k, 1, unit),
                                                  Value(4 * k, 3, unit)),
        Words(
            ("in △ABC, ∠ACB = 90°", "CD ⊥ AB at point D", "∠A = 30°", f"BD = {k}{unit}"), "the length of AC is",
            ("In △ABC, ∠B = 90° - 30° = 60°.", "CD ⊥ AB, so ∠BCD = 90° - 60° = 30°.",
             f"In the right triangle BCD, BC = 2BD = {2 * k}{unit}.",
             f"In the right triangle ABC, AB = 2BC = {4 * k}{unit}.",
             f"AC² = AB² - BC² = {16 * k * k} - {4 * k * k} = {12 * k * k}.", f"Therefore AC = {2 * k}√3{unit}.")),
        Words(
            ("在△ABC中,∠ACB=90°", "CD⊥AB于点D", "∠A=30°", f"BD={k}{unit}"), "AC的长为",
            ("∵∠ACB=90°,∠A=30°,∴∠B=60°。", f"∵CD⊥AB,∴∠BCD=30°,∴BC=2BD={2 * k}{unit}。",
             f"∴AB=2BC={4 * k}{unit}。", f"由勾股定理得AC²={16 * k * k}-{4 * k * k}={12 * k * k}。",
             f"∴AC={2 * k}√3{unit}。")),
    )  # fmt: skip


def chord(rng: random.Random) -> Problem:
    """A chord from the radius and its distance to the centre."""
    x, y, z = rng.choice(TRIPLES[:12])
    unit = rng.choice(("", "cm"))
    points = {"O": (0.0, 0.0), "A": (-float(x), -float(y)), "B": (float(x), -float(y)), "C": (0.0, -float(y))}
    return Problem(
        "chord", points, ("AB", "OC", "OA"), ("O", "A"),
        (("length", "OA", f"{z}"), ("length", "OC", f"{y}"), ("right", "OCB", "")), (z, y), 2,
        ("length", "AB"), Value(2 * x, unit=unit), lengths(unit, x, x + y, z + y, 2 * y, z),
        Words(
            ("AB is a chord of circle O", "OC ⊥ AB at point C", "connect OA", f"OA = {z}{unit}",
             f"OC = {y}{unit}"), "the length of AB is",
            ("OC ⊥ AB, so ∠OCA = 90°.", f"In the right triangle OAC, AC² = OA² - OC² = {z * z} - {y * y} = {x * x}.",
             f"Hence AC = {x}{unit}.", "The perpendicular from the centre halves the chord, so AB = 2AC.",
             f"Therefore AB = 2 × {x} = {2 * x}{unit}.")),
        Words(
            ("AB是⊙O的弦", "OC⊥AB于点C", "连接OA", f"OA={z}{unit}", f"OC={y}{unit}"), "AB的长为",
            ("∵OC⊥AB,∴∠OCA=90°。", f"在Rt△OAC中,AC²=OA²-OC²={z * z}-{y * y}={x * x},∴AC={x}{unit}。",
             "∵OC⊥AB,∴AB=2AC。", f"∴AB={2 * x}{unit}。")),
    )  # fmt: skip


FAMILIES: tuple[Callable[[random.Random], Problem], ...] = (
    angles.transversal,
    chord,
    angles.diameter,
    angles.similar,
    angles.isosceles,
    angles.tangent_length,
    angles.central,
    parallelogram,
    angles.bisectors,
    altitude,
    angles.tangents,
    rhombus,
    angles.exterior,
    midpoints,
    angles.median,
)
