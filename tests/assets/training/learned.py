"""A model of the toy world, learned once for all tests of a module."""

from pathlib import Path
from typing import NamedTuple

from assets import images
from assets.schema.sample import Sample
from assets.training.train import Trained, train
from tests.assets.training import squares


class Learned(NamedTuple):
    folder: Path
    samples: list[Sample]
    rows: list[images.Picture]
    result: Trained
    lines: list[str]


def learn(folder: Path) -> Learned:
    samples, rows = squares.world()
    lines: list[str] = []
    result = train(samples, images.Pictures.of(rows), squares.SETTINGS, folder, lines.append)
    return Learned(folder, samples, rows, result, lines)
