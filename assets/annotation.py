"""Judgements of annotators: read from their lines, written to their log, and decided by those who agree."""

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pyarrow as pa

from assets.schema.faults import Fault
from assets.schema.vocabulary import LINE_REASONS
from assets.sources import jsonlines

STAGES = ("image_needed", "image_steps", "quality", "recheck", "audit", "picture_quality")

_YES_NO = ("yes", "no", "discard")
VERDICTS = {
    "image_needed": _YES_NO,
    "image_steps": _YES_NO,
    "quality": ("accept", "discard"),
    "recheck": _YES_NO,
    "audit": _YES_NO,
    "picture_quality": ("0", "1", "2", "3", "4"),
}
"""What an annotator may say at a stage; yes of image_needed: the picture is needed."""

ROUNDS = {stage: (1, 2) if stage == "recheck" else (1,) for stage in STAGES}

FIELDS = ("sample_id", "stage", "round", "annotator", "verdict", "visual_steps", "edits", "note")
"""What a line of a judgement holds; the last three may be missing."""

UNTABLED = ("at", "seconds")
"""What a log's line may hold beside: when (ISO 8601, UTC) and how long; in no table, which have no times."""

JUDGEMENT_REASONS = (
    "unknown_key",
    "no_sample_id",
    "unknown_stage",
    "unknown_round",
    "no_annotator",
    "unknown_verdict",
    "bad_visual_steps",
    "bad_edits",
    "bad_note",
)
REASONS = (*LINE_REASONS, *JUDGEMENT_REASONS, "not_a_file", "outside_folder", "superseded")
"""Why a row is no judgement that counts; all but `superseded` are quarantined."""

SETTING = "sources.m3cot_annotations.recorded"
QUESTION = 0
"""The number of CoMT's question among what is edited at stage quality."""

LONGEST_NAME = 300
LONGEST_NOTE = 20_000
LONGEST_EDITS = 16_000
MOST_STEPS = 1_000
"""Bounds of what a person writes; edits of such a length fit into a cell of CSV, however they are escaped."""


class AnnotationError(Fault):
    """A judgement that cannot be written, or edits that cannot be made."""


class Edit(NamedTuple):
    """The new text of a step, from 1 (0: CoMT's question); empty removes it, the number after the last adds one."""

    step: int
    text: str


class Judgement(NamedTuple):
    """Table `annotation`, column by column."""

    sample_id: str | None
    stage: str | None
    round: int | None
    annotator: str | None
    verdict: str | None
    visual_steps: tuple[int, ...] | None
    edits: tuple[Edit, ...] | None
    note: str | None
    source: str
    dropped: str | None = None
    quarantined: tuple[str, int | None, str | None] | None = None

    @property
    def turn(self) -> tuple[str | None, str | None, int | None, str | None]:
        """What an annotator is asked once: sample, stage, round, and who was asked."""
        return self.sample_id, self.stage, self.round, self.annotator


def read(paths: Sequence[tuple[Path, str]], setting: str = SETTING) -> Iterator[Judgement]:
    """The judgements in files of JSON lines, in the order of paths and lines; what is none is quarantined.

    A path may be a folder: then all `*.jsonl` in it, by name; other names are no annotations and not read. Where an
    annotator judges the same sample at the same stage and round again, the later line counts and the earlier one
    is dropped as `superseded`: people change their minds, and no line is ever overwritten.

    Args:
        paths: each file or folder, and how to name it.
        setting: what names them, said where one of them cannot be used.

    Raises:
        SourceError: there is no such file or folder, nothing can be read from it, or no line of a file is a judgement.
    """
    return superseded([judgement for path, name in paths for judgement in _of_path(path, name, setting)])


def superseded(judgements: Sequence[Judgement]) -> Iterator[Judgement]:
    """The judgements in their order, all but the last of the same turn dropped as `superseded`."""
    last = {judgement.turn: place for place, judgement in enumerate(judgements) if judgement.dropped is None}
    for place, judgement in enumerate(judgements):
        is_last = judgement.dropped is not None or last[judgement.turn] == place
        yield judgement if is_last else judgement._replace(dropped="superseded")


def of_record(record: Mapping[str, Any], source: str, line: int | None = None) -> Judgement:
    """One judgement from its JSON object, or a quarantined row that says what is wrong with it."""
    if reason := _wrong(record):
        return Judgement(
            _name(record.get("sample_id")),
            *(None,) * 2,
            _name(record.get("annotator")),
            *(None,) * 4,
            source=source,
            dropped=reason,
            quarantined=(source, line, excerpt(record)),
        )
    steps, edits = record.get("visual_steps"), record.get("edits")
    return Judgement(
        record["sample_id"],
        record["stage"],
        record["round"],
        record["annotator"],
        record["verdict"],
        None if steps is None else tuple(steps),
        None if edits is None else tuple(Edit(edit["step"], edit["text"]) for edit in edits),
        record.get("note"),
        source,
    )


def to_record(judgement: Judgement) -> dict[str, Any]:
    """The JSON object that `of_record` reads as this judgement; fields that are null are left out."""
    record: dict[str, Any] = {name: value for name, value in zip(FIELDS, judgement, strict=False) if value is not None}
    if judgement.edits is not None:
        record["edits"] = [edit._asdict() for edit in judgement.edits]
    if judgement.visual_steps is not None:
        record["visual_steps"] = list(judgement.visual_steps)
    return record


def of_table(table: pa.Table) -> list[Judgement]:
    """The rows of a table `annotation`, the dropped ones included."""
    found = []
    for row in table.select(list(Judgement._fields)).to_pylist():
        steps, edits, where = row["visual_steps"], row["edits"], row["quarantined"]
        row["visual_steps"] = None if steps is None else tuple(steps)
        row["edits"] = None if edits is None else tuple(Edit(**edit) for edit in edits)
        row["quarantined"] = None if where is None else (where["file"], where["line"], where["excerpt"])
        found.append(Judgement(**row))
    return found


def excerpt(value: Any) -> str:
    """How a record that was set aside begins, as JSON."""
    try:
        return orjson.dumps(value).decode()[: jsonlines.EXCERPT]
    except TypeError:
        return repr(value)[: jsonlines.EXCERPT]


def decide(judgements: Iterable[Judgement], needed: int = 2) -> str:
    """What the annotators of one sample say together, at one stage and round: yes, no or pending.

    A side (yes and accept, or no and discard) decides when `needed` annotators are on it and more than on the
    other. Rows that were dropped do not count, and of one annotator only the last.

    Source: section 3.4 ("at least two annotators agree") and A.2 (majority of three experts).
    """
    verdicts = {judgement.annotator: judgement.verdict for judgement in judgements if judgement.dropped is None}
    yes = sum(verdict in ("yes", "accept") for verdict in verdicts.values())
    no = sum(verdict in ("no", "discard") for verdict in verdicts.values())
    if yes >= needed and yes > no:
        return "yes"
    return "no" if no >= needed and no > yes else "pending"


def by_sample(judgements: Iterable[Judgement], stage: str, round: int = 1) -> dict[str, list[Judgement]]:
    """The judgements that count at a stage and round, by sample, in their order."""
    found: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if judgement.dropped is None and (judgement.stage, judgement.round) == (stage, round):
            found.setdefault(str(judgement.sample_id), []).append(judgement)
    return found


def decisions(judgements: Iterable[Judgement], stage: str, round: int = 1, needed: int = 2) -> dict[str, str]:
    """For each sample that was judged at a stage and round: yes, no or pending."""
    return {sample: decide(judged, needed) for sample, judged in by_sample(judgements, stage, round).items()}


def edited(steps: Sequence[str], edits: Iterable[Edit], sample_id: str = "a rationale") -> list[str]:
    """The steps after an annotator's edits, all numbered as they were shown, from 1.

    Empty text removes a step, the number after the last adds one (again: another one), and of two edits of one step
    the later counts.

    Raises:
        AnnotationError: an edit names a step that is not there, or no step is left.
    """
    now: list[str] = list(steps)
    added = []
    for edit in edits:
        if not 1 <= edit.step <= len(steps) + 1:
            raise AnnotationError(
                f"{sample_id}: an edit names step {edit.step} of {len(steps)}: number the steps as they were shown, "
                "or add one as the step after the last"
            )
        if edit.step > len(steps):
            added.append(edit.text)
        else:
            now[edit.step - 1] = edit.text
    kept = [step for text in (*now, *added) if (step := text.strip())]
    if not kept:
        raise AnnotationError(f"{sample_id}: the edits leave no step: discard the sample, or keep one")
    return kept


class Log:
    """A file of JSON lines that several annotators and processes add their judgements to, a line each, at once.

    Nothing in it is changed or overwritten. Each line is on the disk before `append` returns; a lock file beside it
    (`<name>.lock`) keeps writers apart. A last line without its newline, left by a writer that died, is closed
    before the next one, so that it is quarantined alone.
    """

    def __init__(self, path: Path) -> None:
        """The log at `path`, which need not be there yet."""
        self.path = path

    def append(self, judgement: Mapping[str, Any]) -> None:
        """Add one judgement: the FIELDS of a line, and `at` and `seconds` if they are known.

        Raises:
            AnnotationError: it would be quarantined when read, or it cannot be written.
        """
        if reason := _wrong(judgement):
            raise AnnotationError(f"{self.path.name}: {excerpt(dict(judgement))} is no judgement ({reason}): mend it")
        try:
            line = orjson.dumps(dict(judgement)) + b"\n"
        except TypeError as error:
            raise AnnotationError(f"{self.path.name}: a judgement cannot be written as JSON ({error})") from None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._locked(fcntl.LOCK_EX, "ab"):
                self._write(line)
        except OSError as error:
            raise AnnotationError(
                f"{self.path.name}: the judgement of {judgement['sample_id']} was not saved ({error.strerror}): "
                "make room or mend the permissions, and judge it again"
            ) from None

    def judgements(self) -> list[Judgement]:
        """What the log holds, as `read` gives it; nothing where there is no log yet."""
        if not self.path.exists():
            return []
        # a log that was copied to where nobody writes has no lock
        with self._locked(fcntl.LOCK_SH, "rb") if self._lock.exists() else nullcontext():
            return list(read([(self.path, self.path.name)]))

    @property
    def _lock(self) -> Path:
        return self.path.with_name(f"{self.path.name}.lock")

    @contextmanager
    def _locked(self, how: int, mode: str) -> Iterator[None]:
        with self._lock.open(mode) as lock:
            fcntl.flock(lock, how)
            yield

    def _write(self, line: bytes) -> None:
        new = not self.path.exists()
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            end = os.fstat(handle).st_size
            if end and os.pread(handle, 1, end - 1) != b"\n":
                line = b"\n" + line
            while line:
                line = line[os.write(handle, line) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        if new:
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _of_path(path: Path, name: str, setting: str) -> Iterator[Judgement]:
    if not path.is_dir():
        if not path.exists():
            raise jsonlines.SourceError(f"{name}: there is no such file or folder: set {setting} to one, or to null")
        yield from _of_file(path, name, setting)
        return
    folder = path.resolve()
    for file in sorted(path.glob("*.jsonl"), key=lambda file: file.name):
        named = f"{name.rstrip('/')}/{file.name}"
        if not file.resolve().is_relative_to(folder):
            yield _set_aside(named, None, "outside_folder", None)
        elif not file.is_file():
            yield _set_aside(named, None, "not_a_file", None)
        else:
            yield from _of_file(file, named, setting)


def _of_file(path: Path, named: str, setting: str) -> Iterator[Judgement]:
    number, found, first, row = 0, False, None, None
    for number, record in jsonlines.read(path, named):
        if isinstance(record, jsonlines.Unreadable):
            row = _set_aside(record.file, record.line, record.reason, record.excerpt)
        else:
            row = of_record(record, named, number)
        found = found or row.dropped in (None, "blank_line")
        first = first or row.dropped
        yield row
    # a log that holds but the torn line of a writer that died is no wrong file
    if row is not None and not found and not (number == 1 and _is_torn(row)):
        raise jsonlines.SourceError(
            f"{named}: no line of it is a judgement (the first: {first}): name a file of JSON lines in {setting}"
        )


def _is_torn(row: Judgement) -> bool:
    start = (row.quarantined and row.quarantined[2]) or ""
    names = (f'{{"{name}"' for name in (*FIELDS, *UNTABLED))
    return row.dropped == "invalid_json" and any(start.startswith(name) or name.startswith(start) for name in names)


def _set_aside(file: str, line: int | None, reason: str, beginning: str | None) -> Judgement:
    return Judgement(*(None,) * 8, source=file, dropped=reason, quarantined=(file, line, beginning))


def _wrong(record: Mapping[str, Any]) -> str | None:
    """Why the object is no judgement, in the order of JUDGEMENT_REASONS; None when it is one."""
    stage, note = record.get("stage"), record.get("note")
    if not record.keys() <= {*FIELDS, *UNTABLED}:
        return "unknown_key"
    if _name(record.get("sample_id")) is None:
        return "no_sample_id"
    if not isinstance(stage, str) or stage not in VERDICTS:
        return "unknown_stage"
    if type(record.get("round")) is not int or record["round"] not in ROUNDS[stage]:
        return "unknown_round"
    if _name(record.get("annotator")) is None:
        return "no_annotator"
    if not isinstance(record.get("verdict"), str) or record["verdict"] not in VERDICTS[stage]:
        return "unknown_verdict"
    if not _are_steps(record.get("visual_steps")):
        return "bad_visual_steps"
    if not _are_edits(record.get("edits"), stage):
        return "bad_edits"
    if note is not None and not (isinstance(note, str) and len(note) <= LONGEST_NOTE):
        return "bad_note"
    return None


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() and len(value) <= LONGEST_NAME else None


def _is_step(value: Any, first: int = 1) -> bool:
    return type(value) is int and first <= value <= MOST_STEPS


def _are_steps(value: Any) -> bool:
    return value is None or (
        isinstance(value, list | tuple) and len(value) <= MOST_STEPS and all(_is_step(step) for step in value)
    )


def _are_edits(value: Any, stage: str) -> bool:
    if value is None:
        return True
    if not isinstance(value, list | tuple) or (value and stage != "quality") or len(value) > MOST_STEPS:
        return False
    length = 0
    for edit in value:
        if not isinstance(edit, Mapping) or edit.keys() != {"step", "text"} or not isinstance(edit["text"], str):
            return False
        if not _is_step(edit["step"], QUESTION):
            return False
        length += len(edit["text"])
    return length <= LONGEST_EDITS
