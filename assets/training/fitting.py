"""An epoch of learning, and what the next one depends on."""

import contextlib
import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

_STEEPEST = 1.0
"""The longest that a gradient may be."""


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Within it torch's chance is that of the seed; after it what it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


class Fitting:
    """An optimizer of some parameters of a network, whose rate rises and falls over all steps; steps: so far."""

    def __init__(
        self, network: nn.Module, parameters: list[nn.Parameter], rate: float, decay: float, steps: int
    ) -> None:
        """Take the network, of which the parameters alone will learn, and the highest rate.

        Args:
            network: what learns.
            parameters: what of it learns.
            rate: the highest.
            decay: of weights.
            steps: of all epochs.
        """
        for value in network.parameters():
            value.requires_grad_(False)
        for value in parameters:
            value.requires_grad_(True)
        self.steps = 0
        self._cuda = any(value.is_cuda for value in parameters)
        self._network, self._parameters = network, parameters
        self._optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=decay, fused=True)
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimizer, rate, total_steps=max(2, steps), pct_start=0.15
        )

    def epoch(self, batches: Sequence[Sequence[int]], wrong: Callable[[Sequence[int]], Tensor]) -> float:
        """Learn from each batch once; the mean loss. The network is left ready to answer."""
        self._network.train()
        losses: list[float] = []
        for batch in batches:
            self._optimizer.zero_grad()
            loss = wrong(batch)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self._parameters, _STEEPEST)
            self._optimizer.step()
            self._schedule.step()
            losses.append(float(loss.detach()))
            self.steps += 1
        self._network.eval()
        return sum(losses) / len(losses)

    def state(self) -> dict[str, Any]:
        """Optimizer, schedule and torch's chance, as the next epoch needs them; the weights are the network's own."""
        return {
            "steps": self.steps,
            "optimizer": self._optimizer.state_dict(),
            "schedule": self._schedule.state_dict(),
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if self._cuda else [],
        }

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Be as when the state was taken."""
        self.steps = state["steps"]
        self._schedule.load_state_dict(state["schedule"])
        self._optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["torch"])
        if state["cuda"]:
            torch.cuda.set_rng_state_all(state["cuda"])


class Best:
    """The weights with the lowest loss so far; the last ones where nothing was compared."""

    def __init__(self, network: nn.Module, loss: float = math.inf, weights: dict[str, Tensor] | None = None) -> None:
        """Begin with the network's weights, or go on with others."""
        self.loss = loss
        self.weights = copy.deepcopy(network.state_dict()) if weights is None else weights

    def take(self, network: nn.Module, loss: float) -> bool:
        """Whether the network's weights are better than those so far, which they then replace."""
        if not loss < self.loss:
            return False
        self.loss, self.weights = loss, copy.deepcopy(network.state_dict())
        return True

    def give(self, network: nn.Module) -> None:
        """Put the best weights into the network, if any were compared."""
        if self.loss < math.inf:
            network.load_state_dict(self.weights)
