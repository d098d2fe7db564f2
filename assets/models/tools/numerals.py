"""Numbers as people write them."""

from fractions import Fraction

DECIMALS = 12
"""Of an exact decimal at most; one that goes on is written as a fraction."""


def written(value: Fraction | float, *, fractions: bool = True) -> str:
    """The number as plain text: exact as a whole number or decimal, a fraction with its decimal, or twelve digits.

    Args:
        value: the number.
        fractions: what is no decimal is written as a fraction too, not by its digits alone.
    """
    if isinstance(value, float):
        return format(value, ".12g")
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value * 10**DECIMALS
    if scaled.denominator == 1:
        digits = f"{abs(scaled.numerator):0{DECIMALS + 1}d}"
        sign = "-" if value < 0 else ""
        return f"{sign}{digits[:-DECIMALS]}.{digits[-DECIMALS:].rstrip('0')}"
    return f"{value.numerator}/{value.denominator}, about {_about(value)}" if fractions else _about(value)


def _about(value: Fraction) -> str:
    """Twelve digits; all digits of the whole part where that is no float."""
    try:
        return format(float(value), ".12g")
    except OverflowError:
        return str(round(value))
