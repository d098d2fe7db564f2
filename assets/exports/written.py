"""What every export shares: what was written to its folder, and what was not."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from assets.exports import names
from assets.exports import pictures as checked
from assets.exports.folder import ExportError as ExportError
from assets.exports.folder import new_folder as new_folder
from assets.exports.folder import within as within
from assets.exports.names import named as named
from assets.images import Picture
from assets.schema.sample import Sample
from assets.sources.folders import place

Progress = Callable[[Iterable[Picture]], Iterable[Picture]]
Reason = Callable[[Sample], str | None]


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


def safe(file: str) -> str:
    """The path of a picture within the release.

    Raises:
        ExportError: it would lead out of it.
    """
    if place(file) != file:
        raise ExportError(f"the picture {file!r} has no name that a file below images can have")
    return file


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
        ExportError: none can be carried, two of those that can have the same id, or a split is none.
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
    names.check(kept)
    return kept, notes


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
        ExportError: one is not in the table, or is no PNG that decodes.
    """
    folder.mkdir(parents=True)
    sizes = {}
    for picture in progress(pictures.stream(users)):
        if picture.image_id in users and picture.png is not None:
            sizes[picture.image_id] = within(folder, f"{picture.image_id}.png").write_bytes(checked.png(picture))
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
