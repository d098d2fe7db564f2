"""Which file of a release of CoMT each picture of a record is: `[IMAGE0:IMAGE-ID0]` -> a path below `images`."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from assets.comt.pictures import ORIGINALS
from assets.sources.folders import PICTURES, place

_ENTRY = re.compile(r"\[IMAGE(0|[1-9][0-9]{0,3}):(.+)\]", re.DOTALL)


def entries(names: Sequence[str]) -> list[str]:
    """The record's key `image`: by number, which picture each identifier of the texts stands for."""
    return [f"[IMAGE{number}:{name}]" for number, name in enumerate(names)]


def names(image: Any) -> tuple[str, ...] | None:
    """What the key `image` calls its pictures, by number; None where it is no list of `[IMAGEn:IMAGE-ID]`.

    The entries may stand in any order; numbers that are not 0, 1, 2 and so on, or come twice, give None. One text
    stands for a list of it, and nothing for an empty list.
    """
    given = [] if image is None else [image] if isinstance(image, str) else image
    if not isinstance(given, list):
        return None
    found: dict[int, str] = {}
    for entry in given:
        match = _ENTRY.fullmatch(entry) if isinstance(entry, str) else None
        if match is None or int(match[1]) in found:
            return None
        found[int(match[1])] = match[2]
    numbers = sorted(found)
    return tuple(found[number] for number in numbers) if numbers == list(range(len(numbers))) else None


class PictureFiles:
    """Finds the file that a record means by an IMAGE-ID, among the files of its release."""

    def __init__(self, files: Iterable[str]) -> None:
        """Take the paths below `images`, with forward slashes."""
        self._files = frozenset(files)
        self._by_stem: dict[tuple[str, str], list[str]] = {}
        for file in sorted(self._files):
            path = PurePosixPath(file)
            if not file.startswith(f"{ORIGINALS}/"):
                for name in dict.fromkeys((path.name, path.stem)):
                    self._by_stem.setdefault((path.parts[0], name), []).append(file)

    def file(self, task: str, name: str) -> str | None:
        """The path below `images` of the picture that a record of a task names, or None.

        It is `<task>/<name>`, or this with the suffix of a picture, or the only file there with the same name before
        its suffix. No name leads out of the task's folder.
        """
        within = place(task, name)
        if within is None or place(task) != task or "/" in task:
            return None
        if within in self._files:
            return within
        path = PurePosixPath(within)
        suffixed = [f"{within}{suffix}" for suffix in PICTURES if f"{within}{suffix}" in self._files]
        if suffixed:
            return suffixed[0] if len(suffixed) == 1 else None
        stems = (path.name, path.stem) if path.suffix.lower() in PICTURES else (path.name,)
        found = {file for stem in stems for file in self._by_stem.get((task, stem), ())}
        # of several nobody can tell which was meant
        return found.pop() if len(found) == 1 else None
