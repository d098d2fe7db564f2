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

from assets.training.backbone import Backbone
from assets.training.batches import Source, Steps, numbered, padded, rationale_target, source, steps_numbered
from assets.training.examples import Example
from assets.training.fitting import Best, Fitting, seeded
from assets.training.network import Choosing, Network, likeliest
from assets.training.reader import device_of, scored, write
from assets.training.saved import Saved
from assets.training.train import TrainingSettings

STAGES = ("seeing", "rationale", "answer")

_WINDOW = 64
_SEEING_SCALE = 0.05
_ANSWER_SHARE = 0.3


class Lesson(NamedTuple):
    """What is learned from.

    learned, checked: the examples of train and validation. told: which phrases each learned example's rationale has.
    """

    learned: tuple[Example, ...]
    checked: tuple[Example, ...]
    told: NDArray[np.float32]


class Learning:
    """Networks that learn, stage by stage, from where a run before this one was stopped.

    rows: of the curves, one an epoch. kept: the epoch of each stage whose weights stay. parameters: of a network.
    """

    def __init__(
        self, lesson: Lesson, backbone: Backbone, settings: TrainingSettings, saved: Saved | None = None
    ) -> None:
        """Begin with fresh weights of the settings' seed, or go on with what was saved."""
        self.lesson, self.backbone, self.settings = lesson, backbone, settings
        self.rows: list[dict[str, Any]] = []
        self.kept: dict[str, int] = {}
        self._rng = random.Random(settings.seed)
        self._take_in()
        with seeded(settings.seed):
            self.rationale = backbone.network()
        self.answer = self.rationale
        self.device = device_of(self.rationale)
        self.parameters = sum(value.numel() for value in self.rationale.parameters())
        self._own: list[list[Steps]] = []
        self._written: list[list[Steps]] = []
        self._saved = saved
        self._begun = None if saved is None else saved.read()
        if self._begun is not None:
            self._go_on(self._begun)

    def _take_in(self) -> None:
        """The examples as numbers."""
        by, longest = self.backbone.words, self.backbone.longest
        every = (*self.lesson.learned, *self.lesson.checked)
        self._asked = [numbered(one.asked, by, longest) for one in every]
        self._steps = [steps_numbered(one.steps, by, longest) for one in every]
        self._targets = [rationale_target(steps, by) for steps in self._steps]
        self._lengths = [
            len(asked.question) + sum(map(len, asked.choices)) + len(target)
            for asked, target in zip(self._asked, self._targets, strict=True)
        ]
        self._train = list(range(len(self.lesson.learned)))
        self._validation = list(range(len(self._train), len(every)))
        self._still = [self.backbone.looks.still(self._example(one).asked.image_id) for one in self._validation]

    def learn(self) -> Iterator[dict[str, Any]]:
        """All stages that have not been gone through, a row of the curves an epoch."""
        first = 0 if self._begun is None else STAGES.index(self._begun["stage"])
        for stage in (self.see, self.write, self.choose)[first:]:
            yield from stage()

    def see(self) -> Iterator[dict[str, Any]]:
        """Learn to tell phrases of a rationale from the picture alone, where that is to be learned."""
        told = torch.from_numpy(self.lesson.told)
        network = self.rationale

        def wrong(batch: Sequence[int]) -> Tensor:
            logits = network.vision.told(self._moved(batch))
            right = self._there(told[list(batch)])
            return (
                _SEEING_SCALE
                * functional.binary_cross_entropy_with_logits(logits, right, reduction="none").sum(1).mean()
            )

        if network.vision.seeing():
            yield from self._stage("seeing", network, network.vision.seeing(), 0.1, wrong, lambda: (None, None))

    def write(self) -> Iterator[dict[str, Any]]:
        """Learn to write the rationale; what it sees stays. The epoch with the lowest loss on validation is kept."""
        network = self.rationale

        def wrong(batch: Sequence[int]) -> Tensor:
            given = self._source(batch)
            patches = network.vision(self._moved(batch))
            states = network.read(given.words, given.places, given.kinds, patches)
            return self._wrong_rationale(network, batch, given, states, patches)

        yield from self._stage(
            "rationale", network, _rest(network), 0.02, wrong, lambda: (self._loss_validation(network), None)
        )

    def choose(self) -> Iterator[dict[str, Any]]:
        """Learn to choose with the rationale at hand; the epoch with the lowest loss on validation is kept."""
        if self._begun is None or self._begun["stage"] != "answer":
            self.answer = copy.deepcopy(self.rationale)
            self._own = self._rationales_of_train() if self.settings.own else []
            self._written = self._rationales_of_validation()
        network = self.answer
        yield from self._stage(
            "answer",
            network,
            _rest(network),
            0.02,
            lambda batch: self._wrong_answer(network, batch),
            lambda: self._checked(network),
        )

    def _wrong_rationale(
        self, network: Network, batch: Sequence[int], given: Source, states: Tensor, patches: Tensor
    ) -> Tensor:
        """The loss of the first stage: of the words of the rationale, and of the answer without one."""
        scores = network.chosen(states, given.words, given.places, given.kinds, given.options, given.most)
        answer = functional.cross_entropy(scores, self._right(given, batch))
        return self._told(network, batch, states, given.words, patches) + _ANSWER_SHARE * answer

    def _wrong_answer(self, network: Network, batch: Sequence[int]) -> Tensor:
        """The loss of the second stage: of the answer with a rationale."""
        given = self._source(batch, [self._drawn(one, 0) for one in batch])
        scores = self._scores(network, given, network.vision(self._moved(batch)))
        return functional.cross_entropy(scores, self._right(given, batch))

    def _choosings(self, batch: Sequence[int]) -> list[Choosing]:
        """How the first network chooses words, of each rationale that an answer is learned with."""
        return [likeliest]

    def _fused(self, scores: Sequence[Tensor]) -> Tensor:
        """The scores with all rationales of those with each."""
        return scores[0]

    def _stage(
        self,
        name: str,
        network: Network,
        parameters: list[torch.nn.Parameter],
        decay: float,
        wrong: Callable[[Sequence[int]], Tensor],
        check: Callable[[], tuple[float | None, float | None]],
    ) -> Iterator[dict[str, Any]]:
        """A row an epoch; check: loss and accuracy on validation, the loss deciding which weights stay."""
        epochs, rate = getattr(self.settings, f"epochs_{name}"), getattr(self.settings, f"rate_{name}")
        steps = epochs * math.ceil(len(self._train) / self.settings.batch)
        best = Best(network)
        with seeded(self.settings.seed):
            fitting = Fitting(network, parameters, rate, decay, steps)
            begun = self._begun if self._begun is not None and self._begun["stage"] == name else None
            if begun is not None:
                fitting.go_on(begun["fitting"])
                best = Best(network, begun["best_loss"], begun["best"])
                self._rng.setstate(begun["random"])
            for epoch in range(1 if begun is None else begun["epoch"] + 1, epochs + 1):
                mean = fitting.epoch(self._batches(), wrong)
                loss, accuracy = check()
                if loss is not None and best.take(network, loss):
                    self.kept[name] = epoch
                row = _row(name, epoch, fitting.steps, mean, loss, accuracy)
                self.rows.append(row)
                self._keep(name, epoch, fitting, best)
                yield row
        best.give(network)

    def _keep(self, stage: str, epoch: int, fitting: Fitting, best: Best) -> None:
        """Save all that the next epoch depends on."""
        if self._saved is None:
            return
        self._saved.write(
            {
                "stage": stage,
                "epoch": epoch,
                "rows": self.rows,
                "kept": self.kept,
                "rationale": self.rationale.state_dict(),
                "answer": self.answer.state_dict() if stage == "answer" else {},
                "best_loss": best.loss,
                "best": best.weights,
                "fitting": fitting.state(),
                "random": self._rng.getstate(),
                "own": self._own,
                "written": self._written,
            }
        )

    def _go_on(self, begun: dict[str, Any]) -> None:
        self.rows, self.kept = begun["rows"], begun["kept"]
        self._own, self._written = begun["own"], begun["written"]
        self.rationale.load_state_dict(begun["rationale"])
        if begun["stage"] == "answer":
            self.answer = copy.deepcopy(self.rationale)
            self.answer.load_state_dict(begun["answer"])

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

    def _example(self, one: int) -> Example:
        learned = self.lesson.learned
        return learned[one] if one < len(learned) else self.lesson.checked[one - len(learned)]

    def _there(self, tensor: Tensor) -> Tensor:
        return tensor.to(self.device)

    def _moved(self, batch: Sequence[int]) -> Tensor:
        looks = self.backbone.looks
        moved = [looks.moved(self._example(one).asked.image_id, self._rng) for one in batch]
        return self._there(torch.stack(moved))

    def _source(self, batch: Sequence[int], told: Sequence[Steps] | None = None) -> Source:
        asked = [self._asked[one] for one in batch]
        given = source(asked, self.backbone.words, told, rng=self._rng, hidden=self.settings.hidden)
        return given.to(self.device)

    def _right(self, given: Source, batch: Sequence[int]) -> Tensor:
        """Where the right option of each stands."""
        places = [order.index(self._example(one).answer) for order, one in zip(given.orders, batch, strict=True)]
        return self._there(torch.tensor(places))

    def _scores(self, network: Network, given: Source, patches: Tensor) -> Tensor:
        states = network.read(given.words, given.places, given.kinds, patches)
        return network.chosen(states, given.words, given.places, given.kinds, given.options, given.most)

    def _told(self, network: Network, batch: Sequence[int], states: Tensor, words: Tensor, patches: Tensor) -> Tensor:
        target = padded([self._targets[one] for one in batch])
        before = functional.pad(target[:, :-1], (1, 0), value=self.backbone.words.start)
        scores = network.write(self._there(before), states, words, patches)
        return functional.cross_entropy(scores.flatten(0, 1), self._there(target).flatten(), ignore_index=0)

    def _parts(self) -> Iterator[tuple[list[int], Tensor]]:
        """The examples of validation, some at a time, with their pictures."""
        for at in range(0, len(self._validation), self.settings.at_once):
            yield (
                self._validation[at : at + self.settings.at_once],
                self._there(torch.stack(self._still[at : at + self.settings.at_once])),
            )

    @torch.no_grad()
    def _loss_validation(self, network: Network) -> float:
        total = 0.0
        for batch, features in self._parts():
            given = source([self._asked[one] for one in batch], self.backbone.words).to(self.device)
            patches = network.vision(features)
            states = network.read(given.words, given.places, given.kinds, patches)
            total += float(self._told(network, batch, states, given.words, patches)) * len(batch)
        return total / len(self._validation)

    def _rationales_of_validation(self) -> list[list[Steps]]:
        """The rationales that the first network writes on validation, as they are read again."""
        return self._rationales(self._parts())

    @torch.no_grad()
    def _rationales_of_train(self) -> list[list[Steps]]:
        """The rationales that the first network writes on train while it sees as badly as when it learned."""
        self.rationale.train()
        parts = [
            self._train[at : at + self.settings.at_once] for at in range(0, len(self._train), self.settings.at_once)
        ]
        with seeded(self.settings.seed):
            found = self._rationales((batch, self._moved(batch)) for batch in parts)
        self.rationale.eval()
        return found

    def _rationales(self, parts: Iterator[tuple[list[int], Tensor]]) -> list[list[Steps]]:
        """Rationales of the first network, a list over examples for each way of choosing words."""
        by, longest = self.backbone.words, self.backbone.longest
        found: list[list[Steps]] = [[] for _ in self._choosings([])]
        for batch, features in parts:
            asked = [self._asked[one] for one in batch]
            for number, choosing in enumerate(self._choosings(batch)):
                texts = write(self.rationale, by, longest, asked, features, choosing)
                found[number] += [steps_numbered(steps, by, longest) for steps in texts]
        return found

    def _drawn(self, one: int, number: int) -> Steps:
        """A rationale that an answer is learned with: none, one that the network wrote, or the sample's."""
        drawn = self._rng.random()
        if drawn < self.settings.bare:
            return ()
        own = drawn < self.settings.bare + self.settings.own
        return self._own[number][one] if own else self._steps[one]

    def _checked(self, network: Network) -> tuple[float, float]:
        """Mean loss and accuracy on validation, with rationales that were written."""
        loss, right = 0.0, 0
        for part, (batch, features) in enumerate(self._parts()):
            asked = [self._asked[one] for one in batch]
            at = part * self.settings.at_once
            within = slice(at, at + len(batch))
            scores = self._fused(
                [scored(network, self.backbone.words, asked, told[within], features) for told in self._written]
            )
            labels = self._there(torch.tensor([self._example(one).answer for one in batch]))
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
