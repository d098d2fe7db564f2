import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from assets import images
from assets.training import checkpoint as sealing
from assets.training.adapters import families, fit, lora, shown
from tests import tiny_model
from tests.assets.training import squares
from tests.assets.training.adapters import kill_fit, tiny

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module", name="base")
def _base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.base(tmp_path_factory.mktemp("base") / "tiny")


def run(*arguments: str) -> tuple[int, list[str]]:
    command = [sys.executable, "-m", "tests.assets.training.adapters.kill_fit", *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode, ended.stdout.splitlines()


@pytest.mark.parametrize(
    ("family", "when", "number", "left"), [("lora", "after", "2", 1), ("llama-adapter", "within", "2", 2)]
)
def test_a_fit_that_was_killed_goes_on_and_ends_with_the_same_bytes(
    base: Path, tmp_path: Path, family: str, when: str, number: str, left: int
) -> None:
    samples, rows = squares.world(10, 4, 0)
    settings = tiny.settings(family, base, epochs=kill_fit.EPOCHS)
    whole: list[str] = []
    families.train(
        settings, samples, images.Pictures.of(rows), tmp_path / "whole", tmp_path / "keep-whole", whole.append
    )
    stopped = (family, str(base), str(tmp_path / "stopped"), str(tmp_path / "keep"))
    code, before = run(*stopped, when, number)
    assert code == -signal.SIGKILL
    assert before == whole[: kill_fit.EPOCHS - left]
    assert not (tmp_path / "stopped").exists()
    after: list[str] = []
    families.train(settings, samples, images.Pictures.of(rows), tmp_path / "stopped", tmp_path / "keep", after.append)
    assert after == whole[-left:]
    assert sealing.manifest(tmp_path / "stopped") == sealing.manifest(tmp_path / "whole")
    assert sealing.digest(tmp_path / "stopped") == sealing.digest(tmp_path / "whole")


def test_a_search_that_was_killed_goes_on_with_the_pair_that_it_was_at(base: Path, tmp_path: Path) -> None:
    samples, rows = squares.world(10, 4, 0)
    settings = tiny.settings("lora", base, epochs=kill_fit.EPOCHS, search=kill_fit.SEARCH)
    whole: list[str] = []
    made = families.train(
        settings, samples, images.Pictures.of(rows), tmp_path / "whole", tmp_path / "keep-whole", whole.append
    )
    assert len(whole) == 4 * kill_fit.EPOCHS
    # Five epochs: the first pair's three, and two of the second's.
    code, before = run("lora", str(base), str(tmp_path / "stopped"), str(tmp_path / "keep"), "after", "5", "search")
    assert (code, before) == (-signal.SIGKILL, whole[:5])
    after: list[str] = []
    again = families.train(
        settings, samples, images.Pictures.of(rows), tmp_path / "stopped", tmp_path / "keep", after.append
    )
    assert after == whole[5:]
    assert again == made
    assert sealing.digest(tmp_path / "stopped") == sealing.digest(tmp_path / "whole")
    assert not (tmp_path / "keep").exists()


def fitted(base: Path, keep: Path, right: list[float], **others: Any) -> fit.Fitted:
    held = tiny.checkpoint(base)
    found, pictures = tiny.prompts(held, keep / "pictures", squares.world(16, 8, 0)[0])
    settings = tiny.settings("lora", base, **others)
    peft = lora.attach(held.model, settings)
    left = iter(right)
    manner = fit.Manner("base", len(right), 4, settings.rate, settings.seed)
    return fit.fit(
        held, peft, found.lessons[:8], found.lessons[8:12], pictures, manner, keep / "fit", lambda: next(left)
    )


def test_the_most_accurate_epoch_stays_and_of_these_the_one_with_the_least_loss(base: Path, tmp_path: Path) -> None:
    made = fitted(base, tmp_path, [0.5, 0.75, 0.75, 0.25])
    assert [row["accuracy_validation"] for row in made.curves] == [0.5, 0.75, 0.75, 0.25]
    assert [(row["epoch"], row["step"]) for row in made.curves] == [(1, 2), (2, 4), (3, 6), (4, 8)]
    least = min(made.curves[1:3], key=lambda row: row["loss_validation"])
    assert made.best == least
    assert made.folder.name == f"checkpoint-{least['step']}"
    assert (made.folder / "adapter_model.safetensors").is_file()


def test_it_learns_what_it_is_taught(tmp_path: Path) -> None:
    # What tells letters apart is large in these weights, so that a little in attention changes what is written.
    made = fitted(tiny_model.make(tmp_path / "base", scale=4.0), tmp_path, [0.0] * 5, rate=3e-2)
    losses = [row["loss"] for row in made.curves]
    assert losses[-1] < losses[0] - 0.5
    assert made.curves[-1]["loss_validation"] < made.curves[0]["loss_validation"]


def test_a_fit_that_is_done_is_not_done_again(base: Path, tmp_path: Path) -> None:
    first = fitted(base, tmp_path, [0.5, 0.75])
    held = (tmp_path / "fit" / fit.DONE).read_bytes()
    assert json.loads(held) == first.curves
    # There is nothing that it could ask for its accuracy: an epoch gone through again would raise.
    assert (
        fit.fit(
            tiny.checkpoint(base),
            None,
            [],
            [],
            shown.Shown(tmp_path),
            fit.Manner("base", 2, 4, 1e-2, 5),
            tmp_path / "fit",
            lambda: pytest.fail("asked again"),
        )
        == first
    )


def test_a_checkpoint_of_the_fit_holds_the_adapter_alone_and_no_pickled_arguments(base: Path, tmp_path: Path) -> None:
    made = fitted(base, tmp_path, [0.5])
    names = {path.name for path in made.folder.iterdir()}
    assert {"adapter_config.json", "adapter_model.safetensors", "trainer_state.json", fit.WHOLE} <= names
    assert not names & {"model.safetensors", "training_args.bin", "config.json"}


def test_transparent_pictures_are_shown_on_white(tmp_path: Path) -> None:
    sheet = Image.new("RGBA", (8, 8), (255, 0, 0, 0))
    row = images.of_pixels(sheet, "clear.png")
    pictures = shown.keep(images.Pictures.of([row]), {row.image_id or ""}, tmp_path)
    assert pictures.image(row.image_id or "").getcolors() == [(64, (255, 255, 255))]
