"""What every export shares: a folder that appears whole or not at all, what was written to it, and what was not."""

import contextlib
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from assets.images import Picture
from assets.schema.faults import Fault
from assets.schema.sample import Sample
from assets.sources.folders import place

Progress = Callable[[Iterable[Picture]], Iterable[Picture]]
Reason = Callable[[Sample], str | None]

SHOWN = 3
"""Ids that a sentence names."""


class ExportError(Fault):
    """The release cannot be written: the sentence names what is in the way."""


class PictureTable(Protocol):
    """What is asked of a table of pictures: `assets.images.Pictures`."""

    def ids(self) -> dict[str, str]:
        """Image id by file."""

    def files(self) -> Iterator[Picture]:
        """A row for every file, with its bytes."""

    def stream(self, ids: Collection[str] | None = None) -> Iterator[Picture]:
        """A row for every picture, or every one of these, with its PNG."""


class Written(NamedTuple):
    """What was written: records by split, picture files, and files that this form has no place for.

    notes: a sentence for all else that the form has no place for, or that a reader of it should know.
    """

    records: dict[str, int]
    pictures: int
    left_out: int = 0
    notes: tuple[str, ...] = ()


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` that takes its place when all went well, and is gone otherwise.

    Raises:
        ExportError: `folder` is a file or holds something, or cannot be written.
    """
    target = folder.resolve()
    if target.exists() and not target.is_dir():
        raise ExportError(f"{folder}: is a file: name a new folder")
    making: Path | None = None
    try:
        if target.exists() and any(target.iterdir()):
            raise ExportError(f"{folder}: holds something already: name a new folder, or empty that one")
        target.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        yield making
        making.chmod(0o755)
        os.rename(making, target)
    except OSError as error:
        raise ExportError(f"{folder}: cannot be written ({error.strerror or error}): name another folder") from None
    finally:
        if making is not None:
            shutil.rmtree(making, ignore_errors=True)


def content(picture: Picture) -> bytes:
    """The bytes of a picture's file."""
    return (picture.png if picture.original is None else picture.original) or b""


def safe(file: str) -> str:
    """The path of a picture within the release.

    Raises:
        ExportError: it would lead out of it.
    """
    if place(file) != file:
        raise ExportError(f"the picture {file!r} has no name that a file below images can have")
    return file


def stem(sample: Sample) -> str:
    """The sample's id as the name of a file.

    Raises:
        ExportError: no file can have that name.
    """
    name = sample.id or ""
    if "/" in name or place(name) != name or len(name.encode()) > 200:
        raise ExportError(f"{name!r}: is an id that no picture's file can have: give the sample another one")
    return name


def grouped(samples: Iterable[Sample], key: Callable[[Sample], str], always: Iterable[str]) -> dict[str, list[Sample]]:
    """The samples by file or split: the first always there, the others where they have any."""
    found: dict[str, list[Sample]] = {name: [] for name in always}
    for sample in samples:
        found.setdefault(key(sample), []).append(sample)
    first = next(iter(found))
    return {name: those for name, those in found.items() if those or name == first}


def carried(samples: Iterable[Sample], reason: Reason, form: str) -> tuple[list[Sample], list[str]]:
    """The samples that a form can carry, and a sentence for each reason why it cannot carry others.

    Args:
        samples: all.
        reason: why a sample cannot be carried, in words that follow its id; None when it can be.
        form: the form's name in the sentences.

    Raises:
        ExportError: none can be carried.
    """
    kept: list[Sample] = []
    refused: dict[str, list[str]] = {}
    for sample in samples:
        why = reason(sample)
        if why is None:
            kept.append(sample)
        else:
            refused.setdefault(why, []).append(sample.id or "")
    notes = [f"{len(ids):,} records left out, the form {form} cannot carry them: {why} ({named(ids)})"
             for why, ids in refused.items()]  # fmt: skip
    if not kept:
        why = ", ".join(refused) or "there is none"
        raise ExportError(f"the form {form} can carry no sample of these: {why}: choose another form")
    return kept, notes


def named(ids: Sequence[str]) -> str:
    """The first ids, and that there are more."""
    return ", ".join(ids[:SHOWN]) + (", …" if len(ids) > SHOWN else "")


def splits_of(samples: Iterable[Sample]) -> dict[str, int]:
    """How many samples each split has, in the order of the splits."""
    found = Counter(sample.split or "test" for sample in samples)
    order = [name for name in ("train", "validation", "test") if name in found]
    return {name: found[name] for name in (*order, *sorted(found.keys() - set(order)))}


def spooled(
    pictures: PictureTable, users: dict[str, list[str]], folder: Path, progress: Progress = iter
) -> dict[str, int]:
    """Writes pictures, one at a time, as `folder/<id>.png`; their lengths come out, by id.

    Rows come in the order of the samples and pictures in that of their table: files lie between.

    Args:
        pictures: the table.
        users: the pictures that are wanted, by id, with the samples that show them.
        folder: a new one.
        progress: wraps the pictures as they are written.

    Raises:
        ExportError: one is not in the table.
    """
    folder.mkdir(parents=True)
    sizes = {}
    for picture in progress(pictures.stream(users)):
        if picture.image_id in users and picture.png is not None:
            sizes[picture.image_id] = (folder / f"{picture.image_id}.png").write_bytes(picture.png)
    if missing := sorted(users.keys() - sizes.keys()):
        raise ExportError(
            f"{users[missing[0]][0]}: its picture {missing[0][:12]} is not in the table of pictures "
            f"({len(missing):,} of {len(users):,} are not): make the samples and their pictures again"
        )
    return sizes


def users(samples: Iterable[Sample], shown: Callable[[Sample], Iterable[str]]) -> dict[str, list[str]]:
    """The ids of the samples that show each picture, by its id."""
    found: dict[str, list[str]] = {}
    for sample in samples:
        for image_id in shown(sample):
            found.setdefault(image_id, []).append(sample.id or "")
    return found
