import hashlib
import json
from pathlib import Path

import pytest

from assets.settings_base import ROOT
from assets.training import checkpoint


def sealed(folder: Path) -> tuple[checkpoint.File, ...]:
    checkpoint.describe(folder, "lora", {"base": "tiny", "settings": {"rank": 8}})
    checkpoint.put(folder / "adapter" / "weights.safetensors", b"abc")
    return checkpoint.seal(folder)


def test_all_files_are_sealed_but_the_seal_itself(tmp_path: Path) -> None:
    files = sealed(tmp_path)
    assert [file.name for file in files] == ["adapter/weights.safetensors", "description.json"]
    assert files[0] == ("adapter/weights.safetensors", 3, hashlib.sha256(b"abc").hexdigest())
    assert checkpoint.manifest(tmp_path) == files
    assert checkpoint.seal(tmp_path) == files
    assert sorted(path.name for path in tmp_path.iterdir()) == ["adapter", "description.json", "manifest.json"]


def test_what_is_verified_is_told(tmp_path: Path) -> None:
    sealed(tmp_path)
    assert checkpoint.verified(tmp_path) == {
        "version": checkpoint.VERSION,
        "family": "lora",
        "base": "tiny",
        "settings": {"rank": 8},
    }


def test_the_digest_is_that_of_names_and_contents(tmp_path: Path) -> None:
    sealed(tmp_path / "a")
    sealed(tmp_path / "b")
    assert checkpoint.digest(tmp_path / "a") == checkpoint.digest(tmp_path / "b")
    checkpoint.put(tmp_path / "b" / "adapter" / "weights.safetensors", b"abd")
    checkpoint.seal(tmp_path / "b")
    assert checkpoint.digest(tmp_path / "a") != checkpoint.digest(tmp_path / "b")


def test_a_folder_without_a_description_cannot_be_sealed(tmp_path: Path) -> None:
    checkpoint.put(tmp_path / "weights", b"abc")
    with pytest.raises(checkpoint.CheckpointError, match=r"there is no description.json in it: train the model anew$"):
        checkpoint.seal(tmp_path)


@pytest.mark.parametrize("name", ["adapter/weights.safetensors", "description.json"])
def test_a_damaged_or_missing_file_is_one_sentence(tmp_path: Path, name: str) -> None:
    sealed(tmp_path)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(checkpoint.CheckpointError, match=rf"{name}: is not the file that manifest.json lists: train"):
        checkpoint.verified(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(checkpoint.CheckpointError, match=rf"{name}: No such file or directory: train the model anew$"):
        checkpoint.verified(tmp_path)


@pytest.mark.parametrize(
    "listed",
    [
        None,
        b"{}",
        b"[1]",
        b"\xff",
        b'[{"name": "a", "bytes": 1, "sha256": ""}]',
        b"[" * 100_000,
        *(
            json.dumps([{"name": name, "bytes": 1, "sha256": ""} for name in ("description.json", bad)]).encode()
            for bad in ("../a", "/etc/passwd", "a/../../b", "", "a\\..\\b", 3)
        ),
    ],
)
def test_a_folder_without_a_manifest_is_no_checkpoint(tmp_path: Path, listed: bytes | None) -> None:
    if listed is not None:
        (tmp_path / "manifest.json").write_bytes(listed)
    with pytest.raises(checkpoint.CheckpointError, match=r"manifest.json.*: train the model anew$"):
        checkpoint.verified(tmp_path)


def test_another_version_is_named(tmp_path: Path) -> None:
    checkpoint.put(tmp_path / "description.json", b'{"version": 1, "family": "mm-cot"}')
    checkpoint.seal(tmp_path)
    with pytest.raises(checkpoint.CheckpointError, match=r"is of version 1, and 2 is what can be read: train"):
        checkpoint.verified(tmp_path)


@pytest.mark.parametrize("told", [b"[]", b"{", b"{}", b'{"version": 2}', b'{"version": 2, "family": 3}'])
def test_what_describes_no_checkpoint_is_one_sentence(tmp_path: Path, told: bytes) -> None:
    checkpoint.put(tmp_path / "description.json", told)
    checkpoint.seal(tmp_path)
    with pytest.raises(checkpoint.CheckpointError, match=r"train the model anew$"):
        checkpoint.verified(tmp_path)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("google/flan-t5-base", "google/flan-t5-base"),
        ("data/training/bases/tiny", "data/training/bases/tiny"),
        (str(ROOT / "data" / "training" / "bases" / "tiny"), "data/training/bases/tiny"),
        ("/somewhere/else/flan-t5-base", "flan-t5-base"),
    ],
)
def test_a_description_names_a_checkpoint_without_a_place_of_this_machine(named: str, said: str) -> None:
    assert checkpoint.placeless(named) == said
