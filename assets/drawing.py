"""Pictures drawn from plain values: tangrams by Pillow, charts and maps by Matplotlib; the same pixels everywhere."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from PIL import Image, ImageFont

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_OVERSAMPLED = 4
_MOST_SIDE = 2048
_MOST_CELLS = 200
_SIZE = (480, 360)
_DOTS = 100
_WARM, _WET = "#D55E00", "#0072B2"
"""Vermilion and blue of Okabe and Ito's palette, told apart in every common colour blindness."""


class Place(NamedTuple):
    """A labelled point on a map; x in columns from the left, y in rows from the top, each from 0."""

    label: str
    x: float
    y: float


@lru_cache
def lettering(size: int) -> "ImageFont.FreeTypeFont":
    """DejaVu Sans as Matplotlib brings it, `size` pixels high, without the shaping that is not on every machine."""
    from PIL import ImageFont

    return ImageFont.truetype(lettering_file(), size, layout_engine=ImageFont.Layout.BASIC)


def lettering_file() -> str:
    """The file of that font."""
    import matplotlib

    return os.path.join(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")


def polygons(
    pieces: Sequence[tuple[Sequence[tuple[float, float]], str]],
    width: float,
    height: float,
    *,
    side: int = 320,
    stroke: str | None = "white",
) -> "Image.Image":
    """A drawing of filled polygons in order, RGB on white, scaled into a square of `side` pixels and centred.

    Each piece is (points, fill); points lie in a field of `width` by `height`, y downwards. Edges are smoothed by
    drawing four times as large; `stroke` is drawn around each piece, None for no line.

    Raises:
        ValueError: for an empty field, a side over 2,048 pixels or a piece of fewer than three points.
    """
    from PIL import Image, ImageDraw

    if not (0 < width < float("inf") and 0 < height < float("inf")) or not 16 <= side <= _MOST_SIDE:
        raise ValueError(f"a field of {width} by {height} in {side} pixels: give sides over 0, and 16 to {_MOST_SIDE}")
    full = side * _OVERSAMPLED
    pad = full // 20
    scale = (full - 2 * pad) / max(width, height)
    left, top = (full - width * scale) / 2, (full - height * scale) / 2
    picture = Image.new("RGB", (full, full), "white")
    pen = ImageDraw.Draw(picture)
    for points, fill in pieces:
        if len(points) < 3:
            raise ValueError(f"a piece of {len(points)} points: a polygon has three or more")
        corners = [(left + x * scale, top + y * scale) for x, y in points]
        pen.polygon(corners, fill=fill)
        if stroke is not None:
            pen.line([*corners, corners[0], corners[1]], fill=stroke, width=2 * _OVERSAMPLED, joint="curve")
    return picture.resize((side, side), Image.Resampling.BOX)


def climate_chart(temperatures: Sequence[float], rainfall: Sequence[float], *, title: str = "") -> "Image.Image":
    """A climate chart, 480 x 360 RGB: bars of rainfall in millimetres, a line of temperature in degrees Celsius.

    One value a month from January, for both.

    Source: M3CoT A.4.2 (geographical images through Matplotlib).

    Raises:
        ValueError: unless there are twelve of each.
    """
    if len(temperatures) != len(MONTHS) or len(rainfall) != len(MONTHS):
        raise ValueError(f"{len(temperatures)} temperatures and {len(rainfall)} rainfalls: give twelve of each")
    with _style():
        return _climate_chart(temperatures, rainfall, title)


def _climate_chart(temperatures: Sequence[float], rainfall: Sequence[float], title: str) -> "Image.Image":
    from matplotlib.ticker import MaxNLocator

    figure = _figure()
    rain = figure.add_axes((0.125, 0.13, 0.75, 0.71))
    warm = rain.twinx()
    places = range(len(MONTHS))
    rain.bar(places, rainfall, color=_WET, width=0.7, label="Rainfall")
    warm.plot(places, temperatures, color=_WARM, marker="o", markersize=4, linewidth=1.8, label="Temperature")
    rain.set_xticks(list(places), MONTHS)
    rain.set_ylabel("Rainfall (mm)", color=_WET)
    warm.set_ylabel("Temperature (°C)", color=_WARM)
    rain.set_ylim(0, max(10.0, max(rainfall) * 1.25))
    low, high = min(temperatures), max(temperatures)
    room = max(5.0, (high - low) * 0.15)
    warm.set_ylim(min(0.0, low - room), high + room)
    for axis in (rain.yaxis, warm.yaxis):
        axis.set_major_locator(MaxNLocator(6))
    rain.grid(axis="y", color="#dddddd", linewidth=0.6)
    rain.set_axisbelow(True)
    figure.legend(loc="upper center", bbox_to_anchor=(0.5, 0.93 if title else 0.99), ncols=2, frameon=False)
    return _picture(figure, title)


def relief_map(
    heights: Sequence[Sequence[float]],
    places: Sequence[Place],
    *,
    title: str = "",
    unit: str = "m",
    step: float | None = None,
    depth: bool = False,
) -> "Image.Image":
    """A map of heights or depths, 480 x 360 RGB: coloured bands, labelled contours, points, a scale and a north arrow.

    `heights` is a grid of rows from north to south; contours stand every `step` (of its range, a round tenth if not
    given). With `depth` the values are metres below the surface, drawn darker the deeper.

    Source: M3CoT A.4.2 (geographical images through Matplotlib).

    Raises:
        ValueError: for a grid that is ragged, smaller than 2 x 2, level or over 200 cells a side.
    """
    rows = {len(row) for row in heights}
    if len(rows) != 1 or not 2 <= min(len(heights), *rows) <= max(len(heights), *rows) <= _MOST_CELLS:
        raise ValueError(f"a grid of {len(heights)} rows of {sorted(rows)}: give 2 to {_MOST_CELLS} equal rows")
    low, high = min(map(min, heights)), max(map(max, heights))
    if not high > low:
        raise ValueError(f"a grid that is level at {low}: a map has heights that differ")
    with _style():
        return _relief_map(heights, places, title, unit, step or _round_step(high - low), depth)


def _relief_map(
    heights: Sequence[Sequence[float]], places: Sequence[Place], title: str, unit: str, step: float, depth: bool
) -> "Image.Image":
    import numpy as np
    from matplotlib import colormaps
    from matplotlib.patheffects import withStroke

    field = np.asarray(heights, dtype=np.float64)
    low, high = float(field.min()), float(field.max())
    levels = np.arange(np.floor(low / step), np.ceil(high / step) + 1) * step
    figure = _figure()
    axes = figure.add_axes((0.04, 0.05, 0.74, 0.83 if title else 0.9))
    # cividis without its darkest third, on which no contour would be seen
    ends = (1.0, 0.35) if depth else (0.35, 1.0)
    shades = colormaps["cividis"](np.linspace(*ends, len(levels) - 1))
    bands = axes.contourf(field, levels=levels, colors=[tuple(shade) for shade in shades])
    lines = axes.contour(field, levels=levels, colors="black", linewidths=0.6)
    marks = axes.clabel(lines, lines.levels[1:-1], fmt="%g", fontsize=7.5, inline=False)
    for mark in marks:
        mark.set_path_effects([withStroke(linewidth=2, foreground="white")])
    axes.invert_yaxis()
    axes.set_xticks([])
    axes.set_yticks([])
    scale = figure.colorbar(bands, cax=figure.add_axes((0.82, 0.05, 0.04, 0.66)))
    scale.ax.set_title(f"{'Depth' if depth else 'Height'} ({unit})", fontsize=8, loc="left")
    if depth:
        scale.ax.invert_yaxis()
    across = field.shape[1] - 1
    for place in places:
        axes.plot([place.x], [place.y], "o", color="white", markeredgecolor="black", markersize=6)
        right = place.x < 0.85 * across
        axes.annotate(
            _plain(place.label),
            (place.x, place.y),
            xytext=(7 if right else -7, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            fontsize=9,
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
        )
        reach = 22 + 6 * len(place.label)
        at = axes.transData.transform((place.x, place.y))
        for mark in marks:
            across_by, up_by = axes.transData.transform(mark.get_position()) - at
            if abs(up_by) < 18 and (-16 < across_by < reach if right else -reach < across_by < 16):
                mark.set_visible(False)
    compass = figure.add_axes((0.81, 0.79, 0.1, 0.17))
    compass.set_axis_off()
    compass.annotate(
        "N",
        (0.5, 1.0),
        xytext=(0.5, 0.0),
        ha="center",
        fontsize=10,
        arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.6},
    )
    return _picture(figure, title)


def _round_step(extent: float) -> float:
    """The round number (1, 2 or 5 times a power of ten) nearest above a tenth of the extent."""
    import math

    power = 10.0 ** math.floor(math.log10(extent / 10))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= extent / 10)


@contextmanager
def _style() -> Iterator[None]:
    """Matplotlib's own defaults, whatever this machine's matplotlibrc says."""
    from matplotlib import style

    with style.context(["default", {"font.family": ["DejaVu Sans"], "font.size": 8, "text.usetex": False}]):
        yield


def _figure() -> Any:
    """An empty figure of 480 x 360 pixels, outside pyplot."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_SIZE[0] / _DOTS, _SIZE[1] / _DOTS), dpi=_DOTS, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def _plain(text: str) -> str:
    """Text that Matplotlib does not read as mathematics."""
    return text.replace("$", r"\$")


def _picture(figure: Any, title: str) -> "Image.Image":
    from PIL import Image

    if title:
        figure.suptitle(_plain(title), fontsize=10, y=0.98)
    figure.canvas.draw()
    wide, high = figure.canvas.get_width_height()
    return Image.frombytes("RGBA", (wide, high), bytes(figure.canvas.buffer_rgba())).convert("RGB")
