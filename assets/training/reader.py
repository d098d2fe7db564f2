"""What answers once it has learned: a rationale of question and picture, then an option of all three."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from assets.training.backbone import Backbone, Longest
from assets.training.batches import Numbered, Steps, numbered, source, steps_numbered
from assets.training.examples import Asked
from assets.training.network import Choosing, Network, likeliest
from assets.training.text import Words

if TYPE_CHECKING:
    from PIL import Image


class Reader:
    """Two networks with the words and the looks that they know: an Answerer."""

    def __init__(self, backbone: Backbone, rationale: Network, answer: Network) -> None:
        """Take what was learned."""
        self.backbone, self.rationale, self.answer = backbone, rationale.eval(), answer.eval()

    def features(self, image: "Image.Image | None") -> Tensor:
        """A picture as it is taken in; None: there is no picture."""
        return self.backbone.looks.of(image)

    def rationales(self, asked: Sequence[Asked], features: Sequence[Tensor]) -> list[list[str]]:
        """The steps of a rationale for each."""
        if not asked:
            return []
        with one_thread():
            return self._written(self._numbered(asked), torch.stack(list(features)), likeliest)

    def answers(
        self, asked: Sequence[Asked], rationales: Sequence[Sequence[str]], features: Sequence[Tensor]
    ) -> list[int | None]:
        """The number of an option for each that has any, from 0; of one without, None."""
        if not asked:
            return []
        told = [steps_numbered(steps, self.backbone.words, self.backbone.longest) for steps in rationales]
        with one_thread():
            scores = self._scores(asked, self._numbered(asked), told, torch.stack(list(features)))
        return [
            int(number) if one.choices else None for one, number in zip(asked, scores.argmax(-1).tolist(), strict=True)
        ]

    def _numbered(self, asked: Sequence[Asked]) -> list[Numbered]:
        return [numbered(one, self.backbone.words, self.backbone.longest) for one in asked]

    def _written(self, put: Sequence[Numbered], features: Tensor, choosing: Choosing) -> list[list[str]]:
        return write(self.rationale, self.backbone.words, self.backbone.longest, put, features, choosing)

    def _scores(self, asked: Sequence[Asked], put: list[Numbered], told: list[Steps], features: Tensor) -> Tensor:
        """The score of each option (n, options of one at most) of what was asked, put into numbers."""
        return scored(self.answer, self.backbone.words, put, told, features)


def device_of(network: Network) -> torch.device:
    """Where a network's weights are."""
    return next(network.parameters()).device


@torch.no_grad()
def write(
    network: Network,
    by: Words,
    longest: Longest,
    asked: Sequence[Numbered],
    features: Tensor,
    choosing: Choosing = likeliest,
) -> list[list[str]]:
    """The steps of the rationale that a network writes for each, as texts."""
    here = device_of(network)
    given = source(asked, by).to(here)
    patches = network.vision(features.to(here))
    states = network.read(given.words, given.places, given.kinds, patches)
    written = network.told(states, given.words, patches, by.start, by.end, longest.rationale, choosing)
    return [by.decoded(row) for row in written.tolist()]


@torch.no_grad()
def scored(
    network: Network, by: Words, asked: Sequence[Numbered], rationales: Sequence[Steps], features: Tensor
) -> Tensor:
    """A network's score of each option, (n, options of one at most), minus infinity where there is none."""
    here = device_of(network)
    given = source(asked, by, rationales).to(here)
    states = network.read(given.words, given.places, given.kinds, network.vision(features.to(here)))
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
