"""M3CoT's release as parquet that `datasets` opens with its pictures: the columns of its data set on the hub."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from assets.exports import parquet
from assets.exports.card import card
from assets.exports.parquet import PICTURE, PICTURES
from assets.exports.written import PictureTable, Progress, Written, carried, new_folder, splits_of, spooled, users
from assets.m3cot.release import record, remarks, why_not
from assets.schema.sample import Sample

_TEXT = pa.string()
FIELDS: tuple[tuple[str, pa.DataType], ...] = (
    ("id", _TEXT),
    ("category", _TEXT),
    ("image_id", _TEXT),
    ("question", _TEXT),
    ("choices", pa.list_(_TEXT)),
    ("context", _TEXT),
    ("answer", _TEXT),
    ("rationale", _TEXT),
    ("split", _TEXT),
    ("image", PICTURE),
    ("domain", _TEXT),
    ("topic", _TEXT),
)
"""The columns of M3CoT's data set on the hub, in their order."""

OPTIONS = ("choice_images", PICTURES)
"""The pictures of the options, in their order: a column more where a sample has some."""


def write(
    samples: Sequence[Sample], pictures: PictureTable, folder: Path, progress: Progress = iter, *, title: str = "M3CoT"
) -> Written:
    """Write the release as data/<split>-00000-of-0000N.parquet and README.md; arguments as `release.write` has them.

    Memory holds one row group.

    Raises:
        ExportError: the folder is taken or cannot be written, a picture is not in the table, or no sample has a place
            in this form.
    """
    kept, notes = carried(samples, why_not, "parquet")
    with new_folder(folder) as making:
        columns, lengths, count = rows(kept, pictures, making, progress)
        records = splits_of(kept)
        notes += remarks(kept, options=True)
        text = parquet.head(title, records, columns, lengths) + card(kept, records, title, FORM, notes)
        (making / "README.md").write_text(text, encoding="utf-8", newline="\n")
    return Written(records, count, notes=tuple(notes))


def rows(
    samples: Sequence[Sample], pictures: PictureTable, making: Path, progress: Progress
) -> tuple[pa.Schema, dict[str, int], int]:
    """Writes making/data; the columns come out, the bytes of each split's files, and how many pictures rows hold."""
    shown = users(samples, _shown)
    spool = making / "images"
    sizes = spooled(pictures, shown, spool, progress)
    columns = parquet.schema((*FIELDS, OPTIONS) if any(sample.choice_images for sample in samples) else FIELDS)

    def row(sample: Sample) -> dict[str, Any]:
        seen = [_file(spool, image_id, f"{sample.id}.png") for image_id in sample.images or ()]
        options = [
            _file(spool, image_id, f"{sample.id}-{place}.png")
            for place, image_id in enumerate(sample.choice_images or ())
        ]
        return record(sample) | {"image": seen[0] if seen else None, "choice_images": options or None}

    (making / "data").mkdir()
    lengths = {}
    for split in splits_of(samples):
        those = [sample for sample in samples if (sample.split or "test") == split]
        weights = [sum(sizes[image_id] for image_id in _shown(sample)) for sample in those]
        lengths[split] = parquet.write_split(making / "data", split, those, weights, row, columns)
    shutil.rmtree(spool)
    return columns, lengths, sum(map(len, shown.values()))


def _shown(sample: Sample) -> tuple[str, ...]:
    return (*(sample.images or ()), *(sample.choice_images or ()))


def _file(spool: Path, image_id: str, path: str) -> dict[str, Any]:
    return {"bytes": (spool / f"{image_id}.png").read_bytes(), "path": path}


FORM = (
    "`data/` holds a parquet file or more for each split, with the columns of M3CoT's data set on the hub; `image` is "
    "the picture, `image_id` the SHA-256 of its pixels, `choice_images`, where it is there, the pictures of options."
)
