"""The development set: some samples of each task with all letters, apart from the benchmark in pictures too."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assets.comt import template
from assets.comt.template import OPTIONS
from assets.schema.sample import LETTERS, Sample
from assets.schema.vocabulary import TASKS

REASONS = ("picture_in_development",)

FIFTH = 5
"""The development set takes a fifth of a task's samples at most, so that a small task stays a benchmark."""


MOST_OF_A_GROUP = 2
"""Samples of one group in the development set, such as descriptions of one tangram."""


class Divided(NamedTuple):
    """The samples in their order with their split (development is `validation`, the benchmark `test`).

    wanted, taken: samples of the development set by task.
    """

    samples: list[Sample]
    wanted: dict[str, int]
    taken: dict[str, int]


def divided(samples: Sequence[Sample], *, per_task: int, seed: int) -> Divided:
    """The samples, `per_task` of each task set apart for development with every letter equally often.

    A task gives a fifth of its samples at most. Samples that share a picture (the originals that pictures were made
    from included) or a question without one belong together: where one is chosen, one more is chosen as far as
    letters and number allow, so that ten demonstrations are not all of one picture, and what else belongs to them is
    dropped as `picture_in_development`. The smallest groups are asked first, so that as few as possible are dropped;
    among equals the seed decides.

    Source: arXiv:2412.12932, E.3: "10 additional pieces of data for each task", which "cover all options evenly".
    """
    entered = [sample for sample in samples if sample.dropped is None]
    group_of = _groups(entered)
    sizes = Counter(group_of.values())
    wanted, taken = {}, {}
    chosen: set[str] = set()
    for task in TASKS:
        mine = [sample for sample in entered if sample.task == task]
        wanted[task] = min(per_task, len(mine) // FIFTH)
        room = _room(wanted[task])
        rng = random.Random(f"{seed}/development/{task}")
        order = {group: rng.random() for group in sorted({group_of[sample.id or ""] for sample in mine})}
        members = defaultdict(list)
        for sample in mine:
            members[group_of[sample.id or ""]].append(sample)
        for group in sorted(order, key=lambda name: (sizes[name], order[name])):
            fitting = [sample for sample in members[group] if room[sample.answer or ""] > 0]
            for sample in fitting[:MOST_OF_A_GROUP]:
                if room[sample.answer or ""] > 0:
                    room[sample.answer or ""] -= 1
                    chosen.add(sample.id or "")
        taken[task] = sum(sample.id in chosen for sample in mine)
    opened = {group_of[sample_id] for sample_id in chosen}
    return Divided([_placed(sample, chosen, group_of, opened) for sample in samples], wanted, taken)


def _room(wanted: int) -> Counter[str]:
    """How many samples of each letter make `wanted`, the first letters one more where it does not divide."""
    return Counter({LETTERS[place]: (wanted + OPTIONS - 1 - place) // OPTIONS for place in range(OPTIONS)})


def _placed(sample: Sample, chosen: set[str], group_of: dict[str, int], opened: set[int]) -> Sample:
    if sample.dropped is not None:
        return sample
    if sample.id in chosen:
        return sample._replace(split="validation")
    return (
        sample.drop("picture_in_development") if group_of[sample.id or ""] in opened else sample._replace(split="test")
    )


def _groups(samples: Iterable[Sample]) -> dict[str, int]:
    """A number for each sample by its id, the same for those that share pictures, directly or through others."""
    parent: list[int] = []

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first_with: dict[str, int] = {}
    ids = []
    for place, sample in enumerate(samples):
        parent.append(place)
        ids.append(sample.id or "")
        for shared in (*pictures_of(sample), *_question_of(sample)):
            parent[root(first_with.setdefault(shared, place))] = root(place)
    return {sample_id: root(place) for place, sample_id in enumerate(ids)}


def _question_of(sample: Sample) -> tuple[str, ...]:
    """The words of a question that shows no picture: creation's stands for its picture."""
    question = " ".join((sample.question or "").split())
    return () if not question or template.identifiers(question) else (question,)


def pictures_of(sample: Sample) -> tuple[str, ...]:
    """The pictures of a sample and the originals they were made from."""
    said = template.annotations(sample)
    originals = said.get("originals", ()) if isinstance(said, dict) else ()
    return (*(sample.images or ()), *originals)
