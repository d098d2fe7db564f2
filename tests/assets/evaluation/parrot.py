"""A model that repeats what it is told, for tests of asking, and the dialogues that it is asked."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from assets.evaluation.asking import Asked, ask
from assets.models import replay
from assets.models.model import Ask, Dialogue, Model, ModelError, Reply, Turn, said
from assets.replies_store import RepliesStore
from assets.schema.sample import Part

Says = Callable[[Dialogue], Reply]


class Nothing:
    """Pictures of an evaluation without any."""

    def png(self, image_id: str) -> bytes:
        raise ModelError(f"{image_id}: no such picture")

    def image(self, image_id: str) -> Any:
        raise ModelError(f"{image_id}: no such picture")


class Parrot:
    """Replies to one dialogue after another with what `says` gives, and remembers what it was asked."""

    name = "parrot"

    def __init__(self, says: Says | None = None, **identity: Any) -> None:
        self.identity = {"kind": "parrot", "temperature": 0.0, **identity}
        self.says = says or right
        self.asked: list[tuple[Turn, ...]] = []
        self.calls = 0

    def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
        self.calls += 1
        for dialogue in dialogues:
            while len(dialogue.said) < len(dialogue.asks):
                self.asked.append(dialogue.conversation())
                reply = self.says(dialogue)
                yield reply
                if reply.status not in ("ok", "refusal", "truncated"):
                    break
                dialogue = dialogue.replied(reply.parts)


def reply(dialogue: Dialogue, text: str, status: str = "ok", finish_reason: str | None = "stop") -> Reply:
    return Reply(dialogue.id, len(dialogue.said), (said(text),), status, finish_reason, 10, 3, "v1")


def right(dialogue: Dialogue) -> Reply:
    return reply(dialogue, f"{dialogue.id}: the answer is (A).")


def failing(dialogue: Dialogue) -> Reply:
    return Reply(dialogue.id, len(dialogue.said), (), "error", "HTTP 503")


def dialogue(name: str, *more: str, picture: str | None = None) -> Dialogue:
    pictures = () if picture is None else (Part("image", None, picture),)
    first = Ask((*pictures, said(f"{name}?")))
    return Dialogue(name, (first, *(Ask((said(words),)) for words in more)), ("one", "two"))


def dialogues(count: int, *more: str) -> list[Dialogue]:
    return [dialogue(f"s{number}", *more) for number in range(count)]


def asked(folder: Path, some: Iterable[Dialogue], model: Model, **options: Any) -> Asked:
    with RepliesStore(folder) as store:
        return ask("parrot_cot", some, model, Nothing(), store, **options)


def last_texts(rows: Iterable[dict[str, Any]]) -> list[str | None]:
    return [replay.stored(row).text for row in rows]


def accepted(folder: Path) -> int:
    return RepliesStore(folder).statistics().accepted
