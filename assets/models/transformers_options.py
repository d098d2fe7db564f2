"""The option of a question that a checkpoint finds most likely, in place of what it would write."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assets.models.model import Pictures, Reply, said
from assets.models.transformers_batches import Answer, Waiting, inputs, too_long
from assets.models.transformers_checkpoint import Checkpoint, threads
from assets.schema.sample import LETTERS

FINISHED = "loglikelihood"
"""The finish reason of a reply that was scored, not written."""

TOLERANCE = {"float32": 1e-3}
"""How far the two ways of scoring may lie apart, as mean log-likelihood of a token, by number format."""
TOLERANCE_OF_OTHERS = 0.1

_BY_TOKEN = frozenset({"attention_mask", "token_type_ids", "mm_token_type_ids"})


def chosen(
    checkpoint: Checkpoint,
    chunk: Sequence[Waiting],
    pictures: Pictures,
    *,
    shared: bool = True,
    pixels: int | None = None,
    fingerprint: str | None = None,
) -> Iterator[Answer]:
    """Each dialogue with the reply `(B) <the option's text>`: the option whose text is likeliest as the reply.

    An option's score is the mean log-likelihood of its tokens as the whole beginning of a reply, its end not counted:
    the mean, since a sum would prefer what is short. Of equal scores the first option has it. An option without text
    has no score. tokens_out is 0: nothing is written.

    Args:
        checkpoint: that finds them likely.
        chunk: the batch.
        pictures: that it names.
        shared: a prompt is calculated once for all of its options, else once for each.
        pixels: most of a picture.
        fingerprint: of the checkpoint.
    """
    without = [one for one in chunk if not any(option.strip() for option in one.dialogue.choices)]
    for one in without:
        yield Answer(one, one.failed("no options: there is nothing to compare"))
    chunk = [one for one in chunk if one not in without]
    if not chunk:
        return
    with threads(checkpoint.device):
        given = inputs(checkpoint, chunk, pictures, pixels)
        lengths = given["attention_mask"].sum(dim=1).tolist()
        options = [option_tokens(checkpoint, one.dialogue.choices) for one in chunk]
        longest = [length + max(map(len, own)) - 1 for length, own in zip(lengths, options, strict=True)]
        if beyond := too_long(checkpoint, chunk, longest):
            yield from beyond
            out = {id(one.waiting) for one in beyond}
            rest = [one for one in chunk if id(one) not in out]
            yield from chosen(checkpoint, rest, pictures, shared=shared, pixels=pixels, fingerprint=fingerprint)
            return
        if shared:
            found = scores(checkpoint, given, options)
        else:
            found = [
                scores_apart(checkpoint, inputs(checkpoint, [one], pictures, pixels), own)
                for one, own in zip(chunk, options, strict=True)
            ]
    for one, length, own in zip(chunk, lengths, found, strict=True):
        best = max(range(len(own)), key=own.__getitem__)
        text = f"({LETTERS[best]}) {one.dialogue.choices[best]}"
        yield Answer(one, Reply(one.dialogue.id, one.ask, (said(text),), "ok", FINISHED, length, 0, fingerprint))


def agrees(checkpoint: Checkpoint, one: Waiting, pictures: Pictures, pixels: int | None = None) -> bool:
    """Whether scoring with a shared prompt gives this dialogue's options what scoring each apart gives them.

    A checkpoint may count positions or keep a memory in a way of its own, and then it does not.
    """
    import torch

    with threads(checkpoint.device):
        options = option_tokens(checkpoint, one.dialogue.choices)
        try:
            together = scores(checkpoint, inputs(checkpoint, [one], pictures, pixels), [options])[0]
        except torch.OutOfMemoryError:
            raise
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, RuntimeError):
            return False
        apart = scores_apart(checkpoint, inputs(checkpoint, [one], pictures, pixels), options)
    most = TOLERANCE.get(checkpoint.dtype, TOLERANCE_OF_OTHERS)
    return all(a == b or abs(a - b) <= most for a, b in zip(together, apart, strict=True))


def option_tokens(checkpoint: Checkpoint, options: Sequence[str]) -> list[list[int]]:
    """Each option's text in tokens, what looks like a control token as text."""
    tokenizer = checkpoint.processor.tokenizer
    return [
        list(tokenizer.encode(option, add_special_tokens=False, split_special_tokens=True)) if option.strip() else []
        for option in options
    ]


def scores(checkpoint: Checkpoint, given: Any, options: Sequence[Sequence[Sequence[int]]]) -> list[list[float]]:
    """The mean log-likelihood of each option's tokens after its prompt: the prompts once, then all options at once."""
    import torch

    device = given["input_ids"].device
    rows = [(row, tokens) for row, own in enumerate(options) for tokens in own if tokens]
    owner = torch.tensor([row for row, _ in rows], device=device)
    most = max(len(tokens) for _, tokens in rows)
    ids = torch.zeros((len(rows), most), dtype=torch.long, device=device)
    real = torch.zeros_like(ids)
    for place, (_, tokens) in enumerate(rows):
        ids[place, : len(tokens)] = torch.tensor(tokens, device=device)
        real[place, : len(tokens)] = 1
    mask = given["attention_mask"]
    positions = mask.cumsum(dim=1) - 1
    with torch.inference_mode():
        prompt = checkpoint.model(
            **given, position_ids=positions.clamp(min=0), use_cache=True, **_last_only(checkpoint.model)
        )
        first = prompt.logits[:, -1].float().log_softmax(dim=-1)[owner]
        found = first.gather(1, ids[:, :1])
        if most > 1:
            prompt.cache.batch_select_indices(owner)
            following = positions[owner, -1:] + torch.arange(1, most, device=device)
            rest = checkpoint.model(
                input_ids=ids[:, :-1],
                attention_mask=torch.cat([mask[owner], real[:, :-1]], dim=1),
                position_ids=following,
                cache=prompt.cache,
            )
            later = rest.logits.float().log_softmax(dim=-1).gather(2, ids[:, 1:, None])[..., 0]
            found = torch.cat([found, later], dim=1)
        means = ((found * real).sum(dim=1) / real.sum(dim=1)).tolist()
    left = iter(means)
    return [[next(left) if tokens else float("-inf") for tokens in own] for own in options]


def scores_apart(checkpoint: Checkpoint, given: Any, options: Sequence[Sequence[int]]) -> list[float]:
    """The same of one dialogue, the prompt calculated anew for each option: what any checkpoint can do."""
    import torch

    found = []
    with torch.inference_mode():
        for tokens in options:
            if not tokens:
                found.append(float("-inf"))
                continue
            added = torch.tensor([tokens], device=given["input_ids"].device)
            whole: Mapping[str, Any] = {
                name: torch.cat([value, torch.full_like(added, int(name == "attention_mask"))], dim=1)
                if name in _BY_TOKEN
                else value
                for name, value in given.items()
                if name != "input_ids"
            }
            logits = checkpoint.model(input_ids=torch.cat([given["input_ids"], added], dim=1), **whole).logits
            tail = logits[0, -len(tokens) - 1 : -1].float().log_softmax(dim=-1)
            found.append(float(tail.gather(1, added[0, :, None]).mean()))
    return found


def _last_only(model: Any) -> dict[str, int]:
    """What keeps the prompt's other logits from being made, where the model can do without."""
    return {"logits_to_keep": 1} if "logits_to_keep" in inspect.signature(model.forward).parameters else {}
