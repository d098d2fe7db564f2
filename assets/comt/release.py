"""CoMT in the form of its release: a record a line of data.jsonl, and its pictures as files."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assets.comt.picture_files import PictureFiles, entries
from assets.comt.template import written
from assets.exports import names
from assets.exports.card import card
from assets.exports.pictures import content
from assets.exports.written import ExportError, PictureTable, Progress, Written, grouped, new_folder, safe, within
from assets.schema.sample import Sample

__all__ = ["ExportError", "Written", "home", "lines", "picture_files", "record", "write"]

SPLIT_OF = {"data": "test", "dev": "validation"}
"""The file of records that a split is in. The dev set: arXiv:2412.12932, D.2."""


def record(sample: Sample) -> dict[str, Any]:
    """The released record of a sample, its keys in the release's order, unknown ones behind them.

    What the key `other` of the sample holds goes back where it was, so a record that was read comes out as it was.

    Source: the README of CoMT's release.
    """
    told = more(sample)
    if "split" in told:
        told["split"] = told["split"][1]
    found = {
        "id": sample.id,
        "question": sample.question,
        "option": list(sample.choices or ()),
        "image": entries(sample.image_names or ()),
        "rationale": written(sample.rationale or ()),
        "answer": sample.answer,
        "type": sample.task,
    }
    first = {"annotations": told["annotations"]} if "annotations" in told else {}
    return found | first | told


def lines(samples: Iterable[Sample]) -> Iterator[bytes]:
    """The samples as JSON lines, UTF-8."""
    for sample in samples:
        yield json.dumps(record(sample), ensure_ascii=False, allow_nan=False).encode() + b"\n"


def home(sample: Sample) -> str:
    """The file of records that the sample is in: data or dev. What was read goes where it was.

    Raises:
        ExportError: its `other` says neither.
    """
    told = more(sample).get("split")
    if told is not None:
        return str(told[0])
    return next((stem for stem, split in SPLIT_OF.items() if split == sample.split), "data")


def more(sample: Sample) -> dict[str, Any]:
    """What the sample's `other` says: the keys of its record that have no column; `split` is [file, value].

    Raises:
        ExportError: it is no JSON object, or `split` names no file of a release.
    """
    try:
        told = json.loads(sample.other) if sample.other else {}
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise ExportError(f"{sample.id}: its `other` is no JSON object: make the samples again")
    split = told.get("split", ["data", None])
    if not (isinstance(split, list) and len(split) == 2 and isinstance(split[0], str) and split[0] in SPLIT_OF):
        raise ExportError(
            f"{sample.id}: its `other` has a split {json.dumps(split)} that names neither {' nor '.join(SPLIT_OF)} as "
            "the file of its record: make the samples again"
        )
    return told


def write(
    samples: Sequence[Sample], pictures: PictureTable, folder: Path, progress: Progress = iter, *, title: str = "CoMT"
) -> Written:
    """Write the release as a folder: data.jsonl, dev.jsonl where there is a dev set, images/<type>/…, README.md.

    Every file of the table of pictures is written at `images/<file>`, byte for byte where the table has its original;
    those of selection's whole pictures are below `images/selection/original`. The folder appears whole or not at all.

    Args:
        samples: what was kept; the order of the lines.
        pictures: the table of their pictures, a row a file.
        folder: a new one, or an empty one.
        progress: wraps the pictures as they are written.
        title: the heading of the README.

    Raises:
        ExportError: the folder is taken or cannot be written, a picture of a sample is not among the files or cannot
            be opened, or two samples have the same id.
    """
    shown = picture_files(samples, pictures.ids())
    by_home = grouped(samples, home, SPLIT_OF)
    with new_folder(folder) as making:
        there = set[str]()
        for picture in progress(pictures.files()):
            path = within(making, f"images/{safe(picture.file)}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content(picture))
            there.add(picture.file)
        all_there(shown, there)
        for stem, those in by_home.items():
            with within(making, f"{stem}.jsonl").open("wb") as file:
                file.writelines(lines(those))
        told = {SPLIT_OF[stem]: len(those) for stem, those in by_home.items()}
        (making / "README.md").write_text(card(samples, told, title, _FORM), encoding="utf-8", newline="\n")
    return Written(told, len(there))


def all_there(shown: Mapping[str, Iterable[str]], there: Collection[str]) -> None:
    """Raises where a file of a sample's pictures came without its bytes.

    Raises:
        ExportError: the table of pictures names it, and has no picture for it.
    """
    for sample_id, files in shown.items():
        if missing := [file for file in files if file not in there]:
            raise ExportError(
                f"{sample_id}: its picture {missing[0]} has no bytes in the table of pictures: "
                "make the samples and their pictures again"
            )


def picture_files(samples: Iterable[Sample], ids: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """The files of each sample's pictures, by the sample's id, in the order of their numbers.

    Raises:
        ExportError: a picture has no file, or its file holds another picture, or two samples have the same id.
    """
    samples = list(samples)
    names.check(samples)
    finder = PictureFiles(ids)
    found: dict[str, tuple[str, ...]] = {}
    for sample in samples:
        files = []
        for number, (name, image_id) in enumerate(
            zip(sample.image_names or (), sample.images or (), strict=True),
        ):
            file = finder.file(sample.task or "", name)
            if file is None or ids[file] != image_id:
                what = "no file" if file is None else f"another picture in {file}"
                raise ExportError(
                    f"{sample.id}: its picture {number} ({name}) has {what}: make the samples and their pictures again"
                )
            files.append(file)
        if not files:
            raise ExportError(f"{sample.id}: has no picture: a release of CoMT has one in each record")
        found[sample.id or ""] = tuple(files)
    return found


_FORM = (
    "`data.jsonl` holds the test records, `dev.jsonl` the development set where there is one, "
    "`images/<type>/` the pictures, `images/selection/original/` whole pictures that selections are cut from. "
    "An identifier such as `[IMAGE0]` in a text stands for the picture that the key `image` gives that number."
)
