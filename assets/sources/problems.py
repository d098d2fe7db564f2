"""Files of problems by their ids, the form that ScienceQA and TabMWP share -> rows of table `sample`."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assets.schema.sample import LETTERS, Part, Sample
from assets.sources.json_files import Unreadable, entries
from assets.sources.jsonlines import EXCERPT, SourceError

REASONS = (
    "no_id",
    "not_an_object",
    "no_question",
    "no_choices",
    "too_many_choices",
    "no_answer",
    "not_text",
    "unknown_split",
    "duplicate_id",
    "path_outside",
    "missing_picture",
    "unreadable_picture",
)
"""Why an entry is no sample, beside what `json_files` says of its JSON."""

SPLIT_NAMES = {
    "train": "train",
    "val": "validation",
    "validation": "validation",
    "dev": "validation",
    "dev1k": "validation",
    "test": "test",
    "test1k": "test",
}
"""How the two sources name their splits; dev1k and test1k are TabMWP's cuts of dev and test."""

Problem = dict[str, Any]
Ids = Mapping[str, str]
Reasons = Mapping[str, str]


def samples(
    path: Path,
    blank: Sample,
    read: Callable[[Sample, Problem], Sample | str],
    seen: set[str],
    *,
    wanted: str,
) -> Iterator[Sample]:
    """Each entry of a file of problems as one row of table `sample`, in the file's order, the unreadable included.

    Args:
        path: the file, an object of problems by id.
        blank: what the rows of this source have in common; `source_id` and `id` are filled in here.
        read: a problem as the sample that it is, or the reason why it is none. A sample that it drops comes back
            with `quarantined`, to which the line is added here.
        seen: the ids so far; the second entry of an id is set aside as duplicate_id.
        wanted: what the file should be, for the person who put another or a broken one there.

    Raises:
        SourceError: the file cannot be read, or holds no entry that can be.
    """
    readable, first = False, None
    for key, value, line, excerpt in entries(path):
        sample = blank
        reason = None
        if key is not None and key.strip():
            sample = blank._replace(id=f"{blank.source}-{key}", source_id=key)
        elif not isinstance(value, Unreadable):
            reason = "no_id"
        if isinstance(value, Unreadable):
            reason = value.reason
            first = first or reason
        elif reason is None and key in seen:
            reason = "duplicate_id"
        elif reason is None and type(value) is not dict:
            reason = "not_an_object"
        elif reason is None:
            given = read(sample, value)
            if isinstance(given, Sample):
                sample = given
            else:
                reason = given
        readable = readable or not isinstance(value, Unreadable)
        if key is not None:
            seen.add(key)
        if reason is not None:
            sample = sample._replace(dropped=reason, quarantined=(path.name, line, excerpt))
        elif sample.quarantined is not None:
            sample = sample._replace(quarantined=(path.name, line, sample.quarantined[2]))
        yield sample
    if not readable:
        said = f"no readable problem ({first})" if first else "no problems"
        raise SourceError(f"{path}: holds {said}: put {wanted} there")


def fault(problem: Problem, texts: tuple[str, ...]) -> str | None:
    """The reason why a problem is no question with options; None when it is one. `texts` may be null, but no number."""
    question, choices = problem.get("question"), problem.get("choices")
    if type(question) is not str or not question.strip():
        return "no_question"
    if type(choices) is not list or not choices:
        return "no_choices"
    if len(choices) > len(LETTERS):
        return "too_many_choices"
    values = (*choices, *("" if problem.get(name) is None else problem[name] for name in texts))
    if any(type(value) is not str for value in values):
        return "not_text"
    split = problem.get("split")
    return None if isinstance(split, str) and split in SPLIT_NAMES else "unknown_split"


def rationale(solution: str | None) -> tuple[Part, ...] | None:
    """A solution as a rationale of one part, whole; None where there is nothing but white space."""
    return None if solution is None or not solution.strip() else (Part("text", solution, None),)


def pictured(sample: Sample, files: tuple[str, ...], ids: Ids, reasons: Reasons) -> Sample:
    """The sample with the first of the files that is a picture; quarantined when there is none or it is broken."""
    for file in files:
        if file in ids:
            return sample._replace(images=(ids[file],))
    for file in files:
        if file in reasons:
            return set_aside(sample, "unreadable_picture", f"{file}: {reasons[file]}")
    return set_aside(sample, "missing_picture", files[0])


def set_aside(sample: Sample, reason: str, excerpt: str) -> Sample:
    """The sample as one that is quarantined; `samples` adds file and line."""
    return sample._replace(dropped=reason, quarantined=("", None, excerpt[:EXCERPT]))
