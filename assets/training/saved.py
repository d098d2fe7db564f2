"""What a training has come to, in a folder: whole after each epoch, so that a run that was killed is gone on with."""

import hashlib
import os
import pickle
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_CODE = Path(__file__).parent
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
        """Put the state in place of the last one, whole or not at all."""
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
            waiting.unlink(missing_ok=True)
        for path in self._folder.iterdir():
            if path.suffix == _SUFFIX and path.stem != named:
                path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Take the state away, once it is no longer needed."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _spelled(path: Path) -> bytes:
    return path.relative_to(_CODE).as_posix().encode()
