"""The data of the page's browser of samples: columns that filters need, and texts in compressed chunks.

Samples stand in one order, that of their groups (benchmark, edition, split), those that an evaluation was asked first.
A chunk is base64 of raw deflate of JSON in UTF-8; the page inflates it when it is looked at. Of a picture, and of a
text within a chunk of dialogues, only the number stands where it is used.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa

from assets.analysis.report.accounts import DROPPED, NO_SAMPLE, NO_SAMPLES, Account
from assets.schema.vocabulary import ANSWER_STATUSES, EXTRACTORS, SPLITS, TURN_ROLES

TEXTS_IN_A_CHUNK = 128
"""Samples whose question, options and rationale are one chunk."""

DIALOGUES_IN_A_CHUNK = 16
"""Samples whose dialogues, of all evaluations, are one chunk: what they say alike is then close together."""

HEAD = 90
NOT_ASKED = " "
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ORDER = {split: place for place, split in enumerate(reversed(SPLITS))}


class Edition(NamedTuple):
    """A benchmark as released or as built, with its table `sample`."""

    benchmark: str
    edition: str
    samples: pa.Table


class Evaluated(NamedTuple):
    """An evaluation of params.yaml: what it was asked, its table `prediction` and its rows of table `answer`.

    why: why it has no replies, where they cannot be had.
    """

    name: str
    model: str
    strategy: str
    shots: int
    benchmark: str
    edition: str
    split: str
    predictions: pa.Table
    answers: pa.Table
    why: str | None = None


class Group(NamedTuple):
    """Samples of one split that follow each other, from `start`."""

    benchmark: str
    edition: str
    split: str
    start: int
    n: int


class Chunk(NamedTuple):
    """One part of the page's data that the page reads when it needs it: its element's id, and base64."""

    name: str
    content: str


class Browser:
    """The samples and dialogues of some tables, and the numbers of their pictures."""

    def __init__(self, editions: Sequence[Edition], evaluations: Sequence[Evaluated], profile: str) -> None:
        """Put the samples in their order."""
        self.evaluations = sorted(evaluations, key=lambda one: one.name)
        self.profile = profile
        self.samples: list[dict[str, Any]] = []
        self.groups: list[Group] = []
        self.pictures: dict[str, int] = {}
        asked = {_asked_of(one) for one in evaluations}
        for group in sorted(_split(editions), key=lambda group: (group[0] not in asked, _ORDER.get(group[0][2], 9))):
            place, rows = group
            self.groups.append(Group(*place, len(self.samples), len(rows)))
            self.samples += rows
        self._at = {
            (group.benchmark, group.edition, row["id"]): group.start + place
            for group in self.groups
            for place, row in enumerate(self._of(group))
        }
        self._replies = [_Replies(one, self._ids(_asked_of(one))) for one in self.evaluations]
        self._statuses = list(ANSWER_STATUSES)
        self._number_pictures()

    @property
    def known(self) -> frozenset[tuple[str, str, str]]:
        """(benchmark, edition, id) of every sample."""
        return frozenset(self._at)

    @property
    def dialogues(self) -> int:
        """How many replies there are."""
        return sum(replies.count for replies in self._replies)

    def accounts(self) -> list[Account]:
        """Of each evaluation how many replies are stored, how many have a sample here, and why the others have none."""
        return [
            Account(one.name, None if one.why else len(one.predictions), replies.count, replies.others, one.why)
            for one, replies in zip(self.evaluations, self._replies, strict=True)
        ]

    def index(self) -> dict[str, Any]:
        """What filters and the list need, column by column."""
        topics = sorted({_topic(row) for row in self.samples})
        numbers = {topic: number for number, topic in enumerate(topics)}
        return {
            "profile": self.profile,
            "groups": [list(group) for group in self.groups],
            "ids": [row["id"] for row in self.samples],
            "heads": [" ".join((row["question"] or "").split())[:HEAD] for row in self.samples],
            "labels": "".join((row["answer"] or "?")[:1] for row in self.samples),
            "topics": topics,
            "topic": [numbers[_topic(row)] for row in self.samples],
            "statuses": self._statuses,
            "roles": TURN_ROLES,
            "evaluations": [
                self._columns(one, read) for one, read in zip(self.evaluations, self._replies, strict=True)
            ],
            "texts": TEXTS_IN_A_CHUNK,
            "dialogues": DIALOGUES_IN_A_CHUNK,
        }

    def _columns(self, one: Evaluated, replies: "_Replies") -> dict[str, Any]:
        """An evaluation by a letter a sample of its group: status, both extractors' letters, whether they are right."""
        place = next((place for place, group in enumerate(self.groups) if group[:3] == _asked_of(one)), -1)
        rows = [] if place < 0 else self._of(self.groups[place])
        read = [(replies.first.get(("paper", row["id"])), replies.first.get(("strict", row["id"]))) for row in rows]
        return {
            "name": one.name,
            "model": one.model,
            "strategy": one.strategy,
            "shots": one.shots,
            "group": place,
            "status": "".join(_code(self._statuses, strict or paper) for paper, strict in read),
            "paper": "".join(_letter(paper) for paper, _ in read),
            "strict": "".join(_letter(strict) for _, strict in read),
            "right": "".join(_right(paper, strict) for paper, strict in read),
        }

    def texts(self) -> Iterator[Chunk]:
        """The samples' own texts, chunk by chunk in their order."""
        for number, start in enumerate(range(0, len(self.samples), TEXTS_IN_A_CHUNK)):
            rows = self.samples[start : start + TEXTS_IN_A_CHUNK]
            yield Chunk(f"t{number}", packed([self._sample(row) for row in rows]))

    def chunks(self) -> Iterator[tuple[Chunk, Counter[str]]]:
        """The dialogues, chunk by chunk in the order of the samples, and how many of each evaluation one holds."""
        for number, start in enumerate(range(0, len(self.samples), DIALOGUES_IN_A_CHUNK)):
            places = range(start, min(start + DIALOGUES_IN_A_CHUNK, len(self.samples)))
            found = self._dialogues(places)
            if not any(found):
                continue
            pool: dict[str, int] = {}
            held = [
                {
                    str(evaluation): [
                        self._replies[evaluation].said(row, self.samples[place], self.pictures, pool) for row in rows
                    ]
                    for evaluation, rows in of.items()
                }
                for place, of in zip(places, found, strict=True)
            ]
            count: Counter[str] = Counter()
            for of in found:
                count.update({self.evaluations[evaluation].name: len(rows) for evaluation, rows in of.items()})
            yield Chunk(f"d{number}", packed({"texts": list(pool), "of": held})), count

    def _dialogues(self, places: Sequence[int]) -> list[dict[int, list[dict[str, Any]]]]:
        """Of each of these samples the rows of replies to each evaluation by its number."""
        found: list[dict[int, list[dict[str, Any]]]] = [{} for _ in places]
        for group in self.groups:
            within = [place for place in places if group.start <= place < group.start + group.n]
            ids = [self.samples[place]["id"] for place in within]
            for number, one in enumerate(self.evaluations):
                if ids and _asked_of(one) == group[:3]:
                    for place, rows in zip(within, self._replies[number].of(ids), strict=True):
                        if rows:
                            found[place - places[0]][number] = rows
        return found

    def _of(self, group: Group) -> list[dict[str, Any]]:
        return self.samples[group.start : group.start + group.n]

    def _ids(self, asked: tuple[str, str, str]) -> frozenset[str]:
        return frozenset(row["id"] for group in self.groups if group[:3] == asked for row in self._of(group))

    def _sample(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A sample's texts; a number in them is a picture's."""
        said = {
            "q": row["question"],
            "c": row["context"],
            "o": row["choices"],
            "i": self._numbers(row["images"]),
            "oi": self._numbers(row["choice_images"]),
            "r": [_part(part, self.pictures) for part in row["rationale"] or ()],
            "d": row["domain"],
            "k": row["category"],
            "s": row["source"],
            "p": row["provenance"],
        }
        return {key: value for key, value in said.items() if value not in (None, "", [])}

    def _numbers(self, ids: Iterable[str] | None) -> list[int]:
        return [self.pictures[one] for one in ids or () if one is not None]

    def _number_pictures(self) -> None:
        """Each picture by its id: questions' first, then options', rationales' and replies'."""
        asked = {_asked_of(one) for one in self.evaluations}
        first = [row for group in self.groups if group[:3] in asked for row in self._of(group)]
        rest = self.samples[len(first) :]
        for rows in (first, rest):
            for row in rows:
                for image_id in (*(row["images"] or ()), *(row["choice_images"] or ())):
                    self._picture(image_id)
        for row in self.samples:
            for part in row["rationale"] or ():
                self._picture(part["image_id"])
        for replies in self._replies:
            for image_id in replies.pictures():
                self._picture(image_id)

    def _picture(self, image_id: str | None) -> None:
        if image_id is not None:
            self.pictures.setdefault(image_id, len(self.pictures))


class _Replies:
    """The replies to one evaluation by sample, as the tables keep them until they are asked for."""

    def __init__(self, one: Evaluated, asked: Collection[str]) -> None:
        """The replies to the samples of these ids."""
        self._table = one.predictions.select(["line", "status", "turns", "choices"])
        self._rows: dict[str, list[int]] = {}
        self.others: Counter[str] = Counter()
        dropped = one.predictions["dropped"].to_pylist()
        for place, sample_id in enumerate(one.predictions["sample_id"].to_pylist()):
            if dropped[place] is not None:
                self.others[f"{DROPPED} ({dropped[place]})"] += 1
            elif sample_id in asked:
                self._rows.setdefault(sample_id, []).append(place)
            else:
                self.others[NO_SAMPLE if asked else NO_SAMPLES] += 1
        names = ("sample_id", "extractor", "line", "letter", "rule", "span", "status", "counted", "correct")
        self.first: dict[tuple[str, str], tuple[Any, ...]] = {}
        self._read: dict[tuple[str, int | None], tuple[Any, ...]] = {}
        columns = [one.answers[name].to_pylist() for name in names]
        for sample_id, extractor, line, *read in zip(*columns, strict=True):
            self.first.setdefault((extractor, sample_id), tuple(read))
            self._read[extractor, line] = tuple(read)

    @property
    def count(self) -> int:
        return sum(map(len, self._rows.values()))

    def pictures(self) -> Iterator[str]:
        """The ids of the pictures in the dialogues, in the order of the table."""
        turns = self._table["turns"].combine_chunks()
        if not len(turns):
            return
        parts = turns.flatten().field("parts").flatten()
        yield from (image_id for image_id in parts.field("image_id").to_pylist() if image_id is not None)

    def of(self, ids: Sequence[str]) -> list[list[dict[str, Any]]]:
        """The rows of replies to each of these samples."""
        wanted = [self._rows.get(sample_id, []) for sample_id in ids]
        rows = iter(self._table.take(pa.array([row for of in wanted for row in of], pa.int64())).to_pylist())
        return [list(islice(rows, len(of))) for of in wanted]

    def said(
        self, row: Mapping[str, Any], sample: Mapping[str, Any], pictures: Mapping[str, int], pool: dict[str, int]
    ) -> list[Any]:
        """A reply as the page has it: line, status, turns (role by number, parts), how extractors read it, its options.

        The options are those of its own record, None where they are the sample's. A part is the number of its text in
        `pool`, or -1 less the number of its picture.
        """
        turns = [
            [TURN_ROLES.index(turn["role"]), [_in_pool(part, pictures, pool) for part in turn["parts"] or ()]]
            for turn in row["turns"] or ()
        ]
        read = [_reading(self._read.get((extractor, row["line"]))) for extractor in EXTRACTORS]
        own = row["choices"] if row["choices"] is not None and row["choices"] != sample["choices"] else None
        return [row["line"], row["status"], turns, *read, own]


def _asked_of(one: Evaluated) -> tuple[str, str, str]:
    return one.benchmark, one.edition, one.split


def packed(value: Any) -> str:
    """`value` as JSON, deflated, in base64."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    return base64.b64encode(deflate.compress(plain) + deflate.flush()).decode()


def _split(editions: Sequence[Edition]) -> Iterator[tuple[tuple[str, str, str], list[dict[str, Any]]]]:
    """The kept samples of each split of each edition."""
    names = ("id", "topic", "task", "domain", "category", "question", "context", "choices", "answer", "rationale")
    columns = [*names, "images", "choice_images", "source", "provenance", "split", "dropped"]
    for one in editions:
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in one.samples.select(columns).to_pylist():
            if row["dropped"] is None and row["id"] is not None:
                rows.setdefault(row["split"] or "no split", []).append(row)
        for split, found in sorted(rows.items()):
            yield (one.benchmark, one.edition, split), found


def _topic(row: Mapping[str, Any]) -> str:
    return row["task"] or row["topic"] or "no topic"


def _part(part: Mapping[str, Any], pictures: Mapping[str, int]) -> str | int:
    image_id = part["image_id"]
    return pictures[image_id] if image_id is not None else part["text"] or ""


def _in_pool(part: Mapping[str, Any], pictures: Mapping[str, int], pool: dict[str, int]) -> int:
    image_id = part["image_id"]
    if image_id is not None:
        return -1 - pictures[image_id]
    return pool.setdefault(part["text"] or "", len(pool))


def _reading(read: tuple[Any, ...] | None) -> list[Any] | None:
    """Letter, rule, span, status, whether it is counted and whether it is right; None where nobody read the reply."""
    if read is None:
        return None
    letter, rule, span, status, counted, correct = read
    return [letter, rule, span, status, int(counted), int(correct)]


def _code(statuses: Sequence[str], read: tuple[Any, ...] | None) -> str:
    return NOT_ASKED if read is None else chr(ord("a") + statuses.index(read[3]))


def _letter(read: tuple[Any, ...] | None) -> str:
    if read is None:
        return NOT_ASKED
    return read[0] if read[0] is not None and read[0] in _LETTERS else "-"


def _right(paper: tuple[Any, ...] | None, strict: tuple[Any, ...] | None) -> str:
    """0 to 3: 1 for the published rule being right, 2 for the strict grammar."""
    if paper is None and strict is None:
        return NOT_ASKED
    return str(int(bool(paper and paper[5])) + 2 * int(bool(strict and strict[5])))
