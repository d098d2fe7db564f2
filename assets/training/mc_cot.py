"""The learning and the answering of MC-CoT: an answer is learned from, and given by, several rationales at once.

Source: Tan et al., "Boosting the Power of Small Multimodal Reasoning Models to Match Larger Models with
Self-Consistency Training" (arXiv:2311.14109): several passes are averaged before the loss. There dropout tells the
passes apart, they vote in both stages, with a mean that heeds how far they lie apart, and answering is as in mm-cot.
Here whole rationales are written: the first is the likeliest one, as in mm-cot, each other is drawn by a temperature.
They vote in the second stage alone, by the plain mean of the options' log-probabilities, and so they do when it
answers: an answer is the option with the highest mean. With one rationale it is mm-cot.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from assets.training.backbone import Backbone
from assets.training.batches import Numbered, Steps, steps_numbered
from assets.training.examples import Asked
from assets.training.learning import Learning, Lesson
from assets.training.network import Choosing, Network, Sampled
from assets.training.reader import Reader, scored
from assets.training.saved import Saved
from assets.training.train import TrainingSettings


class Several:
    """How many rationales there are of each, and how the others are drawn."""

    def __init__(self, rationales: int, temperature: float, seed: int) -> None:
        """Take the number, the temperature of the drawn ones, and the seed that, with an id, decides what is drawn."""
        self.rationales, self._temperature, self._seed = rationales, temperature, seed

    def others(self, ids: Sequence[str]) -> list[Choosing]:
        """How next words are chosen of every rationale but the first, each for those with these ids."""
        return [
            Sampled([f"{self._seed}/{one}/{number}" for one in ids], self._temperature)
            for number in range(1, self.rationales)
        ]


def fused(scores: Sequence[Tensor]) -> Tensor:
    """Scores of options with one rationale each (n, options) as scores with all of them.

    Their softmax is that of the mean of the options' log-probabilities: what tells scores from log-probabilities is
    the same for all options of one, and so is its mean.
    """
    return torch.stack(list(scores)).mean(0)


def aligned(scores: Tensor, orders: Sequence[Sequence[int]], wanted: Sequence[Sequence[int]]) -> Tensor:
    """Scores of options that stand in some orders, in the wanted orders."""
    places = [
        [*(order.index(option) for option in goal), *range(len(goal), scores.shape[1])]
        for order, goal in zip(orders, wanted, strict=True)
    ]
    return scores.gather(1, torch.tensor(places, device=scores.device))


class McCotLearning(Learning):
    """Learning whose second stage has several rationales of each example."""

    def __init__(
        self,
        lesson: Lesson,
        backbone: Backbone,
        settings: TrainingSettings,
        saved: Saved | None = None,
        *,
        several: Several,
    ) -> None:
        """Begin, or go on; several: how many rationales, and how they are drawn."""
        self._several = several
        super().__init__(lesson, backbone, settings, saved)

    def _choosings(self, batch: Sequence[int]) -> list[Choosing]:
        return [*super()._choosings(batch), *self._several.others([self._example(one).asked.id for one in batch])]

    def _wrong_answer(self, network: Network, batch: Sequence[int]) -> Tensor:
        first = self._source(batch, [self._drawn(one, 0) for one in batch])
        patches = network.vision(self._moved(batch))
        scores = [self._scores(network, first, patches)]
        for number in range(1, self._several.rationales):
            given = self._source(batch, [self._drawn(one, number) for one in batch])
            scores.append(aligned(self._scores(network, given, patches), given.orders, first.orders))
        return functional.cross_entropy(fused(scores), self._right(first, batch))

    def _fused(self, scores: Sequence[Tensor]) -> Tensor:
        return fused(scores)


class McCotReader(Reader):
    """A reader that draws more rationales beside the one that it is given, and answers by all of them."""

    def __init__(self, backbone: Backbone, rationale: Network, answer: Network, several: Several) -> None:
        """Take what was learned, and how many rationales an answer has."""
        super().__init__(backbone, rationale, answer)
        self._several = several

    def _scores(self, asked: Sequence[Asked], put: list[Numbered], told: list[Steps], features: Tensor) -> Tensor:
        by, longest = self.backbone.words, self.backbone.longest
        scores = [scored(self.answer, by, put, told, features)]
        for choosing in self._several.others([one.id for one in asked]):
            texts = self._written(put, features, choosing)
            steps = [steps_numbered(one, by, longest) for one in texts]
            scores.append(scored(self.answer, by, put, steps, features))
        return fused(scores)
