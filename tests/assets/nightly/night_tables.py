"""Twenty samples whose answer is A, and nights of which one can say how many were right."""

from collections.abc import Mapping

import pyarrow as pa

from assets.nightly import nights, verdicts
from assets.schema.sample import Sample
from assets.schema.tables import as_table

RELEASED = ("m3cot", "released")
IDS = [f"algebra-{number}" for number in range(1, 21)]


def samples() -> pa.Table:
    """Twenty test samples of the released M3CoT, all with the answer A."""
    rows = [
        Sample(
            id=name,
            benchmark="m3cot",
            source="m3cot_released",
            source_id=name,
            provenance="made for a test",
            domain="mathematics",
            topic="algebra",
            question="Which?",
            choices=("one", "two"),
            answer="A",
            split="test",
        )
        for name in IDS
    ]
    return as_table("sample", rows)


def predictions(evaluation: str, right: int, ids: list[str] = IDS) -> pa.Table:
    """Replies to these samples, the first `right` of them A, the others B."""
    rows = []
    for place, name in enumerate(ids, start=1):
        letter = "A" if place <= right else "B"
        turns = [
            {"role": role, "parts": [{"kind": "text", "text": text, "image_id": None}]}
            for role, text in (("user", "Which?"), ("assistant", f"The answer is ({letter})."))
        ]
        rows.append(
            {
                "evaluation": evaluation,
                "line": place,
                "sample_id": name,
                "choices": ["one", "two"],
                "turns": turns,
                "status": "ok",
                "finish_reason": "stop",
                "tokens_in": 10,
                "tokens_out": 5,
                "fingerprint": None,
                "dropped": None,
                "quarantined": None,
            }
        )
    return as_table("prediction", rows)


def live(name: str, settings: str = "as-ever") -> nights.Live:
    """A live evaluation of the test split."""
    return nights.Live(name, "m3cot", "released", "test", None, settings)


class Book:
    """Nights one after the other, with all their tables."""

    def __init__(self) -> None:
        self.asked: dict[str, pa.Table] = {}
        self.answers: dict[str, pa.Table] = {}
        self.scores: dict[str, pa.Table] = {}
        self.changes: dict[str, pa.Table] = {}

    def night(self, day: str, right: Mapping[str, int | str], settings: str = "as-ever") -> list[nights.Change]:
        """A night on which so many samples were right, by evaluation; a text is why one was not asked."""

        def ask(name: str, under: str) -> nights.Replies:
            said = right[name]
            if isinstance(said, str):
                raise nights.Fault(said)
            return nights.Replies(predictions(name, said), {})

        made = nights.night(day, nights.asking_of(day), [live(name, settings) for name in sorted(right)], ask)
        self.asked[day] = as_table("asked", made.asked)
        kept = nights.asked_rows(self.asked[day])
        self.answers[day] = nights.answers(made.predictions, kept, {RELEASED: samples()})
        scored = nights.scores(self.answers[day], kept, {RELEASED: samples()}, ["released"], 0.95)
        self.scores[day] = as_table("score", scored)
        changes = nights.changes(day, self.answers, self.asked, ["released"], 0.95)
        self.changes[day] = as_table("change", changes)
        return nights.headline(changes, "released")

    def verdict(self, day: str, level: float = 0.05) -> verdicts.Verdict:
        """What the check `unchanged` says of a night."""
        changes = nights.headline(nights.change_rows(self.changes[day]), "released")
        return verdicts.is_unchanged(changes, nights.asked_rows(self.asked[day]), level)
