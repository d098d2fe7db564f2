"""A model of any family that was trained here: a rationale of question and picture, then an option of all three."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assets.models.model import Dialogue, Pictures, Reply, said
from assets.schema.sample import letter
from assets.training import examples, text
from assets.training.checkpoint import digest

if TYPE_CHECKING:
    from assets.training.answerer import Answerer

UNDECIDED = "No option was chosen."
"""What is replied where a model chose none; it has no letter that could be read as one."""

UNWRITTEN = "No rationale."
"""What is replied where a model was to write one and wrote none."""

Shown = Literal["seen", "shuffled", "blank"]


class Trained:
    """Replies with a rationale to a dialogue's first ask, and with `The answer is (B).` to its last one.

    What it writes depends on question, options and picture, not on how it is asked. The answer to a later ask is
    chosen with the rationale that was said before it. Where no option was chosen the reply says so, without a letter.
    """

    def __init__(
        self,
        name: str,
        checkpoint: Path,
        pictures: Shown = "seen",
        seed: int = 0,
        batch: int = 64,
        base: str | None = None,
    ) -> None:
        """Take the name in params.yaml and the checkpoint's folder; pictures: what it is shown, for controls.

        shuffled: of each dialogue the picture of another one, by the seed, so that all dialogues are taken before
        the first is answered. blank: white ones. base: of an adapter, where the checkpoint is that it was fitted to.

        Raises:
            CheckpointError: the folder holds no checkpoint.
        """
        self.name = name
        self._folder, self._shown, self._seed, self._batch = checkpoint, pictures, seed, batch
        self._base, self._digest = base, digest(checkpoint)

    @property
    def identity(self) -> Mapping[str, Any]:
        """Kind, the checkpoint's digest and what pictures it is shown, with the seed where they are shuffled."""
        shown = {"pictures": self._shown} | ({"seed": self._seed} if self._shown == "shuffled" else {})
        return {"kind": "trained", "checkpoint": self._digest, **shown}

    def replies(self, dialogues: Iterable[Dialogue], pictures: Pictures) -> Iterator[Reply]:
        """The replies that the dialogues lack, in their order; an error for one without options.

        Raises:
            CheckpointError: the checkpoint's files are damaged.
            ModelError: a picture is missing.
        """
        from assets.training.families import load

        answerer = load(self._folder, self._base)
        for some in self._parts(dialogues):
            yield from self._answered(answerer, some, pictures)

    def _parts(self, dialogues: Iterable[Dialogue]) -> Iterator[list[tuple[Dialogue, str | None]]]:
        """Dialogues with the pictures that they are shown, some at a time."""
        from assets.training.controls import shuffled

        if self._shown == "shuffled":
            taken = list(dialogues)
            others = shuffled([examples.of_dialogue(one).image_id for one in taken], self._seed)
            every: Iterator[tuple[Dialogue, str | None]] = zip(taken, others, strict=True)
        elif self._shown == "blank":
            every = ((one, None) for one in dialogues)
        else:
            every = ((one, examples.of_dialogue(one).image_id) for one in dialogues)
        while some := list(islice(every, self._batch)):
            yield some

    def _answered(
        self, answerer: "Answerer", some: list[tuple[Dialogue, str | None]], pictures: Pictures
    ) -> Iterator[Reply]:
        lacking = [(one, image_id) for one, image_id in some if len(one.said) < len(one.asks)]
        able = [(one, image_id) for one, image_id in lacking if one.choices]
        for one, _ in lacking:
            if not one.choices:
                yield Reply(one.id, len(one.said), (), "error", "no options to choose from")
        if not able:
            return
        asked = [examples.of_dialogue(one) for one, _ in able]
        shown = [answerer.features(pictures.image(image_id) if image_id else None) for _, image_id in able]
        rationales = self._rationales(answerer, able, asked, shown)
        chosen = answerer.answers(asked, rationales, shown)
        for (one, _), steps, number in zip(able, rationales, chosen, strict=True):
            for ask in range(len(one.said), len(one.asks)):
                parts = [examples.written(steps)] if ask == 0 and steps else []
                if ask == len(one.asks) - 1:
                    parts.append(UNDECIDED if number is None else f"The answer is ({letter(number)}).")
                yield Reply(one.id, ask, (said("\n".join(parts) or UNWRITTEN),), "ok", fingerprint=self._digest[:16])

    def _rationales(
        self,
        answerer: "Answerer",
        able: list[tuple[Dialogue, str | None]],
        asked: list[examples.Asked],
        shown: list[Any],
    ) -> list[list[str]]:
        """The rationale that was said of each, or a new one where nothing was said."""
        told = [text.steps(_text(one)) if one.said and _text(one) != UNWRITTEN else [] for one, _ in able]
        new = [place for place, (one, _) in enumerate(able) if not one.said]
        if new:
            written = answerer.rationales([asked[place] for place in new], [shown[place] for place in new])
            for place, steps in zip(new, written, strict=True):
                told[place] = text.steps(examples.written(steps))
        return told


def _text(dialogue: Dialogue) -> str:
    return "".join(part.text or "" for part in dialogue.said[0] if part.kind == "text")
