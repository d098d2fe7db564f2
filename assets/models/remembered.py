"""A model whose replies to single conversations are kept: whoever asks the same again is answered from the store."""

from collections.abc import Generator, Sequence
from datetime import UTC, datetime
from typing import Any

from assets.models.model import FINAL, Dialogue, Model, ModelError, Pictures, Reply, content_key
from assets.replies_store import RepliesStore
from assets.schema.sample import Part

TEMPLATE = "tools-1"
"""What is asked here is told from what evaluations ask of the same model."""


class Remembered:
    """A model asked by a run of tools; a reply that is final is asked for once, whichever process or run asks it.

    asked, reused: conversations that the model was asked, and that the store had, since this was made.
    """

    def __init__(self, model: Model, store: RepliesStore, asking: str) -> None:
        """Take the model, where its replies are kept, and the name of the asking: another one asks all anew."""
        self._model, self._store, self._asking = model, store, asking
        self._identity = dict(model.identity)
        self.asked = self.reused = 0

    @property
    def name(self) -> str:
        """The model's name in params.yaml."""
        return self._model.name

    def replies(self, dialogues: Sequence[Dialogue], pictures: Pictures) -> Generator[Reply, None, None]:
        """The reply to each dialogue, of one ask, in any order; conversations that say the same are asked once.

        Of two processes that ask the same at once, the reply that was kept first is both's.

        Raises:
            ModelError: of the model, or it left a dialogue without its reply; what was yielded is kept.
            ValueError: a dialogue has several asks, or its reply already.
        """
        waiting: dict[str, list[Dialogue]] = {}
        for dialogue in dialogues:
            if len(dialogue.asks) != 1 or dialogue.said:
                raise ValueError(f"{dialogue.id}: what is remembered is one ask without its reply")
            waiting.setdefault(self._key(dialogue), []).append(dialogue)
        open_: dict[str, str] = {}
        for key, same in waiting.items():
            record = self._store.get(key)
            if record is None:
                open_[same[0].id] = key
            else:
                self.reused += len(same)
                yield from (_of_record(record, one.id) for one in same)
        if not open_:
            return
        replies = self._model.replies([waiting[key][0] for key in open_.values()], pictures)
        try:
            for reply in replies:
                key = open_.pop(reply.id)
                self.asked += 1
                self.reused += len(waiting[key]) - 1
                counts = self._kept(key, reply)
                yield from (counts._replace(id=one.id) for one in waiting[key])
        finally:
            # A generator that is left where it stands would go on asking in its threads.
            getattr(replies, "close", _nothing)()
        if open_:
            raise ModelError(
                f"model {self.name}: ended without a reply for {len(open_)} dialogues (the first: {min(open_)}): "
                "its kind of model is at fault"
            )

    def _key(self, dialogue: Dialogue) -> str:
        return content_key(self._identity, dialogue.conversation(), template=TEMPLATE, asking=self._asking)

    def _kept(self, key: str, reply: Reply) -> Reply:
        """The reply that counts: this one, or the one that another process had accepted before."""
        record, final = self._record(reply), reply.status in FINAL
        if not self._store.put(key, record, accepted=final) and (first := self._store.get(key)) is not None:
            record = first
        return _of_record(record, reply.id)

    def _record(self, reply: Reply) -> dict[str, Any]:
        return {
            "ask": 0,
            "asking": self._asking,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "finish_reason": reply.finish_reason,
            "fingerprint": reply.fingerprint,
            "model": self.name,
            "parts": [list(part) for part in reply.parts],
            "sample_id": reply.id,
            "status": reply.status,
            "template": TEMPLATE,
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
        }


def _of_record(record: dict[str, Any], dialogue_id: str) -> Reply:
    """The reply as the store has it: texts alone, since a picture that such a model draws is not used."""
    return Reply(
        dialogue_id,
        0,
        tuple(Part(*part) for part in record["parts"] if part[0] == "text"),
        record["status"],
        record["finish_reason"],
        record["tokens_in"],
        record["tokens_out"],
        record["fingerprint"],
    )


def _nothing() -> None:
    pass
