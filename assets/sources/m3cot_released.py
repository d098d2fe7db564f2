"""Released benchmark items (M3CoT's, and CoMT's data.jsonl) -> rows of table `sample`, and items to score against."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import orjson

from assets.evaluation.extraction import paper
from assets.evaluation.rows import Item
from assets.schema.sample import LETTERS, Part, Sample
from assets.sources.jsonlines import EXCERPT, Record, Unreadable

SPLIT_NAMES = {"train": "train", "validation": "validation", "dev": "validation", "test": "test"}
"""How releases name their splits. Source: M3CoT's hub data set says validation, its files say dev."""

OPTIONS = {"m3cot": "choices", "comt": "option"}
"""The key that holds an item's options. Source: the records of both releases."""

_TEXTS = frozenset({str})


class NoItem(NamedTuple):
    """Why a record is no item: the reason, and the id where it has one."""

    reason: str
    id: str | None


def samples(
    lines: Iterable[tuple[int, Record | Unreadable]],
    *,
    file: str,
    benchmark: str = "m3cot",
    source: str = "m3cot_released",
    provenance: str = "released",
    split: str = "test",
    seen: set[str] | None = None,
) -> Iterator[Sample]:
    """Each line of a file of items as one row of table `sample`, in the file's order, the unreadable ones included.

    The reasons in `dropped` are those of `jsonlines.read`, and: no_id, no_choices, too_many_choices, no_answer,
    answer_past_choices (a number that is no option's), duplicate_id (the first of an id stays).
    Texts are kept as they are. An item's own `split` wins over `split`, in either spelling of validation.

    Args:
        lines: what `jsonlines.read` gives.
        file: what the file is called in the quarantined rows.
        benchmark: m3cot (choices, domain, topic) or comt (option, type).
        source: the upstream's name in the rows.
        provenance: which step made the rows; says so where they were generated.
        split: the split of items that name none.
        seen: the ids of files read before, where a release has several; it is added to.

    Source: the records of M3CoT's released predictions; CoMT's README for data.jsonl.
    """
    seen = set() if seen is None else seen
    for number, record in lines:
        if isinstance(record, Unreadable):
            reason, sample_id, excerpt = record.reason, None, record.excerpt
        else:
            found = item(record, benchmark)
            if isinstance(found, Item) and found.id not in seen:
                seen.add(found.id)
                yield _sample(found, record, benchmark, source, provenance, split)
                continue
            reason = "duplicate_id" if isinstance(found, Item) else found.reason
            sample_id, excerpt = found.id, _excerpt(record)
        yield Sample(
            id=sample_id,
            benchmark=benchmark,
            source=source,
            source_id=sample_id,
            provenance=provenance,
            split=split,
            dropped=reason,
            quarantined=(file, number, excerpt),
        )


def item(record: Record, benchmark: str = "m3cot") -> Item | NoItem:
    """The item that a record holds, or why it holds none.

    Options that are no text are None for M3CoT (its published script raises on them) and their text for CoMT (its
    script takes str of them). An answer that is a number becomes its letter, as both scripts have it.
    """
    sample_id = identifier(record)
    if sample_id is None:
        return NoItem("no_id", None)
    choices = options(record.get(OPTIONS[benchmark]), benchmark)
    if not choices:
        return NoItem("no_choices", sample_id)
    if len(choices) > len(LETTERS):
        return NoItem("too_many_choices", sample_id)
    try:
        answer = paper.gold_letter(record.get("answer"), benchmark)
    except IndexError:
        return NoItem("answer_past_choices", sample_id)
    if not isinstance(answer, str) or not answer:
        return NoItem("no_answer", sample_id)
    get = record.get
    if benchmark == "comt":
        return Item(sample_id, choices, answer, None, None, None, _text(get("type")))
    return Item(sample_id, choices, answer, _text(get("domain")), _text(get("topic")), _text(get("category")), None)


def items(rows: Iterable[Sample]) -> dict[str, Item]:
    """The kept samples as items by id, in order."""
    return {
        row.id: Item(row.id, row.choices, row.answer, row.domain, row.topic, row.category, row.task)
        for row in rows
        if row.dropped is None and row.id is not None and row.choices is not None and row.answer is not None
    }


def identifier(record: Record) -> str | None:
    """The record's id as text; None when it has none. A whole number counts as the text of its digits."""
    value = record.get("id")
    if type(value) is str:
        return value or None
    return str(value) if type(value) is int else None


def options(value: Any, benchmark: str) -> tuple[str | None, ...] | None:
    """Option texts in letter order; None when the record gives none.

    What is no text is None inside (M3CoT) or its str (CoMT); a value that is no list is one such option.
    """
    if value is None:
        return None
    if type(value) is not list:
        return (None,)
    if benchmark == "comt":
        return tuple(map(str, value))
    if _TEXTS.issuperset(map(type, value)):
        return tuple(value)
    return tuple([option if type(option) is str else None for option in value])


def _sample(found: Item, record: Record, benchmark: str, source: str, provenance: str, split: str) -> Sample:
    prefix, dash, _ = found.id.rpartition("-")
    own = record.get("split")
    rationale = _text(record.get("rationale"))
    return Sample(
        id=found.id,
        benchmark=benchmark,
        source=source,
        source_id=found.id,
        provenance=provenance,
        domain=found.domain,
        topic=found.topic,
        subtopic=prefix if dash and benchmark == "m3cot" else None,
        category=found.category,
        task=found.task,
        question=_text(record.get("question")),
        context=_text(record.get("context")),
        # an option that is no text is None in released files only: what construction takes are texts
        choices=cast("tuple[str, ...]", found.choices),
        answer=found.answer,
        rationale=None if rationale is None else (Part("text", rationale, None),),
        split=SPLIT_NAMES.get(own, split) if isinstance(own, str) else split,
    )


def _text(value: Any) -> str | None:
    return value if type(value) is str else None


def _excerpt(record: Record) -> str:
    try:
        return orjson.dumps(record).decode()[:EXCERPT]
    except orjson.JSONEncodeError:
        # nested deeper than orjson writes, though not than it reads: its keys say what it was
        return ", ".join(record)[:EXCERPT]
