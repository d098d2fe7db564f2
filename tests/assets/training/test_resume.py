import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assets import images
from assets.settings_training import Learned as Family
from assets.settings_training import McCot, Mmr
from assets.training import checkpoint, families, saved
from assets.training.learning import Learning
from assets.training.train import MM_COT, Trained, TrainingSettings, train
from tests.assets.training import squares
from tests.assets.training.learned import FEW

EPOCHS = [f"stage 1 (seeing), epoch {number}" for number in (1, 2)]
EPOCHS += [f"stage {stage}, epoch {number}" for stage in ("1 (rationale)", "2 (answer)") for number in (1, 2)]
ROOT = Path(__file__).resolve().parents[3]


def taught(
    folder: Path,
    keep: Path | None,
    family: Family = MM_COT,
    stop: str = "-",
    settings: TrainingSettings = FEW,
    say: Callable[[str], None] = lambda line: None,
) -> tuple[Trained, list[str]]:
    samples, rows = squares.world(16, 8, 0)
    lines: list[str] = []

    def told(line: str) -> None:
        lines.append(line)
        say(line)
        if line.startswith(stop):
            raise KeyboardInterrupt

    return train(samples, images.Pictures.of(rows), settings, folder, told, keep, family), lines


def epochs(lines: list[str]) -> list[str]:
    return [line.partition(" of ")[0] for line in lines if line.startswith("stage")]


@pytest.mark.parametrize(
    ("family", "stops"),
    [
        (MM_COT, EPOCHS),
        (McCot(family="mc-cot", rationales=2), (EPOCHS[3], EPOCHS[4])),
        (Mmr(family="mmr"), (EPOCHS[2], EPOCHS[4])),
    ],
    ids=("mm-cot", "mc-cot", "mmr"),
)
def test_a_run_that_is_stopped_after_an_epoch_ends_as_if_it_was_not(
    tmp_path: Path, family: Family, stops: Sequence[str]
) -> None:
    whole, lines = taught(tmp_path / "whole", None, family)
    assert epochs(lines) == EPOCHS
    keep = tmp_path / "keep"
    for stop in stops:
        number = EPOCHS.index(stop)
        with pytest.raises(KeyboardInterrupt):
            taught(tmp_path / "again", keep, family, stop)
        again, lines = taught(tmp_path / "again", keep, family)
        assert lines[1].startswith(f"goes on after {stop} of 2")
        assert epochs(lines) == EPOCHS[number + 1 :]
        assert again == whole
        assert checkpoint.digest(tmp_path / "again") == checkpoint.digest(tmp_path / "whole")
        assert not keep.exists()


def test_a_run_that_is_stopped_after_every_epoch_ends_as_if_it_was_not(tmp_path: Path) -> None:
    whole, _ = taught(tmp_path / "whole", None)
    for stop in EPOCHS:
        with pytest.raises(KeyboardInterrupt):
            taught(tmp_path / "again", tmp_path / "keep", MM_COT, stop)
    again, lines = taught(tmp_path / "again", tmp_path / "keep")
    assert epochs(lines) == []
    assert again == whole


def test_weights_that_were_best_before_it_was_stopped_are_still_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = FEW._replace(epochs_rationale=4, epochs_answer=1)
    # After the two epochs of seeing: the second epoch of writing is the best, by the losses that are said here.
    losses = {2: 3.0, 3: 1.0, 4: 2.0, 5: 1.5}
    monkeypatch.setattr(Learning, "_loss_validation", lambda self, network: losses[len(self.rows)])
    whole, _ = taught(tmp_path / "whole", None, settings=settings)
    assert whole.facts["epoch_rationale"] == 2
    with pytest.raises(KeyboardInterrupt):
        taught(tmp_path / "again", tmp_path / "keep", stop="stage 1 (rationale), epoch 3", settings=settings)
    again, _ = taught(tmp_path / "again", tmp_path / "keep", settings=settings)
    assert again == whole


LONG = FEW._replace(epochs_rationale=25, epochs_answer=25)
"""So many epochs that the child is still learning when it is killed."""

CHILD = """
import sys
from pathlib import Path
from tests.assets.training.test_resume import LONG, taught
taught(Path(sys.argv[1]), Path(sys.argv[2]), settings=LONG, say=lambda line: print(line, flush=True))
"""

AS_THE_ASSET_DOES = """
import sys
from pathlib import Path
from tests.assets.training.test_resume import asked_for
asked_for(Path(sys.argv[1]), Path(sys.argv[2]), lambda line: print(line, flush=True))
"""


def asked_for(folder: Path, root: Path, say: Callable[[str], None]) -> Trained:
    """A training as its asset starts it: by params.yaml's settings, its state where these and the samples put it."""
    samples, rows = squares.world(12, 6, 0)
    settings = McCot(family="mc-cot", rationales=2, epochs=4)
    keep = saved.place(root, "small_mc", settings.model_dump_json(), repr(samples))
    return families.train(settings, samples, images.Pictures.of(rows), folder, keep, say)


def test_a_training_of_params_that_is_killed_is_gone_on_with_and_leaves_no_state(tmp_path: Path) -> None:
    whole = asked_for(tmp_path / "whole", tmp_path / "other", lambda line: None)
    root, folder = tmp_path / "var", tmp_path / "made"
    command = [sys.executable, "-c", AS_THE_ASSET_DOES, folder, root]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for line in child.stdout:
        if line.startswith("stage 1 (rationale), epoch 2"):
            child.send_signal(signal.SIGKILL)
            break
    child.stdout.close()
    assert child.wait() == -signal.SIGKILL
    lines: list[str] = []
    assert asked_for(folder, root, lines.append) == whole
    assert lines[1].startswith("goes on after stage 1 (rationale), epoch ")
    assert checkpoint.digest(folder) == checkpoint.digest(tmp_path / "whole")
    assert list(root.iterdir()) == []


@pytest.fixture(scope="module", name="undisturbed")
def _undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trained, list[str]]:
    told, lines = taught(tmp_path_factory.mktemp("whole") / "made", None, settings=LONG)
    return told, epochs(lines)


@pytest.mark.parametrize("kill", ["stage 1 (rationale), epoch 3", "stage 2 (answer), epoch 2"])
def test_a_run_that_is_killed_is_gone_on_with(
    tmp_path: Path, undisturbed: tuple[Trained, list[str]], kill: str
) -> None:
    keep, folder = tmp_path / "keep", tmp_path / "made"
    child = subprocess.Popen([sys.executable, "-c", CHILD, folder, keep], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for line in child.stdout:
        if line.startswith(kill):
            child.send_signal(signal.SIGKILL)
            break
    child.stdout.close()
    assert child.wait() == -signal.SIGKILL
    assert not folder.exists()
    again, lines = taught(folder, keep, settings=LONG)
    whole, every = undisturbed
    left = epochs(lines)
    assert left == every[-len(left) :]
    assert 0 < len(left) < len(every) - every.index(kill)
    assert again == whole
    assert not keep.exists()


def test_a_damaged_state_is_begun_anew(tmp_path: Path) -> None:
    whole, _ = taught(tmp_path / "whole", None)
    with pytest.raises(KeyboardInterrupt):
        taught(tmp_path / "again", tmp_path / "keep", stop=EPOCHS[3])
    (state,) = (tmp_path / "keep").glob("*.state")
    state.write_bytes(state.read_bytes()[:-9])
    again, lines = taught(tmp_path / "again", tmp_path / "keep")
    assert lines[0] == f"{state}: is damaged: training begins anew"
    assert epochs(lines) == EPOCHS
    assert again == whole


def test_the_state_of_other_settings_is_not_gone_on_with(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        taught(tmp_path / "again", tmp_path / "keep", stop=EPOCHS[3])
    again, lines = taught(tmp_path / "again", tmp_path / "keep", settings=FEW._replace(seed=9))
    assert epochs(lines) == EPOCHS
    assert again == taught(tmp_path / "other", None, settings=FEW._replace(seed=9))[0]
