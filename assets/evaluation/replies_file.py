"""A person's own files -> answers: replies, and items from a file of theirs or from the replies' own records."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from assets.evaluation.answers import Answered, Progress, answers
from assets.evaluation.rows import Item
from assets.flow import Quarantined
from assets.models import replay
from assets.schema.vocabulary import EXTRACTORS
from assets.sources import jsonlines, m3cot_released
from assets.sources.jsonlines import Record, SourceError

_OTHER = {"m3cot": "comt", "comt": "m3cot"}
_SHOWN = 8

_RELEASED = ("data.jsonl", "data.jsonl.gz")
"""The items of a folder of CoMT's release. Source: its README."""


class Samples(NamedTuple):
    """The items of a file: by id, the reasons of ids that are none, and every line that was set aside."""

    name: str
    items: dict[str, Item]
    unscorable: dict[str, str]
    quarantine: list[Quarantined]


class Evaluated(NamedTuple):
    """One replies file, read and answered.

    records: lines that came in. samples: the items it was scored against. quarantine: all lines that were set
    aside, those that could not be read first.
    """

    name: str
    records: int
    samples: Samples
    answered: Answered
    quarantine: list[Quarantined]


def read_samples(path: Path, benchmark: str) -> Samples:
    """The items of a .jsonl or .jsonl.gz file: M3CoT's records (choices) or CoMT's (option, type).

    Of CoMT `path` may also be the folder of its release: its data.jsonl (or .gz) is read.

    Raises:
        SourceError: the file cannot be read, or none of its records is an item of the benchmark.
    """
    path = _items_file(path, benchmark)
    name = str(path)
    lines = list(jsonlines.read(path))
    samples = _samples(name, lines, benchmark)
    if not samples.items:
        wanted = ("id", m3cot_released.OPTIONS[benchmark], "answer")
        raise SourceError(f"{name}: {_none(lines, benchmark, 'item', wanted)}")
    return samples


def _items_file(path: Path, benchmark: str) -> Path:
    """The file itself; of a folder of CoMT's release the file of its items."""
    if not path.is_dir():
        return path
    if benchmark != "comt":
        raise SourceError(f"{path}: is a folder: name the file of the split that was asked in it, such as test.jsonl")
    for name in _RELEASED:
        if (path / name).is_file():
            return path / name
    raise SourceError(f"{path}: is a folder without {_RELEASED[0]}: name the file of CoMT's samples")


def evaluate(
    path: Path,
    benchmark: str,
    samples: Samples | None = None,
    *,
    extractors: Sequence[str] = EXTRACTORS,
    policy: str | None = None,
    progress: Progress = iter,
) -> Evaluated:
    """The answers of one replies file against `samples`, or against the items that its own records carry.

    Without `samples` the split is the file's own ids, and a record without options or answer is quarantined
    (no_choices, no_answer).

    Raises:
        SourceError: the file cannot be read, or nothing in it can be scored; the sentence says what it is instead.
    """
    name = str(path)
    lines = list(jsonlines.read(path))
    key = replay.REPLY[benchmark]
    if not any(type(record) is dict and key in record for _, record in lines):
        raise SourceError(f"{name}: {_none(lines, benchmark, 'reply', ('id', key))}")
    own = samples is None
    if samples is None:
        samples = _samples(name, lines, benchmark)
        if not samples.items:
            wanted = (m3cot_released.OPTIONS[benchmark], "answer")
            raise SourceError(
                f"{name}: no record carries {' and '.join(wanted)}: name a file of the samples with --samples"
            )
    replies = list(replay.replies(lines, benchmark))
    answered = answers(
        samples.items,
        replies,
        benchmark,
        extractors=extractors,
        policy=policy,
        evaluation=name,
        file=name,
        unscorable=samples.unscorable,
        progress=progress,
    )
    if len(answered.missing) == len(samples.items):
        first = next((reply.sample_id for reply in replies if reply.sample_id is not None), None)
        where = "its own records" if own else samples.name
        raise SourceError(f"{name}: none of its ids is among the samples of {where} (its first is {first!r})")
    unreadable = [
        Quarantined(name, name, reply.line, reply.sample_id, reply.dropped, reply.excerpt)
        for reply in replies
        if reply.dropped is not None
    ]
    return Evaluated(name, len(lines), samples, answered, [*unreadable, *answered.quarantine])


def _samples(name: str, lines: Sequence[tuple[int, Record | jsonlines.Unreadable]], benchmark: str) -> Samples:
    items: dict[str, Item] = {}
    unscorable: dict[str, str] = {}
    quarantine: list[Quarantined] = []
    for number, record in lines:
        if isinstance(record, jsonlines.Unreadable):
            quarantine.append(Quarantined(name, name, number, None, record.reason, record.excerpt))
            continue
        found = m3cot_released.item(record, benchmark)
        if isinstance(found, Item):
            if items.setdefault(found.id, found) is not found:
                quarantine.append(Quarantined(name, name, number, found.id, "duplicate_id", None))
            continue
        quarantine.append(Quarantined(name, name, number, found.id, found.reason, None))
        if found.id is not None:
            unscorable[found.id] = found.reason
    return Samples(name, items, unscorable, quarantine)


def _none(
    lines: Sequence[tuple[int, Record | jsonlines.Unreadable]], benchmark: str, what: str, wanted: Sequence[str]
) -> str:
    """Why none of these lines is what it should be, as the rest of a sentence that began with the file's name."""
    if not lines:
        return "is empty"
    records = [record for _, record in lines if type(record) is dict]
    if not records:
        reasons = Counter(record.reason for _, record in lines if isinstance(record, jsonlines.Unreadable))
        counted = ", ".join(f"{reason} {n}" for reason, n in reasons.most_common(3))
        return f"none of its {len(lines)} lines is a JSON record ({counted})"
    other = _OTHER[benchmark]
    keys = replay.REPLY if what == "reply" else m3cot_released.OPTIONS
    if not any(keys[benchmark] in record for record in records) and any(keys[other] in record for record in records):
        return (
            f"its records have {keys[other]!r} and not {keys[benchmark]!r}, as {other} has it: "
            f"score it with --benchmark {other}"
        )
    lacking = [key for key in wanted if not any(key in record for record in records)]
    present = sorted({str(key) for record in records[:100] for key in record})
    shown = ", ".join(present[:_SHOWN]) + (", …" if len(present) > _SHOWN else "")
    lack = f"they lack {', '.join(lacking)}" if lacking else f"their {', '.join(wanted)} cannot be used"
    article = "an item" if what == "item" else "a reply"
    return f"none of its {len(records)} records is {article} of {benchmark}: {lack} (they have {shown or 'no keys'})"
