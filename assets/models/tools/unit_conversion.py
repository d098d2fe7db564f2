"""A tool that says a quantity in another unit."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from assets.models.tools.numerals import written
from assets.models.tools.tool import Argument, Given, ToolFault
from assets.models.tools.units import Unit, kinds, unit

_FROM, _TO = "from", "to"
_YEARS = {Fraction(2628000), Fraction(31536000), Fraction(315360000), Fraction(3153600000)}


@dataclass(frozen=True)
class UnitConversion:
    """A number of one unit as a number of another."""

    limit_s: float
    name: ClassVar[str] = "unit_conversion"
    meaning: ClassVar[str] = "a quantity in another unit, such as 5 from km to m"
    arguments: ClassVar[tuple[Argument, ...]] = (
        Argument("value", "number", "how many"),
        Argument(_FROM, "text", "of which unit"),
        Argument(_TO, "text", "in which unit"),
    )
    gives: ClassVar[Literal["text", "picture"]] = "text"
    version: ClassVar[str] = "1"

    @property
    def settings(self) -> dict[str, Any]:
        """What makes it again."""
        return asdict(self)

    def objection(self, arguments: Mapping[str, Any]) -> str | None:
        """What is wrong with the arguments beyond their kinds: units that nobody knows, or that do not go together."""
        for name in (_FROM, _TO):
            if unit(arguments[name]) is None:
                return f"{self.name}: {name} is {arguments[name]!r}, which is no known unit of {', '.join(kinds())}"
        one, other = unit(arguments[_FROM]), unit(arguments[_TO])
        if one and other and one.kind != other.kind:
            return (
                f"{self.name}: {_TO} is {arguments[_TO]!r}, a unit of {other.kind}, and {arguments[_FROM]!r} is one of "
                f"{one.kind}: give units of one kind"
            )
        return None

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        """`5 km = 5000 m`, with what it takes a year for where a year comes into it."""
        one, other = unit(arguments[_FROM]), unit(arguments[_TO])
        if one is None or other is None or one.kind != other.kind:
            raise ToolFault(str(self.objection(arguments)))
        value = Fraction(str(arguments["value"]))
        found = written(converted(value, one, other), fractions=False)
        text = f"{written(value)} {arguments[_FROM]} = {found} {arguments[_TO]}"
        years = one.kind == "time" and (one.size in _YEARS) != (other.size in _YEARS)
        return Given(f"{text} (a year of 365 days)" if years else text)


def converted(value: Fraction, one: Unit, other: Unit) -> Fraction | float:
    """The value of one unit in the other, exact unless a radian is among them.

    Raises:
        ToolFault: a temperature lies below absolute zero.
    """
    base = value * one.size + one.zero
    if one.kind == "temperature" and base < 0:
        raise ToolFault(f"{written(value)} is below absolute zero: give a temperature that there is")
    found = (base - other.zero) / other.size
    inexact = (
        one.kind == "angle" and one.size != other.size and max(one.size.denominator, other.size.denominator) > 3600
    )
    return float(found) if inexact else found
