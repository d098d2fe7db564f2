"""Good tables of CoMT's sources and of its construction: every check of their suites passes."""

import json
from typing import Any

from expectations.comt import FOLLOWS
from tests.expectations.building_tables import ID, UNREAD, flow, picture
from tests.expectations.cases import Rows

IMAGES_OF_SOURCES = tuple(f"sources/{name}_images" for name in ("geometry", "crowds", "pairs", "comt_released"))
OF_SOURCES = (*IMAGES_OF_SOURCES, *(f"sources/{name}" for name in ("geometry", "crowds", "pairs", "comt_annotations")))
IMAGES_DRAWN = ("comt/deletion_images", "comt/update_images", "comt/selection_images")
TASKS = ("comt/creation", "comt/deletion", "comt/update", "comt/selection")
CHAIN = (*TASKS, "comt/rechecked", "comt/benchmark")

_NOTHING = {"image_id": None, "png": None, "width": None, "height": None, "mode": None}
_SAME = {"file": "images/again.png", "png": None, "dropped": "same_pixels"}
_HEAD = {"left": 1.0, "top": 2.0, "width": 3.0, "height": 4.0, "occlusion": 1, "blur": 0}
_BOX = {"left": 1.0, "top": 2.0, "width": 3.0, "height": 4.0}
_LEFT_OUT = {"comt/benchmark": None}


def told(*parts: str | tuple[str, int]) -> Rows:
    """A rationale of texts, and of pictures as (identifier, number of its id)."""
    return [
        {"kind": "text", "text": part, "image_id": None}
        if isinstance(part, str)
        else {"kind": "image", "text": part[0], "image_id": ID[part[1]]}
        for part in parts
    ]


def drawn(number: int, task: str = "deletion", **columns: Any) -> dict[str, Any]:
    """A sample of CoMT: two pictures of its own, the second in the rationale; of creation one, in the rationale."""
    asked = task != "creation"
    first, last = 10 * number, 10 * number + asked
    return {
        "id": f"{task}-{number}",
        "benchmark": "comt",
        "domain": "commonsense",
        "task": task,
        "question": "[IMAGE0]\nHow many people are there?" if asked else "What is the angle?",
        "choices": ["8", "9", "10", "11"],
        "answer": "ABCD"[number % 4],
        "rationale": told("Mask them. ", (f"[IMAGE{int(asked)}]", last), " That is all."),
        "images": [ID[place] for place in range(first, last + 1)],
        "image_names": [f"{task}-{number}-{place}" for place in range(last - first + 1)],
        "other": json.dumps({"annotations": {"originals": [ID[first + 5]]}}),
        "source": "jhu_crowd",
        "source_id": str(number),
        "provenance": "released",
        **columns,
    }


def sources(asset: str) -> Rows:
    """The rows of a table of the sources group."""
    if asset in IMAGES_OF_SOURCES:
        unread = picture(9, **_NOTHING, dropped="broken_picture", quarantined=UNREAD)
        return [picture(0), picture(1), picture(0, **_SAME), unread]
    match asset:
        case "sources/geometry":
            unread = {"id": None, "question": None, "dropped": "no_question", "quarantined": UNREAD}
            plain = {"task": None, "images": [ID[1]], "image_names": None, "other": None, "rationale": None}
            return [drawn(1) | plain, drawn(2) | plain, drawn(3) | plain | unread]
        case "sources/crowds":
            crowd = {
                "id": "train-0001",
                "image_id": ID[1],
                "width": 320,
                "height": 220,
                "heads": [_HEAD],
                "source": "jhu_crowd",
                "provenance": "released",
            }
            bad = {"heads": None, "dropped": "missing_file", "quarantined": UNREAD}
            return [crowd, crowd | {"id": "train-0002", "heads": []}, crowd | bad]
        case "sources/pairs":
            pair = {"id": "1", "first": ID[1], "second": ID[2], "boxes": [_BOX]}
            pair |= {"source": "spot_diff", "provenance": "released"}
            bad = {"boxes": None, "dropped": "no_boxes", "quarantined": UNREAD}
            return [pair, pair | {"id": "2"}, pair | bad]
        case "sources/comt_annotations":
            judgement = {
                "sample_id": "deletion-1",
                "stage": "recheck",
                "round": 1,
                "annotator": "ada",
                "verdict": "yes",
                "source": "votes.jsonl",
            }
            unread = {"sample_id": None, "stage": None, "round": None, "annotator": None, "verdict": None}
            return [
                judgement,
                judgement | {"annotator": "ben"},
                judgement | {"verdict": "no", "dropped": "superseded"},
                judgement | unread | {"dropped": "unknown_stage", "quarantined": UNREAD},
            ]
    raise LookupError(asset)


def construction(asset: str) -> Rows:
    """The rows of a table of the comt group."""
    if asset in TASKS:
        task = asset.partition("/")[2]
        return [drawn(1, task), drawn(2, task), drawn(3, task, dropped="no_rationale", images=None, rationale=None)]
    if asset in CHAIN:
        split = {"split": "test"} if asset == "comt/benchmark" else {}
        out = "picture_in_development" if asset == "comt/benchmark" else "pending"
        rows = [drawn(1, **split), drawn(2, "creation", **split)]
        if asset == "comt/benchmark":
            return [*rows, *(drawn(number, split="validation") for number in range(3, 7))]
        return [*rows, drawn(3, dropped=out)]
    if asset in IMAGES_DRAWN:
        return [picture(0), picture(1), picture(0, **_SAME), picture(9, **_NOTHING, dropped="labels_overlap")]
    match asset:
        case "comt/images":
            return [picture(0), picture(1), picture(0, **_SAME)]
        case "comt/quarantine":
            one = {"source": "sources/geometry", "file": "train.pk", "line": 1, "key": "geoqa-1"}
            return [
                {**one, "reason": "no_question", "excerpt": "{}"},
                {**one, "key": "geoqa-2", "reason": "no_choices", "excerpt": "{}}"},
                {"source": "sources/crowds_images", "file": "1.jpg", "key": "1.jpg", "reason": "broken_picture"},
            ]
        case "comt/flow":
            return _flow()
        case "comt/statistics":
            figure = {"kind": "samples", "scope": "task", "value": 0.0, "unit": "samples", "profile": "default"}
            return [{**figure, "name": "creation"}, {**figure, "name": "deletion"}]
    raise LookupError(asset)


def _flow() -> Rows:
    """A chain in which GeoQA+ brings ten samples of which six are kept, and JHU-CROWD++ two."""
    rows = [
        flow("sources/geometry", "geoqa", 12, 10, no_question=2),
        flow("sources/crowds", "jhu_crowd", 2, 2),
        flow("comt/creation", "geoqa", 10, 6, no_rationale=4),
        flow("comt/deletion", "jhu_crowd", 2, 2),
    ]
    for stage in list(FOLLOWS)[4:]:
        rows += [flow(stage, "geoqa", 6, 6), flow(stage, "jhu_crowd", 2, 2)]
    return rows
