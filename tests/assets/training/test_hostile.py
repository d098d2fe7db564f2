"""Checkpoints of the fused families whose files are sealed and are not what they should be, and wrong settings."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from safetensors.torch import load_file, save_file

from assets.settings_training import Lora, McCot, MmCot, Mmr, PlannerBase, Search
from assets.training import checkpoint, families
from tests.assets.training.learned import Learned, learn


@pytest.fixture(scope="module", name="learned")
def _learned(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    return learn(tmp_path_factory.mktemp("squares") / "checkpoint", MmCot(family="mm-cot"))


def told(**changed: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        found = json.loads((folder / checkpoint.DESCRIPTION).read_bytes()) | changed
        (folder / checkpoint.DESCRIPTION).write_text(json.dumps(found), "utf-8")

    return change


def lacking(folder: Path) -> None:
    held = load_file(folder / "answer.safetensors")
    held.pop(min(held))
    save_file(held, folder / "answer.safetensors")


def cut(folder: Path) -> None:
    content = (folder / "answer.safetensors").read_bytes()
    (folder / "answer.safetensors").write_bytes(content[:100])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (told(backbone=None), "TypeError"),
        (told(backbone={"shape": {}}), "KeyError"),
        (lacking, "RuntimeError"),
        (cut, "SafetensorError"),
        (lambda folder: (folder / "answer.safetensors").unlink(), "FileNotFoundError"),
    ],
)
def test_files_of_another_model_are_one_sentence(
    learned: Learned, tmp_path: Path, change: Callable[[Path], None], why: str
) -> None:
    folder = shutil.copytree(learned.folder, tmp_path / "a")
    change(folder)
    checkpoint.seal(folder)
    with pytest.raises(
        checkpoint.CheckpointError,
        match=rf"/a: its files are not those of the model that .* \({why}\): train the model",
    ):
        families.load(folder)


def test_weights_that_the_manifest_does_not_list_are_not_read(learned: Learned, tmp_path: Path) -> None:
    folder = shutil.copytree(learned.folder, tmp_path / "a")
    rows = json.loads((folder / checkpoint.MANIFEST).read_bytes())
    (folder / checkpoint.MANIFEST).write_text(json.dumps([row for row in rows if "answer" not in row["name"]]), "utf-8")
    with pytest.raises(checkpoint.CheckpointError, match=r"answer.safetensors: is not among the files that manifest"):
        families.load(folder)


@pytest.mark.parametrize(
    ("kind", "given", "why"),
    [
        (Search, {"batches": ()}, "at least 1 item"),
        (Search, {"rates": []}, "at least 1 item"),
        (Search, {"batches": (2, 2)}, "write each once"),
        (Search, {"rates": (float("inf"),)}, "finite"),
        (MmCot, {"family": "mm-cot", "rate": float("inf")}, "finite"),
        (MmCot, {"family": "mm-cot", "seed": -1}, "greater than or equal to 0"),
        (MmCot, {"family": "mm-cot", "seed": 2**32}, "less than 4294967296"),
        (MmCot, {"family": "mm-cot", "text": ""}, "at least 1 character"),
        (McCot, {"family": "mc-cot", "temperature": float("inf")}, "finite"),
        (Mmr, {"family": "mmr", "contrast": float("inf")}, "finite"),
        (PlannerBase, {"kind": "planner", "seed": -1}, "greater than or equal to 0"),
        (Lora, {"family": "lora", "base": "x", "rank": 0}, "greater than or equal to 1"),
        (Lora, {"family": "lora", "base": "x", "target": ""}, "at least 1 character"),
        (Lora, {"family": "lora", "base": "x", "target": "("}, "write a regular expression"),
    ],
)
def test_a_setting_that_cannot_be_is_told_before_anything_is_learned(
    kind: Any, given: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValidationError, match=why):
        kind.model_validate(given)
