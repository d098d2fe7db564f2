"""Geometry3K: a folder a problem -> rows of tables `sample` and `image`."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from assets.images import Picture, read
from assets.ordering import natural
from assets.schema.sample import LETTERS, Sample
from assets.sources import folders, json_files, problems
from assets.sources.folders import File
from assets.sources.json_files import Unreadable, json_file
from assets.sources.jsonlines import EXCERPT, SourceError

RECORD = "data.json"
DIAGRAM = "img_diagram.png"
LOGIC = "logic_form.json"
MOST_BYTES = 1 << 20

REASONS = tuple(
    dict.fromkeys(
        (
            *folders.REASONS,
            *json_files.REASONS,
            "not_an_object",
            "no_id",
            "duplicate_id",
            "no_question",
            "no_choices",
            "too_many_choices",
            "no_answer",
            "answer_past_choices",
            "not_text",
            "missing_picture",
            "unreadable_picture",
        )
    )
)
"""Why a problem's folder gives no sample; all are quarantined."""

FEWEST_CHOICES, MOST_CHOICES = 2, 6

_UPSTREAM = ("geometry3k", "Geometry3K", "a folder with a data.json for each problem")


def pictures(folder: Path) -> Iterator[Picture]:
    """The diagram of each problem, `<n>/img_diagram.png`, as one row of table `image`, in natural order.

    The other pictures (the same diagram with its points marked, the whole problem) are not read.

    Raises:
        SourceError: there is no such folder, or it holds too much.
    """
    folders.check(folder, *_UPSTREAM)
    return _diagrams(folder)


def samples(
    folder: Path,
    ids: Mapping[str, str],
    reasons: Mapping[str, str],
    *,
    provenance: str,
) -> Iterator[Sample]:
    r"""Each problem's folder as one row of table `sample`, in natural order, the unreadable ones included.

    A problem's folder has `data.json`. One that has other files of a problem (pictures, `logic_form.json`), or in which
    nothing lies, is a problem too, of which data.json is missing; so is a link to a folder, which is not followed.
    Not meant are folders within a problem's, those that hold the problems' folders, and hidden ones.

    `source_id` is the folder's name, without the folder of its split. The question is `compact_text`, and the choices
    `compact_choices`: of the three forms in which Geometry3K has a text, `problem_text` parts the letters of a name
    (`A B = 30`), and `annotat_text` has `$` within names and, at times, other words than the problem that was kept.
    Its commands (`\angle`, `\odot`, `\frac`) stay. Where there is no compact form the tokenised one is taken.
    The rationale is `detailed_solution`, none where that is blank.

    Args:
        folder: the one that holds the problems' folders, or those of the splits.
        ids: image ids by file, of those pictures that were read.
        reasons: why a picture was not read, by file.
        provenance: where the rows are from.

    Raises:
        SourceError: no such folder is there, or it holds no problem that can be read.
    """
    folders.check(folder, *_UPSTREAM)
    seen: set[str] = set()
    readable, first, empty = False, None, True
    for file in _problems(folder):
        empty = False
        record = Unreadable(file.refused, None, None) if file.refused else json_file(file.path, MOST_BYTES)
        if isinstance(record, Unreadable):
            first = first or f"{file.file}: {record.reason}"
        readable = readable or not isinstance(record, Unreadable)
        yield _sample(file.file, record, seen, ids, reasons, provenance)
    if empty:
        raise SourceError(f"{folder}: holds no {RECORD}: name the folder that holds Geometry3K's problems")
    if not readable:
        raise SourceError(f"{folder}: holds no readable problem ({first}): put Geometry3K's folders there")


def _named(folder: Path, suffix: str, name: str) -> list[File]:
    return [file for file in folders.files(folder, (suffix,)) if PurePosixPath(file.file).name == name]


def _problems(folder: Path) -> list[File]:
    """The data.json of each problem's folder, there or not; a link to a folder stands for itself."""
    found = folders.walked(folder, (".json", *folders.PICTURES))
    records: dict[str, File] = {}
    linked: list[File] = []
    lacking: dict[str, File] = {}
    for each in found.files:
        place, _, name = each.file.rpartition("/")
        if name == RECORD:
            records[place] = each
        elif each.path.is_dir():
            linked.append(each)
        elif place and (name == LOGIC or not name.endswith(".json")) and not folders.is_hidden(each.file):
            lacking[place] = File(each.path.parent / RECORD, f"{place}/{RECORD}")
    holding = {str(above) for place in records for above in PurePosixPath(place).parents}
    own = {**{place: file for place, file in lacking.items() if place not in holding}, **records}
    rest = [each if each.refused else File(each.path / RECORD, f"{each.file}/{RECORD}") for each in found.bare]
    alone = [each for each in (*own.values(), *linked, *rest) if not _is_part(each, own, records)]
    return sorted(alone, key=lambda each: natural(each.file))


def _is_part(file: File, own: Collection[str], records: Mapping[str, File]) -> bool:
    """Whether a folder lies in another problem's, and has no data.json of its own."""
    place = str(_place(file.file))
    return place not in records and folders.is_below(place, own)


def _place(file: str) -> PurePosixPath:
    path = PurePosixPath(file)
    return path.parent if path.name == RECORD else path


def _diagrams(folder: Path) -> Iterator[Picture]:
    for path, file, refused in _named(folder, ".png", DIAGRAM):
        if refused is None:
            yield read(path, file)
        else:
            yield Picture(None, file, None, None, None, None, refused, (file, None, None))


def _sample(
    file: str, record: Any, seen: set[str], ids: Mapping[str, str], reasons: Mapping[str, str], provenance: str
) -> Sample:
    place = _place(file)
    source_id = place.name or None
    sample = Sample(source_id and f"geometry3k-{source_id}", "comt", "geometry3k", source_id, provenance)

    def aside(reason: str, told: str | None) -> Sample:
        return sample._replace(dropped=reason, quarantined=(file, None, told and told[:EXCERPT]))

    if isinstance(record, Unreadable):
        return sample._replace(dropped=record.reason, quarantined=(file, record.line, record.excerpt))
    if type(record) is not dict:
        return aside("not_an_object", type(record).__name__)
    question = _first(record, "compact_text", "problem_text")
    told = question if type(question) is str else None
    if source_id is None or source_id in seen:
        sample = sample._replace(id=None, source_id=None)
        return aside("duplicate_id", f"{source_id}: {told}") if source_id else aside("no_id", told)
    seen.add(source_id)
    choices, answer = _first(record, "compact_choices", "choices"), record.get("answer")
    if wrong := _fault(question, choices, answer, record.get("detailed_solution")):
        return aside(wrong, told)
    named = record.get("data_type") or place.parent.name
    sample = sample._replace(
        question=question,
        choices=tuple(choices),
        answer=answer,
        rationale=problems.rationale(record.get("detailed_solution")),
        split=problems.SPLIT_NAMES.get(named) if isinstance(named, str) else None,
    )
    diagram = (place / DIAGRAM).as_posix()
    if diagram in ids:
        return sample._replace(images=(ids[diagram],))
    if diagram in reasons:
        return aside("unreadable_picture", f"{diagram}: {reasons[diagram]}")
    return aside("missing_picture", diagram)


def _first(record: dict[str, Any], *names: str) -> Any:
    """The first of the keys that says something."""
    return next((record[name] for name in names if record.get(name)), None)


def _fault(question: Any, choices: Any, answer: Any, solution: Any) -> str | None:
    """Why a record is no question with choices."""
    if question is None or (type(question) is str and not question.strip()):
        return "no_question"
    if type(choices) is not list or len(choices) < FEWEST_CHOICES:
        return "no_choices"
    if len(choices) > MOST_CHOICES:
        return "too_many_choices"
    if any(type(text) is not str for text in (question, *choices, "" if solution is None else solution)):
        return "not_text"
    if type(answer) is not str or len(answer) != 1 or answer not in LETTERS:
        return "no_answer"
    return None if LETTERS.index(answer) < len(choices) else "answer_past_choices"
