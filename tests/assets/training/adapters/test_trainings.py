"""Trainings of adapters: what decides about their bytes, what does not, and what of them is kept."""

import shutil
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from assets import images
from assets.schema.faults import Fault
from assets.schema.sample import Part, Sample
from assets.settings_training import Search
from assets.training import checkpoint as sealing
from assets.training.adapters import families
from tests import tiny_model
from tests.assets.training import squares
from tests.assets.training.adapters import tiny

BOTH = pytest.mark.parametrize("family", ["lora", "llama-adapter"])


@pytest.fixture(scope="module", name="base")
def _base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.base(tmp_path_factory.mktemp("base") / "tiny")


def test_a_search_holds_one_base_at_a_time(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[weakref.ref[Any]] = []
    most = 0
    own = families.base

    def counted(settings: Any) -> families.Base:
        nonlocal most
        found = own(settings)
        alive.append(weakref.ref(found.checkpoint.model))
        most = max(most, sum(one() is not None for one in alive))
        return found

    monkeypatch.setattr(families, "base", counted)
    samples, rows = squares.world(8, 4, 0)
    settings = tiny.settings("lora", base, epochs=1, search=Search(batches=(8,), rates=(1e-6, 1e-3, 1e-2)))
    families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep")
    assert (len(alive), most) == (3, 1)


def test_rates_that_differ_in_the_last_digit_are_two(base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(8, 4, 0)
    lines: list[str] = []
    settings = tiny.settings("lora", base, epochs=1, search=Search(batches=(8,), rates=(1e-2, 1.00000001e-2)))
    families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep", lines.append)
    assert len(lines) == 2


@BOTH
def test_what_is_kept_says_nothing_of_where_it_was_made(family: str, base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(8, 4, 0)
    other = shutil.copytree(base, tmp_path / "elsewhere" / base.name)
    for name, place in (("a", base), ("b", other)):
        settings = tiny.settings(family, place, epochs=1)
        families.train(settings, samples, images.Pictures.of(rows), tmp_path / name, tmp_path / "keep")
    held = b"".join(path.read_bytes() for path in sorted((tmp_path / "a").iterdir()))
    assert str(base.parent).encode() not in held
    assert sealing.digest(tmp_path / "a") == sealing.digest(tmp_path / "b")


@BOTH
def test_nothing_of_the_test_split_is_learned_from_or_chosen_by(family: str, base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(8, 4, 8)
    settings = tiny.settings(family, base, epochs=2)
    families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep")
    others, pictures = spoiled(samples, rows)
    families.train(settings, others, pictures, tmp_path / "b", tmp_path / "keep")
    assert sealing.digest(tmp_path / "a") == sealing.digest(tmp_path / "b")


def spoiled(samples: list[Sample], rows: list[images.Picture]) -> tuple[list[Sample], images.Pictures]:
    """The samples with other ones in the test split, and more of them, whose pictures are others too."""
    black = images.of_pixels(Image.new("RGB", (20, 20)), "black.png")
    told = (Part("text", "Step 1: Anything.\nStep 2: Else.", None),)
    changed: dict[str, Any] = {"question": "What?", "choices": ("x", "y"), "answer": "B", "rationale": told}
    changed["images"] = (black.image_id or "",)
    own = [one._replace(**changed) if one.split == "test" else one for one in samples]
    more = [one._replace(id=f"more-{one.id}") for one in own if one.split == "test"]
    return [*more, *own], images.Pictures.of([black, *rows])


@pytest.mark.parametrize("threads", [1, 2])
def test_the_threads_of_torch_change_no_byte(threads: int, base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(8, 4, 0)
    settings = tiny.settings("lora", base, epochs=1)
    families.train(settings, samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "keep")
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        families.train(settings, samples, images.Pictures.of(rows), tmp_path / "b", tmp_path / "keep")
    finally:
        torch.set_num_threads(before)
    assert sealing.digest(tmp_path / "a") == sealing.digest(tmp_path / "b")


def test_the_state_of_other_settings_samples_or_another_base_is_not_gone_on_with(base: Path, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(line: str) -> None:
        raise Stopped

    samples, rows = squares.world(8, 4, 0)
    pictures, keep = images.Pictures.of(rows), tmp_path / "keep"
    settings = tiny.settings("lora", base, epochs=2)
    with pytest.raises(Stopped):
        families.train(settings, samples, pictures, tmp_path / "a", keep, stop)
    other = tiny_model.make(tmp_path / "other", scale=2.0)
    for changed, told in (
        (settings.model_copy(update={"rank": 2}), samples),
        (settings.model_copy(update={"base": str(other)}), samples),
        (settings, samples[1:]),
    ):
        kept = shutil.copytree(keep, tmp_path / "copy")
        lines: list[str] = []
        families.train(changed, told, pictures, tmp_path / "b", kept, lines.append)
        assert len(lines) == 2
    lines = []
    families.train(settings, samples, pictures, tmp_path / "a", keep, lines.append)
    assert len(lines) == 1


def test_a_state_that_cannot_be_written_is_one_sentence(base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(8, 4, 0)
    (tmp_path / "file").write_text("")
    with pytest.raises(
        Fault, match=r"file/keep: the state of a training cannot be kept there \(Not a directory\): make"
    ):
        families.train(
            tiny.settings("lora", base), samples, images.Pictures.of(rows), tmp_path / "a", tmp_path / "file" / "keep"
        )
