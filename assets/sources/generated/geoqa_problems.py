"""Geometry problems of the generated GeoQA+: each with true coordinates, so that its picture shows what it says."""

import math
import random
from typing import NamedTuple

Point = tuple[float, float]


class Value(NamedTuple):
    """A number times a root of a whole number, with its unit, such as 6√3 or 40°."""

    times: int
    root: int = 1
    unit: str = ""

    @property
    def text(self) -> str:
        """As options and solutions write it."""
        root = f"√{self.root}" if self.root > 1 else ""
        return f"{'' if root and self.times == 1 else self.times}{root}{self.unit}"

    @property
    def number(self) -> float:
        """Its size."""
        return self.times * math.sqrt(self.root)


class Words(NamedTuple):
    """What a problem says in one language: the given facts, what is asked, and the steps that lead to the answer."""

    told: tuple[str, ...]
    ask: str
    steps: tuple[str, ...]


class Problem(NamedTuple):
    """One problem and all that is needed to draw and to check it.

    lines: pairs of points; circle: its centre and a point on it; marks: (angle, vertex in the middle, text),
    (right, vertex in the middle, ""), (length, two points, text); seen: the place among the facts of one that the
    picture shows as well, so that a question may lack it; asked: (angle | length | perimeter | area, points);
    wrong: what a slip in the reckoning gives.
    """

    family: str
    points: dict[str, Point]
    lines: tuple[str, ...]
    circle: tuple[str, str] | None
    marks: tuple[tuple[str, str, str], ...]
    numbers: tuple[int, ...]
    seen: int
    asked: tuple[str, str]
    right: Value
    wrong: tuple[Value, ...]
    english: Words
    chinese: Words


def _on(angle: float, radius: float = 1.0) -> Point:
    return radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle))


def _degrees(*numbers: int) -> tuple[Value, ...]:
    return tuple(Value(number, unit="°") for number in numbers)


def lengths(unit: str, *numbers: int) -> tuple[Value, ...]:
    """Whole numbers of a unit."""
    return tuple(Value(number, unit=unit) for number in numbers)


def transversal(rng: random.Random) -> Problem:
    """Parallels cut by a transversal, and a bisector between them."""
    a = 2 * rng.randint(27, 52)
    far, half = 180 - a, (180 - a) // 2
    g = (3.5, 3.0)
    h = (3.5 - 3 / math.tan(math.radians(a)), 0.0)
    east, north = _on(a)
    points = {
        "A": (0.0, 3.0), "B": (9.0, 3.0), "C": (0.0, 0.0), "D": (9.0, 0.0), "G": g, "H": h,
        "E": (g[0] + 1.4 * east, g[1] + 1.4 * north), "F": (h[0] - 1.2 * east, h[1] - 1.2 * north),
        "M": (3.5 + 3 / math.tan(math.radians(half)), 0.0),
    }  # fmt: skip
    return Problem(
        "transversal", points, ("AB", "CD", "EF", "GM"), None, (("angle", "EGB", f"{a}°"),), (a,), 3,
        ("angle", "GMH"), Value(half, unit="°"), _degrees(far, a, a // 2, 90 - half),
        Words(
            ("AB ∥ CD", "line EF intersects AB at point G and CD at point H", "GM bisects ∠BGH",
             "GM meets CD at point M", f"∠EGB = {a}°"), "the size of ∠GMH is",
            ("E, G and H lie on one line, so ∠EGB and ∠BGH are adjacent on it.",
             f"Hence ∠BGH = 180° - {a}° = {far}°.", f"Since GM bisects ∠BGH, ∠BGM = {far}° ÷ 2 = {half}°.",
             "Since AB ∥ CD, the alternate angles ∠GMH and ∠BGM are equal.", f"Therefore ∠GMH = {half}°.")),
        Words(
            ("AB∥CD", "直线EF交AB于点G,交CD于点H", "GM平分∠BGH", "GM交CD于点M", f"∠EGB={a}°"), "∠GMH的度数为",
            (f"∵∠EGB={a}°,∴∠BGH=180°-{a}°={far}°。", f"∵GM平分∠BGH,∴∠BGM=∠BGH÷2={half}°。",
             "∵AB∥CD,∴∠GMH=∠BGM。", f"∴∠GMH={half}°。")),
    )  # fmt: skip


def diameter(rng: random.Random) -> Problem:
    """An angle over the same arc as an angle of a right triangle in a half circle."""
    a = rng.randint(22, 68)
    rest = 90 - a
    points = {"A": (-1.0, 0.0), "B": (1.0, 0.0), "O": (0.0, 0.0), "C": _on(2 * a), "D": _on(rng.randint(235, 310))}
    return Problem(
        "diameter", points, ("AB", "AC", "BC", "AD", "CD"), ("O", "A"), (("angle", "BAC", f"{a}°"),), (a,), 2,
        ("angle", "ADC"), Value(rest, unit="°"), _degrees(a, 2 * a, 180 - rest, 90),
        Words(
            ("AB is the diameter of circle O", "points C and D lie on circle O",
             "points C and D are located on both sides of diameter AB", "connect AC, BC, AD and CD",
             f"∠BAC = {a}°"), "the size of ∠ADC is",
            ("AB is the diameter of circle O, so ∠ACB = 90°.", f"In △ABC, ∠ABC = 90° - {a}° = {rest}°.",
             "∠ADC and ∠ABC are inscribed angles of the same arc AC.", "Inscribed angles of the same arc are equal.",
             f"Therefore ∠ADC = ∠ABC = {rest}°.")),
        Words(
            ("AB是⊙O的直径", "点C、D在⊙O上", "点C、D位于直径AB的两侧", "连接AC、BC、AD、CD", f"∠BAC={a}°"),
            "∠ADC的度数为",
            ("∵AB是⊙O的直径,∴∠ACB=90°。", f"在△ABC中,∠ABC=90°-{a}°={rest}°。",
             "∵∠ADC与∠ABC都是弧AC所对的圆周角,∴∠ADC=∠ABC。",
             f"∴∠ADC={rest}°。")),
    )  # fmt: skip


def central(rng: random.Random) -> Problem:
    """An inscribed angle from the base angle of the isosceles triangle at the centre."""
    a = rng.randint(22, 62)
    whole, half = 180 - 2 * a, 90 - a
    points = {"O": (0.0, 0.0), "A": _on(180 + a), "B": _on(-a), "C": _on(rng.choice((78, 84, 96, 102)))}
    return Problem(
        "central", points, ("OA", "OB", "AB", "AC", "BC"), ("O", "A"), (("angle", "OAB", f"{a}°"),), (a,), 2,
        ("angle", "ACB"), Value(half, unit="°"), _degrees(whole, a, 2 * a, 180 - half),
        Words(
            ("points A, B and C lie on circle O", "point C lies on the major arc AB",
             "connect OA, OB, AB, AC and BC", f"∠OAB = {a}°"), "the size of ∠ACB is",
            ("OA and OB are radii of circle O, so OA = OB.", f"Hence ∠OBA = ∠OAB = {a}°.",
             f"In △OAB, ∠AOB = 180° - 2 × {a}° = {whole}°.",
             "The inscribed angle ∠ACB is half of the central angle ∠AOB of the same arc.",
             f"Therefore ∠ACB = {whole}° ÷ 2 = {half}°.")),
        Words(
            ("点A、B、C在⊙O上", "点C在优弧AB上", "连接OA、OB、AB、AC、BC", f"∠OAB={a}°"), "∠ACB的度数为",
            (f"∵OA=OB,∴∠OBA=∠OAB={a}°。", f"在△OAB中,∠AOB=180°-2×{a}°={whole}°。",
             "∵∠ACB与∠AOB是同弧所对的圆周角和圆心角,∴∠ACB=∠AOB÷2。", f"∴∠ACB={half}°。")),
    )  # fmt: skip


def tangents(rng: random.Random) -> Problem:
    """Two tangents from a point, and a diameter."""
    p = 2 * rng.randint(20, 42)
    base, half = (180 - p) // 2, p // 2
    a = _on(90 - half)
    points = {"O": (0.0, 0.0), "A": a, "B": _on(half - 90), "C": (-a[0], -a[1]),
              "P": (1 / math.sin(math.radians(half)), 0.0)}  # fmt: skip
    return Problem(
        "tangents", points, ("PA", "PB", "AC", "AB"), ("O", "A"), (("angle", "APB", f"{p}°"),), (p,), 3,
        ("angle", "BAC"), Value(half, unit="°"), _degrees(p, base, 90 - p // 4, 2 * p),
        Words(
            ("PA and PB are tangents of circle O", "A and B are the points of tangency",
             "AC is the diameter of circle O", "connect AB", f"∠P = {p}°"), "the size of ∠BAC is",
            ("PA and PB are tangents from one point, so PA = PB.", f"Hence ∠PAB = (180° - {p}°) ÷ 2 = {base}°.",
             "The radius OA is perpendicular to the tangent PA, so ∠PAC = 90°.",
             f"Therefore ∠BAC = 90° - {base}° = {half}°.")),
        Words(
            ("PA、PB是⊙O的切线", "A、B为切点", "AC是⊙O的直径", "连接AB", f"∠P={p}°"), "∠BAC的度数为",
            (f"∵PA、PB是⊙O的切线,∴PA=PB,∠PAB=(180°-{p}°)÷2={base}°。", "∵AC是⊙O的直径,∴AC⊥PA。", "∴∠PAC=90°。",
             f"∴∠BAC=90°-{base}°={half}°。")),
    )  # fmt: skip


def tangent_length(rng: random.Random) -> Problem:
    """A tangent as the longer leg of half an equilateral triangle."""
    r, unit = rng.randint(4, 15), rng.choice(("", "cm"))
    points = {"O": (0.0, 1.0), "A": (0.0, 0.0), "P": (math.sqrt(3), 0.0)}
    return Problem(
        "tangent_length", points, ("PA", "OA", "OP"), ("O", "A"),
        (("angle", "APO", "30°"), ("length", "OA", f"{r}"), ("right", "OAP", "")), (30, r), 2,
        ("length", "PA"), Value(r, 3, unit), (Value(r, 2, unit), Value(2 * r, 1, unit), Value(2 * r, 3, unit)),
        Words(
            ("PA is a tangent of circle O", "A is the point of tangency", "connect OA and OP", "∠APO = 30°",
             f"OA = {r}{unit}"), "the length of PA is",
            ("PA is a tangent of circle O, so OA ⊥ PA.", "Hence △OAP has a right angle at A.",
             f"Since ∠APO = 30°, OP = 2OA = {2 * r}{unit}.",
             f"By the Pythagorean theorem, PA² = OP² - OA² = {4 * r * r} - {r * r} = {3 * r * r}.",
             f"Therefore PA = {r}√3{unit}.")),
        Words(
            ("PA是⊙O的切线", "A为切点", "连接OA、OP", "∠APO=30°", f"OA={r}{unit}"), "PA的长为",
            ("∵PA是⊙O的切线,∴OA⊥PA。", f"在Rt△OAP中,∠APO=30°,∴OP=2OA={2 * r}{unit}。",
             f"由勾股定理得PA²=OP²-OA²={4 * r * r}-{r * r}={3 * r * r}。", f"∴PA={r}√3{unit}。")),
    )  # fmt: skip


def isosceles(rng: random.Random) -> Problem:
    """The bisector of a base angle of an isosceles triangle."""
    a = 4 * rng.randint(6, 25)
    base, half = (180 - a) // 2, (180 - a) // 4
    right = 180 - base - half
    b, c, top = (-1.0, 0.0), (1.0, 0.0), (0.0, math.tan(math.radians(base)))
    # The bisector divides the opposite side as the sides beside it: AD : DC = AB : BC.
    side = math.hypot(1.0, top[1])
    part = 2 / (2 + side)
    d = (c[0] + part * (top[0] - c[0]), c[1] + part * (top[1] - c[1]))
    return Problem(
        "isosceles", {"A": top, "B": b, "C": c, "D": d}, ("AB", "BC", "CA", "BD"), None,
        (("angle", "BAC", f"{a}°"),), (a,), 2,
        ("angle", "BDC"), Value(right, unit="°"), _degrees(base, 180 - right, base + half, 180 - base),
        Words(
            ("in △ABC, AB = AC", "BD bisects ∠ABC", "BD intersects AC at point D", f"∠A = {a}°"),
            "the size of ∠BDC is",
            ("AB = AC, so ∠ABC = ∠C.", f"Hence ∠ABC = ∠C = (180° - {a}°) ÷ 2 = {base}°.",
             f"BD bisects ∠ABC, so ∠DBC = {base}° ÷ 2 = {half}°.",
             f"In △BCD, ∠BDC = 180° - {base}° - {half}° = {right}°.")),
        Words(
            ("在△ABC中,AB=AC", "BD平分∠ABC", "BD交AC于点D", f"∠A={a}°"), "∠BDC的度数为",
            ("∵AB=AC,∴∠ABC=∠C。", f"∴∠ABC=∠C=(180°-{a}°)÷2={base}°。", f"∵BD平分∠ABC,∴∠DBC={half}°。",
             f"∴∠BDC=180°-{base}°-{half}°={right}°。")),
    )  # fmt: skip


def bisectors(rng: random.Random) -> Problem:
    """The angle between the bisectors of two angles of a triangle."""
    a = 2 * rng.randint(20, 48)
    b = rng.randint(40, 65)
    c = 180 - a - b
    rest, half = 180 - a, (180 - a) // 2
    right = 180 - half
    height = 1 / (1 / math.tan(math.radians(b)) + 1 / math.tan(math.radians(c)))
    low = 1 / (1 / math.tan(math.radians(b / 2)) + 1 / math.tan(math.radians(c / 2)))
    points = {"B": (0.0, 0.0), "C": (1.0, 0.0), "A": (height / math.tan(math.radians(b)), height),
              "O": (low / math.tan(math.radians(b / 2)), low)}  # fmt: skip
    return Problem(
        "bisectors", points, ("AB", "BC", "CA", "BO", "CO"), None, (("angle", "BAC", f"{a}°"),), (a,), 2,
        ("angle", "BOC"), Value(right, unit="°"), _degrees(half, rest, 90 + a // 4, 180 - a // 2),
        Words(
            ("in △ABC, BO bisects ∠ABC", "CO bisects ∠ACB", "BO and CO meet at point O", f"∠A = {a}°"),
            "the size of ∠BOC is",
            (f"In △ABC, ∠ABC + ∠ACB = 180° - {a}° = {rest}°.",
             "BO bisects ∠ABC, so ∠OBC is half of ∠ABC.", "CO bisects ∠ACB, so ∠OCB is half of ∠ACB.",
             f"Hence ∠OBC + ∠OCB = {rest}° ÷ 2 = {half}°.", f"In △OBC, ∠BOC = 180° - {half}° = {right}°.")),
        Words(
            ("在△ABC中,BO平分∠ABC", "CO平分∠ACB", "BO与CO相交于点O", f"∠A={a}°"), "∠BOC的度数为",
            (f"∵∠A={a}°,∴∠ABC+∠ACB=180°-{a}°={rest}°。", "∵BO平分∠ABC,CO平分∠ACB,∴∠OBC+∠OCB=(∠ABC+∠ACB)÷2。",
             f"∴∠OBC+∠OCB={half}°。", f"∴∠BOC=180°-{half}°={right}°。")),
    )  # fmt: skip


def exterior(rng: random.Random) -> Problem:
    """Half of an exterior angle of a triangle."""
    a, b = rng.randint(35, 80), rng.randint(35, 75)
    b += (a + b) % 2
    whole, half = a + b, (a + b) // 2
    c = 180 - whole
    height = 1 / (1 / math.tan(math.radians(b)) + 1 / math.tan(math.radians(c)))
    east, north = _on(half, 0.6)
    points = {"B": (0.0, 0.0), "C": (1.0, 0.0), "D": (1.7, 0.0), "E": (1 + east, north),
              "A": (height / math.tan(math.radians(b)), height)}  # fmt: skip
    return Problem(
        "exterior", points, ("AB", "BD", "CA", "CE"), None,
        (("angle", "BAC", f"{a}°"), ("angle", "ABC", f"{b}°")), (a, b), 2,
        ("angle", "ECD"), Value(half, unit="°"), _degrees(whole, c, c // 2, 90 - half // 2),
        Words(
            ("point D lies on the extension of side BC of △ABC", "CE bisects ∠ACD", f"∠A = {a}°", f"∠B = {b}°"),
            "the size of ∠ECD is",
            ("∠ACD is an exterior angle of △ABC.", "So it equals the sum of the two angles that are not beside it.",
             f"Hence ∠ACD = ∠A + ∠B = {a}° + {b}° = {whole}°.",
             f"CE bisects ∠ACD, so ∠ECD = {whole}° ÷ 2 = {half}°.")),
        Words(
            ("点D在△ABC的边BC的延长线上", "CE平分∠ACD", f"∠A={a}°", f"∠B={b}°"), "∠ECD的度数为",
            ("∵∠ACD是△ABC的外角,∴∠ACD=∠A+∠B。", f"∴∠ACD={a}°+{b}°={whole}°。", "∵CE平分∠ACD,∴∠ECD=∠ACD÷2。",
             f"∴∠ECD={half}°。")),
    )  # fmt: skip


def median(rng: random.Random) -> Problem:
    """The median to the hypotenuse of a right triangle."""
    x, y, z = rng.choice(((6, 8, 10), (8, 6, 10), (10, 24, 26), (12, 16, 20), (16, 12, 20), (16, 30, 34), (18, 24, 30),
                          (24, 18, 30), (24, 10, 26), (30, 16, 34), (24, 32, 40), (40, 30, 50)))  # fmt: skip
    unit = rng.choice(("", "cm"))
    points = {"C": (0.0, 0.0), "A": (0.0, float(x)), "B": (float(y), 0.0), "D": (y / 2, x / 2)}
    return Problem(
        "median", points, ("AB", "BC", "CA", "CD"), None,
        (("right", "ACB", ""), ("length", "CA", f"{x}"), ("length", "BC", f"{y}")), (90, x, y), 2,
        ("length", "CD"), Value(z // 2, unit=unit), lengths(unit, z, (x + y) // 2, x // 2, y // 2),
        Words(
            ("in △ABC, ∠ACB = 90°", "D is the midpoint of AB", "connect CD", f"AC = {x}{unit}",
             f"BC = {y}{unit}"), "the length of CD is",
            (f"In the right triangle ABC, AB² = AC² + BC² = {x * x} + {y * y} = {z * z}.",
             f"Hence AB = {z}{unit}.", "D is the midpoint of AB, so CD is the median to the hypotenuse.",
             "The median to the hypotenuse is half of the hypotenuse.",
             f"Therefore CD = {z} ÷ 2 = {z // 2}{unit}.")),
        Words(
            ("在△ABC中,∠ACB=90°", "D是AB的中点", "连接CD", f"AC={x}{unit}", f"BC={y}{unit}"), "CD的长为",
            (f"在Rt△ABC中,由勾股定理得AB²={x * x}+{y * y}={z * z}。", f"∴AB={z}{unit}。",
             "∵D是AB的中点,∴CD是斜边AB上的中线。", f"∴CD=AB÷2={z // 2}{unit}。")),
    )  # fmt: skip


def similar(rng: random.Random) -> Problem:
    """A line parallel to one side of a triangle."""
    p, q, k, unit = rng.randint(3, 6), rng.randint(1, 5), rng.randint(1, 2), rng.choice(("", "cm"))
    small, large = k * p, k * (p + q)
    share = p / (p + q)
    a, b, c = _on(rng.randint(56, 78)), (0.0, 0.0), (float(k), 0.0)
    points = {"A": a, "B": b, "C": c}
    points |= {name: (a[0] + share * (to[0] - a[0]), a[1] * (1 - share)) for name, to in (("D", b), ("E", c))}
    return Problem(
        "similar", points, ("AB", "BC", "CA", "DE"), None,
        (("length", "AD", f"{p}"), ("length", "DB", f"{q}"), ("length", "DE", f"{small}")), (p, q, small), 0,
        ("length", "BC"), Value(large, unit=unit), lengths(unit, small + q, small * 2, k * q, p + q + small),
        Words(
            ("in △ABC, point D lies on AB and point E lies on AC", "DE ∥ BC", f"AD = {p}{unit}", f"DB = {q}{unit}",
             f"DE = {small}{unit}"), "the length of BC is",
            ("DE ∥ BC, so ∠ADE = ∠ABC and ∠AED = ∠ACB.", "Hence △ADE is similar to △ABC.",
             "Corresponding sides give DE : BC = AD : AB.",
             f"AB = AD + DB = {p} + {q} = {p + q}{unit}.",
             f"Therefore BC = {small} × {p + q} ÷ {p} = {large}{unit}.")),
        Words(
            ("在△ABC中,点D在AB上,点E在AC上", "DE∥BC", f"AD={p}{unit}", f"DB={q}{unit}", f"DE={small}{unit}"),
            "BC的长为",
            ("∵DE∥BC,∴△ADE∽△ABC。", "∴DE:BC=AD:AB。", f"∵AB=AD+DB={p + q}{unit},∴{small}:BC={p}:{p + q}。",
             f"∴BC={large}{unit}。")),
    )  # fmt: skip
