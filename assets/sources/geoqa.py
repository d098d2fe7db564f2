"""GeoQA, GeoQA+ and UniGeo's calculations: pickles or JSON files -> rows of tables `sample` and `image`."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from assets.images import LIMITS, Picture, of_pixels, on_white, read_bytes
from assets.schema.sample import Sample, letter
from assets.sources import folders, json_files, plain_pickle, problems
from assets.sources.folders import File
from assets.sources.json_files import Unreadable
from assets.sources.jsonlines import EXCERPT, SourceError
from assets.sources.plain_pickle import Array, PickleRefused, Stretch

if TYPE_CHECKING:
    from PIL import Image

REASONS = tuple(
    dict.fromkeys(
        (
            *folders.REASONS,
            *json_files.REASONS,
            *plain_pickle.REASONS,
            "not_an_object",
            "no_id",
            "duplicate_id",
            "no_question",
            "no_choices",
            "too_many_choices",
            "no_answer",
            "answer_past_choices",
            "not_text",
            "lone_surrogate",
            "missing_picture",
            "unreadable_picture",
        )
    )
)
"""Why a file or a record of it is no sample; all are quarantined."""

FEWEST_CHOICES, MOST_CHOICES = 2, 6

_UPSTREAM = ("geoqa", "GeoQA+", "its train.pk, dev.pk and test.pk")
_PICKLE = re.compile(r"(?:\w+[_-])?(train|dev|val|valid|validation|test)\.(?:pk|pkl|pickle)")
_SPLIT = re.compile(r"(?:^|[_-])(train|dev|val|valid|validation|test)(?=$|[_-])")
_SPLIT_NAMES = {**problems.SPLIT_NAMES, "valid": "validation"}
_IDENTIFIER = re.compile(r"[^\s/\\\0]{1,100}")
_PLACES = ("", "image", "images", "img")
"""Folders, beside the file or above it, that may hold the pictures of the JSON form."""


class _Record(NamedTuple):
    """One record as it was met: its file, its number or line there, its value, how it is quoted."""

    file: str
    line: int | None
    value: Any
    excerpt: str | None = None


def pictures(folder: Path) -> Iterator[Picture]:
    """The pictures as rows of table `image`: those within the pickles, named `train.pk/12.png`, then picture files.

    A record's array of grey (h, w) or colour (h, w, 3 or 4) is a picture where all its values are 0 to 255; anything
    else that stands in its place is a row with the reason. A record without a picture, or without an id of its own,
    has no row here; `samples` has one for it.

    Raises:
        SourceError: there is no such folder, or it holds too much.
    """
    folders.check(folder, *_UPSTREAM)
    return chain(_embedded(folder), folders.pictures(folder))


def samples(
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    *,
    provenance: str,
) -> Iterator[Sample]:
    """Each record as one row of table `sample`, file by file in natural order, the unreadable ones included.

    Read are `<split>.pk` (also with a name before the split, as `calculation_train.pk`) and every `.json`: a list of
    records, or one record. A record is {id, subject, choices, label, answer, image}: subject is the question, the
    worked solution in `answer` the rationale, `label` the right choice from 0; where only `lable` is there (GeoQA+'s
    JSON form) it counts from 1. Other keys, such as `formal_point` or UniGeo's `English_problem`, are not looked at.
    `source_id` is the id with the split that its file's name gives before it: `train-12`.

    The picture is the record's array, or the file that `image` names or, without it, `<id>.png`; files are looked
    for beside the record's file and in image, images or img there or at the top. A pickle that is refused is one
    quarantined row that names what was met; records before that stay.

    Args:
        folder: the one that holds the files.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
        provenance: where the rows are from.

    Raises:
        SourceError: no such folder or file is there, or none holds a record that can be read.
    """
    folders.check(folder, *_UPSTREAM)
    seen: set[str] = set()
    readable, first, empty = False, None, True
    for file in _files(folder):
        empty = False
        for record in _records(file):
            if isinstance(record.value, Unreadable):
                first = first or f"{file.file}: {record.value.reason}"
            readable = readable or not isinstance(record.value, Unreadable)
            yield _sample(record, seen, ids, reasons, provenance)
    if empty:
        raise SourceError(f"{folder}: holds no train.pk, dev.pk, test.pk and no .json: put GeoQA+'s files into it")
    if not readable:
        raise SourceError(
            f"{folder}: holds no readable record ({first or 'its lists are empty'}): put GeoQA+'s train.pk there"
        )


def _files(folder: Path) -> list[File]:
    named = folders.files(folder, (".pk", ".pkl", ".pickle", ".json"))
    return [file for file in named if file.file.lower().endswith(".json") or _PICKLE.fullmatch(_name(file.file))]


def _name(file: str) -> str:
    return PurePosixPath(file).name.lower()


def _records(file: File) -> Iterator[_Record]:
    if file.refused is not None:
        yield _Record(file.file, None, Unreadable(file.refused, None, None))
    elif file.file.lower().endswith(".json"):
        yield from _of_json(file)
    else:
        number = 0
        try:
            for number, value in enumerate(plain_pickle.items(file.path), 1):
                yield _Record(file.file, number, value)
        except PickleRefused as refused:
            excerpt = f"{refused.what}, after {number} records"[:EXCERPT]
            yield _Record(file.file, None, Unreadable(refused.reason, None, excerpt))


def _of_json(file: File) -> Iterator[_Record]:
    try:
        with file.path.open("rb") as handle:
            several = handle.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
        if several:
            for entry in json_files.items(file.path):
                yield _Record(file.file, entry.line, entry.value, entry.excerpt)
        else:
            value = json_files.json_file(file.path)
            yield _Record(file.file, value.line if isinstance(value, Unreadable) else 1, value)
    except SourceError as error:
        # the one file is lost, not the folder
        yield _Record(file.file, None, Unreadable("unreadable_file", None, str(error)[:EXCERPT]))
    except OSError as error:
        yield _Record(file.file, None, Unreadable("unreadable_file", None, error.strerror))


def _sample(
    record: _Record, seen: set[str], ids: Mapping[str, str], reasons: Mapping[str, str], provenance: str
) -> Sample:
    value, split = record.value, _split(record.file)
    sample = Sample(None, "comt", "geoqa", None, provenance, split=None if split is None else _SPLIT_NAMES[split])
    if isinstance(value, Unreadable):
        return sample._replace(dropped=value.reason, quarantined=(record.file, value.line, value.excerpt))
    excerpt = record.excerpt if type(value) is not dict else _excerpt(value) or record.excerpt

    def aside(reason: str, told: str | None = None) -> Sample:
        told = (told or excerpt or "")[:EXCERPT].encode("utf-8", "replace").decode()
        return sample._replace(dropped=reason, quarantined=(record.file, record.line, told))

    if type(value) is not dict:
        return aside("not_an_object", type(value).__name__)
    source_id = _source_id(value, split)
    if source_id is None:
        return aside("no_id")
    if source_id in seen:
        return aside("duplicate_id", f"{source_id}: {excerpt}")
    seen.add(source_id)
    sample = sample._replace(id=f"geoqa-{source_id}", source_id=source_id)
    right, wrong = _right(value)
    wrong = _fault(value) or wrong
    if wrong is not None or right is None:
        return aside(wrong or "no_answer")
    sample = sample._replace(
        question=value["subject"],
        choices=tuple(value["choices"]),
        answer=letter(right),
        rationale=problems.rationale(value.get("answer")),
    )
    places = _places(record.file, value)
    for place in places:
        if place in ids:
            return sample._replace(images=(ids[place],))
    for place in places:
        if place in reasons:
            return aside("unreadable_picture", f"{place}: {reasons[place]}")
    return aside("missing_picture", places[0] if places else None)


def _fault(record: dict[str, Any]) -> str | None:
    """Why a record is no question with choices."""
    question, choices, solution = record.get("subject"), record.get("choices"), record.get("answer")
    if type(question) is not str or not question.strip():
        return "no_question"
    if not isinstance(choices, list | tuple) or len(choices) < FEWEST_CHOICES:
        return "no_choices"
    if len(choices) > MOST_CHOICES:
        return "too_many_choices"
    texts = (question, *choices, "" if solution is None else solution)
    if any(type(text) is not str for text in texts):
        return "not_text"
    return "lone_surrogate" if any(_broken(text) for text in texts) else None


def _right(record: dict[str, Any]) -> tuple[int | None, str | None]:
    """The place of the right choice, from 0, or what is wrong with it."""
    label, base = (record.get("label"), 0) if record.get("label") is not None else (record.get("lable"), 1)
    if type(label) is not int:
        return None, "no_answer"
    choices = record.get("choices")
    count = len(choices) if isinstance(choices, list | tuple) else 0
    return (label - base, None) if 0 <= label - base < count else (None, "answer_past_choices")


def _split(file: str) -> str | None:
    """The split as the file's name has it, or the folder's."""
    parts = PurePosixPath(file.lower())
    found = (_SPLIT.search(part) for part in (parts.stem, *reversed(parts.parts[:-1])))
    return next((split[1] for split in found if split), None)


def _source_id(record: dict[str, Any], split: str | None) -> str | None:
    given = record.get("id")
    text = str(given) if type(given) is int else given.strip() if type(given) is str else ""
    if not _IDENTIFIER.fullmatch(text) or text in (".", "..") or _broken(text):
        return None
    return text if split is None else f"{split}-{text}"


def _within(file: str, source_id: str, split: str | None) -> str:
    """What the picture within a pickle is called."""
    return f"{file}/{source_id if split is None else source_id.removeprefix(f'{split}-')}.png"


def _places(file: str, record: dict[str, Any]) -> list[str]:
    """Where the picture of a record may be, by table `image`'s `file`."""
    given, split = record.get("image"), _split(file)
    source_id = _source_id(record, split)
    if given is not None and type(given) is not str:
        return [_within(file, source_id, split)] if source_id and not file.lower().endswith(".json") else []
    name = given or f"{record.get('id')}.png"
    beside = [*PurePosixPath(file).parts[:-1]]
    tried = [
        folders.place(*above, *([within] if within else []), name)
        for within in _PLACES
        for above in (beside, beside[:-1], [])
    ]
    return list(dict.fromkeys(place for place in tried if place is not None))


def _embedded(folder: Path) -> Iterator[Picture]:
    seen: set[str] = set()
    for file in _files(folder):
        if file.refused is not None or file.file.lower().endswith(".json"):
            continue
        split = _split(file.file)
        for record in _records(file):
            if type(record.value) is not dict:
                continue
            source_id, given = _source_id(record.value, split), record.value.get("image")
            if source_id is None or source_id in seen:
                continue
            seen.add(source_id)
            if given is not None and type(given) is not str:
                yield _picture(given, _within(file.file, source_id, split))


def _picture(given: Any, name: str) -> Picture:
    try:
        if isinstance(given, Stretch):
            given = given.read()
        if isinstance(given, bytes):
            return read_bytes(given, name)
        if not isinstance(given, Array):
            return _no_picture(name, "not_a_picture", type(given).__name__)
        height, width = given.shape[:2] if len(given.shape) > 1 else (0, 0)
        if len(given.shape) not in (2, 3) or not height or not width or given.shape[2:] not in ((), (1,), (3,), (4,)):
            return _no_picture(name, "not_a_picture", f"an array of {given.shape}")
        if height * width > LIMITS.most_pixels or max(height, width) > LIMITS.longest_side:
            return _no_picture(name, "picture_bomb", f"{width} x {height} pixels")
        image = _image(given)
    except PickleRefused as refused:
        return _no_picture(name, "unreadable_file", refused.what)
    return _no_picture(name, "unknown_depth", given.dtype) if image is None else of_pixels(image, name)


def _image(given: Array) -> "Image.Image | None":
    import numpy as np
    from PIL import Image

    pixels = given.pixels()
    if pixels.dtype.kind not in "iu" or pixels.min() < 0 or pixels.max() > 255:
        return None
    flat = np.ascontiguousarray(pixels.astype(np.uint8))
    return on_white(Image.fromarray(flat[:, :, 0] if flat.shape[2:] == (1,) else flat))


def _no_picture(name: str, reason: str, told: str) -> Picture:
    return Picture(None, name, None, None, None, None, reason, (name, None, told[:EXCERPT]))


def _excerpt(record: dict[str, Any]) -> str:
    told = record.get("subject")
    return told if type(told) is str else ", ".join(map(str, islice(record, 20)))


def _broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
