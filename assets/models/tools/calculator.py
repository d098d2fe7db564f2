"""A calculator: an expression as a tree of which a few kinds of nodes are known, whole numbers and fractions exact.

Nothing is evaluated as code, and no number grows beyond a thousand digits.
"""

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from assets.models.tools.numerals import written
from assets.models.tools.tool import Argument, Given, ToolFault

SIGNS = 500
DEPTH = 60
PLACES = 50
BITS = 3322
"""Of a numerator or denominator: a thousand decimal digits."""

Number = Fraction | float
_SPELLINGS = {"^": "**", "×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "π": "pi", "√": "sqrt"}
_CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e}


@dataclass(frozen=True)
class Calculator:
    """The value of an arithmetic expression."""

    limit_s: float
    name: ClassVar[str] = "calculator"
    meaning: ClassVar[str] = "the value of an arithmetic expression such as (3 + 4) * 2 / sqrt(9)"
    arguments: ClassVar[tuple[Argument, ...]] = (Argument("expression", "text", "what to calculate"),)
    gives: ClassVar[Literal["text", "picture"]] = "text"
    version: ClassVar[str] = "1"

    @property
    def settings(self) -> dict[str, Any]:
        """What makes it again."""
        return asdict(self)

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        """The value as plain text."""
        return Given(written(value(arguments["expression"])))


def value(expression: str) -> Number:
    """The value: exact where nothing but whole numbers and decimals went into it, else a float.

    Known are + - * / // % ** (also ^, × and ÷), signs, parentheses, sqrt, abs, min, max, round, floor, ceil, gcd, sin,
    cos and tan of radians, log (natural, or of a base given second), exp, pi and e. A half is rounded away from zero.

    Raises:
        ToolFault: it holds anything else, cannot be read, has no value among the real numbers, or one too large.
    """
    text = "".join(_SPELLINGS.get(sign, sign) for sign in expression).strip()
    if len(text) > SIGNS:
        raise ToolFault(f"an expression of {len(text)} characters is too long: give {SIGNS} at most")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ToolFault(f"{_shown(expression)} is no arithmetic expression: write one such as (3 + 4) * 2") from None
    try:
        return _bounded(_value(tree.body, 0))
    except ZeroDivisionError:
        raise ToolFault(f"{_shown(expression)} divides by zero") from None
    except OverflowError:
        raise ToolFault(f"{_shown(expression)} is too large a number") from None
    except (ValueError, TypeError):
        raise ToolFault(f"{_shown(expression)} has no value among the real numbers") from None


def _value(node: ast.expr, depth: int) -> Number:
    if depth > DEPTH:
        raise ToolFault(f"the expression is nested more than {DEPTH} deep: write it flatter")
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return _bounded(_literal(number))
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, depth + 1)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _bounded(_OPERATIONS[type(op)](_value(left, depth + 1), _value(right, depth + 1)))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS and arguments:
            most, function = _FUNCTIONS[name]
            if len(arguments) <= most:
                return _bounded(function(*(_value(argument, depth + 1) for argument in arguments)))
            raise ToolFault(f"{name} takes at most {most} number{'s' if most > 1 else ''}, not {len(arguments)}")
    raise ToolFault(
        f"{_shown(ast.unparse(node))} is nothing that a calculator knows: use numbers, + - * / and functions"
    )


def _literal(number: int | float) -> Number:
    if isinstance(number, float) and not math.isfinite(number):
        raise OverflowError
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


def _bounded(number: Number) -> Number:
    if isinstance(number, complex):
        raise ValueError
    if isinstance(number, int):
        number = Fraction(number)
    if isinstance(number, float):
        if math.isnan(number):
            raise ValueError
        if math.isinf(number):
            raise OverflowError
    elif max(number.numerator.bit_length(), number.denominator.bit_length()) > BITS:
        raise OverflowError
    return number


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(base) != 1 and base != 0 and (bits - 1) * abs(exponent.numerator) > BITS:
            raise OverflowError
        whole: Fraction = base ** (exponent.numerator % 2 if abs(base) == 1 else exponent.numerator)
        return whole
    power: float | complex = float(base) ** float(exponent)
    if isinstance(power, complex):
        raise ValueError
    return power


def _root(number: Number) -> Number:
    if isinstance(number, Fraction) and number >= 0:
        over, under = math.isqrt(number.numerator), math.isqrt(number.denominator)
        if over * over == number.numerator and under * under == number.denominator:
            return Fraction(over, under)
    return math.sqrt(number)


def _rounded(number: Number, places: Number = Fraction(0)) -> Number:
    exact = number if isinstance(number, Fraction) else Fraction(repr(number))
    if not isinstance(places, Fraction) or places.denominator != 1 or abs(places) > PLACES:
        raise ValueError
    scale = Fraction(10) ** places.numerator
    whole = math.floor(abs(exact) * scale + Fraction(1, 2))
    return Fraction(whole if exact >= 0 else -whole) / scale


def _divisor(*numbers: Number) -> Number:
    if not all(isinstance(number, Fraction) and number.denominator == 1 for number in numbers):
        raise ValueError
    return Fraction(math.gcd(*(int(number) for number in numbers)))


def _angular(function: Callable[[float], float]) -> Callable[[Number], Number]:
    def of(angle: Number) -> Number:
        # What is nothing but the error of pi as a float is zero.
        found = function(float(angle))
        return 0.0 if abs(found) < 1e-15 else found

    return of


def _logarithm(number: Number, base: Number | None = None) -> Number:
    return math.log(number) if base is None else math.log(number) / math.log(base)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


_OPERATIONS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.Pow: _power,
}

_FUNCTIONS: dict[str, tuple[int, Callable[..., Number]]] = {
    "sqrt": (1, _root),
    "abs": (1, abs),
    "min": (50, lambda *numbers: min(numbers)),
    "max": (50, lambda *numbers: max(numbers)),
    "round": (2, _rounded),
    "floor": (1, lambda number: Fraction(math.floor(number))),
    "ceil": (1, lambda number: Fraction(math.ceil(number))),
    "gcd": (50, _divisor),
    "sin": (1, _angular(math.sin)),
    "cos": (1, _angular(math.cos)),
    "tan": (1, _angular(math.tan)),
    "log": (2, _logarithm),
    "exp": (1, math.exp),
}
"""The functions, each with how many numbers it takes at most."""
