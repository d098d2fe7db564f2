"""The steps of learning: batches in, epochs out, the best weights kept."""

import copy
import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from assets.training import pictures
from assets.training.batches import START_NUMBER, numbered, padded, rationale_target, source, steps_numbered
from assets.training.examples import Example
from assets.training.mm_cot import Network, Shape
from assets.training.reader import Reader, scored, write
from assets.training.text import Encoder, Vocabulary
from assets.training.train import TrainingSettings

Steps = tuple[tuple[int, ...], ...]

_AT_ONCE = 64
_WINDOW = 64
_SEEING_SCALE = 0.05
_ANSWER_SHARE = 0.3
_STEEPEST = 1.0


class Lesson(NamedTuple):
    """What is learned from.

    learned, checked: the examples of train and validation. numbers: pictures by id, "" a white one. told: which
    phrases each learned example's rationale has.
    """

    learned: tuple[Example, ...]
    checked: tuple[Example, ...]
    numbers: dict[str, pictures.Numbers]
    palette: pictures.Features
    spread: pictures.Features
    vocabulary: Vocabulary
    told: NDArray[np.float32]


class Learning:
    """Networks that learn; each stage gives a row of the curves an epoch."""

    def __init__(self, lesson: Lesson, settings: TrainingSettings) -> None:
        """Begin with fresh weights of the settings' seed."""
        self.lesson, self.settings = lesson, settings
        self.kept: dict[str, int] = {}
        self._rng = random.Random(settings.seed)
        self._encoder = Encoder(lesson.vocabulary)
        self._asked = [numbered(one.asked, self._encoder) for one in (*lesson.learned, *lesson.checked)]
        self._steps = [steps_numbered(one.steps, self._encoder) for one in (*lesson.learned, *lesson.checked)]
        self._targets = [rationale_target(steps) for steps in self._steps]
        self._lengths = [
            len(asked.question) + sum(map(len, asked.choices)) + len(target)
            for asked, target in zip(self._asked, self._targets, strict=True)
        ]
        self._train = list(range(len(lesson.learned)))
        self._validation = list(range(len(lesson.learned), len(self._asked)))
        colours, words = len(lesson.palette), len(lesson.vocabulary.words)
        self.shape = Shape(
            words,
            lesson.told.shape[1],
            colours,
            pictures.ROWS,
            pictures.COLUMNS,
            width=settings.width,
            seeing=settings.seeing,
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            self._rationale = Network(self.shape)
        self._answer = self._rationale
        self.parameters = sum(value.numel() for value in self._rationale.parameters())
        self._still = [self._features(one, still=True) for one in self._validation]

    def reader(self) -> Reader:
        """What has been learned."""
        lesson = self.lesson
        networks = (self._rationale.eval(), self._answer.eval())
        return Reader(self.shape, lesson.vocabulary, lesson.palette, lesson.spread, *networks)

    def see(self) -> Iterator[dict[str, Any]]:
        """Learn to tell phrases of a rationale from the picture alone."""
        told = torch.from_numpy(self.lesson.told)
        network = self._rationale

        def loss(batch: Sequence[int]) -> Tensor:
            logits = network.vision.told(self._moved(batch))
            wrong = functional.binary_cross_entropy_with_logits(logits, told[list(batch)], reduction="none")
            return _SEEING_SCALE * wrong.sum(1).mean()

        parameters = network.vision.seeing()
        rates = (self.settings.rate_seeing, 0.1)
        for epoch, step, mean in self._epochs(network, self.settings.epochs_seeing, parameters, rates, loss):
            yield _row("seeing", epoch, step, mean, None, None)

    def write(self) -> Iterator[dict[str, Any]]:
        """Learn to write the rationale; what it sees stays. The epoch with the lowest loss on validation is kept."""
        network = self._rationale
        best = math.inf, copy.deepcopy(network.state_dict())

        def loss(batch: Sequence[int]) -> Tensor:
            given = self._source(batch)
            patches = network.vision(self._moved(batch))
            states = network.read(given.words, given.places, given.kinds, patches)
            scores = network.chosen(states, given.words, given.places, given.kinds, given.options, given.most)
            right = torch.tensor(
                [order.index(self._right(one)) for order, one in zip(given.orders, batch, strict=True)]
            )
            return self._told(network, batch, states, given.words, patches) + _ANSWER_SHARE * functional.cross_entropy(
                scores, right
            )

        rates = (self.settings.rate_rationale, 0.02)
        rest = _rest(network)
        for epoch, step, mean in self._epochs(network, self.settings.epochs_rationale, rest, rates, loss):
            checked = self._loss_validation(network)
            if checked < best[0]:
                best = checked, copy.deepcopy(network.state_dict())
                self.kept["rationale"] = epoch
            yield _row("rationale", epoch, step, mean, checked, None)
        network.load_state_dict(best[1])

    def choose(self) -> Iterator[dict[str, Any]]:
        """Learn to choose with the rationale at hand; the epoch with the lowest loss on validation is kept."""
        network = self._answer = copy.deepcopy(self._rationale)
        best = math.inf, copy.deepcopy(network.state_dict())
        own = self._own() if self.settings.own else []

        def loss(batch: Sequence[int]) -> Tensor:
            told = [self._drawn(one, own) for one in batch]
            given = self._source(batch, told)
            states = network.read(given.words, given.places, given.kinds, network.vision(self._moved(batch)))
            scores = network.chosen(states, given.words, given.places, given.kinds, given.options, given.most)
            right = torch.tensor(
                [order.index(self._right(one)) for order, one in zip(given.orders, batch, strict=True)]
            )
            return functional.cross_entropy(scores, right)

        rates = (self.settings.rate_answer, 0.02)
        written = self._written()
        rest = _rest(network)
        for epoch, step, mean in self._epochs(network, self.settings.epochs_answer, rest, rates, loss):
            checked, accuracy = self._checked(network, written)
            if checked < best[0]:
                best = checked, copy.deepcopy(network.state_dict())
                self.kept["answer"] = epoch
            yield _row("answer", epoch, step, mean, checked, accuracy)
        network.load_state_dict(best[1])

    def _epochs(
        self,
        network: Network,
        epochs: int,
        parameters: list[torch.nn.Parameter],
        rates: tuple[float, float],
        loss: Callable[[Sequence[int]], Tensor],
    ) -> Iterator[tuple[int, int, float]]:
        """(epoch, steps so far, mean loss) after each."""
        for value in network.parameters():
            value.requires_grad_(False)
        for value in parameters:
            value.requires_grad_(True)
        optimizer = torch.optim.AdamW(parameters, lr=rates[0], weight_decay=rates[1], fused=True)
        steps = epochs * math.ceil(len(self._train) / self.settings.batch)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rates[0], total_steps=max(2, steps), pct_start=0.15)
        step = 0
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.settings.seed)
            for epoch in range(1, epochs + 1):
                network.train()
                losses: list[float] = []
                for batch in self._batches():
                    optimizer.zero_grad()
                    wrong = loss(batch)
                    wrong.backward()  # type: ignore[no-untyped-call]
                    torch.nn.utils.clip_grad_norm_(parameters, _STEEPEST)
                    optimizer.step()
                    schedule.step()
                    losses.append(float(wrong.detach()))
                    step += 1
                network.eval()
                yield epoch, step, sum(losses) / len(losses)

    def _batches(self) -> list[list[int]]:
        """The examples once each, in batches of about one length, at random."""
        order = list(self._train)
        self._rng.shuffle(order)
        window, batch = _WINDOW, self.settings.batch
        alike = [
            sorted(order[at : at + window], key=lambda one: self._lengths[one]) for at in range(0, len(order), window)
        ]
        together = [one for some in alike for one in some]
        batches = [together[at : at + batch] for at in range(0, len(together), batch)]
        self._rng.shuffle(batches)
        return batches

    def _right(self, one: int) -> int:
        return self._example(one).answer

    def _example(self, one: int) -> Example:
        learned = self.lesson.learned
        return learned[one] if one < len(learned) else self.lesson.checked[one - len(learned)]

    def _features(self, one: int, still: bool = False) -> Tensor:
        numbers = self.lesson.numbers[self._example(one).asked.image_id or ""]
        far = pictures.FARTHEST
        down, across = (0, 0) if still else (self._rng.randint(-far, far), self._rng.randint(-far, far))
        return torch.from_numpy(pictures.features(numbers, self.shape.colours, down, across) / self.lesson.spread)

    def _moved(self, batch: Sequence[int]) -> Tensor:
        return torch.stack([self._features(one) for one in batch])

    def _source(self, batch: Sequence[int], told: Any = None) -> Any:
        return source([self._asked[one] for one in batch], told, rng=self._rng, hidden=self.settings.hidden)

    def _told(self, network: Network, batch: Sequence[int], states: Tensor, words: Tensor, patches: Tensor) -> Tensor:
        target = padded([self._targets[one] for one in batch])
        before = functional.pad(target[:, :-1], (1, 0), value=START_NUMBER)
        scores = network.write(before, states, words, patches)
        return functional.cross_entropy(scores.flatten(0, 1), target.flatten(), ignore_index=0)

    def _parts(self) -> Iterator[tuple[list[int], Tensor]]:
        """The examples of validation, some at a time, with their pictures."""
        for at in range(0, len(self._validation), _AT_ONCE):
            yield self._validation[at : at + _AT_ONCE], torch.stack(self._still[at : at + _AT_ONCE])

    @torch.no_grad()
    def _loss_validation(self, network: Network) -> float:
        total = 0.0
        for batch, features in self._parts():
            given = source([self._asked[one] for one in batch])
            patches = network.vision(features)
            states = network.read(given.words, given.places, given.kinds, patches)
            total += float(self._told(network, batch, states, given.words, patches)) * len(batch)
        return total / len(self._validation)

    def _written(self) -> list[Steps]:
        """The rationales that the first network writes on validation, as they are read again."""
        found: list[Steps] = []
        for batch, features in self._parts():
            asked = [self._asked[one] for one in batch]
            texts = write(self._rationale, self._encoder, asked, features)
            found += [steps_numbered(steps, self._encoder) for steps in texts]
        return found

    @torch.no_grad()
    def _own(self) -> list[Steps]:
        """The rationales that the first network writes on train while it sees as badly as when it learned."""
        found: list[Steps] = []
        self._rationale.train()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.settings.seed)
            for at in range(0, len(self._train), _AT_ONCE):
                batch = self._train[at : at + _AT_ONCE]
                asked = [self._asked[one] for one in batch]
                texts = write(self._rationale, self._encoder, asked, self._moved(batch))
                found += [steps_numbered(steps, self._encoder) for steps in texts]
        self._rationale.eval()
        return found

    def _drawn(self, one: int, own: Sequence[Steps]) -> Steps:
        """The rationale that an answer is learned with: none, the network's own one, or the sample's."""
        drawn = self._rng.random()
        if drawn < self.settings.bare:
            return ()
        return own[one] if drawn < self.settings.bare + self.settings.own else self._steps[one]

    def _checked(self, network: Network, written: Sequence[Steps]) -> tuple[float, float]:
        """Mean loss and accuracy on validation, with rationales that were written."""
        loss, right = 0.0, 0
        for number, (batch, features) in enumerate(self._parts()):
            told = written[number * _AT_ONCE : number * _AT_ONCE + len(batch)]
            scores = scored(network, [self._asked[one] for one in batch], told, features)
            labels = torch.tensor([self._right(one) for one in batch])
            loss += float(functional.cross_entropy(scores, labels, reduction="sum"))
            right += int(scores.argmax(-1).eq(labels).sum())
        return loss / len(self._validation), right / len(self._validation)


def _rest(network: Network) -> list[torch.nn.Parameter]:
    """The parameters but those of seeing, which stay as they are."""
    seeing = {id(value) for value in network.vision.seeing()}
    return [value for value in network.parameters() if id(value) not in seeing]


def _row(
    stage: str, epoch: int, step: int, loss: float, loss_validation: float | None, accuracy: float | None
) -> dict[str, Any]:
    return {
        "stage": stage,
        "epoch": epoch,
        "step": step,
        "loss": loss,
        "loss_validation": loss_validation,
        "accuracy_validation": accuracy,
    }
