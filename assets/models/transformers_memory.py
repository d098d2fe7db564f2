"""The second ask of a batch, read on from what the checkpoint keeps of the first, where that is exact."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assets.models.model import FINAL
from assets.models.transformers_checkpoint import Checkpoint

Rows = list[list[int]]


@dataclass
class Memory:
    """Whether asks are read on from the ones before.

    written: whether a dialogue's last ask is written, and not scored. exact: what came of trying both ways on a batch,
    one with pictures and one without.
    """

    written: bool = True
    exact: dict[bool, bool] = field(default_factory=dict)


def keeps(checkpoint: Checkpoint) -> bool:
    """Whether it can be exact at all: in a number format shorter than float32 the sums round otherwise."""
    return checkpoint.dtype == "float32" and not checkpoint.model.config.is_encoder_decoder


def follows(dialogue: Any, reply: Any, memory: Memory) -> bool:
    """Whether the dialogue's next ask only adds text to what was read, and is to be written."""
    place = reply.ask + 1
    if reply.status not in FINAL or place >= len(dialogue.asks) or not reply.parts:
        return False
    ask = dialogue.asks[place]
    if ask.fresh or any(part.image_id is not None for part in ask.parts):
        return False
    return memory.written or place + 1 < len(dialogue.asks)


def read_on(before: Any, cache: Any, rows: Sequence[int], after: Any, generate: Callable[..., Rows]) -> Rows | None:
    """The new tokens of each row, its prompt read on from that of the first ask; None where that is not possible.

    The first ask's prompt must be the beginning of the second's, token for token. What the model then replied is read
    again from its text, as it would be without a memory, since its tokens need not be those that it said.

    Args:
        before: inputs of the first ask's batch.
        cache: what the model kept of that batch.
        rows: which of its rows go on.
        after: inputs of the second ask, one row each.
        generate: new tokens of inputs, from a cache.
    """
    import torch

    if not _plain(cache):
        return None
    ids, mask = before["input_ids"][list(rows)], before["attention_mask"][list(rows)]
    added = []
    for own, real, whole, there in zip(ids, mask, after["input_ids"], after["attention_mask"], strict=True):
        first, second = own[real.bool()], whole[there.bool()]
        if len(second) <= len(first) or not torch.equal(second[: len(first)], first):
            return None
        added.append(second[len(first) :])
    most = max(map(len, added))
    more, shown = ids.new_zeros((len(added), most)), mask.new_zeros((len(added), most))
    for place, tokens in enumerate(added):
        more[place, most - len(tokens) :] = tokens
        shown[place, most - len(tokens) :] = 1
    cache.crop(ids.shape[1] - cache.get_seq_length())
    cache.batch_select_indices(torch.tensor(list(rows), device=ids.device))
    given = {"input_ids": torch.cat([ids, more], dim=1), "attention_mask": torch.cat([mask, shown], dim=1)}
    return generate(given, cache=cache)


def _plain(cache: Any) -> bool:
    """Whether every layer keeps all of its tokens, so that the last ones can be taken off."""
    layers = getattr(cache, "layers", None) or ()
    return len(layers) > 0 and all(type(layer).__name__ == "DynamicLayer" for layer in layers)
