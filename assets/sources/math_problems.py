"""MATH, a JSON file a problem or JSON lines -> rows of table `sample`."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from assets.schema.sample import Part, Sample
from assets.sources import jsonlines
from assets.sources.folders import File, check, files
from assets.sources.json_files import Unreadable, json_file
from assets.sources.jsonlines import EXCERPT, SourceError

REASONS = ("not_an_object", "no_problem", "no_solution", "unknown_type", "problem_too_long", "duplicate_id")
"""Why a record is no problem, beside the reasons of `folders`, `json_files` and `jsonlines` for a file or line."""

MOST_BYTES = 4 << 20
LONGEST = 100_000
"""Characters of the longest problem or solution; MATH's longest has some 7,000."""

TOPIC_OF_TYPE = {
    "Algebra": "algebra",
    "Intermediate Algebra": "algebra",
    "Prealgebra": "algebra",
    "Precalculus": "algebra",
    "Counting & Probability": "algebra",
    "Geometry": "geometry",
    "Number Theory": "theory",
}
"""M3CoT's topic of each type of MATH. Source: the categories of the released test items, by their topic column."""

SPLIT_NAMES = {"train": "train", "test": "test", "val": "validation", "validation": "validation", "dev": "validation"}


def samples(folder: Path, *, provenance: str) -> Iterator[Sample]:
    """Each problem of a folder of MATH as one row of table `sample`, in natural order of the files.

    Read are `<split>/<subject>/<N>.json` {problem, level, type, solution}, one row a file, and `.jsonl` or `.jsonl.gz`
    files {problem, solution, type or subject, unique_id}, one row a line; any other file, such as LICENSE, is not
    opened. A row has no options and no answer yet; its question keeps the figures' [asy] code and its rationale is the
    solution as it stands, box included. `level` and `answer` of a record are not kept. What cannot be read is a
    quarantined row. A `unique_id` such as test/algebra/12.json gives the same id as the file of that place.

    Raises:
        SourceError: there is no such folder, or no file of MATH in it that can be read.
    """
    check(folder, "math", "MATH", "its train and test")
    seen: set[str] = set()
    empty, readable, first = True, False, None
    for file in files(folder, (".json", ".jsonl", ".gz")):
        if file.refused is None and not file.file.lower().endswith((".json", ".jsonl", ".jsonl.gz")):
            continue
        empty = False
        for sample in _rows(file, provenance):
            if sample.dropped is None or sample.dropped in REASONS:
                readable = True
            elif first is None:
                first = f"{file.file}: {sample.dropped}"
            if sample.id in seen and sample.id is not None:
                excerpt = None if sample.question is None else sample.question[:EXCERPT]
                where = sample.quarantined or (file.file, None, excerpt)
                sample = _no_sample(sample, "duplicate_id", where)
            elif sample.id is not None:
                seen.add(sample.id)
            yield sample
    if empty:
        raise SourceError(f"{folder}: holds no .json and no .jsonl of MATH: name the folder that has train and test")
    if not readable:
        said = first or "its files are empty"
        raise SourceError(f"{folder}: holds no readable problem ({said}): put MATH's train and test there")


def _rows(file: File, provenance: str) -> Iterator[Sample]:
    place = PurePosixPath(file.file)
    name = place.name.lower()
    if file.refused is not None or not name.endswith(".json"):
        yield from _lines(file, place, provenance)
        return
    split = _split(place)
    source_id = place.with_suffix("").as_posix()
    blank = _blank(source_id, split, provenance)
    record = json_file(file.path, MOST_BYTES)
    if isinstance(record, Unreadable):
        yield _no_sample(blank, record.reason, (file.file, record.line, record.excerpt))
    else:
        yield _sample(blank, record, (file.file, None))


def _lines(file: File, place: PurePosixPath, provenance: str) -> Iterator[Sample]:
    blank = Sample(id=None, benchmark="m3cot", source="math", source_id=None, provenance=provenance)
    if file.refused is not None:
        yield _no_sample(blank, file.refused, (file.file, None, None))
        return
    stem = place.name.split(".")[0]
    by_name = SPLIT_NAMES.get(stem) or _split(place)
    try:
        lines = jsonlines.read(file.path, file.file)
        for number, record in lines:
            if isinstance(record, jsonlines.Unreadable):
                yield _no_sample(blank, record.reason, (file.file, number, record.excerpt))
                continue
            source_id, split = _unique(record, place, number), by_name
            split = SPLIT_NAMES.get(source_id.split("/")[0], by_name)
            yield _sample(_blank(source_id, split, provenance), record, (file.file, number))
    except SourceError as error:
        # the one file is lost, not the folder
        yield _no_sample(blank, "unreadable_file", (file.file, None, str(error)[:EXCERPT]))


def _split(place: PurePosixPath) -> str | None:
    return next((SPLIT_NAMES[part] for part in place.parts[:-1] if part in SPLIT_NAMES), None)


def _unique(record: dict[str, Any], place: PurePosixPath, number: int) -> str:
    unique = record.get("unique_id")
    if isinstance(unique, str) and 0 < len(unique.strip()) <= EXCERPT:
        return unique.strip().removesuffix(".json")
    stem = place.as_posix().removesuffix(".gz").removesuffix(".jsonl")
    return f"{stem}/{number}"


def _blank(source_id: str, split: str | None, provenance: str) -> Sample:
    return Sample(
        id=f"math-{source_id.replace('/', '-')}",
        benchmark="m3cot",
        source="math",
        source_id=source_id,
        provenance=provenance,
        domain="mathematics",
        subtopic="mathematics",
        split=split,
    )


def _sample(blank: Sample, record: Any, place: tuple[str, int | None]) -> Sample:
    if not isinstance(record, dict):
        return _no_sample(blank, "not_an_object", (*place, type(record).__name__))
    problem, solution = record.get("problem"), record.get("solution")
    kind = record.get("type") or record.get("subject")
    topic = TOPIC_OF_TYPE.get(kind) if isinstance(kind, str) else None
    reason = None
    if not isinstance(problem, str) or not problem.strip():
        reason = "no_problem"
    elif not isinstance(solution, str) or not solution.strip():
        reason = "no_solution"
    elif max(len(problem), len(solution)) > LONGEST:
        reason = "problem_too_long"
    elif topic is None:
        reason = "unknown_type"
    if reason is not None:
        told = problem if isinstance(problem, str) and problem.strip() else ", ".join(map(str, record))
        if reason == "unknown_type":
            told = f"type {kind!r}"
        return _no_sample(blank, reason, (*place, told[:EXCERPT]))
    return blank._replace(
        topic=topic,
        category=kind,
        question=problem,
        context="",
        rationale=(Part("text", solution, None),),
    )


def _no_sample(sample: Sample, reason: str, where: tuple[str, int | None, str | None]) -> Sample:
    return Sample(
        id=sample.id,
        benchmark=sample.benchmark,
        source=sample.source,
        source_id=sample.source_id,
        provenance=sample.provenance,
        split=sample.split,
        dropped=reason,
        quarantined=where,
    )
