"""What a checkpoint generates from a batch of inputs, in tokens."""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

from assets.models.transformers_checkpoint import Checkpoint


class Sampling(NamedTuple):
    """temperature 0: the likeliest token each time. seed: of all draws, None for others each time."""

    temperature: float
    top_p: float | None
    max_tokens: int
    seed: int | None


def new_tokens(
    checkpoint: Checkpoint,
    given: Any,
    most: int,
    sampling: Sampling,
    seed: int | None,
    *,
    keep: bool = False,
    cache: Any = None,
) -> tuple[list[list[int]], Any]:
    """The new tokens of each row, and what the model kept of the batch where that is to be known."""
    import torch

    config = copy.deepcopy(checkpoint.model.generation_config)
    config.update(
        return_dict_in_generate=keep,
        max_new_tokens=most,
        max_length=None,
        num_beams=1,
        num_return_sequences=1,
        pad_token_id=_pad(checkpoint),
    )
    if sampling.temperature == 0:
        config.update(do_sample=False, temperature=None, top_p=None, top_k=None)
    else:
        config.update(do_sample=True, temperature=sampling.temperature, top_p=sampling.top_p or 1.0, top_k=0)
    with torch.inference_mode(), torch.random.fork_rng(enabled=seed is not None):
        if seed is not None:
            torch.manual_seed(seed)
        known = {} if cache is None else {"cache": cache}
        made = checkpoint.model.generate(**given, **known, generation_config=config)
    kept = getattr(made, "cache", None) if keep else None
    made = made.sequences if keep else made
    before = given["input_ids"]
    if checkpoint.model.config.is_encoder_decoder:
        made = made[:, 1:]
    elif made.shape[1] >= before.shape[1] and torch.equal(made[:, : before.shape[1]], before):
        made = made[:, before.shape[1] :]
    rows: list[list[int]] = made.tolist()
    return rows, kept


def until_end(row: Sequence[int], ends: frozenset[int]) -> tuple[list[int], bool]:
    """The tokens up to the first that ends a reply, that one included, and whether there is one."""
    for place, token in enumerate(row):
        if token in ends:
            return list(row[: place + 1]), True
    return list(row), False


def ends(checkpoint: Checkpoint) -> frozenset[int]:
    """The tokens that end a reply."""
    known = checkpoint.model.generation_config.eos_token_id
    if known is None:
        known = checkpoint.processor.tokenizer.eos_token_id
    return frozenset([known] if isinstance(known, int) else known or ())


def _pad(checkpoint: Checkpoint) -> int | None:
    configured = checkpoint.model.generation_config.pad_token_id
    found: int | None = checkpoint.processor.tokenizer.pad_token_id if configured is None else configured
    return found
