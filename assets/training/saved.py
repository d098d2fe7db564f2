"""What a training has come to, in a folder: whole after each epoch, so that a run that was killed is gone on with."""

import contextlib
import hashlib
import os
import pickle
import shutil
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from assets.schema.faults import Fault

_CODE = Path(__file__).parent
_LIBRARIES = ("torch", "transformers", "peft")
_OF_WRITERS = "inline_container"
"""What torch says of where it was when a file could not be written to its end."""

_LAST, _SUFFIX, _OF = "last", ".state", "of"


def place(root: Path, name: str, *parts: str | bytes) -> Path:
    """The folder of a training's state: one for each name, each of what it depends on, and each state of this code.

    Args:
        root: what all these folders are in.
        name: of the training.
        parts: what decides about the result, such as settings and the digests of samples and pictures.
    """
    found = hashlib.sha256()
    code = [content for path in sorted(_CODE.rglob("*.py")) for content in (_spelled(path), path.read_bytes())]
    for part in (*parts, *code):
        content = part.encode() if isinstance(part, str) else part
        found.update(len(content).to_bytes(8, "big") + content)
    return root / f"{name}-{found.hexdigest()[:16]}"


def made_of(*parts: Any) -> str:
    """A digest of what decides about a result, values with a whole `repr`, and of the versions of what computes it."""
    return hashlib.sha256(repr(([_version(name) for name in _LIBRARIES], *parts)).encode()).hexdigest()


@contextlib.contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Within it a state is written into the folder.

    Raises:
        Fault: it cannot be, since the disk is full, say, or the folder is somebody else's.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        cause = error if isinstance(error, OSError) else error.__context__
        if not isinstance(cause, OSError) and _OF_WRITERS not in str(error):
            raise
        why = (isinstance(cause, OSError) and cause.strerror) or "a file was not written to its end"
        raise Fault(
            f"{folder}: the state of a training cannot be kept there ({why}): make room, or let this folder be "
            "written, and start it again: it goes on from its last epoch"
        ) from error


class Saved:
    """The state of one training: a file named by what is in it, and the name of the last whole one.

    A state is a mapping of texts, numbers, tensors, and lists, tuples and mappings of these; reading it runs no code.
    It survives the end of the process at any moment; of what a machine loses with its power, it tells.
    """

    def __init__(self, folder: Path, of: str = "", say: Callable[[str], None] = lambda line: None) -> None:
        """Take where it is kept and what it is of.

        Args:
            folder: of this training alone; it need not be there.
            of: what the training is made of, such as a digest of its examples: the state of another one is not read.
            say: is told of what was found and is not gone on with.
        """
        self._folder, self._of, self._say = folder, of, say

    def read(self) -> dict[str, Any] | None:
        """The last state that was written whole; None where there is none that can be gone on with, which is said."""
        import torch

        try:
            named = (self._folder / _LAST).read_text("ascii")
            path = self._folder / f"{named}{_SUFFIX}"
            with path.open("rb") as file:
                whole = hashlib.file_digest(file, "sha256").hexdigest() == named
        except FileNotFoundError:
            if self._folder.exists() and any(self._folder.iterdir()):
                self._say(f"{self._folder}: holds no whole state: training begins anew")
            return None
        except (OSError, ValueError) as error:
            self._say(f"{self._folder}: {error}: training begins anew")
            return None
        if not whole:
            self._say(f"{path}: is damaged: training begins anew")
            return None
        try:
            state: dict[str, Any] = torch.load(path, weights_only=True, map_location="cpu")
            known = state.pop(_OF)
        except (pickle.UnpicklingError, RuntimeError, EOFError, KeyError, ValueError, TypeError, AttributeError):
            self._say(f"{path}: is no state of a training: training begins anew")
            return None
        if known != self._of:
            self._say(f"{path}: is of other samples or settings, or another torch: training begins anew")
            return None
        return state

    def write(self, state: Mapping[str, Any]) -> None:
        """Put the state in place of the last one, whole or not at all.

        Raises:
            Fault: it cannot be written.
        """
        with keeping(self._folder):
            self._write(state)

    def _write(self, state: Mapping[str, Any]) -> None:
        import torch

        self._folder.mkdir(parents=True, exist_ok=True)
        waiting = self._folder / f"{os.getpid()}.new{_SUFFIX}"
        try:
            with waiting.open("wb") as file:
                torch.save({**state, _OF: self._of}, file)
            with waiting.open("rb") as file:
                named = hashlib.file_digest(file, "sha256").hexdigest()
            os.replace(waiting, self._folder / f"{named}{_SUFFIX}")
            waiting.write_text(named, "ascii")
            os.replace(waiting, self._folder / _LAST)
        finally:
            with contextlib.suppress(OSError):
                waiting.unlink(missing_ok=True)
        for path in self._folder.iterdir():
            if path.suffix == _SUFFIX and path.stem != named:
                path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Take the state away, once it is no longer needed."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _spelled(path: Path) -> bytes:
    return path.relative_to(_CODE).as_posix().encode()


def _version(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None
