"""M3CoT in the form of its release: a record a line of train, dev and test.jsonl, and a picture file each."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from assets.exports import pictures as checked
from assets.exports.card import card
from assets.exports.names import stem, stems
from assets.exports.written import (
    ExportError,
    PictureTable,
    Progress,
    Written,
    carried,
    named,
    new_folder,
    splits_of,
    users,
    within,
)
from assets.images import Picture
from assets.schema.sample import Sample

FILE_OF = {"train": "train", "validation": "dev", "test": "test"}
"""The name of a split's file, which its records have as their split too. Source: utils/data.py of M3CoT's code."""

FOLDER = "data/images"
"""Where records say that pictures lie: the release is unpacked as `data`. Source: README.md of M3CoT's code."""


def record(sample: Sample, split: str | None = None, image: str | None = None) -> dict[str, Any]:
    """The released record of a sample, its keys in the release's order.

    `image_id` is the picture's id here, the SHA-256 of its pixels: items that share a picture share it, as they do in
    the release, whose own ids the tables do not keep. What the sample lacks is null.

    Args:
        sample: with one picture at most.
        split: what its record calls its split; the sample's own name for it when None.
        image: where its picture lies.
    """
    shown = sample.images or ()
    return {
        "id": sample.id,
        "category": sample.category,
        "image_id": shown[0] if shown else None,
        "question": sample.question,
        "choices": list(sample.choices or ()),
        "context": sample.context,
        "answer": sample.answer,
        "rationale": None if sample.rationale is None else sample.text,
        "split": split or sample.split,
        "image": image,
        "domain": sample.domain,
        "topic": sample.topic,
    }


def why_not(sample: Sample) -> str | None:
    """Why the release has no place for a sample; None when it has."""
    if len(sample.images or ()) > 1:
        return "a record has one picture, and these have several"
    if any(part.kind != "text" for part in sample.rationale or ()):
        return "a rationale is a text, and these show pictures"
    return None


def write(
    samples: Sequence[Sample], pictures: PictureTable, folder: Path, progress: Progress = iter, *, title: str = "M3CoT"
) -> Written:
    """Write the release as a folder: train.jsonl, dev.jsonl, test.jsonl, images/<id>.png, README.md.

    A split without samples has no file. A sample without a picture is written, its `image` null.

    Args:
        samples: what was kept; the order of the lines.
        pictures: the table of their pictures.
        folder: a new one, or an empty one.
        progress: wraps the pictures as they are written.
        title: the heading of the README.

    Raises:
        ExportError: the folder is taken or cannot be written, a picture is not in the table or no PNG, an id can be no
            file's name or is another's, or no sample has a place in this form.
    """
    kept, notes = carried(samples, why_not, "released")
    shown = users(kept, lambda sample: sample.images or ())
    files = stems(kept)
    with new_folder(folder) as making:
        (making / "images").mkdir()
        written = _pictures(pictures, shown, files, making / "images", progress)
        records = splits_of(kept)
        for split in records:
            with within(making, f"{FILE_OF[split]}.jsonl").open("wb") as file:
                file.writelines(_lines(sample for sample in kept if (sample.split or "test") == split))
        notes += remarks(kept)
        (making / "README.md").write_text(card(kept, records, title, _FORM, notes), encoding="utf-8", newline="\n")
    return Written(records, written, notes=tuple(notes))


def remarks(samples: Sequence[Sample], *, options: bool = False) -> list[str]:
    """What a reader of the release should know of the samples, a sentence each.

    Args:
        samples: those that were written.
        options: whether the form has a place for the pictures of options.
    """
    told = []
    without = [sample.id or "" for sample in samples if not sample.images]
    if without:
        told.append(f"{len(without):,} records have no picture, their image is null ({named(without)})")
    drawn = [sample for sample in samples if sample.choice_images]
    if drawn and not options:
        count = sum(len(sample.choice_images or ()) for sample in drawn)
        which = named([sample.id or "" for sample in drawn])
        told.append(f"{count:,} pictures of options of {len(drawn):,} records have no place in this form ({which})")
    return told


def _lines(samples: Iterable[Sample]) -> Iterator[bytes]:
    for sample in samples:
        split = FILE_OF[sample.split or "test"]
        found = record(sample, split, f"{FOLDER}/{stem(sample)}.png" if sample.images else None)
        yield json.dumps(found, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _pictures(
    pictures: PictureTable, shown: dict[str, list[str]], files: dict[str, str], folder: Path, progress: Progress
) -> int:
    """Writes the picture of every sample under its id; how many files there are."""
    found: set[str] = set()
    count = 0
    wanted: Iterable[Picture] = pictures.stream(shown) if shown else ()
    for picture in progress(wanted):
        content = checked.png(picture)
        for user in shown.get(picture.image_id or "", ()):
            within(folder, f"{files[user]}.png").write_bytes(content)
            count += 1
        found.add(picture.image_id or "")
    if missing := sorted(shown.keys() - found):
        raise ExportError(
            f"{shown[missing[0]][0]}: its picture {missing[0][:12]} is not in the table of pictures: "
            "make the samples and their pictures again"
        )
    return count


_FORM = (
    "`train.jsonl`, `dev.jsonl` and `test.jsonl` hold a record a line, `images/` the picture of each by its id. Key "
    "`image` has the path as M3CoT's code reads it, from the folder in which this one is called `data`."
)
