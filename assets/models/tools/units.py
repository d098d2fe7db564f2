"""Units by their names and symbols, each with its size in the base unit of what it measures.

The sizes are exact by definition (the international yard and pound of 1959, the US gallon of 231 cubic inches), save
the radian's, for which pi is a float. A year has 365 days and a twelfth of it is a month; a byte's prefixes are decimal
unless they are written binary (KiB).
"""

import math
import re
from fractions import Fraction
from functools import cache
from typing import NamedTuple


class Unit(NamedTuple):
    """kind: what it measures. size: in the kind's base unit. zero: where its scale begins, in the base unit."""

    kind: str
    size: Fraction
    zero: Fraction = Fraction(0)


_PREFIXES = {
    "n": ("nano", Fraction(1, 10**9)),
    "u": ("micro", Fraction(1, 10**6)),
    "µ": ("micro", Fraction(1, 10**6)),
    "m": ("milli", Fraction(1, 1000)),
    "c": ("centi", Fraction(1, 100)),
    "d": ("deci", Fraction(1, 10)),
    "da": ("deca", Fraction(10)),
    "h": ("hecto", Fraction(100)),
    "k": ("kilo", Fraction(1000)),
    "M": ("mega", Fraction(10**6)),
    "G": ("giga", Fraction(10**9)),
    "T": ("tera", Fraction(10**12)),
    "P": ("peta", Fraction(10**15)),
}
_BINARY = {"Ki": ("kibi", 2**10), "Mi": ("mebi", 2**20), "Gi": ("gibi", 2**30), "Ti": ("tebi", 2**40)}
_ALL = " ".join(_PREFIXES)

_PREFIXED = (
    # kind, symbol, words, size, prefixes
    ("length", "m", "metre meter", "1", _ALL),
    ("mass", "g", "gram gramme", "1/1000", _ALL),
    ("mass", "t", "tonne", "1000", "k M G"),
    ("time", "s", "second sec", "1", _ALL),
    ("volume", "L", "litre liter", "1/1000", _ALL),
    ("volume", "l", "", "1/1000", _ALL),
    ("data", "B", "byte", "8", "k M G T P"),
    ("data", "b", "bit", "1", "k M G T P"),
)
_PLAIN = (
    # kind, symbols and words, size
    ("length", 'in inch inches "', "0.0254"),
    ("length", "ft foot feet '", "0.3048"),
    ("length", "yd yard", "0.9144"),
    ("length", "mi mile", "1609.344"),
    ("length", "nmi nautical_mile", "1852"),
    ("length", "au astronomical_unit", "149597870700"),
    ("length", "ly light_year lightyear light-year", "9460730472580800"),
    ("mass", "oz ounce", "0.028349523125"),
    ("mass", "lb lbs pound", "0.45359237"),
    ("mass", "st stone", "6.35029318"),
    ("mass", "metric_ton", "1000"),
    ("mass", "ton short_ton us_ton", "907.18474"),
    ("mass", "long_ton", "1016.0469088"),
    ("time", "min minute", "60"),
    ("time", "h hr hour", "3600"),
    ("time", "d day", "86400"),
    ("time", "wk week", "604800"),
    ("time", "mo month", "2628000"),
    ("time", "yr year", "31536000"),
    ("time", "decade", "315360000"),
    ("time", "century centuries", "3153600000"),
    ("area", "ha hectare", "10000"),
    ("area", "are", "100"),
    ("area", "ac acre", "4046.8564224"),
    ("volume", "gal gallon us_gallon", "0.003785411784"),
    ("volume", "imperial_gallon", "0.00454609"),
    ("volume", "qt quart", "0.000946352946"),
    ("volume", "pt pint", "0.000473176473"),
    ("volume", "cup", "0.0002365882365"),
    ("volume", "fl_oz floz fluid_ounce", "0.0000295735295625"),
    ("volume", "tbsp tablespoon", "0.00001478676478125"),
    ("volume", "tsp teaspoon", "0.00000492892159375"),
    ("volume", "cc", "0.000001"),
    ("speed", "mph", "0.44704"),
    ("speed", "kph kmh", "5/18"),
    ("speed", "fps", "0.3048"),
    ("speed", "kn knot", "463/900"),
    ("angle", "deg degree °", "1"),
    ("angle", "gon grad gradian", "0.9"),
    ("angle", "turn revolution rev", "360"),
    ("angle", "arcmin arcminute", "1/60"),
    ("angle", "arcsec arcsecond", "1/3600"),
)
_TEMPERATURES = (
    ("K kelvin", Fraction(1), Fraction(0)),
    ("C °C celsius degree_celsius deg_c centigrade", Fraction(1), Fraction("273.15")),
    ("F °F fahrenheit degree_fahrenheit deg_f", Fraction(5, 9), Fraction("273.15") - 32 * Fraction(5, 9)),
    ("R °R rankine degree_rankine", Fraction(5, 9), Fraction(0)),
)
_POWER = re.compile(r"(?:(square|sq|cubic|cu)[ ._]+(.+)|(.+?) ?\^?([23²³]))")
_SPACES = re.compile(r"[\s_]+")


def unit(name: str) -> Unit | None:
    """The unit of this name or symbol, such as km, cubic feet, m/s or degrees Celsius; None: there is none.

    Symbols are read as they are written, and in other letters where that leaves no doubt; words in any letters and
    number.
    """
    text = _SPACES.sub(" ", name.strip().rstrip(".")).replace(" per ", "/").strip()
    if "/" in text:
        way, _, time = text.partition("/")
        over, under = unit(way), unit(time)
        if over and under and over.kind == "length" and under.kind == "time":
            return Unit("speed", over.size / under.size)
        return None
    if found := _simple(text):
        return found
    if power := _POWER.fullmatch(text):
        side = _simple(power[2] or power[3])
        square = power[1] in {"square", "sq"} or power[4] in {"2", "²"}
        if side and side.kind == "length":
            return Unit("area", side.size**2) if square else Unit("volume", side.size**3)
    return None


def kinds() -> tuple[str, ...]:
    """What can be converted."""
    return tuple(dict.fromkeys(one.kind for one in _exact().values()))


def _simple(text: str) -> Unit | None:
    key = text.replace(" ", "_")
    if key in _exact():
        return _exact()[key]
    low = key.casefold()
    for word in (low, low.removesuffix("s"), low.removesuffix("es"), low.replace("degrees_", "degree_")):
        if word in _words():
            return _words()[word]
    return _folded().get(low)


@cache
def _exact() -> dict[str, Unit]:
    """Units by symbol and word, as they are written."""
    found: dict[str, Unit] = {}
    for kind, symbol, words, size, prefixes in _PREFIXED:
        sizes = {"": ("", Fraction(1))} | {prefix: _PREFIXES[prefix] for prefix in prefixes.split()}
        if kind == "data":
            sizes |= {prefix: (word, Fraction(times)) for prefix, (word, times) in _BINARY.items()}
        for prefix, (before, times) in sizes.items():
            for name in (prefix + symbol, *(before + word for word in words.split())):
                found[name] = Unit(kind, Fraction(size) * times)
    found["KB"] = found["kB"]
    for kind, names, size in _PLAIN:
        found |= {name: Unit(kind, Fraction(size)) for name in names.split()}
    found |= {name: Unit("angle", Fraction(180) / Fraction(math.pi)) for name in ("rad", "radian")}
    for names, size_k, zero in _TEMPERATURES:
        found |= {name: Unit("temperature", size_k, zero) for name in names.split()}
    return found


@cache
def _words() -> dict[str, Unit]:
    """Words and abbreviations of three letters or more, which mean the same in any letters."""
    return {name: one for name, one in _exact().items() if len(name) > 2 and name == name.casefold()}


@cache
def _folded() -> dict[str, Unit]:
    """Symbols in small letters, where only one unit is written so."""
    found: dict[str, set[Unit]] = {}
    for name, one in _exact().items():
        found.setdefault(name.casefold(), set()).add(one)
    return {name: next(iter(several)) for name, several in found.items() if len(several) == 1}
