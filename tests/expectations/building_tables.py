"""Good tables of the sources of M3CoT and of its construction: every check of their suites passes."""

from typing import Any

from expectations.m3cot import FOLLOWS
from tests.expectations.cases import Rows

ID = [f"{number:064x}" for number in range(600)]
"""Ids of pictures."""

IMAGES_OF_SOURCES = tuple(f"sources/{name}_images" for name in ("scienceqa", "tabmwp", "sherlock", "m3cot_released"))
IMAGES_DRAWN = ("m3cot/mathematics_images", "m3cot/science_images")
STEPPED = ("m3cot/multistep", "m3cot/commonsense", "m3cot/science", "m3cot/synthesis")
CHAIN = (
    *STEPPED,
    "m3cot/image_needed",
    "m3cot/mathematics",
    "m3cot/balanced",
    "m3cot/rewritten",
    "m3cot/deduplicated",
    "m3cot/annotated",
    "m3cot/rechecked",
    "m3cot/benchmark",
)
UNREAD = {"file": "problems.json", "line": None, "excerpt": "{"}


def said(*texts: str | None) -> Rows:
    """A rationale of these texts."""
    return [{"kind": "text", "text": text, "image_id": None} for text in texts]


def built(number: int, **columns: Any) -> dict[str, Any]:
    """A sample of the construction, with a picture of its own."""
    return {
        "id": f"scienceqa-{number}",
        "benchmark": "m3cot",
        "domain": "science",
        "topic": "natural-science",
        "subtopic": "physics",
        "category": "Magnets",
        "question": "Will these magnets attract?",
        "context": "",
        "choices": ["attract", "repel", "neither"],
        "answer": "A",
        "rationale": said("The two nearest poles are shown as N and S.\nOpposite poles attract."),
        "images": [ID[number]],
        "choice_images": None,
        "source": "scienceqa",
        "source_id": str(number),
        "provenance": "released",
        "split": "test",
        **columns,
    }


def picture(number: int, **columns: Any) -> dict[str, Any]:
    """A picture that is kept."""
    return {
        "image_id": ID[number],
        "file": f"images/{number}.png",
        "png": b"",
        "width": 3,
        "height": 2,
        "mode": "RGB",
        **columns,
    }


def flow(stage: str, source: str, came: int, went: int, generated: int = 0, **reasons: int) -> dict[str, Any]:
    """A row of a flow whose `reasons` are of rows left out."""
    return {
        "stage": stage,
        "source": source,
        "entered": came,
        "generated": generated,
        "retained": went,
        "discarded": sum(reasons.values()),
        "quarantined": 0,
        "reasons": [{"reason": reason, "n": n} for reason, n in reasons.items()],
    }


_NOTHING = {"image_id": None, "png": None, "width": None, "height": None, "mode": None}
_SAME = {"file": "images/again.png", "png": None, "dropped": "same_pixels"}
_CLUE = {
    "instance_id": "a1",
    "url": "http://example.org/1.jpg",
    "image_id": ID[1],
    "boxes": [{"left": 0.0, "top": 0.0, "width": 2.0, "height": 1.0}],
    "clue": "umbrellas over the tables",
    "inference": "the sun is strong",
    "confidence": 1.0,
    "source": "sherlock",
    "provenance": "released",
}
_TANGRAM = {
    "id": "page1-0",
    "width": 9.0,
    "height": 9.0,
    "pieces": [{"piece": str(number), "points": [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]} for number in range(1, 8)],
    "descriptions": [],
    "source": "kilogram",
    "provenance": "released",
}
_JUDGEMENT = {
    "sample_id": "scienceqa-1",
    "stage": "recheck",
    "round": 1,
    "annotator": "ada",
    "verdict": "yes",
    "source": "votes.jsonl",
}
_LEFT_OUT = {"m3cot/image_needed": "image_not_needed", "m3cot/benchmark": None}


def sources(asset: str) -> Rows:
    """The rows of a table of the sources group."""
    if asset in IMAGES_OF_SOURCES:
        unread = picture(9, **_NOTHING, dropped="broken_picture", quarantined=UNREAD)
        return [picture(0), picture(1), picture(0, **_SAME), unread]
    unread_sample = {"id": None, "question": None, "dropped": "no_question", "quarantined": UNREAD}
    match asset:
        case "sources/generated_upstreams":
            return [
                {"file": "scienceqa/problems.json", "bytes": 10, "sha256": "0" * 64},
                {"file": "annotators.jsonl", "bytes": 0, "sha256": "a1" * 32},
            ]
        case "sources/scienceqa":
            return [built(1, choices=["Rain", "rain", "Train"], answer="B"), built(2), built(3, **unread_sample)]
        case "sources/math" | "sources/tabmwp":
            unanswered = {"choices": None, "answer": None, "images": None}
            return [built(1, **unanswered), built(2, **unanswered), built(3, **unanswered, **unread_sample)]
        case "sources/kilogram":
            bad = {"pieces": None, "descriptions": None, "dropped": "not_seven_pieces", "quarantined": UNREAD}
            return [_TANGRAM, _TANGRAM | {"id": "page1-1"}, _TANGRAM | bad]
        case "sources/sherlock":
            bad = {"clue": None, "dropped": "no_clue", "quarantined": UNREAD}
            outside = {"instance_id": "a2", "dropped": "box_outside"}
            return [_CLUE, _CLUE | outside, _CLUE | {"instance_id": "a3"} | bad]
        case "sources/m3cot_annotations":
            unread = {"sample_id": None, "stage": None, "round": None, "annotator": None, "verdict": None}
            return [
                _JUDGEMENT,
                _JUDGEMENT | {"annotator": "ben"},
                _JUDGEMENT | {"verdict": "no", "dropped": "superseded"},
                _JUDGEMENT | unread | {"dropped": "unknown_stage", "quarantined": UNREAD},
            ]
    raise LookupError(asset)


def construction(asset: str) -> Rows:
    """The rows of a table of the m3cot group."""
    if asset in CHAIN:
        return [built(1), built(2, split="train"), built(3, dropped=_LEFT_OUT.get(asset, "pending"))]
    if asset in IMAGES_DRAWN:
        return [picture(0), picture(1), picture(0, **_SAME), picture(9, **_NOTHING, dropped="no_renderer")]
    match asset:
        case "m3cot/images":
            return [picture(0), picture(1)]
        case "m3cot/similar":
            pair = {"a": "scienceqa-1", "b": "scienceqa-2", "split_a": "test", "split_b": "test"}
            return [{**pair, "similarity": 0.995, "same_choices": False}]
        case "m3cot/agreement":
            all_of_them = {"stage": "recheck", "round": 1, "measure": "fleiss", "annotators": 3, "n": 0}
            two = {"measure": "cohen", "a": "ada", "b": "ben", "annotators": 2, "n": 9, "observed": 0.9, "kappa": -0.05}
            return [all_of_them, all_of_them | two]
        case "m3cot/audit":
            counts = {"population": 10, "sampled": 4, "judged": 4, "multimodal": 1}
            none = {"population": 10, "sampled": 4, "judged": 0, "multimodal": 0}
            return [
                {"source": "scienceqa", **counts, "share": 0.25, "low": 0.05, "high": 0.7},
                {"source": "tabmwp", **none},
            ]
        case "m3cot/quarantine":
            one = {"source": "sources/scienceqa", "file": "problems.json", "line": 1, "key": "scienceqa-1"}
            return [
                {**one, "reason": "no_question", "excerpt": "{}"},
                {**one, "key": "scienceqa-2", "reason": "no_choices", "excerpt": "{}}"},
                {"source": "sources/scienceqa_images", "file": "1.png", "key": "1.png", "reason": "broken_picture"},
            ]
        case "m3cot/flow":
            return _flow()
        case "m3cot/statistics":
            figure = {"kind": "samples", "scope": "split", "value": 0.0, "unit": "samples", "profile": "default"}
            return [{**figure, "name": "train"}, {**figure, "name": "test"}]
    raise LookupError(asset)


def _flow() -> Rows:
    """A chain in which ScienceQA brings ten samples, the first vote removes four, and one map is drawn."""
    rows = [
        flow("sources/scienceqa", "scienceqa", 12, 10, no_question=2),
        flow("m3cot/image_needed", "scienceqa", 10, 6, image_not_needed=4),
        flow("m3cot/multistep", "scienceqa", 6, 6),
        flow("m3cot/science", "map", 0, 1, generated=1),
    ]
    for stage in list(FOLLOWS)[list(FOLLOWS).index("m3cot/balanced") :]:
        rows += [flow(stage, "scienceqa", 6, 6), flow(stage, "map", 1, 1)]
    return rows
