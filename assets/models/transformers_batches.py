"""Dialogues in batches of like length: what a checkpoint is given, and what it says, each as if it had been alone."""

import gc
import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.models.model import Dialogue, Pictures, Reply, Turn, said
from assets.models.transformers_checkpoint import Checkpoint, threads
from assets.models.transformers_memory import Memory, follows, read_on
from assets.models.transformers_tokens import Sampling, ends, new_tokens, until_end

if TYPE_CHECKING:
    from PIL import Image

_NO_MEMORY = ("out of memory", "not enough memory", "can't allocate memory", "cannot allocate memory")
_LONGEST_REASON = 200
_PIXELS_A_TOKEN = 28 * 28
"""For a processor that does not tell; it decides the order alone."""


class Waiting(NamedTuple):
    """A dialogue whose next reply is due. pictures: ids in their order. length: in tokens, pictures as estimated."""

    dialogue: Dialogue
    turns: tuple[Turn, ...]
    pictures: tuple[str, ...]
    length: int

    @property
    def ask(self) -> int:
        """Which of its asks is due."""
        return len(self.dialogue.said)

    def failed(self, reason: str) -> Reply:
        """The reply of one that could not be answered."""
        return Reply(self.dialogue.id, self.ask, (), "error", reason)


class Answer(NamedTuple):
    """A dialogue with its reply; `gone_on`: the reply to its next ask comes too."""

    waiting: Waiting
    reply: Reply
    gone_on: bool = False


class Manner(NamedTuple):
    """How a batch is answered. pixels: most of a picture. fingerprint: of the checkpoint, on every reply."""

    sampling: Sampling
    pixels: int | None = None
    fingerprint: str | None = None


@dataclass
class Room:
    """How many dialogues are answered at once: `batch` now, `asked` of it at first; `mixes`: with and without pictures.

    A processor that cannot take both kinds in one batch fails once, and then gets each for itself.
    """

    asked: int
    batch: int
    mixes: bool = True


def prepared(checkpoint: Checkpoint, dialogue: Dialogue, pictures: Pictures) -> Waiting | Reply:
    """The dialogue with what its place in a batch is decided by; an error reply where it cannot be put into words."""
    turns = dialogue.conversation()
    shown = tuple(part.image_id for turn in turns for part in turn.parts if part.image_id is not None)
    waiting = Waiting(dialogue, turns, shown, 0)
    try:
        sizes = [struct.unpack(">II", pictures.png(image_id)[16:24]) for image_id in shown]
        text = checkpoint.processor.apply_chat_template(_messages(turns, {}), add_generation_prompt=True)
        words = len(checkpoint.processor.tokenizer(text)["input_ids"])
    except Exception as error:  # what the template of some checkpoint raises is its own
        return waiting.failed(_reason(error))
    return waiting._replace(length=words + _picture_tokens(checkpoint, sizes))


def answered(
    waiting: Iterable[Waiting], room: Room, answer: Callable[[Sequence[Waiting]], Iterable[Answer]]
) -> Iterator[Answer]:
    """Each dialogue with its reply, a batch of like length after another, the longest first.

    Where memory does not suffice, batches are half as large from there on; where it does not suffice for one dialogue
    alone, that one has status error and batches are again what they were before it. What goes wrong for a batch
    otherwise is tried for each of its dialogues alone, and is the error of those for which it goes wrong again.
    """
    left = sorted(waiting, key=lambda one: (not one.pictures, -one.length))
    before: dict[int, int] = {}
    alone: set[int] = set()
    while left:
        size = 1 if id(left[0].dialogue) in alone else room.batch
        chunk = [one for one in left[:size] if room.mixes or bool(one.pictures) == bool(left[0].pictures)]
        mixed = len({bool(one.pictures) for one in chunk}) > 1
        try:
            found = list(answer(chunk))
        except Exception as error:  # of any library below; a dialogue's failure is its status, never the end of the run
            short = _is_memory(error)
            reason = "out of memory" if short else _reason(error)
        else:
            yield from found
            left = left[len(chunk) :]
            continue
        _free()
        if len(chunk) == 1:
            left = left[1:]
            if short:
                room.batch = max(room.batch, before.get(id(chunk[0].dialogue), 1))
            yield Answer(chunk[0], chunk[0].failed(reason))
        elif mixed and not short:
            room.mixes = False
        elif short:
            for one in chunk:
                before.setdefault(id(one.dialogue), room.batch)
            room.batch = max(1, len(chunk) // 2)
        else:
            alone.update(id(one.dialogue) for one in chunk)


def inputs(checkpoint: Checkpoint, chunk: Sequence[Waiting], pictures: Pictures, pixels: int | None) -> Any:
    """The batch as the checkpoint takes it: tensors on its device, padded on the left.

    What looks like a picture's place, a role or an end in the texts is text: only what stands in `pictures` is one.
    """
    import torch

    shown = {image_id: shrunk(pictures.image(image_id), pixels) for one in chunk for image_id in one.pictures}
    encoded = checkpoint.processor.apply_chat_template(
        [_messages(one.turns, shown) for one in chunk],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
        sanitize_control_tokens=True,
        processor_kwargs={"padding": True, "padding_side": "left"},
    )
    return encoded.to(checkpoint.device, dtype=getattr(torch, checkpoint.dtype))


def too_long(checkpoint: Checkpoint, chunk: Sequence[Waiting], lengths: Sequence[int]) -> list[Answer]:
    """Those that leave no room for a reply in what the checkpoint can read, as errors."""
    most = checkpoint.context
    return [
        Answer(one, one.failed(f"too long: {length} tokens of {most}")._replace(tokens_in=length))
        for one, length in zip(chunk, lengths, strict=True)
        if most is not None and length >= most
    ]


def generated(
    checkpoint: Checkpoint,
    chunk: Sequence[Waiting],
    pictures: Pictures,
    manner: Manner,
    memory: Memory | None = None,
) -> Iterator[Answer]:
    """What the checkpoint writes for each dialogue of the batch; for one longer than its context an error.

    tokens_out counts the token that ends a reply. A reply is cut at `max_tokens` or at the end of the context.
    A draw depends on the seed and on all dialogues of the batch. With a memory, dialogues whose next ask can be read
    on from it are asked that too.
    """
    with threads(checkpoint.device):
        given = inputs(checkpoint, chunk, pictures, manner.pixels)
        lengths = given["attention_mask"].sum(dim=1).tolist()
        limits = _limits(checkpoint, lengths, manner.sampling)
        apart: list[Sequence[Waiting]] = []
        if beyond := too_long(checkpoint, chunk, lengths):
            yield from beyond
            out = {id(one.waiting) for one in beyond}
            apart = [[one for one in chunk if id(one) not in out]]
        elif not checkpoint.overruns and len(set(limits)) > 1:
            pairs = list(zip(chunk, limits, strict=True))
            apart = [[one for one, own in pairs if own == limit] for limit in sorted(set(limits))]
        if beyond or apart:
            for some in filter(None, apart):
                yield from generated(checkpoint, some, pictures, manner, memory)
            return
        seed = _seed(manner.sampling, chunk)
        rows, cache = new_tokens(checkpoint, given, max(limits), manner.sampling, seed, keep=memory is not None)
        found = _answers(checkpoint, chunk, rows, limits, lengths, manner.fingerprint)
        following = [] if memory is None else _following(found, memory)
        later: list[Answer] = []
        if memory is not None and following:
            try:
                later = _read_on(checkpoint, given, cache, following, pictures, manner, memory)
            except Exception as error:  # whatever it was: these are asked once more, without a memory
                if not _is_memory(error):
                    memory.exact = {True: False, False: False}
        gone_on = {id(one.waiting.dialogue.said[-1]) for one in later}
    for one in found:
        yield one._replace(gone_on=id(one.reply.parts) in gone_on)
    yield from later


def _following(found: Sequence[Answer], memory: Memory) -> list[tuple[int, Waiting]]:
    """The rows whose dialogues go on from what was read, with their next ask."""
    some: list[tuple[int, Waiting]] = []
    if not memory.exact.get(_looks(found), True):
        return some
    for row, (waiting, reply, _) in enumerate(found):
        if follows(waiting.dialogue, reply, memory):
            dialogue = waiting.dialogue.replied(reply.parts)
            some.append((row, Waiting(dialogue, dialogue.conversation(), waiting.pictures, 0)))
    return some


def _read_on(
    checkpoint: Checkpoint,
    before: Any,
    cache: Any,
    following: Sequence[tuple[int, Waiting]],
    pictures: Pictures,
    manner: Manner,
    memory: Memory,
) -> list[Answer]:
    """The next replies of these rows; none where a memory cannot give them. The first time both ways are tried."""
    chunk = [waiting for _, waiting in following]
    after = inputs(checkpoint, chunk, pictures, manner.pixels)
    lengths = after["attention_mask"].sum(dim=1).tolist()
    limits = _limits(checkpoint, lengths, manner.sampling)
    if too_long(checkpoint, chunk, lengths) or (not checkpoint.overruns and len(set(limits)) > 1):
        return []

    def generate(given: Any, cache: Any = None) -> list[list[int]]:
        return new_tokens(checkpoint, given, max(limits), manner.sampling, None, cache=cache)[0]

    rows = read_on(before, cache, [row for row, _ in following], after, generate)
    if rows is None:
        return []
    found = _answers(checkpoint, chunk, rows, limits, lengths, manner.fingerprint)
    looks = _looks(found)
    if looks not in memory.exact:
        anew = _answers(checkpoint, chunk, generate(after), limits, lengths, manner.fingerprint)
        memory.exact[looks], found = found == anew, anew
    return found


def _looks(found: Sequence[Answer]) -> bool:
    return any(one.waiting.pictures for one in found)


def _limits(checkpoint: Checkpoint, lengths: Sequence[int], sampling: Sampling) -> list[int]:
    """How many tokens each reply may have."""
    most = checkpoint.context
    return [sampling.max_tokens if most is None else min(sampling.max_tokens, most - length) for length in lengths]


def _answers(
    checkpoint: Checkpoint,
    chunk: Sequence[Waiting],
    rows: Sequence[Sequence[int]],
    limits: Sequence[int],
    lengths: Sequence[int],
    fingerprint: str | None,
) -> list[Answer]:
    found = []
    for one, row, limit, length in zip(chunk, rows, limits, lengths, strict=True):
        kept, ended = until_end(row[:limit], ends(checkpoint))
        text = checkpoint.processor.tokenizer.decode(kept, skip_special_tokens=True)
        status = "empty" if not text.strip() else "ok" if ended else "truncated"
        reason, parts = "stop" if ended else "length", (said(text),) if text else ()
        place = one.dialogue.id, one.ask
        found.append(Answer(one, Reply(*place, parts, status, reason, length, len(kept), fingerprint)))
    return found


def shrunk(image: "Image.Image", pixels: int | None) -> "Image.Image":
    """The picture with at most so many pixels, in its shape; itself where it has no more."""
    if pixels is None or image.width * image.height <= pixels:
        return image
    factor = (pixels / (image.width * image.height)) ** 0.5
    return image.resize((max(1, int(image.width * factor)), max(1, int(image.height * factor))))


def _messages(turns: Iterable[Turn], shown: Mapping[str, "Image.Image"]) -> list[dict[str, Any]]:
    messages = []
    for turn in turns:
        content: list[dict[str, Any]] = []
        for part in turn.parts:
            if part.image_id is not None:
                content.append({"type": "image", **({"image": shown[part.image_id]} if shown else {})})
            elif part.text:
                content.append({"type": "text", "text": part.text})
        messages.append({"role": turn.role, "content": content})
    return messages


def _picture_tokens(checkpoint: Checkpoint, sizes: Sequence[tuple[int, ...]]) -> int:
    if not sizes:
        return 0
    try:
        found = checkpoint.processor._get_num_multimodal_tokens(image_sizes=[(high, wide) for wide, high in sizes])
        return int(sum(found["num_image_tokens"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        return sum(wide * high // _PIXELS_A_TOKEN for wide, high in sizes)


def _seed(sampling: Sampling, chunk: Sequence[Waiting]) -> int | None:
    if sampling.seed is None:
        return None
    asked = "\n".join(f"{one.dialogue.id} {one.ask}" for one in chunk)
    return int.from_bytes(hashlib.sha256(f"{sampling.seed}\n{asked}".encode()).digest()[:7])


def _is_memory(error: BaseException) -> bool:
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _NO_MEMORY)


def _free() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _reason(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    name = "" if type(error).__module__.startswith("assets.") else f"{type(error).__name__}: "
    return (name + (lines[0] if lines else "no reason given"))[:_LONGEST_REASON]
