"""Climates by rule, and what can be asked about their charts: twelve temperatures and rainfalls each."""

import math
import random
from collections.abc import Callable
from typing import NamedTuple

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


class Draft(NamedTuple):
    """A question with its right option, the wrong ones, and the rationale; the letters are not drawn yet."""

    question: str
    right: str
    wrong: tuple[str, ...]
    rationale: str


class Chart(NamedTuple):
    """A climate by name, with degrees Celsius and millimetres of rain for the months from January."""

    climate: str
    temperatures: tuple[int, ...]
    rainfall: tuple[int, ...]


class _Climate(NamedTuple):
    """A kind of climate: the year's mean and swing of both values, whether rain peaks in the warm half, its signs."""

    name: str
    warmth: float
    swing: float
    rain: float
    rain_swing: float
    signs: str


_CLIMATES = (
    _Climate("tropical rainforest climate", 26.5, 0.8, 225, 35, "hot, with plenty of rain in every month"),
    _Climate("tropical savanna climate", 25.5, 2.5, 95, 110, "hot all year, with a rainy season and a dry season"),
    _Climate("hot desert climate", 24.5, 9.5, 4, 2, "hot, with hardly any rain in any month"),
    _Climate("Mediterranean climate", 17, 8, 52, -52, "dry in its hot summer and rainy in its mild winter"),
    _Climate("temperate oceanic climate", 10.5, 6, 75, -14, "mild in summer and winter, with rain in every month"),
    _Climate("temperate continental climate", 4, 17, 42, 26, "warm in summer and freezing in its long winter"),
    _Climate("subtropical monsoon climate", 16.5, 11.5, 110, 85, "hot and very rainy in summer, cool in winter"),
    _Climate("polar tundra climate", -10, 13, 18, 11, "cold all year, below 10 °C even in its warmest month"),
)


def chart(rng: random.Random) -> Chart:
    """A climate of a drawn kind and hemisphere; one month is hottest and one wettest by more than can be misread."""
    kind = rng.choice(_CLIMATES)
    warmest = rng.choice((6, 0)) + rng.choice((0, 0, 1))
    warmth, rain = kind.warmth + rng.uniform(-1, 1), kind.rain * rng.uniform(0.92, 1.1)
    wettest = warmest + rng.choice((-1, 0, 0, 1))
    temperatures, rainfall = [], []
    for month in range(12):
        season = math.cos(math.tau * (month - warmest) / 12)
        temperatures.append(round(warmth + kind.swing * season + rng.uniform(-0.3, 0.3)))
        wet = math.cos(math.tau * (month - wettest) / 12)
        rainfall.append(max(0, round(rain + kind.rain_swing * wet + rng.uniform(-0.05, 0.05) * rain)))
    _lift(temperatures, 2)
    temperatures = [-degrees for degrees in temperatures]
    _lift(temperatures, 2)
    temperatures = [-degrees for degrees in temperatures]
    _lift(rainfall, max(2, math.ceil(0.12 * max(rainfall))))
    return Chart(kind.name, tuple(temperatures), tuple(rainfall))


def ask(found: Chart, turn: int, rng: random.Random) -> Draft:
    """A question about a chart; `turn` decides what it asks."""
    return FAMILIES[turn % len(FAMILIES)](found, rng)


def _lift(values: list[int], by: int) -> None:
    """Make the greatest value exceed the others by at least `by`."""
    place = values.index(max(values))
    values[place] = max(values[place], max(values[:place] + values[place + 1 :]) + by)


def _extremes(found: Chart) -> tuple[int, int, int]:
    """The hottest, the coldest and the wettest month."""
    warm, rain = found.temperatures, found.rainfall
    return warm.index(max(warm)), warm.index(min(warm)), rain.index(max(rain))


def _hottest_and_wettest(found: Chart, rng: random.Random) -> Draft:
    hot, cold, wet = _extremes(found)
    others = [month for month in range(12) if month not in (hot, wet)]
    rng.shuffle(others)

    def said(warm: int, rainy: int) -> str:
        rest = "also the wettest month" if warm == rainy else f"not the wettest month, which is {MONTHS[rainy]}"
        return f"{MONTHS[warm]}; it is {rest}"

    if hot == wet:
        wrong = (said(hot, others[0]), said(others[0], others[0]), said(others[1], hot))
    else:
        wrong = (said(hot, hot), said(wet, hot), said(hot, others[0]))
    agree = "the same month" if hot == wet else "two different months"
    return Draft(
        "Which month is the hottest, and is it also the wettest?",
        said(hot, wet),
        wrong,
        f"The line for temperature reaches its highest point in {MONTHS[hot]}, at about {_told(found, hot)}. "
        f"Its lowest point is in {MONTHS[cold]}. "
        f"The tallest bar for rainfall stands at {MONTHS[wet]}, with about {found.rainfall[wet]} mm. "
        f"The highest point and the tallest bar belong to {agree}. "
        f"So the hottest month is {MONTHS[hot]}, and it is {'also' if hot == wet else 'not'} the wettest one.",
    )


def _kind(found: Chart, rng: random.Random) -> Draft:
    kind = next(each for each in _CLIMATES if each.name == found.climate)
    hot, cold, wet = _extremes(found)
    dry = found.rainfall.index(min(found.rainfall))
    wrong = [each.name for each in _CLIMATES if each.name != kind.name]
    rng.shuffle(wrong)
    return Draft(
        "Which kind of climate does the chart show?",
        kind.name,
        tuple(wrong[:3]),
        f"The line shows about {_degrees(found, hot)} in the warmest month, {MONTHS[hot]}. "
        f"In the coldest month, {MONTHS[cold]}, it shows about {_told(found, cold)}. "
        f"The bars show about {found.rainfall[wet]} mm in the wettest month, {MONTHS[wet]}, "
        f"and about {found.rainfall[dry]} mm in {MONTHS[dry]}. "
        f"A {kind.name} is {kind.signs}. "
        "The values of the chart fit this description.",
    )


def _difference(found: Chart, rng: random.Random) -> Draft:
    hot, cold, _ = _extremes(found)
    right = found.temperatures[hot] - found.temperatures[cold]
    apart = 6 if right > 10 else 3
    steps = [step for step in (-2, -1, 1, 2, 3) if right + step * apart > 0]
    chosen = sorted(rng.sample(steps, 3))
    return Draft(
        "About how many degrees warmer is the hottest month than the coldest one?",
        f"{right} °C",
        tuple(f"{right + step * apart} °C" for step in chosen),
        f"The hottest month on the chart is {MONTHS[hot]}, where the line stands at about {_told(found, hot)}. "
        f"The coldest month is {MONTHS[cold]}, where the line stands at about {_told(found, cold)}. "
        f"The difference is found by going from the lower value up to the higher one. "
        f"From {found.temperatures[cold]} to {_told(found, hot)} it is about {right} degrees.",
    )


def _wet_months(found: Chart, rng: random.Random) -> Draft:
    """Months over a limit that no bar is near to; another question where every limit has a bar near it."""
    most = max(found.rainfall)
    room = max(2, 0.07 * most)
    limits = [
        limit
        for limit in (5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 125, 150, 200, 250)
        if all(abs(value - limit) >= room for value in found.rainfall) and min(found.rainfall) < limit < most
    ]
    if not limits:
        return _difference(found, rng)
    limit = rng.choice(limits)
    above = [month for month, value in enumerate(found.rainfall) if value > limit]
    right = len(above)
    near = [count for count in (right - 2, right - 1, right + 1, right + 2, right + 3) if 0 <= count <= 12]
    listed = ", ".join(MONTHS[month] for month in above)
    rest = ", ".join(MONTHS[month] for month in range(12) if month not in above)
    return Draft(
        f"In how many months is there more than {limit} mm of rain?",
        str(right),
        tuple(str(count) for count in sorted(rng.sample(near, 3))),
        f"The bars show the rainfall, and {limit} mm is read on the scale for rainfall. "
        f"The bars of these months rise above that height: {listed}. "
        f"The bars of these months stay below it: {rest}. "
        f"Counting the months above {limit} mm gives {right}.",
    )


def _warmth_of_the_wettest(found: Chart, rng: random.Random) -> Draft:
    _, _, wet = _extremes(found)
    order = sorted(range(12), key=lambda month: found.rainfall[month])
    dry = next((month for month in order if abs(found.temperatures[month] - found.temperatures[wet]) >= 4), order[0])
    right = found.temperatures[wet]
    apart = rng.choice((7, -7))
    wrong = (
        f"{MONTHS[wet]}, at about {_shown(right + apart)}",
        f"{MONTHS[dry]}, at about {_degrees(found, dry)}",
        f"{MONTHS[dry]}, at about {_shown(right)}"
        if abs(found.temperatures[dry] - right) >= 4
        else f"{MONTHS[dry]}, at about {_shown(right - apart)}",
    )
    return Draft(
        "Which month is the wettest, and about how warm is it then?",
        f"{MONTHS[wet]}, at about {_shown(right)}",
        wrong,
        f"The tallest bar for rainfall is that of {MONTHS[wet]}, with about {found.rainfall[wet]} mm. "
        f"So {MONTHS[wet]} is the wettest month. "
        f"Above {MONTHS[wet]}, the line for temperature stands at about {_shown(right)} on its scale. "
        f"The wettest month is therefore {MONTHS[wet]}, at about {_told(found, wet)}.",
    )


FAMILIES: tuple[Callable[[Chart, random.Random], Draft], ...] = (
    _hottest_and_wettest,
    _kind,
    _difference,
    _wet_months,
    _warmth_of_the_wettest,
)


def _degrees(found: Chart, month: int) -> str:
    return _shown(found.temperatures[month])


def _told(found: Chart, month: int) -> str:
    # in words: a sentence that ends in "C." is taken for an initial when steps are told apart
    return f"{found.temperatures[month]} degrees Celsius"


def _shown(degrees: int) -> str:
    return f"{degrees} °C"
