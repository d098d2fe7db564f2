"""A night: every live evaluation asked anew, its answers and scores, and what changed since its last good night."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from assets.evaluation import stored
from assets.evaluation.differences import difference
from assets.evaluation.rows import Answer, Difference, Evaluation, Score
from assets.evaluation.scores import of_all
from assets.models.model import FINAL
from assets.schema.faults import Fault
from assets.schema.tables import TABLES, as_table
from assets.schema.vocabulary import EXTRACTORS

STRICT = "strict"
"""The extractor of the headline; the other one is in the tables."""

NOTHING_IS_LIVE = (
    "no evaluation is live, so there is nobody to ask: set `live: true` under evaluations.NAME in params.yaml"
)
TABLES_OF = {
    "predictions": "prediction",
    "asked": "asked",
    "answers": "answer",
    "scores": "score",
    "changes": "change",
    "history": "night",
}
"""The tables of `nightly/*` by their names; history is one for all nights, the others are of one."""

UNHEARD = frozenset(
    ("live", "asking", "published", "price_in", "price_out", "key_variables", "timeout_s", "retries", "concurrency")
)
"""Settings of an evaluation and its model that no reply depends on."""

FAILED = frozenset(("error", "filtered"))
"""Statuses of a reply that the service is to blame for."""

LONGEST_REASON = 500
_SECRET = re.compile(r"(?i)\b(?:bearer\s+|sk-)[^\s'\"]+")

Samples = Mapping[tuple[str, str], pa.Table]
"""The samples of each (benchmark, edition)."""


class Live(NamedTuple):
    """A live evaluation as params.yaml has it now; `settings` is a digest of all it says of it and its model."""

    evaluation: str
    benchmark: str
    edition: str
    split: str
    limit: int | None
    settings: str


class Replies(NamedTuple):
    """What asking one evaluation came to: a table `prediction`, and figures for the person who looks at it."""

    table: pa.Table
    facts: Mapping[str, Any]


Ask = Callable[[str, str], Replies]
"""Asks an evaluation, by name, under an asking; raises a Fault when it cannot be asked to the end."""


class Asked(NamedTuple):
    """Table `asked`: one live evaluation as one night asked it."""

    day: str
    evaluation: str
    benchmark: str
    edition: str
    split: str
    limit: int | None
    asking: str
    settings: str
    good: bool
    reason: str | None
    statuses: dict[str, int]


class Night(NamedTuple):
    """One night's replies, how each live evaluation was asked, and its figures by evaluation."""

    predictions: pa.Table
    asked: list[Asked]
    facts: dict[str, Mapping[str, Any]]


class Change(NamedTuple):
    """Table `change`: one evaluation of one night beside its last good night before.

    left_out: samples whose reply failed in either night, which say nothing of the model.
    """

    day: str
    evaluation: str
    compared_with: str
    extractor: str
    policy: str
    labels: str
    n: int
    both: int
    only_now: int
    only_before: int
    neither: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    same_settings: bool
    left_out: int


def asking_of(day: str, attempt: int = 1) -> str:
    """The asking of a night: `night-2026-11-30`, and `night-2026-11-30-2` when it is asked a second time.

    Raises:
        Fault: there is no such attempt.
    """
    if attempt < 1:
        raise Fault(f"attempt {attempt}: a night is asked a first time (1), then again (2, …)")
    return f"night-{day}" + (f"-{attempt}" if attempt > 1 else "")


def attempt_of(asking: str) -> int:
    """Which attempt at its night an asking is."""
    found = re.fullmatch(r"night-\d{4}-\d{2}-\d{2}(?:-(\d+))?", asking)
    return int(found[1]) if found and found[1] else 1


def settings_digest(evaluation: Mapping[str, Any], *models: Mapping[str, Any]) -> str:
    """A digest of what decides an evaluation's replies; whether it is live, and its asking, do not.

    models: its model, and what that is made of: the models that it asks in its turn, or its training.
    """
    said = [{key: value for key, value in one.items() if key not in UNHEARD} for one in (evaluation, *models)]
    return hashlib.md5(json.dumps(said, sort_keys=True).encode()).hexdigest()


def night(day: str, asking: str, live: Sequence[Live], ask: Ask, former: Night | None = None) -> Night:
    """Every live evaluation asked under `asking`, one after the other; one that fails does not stop the others.

    What is there of the night (`former`) stays for an evaluation that was good and is not live now, and for one that
    cannot be asked again: that one keeps its replies and their asking, and says why it has no newer ones.

    Raises:
        Fault: no evaluation is live.
    """
    if not live:
        raise Fault(NOTHING_IS_LIVE)
    tables: list[pa.Table] = []
    rows: list[Asked] = []
    facts: dict[str, Mapping[str, Any]] = {}
    kept = {row.evaluation: row for row in former.asked if row.good} if former else {}
    for one in live:
        replies, reason = _asked(one.evaluation, asking, ask)
        if replies is None and former is not None and one.evaluation in kept:
            tables.append(_of(former.predictions, one.evaluation))
            rows.append(kept.pop(one.evaluation)._replace(reason=reason))
            continue
        kept.pop(one.evaluation, None)
        if replies is not None:
            tables.append(replies.table)
            facts[one.evaluation] = replies.facts
        statuses = sorted(Counter(replies.table["status"].to_pylist()).items()) if replies else ()
        where = (one.benchmark, one.edition, one.split, one.limit)
        rows.append(Asked(day, one.evaluation, *where, asking, one.settings, reason is None, reason, dict(statuses)))
    for name, row in sorted(kept.items()):
        tables.append(_of(former.predictions, name) if former else TABLES["prediction"].schema.empty_table())
        rows.append(row)
    empty = TABLES["prediction"].schema.empty_table()
    return Night(pa.concat_tables([empty, *tables]) if tables else empty, rows, facts)


def _asked(evaluation: str, asking: str, ask: Ask) -> tuple[Replies | None, str | None]:
    # What goes wrong with one model, foreseen or not, must not take the others' night: it is told, and checked.
    try:
        replies = ask(evaluation, asking)
    except Fault as fault:
        return None, _reason(str(fault))
    except Exception as error:
        return None, _reason(f"{type(error).__name__}: {error}")
    if not replies.table.num_rows:
        return None, "nothing was asked, and nothing replied"
    statuses = Counter(replies.table["status"].to_pylist())
    if FINAL.isdisjoint(statuses):
        return None, f"none of {replies.table.num_rows} dialogues got a reply ({printed(statuses)})"
    return replies, None


def printed(statuses: Mapping[str, int]) -> str:
    """Counts by status in words, the most frequent first."""
    return ", ".join(f"{n} {status}" for status, n in sorted(statuses.items(), key=lambda one: (-one[1], one[0])))


def _reason(words: str) -> str:
    return _SECRET.sub("[hidden]", " ".join(words.split()))[:LONGEST_REASON]


def asked_rows(table: pa.Table) -> list[Asked]:
    """What a table `asked` keeps."""
    return [
        Asked(**row | {"statuses": {status["status"]: status["n"] for status in row["statuses"] or ()}})
        for row in table.to_pylist()
    ]


def evaluations(rows: Iterable[Asked]) -> dict[str, Evaluation]:
    """What the good evaluations of a night were asked, as scoring takes it."""
    return {
        row.evaluation: Evaluation(row.benchmark, row.split, None, row.edition, row.limit, "nightly/predictions")
        for row in rows
        if row.good
    }


def answers(predictions: pa.Table, asked: Sequence[Asked], samples: Samples) -> pa.Table:
    """The table `answer` of a night's good evaluations."""
    good = evaluations(asked)
    found = stored.answered(samples, {name: _of(predictions, name) for name in good}, good)
    return as_table("answer", stored.answer_rows(found))


def scores(
    answers: pa.Table, asked: Sequence[Asked], samples: Samples, labels: Sequence[str], level: float
) -> list[Score]:
    """The scores of a night's good evaluations, as those of record are scored."""
    good = evaluations(asked)
    found = stored.answers_by_evaluation(answers, good)
    return list(of_all(found, stored.items_by_evaluation(samples, good), good, labels=labels, level=level))


def changes(
    day: str,
    answers: Mapping[str, pa.Table],
    asked: Mapping[str, pa.Table],
    labels: Sequence[str],
    level: float,
) -> list[Change]:
    """Each good evaluation of a night beside its last good night before, on the samples that both count.

    A sample whose reply failed in either (error or filtered) is left out: an outage is no change of the model.

    Args:
        day: the night.
        answers: tables `answer` by night; only those that are compared are looked up.
        asked: tables `asked` by night.
        labels: the label sets to score against.
        level: of the paired intervals.
    """
    before = {other: _good(asked[other]) for other in sorted(asked, reverse=True) if other < day and other in answers}
    rows: list[Change] = []
    held: dict[str, pa.Table] = {}
    for name, now in sorted(_good(asked[day]).items()):
        last = next((other for other, good in before.items() if name in good), None)
        if last is None:
            continue
        for one in (day, last):
            if one not in held:
                held[one] = answers[one]
        read = {one: _answers(held[one], name) for one in (day, last)}
        same = now.settings == before[last][name].settings
        asked_both = [{answer.sample_id for answer in read[one]} for one in (day, last)]
        failed = {answer.sample_id for one in (day, last) for answer in read[one] if answer.status in FAILED}
        left_out = len(set.intersection(*asked_both) & failed)
        for extractor in EXTRACTORS:
            for label_set in labels:
                found = difference(
                    read[day],
                    read[last],
                    a=day,
                    b=last,
                    extractor=extractor,
                    labels=label_set,
                    level=level,
                    benchmark=now.benchmark,
                    within=set.union(*asked_both) - failed,
                )
                rows.append(_change(day, name, last, found, same)._replace(left_out=left_out))
    return _adjusted(rows)


def headline(changes: Iterable[Change], labels: str) -> list[Change]:
    """The changes under the strict extractor and this label set."""
    return [change for change in changes if (change.extractor, change.labels) == (STRICT, labels)]


def change_rows(table: pa.Table) -> list[Change]:
    """What a table `change` keeps."""
    return [Change(**row) for row in table.to_pylist()]


def holm(values: Mapping[str, float]) -> dict[str, float]:
    """The p values of several tests, each corrected so that the chance of any false alarm stays at the level.

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
    """
    found: dict[str, float] = {}
    least = 0.0
    for place, name in enumerate(sorted(values, key=lambda name: values[name])):
        least = max(least, min(1.0, (len(values) - place) * values[name]))
        found[name] = least
    return found


def _adjusted(rows: Sequence[Change]) -> list[Change]:
    ways = {(row.extractor, row.labels) for row in rows}
    corrected = {
        way: holm({row.evaluation: row.p for row in rows if (row.extractor, row.labels) == way and row.p is not None})
        for way in ways
    }
    return [row._replace(p_adjusted=corrected[row.extractor, row.labels].get(row.evaluation)) for row in rows]


def _change(day: str, name: str, last: str, found: Difference, same: bool) -> Change:
    return Change(
        day=day,
        evaluation=name,
        compared_with=last,
        extractor=found.extractor,
        policy=found.policy,
        labels=found.labels,
        n=found.n,
        both=found.both,
        only_now=found.only_a,
        only_before=found.only_b,
        neither=found.neither,
        difference=found.difference,
        low=found.low,
        high=found.high,
        p=found.p,
        p_adjusted=None,
        same_settings=same,
        left_out=0,
    )


def _good(table: pa.Table) -> dict[str, Asked]:
    return {row.evaluation: row for row in asked_rows(table) if row.good}


def _of(table: pa.Table, evaluation: str) -> pa.Table:
    return table.filter(pc.equal(table["evaluation"], evaluation))


def _answers(table: pa.Table, evaluation: str) -> list[Answer]:
    return stored.answers_by_evaluation(_of(table, evaluation), [evaluation]).get(evaluation, [])
