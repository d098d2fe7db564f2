"""The model kind `transformers`: any image-text-to-text checkpoint, in a folder or on the hub, asked in batches."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from assets.models import transformers_batches as batches
from assets.models import transformers_checkpoint as checkpoints
from assets.models import transformers_options as options
from assets.models.model import FINAL, Dialogue, ModelError, Pictures, Reply
from assets.models.transformers_batches import Answer, Manner, Room, Waiting
from assets.models.transformers_checkpoint import Checkpoint
from assets.models.transformers_memory import Memory, keeps
from assets.models.transformers_tokens import Sampling

WINDOW = 8
"""Batches' worth of dialogues that are taken at once, so that batches of like length can be made of them."""

_SHORT_DIGEST = 16


class TransformersChat:
    """Replies of an image-text checkpoint that runs here.

    Nothing is loaded before the first dialogue is there. Dialogues are taken `WINDOW` batches at a time and answered in
    batches of like length, so the order of replies is not theirs. In float32 a dialogue's text is the one that it gets
    alone; in a shorter format the sums of a batch round otherwise, and some texts differ. A second ask that only adds
    text is read on from what the model keeps of the first, in float32 without sampling, once that has given one batch
    the same texts as reading it anew.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        revision: str | None = None,
        device: str = "auto",
        dtype: str = "auto",
        batch: int = 16,
        answer: Literal["generate", "loglikelihood"] = "generate",
        temperature: float = 0.0,
        top_p: float | None = None,
        max_tokens: int = 1024,
        seed: int | None = None,
        pixels: int | None = None,
    ) -> None:
        """Take what params.yaml says, and look for nothing yet.

        Args:
            name: in params.yaml.
            model: a folder, or a name on the hub.
            revision: of the hub's repository.
            device: auto is a GPU where there is one, else the CPU, where one thread calculates.
            dtype: auto is float32 on the CPU and the checkpoint's own on a GPU.
            batch: dialogues at once; halved where memory is short.
            answer: what it writes, or to a dialogue's last ask the option that it finds likeliest.
            temperature: 0 takes the likeliest token each time; what else the checkpoint's own generation config sets,
                such as tokens that it never says, holds as well.
            top_p: of the draw.
            max_tokens: of a reply.
            seed: of the draws, which depend on all dialogues of a batch too: the same dialogues with the same batch
                are answered the same, one alone is not.
            pixels: a picture with more is shrunk to so many.
        """
        self.name = name
        self._where = f"models.{name}"
        self._model = model
        self._revision = revision
        self._asked_device, self._asked_dtype = device, dtype
        self._answer = answer
        self._sampling = Sampling(temperature, top_p, max_tokens, seed)
        self._pixels = pixels
        self._room = Room(batch, batch)
        self._loaded: Checkpoint | None = None
        self._fingerprint: str | None = None
        self._shared: dict[bool, bool] = {}
        self._memory = Memory(written=answer == "generate")

    @property
    def identity(self) -> Mapping[str, Any]:
        """Of a folder the SHA-256 of its contents, of the hub name and revision; number format, rule and sampling.

        Neither the folder's place nor the size of a batch nor the device is in it.

        Raises:
            ModelError: there is no such checkpoint or device.
        """
        checkpoints.check(self._model, self._where)
        folder = Path(self._model)
        return {
            "kind": "transformers",
            "model": checkpoints.contents(folder) if folder.is_dir() else self._model,
            "revision": None if folder.is_dir() else self._revision,
            "dtype": self._dtype(self._device()),
            "answer": self._answer,
            "sampling": self._sampling._asdict(),
            "pixels": self._pixels,
        }

    @property
    def facts(self) -> Mapping[str, str | int]:
        """What was chosen, to be shown: device, dtype, parameters, batch; before it is loaded the batch alone."""
        batch = {"batch": self._room.batch}
        if self._room.batch < self._room.asked:
            batch["batch_before_memory_was_short"] = self._room.asked
        if self._loaded is None:
            return batch
        scoring = {"options": "prompt shared" if all(self._shared.values()) else "each apart"} if self._shared else {}
        exact = self._memory.exact
        reading = {"second_asks": "read on" if all(exact.values()) else "read anew"} if exact else {}
        return {
            "device": self._loaded.device,
            "dtype": self._loaded.dtype,
            "parameters": self._loaded.parameters,
            **batch,
            **scoring,
            **reading,
        }

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
                for dialogue, reply, gone_on in self._round(due, pictures):
                    yield reply
                    if reply.status in FINAL and reply.ask + 1 < len(dialogue.asks) and not gone_on:
                        following.append(dialogue.replied(reply.parts))
                due = following

    def _round(self, due: Sequence[Dialogue], pictures: Pictures) -> Iterator[tuple[Dialogue, Reply, bool]]:
        """The next reply of each, and of some the one after it; whether that comes too."""
        checkpoint = self._checkpoint()
        written: list[Waiting] = []
        scored: list[Waiting] = []
        for dialogue in due:
            waiting = batches.prepared(checkpoint, dialogue, pictures)
            if isinstance(waiting, Reply):
                yield dialogue, waiting, False
            elif self._answer == "loglikelihood" and waiting.ask + 1 == len(dialogue.asks):
                scored.append(waiting)
            else:
                written.append(waiting)

        goes_on = any(len(waiting.dialogue.asks) > waiting.ask + 1 for waiting in written)
        sure = self._sampling.temperature == 0 and keeps(checkpoint)
        memory = self._memory if goes_on and sure else None

        manner = Manner(self._sampling, self._pixels, self._fingerprint)

        def write(chunk: Sequence[Waiting]) -> Iterator[Answer]:
            return batches.generated(checkpoint, chunk, pictures, manner, memory)

        def score(chunk: Sequence[Waiting]) -> Iterator[Answer]:
            shared = self._shares(checkpoint, chunk, pictures)
            return options.chosen(
                checkpoint, chunk, pictures, shared=shared, pixels=self._pixels, fingerprint=self._fingerprint
            )

        for kinds, answer in ((written, write), (scored, score)):
            for found, reply, gone_on in batches.answered(kinds, self._room, answer):
                yield found.dialogue, reply, gone_on

    def _shares(self, checkpoint: Checkpoint, chunk: Sequence[Waiting], pictures: Pictures) -> bool:
        """Whether options share their prompt: tried on the first dialogue with pictures, and the first without."""
        looks = bool(chunk[0].pictures)
        if looks not in self._shared:
            first = next((one for one in chunk if any(option.strip() for option in one.dialogue.choices)), None)
            if first is None:
                return True
            self._shared[looks] = options.agrees(checkpoint, first, pictures, self._pixels)
        return self._shared[looks]

    def _checkpoint(self) -> Checkpoint:
        if self._loaded is None:
            device = self._device()
            dtype = self._dtype(device)
            with checkpoints.threads(device):
                loaded = checkpoints.load(self._model, self._revision, device, dtype, self._where)
            if self._answer == "loglikelihood" and loaded.model.config.is_encoder_decoder:
                raise ModelError(
                    f"{self._where}.answer: loglikelihood compares options of a decoder, "
                    f"and {self._model} is an encoder with one: set answer: generate"
                )
            folder = Path(self._model)
            self._fingerprint = checkpoints.contents(folder)[:_SHORT_DIGEST] if folder.is_dir() else loaded.commit
            self._loaded = loaded
        return self._loaded

    def _device(self) -> str:
        return checkpoints.chosen_device(self._asked_device, self._where)

    def _dtype(self, device: str) -> str:
        return checkpoints.chosen_dtype(self._asked_dtype, device, self._model, self._revision, self._where)
