r"""Problems of the generated MATH, of all seven types: every answer is computed, every solution ends in `\boxed{…}`."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple


class Worked(NamedTuple):
    r"""A problem and its worked solution, which holds the answer as `\boxed{…}`."""

    problem: str
    solution: str


Draw = Callable[[random.Random], Worked]


def _box(text: object) -> str:
    return f"\\boxed{{{text}}}"


def _frac(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return f"{'-' if value < 0 else ''}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _root(square: int) -> str:
    outer = max(d for d in range(1, math.isqrt(square) + 1) if square % (d * d) == 0)
    inner = square // (outer * outer)
    if inner == 1:
        return str(outer)
    return f"{outer if outer > 1 else ''}\\sqrt{{{inner}}}"


def _plus(number: int) -> str:
    return f"+ {number}" if number >= 0 else f"- {-number}"


def linear(rng: random.Random) -> Worked:
    """A linear equation with a fraction as its answer."""
    a, c = rng.sample(range(2, 13), 2)
    b, d = rng.randint(-20, 20) or 1, rng.randint(-20, 20) or 2
    x = Fraction(d - b, a - c)
    return Worked(
        f"Solve for $x$: $${a}x {_plus(b)} = {c}x {_plus(d)}.$$",
        f"We bring the terms with $x$ to one side, which gives ${a - c}x = {d - b}$. Then we divide both sides by "
        f"${a - c}$. So $x = {_box(_frac(x))}$.",
    )


def line_slope(rng: random.Random) -> Worked:
    """The slope through two points."""
    x0, y0, x1, y1 = rng.randint(-9, 0), rng.randint(-9, 9), rng.randint(1, 9), rng.randint(-9, 9)
    slope = Fraction(y1 - y0, x1 - x0)
    return Worked(
        f"What is the slope of the line through $({x0}, {y0})$ and $({x1}, {y1})$?",
        f"The difference of the second coordinates is ${y1 - y0}$. The difference of the first coordinates is "
        f"${x1 - x0}$. The slope is their quotient, which is ${_box(_frac(slope))}$.",
    )


def interval(rng: random.Random) -> Worked:
    """A quadratic inequality, as an interval."""
    low, high = sorted(rng.sample(range(-12, 13), 2))
    strict = rng.random() < 0.5
    marks = ("(", ")", "<") if strict else ("[", "]", "\\le")
    return Worked(
        f"Find all $x$ with $x^2 {_plus(-(low + high))}x {_plus(low * high)} {marks[2]} 0.$ Give the answer in "
        "interval notation.",
        f"The left side is $(x {_plus(-low)})(x {_plus(-high)})$. A product of two factors is negative between its "
        f"roots. So the answer is ${_box(f'{marks[0]}{low}, {high}{marks[1]}')}$.",
    )


def committee(rng: random.Random) -> Worked:
    """A binomial coefficient."""
    n, k = rng.randint(6, 15), rng.randint(2, 5)
    thing = rng.choice(("books", "lamps", "boats", "stamps", "kites", "cards"))
    return Worked(
        f"In how many ways can ${k}$ of ${n}$ different {thing} be chosen, if their order does not matter?",
        f"The number of choices is $\\binom{{{n}}}{{{k}}}$. We multiply the ${k}$ numbers from ${n}$ down and "
        f"divide by the product of those from ${k}$ down. Working it out gives ${_box(math.comb(n, k))}$.",
    )


def marbles(rng: random.Random) -> Worked:
    """The probability of two of a colour, without putting back."""
    red, blue = rng.randint(2, 9), rng.randint(2, 9)
    chance = Fraction(red * (red - 1), (red + blue) * (red + blue - 1))
    return Worked(
        f"A bag holds ${red}$ red and ${blue}$ blue marbles. Two are drawn without putting any back. What is the "
        "probability that both are red?",
        f"The first marble is red with probability $\\frac{{{red}}}{{{red + blue}}}$. Then the second is red with "
        f"probability $\\frac{{{red - 1}}}{{{red + blue - 1}}}$. The product is ${_box(_frac(chance))}$.",
    )


def dice(rng: random.Random) -> Worked:
    """The probability of a sum of two dice."""
    sides, total = rng.choice((6, 8, 10, 12)), rng.randint(4, 12)
    ways = sum(1 <= total - a <= sides for a in range(1, sides + 1))
    return Worked(
        f"Two fair dice, each with the numbers $1$ to ${sides}$, are rolled. What is the probability that the sum is "
        f"${total}$?",
        f"There are ${sides}^2 = {sides * sides}$ equally likely results. Of these, ${ways}$ have the sum ${total}$. "
        f"So the probability is ${_box(_frac(Fraction(ways, sides * sides)))}$.",
    )


def right_triangle(rng: random.Random) -> Worked:
    """A hypotenuse, as a radical."""
    a, b = rng.randint(2, 15), rng.randint(2, 15)
    unit = rng.choice(("", "", " cm", " m"))
    answer = _root(a * a + b * b) + (f" \\text{{{unit}}}" if unit else "")
    return Worked(
        f"The legs of a right triangle are ${a}${unit} and ${b}${unit} long. How long is the hypotenuse?",
        f"By the theorem of Pythagoras, the square of the hypotenuse is ${a}^2 + {b}^2 = {a * a + b * b}$. So its "
        f"length is $\\sqrt{{{a * a + b * b}}}$. In simplest form this is "
        f"${_box(answer)}$.",
    )


def polygon_angle(rng: random.Random) -> Worked:
    """An angle of a polygon, in degrees."""
    n = rng.choice((5, 6, 8, 9, 10, 12, 15, 18, 20, 24, 30, 36))
    asked = rng.choice(("interior", "exterior"))
    value = 180 - 360 // n if asked == "interior" else 360 // n
    answer = f"{value}^\\circ"
    shape = rng.choice(("tile", "table top", "garden", "window", "coin", "sign"))
    return Worked(
        f"A {shape} is a regular polygon with ${n}$ sides. How large is each {asked} angle, in degrees?",
        f"The exterior angles of a polygon add up to $360^\\circ$. So each of them is $\\frac{{360^\\circ}}{{{n}}} = "
        f"{360 // n}^\\circ$. Hence each {asked} angle is ${_box(answer)}$.",
    )


def circle_area(rng: random.Random) -> Worked:
    """An area with pi."""
    r, part = rng.randint(2, 15), rng.choice((30, 45, 60, 90, 120, 180, 270))
    share = Fraction(part, 360) * r * r
    text = f"{share.numerator if share.numerator > 1 else ''}\\pi"
    answer = text if share.denominator == 1 else f"\\frac{{{text}}}{{{share.denominator}}}"
    return Worked(
        f"A sector of a circle with radius ${r}$ has a central angle of ${part}^\\circ$. What is its area?",
        f"The whole circle has the area ${r}^2 \\pi = {r * r}\\pi$. The sector is $\\frac{{{part}}}{{360}}$ of it. "
        f"So its area is ${_box(answer)}$.",
    )


def box_volume(rng: random.Random) -> Worked:
    """A volume with its unit."""
    a, b, c = (rng.randint(2, 14) for _ in range(3))
    return Worked(
        f"A box is ${a}$ cm long, ${b}$ cm wide and ${c}$ cm high. What is its volume, in cubic centimeters?",
        f"The base has the area ${a} \\cdot {b} = {a * b}$. The volume is base times height. So it is ${a * b} \\cdot "
        f"{c} = {_box(a * b * c)}$ cubic centimeters.",
    )


def quadratic_roots(rng: random.Random) -> Worked:
    """The larger root of a quadratic, with a radical."""
    p, q = rng.randint(-8, 8), rng.randint(2, 30)
    inner = _root(q)
    answer = str(p + math.isqrt(q)) if inner.isdigit() else f"{p} + {inner}" if p else inner
    return Worked(
        f"Find the larger root of $x^2 {_plus(-2 * p)}x {_plus(p * p - q)} = 0.$",
        f"We complete the square and get $(x {_plus(-p)})^2 = {q}$. So $x = {p} \\pm \\sqrt{{{q}}}$. The larger "
        f"root is ${_box(answer)}$.",
    )


def geometric_series(rng: random.Random) -> Worked:
    """An infinite series."""
    a, n = rng.randint(1, 12), rng.randint(2, 9)
    m = rng.randint(1, n - 1)
    total = Fraction(a) / (1 - Fraction(m, n))
    return Worked(
        f"Evaluate $$\\sum_{{k=0}}^{{\\infty}} {a} \\left( \\frac{{{m}}}{{{n}}} \\right)^k.$$",
        f"This is a geometric series with first term ${a}$ and ratio $\\frac{{{m}}}{{{n}}}$. Its sum is the first term "
        f"over one minus the ratio. That is ${_box(_frac(total))}$.",
    )


def roots_sum(rng: random.Random) -> Worked:
    """A symmetric function of the roots."""
    a, b, c = rng.randint(2, 7), rng.randint(-15, 15) or 4, rng.randint(-15, 15) or 6
    return Worked(
        f"Let $r$ and $s$ be the roots of ${a}x^2 {_plus(b)}x {_plus(c)} = 0.$ "
        f"Find $\\frac{{1}}{{r}} + \\frac{{1}}{{s}}.$",
        f"By Vieta we have $r + s = {_frac(Fraction(-b, a))}$. We also have $rs = {_frac(Fraction(c, a))}$. The sum of "
        f"the reciprocals is $\\frac{{r + s}}{{rs}} = {_box(_frac(Fraction(-b, c)))}$.",
    )


def divisors(rng: random.Random) -> Worked:
    """How many divisors a number has."""
    two, three, prime = rng.randint(1, 5), rng.randint(1, 3), rng.choice((5, 7, 11, 13))
    n = 2**two * 3**three * prime
    return Worked(
        f"How many positive divisors does ${n}$ have?",
        f"We factor ${n} = 2^{two} \\cdot 3^{three} \\cdot {prime}$. A divisor takes each prime up to its power. So "
        f"there are ${two + 1} \\cdot {three + 1} \\cdot 2 = {_box((two + 1) * (three + 1) * 2)}$ of them.",
    )


def remainder(rng: random.Random) -> Worked:
    """A power modulo a number."""
    base, power, modulus = rng.randint(2, 9), rng.randint(5, 40), rng.choice((7, 9, 11, 13))
    return Worked(
        f"What is the remainder when ${base}^{{{power}}}$ is divided by ${modulus}$?",
        f"We work with remainders of division by ${modulus}$ and multiply step by step. For example, ${base}^2$ leaves "
        f"${base * base % modulus}$. Going on, ${base}^{{{power}}}$ leaves ${_box(pow(base, power, modulus))}$.",
    )


def common(rng: random.Random) -> Worked:
    """A greatest common divisor."""
    g, a, b = rng.randint(2, 30), *rng.sample((2, 3, 5, 7, 11, 13), 2)
    return Worked(
        f"Find the greatest common divisor of ${g * a}$ and ${g * b}$.",
        f"We have ${g * a} = {g} \\cdot {a}$. We also have ${g * b} = {g} \\cdot {b}$. Since ${a}$ and ${b}$ share no "
        f"factor, the answer is ${_box(math.gcd(g * a, g * b))}$.",
    )


def mixed_fraction(rng: random.Random) -> Worked:
    """A sum of two fractions."""
    a, b = Fraction(rng.randint(1, 9), rng.randint(2, 12)), Fraction(rng.randint(1, 9), rng.randint(2, 12))
    sign = rng.choice("+-")
    value = a + b if sign == "+" else a - b
    low = math.lcm(a.denominator, b.denominator)
    return Worked(
        f"Compute ${_frac(a)} {sign} {_frac(b)}$ and give the answer as a common fraction.",
        f"A common denominator is ${low}$. With it, the numerators are ${a.numerator * low // a.denominator}$ and "
        f"${b.numerator * low // b.denominator}$. The result is ${_box(_frac(value))}$.",
    )


def percent(rng: random.Random) -> Worked:
    """A price after a discount, in dollars."""
    price, off = rng.randint(3, 40) * 20, rng.choice((5, 10, 15, 20, 25, 30, 35, 40))
    thing = rng.choice(("coat", "lamp", "tent", "bicycle", "rug"))
    return Worked(
        f"A {thing} costs $\\${price}$. Its price is lowered by ${off}\\%$. What does it cost then, in dollars?",
        f"The discount is $\\frac{{{off}}}{{100}} \\cdot {price} = {price * off // 100}$. We take it from the price. "
        f"So the {thing} costs ${_box(price - price * off // 100)}$ dollars.",
    )


def average(rng: random.Random) -> Worked:
    """A mean, as a decimal."""
    numbers = [rng.randint(3, 60) for _ in range(4)]
    while sum(numbers) % 4 == 0:
        numbers[-1] += 1
    return Worked(
        f"What is the average of ${numbers[0]}, {numbers[1]}, {numbers[2]}$ and ${numbers[3]}$? Give a decimal.",
        f"The sum of the numbers is ${sum(numbers)}$. There are $4$ of them. So the average is "
        f"$\\frac{{{sum(numbers)}}}{{4}} = {_box(sum(numbers) / 4)}$.",
    )


def matrix(rng: random.Random) -> Worked:
    """A determinant."""
    a, b, c, d = (rng.randint(-9, 9) for _ in range(4))
    return Worked(
        f"Compute the determinant of $$\\begin{{pmatrix}} {a} & {b} \\\\ {c} & {d} \\end{{pmatrix}}.$$",
        f"The product of the main diagonal is ${a * d}$. The product of the other diagonal is ${b * c}$. The "
        f"determinant is their difference, ${_box(a * d - b * c)}$.",
    )


def norm(rng: random.Random) -> Worked:
    """The length of a vector or of a complex number."""
    a, b = rng.randint(1, 14), rng.randint(1, 14)
    z = f"{a} {_plus(rng.choice((-1, 1)) * b)}i"
    return Worked(
        f"Find the absolute value of the complex number ${z}$.",
        f"The square of the absolute value is ${a}^2 + {b}^2 = {a * a + b * b}$. We take its square root. In simplest "
        f"form it is ${_box(_root(a * a + b * b))}$.",
    )


def sine_angle(rng: random.Random) -> Worked:
    """All angles of a value, as a set."""
    name, value, angles = rng.choice((
        ("\\sin", "\\frac{1}{2}", (30, 150)), ("\\cos", "\\frac{1}{2}", (60, 300)),
        ("\\sin", "-\\frac{1}{2}", (210, 330)), ("\\cos", "-\\frac{1}{2}", (120, 240)),
        ("\\sin", "\\frac{\\sqrt{3}}{2}", (60, 120)), ("\\cos", "\\frac{\\sqrt{2}}{2}", (45, 315)),
        ("\\tan", "1", (45, 225)), ("\\tan", "\\sqrt{3}", (60, 240)),
    ))  # fmt: skip
    shift = rng.choice((10, 15, 20, 25, 30))
    found = ", ".join(f"{x}^\\circ" for x in sorted((angle + shift) % 360 for angle in angles))
    return Worked(
        f"Find all $x$ from $0^\\circ$ to $360^\\circ$ with ${name} (x - {shift}^\\circ) = {value}.$",
        f"Let $y = x - {shift}^\\circ$. Within a full turn, ${name} y = {value}$ holds for $y = {angles[0]}^\\circ$ "
        f"and $y = {angles[1]}^\\circ$. Adding ${shift}^\\circ$ gives $x = {_box(found)}$.",
    )


DRAWS: dict[str, tuple[Draw, ...]] = {
    "Algebra": (linear, line_slope, interval),
    "Counting & Probability": (committee, marbles, dice),
    "Geometry": (right_triangle, polygon_angle, circle_area, box_volume),
    "Intermediate Algebra": (quadratic_roots, geometric_series, roots_sum),
    "Number Theory": (divisors, remainder, common),
    "Prealgebra": (mixed_fraction, percent, average),
    "Precalculus": (matrix, norm, sine_angle),
}
