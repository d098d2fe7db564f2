"""What chance and a constant answer reach on the samples of a split: no model is asked."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from assets.evaluation.rows import BASELINES, Answer, Baseline, Item, Score
from assets.evaluation.scores import scores
from assets.schema.sample import LETTERS
from assets.schema.vocabulary import BENCHMARKS, EDITIONS, SPLITS
from assets.statistics import wilson

RANDOM, MAJORITY = BASELINES

SEEDS = (1, 2, 3)
"""Of the attempts of the random baseline. Source: arXiv:2412.12932, D.2: the average of three attempts."""


def baselines(
    items: Mapping[tuple[str, str, str], Mapping[str, Item]], *, seeds: Sequence[int] = SEEDS, level: float
) -> list[Baseline]:
    """One row for each benchmark, edition and split with samples, baseline, scope and name, in these orders.

    random: one of the item's own letters, each as likely, drawn anew by each seed from the seed and the item's id
    alone, so that an item is answered the same whatever stands beside it. majority: the letter that is right most
    often in the split, the first of those that are equally often; a sample without such an option it has wrong.
    Scopes and means are those of `scores`.

    Args:
        items: the samples of each (benchmark, edition, split), by id.
        seeds: one attempt of the random baseline each.
        level: of the Wilson intervals.

    Raises:
        ValueError: there is no seed, or one stands there twice.

    On M3CoT's released test items random has 28.98 per cent, where arXiv:2405.16473, table 3, prints 28.56 and 29.07
    is to be expected: other draws, within two standard errors of each other.

    Source: arXiv:2412.12932, D.2 (random: one of four options, the average of three attempts).
    """
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"seeds: the random baseline needs one or more, each once (they are {list(seeds)})")
    rows: list[Baseline] = []
    for benchmark, edition, split in sorted(items, key=_place):
        asked = items[benchmark, edition, split]
        if not asked:
            continue
        most = majority(asked.values())
        tries = [[_answer(item, drawn(item, seed), RANDOM) for item in asked.values()] for seed in seeds]
        always = [[_answer(item, most, MAJORITY) for item in asked.values()]]
        expected = _expected(asked)
        for baseline, letter, attempts, used in (
            (RANDOM, None, tries, tuple(seeds)),
            (MAJORITY, most, always, ()),
        ):
            found = [
                scores(answers, asked, evaluation=baseline, level=level, benchmark=benchmark) for answers in attempts
            ]
            rows += [
                _row((benchmark, edition, split), baseline, letter, attempt, expected, used, level)
                for attempt in zip(*found, strict=True)
            ]
    return rows


def drawn(item: Item, seed: int) -> str:
    """The letter that the random baseline gives for an item: one of its options', each as likely."""
    return LETTERS[random.Random(f"{seed}/{item.id}").randrange(len(item.choices))]


def majority(items: Iterable[Item]) -> str | None:
    """The letter that is the label most often, the first of those that are equally often; None without an item."""
    counts = Counter(item.answer for item in items)
    return min(counts, key=lambda letter: (-counts[letter], letter), default=None)


def _place(key: tuple[str, str, str]) -> tuple[int, int, int]:
    return BENCHMARKS.index(key[0]), EDITIONS.index(key[1]), SPLITS.index(key[2])


def _answer(item: Item, letter: str | None, baseline: str) -> Answer:
    return Answer(None, item.id, baseline, letter, "baseline", None, "ok", item.answer, True, letter == item.answer)


def _expected(items: Mapping[str, Item]) -> dict[tuple[str, str], float]:
    """By scope and name the mean over its samples of 1 / number of options."""
    chances: dict[tuple[str, str], list[float]] = {}
    for item in items.values():
        chance = 1 / len(item.choices)
        belongs = {
            "total": "total",
            "domain": item.domain,
            "topic": item.topic,
            "category": item.category,
            "task": item.task,
        }
        for scope, name in belongs.items():
            if name is not None:
                chances.setdefault((scope, name), []).append(chance)
    return {place: fmean(values) for place, values in chances.items()}


def _row(
    place: tuple[str, str, str],
    baseline: str,
    letter: str | None,
    attempts: Sequence[Score],
    expected: Mapping[tuple[str, str], float],
    seeds: tuple[int, ...],
    level: float,
) -> Baseline:
    one = attempts[0]
    reached = [attempt.accuracy for attempt in attempts if attempt.accuracy is not None]
    correct = sum(attempt.correct for attempt in attempts)
    low, high = wilson(correct, one.n * len(attempts), level) or (None, None)
    return Baseline(
        benchmark=place[0],
        edition=place[1],
        split=place[2],
        baseline=baseline,
        scope=one.scope,
        name=one.name,
        letter=letter,
        n=one.n,
        accuracy=correct / (one.n * len(attempts)) if one.n else None,
        low=low,
        high=high,
        lowest=min(reached, default=None),
        highest=max(reached, default=None),
        macro_accuracy=_mean([attempt.macro_accuracy for attempt in attempts]),
        macro_f1=_mean([attempt.macro_f1 for attempt in attempts]),
        mean_f1=_mean([attempt.mean_f1 for attempt in attempts]),
        expected=expected.get((one.scope, one.name)),
        seeds=seeds,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
