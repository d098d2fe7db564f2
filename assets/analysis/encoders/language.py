"""How surprised a language model is by a text, from which its perplexity follows."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from assets.analysis.encoders import loading
from assets.schema.faults import Fault

WHERE = "analysis.rationales.language"
TOKENS_AT_ONCE = 1024
"""Each has as many numbers as there are words in the vocabulary."""


class Surprise(NamedTuple):
    """What a language model says of one text.

    tokens: how many it scored. nll: their mean negative log-likelihood, natural logarithm; NaN when there are none.
    """

    tokens: int
    nll: float

    @property
    def perplexity(self) -> float | None:
        """Exp of the mean negative log-likelihood, 1 or more; None where no token was scored."""
        if self.tokens == 0:
            return None
        return math.exp(self.nll) if self.nll < 700 else math.inf


class Language(Protocol):
    """What scores texts token by token; `name` is what tables say."""

    @property
    def name(self) -> str:
        """What tables say."""

    def surprise(self, texts: Sequence[str]) -> list[Surprise]:
        """How surprising each text is, in their order."""


class _Window(NamedTuple):
    """A stretch of one text's tokens; those from `first` on are scored in it."""

    text: int
    tokens: tuple[int, ...]
    first: int


class _Checkpoint:
    def __init__(self, loaded: loading.Loaded) -> None:
        self.name = loaded.name
        self._loaded = loaded
        tokenizer = loaded.tokenizer
        begins = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        if begins is None:
            raise Fault(f"{WHERE}: {loaded.name} has neither a beginning token nor an end token: name another one")
        self._begins = int(begins)
        self._pad = loading.padded(loaded)
        self._positions = loading.positions(loaded)

    def surprise(self, texts: Sequence[str]) -> list[Surprise]:
        numbers = loading.once(texts)
        if not numbers:
            return []
        encoded = self._loaded.tokenizer(list(numbers), add_special_tokens=False, verbose=False)["input_ids"]
        windows = [
            window
            for text, ids in enumerate(encoded)
            for window in _windows(text, (self._begins, *ids), self._positions)
        ]
        sums = [0.0] * len(numbers)
        with loading.calculating(self._loaded.device):
            for batch in loading.batches([len(window.tokens) for window in windows], TOKENS_AT_ONCE):
                for place, loss in zip(batch, self._losses([windows[place] for place in batch]), strict=True):
                    sums[windows[place].text] += loss
        found = [
            Surprise(len(ids), total / len(ids) if ids else math.nan) for ids, total in zip(encoded, sums, strict=True)
        ]
        return [found[numbers[text]] for text in texts]

    def _losses(self, windows: Sequence[_Window]) -> list[float]:
        """Of each window the summed negative log-likelihood of the tokens that are scored in it."""
        import torch

        length = max(len(window.tokens) for window in windows)
        ids = torch.full((len(windows), length), self._pad)
        mask = torch.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window.tokens)] = torch.tensor(window.tokens)
            mask[row, : len(window.tokens)] = 1
        given: dict[str, Any] = {"input_ids": ids, "attention_mask": mask}
        logits = self._loaded.model(**loading.on(self._loaded.device, given), use_cache=False).logits
        losses = []
        for row, window in enumerate(windows):
            scored = torch.tensor(window.tokens[window.first :], device=logits.device)
            told = logits[row, window.first - 1 : len(window.tokens) - 1].float()
            each = torch.nn.functional.cross_entropy(told, scored, reduction="none")
            losses.append(float(each.double().sum()))
        return losses


def _windows(text: int, tokens: tuple[int, ...], positions: int | None) -> Iterator[_Window]:
    """The stretches in which a text is read, the next half a window later; each token but the first is scored once."""
    length = len(tokens) if positions is None else max(2, positions)
    stride = max(1, length // 2)
    start, done = 0, 1
    while done < len(tokens):
        end = min(start + length, len(tokens))
        yield _Window(text, tokens[start:end], done - start)
        start, done = start + stride, end


def language_model(name: str, device: str = "cpu") -> Language:
    """The causal language model by its folder or name on the hub.

    The perplexity of a text is exp of the mean negative log-likelihood of its tokens. A beginning token (where there
    is none, the end token) goes before them and is not scored; padding is masked. A text longer than the model's
    positions is read in windows of that many, half a window apart, each token scored in the first that holds it.

    Raises:
        Fault: it cannot be had, or is no causal language model.
    """
    from transformers import AutoModelForCausalLM

    return _Checkpoint(loading.load(name, device, WHERE, AutoModelForCausalLM, "a causal language model"))
