import shutil
from pathlib import Path

import pytest

from assets import images
from assets.settings_training import McCot, MmCot, Mmr
from assets.training import checkpoint, families
from assets.training.train import TrainingSettings
from tests.assets.training import squares
from tests.assets.training.learned import FEW


def test_settings_that_say_nothing_leave_the_small_network_as_it_is() -> None:
    assert families.knobs(MmCot(family="mm-cot", seed=4)) == TrainingSettings(seed=4)
    assert families.knobs(McCot(family="mc-cot")) == families.knobs(Mmr(family="mmr")) == TrainingSettings()


def test_settings_that_say_something_say_it_of_each_stage() -> None:
    found = families.knobs(MmCot(family="mm-cot", epochs=2, rate=0.5, batch=3))
    assert (found.epochs_seeing, found.epochs_rationale, found.epochs_answer) == (2, 2, 2)
    assert (found.rate_seeing, found.rate_rationale, found.rate_answer) == (0.5, 0.5, 0.5)
    assert found.batch == 3
    assert found == TrainingSettings()._replace(
        epochs_seeing=2,
        epochs_rationale=2,
        epochs_answer=2,
        rate_seeing=0.5,
        rate_rationale=0.5,
        rate_answer=0.5,
        batch=3,
    )


@pytest.fixture(scope="module", name="made")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of mmr, trained by what params.yaml may say."""
    folder = tmp_path_factory.mktemp("families") / "made"
    samples, rows = squares.world(16, 8, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(families, "knobs", lambda settings: FEW)
        families.train(Mmr(family="mmr", hops=3), samples, images.Pictures.of(rows), folder, folder.with_name("keep"))
    assert not folder.with_name("keep").exists()
    return folder


def test_a_checkpoint_is_loaded_as_the_family_it_is_of(made: Path) -> None:
    told = checkpoint.verified(made)
    assert (told["family"], told["settings"]["hops"], told["backbone"]["shape"]["width"]) == ("mmr", 3, 32)
    assert len(families.load(made).rationales([], [])) == 0
    hops = families.load(made).answer.encoder[-1].gate  # type: ignore[attr-defined]
    assert len(hops.to_picture) == 3


@pytest.mark.parametrize("family", ["of-tomorrow", "lora-like"])
def test_a_family_that_is_not_known_is_one_sentence(made: Path, tmp_path: Path, family: str) -> None:
    folder = tmp_path / "made"
    shutil.copytree(made, folder)
    told = checkpoint.verified(folder)
    checkpoint.describe(folder, family, {name: one for name, one in told.items() if name not in {"version", "family"}})
    checkpoint.seal(folder)
    with pytest.raises(checkpoint.CheckpointError, match=rf"is of family {family} with settings that are unknown here"):
        families.load(folder)


def test_settings_of_a_family_that_are_not_known_are_one_sentence(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    shutil.copytree(made, folder)
    told = checkpoint.verified(folder)
    changed = {**told, "settings": {**told["settings"], "hops": 99}}
    checkpoint.describe(
        folder, "mmr", {name: one for name, one in changed.items() if name not in {"version", "family"}}
    )
    checkpoint.seal(folder)
    with pytest.raises(
        checkpoint.CheckpointError, match=r"is of family mmr with settings that are unknown here: train"
    ):
        families.load(folder)
