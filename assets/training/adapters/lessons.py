"""Samples as what an image-text checkpoint learns from: a prompt with its picture, and the tokens to be written."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from assets.models.model import Ask, Dialogue, Reply, Turn
from assets.models.transformers_batches import Waiting, inputs, prepared
from assets.models.transformers_checkpoint import Checkpoint
from assets.models.transformers_tokens import ends
from assets.schema.sample import Sample
from assets.training import examples
from assets.training.adapters import wording
from assets.training.adapters.shown import BLANK, Shown
from assets.training.examples import Asked, Example
from assets.training.train import TrainingError

IGNORED = -100
"""The label of a token that the loss leaves out, as torch and transformers have it."""


class Limits(NamedTuple):
    """How long a sample may be.

    length: tokens of its text, prompt and target together; those of its picture are not counted, since a picture of
    LLaVA-1.5 alone has more than the 512 that the paper allows. context: tokens in all that the checkpoint can read.
    """

    length: int
    context: int | None


class Lesson(NamedTuple):
    """One sample as it is learned: what is asked with its picture, and the tokens to be written, the end among them."""

    example: Example
    waiting: Waiting
    target: tuple[int, ...]


class Lessons(NamedTuple):
    """The samples that fit; how many prompts lost the beginning of their question, and which samples do not fit."""

    lessons: tuple[Lesson, ...]
    cut: int
    left_out: tuple[str, ...]

    @property
    def longest(self) -> int:
        """The tokens of the longest target."""
        return max((len(one.target) for one in self.lessons), default=0)


def of_split(samples: Sequence[Sample], split: str) -> list[Example]:
    """The samples of a split that can be learned from, by id.

    Raises:
        TrainingError: there are less than two.
    """
    ordered = sorted((one for one in samples if one.split == split), key=lambda one: one.id or "")
    found = [one for sample in ordered if (one := examples.of_sample(sample)) is not None]
    if len(found) < 2:
        raise TrainingError(
            f"split {split}: {len(found)} of its samples have question, options, answer and rationale, and two are the "
            "least that can be learned from: build more samples, or set m3cot.split"
        )
    return found


def lessons(
    found: Sequence[Example], checkpoint: Checkpoint, shown: Shown, limits: Limits, *, rationale: bool
) -> Lessons:
    """The samples as they are learned; a question that is too long loses its beginning, a target is never cut.

    What does not fit without its question either is left out, and listed.
    """
    kept: list[Lesson] = []
    left_out: list[str] = []
    cut = 0
    for one in found:
        written = wording.target(one.steps if rationale else (), one.answer)
        target = (*encoded(checkpoint, written), end_of(checkpoint))
        prompt = asked(one.asked, checkpoint, shown, limits, rationale=rationale, reserved=len(target))
        if prompt is None:
            left_out.append(one.asked.id)
            continue
        waiting, shortened = prompt
        cut += shortened
        kept.append(Lesson(one, waiting, target))
    return Lessons(tuple(kept), cut, tuple(left_out))


def asked(
    one: Asked, checkpoint: Checkpoint, shown: Shown, limits: Limits, *, rationale: bool, reserved: int
) -> tuple[Waiting, bool] | None:
    """What is asked within the limits, so that `reserved` tokens can follow, and whether its question was cut.

    None where it does not fit even without its question.
    """
    image_id = one.image_id or BLANK
    question = encoded(checkpoint, one.question)
    words = one.question
    cut = False
    while True:
        turn = wording.turn(image_id, words, one.choices, rationale=rationale)
        over = _over(one, turn, checkpoint, shown, limits, reserved)
        if isinstance(over, Waiting):
            return over, cut
        if not question:
            return None
        question, cut = question[over:], True
        words = checkpoint.processor.tokenizer.decode(question).lstrip()


def batch(
    checkpoint: Checkpoint, prompts: Sequence[Waiting], following: Sequence[Sequence[int]], shown: Any
) -> dict[str, Any]:
    """Prompts with the tokens that follow each, padded on the right, as tensors of the checkpoint's device.

    Where a word stands, counted from the left, is then the same whatever else is in the batch. The prompts of
    llama-adapter, which are turned to no place, need that, and so does a checkpoint whose places are learned.

    Returns:
        what the checkpoint takes, and `labels` (n, length): the tokens that follow, all else `IGNORED`.
    """
    given = inputs(checkpoint, prompts, shown, None)
    return continued(given, following, checkpoint.processor.tokenizer.pad_token_id, left=False)


def continued(given: Any, following: Sequence[Sequence[int]], pad: int, *, left: bool) -> dict[str, Any]:
    """A batch that is padded on the left, with more tokens at the end of each row, padded anew on one side."""
    import torch

    ids, real = given["input_ids"], given["attention_mask"]
    lengths = real.sum(dim=1).tolist()
    longest = max(length + len(row) for length, row in zip(lengths, following, strict=True))
    found: dict[str, Any] = {}
    for name, value in given.items():
        if value.shape != ids.shape:
            found[name] = value
            continue
        filled = value.new_full((len(lengths), longest), pad if name == "input_ids" else 0)
        for place, (length, row) in enumerate(zip(lengths, following, strict=True)):
            start = longest - len(row) - length if left else 0
            own = slice(start + length, start + length + len(row))
            filled[place, start : own.start] = value[place, ids.shape[1] - length :]
            if name == "input_ids":
                filled[place, own] = torch.tensor(row, dtype=value.dtype, device=value.device)
            elif name == "attention_mask":
                filled[place, own] = 1
        found[name] = filled
    labels = torch.full_like(found["input_ids"], IGNORED)
    for place, (length, row) in enumerate(zip(lengths, following, strict=True)):
        end = longest if left else length + len(row)
        labels[place, end - len(row) : end] = found["input_ids"][place, end - len(row) : end]
    return found | {"labels": labels}


def encoded(checkpoint: Checkpoint, text: str) -> list[int]:
    """A text's tokens; what looks like a control token in it is text."""
    tokenizer = checkpoint.processor.tokenizer
    return list(tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True))


def end_of(checkpoint: Checkpoint) -> int:
    """The token that ends a reply: the tokenizer's own where generation ends with it."""
    known = ends(checkpoint)
    own = checkpoint.processor.tokenizer.eos_token_id
    if own in known or not known:
        return int(own)
    return min(known)


def _over(one: Asked, turn: Turn, checkpoint: Checkpoint, shown: Shown, limits: Limits, reserved: int) -> Waiting | int:
    """The prompt where it fits, else by how many tokens it is too long.

    Raises:
        TrainingError: the checkpoint's template or processor does not take it.
    """
    # What a picture's tokens are is estimated with the words, and these are counted without it.
    whole = prepared(checkpoint, Dialogue(one.id, (Ask(turn.parts),), one.choices), shown)
    if isinstance(whole, Reply):
        raise TrainingError(f"sample {one.id}: the checkpoint takes no such prompt ({whole.finish_reason})")
    words = len(checkpoint.processor.tokenizer(_template(checkpoint, turn))["input_ids"])
    over = words + reserved - limits.length
    if limits.context is not None:
        over = max(over, whole.length + reserved - limits.context)
    return whole if over <= 0 else over


def _template(checkpoint: Checkpoint, turn: Turn) -> str:
    content = [
        {"type": "image"} if part.kind == "image" else {"type": "text", "text": part.text} for part in turn.parts
    ]
    made: str = checkpoint.processor.apply_chat_template(
        [{"role": turn.role, "content": content}], add_generation_prompt=True
    )
    return made
