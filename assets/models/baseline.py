"""What answers without looking: one of the options by chance, or the same letter every time."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from assets.evaluation.baselines import drawn
from assets.evaluation.rows import Item
from assets.models.model import Dialogue, ModelError, Pictures, Reply, said

NOT_ASKED = "No model was asked: this is a guess."
"""The reply to every ask of a dialogue but the last."""


class Baseline:
    """Replies `The answer is (B).` to a dialogue's last ask, without a look at it.

    random: one of the dialogue's options, each as likely, drawn from the seed and the dialogue's id alone: the draw of
    `assets.evaluation.baselines`. majority: always the same letter.
    """

    def __init__(
        self, name: str, answers: Literal["random", "majority"], seed: int = 1, letter: str | None = None
    ) -> None:
        """Take the name in params.yaml, and of majority the letter.

        Raises:
            ModelError: majority has no letter.
        """
        if answers == "majority" and not letter:
            raise ModelError(
                f"models.{name}: majority has no letter to answer: no sample of the train split has one, "
                "so build samples for it or set answers: random"
            )
        self.name = name
        self._answers = answers
        self._seed = seed
        self._letter = letter

    @property
    def identity(self) -> Mapping[str, Any]:
        """Kind and rule, with the seed of random or the letter of majority."""
        decides = {"seed": self._seed} if self._answers == "random" else {"letter": self._letter}
        return {"kind": "baseline", "answers": self._answers, **decides}

    def replies(self, dialogues: Iterable[Dialogue], pictures: Pictures) -> Iterator[Reply]:
        """The replies that the dialogues lack, in their order; an error for one without options."""
        for dialogue in dialogues:
            for ask in range(len(dialogue.said), len(dialogue.asks)):
                reply = self._reply(dialogue, ask)
                yield reply
                if reply.status != "ok":
                    break

    def _reply(self, dialogue: Dialogue, ask: int) -> Reply:
        if ask < len(dialogue.asks) - 1:
            return Reply(dialogue.id, ask, (said(NOT_ASKED),), "ok")
        if self._answers == "majority":
            letter = self._letter
        elif dialogue.choices:
            letter = drawn(Item(dialogue.id, dialogue.choices, "", None, None, None, None), self._seed)
        else:
            return Reply(dialogue.id, ask, (), "error", "no options to draw from")
        return Reply(dialogue.id, ask, (said(f"The answer is ({letter})."),), "ok")
