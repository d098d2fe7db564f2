"""The architecture and the loss of MMR: words and picture look at each other several times; sentences pull together.

Source: Wei et al., "Enhancing Human-like Multi-Modal Reasoning" (arXiv:2307.12626): multi-hop cross-modal attention
and sentence-level contrastive learning, to better the encoders of words and pictures. Of the two no more than that is
taken from there: that hops have weights of their own, that a sentence is held against the question with its picture,
that sentences of one rationale do not stand against each other, and that the loss is one of the first stage alone,
where the sentences are learned, is decided here. All else is as in mm-cot.
"""

from collections.abc import Callable, Sequence
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from assets.training.backbone import Backbone
from assets.training.batches import RATIONALE, Source, padded
from assets.training.learning import Learning, Lesson
from assets.training.mm_cot import Attention, Fusion, GatedNetwork, Shape
from assets.training.network import Network
from assets.training.saved import Saved
from assets.training.train import TrainingSettings


class Hops(Fusion):
    """Words look at the picture, then the picture at the words that have looked, so many times."""

    def __init__(self, shape: Shape, hops: int) -> None:
        """Build it with fresh weights."""
        super().__init__()
        self.to_picture = nn.ModuleList(Attention(shape) for _ in range(hops))
        self.to_words = nn.ModuleList(Attention(shape) for _ in range(hops))
        self.before_picture = nn.ModuleList(nn.LayerNorm(shape.width) for _ in range(hops))
        self.before_words = nn.ModuleList(nn.LayerNorm(shape.width) for _ in range(hops))

    def look(self, states: Tensor, there: Tensor, patches: Tensor) -> Tensor:
        """The states with what they found; there: which of them are words."""
        for to_picture, to_words, before_picture, before_words in zip(
            self.to_picture, self.to_words, self.before_picture, self.before_words, strict=True
        ):
            seen = cast(Attention, to_picture)
            states = states + seen(before_picture(states), seen.remembered(patches), None)
            read = cast(Attention, to_words)
            patches = patches + read(before_words(patches), read.remembered(states), there)
        return states


class HopsNetwork(GatedNetwork):
    """A network whose encoder takes in the picture by hops in place of the gate."""

    def __init__(self, shape: Shape, hops: int) -> None:
        """Build it with fresh weights."""
        self._hops = hops
        super().__init__(shape)

    def fused(self) -> Callable[[Shape], Fusion]:
        """What the encoder's last layer takes in the picture with."""
        return lambda shape: Hops(shape, self._hops)


def contrast(states: Tensor, sentences: Tensor, owners: Tensor, temperature: float) -> Tensor:
    """How badly sentences find the question that they are of: the mean over sentences of -log of their own share.

    A sentence stands among those of other owners: the share is exp(likeness / temperature) of it in the sum of theirs
    and its own, the likeness being the cosine to the state of its owner.

    Args:
        states: of questions with their pictures, (n, width).
        sentences: states of sentences, (sentences, width).
        owners: the question, from 0, that each sentence is of, (sentences,).
        temperature: of the likeness; lower tells harder apart.
    """
    alike = functional.normalize(states, dim=-1)[owners] @ functional.normalize(sentences, dim=-1).T / temperature
    own = torch.eye(len(owners), dtype=torch.bool, device=owners.device)
    others = owners[:, None].eq(owners[None, :]) & ~own
    return functional.cross_entropy(
        alike.masked_fill(others, float("-inf")), torch.arange(len(owners), device=owners.device)
    )


class MmrLearning(Learning):
    """Learning whose first stage also pulls a question with its picture and the sentences of its rationale together."""

    def __init__(
        self,
        lesson: Lesson,
        backbone: Backbone,
        settings: TrainingSettings,
        saved: Saved | None = None,
        *,
        share: float,
        temperature: float,
    ) -> None:
        """Begin, or go on; share: weight of the contrast. temperature: of its likeness."""
        self._share, self._temperature = share, temperature
        super().__init__(lesson, backbone, settings, saved)

    def _wrong_rationale(
        self, network: Network, batch: Sequence[int], given: Source, states: Tensor, patches: Tensor
    ) -> Tensor:
        wrong = super()._wrong_rationale(network, batch, given, states, patches)
        return wrong + self._share * self._contrast(network, batch, given, states)

    def _contrast(self, network: Network, batch: Sequence[int], given: Source, states: Tensor) -> Tensor:
        rows = [(owner, step) for owner, one in enumerate(batch) for step in self._steps[one] if step]
        if not rows:
            return states.sum() * 0
        words = self._there(padded([step for _, step in rows]))
        places = torch.zeros_like(words)
        sentences = network.alone(words, places, torch.full_like(words, RATIONALE))
        owners = self._there(torch.tensor([owner for owner, _ in rows]))
        return contrast(pooled(states, given.words), pooled(sentences, words), owners, self._temperature)


def pooled(states: Tensor, words: Tensor) -> Tensor:
    """The mean of the states that are of words, (n, width)."""
    there = words.ne(0).to(states.dtype)[..., None]
    return (states * there).sum(1) / there.sum(1).clamp(min=1)
