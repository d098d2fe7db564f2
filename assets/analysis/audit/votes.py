"""Which letters the models give to each sample of a split, an evaluation and a model at a time."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from assets.evaluation.rows import Answer, Item
from assets.schema.faults import Fault

Split = tuple[str, str, str]
"""Benchmark, edition and split."""


class Asked(NamedTuple):
    """What an evaluation of params.yaml is: which model was asked which split."""

    model: str
    split: Split


@dataclass
class Ballot:
    """One split as its evaluations answered it (strict extractor, what its policy counts).

    items: its samples by id. given: by evaluation and sample the letter, None where none was read; a sample that
    people answered several times has the letter that most of them gave. votes: by model and sample the letter
    that most of its evaluations give, None where none is given or two are given equally often.
    """

    items: Mapping[str, Item]
    given: dict[str, dict[str, str | None]] = field(default_factory=dict)
    votes: dict[str, dict[str, str | None]] = field(default_factory=dict)


def ballots(
    answers: Mapping[str, Iterable[Answer]],
    evaluations: Mapping[str, Asked],
    items: Mapping[Split, Mapping[str, Item]],
) -> dict[Split, Ballot]:
    """A ballot for each split that an evaluation asks, in the order of their names.

    Args:
        answers: by evaluation.
        evaluations: of params.yaml, those without answers included.
        items: by split its samples.

    Raises:
        Fault: answers were made of samples that their split has not.
    """
    found = {split: Ballot(items.get(split, {})) for split in sorted({asked.split for asked in evaluations.values()})}
    for name, asked in sorted(evaluations.items()):
        if name not in answers:
            continue
        given = _given(answers[name])
        if strange := given.keys() - found[asked.split].items.keys():
            raise Fault(
                f"evaluation/answers: {name} was answered on samples that {' '.join(asked.split)} has not "
                f"({len(strange)}, such as {min(strange)}): materialize evaluation/answers"
            )
        found[asked.split].given[name] = given
    for ballot in found.values():
        by_model: dict[str, list[dict[str, str | None]]] = {}
        for name, given in ballot.given.items():
            by_model.setdefault(evaluations[name].model, []).append(given)
        ballot.votes = {model: _votes(several) for model, several in sorted(by_model.items())}
    return found


def most(letters: Iterable[str | None]) -> str | None:
    """The letter that stands most often, None apart; None where there is none, or two stand equally often."""
    counted = Counter(letter for letter in letters if letter is not None).most_common(2)
    if not counted or (len(counted) == 2 and counted[0][1] == counted[1][1]):
        return None
    return counted[0][0]


def topic(item: Item) -> str | None:
    """The topic of a sample of M3CoT, the task of one of CoMT."""
    return item.topic if item.task is None else item.task


def _given(answers: Iterable[Answer]) -> dict[str, str | None]:
    several: dict[str, list[str | None]] = {}
    for answer in answers:
        if answer.extractor == "strict" and answer.counted:
            several.setdefault(answer.sample_id, []).append(answer.letter)
    return {key: letters[0] if len(letters) == 1 else most(letters) for key, letters in several.items()}


def _votes(evaluations: Sequence[Mapping[str, str | None]]) -> dict[str, str | None]:
    ids = dict.fromkeys(key for given in evaluations for key in given)
    return {key: most(given[key] for given in evaluations if key in given) for key in ids}
