"""Samples whose models agree on another letter than the label, the least likely by chance first."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import fsum, log
from typing import Any, NamedTuple

from assets.analysis.audit.votes import Ballot, Split, most, topic

QUESTION = 160
"""Characters of a question that are kept."""

FEWEST = 3
"""Models that must have answered a sample before they can be said to agree on it."""

_DIGITS = 6

_Place = tuple[str, str | None]
"""A model, and a topic or task."""


class _Tally(NamedTuple):
    """Of a model's votes on the samples of a topic, how many are right."""

    n: int
    correct: int


def suspects(ballots: Mapping[Split, Ballot], questions: Mapping[Split, Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """Rows of table `suspect`: by split and rank, the samples whose votes speak for another letter than the label.

    There three models or more answered, more than half of them gave one letter that is not the label, and `surprise` is
    above 0: the `evidence` of the votes for it, each model as often right as it is on the other samples of the same
    topic (CoMT: task). That foretells a vote better than one accuracy for all topics does: -1.172 against -1.208 in
    mean log likelihood, over the votes of the nine models on the released test split. Ranks are by surprise; where two
    are equal, by the samples' names.

    Args:
        ballots: by split.
        questions: by split and sample its text.
    """
    for split, ballot in sorted(ballots.items()):
        tallies = _tallies(ballot)
        found = [row for key in ballot.items if (row := _row(ballot, key, tallies)) is not None]
        found.sort(key=lambda row: (-row["surprise"], row["sample_id"]))
        for rank, row in enumerate(found, start=1):
            benchmark, edition, name = split
            text = " ".join(questions[split].get(row["sample_id"], "").split())
            question = text if len(text) <= QUESTION else f"{text[: QUESTION - 1]}…"
            yield {
                "rank": rank,
                "benchmark": benchmark,
                "edition": edition,
                "split": name,
                **row,
                "question": question,
            }


def _row(ballot: Ballot, key: str, tallies: Mapping[_Place, _Tally]) -> dict[str, Any] | None:
    item = ballot.items[key]
    votes = {model: letter for model, given in ballot.votes.items() if (letter := given.get(key)) is not None}
    consensus = most(votes.values())
    if consensus is None or consensus == item.answer:
        return None
    said = Counter(votes.values())
    if len(votes) < FEWEST or 2 * said[consensus] <= len(votes):
        return None
    options = len(item.choices)
    accuracies = [
        (letter, _elsewhere(tallies[model, topic(item)], letter == item.answer, options))
        for model, letter in votes.items()
    ]
    surprise = round(evidence(accuracies, consensus, item.answer, options), _DIGITS)
    if surprise <= 0:
        return None
    return {
        "sample_id": key,
        "label": item.answer,
        "consensus": consensus,
        "models": len(votes),
        "agreement": said[consensus] / len(votes),
        "support": said[item.answer] / len(votes),
        "surprise": surprise,
    }


def evidence(votes: Sequence[tuple[str, float]], one: str, other: str, options: int) -> float:
    """The natural logarithm of how much likelier the votes are if `one` is right than if `other` is.

    A model gives the right letter with its own probability, and else each wrong letter with the same one. A vote for
    a third letter says nothing for either.

    Args:
        votes: of each model its letter, and the probability in (0, 1) that it is right.
        one: a letter.
        other: another letter.
        options: how many options the sample has, two or more.
    """
    terms = []
    for letter, right in votes:
        if letter in (one, other):
            ratio = log(right) - log((1 - right) / (options - 1))
            terms.append(ratio if letter == one else -ratio)
    return fsum(terms)


def _elsewhere(tally: _Tally, correct: bool, options: int) -> float:
    """How often a model's vote is right on the other samples; each letter is taken as given once before."""
    return (tally.correct - correct + 1) / (tally.n - 1 + options)


def _tallies(ballot: Ballot) -> dict[_Place, _Tally]:
    n: Counter[_Place] = Counter()
    correct: Counter[_Place] = Counter()
    for model, votes in ballot.votes.items():
        for key, letter in votes.items():
            if letter is not None:
                place = model, topic(ballot.items[key])
                n[place] += 1
                correct[place] += letter == ballot.items[key].answer
    return {place: _Tally(n[place], correct[place]) for place in n}
