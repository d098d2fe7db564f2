"""CoMT's release as parquet that `datasets` opens with its pictures: a record a row, its pictures in the row."""

import json
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from assets.comt.pictures import ORIGINALS
from assets.comt.release import SPLIT_OF, all_there, more, picture_files, record
from assets.exports import parquet
from assets.exports.card import card
from assets.exports.parquet import GROUP_BYTES, PICTURES, ROWS, SHARD_BYTES
from assets.exports.pictures import content
from assets.exports.written import PictureTable, Progress, Written, grouped, new_folder, safe, within
from assets.images import Picture
from assets.schema.sample import Sample

_FIELDS: tuple[tuple[str, pa.DataType], ...] = (
    ("id", pa.string()),
    ("question", pa.string()),
    ("option", pa.list_(pa.string())),
    ("image", pa.list_(pa.string())),
    ("rationale", pa.string()),
    ("answer", pa.string()),
    ("type", pa.string()),
    ("annotations", pa.string()),
    ("other", pa.string()),
    ("images", PICTURES),
    ("originals", PICTURES),
)


SCHEMA = parquet.schema(_FIELDS)


def write(
    samples: Sequence[Sample], pictures: PictureTable, folder: Path, progress: Progress = iter, *, title: str = "CoMT"
) -> Written:
    """Write the release as data/<split>-00000-of-0000N.parquet and README.md; arguments as `release.write` has them.

    `images` are a record's pictures by number, `originals` the whole ones behind a selection, each {bytes, path}, the
    path below `images`. `annotations` and `other` (keys without a column) are JSON texts. A file that is none of a
    record's has no place in this form: `left_out` counts them. Memory holds one row group.

    Raises:
        ExportError: the folder is taken or cannot be written, or a picture of a sample is not among the files.
    """
    with new_folder(folder) as making:
        lengths, placed, left_out = rows(samples, pictures, making, progress)
        told = {split: len(those) for split, those in _by_split(samples).items()}
        text = parquet.head(title, told, SCHEMA, lengths) + card(samples, told, title, _FORM)
        (making / "README.md").write_text(text, encoding="utf-8", newline="\n")
    return Written(told, placed, left_out)


def rows(
    samples: Sequence[Sample], pictures: PictureTable, making: Path, progress: Progress
) -> tuple[dict[str, int], int, int]:
    """Writes making/data; the bytes of each split's files come out, how many pictures rows hold, and how many none."""
    ids = pictures.ids()
    shown = picture_files(samples, ids)
    whole = originals(samples, ids)
    # pictures come in the order of their table, rows in that of the samples: files lie between
    spool = making / "images"
    sizes: dict[str, int] = {}
    for picture in progress(pictures.files()):
        path = within(spool, safe(picture.file))
        path.parent.mkdir(parents=True, exist_ok=True)
        sizes[picture.file] = path.write_bytes(content(picture))
    all_there(shown, sizes)
    all_there(whole, sizes)
    (making / "data").mkdir()
    placed = set[str]()
    lengths: dict[str, int] = {}
    for split, those in _by_split(samples).items():
        files = [(*shown[sample.id or ""], *whole.get(sample.id or "", ())) for sample in those]
        placed.update(file for each in files for file in each)
        lengths[split] = parquet.write_split(
            making / "data",
            split,
            those,
            [sum(sizes[file] for file in each) for each in files],
            lambda sample: _row(sample, shown, whole, spool),
            SCHEMA,
            rows=ROWS,
            group_bytes=GROUP_BYTES,
            shard_bytes=SHARD_BYTES,
        )
    shutil.rmtree(spool, ignore_errors=True)
    return lengths, len(placed), len(sizes) - len(placed)


class OfSamples:
    """Of a table of pictures those files that belong to some samples: theirs, and the whole ones behind them."""

    def __init__(self, pictures: PictureTable, samples: Sequence[Sample]) -> None:
        """Take the table, and the samples."""
        ids = pictures.ids()
        of_records = (*picture_files(samples, ids).values(), *originals(samples, ids).values())
        wanted = {file for files in of_records for file in files}
        self._pictures = pictures
        self._ids = {file: image_id for file, image_id in ids.items() if file in wanted}

    def ids(self) -> dict[str, str]:
        """Image id by file."""
        return self._ids

    def files(self) -> Iterator[Picture]:
        """A row for every file, with its bytes."""
        return (picture for picture in self._pictures.files() if picture.file in self._ids)

    def stream(self, ids: Collection[str] | None = None) -> Iterator[Picture]:
        """A row for every picture, or every one of these, with its PNG."""
        return self._pictures.stream(ids)


def _by_split(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    return grouped(samples, lambda sample: sample.split or "test", SPLIT_OF.values())


def originals(samples: Sequence[Sample], ids: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The whole pictures of each selection: files named as its id, or this and -a or -b."""
    known = {sample.id or "" for sample in samples if sample.task == "selection"}
    found: dict[str, tuple[str, ...]] = {}
    for file in sorted(ids):
        if file.startswith(f"{ORIGINALS}/"):
            name = file.removeprefix(f"{ORIGINALS}/").rpartition(".")[0]
            owner = name if name in known else name[:-2] if name.endswith(("-a", "-b")) else ""
            if owner in known:
                found[owner] = (*found.get(owner, ()), file)
    return found


def _row(
    sample: Sample, shown: Mapping[str, Sequence[str]], whole: Mapping[str, Sequence[str]], spool: Path
) -> dict[str, Any]:
    told = more(sample)
    texts = {key: json.dumps(told.pop(key), ensure_ascii=False) for key in ("annotations",) if key in told}
    return {
        **record(sample._replace(other=None)),
        **texts,
        "other": json.dumps(told, ensure_ascii=False) if told else None,
        "images": [_file(spool, file) for file in shown[sample.id or ""]],
        "originals": [_file(spool, file) for file in whole.get(sample.id or "", ())],
    }


def _file(spool: Path, file: str) -> dict[str, Any]:
    return {"bytes": (spool / file).read_bytes(), "path": file}


_FORM = (
    "`data/` holds a parquet file or more for each split; `images` of a row are its pictures by number, `originals` "
    "whole pictures that a selection is cut from, `annotations` and `other` JSON texts. "
    "An identifier such as `[IMAGE0]` in a text stands for the picture that the key `image` gives that number."
)
