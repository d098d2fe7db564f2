"""Puzzle pairs of a browser game: data.json and the pictures beside it -> rows of tables `pair` and `image`."""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from assets.images import Picture
from assets.ordering import natural
from assets.sources import folders, spot_diff
from assets.sources.json_files import Entry, Unreadable, items
from assets.sources.jsonlines import SourceError
from assets.sources.spot_diff import Pair, filled, set_aside

REASONS = tuple(dict.fromkeys((*spot_diff.REASONS, "not_an_object")))
"""Why a record goes no further; all are quarantined."""

MAIN = "data.json"

_UPSTREAM = ("game_pairs", "the puzzle pairs", f"their {MAIN}")
_SIDES = ("x", "y", "width", "height")
_MOST_BYTES = 64 << 20
_LONGEST_ID = 100


def pictures(folder: Path) -> Iterator[Picture]:
    """Every picture file beside a data.json, or below it, as one row of table `image`, in natural order.

    Raises:
        SourceError: there is no such folder, it holds too much, or no data.json is there.
    """
    for file in _files(folder):
        yield from folders.pictures(folder, _beside(file))


def pairs(folder: Path, ids: Mapping[str, str], reasons: Mapping[str, str], *, provenance: str) -> Iterator[Pair]:
    """Each record of data.json as one row of table `pair`, in the file's order; its level is the id.

    A record is {level, gameTitle, images {image1, image2}, differences [{x, y, width, height}]}. The paths that it
    gives are those of the game, so only their last part counts, and the file is looked for beside data.json. The
    title says nothing of the pictures' differences and is not read. `spot_diff.filled` says what becomes of pictures
    and boxes. Of two records of one level the second is quarantined.

    Args:
        folder: the one that holds data.json, or the one above it.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
        provenance: where the rows are from.

    Raises:
        SourceError: no such folder or file is there, it cannot be read, or holds no record that can.
    """
    seen: set[str] = set()
    readable, first = False, None
    for file in _files(folder):
        for entry in items(folders.main_file(folder, file), _MOST_BYTES):
            if not isinstance(entry.value, Unreadable):
                readable = True
            elif first is None:
                first = f"{file}: {entry.value.reason}"
            row = _pair(entry, file, provenance, folder, ids, reasons, seen)
            if row.id is not None:
                seen.add(row.id)
            yield row
    if not readable:
        said = first or "its list is empty"
        raise SourceError(f"{folder}: holds no readable pair ({said}): put the puzzle pairs' {MAIN} there")


def _files(folder: Path) -> list[str]:
    folders.check(folder, *_UPSTREAM)
    found = [each.file for each in folders.files(folder, (".json",)) if PurePosixPath(each.file).name == MAIN]
    if MAIN in found:
        return [MAIN]
    below = sorted((file for file in found if file.count("/") == 1), key=natural)
    if not below:
        raise SourceError(f"{folder}: holds no {MAIN}: put the puzzle pairs' {MAIN} there, its pictures beside it")
    return below


def _pair(
    entry: Entry,
    file: str,
    provenance: str,
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    seen: set[str],
) -> Pair:
    row = Pair(None, None, None, None, "game_pairs", provenance)
    record = entry.value
    if isinstance(record, Unreadable):
        return set_aside(row, record.reason, record.excerpt, file, record.line)
    if type(record) is not dict:
        return set_aside(row, "not_an_object", entry.excerpt, file, entry.line)
    row = row._replace(id=_identifier(record.get("level")))
    if row.id is None or row.id in seen:
        return set_aside(row, "no_id" if row.id is None else "duplicate_id", entry.excerpt, file, entry.line)
    named = record.get("images")
    files = []
    for key in ("image1", "image2"):
        given = named.get(key) if type(named) is dict else None
        if type(given) is not str or not given.strip():
            return set_aside(row, "missing_picture", f"images has no {key}: {entry.excerpt}", file, entry.line)
        place = _place(file, given)
        if place is None:
            return set_aside(row, "path_outside", given, file, entry.line)
        files.append([place])
    row = filled(row, record.get("differences"), _SIDES, files, folder, ids, reasons)
    return row if row.quarantined is None else row._replace(quarantined=(file, entry.line, row.quarantined[2]))


def _place(file: str, given: str) -> str | None:
    """Where the picture lies that the record in `file` names; None where its last part is no name of a file."""
    name = folders.place(given.replace("\\", "/").rpartition("/")[2])
    if name is None:
        return None
    return f"{_beside(file)}/{name}" if _beside(file) else name


def _beside(file: str) -> str:
    return file.rpartition("/")[0]


def _identifier(level: Any) -> str | None:
    if type(level) is int:
        return str(level)
    if type(level) is not str or not level.strip() or len(level) > _LONGEST_ID or not level.isprintable():
        return None
    # an identifier becomes part of the names of files
    return level if folders.place(level) == level and "/" not in level else None
