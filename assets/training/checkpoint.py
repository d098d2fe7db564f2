"""What was learned, in a folder: a description as JSON, weights, and a manifest of all files there, written last."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from assets.schema.faults import Fault
from assets.settings_base import ROOT

MANIFEST = "manifest.json"
DESCRIPTION = "description.json"
VERSION = 2
"""Of the description: what stands in it, and what the families' files are called."""

_ANEW = "train the model anew"


class CheckpointError(Fault):
    """A folder that holds no checkpoint, or not all of it."""


class File(NamedTuple):
    """One file of a checkpoint; name: its path in the folder, with slashes."""

    name: str
    bytes: int
    sha256: str


def put(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    waiting = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        waiting.write_bytes(content)
        os.replace(waiting, path)
    finally:
        waiting.unlink(missing_ok=True)


def placeless(name: str) -> str:
    """A checkpoint's name as a description has it, which says nothing of where this machine keeps things.

    A path below the checkout goes from there, another absolute one is its last part alone; what a folder holds is told
    by a digest beside it. The name of the hub, or a relative path, stays.
    """
    path = Path(name)
    if not path.is_absolute():
        return name
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def describe(folder: Path, family: str, told: Mapping[str, Any]) -> None:
    """Write the description: the version, the family that can load the folder, and other JSON values."""
    held = {"version": VERSION, "family": family, **told}
    put(folder / DESCRIPTION, (json.dumps(held, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode())


def seal(folder: Path) -> tuple[File, ...]:
    """Write the manifest of all files that are in the folder, by name; these files.

    Raises:
        CheckpointError: there is no description among them.
    """
    (folder / MANIFEST).unlink(missing_ok=True)
    paths = sorted((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.relative_to(folder))
    files = tuple(sorted(File(path.relative_to(folder).as_posix(), *_measured(path)) for path in paths))
    if DESCRIPTION not in {file.name for file in files}:
        raise CheckpointError(f"{folder}: there is no {DESCRIPTION} in it: {_ANEW}")
    listed = json.dumps([file._asdict() for file in files], indent=1, sort_keys=True) + "\n"
    put(folder / MANIFEST, listed.encode())
    return files


def manifest(folder: Path) -> tuple[File, ...]:
    """The files of the checkpoint in a folder, as its manifest lists them.

    Raises:
        CheckpointError: there is no manifest, or it is none.
    """
    path = folder / MANIFEST
    try:
        files = tuple(File(**row) for row in json.loads(path.read_bytes()))
        outside = any(file.name != MANIFEST and not _inside(file.name) for file in files)
    except FileNotFoundError:
        raise CheckpointError(f"{folder}: there is no {MANIFEST} in it: {_ANEW}") from None
    except (OSError, ValueError, TypeError, RecursionError):
        raise CheckpointError(f"{path}: does not list a checkpoint's files: {_ANEW}") from None
    if outside or DESCRIPTION not in {file.name for file in files}:
        raise CheckpointError(f"{path}: does not list a checkpoint's files: {_ANEW}")
    return files


def digest(folder: Path) -> str:
    """SHA-256 over names and digests of the checkpoint's files, as 64 hexadecimal digits.

    Raises:
        CheckpointError: as `manifest`.
    """
    listed = sorted((file.name, file.sha256) for file in manifest(folder))
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()


def verified(folder: Path) -> dict[str, Any]:
    """The description of the checkpoint in a folder, whose files are all there as they were when they were sealed.

    Raises:
        CheckpointError: a file is missing, is not what the manifest says or does not stand there, or all is of another
            version.
    """
    files = manifest(folder)
    # A file that is not listed would be read unseen: its contents are in no digest.
    if more := sorted({*_names(folder)} - {file.name for file in files}):
        raise CheckpointError(f"{folder / more[0]}: is not among the files that {MANIFEST} lists: {_ANEW}")
    for name, size, sha256 in files:
        try:
            found = _measured(folder / name)
        except OSError as error:
            raise CheckpointError(f"{folder / name}: {error.strerror}: {_ANEW}") from None
        if found != (size, sha256):
            raise CheckpointError(f"{folder / name}: is not the file that {MANIFEST} lists: {_ANEW}")
    try:
        description: dict[str, Any] = json.loads((folder / DESCRIPTION).read_bytes())
        version = description["version"]
        family = description["family"] if version == VERSION else None
    except (ValueError, KeyError, TypeError):
        raise CheckpointError(f"{folder / DESCRIPTION}: does not describe a checkpoint: {_ANEW}") from None
    if version != VERSION or not isinstance(family, str):
        raise CheckpointError(f"{folder}: is of version {version}, and {VERSION} is what can be read: {_ANEW}")
    return description


def _names(folder: Path) -> list[str]:
    """Files of a folder, by their paths in it, but the manifest and hidden ones."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return [path.as_posix() for path in paths if path.as_posix() != MANIFEST and not path.name.startswith(".")]


def _measured(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), found


def _inside(name: str) -> bool:
    """Whether a name leads to a file of the folder it stands in, and is spelled as such."""
    return (
        bool(name) and "\\" not in name and ".." not in (path := PurePosixPath(name)).parts and not path.is_absolute()
    )
