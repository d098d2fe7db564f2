"""A small checkout whose tables are written at once, for the tests of the annotation page and its command."""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from PIL import Image

from assets import images, samples
from assets.images import Picture
from assets.schema.sample import Sample
from orchestration import storage
from tests.orchestration.conftest import CODE, ROOT, Project, small_params

COLOURS = ("red", "green", "blue")
HOSTILE = (
    "<img src=x onerror=\"document.title='broken'\"> ${1+1} {{7*7}} </textarea><script>document.title='broken'</script>"
)
STEPS = ("The square is {}.", "A square of that colour means stop.", "So the train stops.")


def picture(colour: str, side: int = 120) -> Picture:
    return images.of_pixels(Image.new("RGB", (side, side), colour), f"{colour}.png")


def sample(number: int, **changes: Any) -> Sample:
    colour = COLOURS[(number - 1) % 3]
    found = Sample(
        id=f"scienceqa-{number}",
        benchmark="m3cot",
        source="scienceqa",
        source_id=str(number),
        provenance="made up",
        domain="science",
        topic="physics",
        category="Signals",
        question=f"What does the train of line {number} do?",
        context="A signal stands beside the track.",
        choices=("It stops.", "It goes on."),
        answer="A",
        images=(str(picture(colour).image_id),),
        choice_images=(),
        split="train",
    )
    return found.with_text(" ".join(STEPS).format(colour))._replace(**changes)


def samples_of_a_stage() -> list[Sample]:
    """Three samples, out of order; one that nobody judges; the third of them is hostile."""
    hostile = sample(10, question=HOSTILE, choices=(HOSTILE, "b"), context=HOSTILE)
    return [hostile.with_text(f"{HOSTILE} It is so. It is thus."), sample(2), sample(1), sample(4, images=())]


def checkout(root: Path, rows: Iterable[Sample] | None = None, **settings: Any) -> Project:
    """A checkout in `root` with the tables that every stage begins from; `settings` go into params.yaml's m3cot."""
    for name in CODE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, root / name)
    tree: dict[str, Any] = small_params(("lively_direct",))
    tree["sources"]["m3cot_annotations"] = {"recorded": None, "own": "data/annotations/m3cot"}
    tree["m3cot"] |= settings
    (root / "params.yaml").write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")
    table = samples.to_table(samples_of_a_stage() if rows is None else rows)
    for name in ("sources/scienceqa", "m3cot/image_needed", "m3cot/deduplicated", "m3cot/annotated"):
        storage.write_table(table, "sample", root / f"data/{name}.parquet")
    storage.write_table(samples.to_table([]), "sample", root / "data/sources/tabmwp.parquet")
    pictures = [picture(colour) for colour in COLOURS]
    for name in ("sources/scienceqa_images", "sources/tabmwp_images", "sources/sherlock_images"):
        stored = images.batches(pictures if "scienceqa" in name else [])
        storage.write_groups(stored, "image", root / f"data/{name}.parquet")
    for name in ("mathematics_images", "science_images"):
        storage.write_groups([], "image", root / f"data/m3cot/{name}.parquet")
    return Project(root)


def log(project: Project, stage: str) -> list[dict[str, Any]]:
    """The lines of a stage's own log, in their order."""
    path = project.root / f"data/annotations/m3cot/{stage}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def line(number: int, who: str, verdict: str = "yes", stage: str = "image_needed", **more: Any) -> dict[str, Any]:
    turn = {"sample_id": f"scienceqa-{number}", "stage": stage, "round": 1, "annotator": who, "verdict": verdict}
    return {**turn, **more}


def write(path: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    return path
