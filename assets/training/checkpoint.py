"""What was learned, in a folder: a description as JSON, two networks as safetensors, and a manifest of these files."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.schema.faults import Fault

if TYPE_CHECKING:
    from torch import nn

    from assets.training.reader import Reader

MANIFEST = "manifest.json"
DESCRIPTION = "description.json"
RATIONALE = "rationale.safetensors"
ANSWER = "answer.safetensors"
VERSION = 1


class CheckpointError(Fault):
    """A folder that holds no checkpoint, or not all of it."""


class File(NamedTuple):
    """One file of a checkpoint."""

    name: str
    bytes: int
    sha256: str


def save(reader: "Reader", into: Path, facts: Mapping[str, Any]) -> tuple[File, ...]:
    """Write the checkpoint, the manifest last, each file whole or not at all; its files.

    Args:
        reader: what was learned.
        into: the folder; it is made where it is not there.
        facts: what else the description is to say, as JSON values.
    """
    from safetensors.torch import save as packed

    into.mkdir(parents=True, exist_ok=True)
    description = {
        "version": VERSION,
        "architecture": reader.architecture,
        "shape": reader.shape._asdict(),
        "words": list(reader.vocabulary.words),
        "palette": reader.palette.tolist(),
        "spread": reader.spread.ravel().tolist(),
        "facts": dict(facts),
    }
    content = {
        DESCRIPTION: (json.dumps(description, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode(),
        RATIONALE: packed(_weights(reader.rationale)),
        ANSWER: packed(_weights(reader.answer)),
    }
    files = tuple(File(name, len(held), hashlib.sha256(held).hexdigest()) for name, held in sorted(content.items()))
    for name, held in content.items():
        _write(into / name, held)
    listed = json.dumps([file._asdict() for file in files], indent=1, sort_keys=True) + "\n"
    _write(into / MANIFEST, listed.encode())
    return files


def manifest(folder: Path) -> tuple[File, ...]:
    """The files of the checkpoint in a folder, as its manifest lists them.

    Raises:
        CheckpointError: there is no manifest, or it is none.
    """
    path = folder / MANIFEST
    try:
        files = tuple(File(**row) for row in json.loads(path.read_bytes()))
    except FileNotFoundError:
        raise CheckpointError(f"{folder}: there is no {MANIFEST} in it: train the model anew") from None
    except (OSError, ValueError, TypeError):
        raise CheckpointError(f"{path}: does not list a checkpoint's files: train the model anew") from None
    if {file.name for file in files} != {DESCRIPTION, RATIONALE, ANSWER}:
        raise CheckpointError(f"{path}: does not list a checkpoint's files: train the model anew")
    return files


def digest(folder: Path) -> str:
    """SHA-256 over names and digests of the checkpoint's files, as 64 hexadecimal digits.

    Raises:
        CheckpointError: as `manifest`.
    """
    listed = sorted((file.name, file.sha256) for file in manifest(folder))
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()


def load(folder: Path) -> "Reader":
    """What was learned, as it was when it was saved, ready to answer.

    Raises:
        CheckpointError: a file is missing, or is not what the manifest says, or is of another version.
    """
    import numpy as np
    import torch
    from safetensors.torch import load as unpacked

    from assets.training.mm_cot import ARCHITECTURE, Network, Shape
    from assets.training.reader import Reader
    from assets.training.text import Vocabulary

    content: dict[str, bytes] = {}
    for name, size, sha256 in manifest(folder):
        try:
            held = (folder / name).read_bytes()
        except OSError as error:
            raise CheckpointError(f"{folder / name}: {error.strerror}: train the model anew") from None
        if len(held) != size or hashlib.sha256(held).hexdigest() != sha256:
            raise CheckpointError(f"{folder / name}: is not the file that {MANIFEST} lists: train the model anew")
        content[name] = held
    description = json.loads(content[DESCRIPTION])
    if (description["version"], description["architecture"]) != (VERSION, ARCHITECTURE):
        raise CheckpointError(
            f"{folder}: is of version {description['version']} and architecture {description['architecture']}, and "
            f"{VERSION} and {ARCHITECTURE} are what can be read: train the model anew"
        )
    shape = Shape(**description["shape"])
    networks: list[Network] = []
    for name in (RATIONALE, ANSWER):
        with torch.random.fork_rng(devices=[]):
            network = Network(shape)
        network.load_state_dict(unpacked(content[name]))
        networks.append(network.eval())
    return Reader(
        shape,
        Vocabulary(tuple(description["words"])),
        np.asarray(description["palette"], dtype=np.float32).reshape(-1, 3),
        np.asarray(description["spread"], dtype=np.float32).reshape(-1, 1, 1),
        networks[0],
        networks[1],
    )


def _weights(network: "nn.Module") -> dict[str, Any]:
    return {name: value.detach().contiguous() for name, value in network.state_dict().items()}


def _write(path: Path, content: bytes) -> None:
    waiting = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        waiting.write_bytes(content)
        os.replace(waiting, path)
    finally:
        waiting.unlink(missing_ok=True)
