"""Pictures as the network takes them in: how much of which colour is where, colours being those of the train split."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import Image

HEIGHT, WIDTH, CELL = 96, 160, 8
"""Pixels that a picture is drawn to, and along a side of the cells whose colours are counted."""

ROWS, COLUMNS = HEIGHT // CELL, WIDTH // CELL

FARTHEST = 8
"""Pixels by which a picture may be moved while learning."""

_LEVELS = 16
_LEAST = 20
_LOOKED_AT = 400_000
_ROUNDS = 12

Pixels = NDArray[np.uint8]
Numbers = NDArray[np.uint8]
Features = NDArray[np.float32]


def pixels(image: "Image.Image") -> Pixels:
    """The picture drawn to (96, 160, 3), whatever its proportions; what is transparent is white."""
    from PIL import Image

    from assets.image_modes import plain

    small = plain(image).convert("RGB").resize((WIDTH, HEIGHT), Image.Resampling.BOX)
    return np.asarray(small, dtype=np.uint8)


def white() -> Pixels:
    """What stands for a picture where there is none."""
    return np.full((HEIGHT, WIDTH, 3), 255, dtype=np.uint8)


def palette(pictures: Sequence[Pixels], colours: int, rng: np.random.Generator) -> Features:
    """The colours that stand for all colours of these pictures, (colours, 3) in [0, 255]: k-means of those that occur.

    Every colour that is found often enough counts once, so that small things have theirs beside large grounds.
    """
    flat = np.concatenate(
        [one.reshape(-1, 3)[:: max(1, HEIGHT * WIDTH * len(pictures) // _LOOKED_AT)] for one in pictures]
    )
    found, counts = np.unique(_level(flat), return_counts=True)
    often = found[counts >= min(_LEAST, counts.max())]
    points = _middle(often)
    if len(points) <= colours:
        return np.concatenate([points, np.full((colours - len(points), 3), -1e4)]).astype(np.float32)
    centres = points[rng.choice(len(points), colours, replace=False)]
    for _ in range(_ROUNDS):
        nearest = _nearest(points, centres)
        for number in range(colours):
            own = points[nearest == number]
            centres[number] = own.mean(0) if len(own) else points[rng.integers(len(points))]
    return centres.astype(np.float32)


def numbered(picture: Pixels, colours: Features) -> Numbers:
    """The number of the nearest colour of the palette, pixel by pixel."""
    every = _middle(np.arange(_LEVELS**3))
    return _nearest(every, colours.astype(np.float64)).astype(np.uint8)[_level(picture)]


def features(numbers: Numbers, colours: int, down: int = 0, across: int = 0) -> Features:
    """Of each colour the root of its share of each cell, (colours, rows, columns), after a move by some pixels."""
    if down or across:
        rows = np.clip(np.arange(HEIGHT) + down, 0, HEIGHT - 1)
        columns = np.clip(np.arange(WIDTH) + across, 0, WIDTH - 1)
        numbers = numbers[rows][:, columns]
    cells = (np.arange(HEIGHT)[:, None] // CELL) * COLUMNS + np.arange(WIDTH)[None, :] // CELL
    places = numbers.astype(np.int64) * (ROWS * COLUMNS) + cells
    counts = np.bincount(places.ravel(), minlength=colours * ROWS * COLUMNS)
    return np.sqrt(counts / (CELL * CELL)).astype(np.float32).reshape(colours, ROWS, COLUMNS)


def spread(pictures: Iterable[Numbers], colours: int) -> Features:
    """How much the features of each colour vary over these pictures and their cells, (colours, 1, 1)."""
    total, squares, count = np.zeros(colours), np.zeros(colours), 0
    for one in pictures:
        seen = features(one, colours).reshape(colours, -1).astype(np.float64)
        total += seen.sum(1)
        squares += (seen**2).sum(1)
        count += seen.shape[1]
    variance = squares / count - (total / count) ** 2
    return (np.sqrt(np.maximum(variance, 0)) + 1e-2).astype(np.float32).reshape(colours, 1, 1)


def _level(picture: Pixels) -> NDArray[np.int64]:
    parts = picture.astype(np.int64) * _LEVELS // 256
    return np.asarray((parts[..., 0] * _LEVELS + parts[..., 1]) * _LEVELS + parts[..., 2])


def _middle(levels: NDArray[np.int64]) -> NDArray[np.float64]:
    parts = np.stack([levels // _LEVELS**2, levels // _LEVELS % _LEVELS, levels % _LEVELS], -1)
    return np.asarray((parts + 0.5) * (256 / _LEVELS), dtype=np.float64)


def _nearest(points: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.asarray(((centres**2).sum(1) - 2 * points @ centres.T).argmin(1))
