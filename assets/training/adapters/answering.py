"""What answers with an adapter: it writes a rationale, then the option whose letter is likeliest after it."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.image_modes import plain
from assets.models import transformers_options as options
from assets.models.model import Ask, Dialogue, ModelError, Reply, said
from assets.models.transformers_batches import Answer, Manner, Room, Waiting, answered, generated, inputs, too_long
from assets.models.transformers_checkpoint import Checkpoint, threads
from assets.models.transformers_tokens import Sampling
from assets.training.adapters import wording
from assets.training.adapters.lessons import continued, encoded
from assets.training.adapters.shown import blank
from assets.training.examples import Asked

if TYPE_CHECKING:
    from PIL import Image

TOO_LONG = "too long"
"""How the reason begins where a checkpoint cannot read all of what it is asked."""

_QUICK = 1


class Seen(NamedTuple):
    """A picture's pixels, mode RGB, packed: a split's worth of pictures is held at once."""

    size: tuple[int, int]
    packed: bytes

    @classmethod
    def of(cls, image: "Image.Image") -> "Seen":
        """The picture, packed; what is transparent is white, as while it learned."""
        shown = plain(image).convert("RGB")
        return cls(shown.size, zlib.compress(shown.tobytes(), _QUICK))

    def image(self) -> "Image.Image":
        """The picture again."""
        from PIL import Image

        return Image.frombytes("RGB", self.size, zlib.decompress(self.packed))


class Held(NamedTuple):
    """Pictures of one call, by the place of what is asked with them."""

    seen: Sequence[Seen]

    def png(self, image_id: str) -> bytes:
        """A picture's PNG."""
        from assets.images import encode

        return encode(self.image(image_id))

    def image(self, image_id: str) -> "Image.Image":
        """The same, decoded."""
        return self.seen[int(image_id)].image()


class Adapted:
    """An image-text checkpoint with an adapter in it.

    Of one question, rationale and answer are those that it gives alone, in float32.
    """

    def __init__(self, checkpoint: Checkpoint, *, length: int, longest: int, rationale: bool, batch: int) -> None:
        """Take the checkpoint.

        Args:
            checkpoint: with the adapter in it.
            length: tokens of a prompt's text at most.
            longest: tokens of the longest target that it learned from: it writes no more.
            rationale: whether it writes one.
            batch: questions at once.
        """
        self._checkpoint = checkpoint
        self._length, self._longest, self._rationale = length, longest, rationale
        self._batch = batch
        self._shares: bool | None = None

    def features(self, image: "Image.Image | None") -> Any:
        """A picture as the other two take it in; None is a white one."""
        return Seen.of(blank() if image is None else image)

    def rationales(self, asked: Sequence[Asked], features: Sequence[Any]) -> list[list[str]]:
        """The steps of a rationale for each; none where it learned to write none, or cannot read what is asked.

        Raises:
            ModelError: the checkpoint cannot be asked so here.
        """
        found: list[list[str]] = [[] for _ in asked]
        if not self._rationale:
            return found
        shown = Held(features)
        # The conclusion that follows a rationale is written too: where it stands the rationale ends.
        manner = Manner(Sampling(0.0, None, self._longest, None))
        for place, reply in self._replies(
            self._waiting(asked), lambda chunk: generated(self._checkpoint, chunk, shown, manner)
        ):
            found[place] = wording.steps_of(reply.text)
        return found

    def answers(
        self, asked: Sequence[Asked], rationales: Sequence[Sequence[str]], features: Sequence[Any]
    ) -> list[int | None]:
        """The number of the option whose letter is likeliest after the rationale, from 0.

        None where there are no options, or more was told than the checkpoint can read.

        Raises:
            ModelError: the checkpoint cannot be asked so here.
        """
        found: list[int | None] = [None] * len(asked)
        shown = Held(features)
        waiting = [one for one in self._waiting(asked) if one.dialogue.choices]
        for place, reply in self._replies(waiting, lambda chunk: self._chosen(chunk, rationales, shown)):
            found[place] = int(reply.text)
        return found

    def _replies(
        self, waiting: Sequence[Waiting], answer: Callable[[Sequence[Waiting]], Iterable[Answer]]
    ) -> Iterator[tuple[int, Reply]]:
        """The place of each with what came of it; what is too long is passed over."""
        for _, reply, _ in answered(waiting, Room(self._batch, self._batch), answer):
            if reply.status != "error":
                yield int(reply.id), reply
            elif not (reply.finish_reason or "").startswith(TOO_LONG):
                raise ModelError(
                    f"an adapter's question: {reply.finish_reason}: set batch_answering lower, or another base"
                )

    def _chosen(self, chunk: Sequence[Waiting], rationales: Sequence[Sequence[str]], shown: Held) -> Iterator[Answer]:
        """Each with the number of its likeliest option as its reply."""
        told = [self._told(one, rationales[int(one.dialogue.id)]) for one in chunk]
        with threads(self._checkpoint.device):
            given = inputs(self._checkpoint, chunk, shown, None)
            lengths = given["attention_mask"].sum(dim=1).tolist()
            whole = [length + max(map(len, own)) for length, own in zip(lengths, told, strict=True)]
            if beyond := too_long(self._checkpoint, chunk, whole):
                yield from beyond
                out = {id(one.waiting) for one in beyond}
                if rest := [one for one in chunk if id(one) not in out]:
                    yield from self._chosen(rest, rationales, shown)
                return
            found = self._scores(chunk, given, told, shown)
        for one, scores in zip(chunk, found, strict=True):
            best = max(range(len(scores)), key=scores.__getitem__)
            yield Answer(one, Reply(one.dialogue.id, one.ask, (said(str(best)),), "ok"))

    def _scores(
        self, chunk: Sequence[Waiting], given: Any, told: Sequence[Sequence[Sequence[int]]], shown: Held
    ) -> list[list[float]]:
        """The mean log-likelihood of each option's tokens from the first in which the options differ."""
        same = [_same(replies) for replies in told]
        leads = [replies[0][:length] for replies, length in zip(told, same, strict=True)]
        ends = [[reply[length:] for reply in replies] for replies, length in zip(told, same, strict=True)]
        if self._shares is None:
            self._shares = options.agrees(self._checkpoint, chunk[0], shown)
        if self._shares:
            return options.scores(self._checkpoint, self._after(given, leads), ends)
        return [
            options.scores_apart(
                self._checkpoint, self._after(inputs(self._checkpoint, [one], shown, None), [lead]), own
            )
            for one, lead, own in zip(chunk, leads, ends, strict=True)
        ]

    def _waiting(self, asked: Sequence[Asked]) -> list[Waiting]:
        found = []
        for place, one in enumerate(asked):
            question = self._fitting(one)
            turn = wording.turn(str(place), question, one.choices, rationale=self._rationale)
            dialogue = Dialogue(str(place), (Ask(turn.parts),), one.choices)
            words = len(encoded(self._checkpoint, turn.parts[-1].text or ""))
            found.append(Waiting(dialogue, (turn,), (str(place),), words))
        return found

    def _fitting(self, one: Asked) -> str:
        """The question's end, as much of it as fits with the options into `length`; a reply has room beyond that."""
        bare = wording.turn("", "", one.choices, rationale=self._rationale)
        room = max(0, self._length - len(encoded(self._checkpoint, bare.parts[-1].text or "")))
        tokens = encoded(self._checkpoint, one.question)
        if len(tokens) <= room:
            return one.question
        kept: str = self._checkpoint.processor.tokenizer.decode(tokens[len(tokens) - room :])
        return kept.lstrip()

    def _told(self, one: Waiting, steps: Sequence[str]) -> list[list[int]]:
        """The tokens of each option's whole reply."""
        numbers = range(len(one.dialogue.choices))
        return [
            encoded(self._checkpoint, wording.target(steps if self._rationale else (), number)) for number in numbers
        ]

    def _after(self, given: Any, leads: Sequence[Sequence[int]]) -> dict[str, Any]:
        made = continued(given, leads, self._checkpoint.processor.tokenizer.pad_token_id, left=True)
        return {name: value for name, value in made.items() if name != "labels"}


def _same(replies: Sequence[Sequence[int]]) -> int:
    """How many tokens all replies begin with, the last one of the shortest not counted."""
    columns = list(zip(*replies, strict=False))[:-1]
    return next((place for place, tokens in enumerate(columns) if len(set(tokens)) > 1), len(columns))
