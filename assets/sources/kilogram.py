"""KILOGRAM -> rows of table `tangram`: every drawing with its pieces and what people wrote about it."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from assets.ordering import natural
from assets.schema.faults import Fault
from assets.sources import folders, svg

REASONS = (
    *svg.REASONS,
    "wrong_suffix",
    "unreadable_name",
    "unreadable_file",
    "outside_folder",
    "missing_drawing",
    "bad_description",
)
"""Why a row is no tangram, or holds a description that cannot be used."""

DRAWINGS = "tangrams-svg"
ANNOTATIONS = ("full.json", "dense.json", "dense10.json")
"""The files of annotations that KILOGRAM has, the one with the most first. Source: its dataset folder."""

MOST_BYTES = 512 << 20
LONGEST_TEXT = 2_000
EXCERPT = 200
_SOURCE = "kilogram"


class KilogramError(Fault):
    """A folder or a file of KILOGRAM of which nothing can be read."""


class PartLabel(NamedTuple):
    """What an annotator called the part that a piece belongs to; of superseded labels only the last is here."""

    piece: str
    text: str


class Group(NamedTuple):
    """Pieces that an annotator labelled together; `final` is false for a label that was given again later."""

    pieces: tuple[int, ...]
    text: str
    final: bool


class Description(NamedTuple):
    """What one annotator wrote about a tangram: as a whole, by piece in order, and by group in order of writing.

    A piece can be in two final groups (4 descriptions of the slice): the later one counts, as in `parts`.
    """

    annotator: str
    whole: str
    parts: tuple[PartLabel, ...]
    groups: tuple[Group, ...]


class Tangram(NamedTuple):
    """Table `tangram`, column by column.

    quarantined: (file, None, excerpt) for what could not be read, else None; then `dropped` is why.
    """

    id: str | None
    width: float | None
    height: float | None
    pieces: tuple[svg.Piece, ...] | None
    descriptions: tuple[Description, ...] | None
    source: str
    provenance: str
    dropped: str | None = None
    quarantined: tuple[str, int | None, str | None] | None = None


def annotations(folder: Path) -> Path | None:
    """The file that the descriptions are read from: full.json, else dense.json, else dense10.json, else none."""
    return next((folder / name for name in ANNOTATIONS if (folder / name).is_file()), None)


def tangrams(folder: Path, *, provenance: str) -> Iterator[Tangram]:
    """One row for each file in `tangrams-svg`, in the natural order of their names, with its descriptions.

    A tangram that nobody described has none and is kept. After a tangram comes a quarantined row for each of its
    descriptions that cannot be used (`bad_description`; the others stay with it), and at the end one for each
    annotated tangram without a drawing (`missing_drawing`). What was written about a drawing that is refused goes
    with it. Hidden files are passed over.

    Raises:
        SourceError: there is no such folder.
        KilogramError: there is no drawing, or the file of annotations is no JSON object.

    Source: lil-lab/kilogram, dataset/README.
    """
    folders.check(folder, "kilogram", "KILOGRAM", f"its {DRAWINGS}")
    drawings = folder / DRAWINGS
    if not drawings.is_dir():
        raise KilogramError(f"{folder}: holds no folder {DRAWINGS}: point at KILOGRAM's `dataset`, which has it")
    file = annotations(folder)
    entries = {} if file is None else _entries(file)
    named = "" if file is None else file.name
    drawn: set[str] = set()
    for path in sorted(
        (path for path in drawings.iterdir() if path.name[:1] != "."), key=lambda path: natural(path.name)
    ):
        if path.suffix == ".svg":
            drawn.add(path.stem)
        row = _drawing(path, provenance)
        if row.dropped is not None or row.id not in entries:
            yield row
            continue
        told, bad = _descriptions(entries[row.id])
        yield row._replace(descriptions=told)
        for excerpt in bad:
            yield _set_aside(row.id, "bad_description", (named, None, excerpt), provenance)
    if not drawn:
        raise KilogramError(f"{folder}: holds no drawing in {DRAWINGS}: put KILOGRAM's .svg files there")
    for each in sorted(set(entries) - drawn, key=natural):
        where = (named, None, _excerpt(entries[each]))
        yield _set_aside(each if _is_clean(each) else None, "missing_drawing", where, provenance)


def _drawing(path: Path, provenance: str) -> Tangram:
    file = f"{DRAWINGS}/{_shown(path.name)}"
    if not _is_clean(path.name):
        return _set_aside(None, "unreadable_name", (file, None, None), provenance)
    if path.suffix != ".svg":
        return _set_aside(path.stem, "wrong_suffix", (file, None, None), provenance)
    try:
        inside = path.resolve().is_relative_to(path.parent.resolve())
        if not inside or not path.is_file():
            reason = "unreadable_file" if inside else "outside_folder"
            return _set_aside(path.stem, reason, (file, None, None), provenance)
        with path.open("rb") as opened:
            data = opened.read(svg.MOST_BYTES + 1)
    except (OSError, RuntimeError) as error:
        # RuntimeError: Python 3.11's word for a link that leads back to itself
        return _set_aside(path.stem, "unreadable_file", (file, None, str(type(error).__name__)), provenance)
    try:
        width, height, pieces = svg.tangram(data)
    except svg.Refused as refused:
        excerpt = refused.what or data[:EXCERPT].decode("utf-8", "backslashreplace")
        return _set_aside(path.stem, refused.reason, (file, None, _shown(excerpt)[:EXCERPT]), provenance)
    return Tangram(path.stem, width, height, pieces, (), _SOURCE, provenance)


def _set_aside(
    tangram_id: str | None, reason: str, where: tuple[str, int | None, str | None], provenance: str
) -> Tangram:
    return Tangram(tangram_id, None, None, None, None, _SOURCE, provenance, reason, where)


class _Doubled(dict[str, Any]):
    """An object of which a key stands twice: which value was meant, nobody can tell."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Doubled(found)


def _entries(file: Path) -> dict[str, Any]:
    """What the file holds by tangram."""
    if file.stat().st_size > MOST_BYTES:
        raise KilogramError(f"{file}: is longer than {MOST_BYTES >> 20} MiB, which no file of KILOGRAM is")
    try:
        # NaN stands in scores of tangrams with a single annotation, and nothing here reads the scores
        entries = json.loads(file.read_bytes(), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise KilogramError(f"{file}: is no JSON ({error}): get it again") from None
    except OSError as error:
        raise KilogramError(f"{file}: cannot be read ({error.strerror or error})") from None
    if type(entries) is not dict:
        what = "names a tangram twice" if isinstance(entries, _Doubled) else "is no JSON object of tangrams by id"
        raise KilogramError(f"{file}: {what}: get it again")
    return entries


def _descriptions(entry: Any) -> tuple[tuple[Description, ...], list[str]]:
    """The descriptions of one tangram, and how those begin that cannot be used."""
    told = entry.get("annotations") if type(entry) is dict else None
    if not isinstance(told, list):
        return (), [_excerpt(entry)]
    read = [(_description(record), record) for record in told]
    good = tuple(description for description, _ in read if description is not None)
    return good, [_excerpt(record) for description, record in read if description is None]


def _description(record: Any) -> Description | None:
    """The description that a record holds; None when anything in it is not as KILOGRAM has it."""
    if type(record) is not dict:
        return None
    worker, whole, part, metadata = (record.get(key) for key in ("workerId", "whole", "part", "metadata"))
    if not _is_text(worker) or type(whole) is not dict or type(part) is not dict or type(metadata) is not dict:
        return None
    said = whole.get("wholeAnnotation")
    indices = list(metadata)
    numbered = all(re.fullmatch(r"(0|[1-9][0-9]{0,5})", index) for index in indices)
    if not _is_text(said) or not numbered or not set(part) <= set(svg.PIECES) or not _are_texts(part.values()):
        return None
    groups = [_group(metadata[index]) for index in sorted(indices, key=int)]
    good = tuple(group for group in groups if group is not None)
    if len(good) < len(groups):
        return None
    return Description(worker, said, tuple(PartLabel(piece, part[piece]) for piece in sorted(part)), good)


def _group(record: Any) -> Group | None:
    if type(record) is not dict:
        return None
    pieces, said, final = (record.get(key) for key in ("pieces", "annotation", "final"))
    if type(pieces) is not list or type(final) is not bool or not _is_text(said):
        return None
    if not all(type(piece) is int and str(piece) in svg.PIECES for piece in pieces):
        return None
    return Group(tuple(pieces), said, final) if len(set(pieces)) == len(pieces) > 0 else None


def _are_texts(values: Iterable[Any]) -> bool:
    return all(_is_text(value) for value in values)


def _is_text(value: Any) -> TypeGuard[str]:
    return type(value) is str and len(value) <= LONGEST_TEXT and _is_clean(value)


def _is_clean(text: str) -> bool:
    """Whether the text can be stored: a lone surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _excerpt(record: Any) -> str:
    try:
        return json.dumps(record)[:EXCERPT]
    except RecursionError:
        return type(record).__name__
