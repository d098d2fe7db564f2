"""A small checkout whose tables of CoMT are written at once, for the tests of the annotation page and its command."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from PIL import Image, ImageDraw

from assets import images, samples
from assets.comt import template
from assets.images import Picture
from assets.schema.sample import Sample
from orchestration import storage
from tests.orchestration.annotation_project import checkout
from tests.orchestration.conftest import Project

QUESTION = "In triangle ABC, AB = AC and angle A is 40 degrees. How large is angle ACD?"
TABLES = ("creation", "deletion", "update", "selection")


def triangle() -> Picture:
    sheet = Image.new("RGB", (360, 260), "white")
    draw = ImageDraw.Draw(sheet)
    draw.line([(180, 20), (60, 220), (330, 220)], fill="black", width=3)
    draw.line([(180, 20), (260, 220)], fill="black", width=3)
    for letter, place in {"A": (190, 6), "B": (44, 224), "C": (254, 226), "D": (334, 226)}.items():
        draw.text(place, letter, fill="black", font_size=22)
    return images.of_pixels(sheet, "geoqa-12-0")


def crowd(masked: int) -> Picture:
    sheet = Image.new("RGB", (480, 300), "#9fb7c9")
    draw = ImageDraw.Draw(sheet)
    for place in range(20):
        x, y = 12 + 23 * place, 60 + 97 * place % 180
        draw.rectangle([x + 2, y + 14, x + 18, y + 60], fill="#41566b")
        draw.ellipse([x, y, x + 20, y + 20], fill="black" if place < masked else "#f1c9a5")
    return images.of_pixels(sheet, f"jhu_crowd-3-{masked // 10}")


def tangram(coloured: int) -> Picture:
    sheet = Image.new("RGB", (300, 300), "white")
    draw = ImageDraw.Draw(sheet)
    pieces = (("head", [(60, 60), (150, 60), (150, 150)]), ("tail", [(150, 150), (250, 150), (250, 250)]))
    for place, (name, points) in enumerate(pieces):
        draw.polygon(points, fill=("#d1495b", "#00798c")[place] if place < coloured else "#cccccc", outline="black")
        if place < coloured:
            draw.text((points[0][0], points[0][1] - 20), name, fill="black", font_size=16)
    return images.of_pixels(sheet, f"kilogram-page1-0-3-{coloured}")


def pair(kept: int) -> Picture:
    """Two pictures of 160 pixels' width, a see-through gap of 40 between them."""
    sheet = Image.new("RGBA", (360, 200), (0, 0, 0, 0))
    draw = ImageDraw.Draw(sheet)
    for left, colour in ((0, "red"), (200, "green")):
        draw.rectangle([left, 0, left + 159, 199], fill="#ffe8c2" if kept == 0 else "white")
        for place in range(2):
            if kept in (0, place + 1):
                draw.ellipse([left + 20 + 70 * place, 60, left + 60 + 70 * place, 100], fill=colour)
    return images.of_pixels(sheet, f"spot_diff-a-{kept}")


PICTURES = {
    "sources/geometry_images": [triangle()],
    "sources/crowds_images": [crowd(0)],
    "comt/deletion_images": [crowd(10), crowd(20)],
    "comt/update_images": [tangram(place) for place in range(3)],
    "comt/selection_images": [pair(place) for place in range(3)],
}


def made(task: str, sample_id: str, question: str, rationale: str, pictures: Iterable[Picture], **more: Any) -> Sample:
    source = sample_id.partition("-")[0]
    filled = template.filled(
        sample_id=sample_id,
        source=source,
        source_id=sample_id.partition("-")[2],
        provenance="generated > made up",
        task=task,
        question=question,
        choices=more.pop("choices", ("70 degrees", "110 degrees", "140 degrees", "40 degrees")),
        right=1,
        rationale=rationale,
        images=[str(picture.image_id) for picture in pictures],
        annotations={},
    )
    return filled._replace(**more)


def creation(number: int = 12, **more: Any) -> Sample:
    told = "The figure shows D on the line BC. [IMAGE0] Angle ACB is 70 degrees. So ACD is 110 degrees."
    return made("creation", f"geoqa-{number}", QUESTION, told, [triangle()], **more)


def samples_of_comt() -> dict[str, list[Sample]]:
    """By task; of creation two, out of order, and one that was dropped."""
    counted = "Ten are on the left. [IMAGE1] Ten more are on the right. [IMAGE2] No head is left. So there are 20."
    named = "The upper piece is the head. [IMAGE1] The lower one is the tail. [IMAGE2] So it is a fox."
    found = "One difference is on the left. [IMAGE1] One is on the right. [IMAGE2] So there are two differences."
    return {
        "creation": [creation(12), creation(2), creation(30, dropped="repeats_its_source")],
        "deletion": [
            made(
                "deletion",
                "jhu_crowd-3",
                "[IMAGE0] How many people are there?",
                counted,
                [crowd(0), crowd(10), crowd(20)],
                choices=("10", "20", "30", "25"),
            )
        ],
        "update": [
            made(
                "update",
                "kilogram-page1-0-3",
                "What is this tangram? [IMAGE0]",
                named,
                [tangram(place) for place in range(3)],
                choices=("a cat", "a fox", "a boat", "a house"),
            )
        ],
        "selection": [
            made(
                "selection",
                "spot_diff-a",
                "[IMAGE0]\nHow many differences do the pictures have?",
                found,
                [pair(place) for place in range(3)],
                choices=("1", "2", "3", "4"),
            )
        ],
    }


def comt_checkout(root: Path, rows: dict[str, list[Sample]] | None = None, **settings: Any) -> Project:
    """A checkout in `root` with the tables that CoMT's stages begin from; `settings` go into params.yaml's comt."""
    project = checkout(root)
    path = root / "params.yaml"
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    tree["sources"]["comt_annotations"] = {"recorded": None, "own": "data/annotations/comt"}
    tree["comt"] |= settings
    path.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")
    for task, found in (rows or samples_of_comt()).items():
        storage.write_table(samples.to_table(found), "sample", root / f"data/comt/{task}.parquet")
    for name, pictures in PICTURES.items():
        storage.write_groups(images.batches(images.once(pictures)), "image", root / f"data/{name}.parquet")
    return project


def line(sample: str, who: str, verdict: str = "accept", stage: str = "quality", **more: Any) -> dict[str, Any]:
    turn = {"sample_id": sample, "stage": stage, "round": 1, "annotator": who, "verdict": verdict}
    return {**turn, **more}


def log(project: Project, stage: str) -> list[dict[str, Any]]:
    """The lines of a stage's own log, in their order."""
    path = project.root / f"data/annotations/comt/{stage}.jsonl"
    return [json.loads(each) for each in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
