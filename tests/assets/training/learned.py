"""Models of the toy world, learned once for all tests of a module."""

from pathlib import Path
from typing import NamedTuple

from assets import images
from assets.schema.sample import Sample
from assets.settings_training import Learned as Family
from assets.training.train import MM_COT, Trained, train
from tests.assets.training import squares

FEW = squares.SETTINGS._replace(epochs_seeing=2, epochs_rationale=2, epochs_answer=2)


class Learned(NamedTuple):
    folder: Path
    samples: list[Sample]
    rows: list[images.Picture]
    result: Trained
    lines: list[str]


def learn(folder: Path, family: Family = MM_COT) -> Learned:
    samples, rows = squares.world()
    lines: list[str] = []
    result = train(samples, images.Pictures.of(rows), squares.SETTINGS, folder, lines.append, family=family)
    return Learned(folder, samples, rows, result, lines)
