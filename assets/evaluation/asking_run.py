"""One evaluation while it is asked: which dialogues are open, what the store knew, which reply counts."""

import math
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from assets.evaluation.drawn import Drawn
from assets.models.model import ASSISTANT, FINAL, Dialogue, Model, Reply, Turn, content_key, said
from assets.replies_store import RepliesStore
from assets.schema.faults import Fault
from assets.schema.sample import Part

REASON = 200
"""Characters of a reason that a message has at most."""

FAILED = "error"
"""The status that the failure budget counts."""


class AskingError(Fault):
    """An evaluation stops: too much of it failed, or its model does not do what a model does."""


class Progress(NamedTuple):
    """How far an evaluation is, in dialogues.

    total: None where the dialogues are a stream. reused: done with what the store held, nothing was asked for them.
    asked: done with at least one new reply. failed: ended in status error. statuses: of those done, by name.
    tokens_in, tokens_out: of the replies that came in this run, those that were not kept for good included.
    """

    done: int
    total: int | None
    reused: int
    asked: int
    failed: int
    statuses: Mapping[str, int]
    tokens_in: int
    tokens_out: int


@dataclass(slots=True)
class _Open:
    """A dialogue that is not done: as it counts, as the model has it, and the replies that count."""

    place: int
    dialogue: Dialogue
    line: Dialogue
    replies: list[Reply] = field(default_factory=list)
    asked: bool = False
    apart: bool = False


class Run:
    """One evaluation while it is asked. `lacking` may be drawn from in another thread than `take` is called in."""

    def __init__(
        self,
        evaluation: str,
        dialogues: Iterable[Dialogue],
        model: Model,
        store: RepliesStore,
        template: str,
        asking: str,
        drawn: Drawn | None,
    ) -> None:
        """What `ask` was given."""
        self._evaluation, self._model, self._store, self._drawn = evaluation, model, store, drawn
        self._template, self._asking = template, asking
        self._identity = dict(model.identity)
        self._total = len(dialogues) if isinstance(dialogues, Sized) else None
        self._source = iter(dialogues)
        self._guard = threading.RLock()
        self._rows: dict[int, dict[str, Any]] = {}
        self._ids: set[str] = set()
        self._again: deque[_Open] = deque()
        self._with_model: dict[str, _Open] = {}
        # By the key that is being asked: the dialogues that wait for the same reply.
        self._waiting: dict[str, list[_Open]] = {}
        self._statuses: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._reused = self._tokens_in = self._tokens_out = 0
        self.hits = 0

    def lacking(self, told: Callable[[], None]) -> Iterator[Dialogue]:
        """The dialogues that the model has to reply to, each as far as it is known; `told` is called for every one."""
        while True:
            with self._guard:
                one = self._again.popleft() if self._again else self._drawn_from_source()
                if one is None:
                    return
                sent = self._goes_on(one)
                if sent:
                    one.asked, one.apart, one.line = True, False, one.dialogue
                    self._with_model[one.dialogue.id] = one
                    self._waiting[self._key(one.dialogue)] = []
                line = one.line
            told()
            if sent:
                yield line

    def take(self, reply: Reply) -> None:
        """Keep a reply of the model and go on from it."""
        with self._guard:
            one = self._with_model.get(reply.id)
            if one is None or reply.ask != len(one.line.said):
                raise AskingError(
                    f"evaluation {self._evaluation}: model {self._model.name} replied to {reply.id}, ask {reply.ask}, "
                    "where it was not asked: its kind of model is at fault"
                )
            self._tokens_in += reply.tokens_in or 0
            self._tokens_out += reply.tokens_out or 0
            self._keep_drawn(reply)
            final = reply.status in FINAL
            key = self._key(one.line)
            ended = not final or reply.ask + 1 == len(one.line.asks)
            if ended:
                del self._with_model[reply.id]
            waiting: list[_Open] = []
            if one.apart:
                # The model goes on from a reply that does not count: neither does this one.
                self._store.put(key, self._record(reply), accepted=False)
            else:
                waiting = self._waiting.pop(key, [])
                counts = self._kept(key, reply)
                self._count(one, counts)
                one.apart = not ended and counts.parts != reply.parts
                for other in waiting:
                    other.asked |= counts.status not in FINAL
                    self._count(other, counts._replace(id=other.dialogue.id))
            if not ended:
                one.line = one.line.replied(reply.parts)
                if not one.apart:
                    self._waiting.setdefault(self._key(one.line), [])
            for each in [one, *waiting] if ended else waiting:
                if self._goes_on(each):
                    self._again.append(each)

    def within(self, most: float, least: int) -> None:
        """Do nothing, or stop: too many of at least `least` dialogues failed."""
        with self._guard:
            done, failed = len(self._rows), self._statuses[FAILED]
            # A short outage at the start is not yet the share of the whole that may fail.
            whole = done if self._total is None else max(done, self._total)
            if not failed or done < least or not (failed > most * whole or failed == done):
                return
            reason = min(self._reasons, key=lambda one: (-self._reasons[one], one))
            many = f"all {done}" if failed == done else f"{failed} of {done}"
            allowed = math.ceil(100 * failed / done) / 100
            way_out = "" if failed == done else f", or set running.most_failures to {allowed} or more"
            raise AskingError(
                f"evaluation {self._evaluation}: {many} dialogues failed, most often with {reason!r}: see that model "
                f"{self._model.name} answers and run again (what it replied is kept){way_out}"
            )

    def all_replied(self) -> None:
        """Do nothing, or stop: the model ended before it had replied to all that it was asked."""
        if self._with_model:
            first = min(self._with_model.values(), key=lambda one: one.place)
            raise AskingError(
                f"evaluation {self._evaluation}: model {self._model.name} ended without a reply for "
                f"{len(self._with_model)} dialogues (the first: {first.dialogue.id}): its kind of model is at fault"
            )

    def rows(self) -> list[dict[str, Any]]:
        """The rows in the order of the dialogues."""
        return [self._rows[place] for place in range(1, len(self._rows) + 1)]

    def progress(self) -> Progress:
        """How far it is."""
        with self._guard:
            done = len(self._rows)
            return Progress(
                done,
                self._total,
                self._reused,
                done - self._reused,
                self._statuses[FAILED],
                dict(sorted(self._statuses.items())),
                self._tokens_in,
                self._tokens_out,
            )

    def _drawn_from_source(self) -> _Open | None:
        dialogue = next(self._source, None)
        if dialogue is None:
            return None
        if dialogue.said or not dialogue.asks:
            raise ValueError(f"{dialogue.id}: a dialogue that is to be asked has asks and no replies yet")
        if dialogue.id in self._ids:
            raise AskingError(
                f"evaluation {self._evaluation}: {dialogue.id} comes twice among its dialogues: give each sample an id "
                "of its own"
            )
        self._ids.add(dialogue.id)
        return _Open(len(self._ids), dialogue, dialogue)

    def _key(self, dialogue: Dialogue) -> str:
        conversation = dialogue.conversation()
        return content_key(self._identity, conversation, template=self._template, asking=self._asking)

    def _goes_on(self, one: _Open) -> bool:
        """Whether the model has to be asked, now that the store was; else it is done, or waits for another's reply."""
        while not one.replies or one.replies[-1].status in FINAL:
            if len(one.dialogue.said) == len(one.dialogue.asks):
                break
            key = self._key(one.dialogue)
            if key in self._waiting:
                self._waiting[key].append(one)
                return False
            record = self._store.get(key)
            if record is None:
                return True
            self.hits += 1
            self._count(one, _of_record(record, one.dialogue.id, len(one.dialogue.said)))
        self._finish(one)
        return False

    def _count(self, one: _Open, reply: Reply) -> None:
        one.replies.append(reply)
        if reply.status in FINAL:
            # A reply without a part is one that says nothing, and no turn is without text.
            one.dialogue = one.dialogue.replied(reply.parts or (said(""),))

    def _kept(self, key: str, reply: Reply) -> Reply:
        """The reply that counts: this one, or the one that another process had accepted before."""
        record, final = self._record(reply), reply.status in FINAL
        while not self._store.put(key, record, accepted=final):
            first = self._store.get(key)
            if first is not None:
                return _of_record(first, reply.id, reply.ask)
            if not final:
                break
        return reply

    def _keep_drawn(self, reply: Reply) -> None:
        for picture in reply.drawn:
            if self._drawn is None:
                raise ValueError(f"{reply.id}: model {self._model.name} draws, and nothing is given to keep pictures")
            self._drawn.put(picture)

    def _record(self, reply: Reply) -> dict[str, Any]:
        return {
            "ask": reply.ask,
            "asking": self._asking,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "evaluation": self._evaluation,
            "finish_reason": reply.finish_reason,
            "fingerprint": reply.fingerprint,
            "model": self._model.name,
            "parts": _plain(reply.parts),
            **({"turns": [[role, _plain(parts)] for role, parts in reply.turns]} if reply.turns else {}),
            "sample_id": reply.id,
            "status": reply.status,
            "template": self._template,
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
        }

    def _finish(self, one: _Open) -> None:
        last = one.replies[-1]
        turns = _with_what_was_done(one.dialogue.whole(), one.replies)
        if last.status not in FINAL:
            turns += [*last.turns, Turn(ASSISTANT, (said(""),))]
        self._rows[one.place] = {
            "evaluation": self._evaluation,
            "line": one.place,
            "sample_id": one.dialogue.id,
            "choices": list(one.dialogue.choices),
            "turns": [{"role": role, "parts": [part._asdict() for part in parts]} for role, parts in turns],
            "status": last.status,
            "finish_reason": last.finish_reason,
            "tokens_in": _sum(reply.tokens_in for reply in one.replies),
            "tokens_out": _sum(reply.tokens_out for reply in one.replies),
            "fingerprint": last.fingerprint,
            "dropped": None,
            "quarantined": None,
        }
        self._statuses[last.status] += 1
        self._reused += not one.asked
        if last.status == FAILED:
            self._reasons[" ".join((last.finish_reason or "no reason given").split())[:REASON]] += 1


def _of_record(record: Mapping[str, Any], sample_id: str, place: int) -> Reply:
    return Reply(
        sample_id,
        place,
        tuple(Part(*part) for part in record["parts"]),
        record["status"],
        record["finish_reason"],
        record["tokens_in"],
        record["tokens_out"],
        record["fingerprint"],
        turns=tuple(Turn(role, tuple(Part(*part) for part in parts)) for role, parts in record.get("turns", ())),
    )


def _plain(parts: Iterable[Part]) -> list[list[str | None]]:
    return [list(part) for part in parts]


def _with_what_was_done(turns: Iterable[Turn], replies: Iterable[Reply]) -> list[Turn]:
    """The turns with those before each reply that tell how a model came to it."""
    before = iter(replies)
    return [one for turn in turns for one in (*(next(before).turns if turn.role == ASSISTANT else ()), turn)]


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
