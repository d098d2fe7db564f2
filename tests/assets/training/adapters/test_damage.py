"""Damaged states and checkpoints of adapters: begun anew, or one sentence, and never other weights."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from assets import images
from assets.training import checkpoint as sealing
from assets.training.adapters import families, weights
from assets.training.checkpoint import CheckpointError
from tests.assets.training import squares
from tests.assets.training.adapters import tiny


@pytest.fixture(scope="module", name="base")
def _base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.base(tmp_path_factory.mktemp("base") / "tiny")


class Stopped(Exception):
    pass


def train(base: Path, into: Path, keep: Path, progress: Callable[[str], None] = lambda line: None) -> str:
    samples, rows = squares.world(8, 4, 0)
    settings = tiny.settings("lora", base, epochs=2, rationale=False)
    families.train(settings, samples, images.Pictures.of(rows), into, keep, progress)
    return sealing.digest(into)


@pytest.fixture(scope="module", name="stopped")
def _stopped(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state after the first of two epochs."""

    def stop(line: str) -> None:
        raise Stopped

    folder = tmp_path_factory.mktemp("stopped")
    with pytest.raises(Stopped):
        train(base, folder / "none", folder / "keep", stop)
    return folder / "keep"


@pytest.fixture(scope="module", name="whole")
def _whole(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    train(base, folder / "a", folder / "keep")
    return folder / "a"


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-100] ^= 0x40
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("name", "damage", "anew"),
    [
        (weights.WEIGHTS, flipped, True),
        (weights.WEIGHTS, cut, True),
        (weights.WEIGHTS, Path.unlink, True),
        ("optimizer.pt", cut, True),
        ("scheduler.pt", cut, True),
        ("rng_state.pth", cut, True),
        ("trainer_state.json", cut, True),
        ("whole.json", cut, True),
        ("*.png", cut, False),
    ],
)
def test_a_damaged_state_ends_in_the_same_files(
    base: Path, stopped: Path, whole: Path, tmp_path: Path, name: str, damage: Callable[[Path], None], anew: bool
) -> None:
    keep = shutil.copytree(stopped, tmp_path / "keep")
    damage(sorted(keep.rglob(name))[0])
    lines: list[str] = []
    assert train(base, tmp_path / "a", keep, lines.append) == sealing.digest(whole)
    begun = [line.endswith("is damaged: this fit begins anew") for line in lines]
    assert begun == ([True, False, False] if anew else [False])


def described(folder: Path, **changed: object) -> None:
    told = json.loads((folder / weights.CONFIG).read_bytes()) | changed
    (folder / weights.CONFIG).write_text(json.dumps(told), "utf-8")


def lacking(folder: Path) -> None:
    held = load_file(folder / weights.WEIGHTS)
    held.pop(min(held))
    save_file(held, folder / weights.WEIGHTS)


def pickled(folder: Path) -> None:
    torch.save(load_file(folder / weights.WEIGHTS), folder / "adapter_model.bin")
    (folder / weights.WEIGHTS).unlink()


@pytest.mark.parametrize("change", [lacking, pickled, lambda folder: (folder / weights.WEIGHTS).unlink()])
def test_other_weights_than_those_of_the_adapter_are_one_sentence(
    base: Path, whole: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    folder = shutil.copytree(whole, tmp_path / "a")
    change(folder)
    sealing.seal(folder)
    with pytest.raises(CheckpointError, match=r"safetensors: does not hold the weights of the adapter that is describ"):
        families.load(folder, str(base))


def test_how_an_adapter_is_built_is_not_said_by_its_config(base: Path, whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "a")
    described(folder, target_modules="all-linear", r=3, peft_type="IA3", base_model_name_or_path="../../other")
    sealing.seal(folder)
    found = families.load(folder, str(base))
    asked = [squares.world(8, 4, 0)[0][0]]
    own = families.load(whole, str(base))
    from assets.training import examples

    some = [one.asked for sample in asked if (one := examples.of_sample(sample)) is not None]
    assert found.answers(some, [[]], [found.features(None)]) == own.answers(some, [[]], [own.features(None)])


def test_a_file_that_the_manifest_does_not_list_is_one_sentence(base: Path, whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "a")
    files = [row for row in json.loads((folder / sealing.MANIFEST).read_bytes()) if row["name"] != weights.WEIGHTS]
    (folder / sealing.MANIFEST).write_text(json.dumps(files), "utf-8")
    with pytest.raises(CheckpointError, match=r"safetensors: is not among the files that manifest.json lists: train"):
        families.load(folder, str(base))
