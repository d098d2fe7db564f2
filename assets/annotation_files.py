"""Judgements to and from files of other tools: JSON lines, CSV and Label Studio, each read back as it was written."""

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from assets.annotation import (
    FIELDS,
    REASONS,
    UNTABLED,
    AnnotationError,
    Judgement,
    excerpt,
    of_record,
    read,
    superseded,
    to_record,
)

IMPORT_REASONS = (
    "wrong_cells",
    "broken_csv",
    "not_a_task",
    "unknown_control",
    "not_an_annotation",
    "cancelled",
    "not_judged",
)
"""Why a row or task of a file is no judgement, beside the reasons of a line; `not_judged` is not quarantined."""

ALL_REASONS = (*REASONS, *IMPORT_REASONS)

LARGEST_FILE = 256 << 20
"""A longer CSV or Label Studio file is not read: people do not write that much."""

_REQUIRED = FIELDS[:5]
_LISTS = ("visual_steps", "edits")
_CONTROLS = {
    "annotator": ("textarea", "text"),
    "verdict": ("choices", "choices"),
    "visual_steps": ("textarea", "text"),
    "edits": ("textarea", "text"),
    "note": ("textarea", "text"),
}
"""Control tags of a Label Studio result by `from_name`: their type, and the key of what was entered."""

_SHOWN = "question"
"""The object tag (`to_name`) that the controls belong to."""


def imported(path: Path, form: str, name: str | None = None) -> list[Judgement]:
    """The judgements of a file in `form` (jsonl, csv or label_studio), superseded ones dropped.

    Args:
        path: the file.
        form: how it is written.
        name: what to call the file in what comes out; its own name when left out.

    Raises:
        AnnotationError: the form is none of these, the file cannot be read or is no such file as a whole.
        SourceError: the same of JSON lines.
    """
    named = path.name if name is None else name
    if form == "jsonl":
        return list(read([(path, named)]))
    reader = _form(form, {"csv": _of_csv, "label_studio": _of_label_studio})
    return list(superseded(list(reader(_text(path, named), named))))


def exported(judgements: Iterable[Judgement], form: str, texts: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """The judgements as the text of a file in `form`, which `imported` reads back as the same judgements.

    The superseded are written too, since the order of lines says what counts; rows that were no judgement are not
    (they stand in the file that they came from). Only `source` is not written: it is the name of the new file.

    csv: as RFC 4180, in UTF-8; lists as JSON in their cell, an empty cell for none. `None`, `NA` and `null` are
    text. A note that is empty, or that both begins and ends with a double quote, is written as a JSON string. Cells
    that begin with `=`, `+`, `-` or `@` are not changed, for nothing may be lost: import such a file into a
    spreadsheet as text.
    label_studio: a task a (sample, stage, round), an annotation a judgement, in their order; controls by
    `from_name`: annotator, verdict, visual_steps, edits, note.

    Args:
        judgements: the rows of table `annotation`.
        form: jsonl, csv or label_studio.
        texts: for Label Studio, what else a task's `data` shows of a sample, by sample id.

    Raises:
        AnnotationError: the form is none of these.
    """
    written = [judgement for judgement in judgements if judgement.dropped in (None, "superseded")]
    if form == "label_studio":
        return _to_label_studio(written, texts or {})
    text: str = _form(form, {"jsonl": _to_jsonl, "csv": _to_csv})(written)
    return text


def write(path: Path, text: str) -> None:
    """Put the text in the file, wholly or not at all."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(text.encode())
    os.replace(beside, path)


def _form(form: str, known: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    if form not in known:
        raise AnnotationError(f"form: {form!r} is none of jsonl, csv, label_studio: write one of these")
    return known[form]


def _text(path: Path, named: str) -> str:
    try:
        with path.open("rb") as handle:
            raw = handle.read(LARGEST_FILE + 1)
    except OSError as error:
        raise AnnotationError(f"{named}: cannot be read ({error.strerror or error}): name another file") from None
    if len(raw) > LARGEST_FILE:
        raise AnnotationError(f"{named}: is longer than {LARGEST_FILE >> 20} MiB: split it")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AnnotationError(f"{named}: is no UTF-8 at byte {error.start}: save it as UTF-8") from None


def _to_jsonl(judgements: Iterable[Judgement]) -> str:
    return "".join(f"{orjson.dumps(to_record(judgement)).decode()}\n" for judgement in judgements)


def _to_csv(judgements: Iterable[Judgement]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(FIELDS)
    for judgement in judgements:
        record = to_record(judgement)
        for name in _LISTS:
            if name in record:
                record[name] = orjson.dumps(record[name]).decode()
        if "note" in record and (not record["note"] or _is_quoted(record["note"])):
            record["note"] = json.dumps(record["note"], ensure_ascii=False)
        writer.writerow([record.get(name, "") for name in FIELDS])
    return text.getvalue()


def _of_csv(text: str, named: str) -> Iterator[Judgement]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    while True:
        line = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            break
        except csv.Error as error:
            yield _set_aside(named, line, "broken_csv", str(error))
            continue
        if header is None:
            header = _header(row, named)
        elif len(row) != len(header):
            yield _set_aside(named, line, "wrong_cells" if row else "blank_line", ",".join(row)[:200])
        else:
            yield of_record(_of_cells(dict(zip(header, row, strict=True))), named, line)
    if header is None:
        raise AnnotationError(f"{named}: holds no header: begin it with {','.join(FIELDS)}")


def _header(row: list[str], named: str) -> list[str]:
    missing = [name for name in _REQUIRED if name not in row]
    unknown = [name for name in row if name not in (*FIELDS, *UNTABLED)]
    if missing or unknown or len(set(row)) != len(row):
        what = f"lacks {', '.join(missing)}" if missing else f"has {', '.join(unknown) or 'a column twice'}"
        raise AnnotationError(f"{named}: the header {what[:200]}: write {','.join(FIELDS)}, separated by commas")
    return row


def _of_cells(cells: dict[str, str]) -> dict[str, Any]:
    """The record that a row's cells say; what is no JSON stays text, so that the record's own check names it."""
    record: dict[str, Any] = dict(cells)
    for name in (*_LISTS, "round"):
        if name in record:
            record[name] = _json_or_text(record[name]) if record[name] else None
    note = record.get("note")
    if note is not None:
        said = _json_or_text(note) if _is_quoted(note) else note
        record["note"] = (said if isinstance(said, str) else note) if note else None
    return record


def _json_or_text(cell: str) -> Any:
    try:
        return orjson.loads(cell)
    except orjson.JSONDecodeError:
        return cell


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] == '"'


def _to_label_studio(judgements: Iterable[Judgement], texts: Mapping[str, Mapping[str, Any]]) -> str:
    tasks: dict[tuple[Any, ...], dict[str, Any]] = {}
    for judgement in judgements:
        record = to_record(judgement)
        about = {name: record.pop(name) for name in FIELDS[:3]}
        task = tasks.setdefault(
            tuple(about.values()), {"data": {**texts.get(about["sample_id"], {}), **about}, "annotations": []}
        )
        result = []
        for name, value in record.items():
            kind, key = _CONTROLS[name]
            entered = orjson.dumps(value).decode() if name in _LISTS else value
            result.append({"from_name": name, "to_name": _SHOWN, "type": kind, "value": {key: [entered]}})
        task["annotations"].append({"result": result})
    return orjson.dumps(list(tasks.values()), option=orjson.OPT_INDENT_2).decode() + "\n"


def _of_label_studio(text: str, named: str) -> Iterator[Judgement]:
    """Line numbers are those of the tasks in the array, from 1."""
    try:
        tasks = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise AnnotationError(f"{named}: is no JSON ({error}): export it from Label Studio again, as JSON") from None
    if not isinstance(tasks, list):
        raise AnnotationError(f"{named}: holds no array of tasks: export it from Label Studio as JSON")
    for number, task in enumerate(tasks, start=1):
        yield from _of_task(task, named, number)


def _of_task(task: Any, named: str, number: int) -> Iterator[Judgement]:
    data, annotations = (task.get("data"), task.get("annotations")) if isinstance(task, dict) else (None, None)
    if not isinstance(data, dict) or not isinstance(annotations, list):
        yield _set_aside(named, number, "not_a_task", excerpt(task))
        return
    about = {name: data.get(name) for name in FIELDS[:3]}
    if not annotations:
        sample, stage = (about[name] if isinstance(about[name], str) else None for name in FIELDS[:2])
        round = about["round"] if type(about["round"]) is int and about["round"] in (1, 2) else None
        yield Judgement(sample, stage, round, *(None,) * 5, source=named, dropped="not_judged")
        return
    found = [(_entered(annotation), annotation) for annotation in annotations]
    # a task that asked for something else is set aside whole: half of its answers would mislead
    if any(entered == "unknown_control" for entered, _ in found):
        yield _set_aside(named, number, "unknown_control", excerpt(task))
        return
    for entered, annotation in found:
        if isinstance(entered, str):
            yield _set_aside(named, number, entered, excerpt(annotation))
        else:
            yield of_record({**about, **entered}, named, number)


def _entered(annotation: Any) -> dict[str, Any] | str:
    """What an annotation's controls hold, by field; or why that cannot be said."""
    if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
        return "not_an_annotation"
    if annotation.get("was_cancelled") is True:
        return "cancelled"
    record: dict[str, Any] = {}
    for item in annotation["result"]:
        name = item.get("from_name") if isinstance(item, dict) else None
        kind, key = _CONTROLS.get(name, (None, "")) if isinstance(name, str) else (None, "")
        if name is None or kind is None or item.get("type") != kind:
            return "unknown_control"
        value = item["value"].get(key) if isinstance(item.get("value"), dict) else None
        if name in record or not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], str):
            return "not_an_annotation"
        record[name] = _json_or_text(value[0]) if name in _LISTS else value[0]
    record.setdefault("annotator", _who(annotation.get("completed_by")))
    return record


def _who(completed_by: Any) -> Any:
    """The annotator as Label Studio names one: by e-mail address or user name, or by number."""
    if isinstance(completed_by, dict):
        completed_by = next((completed_by[key] for key in ("email", "username", "id") if completed_by.get(key)), None)
    return f"user-{completed_by}" if type(completed_by) is int else completed_by


def _set_aside(file: str, line: int, reason: str, beginning: str) -> Judgement:
    return Judgement(*(None,) * 8, source=file, dropped=reason, quarantined=(file, line, beginning))
