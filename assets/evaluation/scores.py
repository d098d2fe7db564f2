"""Answers -> scores: micro and macro accuracy with intervals, Macro-F1, counts by status, for every scope."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import attrgetter

from assets.evaluation.labels import errata
from assets.evaluation.rows import Answer, Evaluation, Item, Score
from assets.schema.faults import Fault
from assets.schema.vocabulary import DOMAINS, SCOPES, TASKS, TOPICS
from assets.statistics import f1_means, macro_accuracy, macro_f1, wilson

_KNOWN: Mapping[str, tuple[str, ...]] = {"domain": DOMAINS, "topic": TOPICS, "task": TASKS}
_NO_REPLY = ("error", "missing")

_NOWHERE = Item("", (), "", None, None, None, None)
"""Where an id belongs that is no sample's (CoMT counts such a reply as wrong)."""

_Counted = tuple[str, str | None, bool, str, str | None]
"""Of one counted sample: its label, the letter read, whether they are equal, the status, the topic or task."""

_Fraction = float | None
_Result = tuple[
    int, int, _Fraction, _Fraction, _Fraction, _Fraction, _Fraction, _Fraction, _Fraction, int, dict[str, int]
]
"""The columns of Score from n on."""


def of_all(
    answers: Mapping[str, Sequence[Answer]],
    items: Mapping[str, Mapping[str, Item]],
    evaluations: Mapping[str, Evaluation],
    *,
    labels: Sequence[str],
    level: float,
) -> Iterator[Score]:
    """The scores of every evaluation with answers, under every label set, in these orders.

    Args:
        answers: by evaluation.
        items: by evaluation the samples that it was asked, by id.
        evaluations: what each was asked.
        labels: the label sets to score against.
        level: of the Wilson intervals.

    Raises:
        Fault: answers were made of other samples than those of the evaluation's split.
        ValueError: there is no such label set.
    """
    for name, found in answers.items():
        benchmark = evaluations[name].benchmark
        asked = items[name]
        strange = {answer.sample_id for answer in found if answer.rule != "unknown_id"} ^ asked.keys()
        if strange:
            raise Fault(
                f"evaluation/answers: {name} was answered on other samples than {of(evaluations[name])} has now "
                f"({len(strange)} differ, such as {min(strange)}): materialize evaluation/answers"
            )
        for label_set in labels:
            yield from scores(found, asked, evaluation=name, labels=label_set, level=level, benchmark=benchmark)


def of(evaluation: Evaluation) -> str:
    """The samples that an evaluation was asked, in words."""
    return f"{evaluation.benchmark} ({evaluation.edition}) {evaluation.split}"


def scores(
    answers: Iterable[Answer],
    items: Mapping[str, Item],
    *,
    evaluation: str,
    labels: str = "released",
    level: float = 0.95,
    scopes: Sequence[str] = SCOPES,
    policy: str | None = None,
    benchmark: str = "m3cot",
) -> list[Score]:
    """One score an extractor, scope and name within it: domains, topics and tasks in their tables' order, then A-Z.

    total is one row. A scope of which the items say nothing (CoMT has no topic, M3CoT no task) has no rows. A
    domain, topic or task of the benchmark that no item has stays in the table with n 0 and every fraction None.
    accuracy is micro (correct / n). macro_accuracy is the mean over the topics (CoMT: tasks) with a counted sample,
    those with nothing right included; mean_f1 is the mean of their Macro-F1, each over its own labels. missing
    counts samples without a reply, whether or not the policy counts them. errors_excluded is the accuracy over the
    counted samples whose status is neither error nor missing.

    Args:
        answers: what `answers` gives, of one evaluation.
        items: the samples of the split, by id.
        evaluation: its name in the rows.
        labels: the label set to score against.
        level: of the Wilson intervals.
        scopes: which to score, in this order.
        policy: what the answers were counted by; each extractor's own name when None.
        benchmark: m3cot or comt.

    Raises:
        ValueError: there is no such label set.
    """
    changed = errata(labels, benchmark)
    unit = attrgetter("task" if benchmark == "comt" else "topic")
    by_extractor: dict[str, list[Answer]] = {}
    for answer in answers:
        by_extractor.setdefault(answer.extractor, []).append(answer)
    listed = {scope: listed_names(scope, items) for scope in scopes}
    rows: list[Score] = []
    for extractor, read in by_extractor.items():
        counted = [answer for answer in read if answer.counted]
        if changed:
            counted = [_relabelled(answer, changed) if answer.sample_id in changed else answer for answer in counted]
        missing = [items[answer.sample_id] for answer in read if answer.status == "missing"]
        places = [items.get(answer.sample_id, _NOWHERE) for answer in counted]
        samples: list[_Counted] = [
            (answer.label, answer.letter, answer.correct, answer.status, name)
            for answer, name in zip(counted, map(unit, places), strict=True)
        ]
        for scope, names in listed.items():
            groups: dict[str, list[_Counted]] = {name: [] for name in names}
            if scope == "total":
                groups["total"] = samples
                lacking = Counter({"total": len(missing)})
            else:
                belongs = attrgetter(scope)
                for name, sample in zip(map(belongs, places), samples, strict=True):
                    if name is not None:
                        groups[name].append(sample)
                lacking = Counter(map(belongs, missing))
            rows += [
                Score(
                    evaluation,
                    extractor,
                    policy or extractor,
                    labels,
                    scope,
                    name,
                    *_result(group, level, lacking[name]),
                )
                for name, group in groups.items()
            ]
    return rows


def _relabelled(answer: Answer, changed: Mapping[str, str]) -> Answer:
    label = changed[answer.sample_id]
    return answer._replace(label=label, correct=answer.letter == label)


def listed_names(scope: str, items: Mapping[str, Item]) -> list[str]:
    """The names that a scope has for these items, in the order of its table: none if the items do not say."""
    if scope == "total":
        return ["total"]
    found = set(map(attrgetter(scope), items.values())) - {None}
    known = _KNOWN.get(scope, ())
    if found.isdisjoint(known):
        return sorted(found)
    return [*known, *sorted(found.difference(known))]


def _result(group: Sequence[_Counted], level: float, missing: int) -> _Result:
    n = len(group)
    if n == 0:
        return 0, 0, None, None, None, None, None, None, None, missing, {}
    golds, letters, hits, statuses, units = zip(*group, strict=True)
    correct = sum(hits)
    low, high = wilson(correct, n, level) or (None, None)
    by_status = dict(sorted(Counter(statuses).items()))
    replied = n - sum(by_status.get(status, 0) for status in _NO_REPLY)
    excluded: float | None = correct / n
    if replied < n:
        right = sum(compress(hits, [status not in _NO_REPLY for status in statuses]))
        excluded = right / replied if replied else None
    known = set(units)
    if len(known) > 1:
        f1, mean = f1_means(units, golds, letters)
    else:
        f1 = macro_f1(golds, letters)
        mean = None if None in known else f1
    if None in known:
        named = [unit is not None for unit in units]
        macro = macro_accuracy(list(compress(units, named)), list(compress(hits, named)))
    else:
        macro = correct / n if len(known) == 1 else macro_accuracy(units, hits)
    return n, correct, correct / n, low, high, macro, f1, mean, excluded, missing, by_status
