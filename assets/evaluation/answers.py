"""Items and replies -> one answer a reply and extractor, what each policy counts, and what is set aside."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from assets.evaluation.extraction import paper
from assets.evaluation.rows import Answer, Item, Mismatch, Reply
from assets.flow import Flow, Quarantined
from assets.schema.vocabulary import EXTRACTORS, TASKS

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_EXCERPT = 200


Asked = tuple[Reply, Item]
Progress = Callable[[Sequence[Asked]], Iterable[Asked]]


class Answered(NamedTuple):
    """All answers of one evaluation, and what became of each of its replies.

    rows: by extractor in the order asked, within it by line of the reply, then the samples without one.
    missing: ids of samples without a reply, in the order of the items.
    """

    rows: list[Answer]
    quarantine: list[Quarantined]
    flow: Flow
    mismatches: list[Mismatch]
    missing: tuple[str, ...]


def answers(
    items: Mapping[str, Item],
    replies: Iterable[Reply],
    benchmark: str = "m3cot",
    *,
    extractors: Sequence[str] = EXTRACTORS,
    policy: str | None = None,
    several: bool = False,
    evaluation: str = "",
    file: str | None = None,
    unscorable: Mapping[str, str] | None = None,
    progress: Progress = iter,
) -> Answered:
    """The letter that each extractor reads from each reply, whether its policy counts it, and whether it is right.

    Policy `paper` counts as published: the first of a repeated id for M3CoT and every one for CoMT; samples without
    a reply not at all; unknown ids not at all for M3CoT, and as not_evaluable (wrong) for CoMT, whose script raises.
    Policy `strict` counts every item once; an item without a reply is wrong, status missing.
    Neither counts a reply to a sample of another split (other_split), of which the published scripts know one, or
    past the evaluation's limit (past_limit).
    Under either, all of these are listed in `quarantine` (duplicate_id, unknown_id, other_split, past_limit).

    With `several`, people answered, each of them once: every reply to a sample counts, under either policy, and none
    is a duplicate; `strict` adds a missing row for a sample that nobody answered. What the replies average to is then
    the mean over the participants where each answered as many samples. Where they did not, who answered more weighs
    more: two of whom one has 10 of 10 right and the other 0 of 90 come to 10 per cent here and to 50 per cent as
    their mean, which `assets.models.human.mean_accuracy` gives. Intervals of pooled replies take each reply as
    independent, and are too narrow where the same samples are answered again and again.

    Options: both extractors read a reply with the options of its own record if it gives any, since those letters are
    what the model saw, else with the item's. Where they differ the reply is listed in `mismatches`, and `strict`
    goes on: the same distinct texts in another order are told apart by their text; a letter beyond the item's
    options is none. `paper` compares letters, as published. The label is always the item's.

    Args:
        items: the samples of the split, by id.
        replies: one evaluation's replies; those that are `dropped` already do not enter here.
        benchmark: m3cot or comt.
        extractors: which to run.
        policy: paper or strict for all extractors; each follows its own name when None.
        several: whether a sample may have a reply of each participant.
        evaluation: its name, the source of the quarantine and flow rows.
        file: the replies' file, for the quarantine rows.
        unscorable: reasons for ids that are no item of the split, instead of unknown_id: of a record that is no
            item, other_split, or past_limit.
        progress: passes the replies on, one by one, to each extractor; a person may watch them go by.

    Source: the `metric` and `run` functions of the published evaluation scripts, for policy paper.
    """
    first: list[Asked] = []
    repeated: list[Asked] = []
    unknown: list[Reply] = []
    quarantine: list[Quarantined] = []
    mismatches: list[Mismatch] = []
    seen: set[str] = set()
    entered = 0
    for reply in replies:
        if reply.dropped is not None or reply.sample_id is None:
            continue
        entered += 1
        item = items.get(reply.sample_id)
        if item is None:
            reason = (unscorable or {}).get(reply.sample_id, "unknown_id")
            if reason not in ("other_split", "past_limit"):
                unknown.append(reply)
        elif reply.sample_id in seen and not several:
            repeated.append((reply, item))
            reason = "duplicate_id"
        else:
            seen.add(reply.sample_id)
            first.append((reply, item))
            if reply.choices is not None and reply.choices != item.choices:
                mismatches.append(_mismatch(reply, item))
            continue
        excerpt = None if reply.text is None else reply.text[:_EXCERPT]
        quarantine.append(
            Quarantined(
                source=evaluation, file=file, line=reply.line, key=reply.sample_id, reason=reason, excerpt=excerpt
            )
        )
    missing = tuple([sample_id for sample_id in items if sample_id not in seen])
    rows: list[Answer] = []
    for extractor in extractors:
        followed = policy or extractor
        every = followed == "paper" and benchmark == "comt"
        counted = sorted([*first, *repeated], key=lambda pair: pair[0].line) if every and repeated else first
        watched = progress(counted)
        rows += _read_paper(watched, benchmark) if extractor == "paper" else _read_strict(watched)
        if every:
            rows += [_unread(reply.line, reply.sample_id or "", extractor) for reply in unknown]
        rows += [_missing(items[key], extractor, counted=followed == "strict") for key in missing]
    reasons: dict[str, int] = {}
    for row in quarantine:
        reasons[row.reason] = reasons.get(row.reason, 0) + 1
    retained = entered - len(quarantine)
    flow = Flow(
        stage="evaluation/answers",
        source=evaluation,
        entered=entered,
        generated=0,
        retained=retained,
        discarded=0,
        quarantined=len(quarantine),
        reasons=dict(sorted(reasons.items())),
    )
    return Answered(rows, quarantine, flow, mismatches, missing)


def _unread(line: int, sample_id: str, extractor: str) -> Answer:
    return Answer(
        line=line,
        sample_id=sample_id,
        extractor=extractor,
        letter=None,
        rule="unknown_id",
        span=None,
        status="not_evaluable",
        label="",
        counted=True,
        correct=False,
    )


def _missing(item: Item, extractor: str, *, counted: bool) -> Answer:
    return Answer(
        line=None,
        sample_id=item.id,
        extractor=extractor,
        letter=None,
        rule="missing",
        span=None,
        status="missing",
        label=item.answer,
        counted=counted,
        correct=False,
    )


# Both readers build 111 thousand rows of the 24 released files: there Answer takes its fields by place.
def _read_paper(counted: Iterable[Asked], benchmark: str) -> list[Answer]:
    rows = []
    for reply, item in counted:
        choices = item.choices if reply.choices is None else reply.choices
        letter, rule, span, status, _ = paper.extract(reply.text, choices, benchmark)
        if benchmark == "comt" and item.task not in TASKS:
            letter, rule, span, status = None, "unknown_task", None, "not_evaluable"
        if reply.status != "ok" and status != "not_evaluable":
            status = reply.status
        rows.append(
            Answer(reply.line, item.id, "paper", letter, rule, span, status, item.answer, True, letter == item.answer)
        )
    return rows


def _read_strict(counted: Iterable[Asked]) -> list[Answer]:
    # local: its patterns take a while to compile, and the published extractor needs none of them
    from assets.evaluation.extraction import strict

    rows = []
    for reply, item in counted:
        choices = item.choices if reply.choices is None else reply.choices
        letter: str | None = None
        rule, span, status = "status", None, reply.status
        if reply.text is not None:
            # an option that is no text has none to be read
            texts = [choice or "" for choice in choices]
            letter, rule, span, status, _ = strict.extract(reply.text, texts, reply.status)
        if letter is not None and choices != item.choices:
            letter, rule, status = _in_item(letter, rule, status, choices, item.choices)
        rows.append(
            Answer(reply.line, item.id, "strict", letter, rule, span, status, item.answer, True, letter == item.answer)
        )
    return rows


def _in_item(
    letter: str, rule: str, status: str, recorded: tuple[str | None, ...], listed: tuple[str | None, ...]
) -> tuple[str | None, str, str]:
    """The letter among the item's options for a letter among the record's."""
    place = LETTERS.index(letter)
    if _rearranged(recorded, listed):
        return LETTERS[listed.index(recorded[place])], rule, status
    return (letter, rule, status) if place < len(listed) else (None, "beyond_item", "none")


def _rearranged(recorded: tuple[str | None, ...], listed: tuple[str | None, ...]) -> bool:
    return len(recorded) == len(listed) == len(set(listed)) and set(recorded) == set(listed)


def _mismatch(reply: Reply, item: Item) -> Mismatch:
    recorded = reply.choices or ()
    return Mismatch(reply.line, item.id, recorded, item.choices, _rearranged(recorded, item.choices))
