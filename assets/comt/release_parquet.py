"""CoMT's release as parquet that `datasets` opens with its pictures: a record a row, its pictures in the row."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assets.comt.pictures import ORIGINALS
from assets.comt.release import (
    SPLIT_OF,
    PictureTable,
    Progress,
    Written,
    card,
    content,
    grouped,
    new_folder,
    picture_files,
    record,
    safe,
)
from assets.schema.sample import Sample

ROWS = 64
"""Rows of a row group at most."""

GROUP_BYTES = 32 << 20
"""Bytes of pictures after which a row group is full."""

SHARD_BYTES = 500 << 20
"""Bytes of pictures after which a file is full, as the hub has it."""

_PICTURES = pa.list_(pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
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
    ("images", _PICTURES),
    ("originals", _PICTURES),
)


def _feature(kind: pa.DataType) -> dict[str, Any]:
    if kind == _PICTURES:
        return {"feature": {"_type": "Image"}, "_type": "Sequence"}
    text = {"dtype": "string", "_type": "Value"}
    return {"feature": text, "_type": "Sequence"} if pa.types.is_list(kind) else text


FEATURES = {"info": {"features": {name: _feature(kind) for name, kind in _FIELDS}}}
"""What `datasets` reads the types of the columns from. `Sequence` is what its versions before and since 4 know."""

SCHEMA = pa.schema(list(_FIELDS), metadata={"huggingface": json.dumps(FEATURES)})


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
    ids = pictures.ids()
    shown = picture_files(samples, ids)
    whole = _originals(samples, ids)
    with new_folder(folder) as making:
        # pictures come in the order of their table, rows in that of the samples: files lie between
        spool = making / "images"
        sizes: dict[str, int] = {}
        for picture in progress(pictures.files()):
            path = spool / safe(picture.file)
            path.parent.mkdir(parents=True, exist_ok=True)
            sizes[picture.file] = path.write_bytes(content(picture))
        (making / "data").mkdir()
        by_split = grouped(samples, lambda sample: sample.split or "test", SPLIT_OF.values())
        placed = set[str]()
        for split, those in by_split.items():
            files = [(*shown[sample.id or ""], *whole.get(sample.id or "", ())) for sample in those]
            weights = [sum(sizes[file] for file in each) for each in files]
            placed.update(file for each in files for file in each)
            shards = list(_filled(weights, SHARD_BYTES)) or [range(0)]
            for number, shard in enumerate(shards):
                name = f"{split}-{number:05d}-of-{len(shards):05d}.parquet"
                with pq.ParquetWriter(making / "data" / name, SCHEMA) as writer:
                    for group in _filled([weights[place] for place in shard], GROUP_BYTES, ROWS):
                        rows = [_row(those[shard[place]], shown, whole, spool) for place in group]
                        writer.write_table(pa.Table.from_pylist(rows, schema=SCHEMA))
                        del rows
                        pa.default_memory_pool().release_unused()
        shutil.rmtree(spool, ignore_errors=True)
        told = {split: len(those) for split, those in by_split.items()}
        text = _front(told) + card(samples, told, title, _FORM)
        (making / "README.md").write_text(text, encoding="utf-8", newline="\n")
    return Written(told, len(placed), len(sizes) - len(placed))


def _originals(samples: Sequence[Sample], ids: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
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


def _filled(weights: Sequence[int], most: int, longest: int | None = None) -> Iterator[range]:
    """Runs of places of at most `longest`, each closed as soon as it weighs `most`."""
    start = weight = 0
    for place, more in enumerate(weights):
        if place > start and (weight + more > most or place - start == longest):
            yield range(start, place)
            start, weight = place, 0
        weight += more
    if start < len(weights):
        yield range(start, len(weights))


def _row(
    sample: Sample, shown: Mapping[str, Sequence[str]], whole: Mapping[str, Sequence[str]], spool: Path
) -> dict[str, Any]:
    told = json.loads(sample.other) if sample.other else {}
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


def _front(records: Mapping[str, int]) -> str:
    """The head of the README by which the hub finds the files of each split."""
    files = "".join(f"  - split: {split}\n    path: data/{split}-*\n" for split in records)
    return f"---\nconfigs:\n- config_name: default\n  data_files:\n{files}---\n\n"


_FORM = (
    "`data/` holds a parquet file or more for each split; `images` of a row are its pictures by number, `originals` "
    "whole pictures that a selection is cut from, `annotations` and `other` JSON texts."
)
