"""Small tables for the page: four samples, two evaluations, a reply that would like to be markup."""

from typing import Any

import pyarrow as pa
from PIL import Image

from assets import samples
from assets.analysis.report.browser import Browser, Edition, Evaluated
from assets.analysis.report.page import Contents, Stored
from assets.images import Picture, Pictures, of_pixels
from assets.samples import Part, Sample
from assets.schema.tables import as_table

HOSTILE = """</script><img src=x onerror="document.title='owned'"><!-- \u2028 The answer is (B)."""
SPAN = (HOSTILE.index("B)."), HOSTILE.index("B).") + 1)
ASTRAL = "😀 so (A)"
"""Its letter is the sixth character and the seventh unit of UTF-16."""


def picture(name: str, red: int = 200) -> Picture:
    return of_pixels(Image.new("RGB", (640, 80), (red, 0, 0)), name)


QUESTION, DRAWN, UNKNOWN = picture("question", 200), picture("drawn", 100), picture("unknown", 50)


def sample(number: int, **changes: Any) -> Sample:
    made = Sample(
        id=f"s-{number}",
        benchmark="m3cot",
        topic="algebra" if number % 2 else "geometry",
        question=f"Which one is number {number}?",
        context="A <b>context</b>.",
        choices=("one", "two", "three"),
        answer="A" if number % 2 else "B",
        rationale=(Part("text", "First this. ", None), Part("image", "[IMAGE0]", DRAWN.image_id)),
        source="generated",
        source_id=str(number),
        provenance="generated",
        split="test",
    )
    return made._replace(**changes)


SAMPLES = [
    sample(1, images=(str(QUESTION.image_id),)),
    sample(2, images=(str(UNKNOWN.image_id),)),
    sample(3),
    sample(4, split="train"),
    sample(5).drop("duplicate"),
]


def turn(role: str, *parts: tuple[str, str]) -> dict[str, Any]:
    return {
        "role": role,
        "parts": [
            {"kind": kind, "text": said if kind == "text" else None, "image_id": said if kind == "image" else None}
            for kind, said in parts
        ],
    }


def prediction(evaluation: str, line: int, number: int, *parts: tuple[str, str], **changes: Any) -> dict[str, Any]:
    return {
        "evaluation": evaluation,
        "line": line,
        "sample_id": f"s-{number}",
        "choices": None,
        "turns": [turn("user", ("text", f"The prompt of sample {number}.")), turn("assistant", *parts)],
        "status": "ok",
        "finish_reason": None,
        "tokens_in": None,
        "tokens_out": None,
        "fingerprint": None,
        "dropped": None,
        "quarantined": None,
        **changes,
    }


PREDICTIONS = {
    "first_cot": [
        prediction("first_cot", 1, 1, ("text", ASTRAL)),
        prediction("first_cot", 2, 2, ("text", HOSTILE), choices=["two", "one", "three"]),
        prediction("first_cot", 3, 9, ("text", "of no sample")),
    ],
    "second_cot": [
        prediction("second_cot", 1, 1, ("text", "It is one."), ("image", str(DRAWN.image_id))),
        prediction("second_cot", 2, 2, ("text", "I cannot say."), status="refusal"),
        prediction("second_cot", 3, 3, ("text", "(A)")),
    ],
}


def answer(
    evaluation: str,
    line: int | None,
    number: int,
    extractor: str,
    letter: str | None,
    status: str = "ok",
    span: tuple[int, int] | None = None,
) -> dict[str, Any]:
    label = "A" if number % 2 else "B"
    return {
        "evaluation": evaluation,
        "line": line,
        "sample_id": f"s-{number}",
        "extractor": extractor,
        "letter": letter,
        "rule": f"{extractor}_rule",
        "span": span,
        "status": status,
        "label": label,
        "counted": line is not None or extractor == "strict",
        "correct": letter == label,
    }


ANSWERS = [
    answer("first_cot", 1, 1, "paper", "A", span=(6, 7)),
    answer("first_cot", 2, 2, "paper", "B", span=SPAN),
    answer("first_cot", None, 3, "paper", None, "missing"),
    answer("first_cot", 1, 1, "strict", "A", span=(6, 7)),
    answer("first_cot", 2, 2, "strict", "C", span=SPAN),
    answer("first_cot", None, 3, "strict", None, "missing"),
    answer("second_cot", 1, 1, "paper", "A"),
    answer("second_cot", 2, 2, "paper", None, "none"),
    answer("second_cot", 3, 3, "paper", "A", span=(1, 2)),
    answer("second_cot", 1, 1, "strict", "B"),
    answer("second_cot", 2, 2, "strict", None, "refusal"),
    answer("second_cot", 3, 3, "strict", "A", span=(1, 2)),
]


def evaluated(name: str, **changes: Any) -> Evaluated:
    return Evaluated(
        name=name,
        model=name.split("_")[0],
        strategy="cot",
        shots=0,
        benchmark="m3cot",
        edition="released",
        split="test",
        predictions=as_table("prediction", PREDICTIONS[name]),
        answers=as_table("answer", [row for row in ANSWERS if row["evaluation"] == name]),
    )._replace(**changes)


def table(rows: list[Sample] | None = None) -> pa.Table:
    return samples.to_table(SAMPLES if rows is None else rows)


def browser() -> Browser:
    editions = [Edition("m3cot", "released", table())]
    return Browser(editions, [evaluated("second_cot"), evaluated("first_cot")], "small")


def leader(evaluation: str, accuracy: float | None, rank: int | None = 1) -> dict[str, Any]:
    return {
        "rank": rank,
        "evaluation": evaluation,
        "model": "m<odel",
        "strategy": "cot",
        "shots": 0,
        "benchmark": "m3cot",
        "edition": "released",
        "split": "test",
        "extractor": "strict",
        "policy": "strict",
        "labels": "released",
        "n": 3,
        "correct": 1,
        "accuracy": accuracy,
        "low": None if accuracy is None else accuracy - 0.125,
        "high": None if accuracy is None else accuracy + 0.125,
        **dict.fromkeys(("macro_accuracy", "macro_f1", "mean_f1", "errors_excluded", "published")),
        "missing": 0,
    }


LEADERS = [leader("first_cot", 0.5), leader("second_cot", 0.25, 2), leader("third_cot", None, None)]


def contents(**changes: Any) -> Contents:
    key = ("analysis", "leaderboard")
    given: dict[str, Any] = {
        "rows": {key: LEADERS},
        "tables": {key: Stored(len(LEADERS), "0123456789abcdef")},
        "flows": {},
        "browser": browser(),
        "pictures": [Pictures.of([QUESTION, DRAWN])],
        "profile": "small",
    }
    return Contents(**given | changes)
