"""Units and their conversion, against values from their definitions."""

import math
from fractions import Fraction

import pytest

from assets.models.tools.tool import ToolFault
from assets.models.tools.unit_conversion import UnitConversion
from assets.models.tools.units import kinds, unit


def said(value: float, one: str, other: str) -> str:
    return UnitConversion(1.0).compute({"value": value, "from": one, "to": other}, {}).text


@pytest.mark.parametrize(
    ("value", "one", "other", "text"),
    [
        (5, "km", "m", "5 km = 5000 m"),
        (1, "mile", "kilometres", "1 mile = 1.609344 kilometres"),
        (3, "ft", "inches", "3 ft = 36 inches"),
        (2.5, "kg", "g", "2.5 kg = 2500 g"),
        (1, "lb", "ounces", "1 lb = 16 ounces"),
        (90, "min", "hours", "90 min = 1.5 hours"),
        (1, "ha", "m2", "1 ha = 10000 m2"),
        (1, "square yard", "sq ft", "1 square yard = 9 sq ft"),
        (1, "m^3", "litres", "1 m^3 = 1000 litres"),
        (1, "cubic foot", "cubic inches", "1 cubic foot = 1728 cubic inches"),
        (1, "gallon", "cups", "1 gallon = 16 cups"),
        (100, "C", "F", "100 C = 212 F"),
        (-40, "°F", "degrees Celsius", "-40 °F = -40 degrees Celsius"),
        (0, "celsius", "K", "0 celsius = 273.15 K"),
        (36, "km/h", "m/s", "36 km/h = 10 m/s"),
        (60, "mph", "miles per minute", "60 mph = 1 miles per minute"),
        (180, "degrees", "turns", "180 degrees = 0.5 turns"),
        (180, "degrees", "radians", f"180 degrees = {math.pi:.12g} radians"),
        (2, "radians", "rad", "2 radians = 2 rad"),
        (1, "degree", "arcmin", "1 degree = 60 arcmin"),
        (1, "KiB", "bytes", "1 KiB = 1024 bytes"),
        (1, "MB", "kilobits", "1 MB = 8000 kilobits"),
        (2, "years", "days", "2 years = 730 days (a year of 365 days)"),
        (2, "years", "months", "2 years = 24 months"),
        (1, "m", "ft", "1 m = 3.28083989501 ft"),
    ],
)
def test_a_quantity_is_what_its_definition_says(value: float, one: str, other: str, text: str) -> None:
    assert said(value, one, other) == text


def test_symbols_are_read_as_written_and_words_in_any_letters() -> None:
    assert unit("mg") != unit("Mg")
    assert unit("KILOMETERS") == unit("km") == unit("Kilometre")
    assert unit("Feet") == unit("ft") == unit("FT")
    assert unit("Gb") != unit("GB")
    assert unit("kb") == unit("kilobit")


def test_what_is_converted_is_named() -> None:
    assert set(kinds()) == {"length", "mass", "time", "area", "volume", "temperature", "speed", "angle", "data"}


def test_every_prefix_is_its_power_of_ten() -> None:
    metre = unit("m")
    assert metre is not None and metre.size == 1
    for prefix, power in {"n": -9, "µ": -6, "m": -3, "c": -2, "d": -1, "da": 1, "h": 2, "k": 3, "M": 6}.items():
        prefixed = unit(f"{prefix}m")
        assert prefixed is not None and prefixed.size == Fraction(10) ** power, prefix


@pytest.mark.parametrize("name", ["parsnip", "", "m/kg", "square kg", "kkm", "m^4", "/", "__class__"])
def test_what_is_no_unit_is_none(name: str) -> None:
    assert unit(name) is None


def test_units_that_do_not_go_together_are_objected_to_with_both_named() -> None:
    tool = UnitConversion(1.0)
    assert tool.objection({"value": 1, "from": "km", "to": "m"}) is None
    assert "'kg', a unit of mass, and 'm' is one of length" in str(
        tool.objection({"value": 1, "from": "m", "to": "kg"})
    )
    assert "to is 'parsnip', which is no known unit" in str(tool.objection({"value": 1, "from": "m", "to": "parsnip"}))
    with pytest.raises(ToolFault):
        said(1, "m", "kg")


def test_a_temperature_below_absolute_zero_is_refused() -> None:
    with pytest.raises(ToolFault, match="below absolute zero"):
        said(-300, "C", "K")


def test_no_name_stands_for_two_units() -> None:
    from assets.models.tools import units

    prefixed = [
        prefix + symbol for _, symbol, _, _, prefixes in units._PREFIXED for prefix in ("", *prefixes.split())
    ] + [before + symbol for before in units._BINARY for symbol in "Bb"]
    plain = [name for _, names, _ in units._PLAIN for name in names.split()]
    temperatures = [name for names, _, _ in units._TEMPERATURES for name in names.split()]
    names = [*prefixed, *plain, *temperatures, "rad", "radian"]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)
