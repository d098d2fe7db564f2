"""What is said to a model about the samples of a benchmark: the one door to the dialogues of both."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assets.evaluation import dialogue_comt, dialogue_m3cot
from assets.evaluation.dialogue_parts import Album as Album
from assets.evaluation.dialogue_parts import Asked as Asked
from assets.evaluation.dialogue_parts import Choice, pictures_of
from assets.evaluation.dialogue_parts import DialogueError as DialogueError
from assets.evaluation.shots import Shelf
from assets.evaluation.strategy import HEADINGS, Strategy, strategies, strategy
from assets.evaluation.strategy_file import StrategyError
from assets.evaluation.strategy_m3cot import DEFAULT, Manner, manner, manners
from assets.models.model import Ask, Dialogue
from assets.schema.sample import Sample
from assets.schema.vocabulary import BENCHMARKS

_SHORT = 16


class Counts(NamedTuple):
    """What dialogues show before their questions.

    shots: solved samples, in all. filled: those not of the sample's category, for want of others. refused: those
    passed over because they are the sample or nearly.
    """

    dialogues: int
    shots: int
    filled: int
    refused: int


def dialogues(
    benchmark: str, samples: Iterable[Sample], dev: Sequence[Sample], asked: Asked, pictures: Album | None
) -> Iterator[Dialogue]:
    """The dialogue of each sample, in their order, one at a time.

    All samples are looked at before the first dialogue is given, so that what cannot be asked is said before
    anything is asked.

    Args:
        benchmark: m3cot or comt.
        samples: what is asked; kept ones.
        dev: what shots are chosen from; only its kept samples of the validation split are.
        asked: how.
        pictures: those that there are; None where that is not known, and nothing is looked up.

    Raises:
        StrategyError: there is no such strategy or variant.
        DialogueError: a sample or a shot lacks a text, or names a picture that is not there; too few shots.
    """
    planned = list(_choices(benchmark, samples, dev, asked, pictures))
    for sample, choice in planned:
        found = _dialogue(benchmark, sample, choice, asked)
        if pictures is not None:
            _see_to_pictures(found, sample, choice.shots, pictures)
    return (_dialogue(benchmark, sample, choice, asked) for sample, choice in planned)


def counts(
    benchmark: str, samples: Iterable[Sample], dev: Sequence[Sample], asked: Asked, pictures: Album | None
) -> Counts:
    """How many shots the same call of `dialogues` shows, and how they were come by.

    Raises:
        StrategyError: there is no such strategy or variant.
        DialogueError: too few shots.
    """
    found = [choice for _, choice in _choices(benchmark, samples, dev, asked, pictures)]
    return Counts(
        len(found),
        sum(len(choice.shots) for choice in found),
        sum(choice.filled for choice in found),
        sum(choice.refused for choice in found),
    )


def template(benchmark: str, asked: Asked) -> str:
    """The version of the wording: another one wherever a text, or the file's version, is another one.

    Texts that stand in shots alone count where there are shots.

    Raises:
        StrategyError: there is no such strategy or variant.
    """
    found = _strategy(benchmark, asked)
    if isinstance(found, Manner):
        named = _named(found, asked)
        texts: dict[str, Any] = {
            "asks": found.asks,
            "blocks": {name: one for name, one in found.blocks.items() if name in named},
            "shot": found.shot if asked.shots else None,
        }
    else:
        shown = HEADINGS if asked.shots else ("question", "choices")
        texts = found._asdict() | {"headings": [getattr(found.headings, name) for name in shown]}
    digest = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
    return f"{benchmark}/{asked.strategy}/{asked.variant}/{found.version}/{digest[:_SHORT]}"


def offered(benchmark: str) -> Mapping[str, tuple[str, ...]]:
    """The strategies of a benchmark, each with its variants.

    Raises:
        StrategyError: there is no such benchmark.
    """
    _check(benchmark)
    if benchmark == "comt":
        return dict.fromkeys(strategies("comt"), (DEFAULT,))
    return {name: tuple(variants) for name, variants in manners().items()}


def _check(benchmark: str) -> None:
    if benchmark not in BENCHMARKS:
        raise StrategyError(f"benchmark {benchmark}: has no strategies: use one of {', '.join(BENCHMARKS)}")


def _strategy(benchmark: str, asked: Asked) -> Manner | Strategy:
    _check(benchmark)
    if benchmark == "m3cot":
        return manner(asked.strategy, asked.variant)
    found = strategy("comt", asked.strategy)
    if asked.variant != DEFAULT:
        raise StrategyError(f"variant {asked.variant}: strategies of comt have {DEFAULT} alone: use it")
    return found


def _named(found: Manner, asked: Asked) -> set[str]:
    shown = [*(one.wording for one in found.asks), *([found.shot] if asked.shots else [])]
    return {name for wording in shown for kind, name in wording if kind == "slot"}


def _choices(
    benchmark: str, samples: Iterable[Sample], dev: Sequence[Sample], asked: Asked, pictures: Album | None
) -> Iterator[tuple[Sample, Choice]]:
    """Each sample with its shots."""
    _strategy(benchmark, asked)
    shelf = Shelf(dev, pictures)
    seen: set[str] = set()
    for sample in samples:
        if not sample.id:
            raise DialogueError(f"{sample.source}: a sample of it has no id: leave it out")
        if sample.id in seen:
            raise DialogueError(f"{sample.id}: stands among the samples twice: ask it once")
        seen.add(sample.id)
        if benchmark == "comt":
            yield sample, dialogue_comt.choice(dev, sample, asked.shots, asked.seed)
        else:
            yield sample, shelf.choice(sample, asked.shots, asked.seed)


def _dialogue(benchmark: str, sample: Sample, choice: Choice, asked: Asked) -> Dialogue:
    if benchmark == "m3cot":
        found = manner(asked.strategy, asked.variant)
        asks = dialogue_m3cot.asks(sample, found, choice.shots, asked.rationales)
    else:
        words = strategy("comt", asked.strategy)
        told = dialogue_comt.demonstrations(choice.shots, asked.rationales, headings=words.headings)
        asks = tuple(Ask(turn.parts) for turn in dialogue_comt.prompt(sample, words, told))
    return Dialogue(sample.id or "", asks, sample.choices or ())


def _see_to_pictures(dialogue: Dialogue, sample: Sample, shots: Sequence[Sample], pictures: Album) -> None:
    for ask in dialogue.asks:
        for part in ask.parts:
            if part.image_id is not None and part.image_id not in pictures:
                whose = next((shot for shot in shots if part.image_id in pictures_of(shot)), sample)
                raise DialogueError(
                    f"{whose.id}: its picture {part.image_id} is not there: give it, or leave the sample out"
                )
