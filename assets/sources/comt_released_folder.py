"""The finished release of CoMT with its pictures, as a folder or as parquet -> rows of tables `sample` and `image`."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import orjson

from assets.comt.picture_files import PictureFiles, entries, names
from assets.comt.template import DOMAIN_OF, IDENTIFIER, OPTIONS, identifiers, parts
from assets.images import Picture, read
from assets.schema.sample import LETTERS, Sample
from assets.sources import comt_released_parquet as embedded
from assets.sources import folders, jsonlines, m3cot_released
from assets.sources.comt_released_parquet import ReleaseError
from assets.sources.json_files import DEEPEST
from assets.sources.jsonlines import EXCERPT, Record, Unreadable

REASONS = (
    "wrong_option_count",
    "answer_not_an_option",
    "no_question",
    "no_rationale",
    "bad_identifier",
    "identifier_without_picture",
    "picture_without_identifier",
    "no_picture_in_rationale",
    "question_with_picture",
    "question_without_picture",
    "unreadable_picture",
    "lone_surrogate",
    "not_a_number",
    "too_deep",
    "invalid_json",
    *embedded.REASONS,
)
"""Why a record is no sample of the release, beside the reasons of lines and items."""

RECORD = ("id", "question", "option", "image", "rationale", "answer", "type", "annotations")
"""The keys of a record in their order. Source: the README of CoMT's release."""

_FILES = {"data": "test", "dev": "validation"}
_ENDS = (".jsonl", ".jsonl.gz")


class _Home(NamedTuple):
    """One file of records: where it lies, what rows call it, the split of records that name none, its name's stem."""

    path: Path
    name: str
    split: str
    stem: str


def is_release(path: Path) -> bool:
    """Whether the path is a release with pictures (a folder or a parquet file), rather than a data.jsonl alone.

    Raises:
        ReleaseError: it is neither, nor JSON lines.
    """
    if path.is_dir() or path.suffix == ".parquet":
        return True
    if not path.name.endswith(_ENDS):
        raise ReleaseError(
            f"{path.name}: is no release of CoMT: name its data.jsonl, the folder of data.jsonl and images, or "
            "parquet files"
        )
    return False


def pictures(path: Path) -> Iterator[Picture]:
    """The pictures of the release as rows of table `image`, each with what its file can be written from again.

    Of a folder every file below `images`, those that no record names included; `file` is the path below `images`,
    in natural order. Of parquet, where a picture lies in its record, what `comt_released_parquet.pictures` gives.

    Raises:
        ReleaseError: nothing of it can be read.
        SourceError: the folder cannot be listed.
    """
    if _is_parquet(path):
        yield from embedded.pictures(path)
        return
    _homes(path)
    top = path / "images"
    if not top.resolve().is_relative_to(path.resolve()):
        raise ReleaseError(f"{path.name}: its images are a link that leads out of it: put the folder itself there")
    endings = {PurePosixPath(file).suffix.lower() for _, _, files in os.walk(top) for file in files}
    for found in folders.files(path, endings, below="images"):
        file = found.file.removeprefix("images/")
        refused = found.refused or ("bad_name" if "\\" in file else None)
        if refused is None:
            yield read(found.path, file, keep=True)
        else:
            shown = file.replace("\\", "%5C")
            yield Picture(None, shown, None, None, None, None, refused, (shown, None, None))


def samples(
    path: Path, ids: Mapping[str, str], reasons: Mapping[str, str], *, provenance: str = "released"
) -> Iterator[Sample]:
    """Each record of the release as one row of table `sample`, in its order, the unreadable ones included.

    `path` is a folder with data.jsonl, perhaps a dev.jsonl (validation), and the pictures in `images`; a folder with
    parquet files, in it or in `data` within; or one parquet file. A record's own split wins over its file's.
    A kept row holds to CoMT's template; `images` are its pictures by number, `image_names` their IMAGE-IDs as
    written. `other` is a JSON object of what no column says: `annotations` and every unknown key; a key that has a
    column whose value there is another one (an answer 0 that became A, options that are numbers); and `split`, as
    [stem of the file, value]. `assets.comt.release.record` makes the same record of it again.
    Reasons in `dropped`: `REASONS`, and those of `m3cot_released.samples`. Of an id the first good record stays.

    Args:
        path: the release.
        ids: image id by file of the pictures, as `pictures` names the files.
        reasons: why a file gave no picture, by file.
        provenance: which step made the rows.

    Raises:
        ReleaseError: nothing of it can be read.

    Source: the README of CoMT's release (record and folders); arXiv:2412.12932, C.1 (template).
    """
    files = PictureFiles((*ids, *reasons))
    seen: set[str] = set()
    for home, number, record in _records(path):
        row = _base(home, number, record, provenance)
        if row.dropped is not None or isinstance(record, Unreadable):
            yield row
            continue
        reason = "duplicate_id" if row.id in seen else _fault(row, record)
        shown = names(record.get("image")) or ()
        found = [files.file(row.task or "", name) for name in shown] if reason is None else []
        if None in found:
            reason = "missing_picture"
        elif any(file not in ids or embedded.aside(home.name, number, file or "") in reasons for file in found):
            reason = "unreadable_picture"
        if reason is not None:
            yield _set_aside(row, home, number, record, reason)
            continue
        seen.add(row.id or "")
        images = tuple(ids[file] for file in found if file is not None)
        made = row._replace(
            domain=DOMAIN_OF[row.task or ""],
            context=None,
            rationale=parts(record["rationale"], images),
            images=images,
            image_names=shown,
        )
        yield made._replace(other=_other(made, record, home))


def _is_parquet(path: Path) -> bool:
    if path.suffix == ".parquet" and not path.is_dir():
        return True
    lines = [stem for stem in _FILES for end in _ENDS if (path / f"{stem}{end}").exists()]
    rows = path.is_dir() and embedded.listed(path)
    if lines and rows:
        raise ReleaseError(f"{path.name}: holds parquet and JSON lines of the same records: leave one of them there")
    return bool(rows)


def _homes(path: Path) -> list[_Home]:
    """The files of records that lie in a folder, those of the test split first."""
    found = [
        _Home(folders.main_file(path, f"{stem}{end}"), f"{stem}{end}", split, stem)
        for stem, split in _FILES.items()
        for end in _ENDS
        if (path / f"{stem}{end}").exists()
    ]
    if "data" not in {home.stem for home in found}:
        raise ReleaseError(
            f"{path.name}: holds neither data.jsonl nor parquet files: point at the folder of CoMT's release"
        )
    if len(found) > len({home.stem for home in found}):
        raise ReleaseError(f"{path.name}: holds the same records as .jsonl and .jsonl.gz: leave one of them there")
    return found


def _records(path: Path) -> Iterator[tuple[_Home, int, Record | Unreadable]]:
    if not _is_parquet(path):
        for home in _homes(path):
            for number, record in jsonlines.read(home.path, home.name):
                yield home, number, record
        return
    for file in embedded.files(path):
        stem = next(stem for stem, split in _FILES.items() if (split == "validation") == (file.split == "validation"))
        home = _Home(file.path, file.name, file.split, stem)
        for number, row in embedded.rows(file):
            if isinstance(row, Unreadable):
                yield home, number, row
                continue
            yield _as_it_was(home, number, row)


def _as_it_was(home: _Home, number: int, row: Record) -> tuple[_Home, int, Record]:
    """A row of parquet whose `split` is [stem of the file, value], as exported ones are, as the record of that file."""
    own = row.get("split")
    if isinstance(own, list) and len(own) == 2 and own[0] in tuple(_FILES):
        return home._replace(stem=own[0]), number, row | {"split": own[1]}
    return home, number, row


def _base(home: _Home, number: int, record: Record | Unreadable, provenance: str) -> Sample:
    """The record as an item alone; quarantined where it is none, or where it could not be written again."""
    wrong = None if isinstance(record, Unreadable) else _unwritable(record)
    [row] = m3cot_released.samples(
        [(number, Unreadable(home.name, number, wrong, _excerpt(record)) if wrong else record)],
        file=home.name,
        benchmark="comt",
        source="comt_released",
        provenance=provenance,
        split=home.split,
    )
    return row


def _unwritable(record: Record) -> str | None:
    layer: list[Any] = [record]
    for _ in range(DEEPEST):
        inner = [part for each in layer for part in (each.values() if isinstance(each, dict) else each)]
        layer = [part for part in inner if isinstance(part, dict | list)]
    if layer:
        return "too_deep"
    try:
        json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        return "lone_surrogate"
    except ValueError:
        return "not_a_number"
    except TypeError:
        return "invalid_json"
    return None


def _fault(row: Sample, record: Record) -> str | None:
    """What of the template the record does not hold, `template.fault` in one word; None when it holds it all."""
    rationale = record.get("rationale")
    if row.task not in DOMAIN_OF:
        return "unknown_type"
    if len(row.choices or ()) != OPTIONS:
        return "wrong_option_count"
    if row.answer not in tuple(LETTERS[:OPTIONS]):
        return "answer_not_an_option"
    if row.question is None or not row.question.strip():
        return "no_question"
    if not isinstance(rationale, str) or not rationale.strip():
        return "no_rationale"
    shown = names(record.get("image"))
    if shown is None:
        return "bad_identifier"
    asked, told = identifiers(row.question), identifiers(rationale)
    if any(number >= len(shown) for number in (*asked, *told)):
        return "identifier_without_picture"
    if set(range(len(shown))).difference(asked, told):
        return "picture_without_identifier"
    if not told:
        return "no_picture_in_rationale"
    if not IDENTIFIER.sub("", rationale).strip():
        return "no_rationale"
    if (row.task == "creation") == bool(asked):
        return "question_with_picture" if asked else "question_without_picture"
    return None


def _other(row: Sample, record: Record, home: _Home) -> str | None:
    columns = {
        "id": row.id,
        "question": row.question,
        "option": list(row.choices or ()),
        "image": entries(row.image_names or ()),
        "rationale": record["rationale"],
        "answer": row.answer,
        "type": row.task,
    }
    told = {key: value for key, value in record.items() if key not in columns or columns[key] != value}
    if "split" in told:
        told["split"] = [home.stem, told["split"]]
    return json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":")) if told else None


def _set_aside(row: Sample, home: _Home, number: int, record: Record, reason: str) -> Sample:
    return Sample(
        id=row.id,
        benchmark=row.benchmark,
        source=row.source,
        source_id=row.source_id,
        provenance=row.provenance,
        split=row.split,
        dropped=reason,
        quarantined=(home.name, number, _excerpt(record)),
    )


def _excerpt(record: Record | Unreadable) -> str:
    try:
        return orjson.dumps(record).decode()[:EXCERPT]
    except orjson.JSONEncodeError:
        return ", ".join(map(str, record))[:EXCERPT].encode("utf-8", "replace").decode()
