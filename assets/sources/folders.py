"""Folders of files from outside: what lies in them in natural order, and their picture files as pictures."""

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from assets.images import Picture, read
from assets.ordering import natural
from assets.sources.jsonlines import SourceError

REASONS = ("path_outside", "linked_folder", "not_a_file", "bad_name")
"""Why a file that lies in a folder is not opened."""

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")
"""Suffixes of picture files, in lower case; a file's own may be in either."""

MOST_FILES = 1_000_000
"""More files than this are no source of the benchmark; the largest, Sherlock's pictures, has 103,000."""

DEEPEST_FOLDER = 32
_FOREIGN = re.compile("[\udc80-\udcff]")


class File(NamedTuple):
    """One file of a folder: where it is, its place within the folder, and why it is not to be opened, if it is not."""

    path: Path
    file: str
    refused: str | None = None


class Walked(NamedTuple):
    """What lies below a folder, in natural order: files, and by themselves the places where a folder's files are not.

    bare: the folders in which nothing lies (`refused` is None or bad_name), hidden files apart, and links without a
        suffix that lead nowhere, as one to a folder that is gone (path_outside). Hidden folders are not among them.
    """

    files: list[File]
    bare: list[File]


def check(folder: Path, name: str, upstream: str, holds: str) -> None:
    """Raises with the way out where there is no such folder of an upstream.

    Args:
        folder: the one that the settings name.
        name: the upstream's name in the settings.
        upstream: its own name.
        holds: what the folder holds, in words.

    Raises:
        SourceError: there is no such folder, or it is a file.
    """
    if folder.is_dir():
        return
    if folder.exists():
        raise SourceError(
            f"{folder}: is a file, not a folder: name the folder that holds {holds} in sources.{name}.folder"
        )
    raise SourceError(
        f"{folder}: there is no such folder: set sources.{name}.folder in params.yaml to where {upstream} lies, "
        "or to null"
    )


def files(folder: Path, suffixes: Collection[str], *, below: str = "") -> list[File]:
    """The files below a folder that have one of the suffixes (lower case, `.png`), in natural order of their place.

    `file` has forward slashes and is relative to `folder`, also where only the part `below` of it is walked; where
    that part does not exist there are no files. A file that is not to be opened is listed with the reason in
    `refused`: path_outside (a link that leads out of the folder, or nowhere), linked_folder (never entered: it may
    lead in a circle), not_a_file (a pipe, a device), bad_name (bytes that are no UTF-8, shown escaped).

    Raises:
        SourceError: there is no such folder, it cannot be listed, or it holds too many files or levels.
    """
    return walked(folder, suffixes, below=below).files


def walked(folder: Path, suffixes: Collection[str], *, below: str = "") -> Walked:
    """The same files, and the folders in which nothing lies.

    Raises:
        SourceError: as `files` does.
    """
    if not folder.is_dir():
        wrong = "is a file, not a folder" if folder.exists() else "there is no such folder"
        raise SourceError(f"{folder}: {wrong}")
    top = folder.resolve()
    start = folder / below
    if below and ((start.is_symlink() and not start.exists()) or not _is_within(start, top)):
        return Walked([File(start, below, "path_outside")], [])
    if not start.is_dir():
        return Walked([], [])
    wanted = frozenset(suffixes)
    found: list[File] = []
    bare: list[File] = []
    listed = 0
    waiting = [(start, PurePosixPath(below), 0)]
    while waiting:
        path, at, depth = waiting.pop()
        if depth > DEEPEST_FOLDER:
            raise SourceError(f"{folder}: has folders more than {DEEPEST_FOLDER} levels deep: name the right folder")
        blank = True
        try:
            for one in os.scandir(path):
                listed += 1
                blank = blank and one.name[:1] == "."
                if listed > MOST_FILES:
                    raise SourceError(f"{folder}: holds more than {MOST_FILES} files: name the right folder")
                file = at / one.name
                if one.is_dir(follow_symlinks=False):
                    waiting.append((Path(one.path), file, depth + 1))
                elif file.suffix.lower() in wanted or (one.is_symlink() and Path(one.path).is_dir()):
                    found.append(_file(Path(one.path), str(file), top))
                elif one.is_symlink() and not file.suffix and not Path(one.path).exists():
                    bare.append(_file(Path(one.path), str(file), top))
        except OSError as error:
            raise SourceError(f"{path}: cannot be listed ({error.strerror or error})") from None
        if blank and depth:
            bare.append(_shown(path, str(at), None))
    return Walked(
        sorted(found, key=lambda each: natural(each.file)),
        sorted((each for each in bare if not is_hidden(each.file)), key=lambda each: natural(each.file)),
    )


def pictures(folder: Path, below: str = "", suffixes: Collection[str] = PICTURES) -> Iterator[Picture]:
    """Every picture file below a folder as one row of table `image`, in natural order; a file it cannot use included.

    Raises:
        SourceError: as `files` does.
    """
    for path, file, refused in files(folder, suffixes, below=below):
        if refused is None:
            yield read(path, file)
        else:
            yield Picture(None, file, None, None, None, None, refused, (file, None, None))


def is_hidden(file: str) -> bool:
    """Whether a file or folder, by its place, is none of a source's own: a dot begins a name, or macOS left it."""
    return any(part[:1] == "." or part == "__MACOSX" for part in file.split("/"))


def is_below(file: str, places: Collection[str]) -> bool:
    """Whether what has this place lies in one of these folders, however deep; the whole folder, `""`, is not asked."""
    return any(str(above) in places for above in PurePosixPath(file).parents if above.name)


def place(*parts: str) -> str | None:
    """The parts as one place within a folder, with forward slashes; None when it would not be within it."""
    joined = "/".join(parts).replace("\\", "/")
    if "\0" in joined or any(part in ("", ".", "..") for part in joined.split("/")):
        return None
    return joined


def main_file(folder: Path, file: str) -> Path:
    """The path of a file without which a source cannot be read.

    Raises:
        SourceError: it is not there, is no file, or is a link that leads out of the folder.
    """
    path = folder / file
    if not path.exists():
        raise SourceError(f"{path}: there is no such file: put the source's {file} into the folder")
    if not path.resolve().is_relative_to(folder.resolve()):
        raise SourceError(f"{path}: is a link that leads out of its folder: put the file itself there")
    if not path.is_file():
        raise SourceError(f"{path}: is not a file")
    return path


def _is_within(path: Path, top: Path) -> bool:
    try:
        return path.resolve().is_relative_to(top)
    except (OSError, RuntimeError):
        # RuntimeError: Python 3.11's word for a link that leads back to itself
        return False


def _file(path: Path, file: str, top: Path) -> File:
    refused = None
    if path.is_symlink() and not (path.exists() and _is_within(path, top)):
        refused = "path_outside"
    elif path.is_dir():
        refused = "linked_folder"
    elif not path.is_file():
        refused = "not_a_file"
    return _shown(path, file, refused)


def _shown(path: Path, file: str, refused: str | None) -> File:
    if _FOREIGN.search(file):
        return File(path, os.fsencode(file).decode("utf-8", "backslashreplace"), refused or "bad_name")
    return File(path, file, refused)
