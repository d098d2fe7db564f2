import hashlib
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from assets.schema.faults import Fault
from assets.training.saved import Saved, keeping, place

ROOT = Path(__file__).resolve().parents[3]
STATE = {"epoch": 3, "stage": "answer", "weights": {"a": torch.tensor([1.5, -2.0])}, "random": (3, (1, 2), None)}


def test_what_was_written_last_is_read(tmp_path: Path) -> None:
    saved = Saved(tmp_path / "keep")
    assert saved.read() is None
    saved.write({"epoch": 1})
    saved.write(STATE)
    found = Saved(tmp_path / "keep").read()
    assert found is not None
    assert torch.equal(found.pop("weights")["a"], STATE["weights"]["a"])
    assert found == {"epoch": 3, "stage": "answer", "random": (3, (1, 2), None)}
    assert len(list((tmp_path / "keep").iterdir())) == 2


def test_nothing_is_left_after_the_end(tmp_path: Path) -> None:
    saved = Saved(tmp_path / "keep")
    saved.write(STATE)
    saved.clear()
    assert list(tmp_path.iterdir()) == []
    saved.clear()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.99])
@pytest.mark.parametrize("cut", [True, False])
def test_a_damaged_state_is_said_and_not_read(tmp_path: Path, share: float, cut: bool) -> None:
    Saved(tmp_path).write(STATE)
    (path,) = tmp_path.glob("*.state")
    whole, at = path.read_bytes(), int(share * path.stat().st_size)
    path.write_bytes(whole[:at] if cut else whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    lines: list[str] = []
    assert Saved(tmp_path, say=lines.append).read() is None
    assert lines == [f"{path}: is damaged: training begins anew"]
    Saved(tmp_path).write(STATE)
    assert Saved(tmp_path).read() is not None


def test_a_state_that_was_not_written_to_its_end_leaves_the_one_before(tmp_path: Path) -> None:
    Saved(tmp_path).write({"epoch": 1})
    (tmp_path / "123.new.state").write_bytes(b"half")
    assert Saved(tmp_path).read() == {"epoch": 1}
    Saved(tmp_path).write({"epoch": 2})
    assert not (tmp_path / "123.new.state").exists()


def test_a_folder_without_a_whole_state_is_said(tmp_path: Path) -> None:
    (tmp_path / "123.new.state").write_bytes(b"half")
    lines: list[str] = []
    assert Saved(tmp_path, say=lines.append).read() is None
    assert lines == [f"{tmp_path}: holds no whole state: training begins anew"]


def test_the_state_of_something_else_is_not_gone_on_with(tmp_path: Path) -> None:
    Saved(tmp_path, "some samples").write({"epoch": 1})
    lines: list[str] = []
    assert Saved(tmp_path, "other samples", lines.append).read() is None
    assert len(lines) == 1
    assert lines[0].endswith("is of other samples or settings, or another torch: training begins anew")
    assert Saved(tmp_path, "some samples").read() == {"epoch": 1}


FULL = """
import resource, signal, sys, torch
from pathlib import Path
from assets.schema.faults import Fault
from assets.training.saved import Saved
Saved(Path(sys.argv[1])).write({"epoch": 1})
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    Saved(Path(sys.argv[1])).write({"weights": torch.zeros(200_000)})
except Fault as fault:
    print(fault)
"""


def test_a_state_that_does_not_fit_is_one_sentence_and_the_one_before_stays(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", FULL, tmp_path], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout == (
        f"{tmp_path}: the state of a training cannot be kept there (File too large): make room, or let this folder be "
        "written, and start it again: it goes on from its last epoch\n"
    )
    assert Saved(tmp_path).read() == {"epoch": 1}
    assert len(list(tmp_path.iterdir())) == 2


def test_what_torch_writes_by_itself_and_cannot_is_one_sentence_too(tmp_path: Path) -> None:
    with pytest.raises(Fault, match=r"kept there \(a file was not written to its end\): make room"), keeping(tmp_path):
        raise RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 768 vs 662")
    with pytest.raises(RuntimeError, match=r"^shapes differ$"), keeping(tmp_path):
        raise RuntimeError("shapes differ")


class Runs:
    """What a pickle may call when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.path,)


def test_reading_a_state_runs_no_code(tmp_path: Path) -> None:
    torch.save({"of": "", "epoch": Runs(tmp_path / "ran")}, tmp_path / "new")
    content = (tmp_path / "new").read_bytes()
    keep = tmp_path / "keep"
    keep.mkdir()
    named = hashlib.sha256(content).hexdigest()
    (keep / f"{named}.state").write_bytes(content)
    (keep / "last").write_text(named)
    lines: list[str] = []
    assert Saved(keep, say=lines.append).read() is None
    assert [line.partition(": ")[2] for line in lines] == ["is no state of a training: training begins anew"]
    assert not (tmp_path / "ran").exists()
    pickle.loads(pickle.dumps(Runs(tmp_path / "ran")))
    assert (tmp_path / "ran").exists()


def test_each_name_and_each_part_has_a_folder_of_its_own(tmp_path: Path) -> None:
    found = [
        place(tmp_path, "small", "a", "b"),
        place(tmp_path, "small", "ab"),
        place(tmp_path, "small", "a", "b", ""),
        place(tmp_path, "other", "a", "b"),
    ]
    assert len(set(found)) == 4
    assert place(tmp_path, "small", b"a", "b") == found[0]
    name, _, key = found[0].name.rpartition("-")
    assert (name, len(key), int(key, 16) >= 0) == ("small", 16, True)
