"""A small GeoQA+ drawn by rule, in its own files: train.pk, dev.pk and test.pk, pickled lists of records with pictures.

A fifth of the problems are in Chinese, as all of upstream's are; the rest are in English.
"""

import pickle
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assets.sources.generated.annotators import Truth
from assets.sources.generated.geoqa_figure import figure
from assets.sources.generated.geoqa_lengths import FAMILIES
from assets.sources.generated.geoqa_problems import Problem, Value, Words

LEAST = 40
OPTIONS = 4
LETTERS = "ABCD"
SPLITS = {"train": 0.7, "dev": 0.1, "test": 0.2}
# As GeoQA's own files have it: older readers take no later one.
PROTOCOL = 4
CHINESE, INCOMPLETE, COLOURED, SLIPS = 0.2, 0.3, 0.1, 0.7
# Share of the items by what was planted in them; each occurs once at least.
PLANTED = {
    "no_solution": 0.015,
    "undescribed": 0.02,
    "label_past_options": 0.01,
    "no_picture": 0.01,
    "contradicting": 0.015,
    "no_array": 0.008,
    "duplicate_id": 0.008,
}


class Item(NamedTuple):
    """One record of the file, and its whole question where the record's own lacks a fact that the picture shows."""

    record: dict[str, Any]
    whole: str | None


def draw_geoqa(folder: Path, *, seed: int, count: int) -> list[Truth]:
    """What is true of each item, by split and id; writes train.pk, dev.pk and test.pk.

    Raises:
        ValueError: a count too small to hold every defect.

    Source: keys of GeoQA+'s pickled records; problems, solutions and pictures are ours.
    """
    if count < LEAST:
        raise ValueError(f"generated GeoQA+: {count} items cannot hold every defect: give {LEAST} or more")
    rng = random.Random(f"{seed}/geoqa")
    kinds = _kinds(count, rng)
    languages = ["zh"] * round(CHINESE * count)
    languages += ["en"] * (count - len(languages))
    rng.shuffle(languages)
    ends = [round(sum(list(SPLITS.values())[: place + 1]) * count) for place in range(len(SPLITS))]
    places = _places(count, rng)
    contents: dict[str, list[dict[str, Any]]] = {name: [] for name in SPLITS}
    truths = []
    whole = 0
    for number, kind in enumerate(kinds):
        split = next(name for name, end in zip(SPLITS, ends, strict=True) if number < end)
        problem = FAMILIES[number % len(FAMILIES)](rng)
        item = _item(problem, number + 1, languages[number], places[number], rng)
        _plant(item.record, kind, whole, rng)
        contents[split].append(item.record)
        if kind == "duplicate_id":
            continue
        whole = number + 1 if kind is None else whole
        edits = ((0, item.whole),) if item.whole is not None and kind is None else ()
        truths.append(Truth(f"geoqa-{split}-{number + 1}", edits=edits, defect=kind, arrives=kind is None))
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in contents.items():
        (folder / f"{name}.pk").write_bytes(pickle.dumps(records, protocol=PROTOCOL))
    return truths


def planted(count: int) -> dict[str, int]:
    """How many of `count` items have each defect."""
    return {kind: max(1, round(share * count)) for kind, share in PLANTED.items()}


def options(right: Value, wrong: Sequence[Value], rank: int, rng: random.Random) -> list[Value]:
    """Four different values in ascending order, the right one at `rank`.

    They are equally far apart, so that nothing but the problem tells them apart; the outermost of one side may be what
    a slip in the reckoning gives, unless it is the right one.
    """
    step = (5 if right.times < 100 else 10) if right.unit == "°" else max(1, round(right.times / 7))
    values = [right._replace(times=right.times + (place - rank) * step) for place in range(OPTIONS)]
    last = rng.choice((0, OPTIONS - 1))
    slips = [
        value
        for value in wrong
        if not (value.unit == "°" and value.times >= 180)
        and (value.number < values[0].number if last == 0 else value.number > values[-1].number)
    ]
    if slips and last != rank and rng.random() < SLIPS:
        values[last] = rng.choice(slips)
    return values


def question(words: Words, chinese: bool, without: int | None = None) -> str:
    """The question, all given facts in their order but for the one at `without`."""
    told = [fact for place, fact in enumerate(words.told) if place != without]
    if chinese:
        return f"如图,{','.join(told)},则{words.ask}()"
    return f"As shown in the figure, {', '.join(told)}, then {words.ask} ()"


def _item(problem: Problem, number: int, language: str, place: tuple[int, int], rng: random.Random) -> Item:
    label, rank = place
    chinese = language == "zh"
    words = problem.chinese if chinese else problem.english
    values = options(problem.right, problem.wrong, rank, rng)
    values.remove(problem.right)
    rng.shuffle(values)
    values.insert(label, problem.right)
    whole = question(words, chinese)
    incomplete = rng.random() < INCOMPLETE
    asked = question(words, chinese, problem.seen) if incomplete else whole
    closing = f"故选{rng.choice(':：')}{LETTERS[label]}。" if chinese else f"So the answer is {LETTERS[label]}."
    record: dict[str, Any] = {
        "id": number,
        "subject": asked,
        "choices": [value.text for value in values],
        "label": label,
        "answer": f"解:{''.join(words.steps)}{closing}" if chinese else " ".join((*words.steps, closing)),
        "image": _pixels(problem, rng.random() < COLOURED),
        "formal_point": list(problem.points),
        "numbers": list(problem.numbers),
        "choice_nums": [round(value.number, 3) for value in values],
        "token_list": re.findall(r"[A-Z]+|\d+|[^\s]", asked) if chinese else asked.split(),
        "manual_program": [],
    }
    return Item(record, whole if incomplete else None)


def _pixels(problem: Problem, coloured: bool) -> Any:
    import numpy as np

    picture = figure(problem)
    # A copy of its own: an array that shares memory is pickled otherwise.
    return np.array(picture.convert("RGB") if coloured else picture, dtype=np.uint8, order="C")


def _plant(record: dict[str, Any], kind: str | None, taken: int, rng: random.Random) -> None:
    if kind == "no_solution":
        record["answer"] = ""
    elif kind == "undescribed":
        chinese = record["subject"].startswith("如图")
        ask = record["subject"].rpartition(",")[2].strip().removeprefix("then ")
        record["subject"] = f"如图,{ask}" if chinese else f"As shown in the figure, {ask}"
    elif kind == "label_past_options":
        record["label"] = OPTIONS + rng.randint(0, 2)
    elif kind == "no_picture":
        record["image"] = None
    elif kind == "no_array":
        record["image"] = [[255, 0], [0, 255]]
    elif kind == "contradicting":
        letter, other = LETTERS[record["label"]], LETTERS[(record["label"] + rng.randint(1, 3)) % OPTIONS]
        head, _, tail = record["answer"].rpartition(letter)
        record["answer"] = f"{head}{other}{tail}"
    elif kind == "duplicate_id":
        record["id"] = taken


def _places(count: int, rng: random.Random) -> list[tuple[int, int]]:
    """Where the right option stands and how many are smaller: every pair equally often, in no order."""
    places = [(number // OPTIONS % OPTIONS, number % OPTIONS) for number in range(count)]
    rng.shuffle(places)
    return places


def _kinds(count: int, rng: random.Random) -> list[str | None]:
    """What is planted in each item; an id can be taken again where an item of the same file was whole before."""
    numbers = planted(count)
    again = set(rng.sample(range(LEAST // 4, round(SPLITS["train"] * count)), numbers.pop("duplicate_id")))
    others: list[str | None] = [kind for kind, number in numbers.items() for _ in range(number)]
    others += [None] * (count - len(again) - len(others))
    rng.shuffle(others)
    waiting = iter(others)
    return ["duplicate_id" if number in again else next(waiting) for number in range(count)]
