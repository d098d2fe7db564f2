"""A small checkout with replies that hold pictures, written at once, for the tests of stage picture_quality."""

from pathlib import Path
from typing import Any

import yaml
from PIL import Image, ImageDraw

from assets import images, samples
from assets.images import Picture
from assets.schema.tables import TABLES, as_table
from orchestration import storage
from tests.orchestration.annotation_comt_project import comt_checkout, creation, crowd, samples_of_comt
from tests.orchestration.conftest import Project

HOSTILE = "<img src=x onerror=\"document.title='broken'\"> I draw it.\n"


def sketch(number: int) -> Picture:
    """Something that a model may draw: a triangle, and so many dots."""
    sheet = Image.new("RGB", (320, 240), "white")
    draw = ImageDraw.Draw(sheet)
    draw.polygon([(40, 200), (160, 30), (290, 200)], outline="#0072b2", width=4)
    for place in range(number):
        draw.ellipse([60 + 40 * place, 208, 76 + 40 * place, 224], fill="#d55e00")
    return images.of_pixels(sheet, f"sketch-{number}")


def reply(evaluation: str, line: int, sample: str, *parts: str | Picture, **more: Any) -> dict[str, Any]:
    """A row of table `prediction`: texts and pictures in their order."""
    told = [
        {"kind": "text", "text": part, "image_id": None}
        if isinstance(part, str)
        else {"kind": "image", "text": None, "image_id": part.image_id}
        for part in parts
    ]
    nothing = dict.fromkeys(TABLES["prediction"].names)
    said = {"turns": [{"role": "assistant", "parts": told}], "status": "ok", **more}
    return {**nothing, "evaluation": evaluation, "line": line, "sample_id": sample, **said}


def predictions() -> dict[str, list[dict[str, Any]]]:
    """By evaluation; of the five replies with pictures four are judged, for direct draws too rarely."""
    return {
        "draws_cot": [
            reply("draws_cot", 1, "geoqa-2", HOSTILE, sketch(1), "So it follows.", sketch(2), "\nANSWER: (B)"),
            reply("draws_cot", 2, "jhu_crowd-3", "A crowd.\n", crowd(10), "ANSWER: (A)"),
            reply("draws_cot", 3, "spot_diff-a", "No picture.\nANSWER: (A)"),
            reply("draws_cot", 4, "geoqa-2", "Once more.", sketch(3)),
        ],
        "draws_vot": [
            reply("draws_vot", 1, "geoqa-2", sketch(3), "B"),
            reply("draws_vot", 2, "geoqa-12", sketch(4), "C"),
        ],
        "draws_direct": [
            reply("draws_direct", line, f"geoqa-{line + 100}", *([sketch(0)] if line == 1 else []), "A")
            for line in range(1, 13)
        ],
    }


def pictures_checkout(root: Path, **settings: Any) -> Project:
    """A checkout in `root`; `settings` go into params.yaml's analysis.picture_quality."""
    project = comt_checkout(root)
    path = root / "params.yaml"
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    tree["sources"]["picture_judgements"] = {"recorded": None, "own": "data/annotations/pictures"}
    tree["analysis"]["picture_quality"] |= settings
    tree["models"]["drawer"] = {"kind": "replay", "published": None}
    for name in predictions():
        tree["evaluations"][name] = {
            "benchmark": "comt",
            "edition": "released",
            "split": "test",
            "model": "drawer",
            "strategy": name.partition("_")[2],
            "shots": 0,
            "replies": f"own/{name}.jsonl",
        }
    path.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")
    asked = [sample for rows in samples_of_comt().values() for sample in rows]
    asked += [creation(number) for number in range(101, 113)]
    table = samples.to_table([sample._replace(split="test") for sample in asked])
    storage.write_table(table, "sample", root / "data/sources/comt_released.parquet")
    for name, rows in predictions().items():
        made = as_table("prediction", rows)
        storage.write_table(made, "prediction", root / f"data/evaluation/recorded/{name}.parquet")
    drawn = [*map(sketch, range(5)), crowd(10)]
    storage.write_groups(images.batches(drawn), "image", root / "data/evaluation/pictures.parquet")
    storage.write_groups(images.batches([crowd(0)]), "image", root / "data/sources/comt_released_images.parquet")
    return project


ASKED = ["draws_cot:geoqa-2", "draws_cot:jhu_crowd-3", "draws_vot:geoqa-2", "draws_vot:geoqa-12"]
"""What the page shows, in its order."""


def score(reply: str, who: str, verdict: int, **more: Any) -> dict[str, Any]:
    turn = {"sample_id": reply, "stage": "picture_quality", "round": 1, "annotator": who}
    return {**turn, "verdict": str(verdict), **more}
