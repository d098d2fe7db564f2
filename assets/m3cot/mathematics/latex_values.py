"""Formulas as exact values: LaTeX read into a tree, the tree into a sum of terms and into a number to compare by."""

import cmath
import hashlib
import math
import re
from fractions import Fraction
from typing import NamedTuple

from assets.m3cot.mathematics.latex_tree import Node, NoFormula, tree

MOST_TERMS = 200
MOST_BITS = 40_000
LARGEST_RADICAND = 10**9
CLOSE = 1e-9
"""Numbers nearer than this, relative to the larger one, are equal where there is no exact value."""

Monomial = tuple[int, int, tuple[tuple[str, int], ...]]
"""Square-free radicand, power of i (0 or 1), powers of pi and of the letters by name."""

Terms = dict[Monomial, Fraction]


class Value(NamedTuple):
    """One formula: its terms where they can be told exactly, a number to compare by, and its text without blanks."""

    exact: tuple[tuple[Monomial, Fraction], ...] | None
    number: complex | None
    text: str

    @property
    def rational(self) -> Fraction | None:
        """The value as a fraction; None when it is no rational number."""
        if self.exact is None or len(self.exact) > 1:
            return None
        if not self.exact:
            return Fraction(0)
        monomial, factor = self.exact[0]
        return factor if monomial == (1, 0, ()) else None

    @property
    def letters(self) -> set[str]:
        """The names in it, pi left out."""
        return {name for monomial, _ in self.exact or () for name, _ in monomial[2]} - {"pi"}


def value(text: str) -> Value:
    """The value of a formula.

    Raises:
        NoFormula: the text is none.
    """
    read = tree(text)
    try:
        exact = tuple(sorted(_terms(read).items()))
    except (NoFormula, ArithmeticError, RecursionError):
        exact = None
    try:
        number = _number(read)
    except (NoFormula, ArithmeticError, ValueError, RecursionError):
        number = None
    if number is not None and not cmath.isfinite(number):
        number = None
    if exact is None and number is None:
        raise NoFormula(text)
    return Value(exact, number, re.sub(r"\s", "", text))


def equal(a: Value, b: Value) -> bool:
    """Whether two formulas have the same value.

    Two exact values are equal only when their terms are. Otherwise a number decides, with letters at fixed values, so
    that an identity counts and two formulas that differ do not, unless by a chance of about one in a billion.
    """
    if a.exact is not None and b.exact is not None:
        return a.exact == b.exact
    if a.number is not None and b.number is not None:
        return abs(a.number - b.number) <= CLOSE * max(abs(a.number), abs(b.number), 1e-300)
    return a.text == b.text


def _terms(formula: Node) -> Terms:
    operation, *operands = formula
    if operation == "num":
        return {(1, 0, ()): operands[0]} if operands[0] else {}
    if operation == "var":
        return {(1, 1, ()): Fraction(1)} if operands[0] == "i" else {(1, 0, ((operands[0], 1),)): Fraction(1)}
    if operation == "root":
        return _root(_rational(operands[0]), _rational(operands[1]))
    if operation == "pow":
        return _raised(_terms(operands[0]), _rational(operands[1]))
    if operation in ("factorial", "binom"):
        return _constant(_counted(operation, [_rational(operand) for operand in operands]))
    if operation not in ("add", "neg", "mul", "div"):
        raise NoFormula(operation)
    first, *rest = [_terms(operand) for operand in operands]
    if operation == "neg":
        return _times(first, _constant(Fraction(-1)))
    if operation == "mul":
        return _times(first, rest[0])
    if operation == "div":
        return _times(first, _inverse(rest[0]))
    total = dict(first)
    for monomial, factor in rest[0].items():
        total[monomial] = total.get(monomial, Fraction(0)) + factor
    return {monomial: factor for monomial, factor in total.items() if factor}


def _constant(factor: Fraction) -> Terms:
    return {(1, 0, ()): factor} if factor else {}


def _rational(formula: Node) -> Fraction:
    found = _terms(formula)
    if found and set(found) != {(1, 0, ())}:
        raise NoFormula("not rational")
    return found.get((1, 0, ()), Fraction(0))


def _times(left: Terms, right: Terms) -> Terms:
    if len(left) * len(right) > MOST_TERMS**2:
        raise NoFormula("too many terms")
    total: Terms = {}
    for (a, i, letters), x in left.items():
        for (b, j, others), y in right.items():
            shared = math.gcd(a, b)
            powers = dict(letters)
            for name, power in others:
                powers[name] = powers.get(name, 0) + power
            kept = tuple(sorted((name, power) for name, power in powers.items() if power))
            monomial = (a * b // shared**2, (i + j) % 2, kept)
            factor = x * y * shared * (-1 if i + j == 2 else 1)
            if factor.numerator.bit_length() > MOST_BITS or factor.denominator.bit_length() > MOST_BITS:
                raise NoFormula("too long")
            total[monomial] = total.get(monomial, Fraction(0)) + factor
    if len(total) > MOST_TERMS:
        raise NoFormula("too many terms")
    return {monomial: factor for monomial, factor in total.items() if factor}


def _inverse(below: Terms) -> Terms:
    if not below:
        raise ZeroDivisionError
    if len(below) == 1:
        ((radicand, i, letters), factor) = next(iter(below.items()))
        inverted = (radicand, i, tuple((name, -power) for name, power in letters))
        return {inverted: (-1 if i else 1) / (factor * radicand)}
    if len(below) == 2 and not any(letters for _, _, letters in below):
        last = max(below)
        conjugate = below | {last: -below[last]}
        product = _times(below, conjugate)
        if len(product) < 2:
            return _times(conjugate, _inverse(product))
    raise NoFormula("no single divisor")


def _raised(base: Terms, exponent: Fraction) -> Terms:
    if exponent.denominator != 1:
        if base and set(base) != {(1, 0, ())}:
            raise NoFormula("a root of a sum")
        return _raised(
            _root(Fraction(exponent.denominator), base.get((1, 0, ()), Fraction(0))), Fraction(exponent.numerator)
        )
    times = abs(exponent.numerator)
    bits = max((max(f.numerator.bit_length(), f.denominator.bit_length()) for f in base.values()), default=1)
    if times * bits > MOST_BITS or (len(base) > 1 and times > 16):
        raise NoFormula("too high a power")
    if exponent < 0:
        base = _inverse(base)
    result = _constant(Fraction(1))
    while times:
        if times & 1:
            result = _times(result, base)
        times >>= 1
        if times:
            base = _times(base, base)
    return result


def _root(degree: Fraction, radicand: Fraction) -> Terms:
    if degree.denominator != 1 or degree < 2:
        raise NoFormula("no root")
    if degree == 2:
        within = radicand.numerator * radicand.denominator
        if abs(within) > LARGEST_RADICAND:
            exactly = math.isqrt(abs(within))
            if exactly**2 != abs(within):
                raise NoFormula("too large a radicand")
            outside, inside = exactly, 1
        else:
            outside, inside = _square_free(abs(within))
        if not within:
            return {}
        return {(inside, int(within < 0), ()): Fraction(outside, radicand.denominator)}
    for sign in (1, -1):
        if sign == -1 and degree % 2 == 0:
            continue
        above, below = (
            _exact_root(sign * radicand.numerator, int(degree)),
            _exact_root(radicand.denominator, int(degree)),
        )
        if above is not None and below is not None:
            return _constant(Fraction(sign * above, below))
    raise NoFormula("no exact root")


def _exact_root(n: int, degree: int) -> int | None:
    if n < 0 or n.bit_length() > 900 or degree > 900:
        return None
    near = round(n ** (1 / degree))
    return next((root for root in (near - 1, near, near + 1) if root >= 0 and root**degree == n), None)


def _square_free(n: int) -> tuple[int, int]:
    outside, inside, divisor = 1, n, 2
    while divisor * divisor <= inside:
        while inside % (divisor * divisor) == 0:
            inside //= divisor * divisor
            outside *= divisor
        divisor += 1
    return outside, inside


def _counted(operation: str, counts: list[Fraction]) -> Fraction:
    if any(count.denominator != 1 or not 0 <= count <= 500 for count in counts):
        raise NoFormula(operation)
    if operation == "factorial":
        return Fraction(math.factorial(int(counts[0])))
    return Fraction(math.comb(int(counts[0]), int(counts[1])))


def _number(formula: Node) -> complex:
    operation, *operands = formula
    if operation == "num":
        return complex(operands[0])
    if operation == "var":
        return _letter(operands[0])
    if operation == "fn":
        return _applied(operands[0], operands[1])
    if operation in ("factorial", "binom"):
        return complex(_counted(operation, [_rational(operand) for operand in operands]))
    first, *rest = [_number(operand) for operand in operands]
    if operation == "add":
        return first + rest[0]
    if operation == "neg":
        return -first
    if operation == "mul":
        return first * rest[0]
    if operation == "div":
        return first / rest[0]
    if operation == "degree":
        return first * math.pi / 180
    if operation == "root":
        # the real root of a negative number where the degree is odd, as a formula means it
        real = rest[0].imag == 0 and rest[0].real < 0 and first.imag == 0 and first.real % 2 == 1
        return -((-rest[0]) ** (1 / first)) if real else complex(rest[0] ** (1 / first))
    if operation == "pow":
        return complex(first ** rest[0])
    raise NoFormula(operation)


def _letter(name: str) -> complex:
    known = {"pi": complex(math.pi), "i": 1j, "e": complex(math.e)}
    return known[name] if name in known else complex(_share(name) + 1.5)


def _share(name: str) -> float:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6]) / 2**48


def _applied(name: str, operand: Node) -> complex:
    x = _number(operand)
    if name == "abs":
        return complex(abs(x))
    if name in ("cot", "sec", "csc"):
        return 1 / {"cot": cmath.tan, "sec": cmath.cos, "csc": cmath.sin}[name](x)
    known = {
        "sin": cmath.sin,
        "cos": cmath.cos,
        "tan": cmath.tan,
        "arcsin": cmath.asin,
        "arccos": cmath.acos,
        "arctan": cmath.atan,
        "ln": cmath.log,
        "log": cmath.log10,
        "exp": cmath.exp,
    }
    if name in known:
        return known[name](x)
    # a function that is only named: any curve will do that no other name has
    return x * x * (_share(name) + 0.5) + x * _share(f"{name}'") + _share(f'{name}"')
