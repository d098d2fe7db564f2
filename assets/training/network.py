"""What any network of these families can do: read words with a picture, write words, score options."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

Choosing = Callable[[Tensor], Tensor]
"""Scores of next words (n, words) to the one that is written of each, (n,)."""


def likeliest(scores: Tensor) -> Tensor:
    """The next word with the highest score."""
    return scores.argmax(-1)


class Sampled:
    """The next word by chance, as likely as a network says.

    Each row has a seed of its own, so that what is written for one does not depend on what else is.
    """

    def __init__(self, seeds: Sequence[str], temperature: float) -> None:
        """Take a seed a row, and what scores are divided by."""
        self._rngs = [random.Random(seed) for seed in seeds]
        self._temperature = temperature

    def __call__(self, scores: Tensor) -> Tensor:
        """The next word of each row, whose number grows by one a row with every call."""
        shares = torch.softmax(scores.double() / self._temperature, -1).cumsum(-1)
        drawn = torch.tensor([[rng.random()] for rng in self._rngs], dtype=shares.dtype, device=shares.device)
        found = torch.searchsorted(shares, drawn * shares[:, -1:], right=True)[:, 0]
        return found.clamp(max=scores.shape[-1] - 1)


class Sight(nn.Module, ABC):
    """Features of pictures (n, …) to patches (n, patches, width) by calling it."""

    @abstractmethod
    def told(self, features: Tensor) -> Tensor:
        """Of each phrase, how likely the picture's rationale has it, as a logit: (n, phrases)."""

    @abstractmethod
    def seeing(self) -> list[nn.Parameter]:
        """What learns from phrases, and then stays; where it is nothing, that stage is left out."""


class Network(nn.Module, ABC):
    """Words and a picture in; the next words of a rationale, or a score of each option, out.

    words, places, kinds, options: (n, length), of `assets.training.batches.Source`; word 0 is no word. patches: what
    `vision` gives. It holds what it needs on one device, that of its parameters; so are what it is given and gives.
    """

    vision: Sight

    @abstractmethod
    def alone(self, words: Tensor, places: Tensor, kinds: Tensor) -> Tensor:
        """States (n, length, width) of words that no picture came into."""

    @abstractmethod
    def read(self, words: Tensor, places: Tensor, kinds: Tensor, patches: Tensor) -> Tensor:
        """States (n, length, width) of words with what they found in the picture."""

    @abstractmethod
    def write(self, written: Tensor, states: Tensor, words: Tensor, patches: Tensor) -> Tensor:
        """Scores of each next word (n, length, words) of rationales that are known; words: what the states are of."""

    @abstractmethod
    def told(
        self,
        states: Tensor,
        words: Tensor,
        patches: Tensor,
        start: int,
        end: int,
        most: int,
        choosing: Choosing = likeliest,
    ) -> Tensor:
        """One next word after another, (n, at most `most`); what follows an end is ends."""

    @abstractmethod
    def chosen(
        self, states: Tensor, words: Tensor, places: Tensor, kinds: Tensor, options: Tensor, most: int
    ) -> Tensor:
        """A score of each option (n, most), minus infinity where there is none."""
