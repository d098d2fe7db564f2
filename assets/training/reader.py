"""What answers once it has learned: a rationale of question and picture, then an option of all three."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from assets.training import pictures
from assets.training.batches import (
    END_NUMBER,
    LONGEST_RATIONALE,
    START_NUMBER,
    Numbered,
    numbered,
    source,
    steps_numbered,
)
from assets.training.examples import Asked
from assets.training.mm_cot import ARCHITECTURE, Network, Shape
from assets.training.text import Encoder, Vocabulary

if TYPE_CHECKING:
    from PIL import Image


class Reader(NamedTuple):
    """Two networks of one shape, with the words and the colours that they know."""

    shape: Shape
    vocabulary: Vocabulary
    palette: pictures.Features
    spread: pictures.Features
    rationale: Network
    answer: Network
    architecture: str = ARCHITECTURE

    def features(self, image: "Image.Image | None") -> Tensor:
        """A picture as it is taken in, (colours, rows, columns); None is a white one."""
        blank = np.full((pictures.HEIGHT, pictures.WIDTH, 3), 255, dtype=np.uint8)
        drawn = blank if image is None else pictures.pixels(image)
        found = pictures.features(pictures.numbered(drawn, self.palette), len(self.palette))
        return torch.from_numpy(found / self.spread)

    def rationales(self, asked: Sequence[Asked], features: Tensor) -> list[list[str]]:
        """The steps of a rationale for each; features: (n, colours, rows, columns)."""
        encoder = Encoder(self.vocabulary)
        return write(self.rationale, encoder, [numbered(one, encoder) for one in asked], features)

    def answers(self, asked: Sequence[Asked], rationales: Sequence[Sequence[str]], features: Tensor) -> list[int]:
        """The number of an option for each that has any, from 0; of one without, 0."""
        encoder = Encoder(self.vocabulary)
        told = [steps_numbered(steps, encoder) for steps in rationales]
        scores = scored(self.answer, [numbered(one, encoder) for one in asked], told, features)
        return [int(number) for number in scores.argmax(-1).tolist()]


@torch.no_grad()
def write(network: Network, encoder: Encoder, asked: Sequence[Numbered], features: Tensor) -> list[list[str]]:
    """The steps of the rationale that a network writes for each, as texts."""
    given = source(asked)
    patches = network.vision(features)
    states = network.read(given.words, given.places, given.kinds, patches)
    written = network.told(states, given.words, patches, START_NUMBER, END_NUMBER, LONGEST_RATIONALE)
    return [encoder.decoded(row) for row in written.tolist()]


@torch.no_grad()
def scored(
    network: Network, asked: Sequence[Numbered], rationales: Sequence[Sequence[Sequence[int]]], features: Tensor
) -> Tensor:
    """A network's score of each option, (n, options of one at most), minus infinity where there is none."""
    given = source(asked, rationales)
    states = network.read(given.words, given.places, given.kinds, network.vision(features))
    return network.chosen(states, given.words, given.places, given.kinds, given.options, given.most)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Within it torch computes on one thread, which is faster for what is small, and gives the same every time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
