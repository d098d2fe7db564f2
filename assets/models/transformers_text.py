"""The model kind `text`: any causal language model, in a folder, on the hub or packaged, asked in batches."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assets.models import smollm2
from assets.models import transformers_batches as batches
from assets.models import transformers_checkpoint as checkpoints
from assets.models import transformers_text_checkpoint as text_checkpoints
from assets.models.model import FINAL, Dialogue, Pictures, Reply, said
from assets.models.transformers_batches import Answer, Manner, Room, Waiting
from assets.models.transformers_checkpoint import Checkpoint
from assets.models.transformers_tokens import Sampling
from assets.settings_base import ROOT

WINDOW = 8
"""Batches' worth of dialogues that are taken at once, so that batches of like length can be made of them."""

NO_PICTURES = "reads no pictures"
"""Why a dialogue that shows one is not answered."""

PACKAGED_AT = ROOT / "var" / "smollm2"
"""Where the packaged model's checkpoint is made."""

_SHORT_DIGEST = 16


class TransformersText:
    """Replies of a causal language model that runs here and reads texts alone.

    Nothing is loaded before the first dialogue is there. Dialogues are taken `WINDOW` batches at a time and answered in
    batches of like length, so the order of replies is not theirs; in float32 a dialogue's text is the one that it gets
    alone. A checkpoint without a chat template is given a plain transcript, and its reply ends where it begins to write
    the user's next turn. What looks like a control token in the texts is text.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        packaged: Path = PACKAGED_AT,
        revision: str | None = None,
        device: str = "auto",
        dtype: str = "auto",
        batch: int = 16,
        temperature: float = 0.0,
        top_p: float | None = None,
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> None:
        """Take what params.yaml says, and look for nothing yet.

        Args:
            name: in params.yaml.
            model: a folder, a name on the hub, or `packaged`.
            packaged: the folder that the packaged model's checkpoint is made in.
            revision: of the hub's repository.
            device: auto is a GPU where there is one, else the CPU, where one thread calculates.
            dtype: auto is float32 on the CPU and the checkpoint's own on a GPU.
            batch: dialogues at once; halved where memory is short.
            temperature: 0 takes the likeliest token each time.
            top_p: of the draw.
            max_tokens: of a reply.
            seed: of the draws, which depend on all dialogues of a batch too.
        """
        self.name = name
        self._where = f"models.{name}"
        self._model, self._packaged = model, packaged
        self._revision = revision
        self._asked_device, self._asked_dtype = device, dtype
        self._sampling = Sampling(temperature, top_p, max_tokens, seed)
        self._room = Room(batch, batch)
        self._loaded: Checkpoint | None = None
        self._fingerprint: str | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        """Of a folder the SHA-256 of its contents, of the packaged model that of its file; number format and sampling.

        Neither the folder's place nor the size of a batch nor the device is in it.

        Raises:
            ModelError: there is no such checkpoint, package or device.
        """
        kept = self._model == smollm2.PACKAGED or Path(self._model).is_dir()
        return {
            "kind": "text",
            "model": self._contents() or self._model,
            "revision": None if kept else self._revision,
            "dtype": self._dtype(self._device()),
            "sampling": self._sampling._asdict(),
        }

    @property
    def facts(self) -> Mapping[str, str | int]:
        """What was chosen, to be shown: device, dtype, parameters, batch; before it is loaded the batch alone."""
        batch = {"batch": self._room.batch}
        if self._room.batch < self._room.asked:
            batch["batch_before_memory_was_short"] = self._room.asked
        if self._loaded is None:
            return batch
        loaded = self._loaded
        return {"device": loaded.device, "dtype": loaded.dtype, "parameters": loaded.parameters, **batch}

    def replies(self, dialogues: Iterable[Dialogue], pictures: Pictures) -> Iterator[Reply]:
        """The replies that the dialogues lack; statuses ok, truncated, empty, or error with the reason.

        Raises:
            ModelError: the checkpoint cannot be loaded here.
        """
        source = iter(dialogues)
        while window := list(itertools.islice(source, WINDOW * self._room.asked)):
            due = [dialogue for dialogue in window if len(dialogue.said) < len(dialogue.asks)]
            while due:
                following = []
                for dialogue, reply in self._round(due, pictures):
                    yield reply
                    if reply.status in FINAL and reply.ask + 1 < len(dialogue.asks):
                        following.append(dialogue.replied(reply.parts))
                due = following

    def _round(self, due: Sequence[Dialogue], pictures: Pictures) -> Iterator[tuple[Dialogue, Reply]]:
        """The next reply of each."""
        checkpoint = self._checkpoint()
        manner = Manner(self._sampling, None, self._fingerprint)
        waiting: list[Waiting] = []
        for dialogue in due:
            one = batches.prepared(checkpoint, dialogue, pictures)
            if isinstance(one, Waiting) and one.pictures:
                one = one.failed(NO_PICTURES)
            if isinstance(one, Reply):
                yield dialogue, one
            else:
                waiting.append(one)

        def write(chunk: Sequence[Waiting]) -> Iterator[Answer]:
            return batches.generated(checkpoint, chunk, pictures, manner)

        transcribed = checkpoint.processor.transcribed
        for answer in batches.answered(waiting, self._room, write):
            yield answer.waiting.dialogue, _own_turn(answer.reply) if transcribed else answer.reply

    def _checkpoint(self) -> Checkpoint:
        if self._loaded is None:
            device = self._device()
            dtype = self._dtype(device)
            with checkpoints.threads(device):
                loaded = text_checkpoints.load(self._place(), self._revision, device, dtype, self._where)
            contents = self._contents()
            self._fingerprint = loaded.commit if contents is None else contents[:_SHORT_DIGEST]
            self._loaded = loaded
        return self._loaded

    def _place(self) -> str:
        """The folder or name; the packaged model's folder is made."""
        if self._model == smollm2.PACKAGED:
            return str(smollm2.checkpoint(self._packaged, self._where))
        return self._model

    def _contents(self) -> str | None:
        """What tells the weights from others, None for a name on the hub."""
        if self._model == smollm2.PACKAGED:
            made_of = smollm2.origin(self._where)
            return f"{made_of['sha256']}/{made_of['version']}"
        checkpoints.check(self._model, self._where)
        return checkpoints.contents(Path(self._model)) if Path(self._model).is_dir() else None

    def _device(self) -> str:
        return checkpoints.chosen_device(self._asked_device, self._where)

    def _dtype(self, device: str) -> str:
        place = self._model
        if self._asked_dtype == "auto" and device != "cpu" and place == smollm2.PACKAGED:
            return smollm2.DTYPE
        return checkpoints.chosen_dtype(self._asked_dtype, device, place, self._revision, self._where)


def _own_turn(reply: Reply) -> Reply:
    """The reply of a transcript without the user's turns that it goes on to write."""
    own, mark, _ = reply.text.partition(text_checkpoints.USERS_TURN)
    if not mark:
        return reply
    own = own.rstrip()
    return reply._replace(parts=(said(own),) if own else (), status="ok" if own else "empty", finish_reason="stop")
