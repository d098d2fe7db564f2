"""A tiny image-text checkpoint and the toy world of squares, as adapters of both families take them."""

from pathlib import Path
from typing import Any

from assets.models import transformers_checkpoint as checkpoints
from assets.models.transformers_checkpoint import Checkpoint
from assets.schema.sample import Sample
from assets.settings_training import LlamaAdapter, Lora
from assets.training.adapters import lessons, shown
from tests import tiny_model
from tests.assets.training import squares

FAMILIES = {"lora": Lora, "llama-adapter": LlamaAdapter}


def base(folder: Path) -> Path:
    return tiny_model.make(folder, scale=1.0)


def checkpoint(folder: Path) -> Checkpoint:
    return checkpoints.load(str(folder), None, "cpu", "float32", "test")


def settings(family: str, folder: Path, **others: Any) -> Lora | LlamaAdapter:
    given = {"base": str(folder), "epochs": 2, "rate": 1e-2, "device": "cpu", "length": 400, "seed": 5} | others
    return FAMILIES[family](family=family, **given)


def prompts(
    held: Checkpoint, folder: Path, samples: list[Sample], length: int = 400, context: int | None = 1024
) -> tuple[lessons.Lessons, shown.Shown]:
    from assets import images

    rows = squares.world(16, 8, 0)[1]
    found = lessons.of_split(samples, "train")
    pictures = shown.keep(images.Pictures.of(rows), {one.asked.image_id or shown.BLANK for one in found}, folder)
    limits = lessons.Limits(length, context)
    return lessons.lessons(found, held, pictures, limits, rationale=True), pictures
