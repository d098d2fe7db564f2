"""M3CoT's prompting strategies as data: a strategy is a list of asks from templates, in a variant a model family."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from assets.evaluation.strategy_file import StrategyError, mapping, named, parsed, text, version

FILES = ("strategies/m3cot.yaml",)

DEFAULT = "default"
IN_BLOCKS = ("context", "question", "choices")
IN_ASKS = ("letters", "reply")
IN_SHOTS = ("letters", "rationale", "answer")

_SLOT = re.compile(r"\{([A-Za-z_-]+)\}")

Wording = tuple[tuple[str, str], ...]
"""A template taken apart: ("text", what is said) and ("slot", the name of what stands there), in turn."""


class Block(NamedTuple):
    """How a question is laid out: its context, left out where there is none, and the rest.

    inner: what stands for the question of samples of `domain` whose subtopic is not one of `but`.
    """

    context: Wording
    rest: Wording
    inner: Wording | None
    domain: str | None
    but: tuple[str, ...]


class Asking(NamedTuple):
    """One ask of a strategy; `fresh`: in a conversation of its own."""

    wording: Wording
    fresh: bool


class Manner(NamedTuple):
    """A strategy in one of its variants: the asks in their order, how a shot is shown, the blocks that they name."""

    strategy: str
    variant: str
    version: int
    asks: tuple[Asking, ...]
    shot: Wording
    blocks: Mapping[str, Block]


def manner(strategy: str, variant: str = DEFAULT) -> Manner:
    """The strategy in this variant.

    Raises:
        StrategyError: there is none of that name, or the file says something that cannot be.

    Source: arXiv:2405.16473, section 5.1, and the dialogues of the released predictions.
    """
    return chosen(manners(), strategy, variant)


def chosen(found: Mapping[str, Mapping[str, Manner]], strategy: str, variant: str) -> Manner:
    """One of `found`, by strategy and variant.

    Raises:
        StrategyError: it is not among them.
    """
    if strategy not in found:
        raise StrategyError(f"strategy {strategy}: m3cot has none of that name: use one of {', '.join(found)}")
    if variant not in found[strategy]:
        raise StrategyError(
            f"variant {variant}: strategy {strategy} of m3cot has none of that name: use one of "
            f"{', '.join(found[strategy])}"
        )
    return found[strategy][variant]


@lru_cache(maxsize=1)
def manners() -> Mapping[str, Mapping[str, Manner]]:
    """Every strategy's variants by name, in their file's order.

    Raises:
        StrategyError: the file says something that cannot be.
    """
    return read((Path(__file__).parent / FILES[0]).read_text(encoding="utf-8"), FILES[0])


def read(content: str, where: str) -> dict[str, dict[str, Manner]]:
    """The strategies that a YAML text holds, by name and variant.

    Raises:
        StrategyError: a key is unknown, missing or there twice, a text is empty or names what there is not.
    """
    whole = mapping(parsed(content, where), where, "", ("version", "blocks", "asks", "strategies"))
    number = version(whole["version"], where)
    blocks = {
        name: _block(said, where, f"blocks.{name}") for name, said in named(whole["blocks"], where, "blocks").items()
    }
    if taken := sorted(set(blocks).intersection((*IN_ASKS, *IN_SHOTS))):
        raise StrategyError(f"{where}: blocks.{taken[0]} has a name that stands for something else: call it otherwise")
    asks = {
        name: _asking(said, where, f"asks.{name}", blocks) for name, said in named(whole["asks"], where, "asks").items()
    }
    found: dict[str, dict[str, Manner]] = {}
    used: set[str] = set()
    for name, said in named(whole["strategies"], where, "strategies").items():
        place = f"strategies.{name}"
        own = mapping(said, where, place, ("shot", "variants"))
        shot = _wording(own["shot"], where, f"{place}.shot", (*blocks, *IN_SHOTS))
        _has_block(shot, blocks, where, f"{place}.shot")
        listed = named(own["variants"], where, f"{place}.variants")
        if DEFAULT not in listed:
            raise StrategyError(f"{where}: {place}.variants lacks {DEFAULT}: add it")
        found[name] = {}
        for variant, names in listed.items():
            found[name][variant] = Manner(
                name,
                variant,
                number,
                _in_order(names, asks, where, f"{place}.variants.{variant}", blocks),
                shot,
                blocks,
            )
            used.update(names)
    if idle := [name for name in asks if name not in used]:
        raise StrategyError(f"{where}: asks.{idle[0]} is in no strategy: use it, or leave it out")
    return found


def _block(said: Any, where: str, place: str) -> Block:
    own = mapping(said, where, place, ("context", "rest"), optional=("inner", "domain", "except"))
    nested = [key for key in ("inner", "domain") if key in own]
    if len(nested) == 1 or ("except" in own and not nested):
        raise StrategyError(f"{where}: {place} has {nested[0] if nested else 'except'} alone: inner goes with domain")
    but = own.get("except", [])
    if not isinstance(but, list) or any(not isinstance(one, str) for one in but):
        raise StrategyError(f"{where}: {place}.except is {but!r}: list subtopics")
    # what follows the context is told apart from it by the text itself: nothing is stripped
    context = _wording(own["context"], where, f"{place}.context", ("context",), stripped=False)
    rest = _wording(own["rest"], where, f"{place}.rest", ("question", "choices"))
    for wording, needed in ((context, ("context",)), (rest, ("question", "choices"))):
        if lacking := [name for name in needed if ("slot", name) not in wording]:
            raise StrategyError(f"{where}: {place} shows no {{{lacking[0]}}}: write where it stands")
    return Block(
        context,
        rest,
        _wording(own["inner"], where, f"{place}.inner", IN_BLOCKS) if nested else None,
        text(own["domain"], where, f"{place}.domain") if nested else None,
        tuple(but),
    )


def _asking(said: Any, where: str, place: str, blocks: Mapping[str, Block]) -> Asking:
    fresh = isinstance(said, dict)
    if fresh:
        said = mapping(said, where, place, ("fresh",))["fresh"]
        place = f"{place}.fresh"
    wording = _wording(said, where, place, (*blocks, *IN_ASKS))
    if fresh:
        _has_block(wording, blocks, where, place)
    return Asking(wording, fresh)


def _in_order(
    names: Any, asks: Mapping[str, Asking], where: str, place: str, blocks: Mapping[str, Block]
) -> tuple[Asking, ...]:
    if not isinstance(names, list) or not names:
        raise StrategyError(f"{where}: {place} is {names!r}: list one or more asks")
    if unknown := [name for name in names if name not in asks]:
        raise StrategyError(f"{where}: {place} names the ask {unknown[0]!r}: use one of {', '.join(asks)}")
    first = asks[names[0]]
    _has_block(first.wording, blocks, where, f"asks.{names[0]} opens {place} and")
    if ("slot", "reply") in first.wording or first.fresh:
        raise StrategyError(
            f"{where}: asks.{names[0]} opens {place}: nothing stands before it, so leave out reply, fresh"
        )
    return tuple(asks[name] for name in names)


def _has_block(wording: Wording, blocks: Mapping[str, Block], where: str, place: str) -> None:
    if sum(kind == "slot" and said in blocks for kind, said in wording) != 1:
        raise StrategyError(f"{where}: {place} shows the question not once: name one of {', '.join(blocks)} in braces")


def _wording(value: Any, where: str, place: str, slots: tuple[str, ...], *, stripped: bool = True) -> Wording:
    said = text(value, where, place)
    pieces = _SLOT.split(said if stripped else value)
    if unknown := [name for name in pieces[1::2] if name not in slots]:
        allowed = ", ".join(f"{{{name}}}" for name in slots)
        raise StrategyError(f"{where}: {place} names {{{unknown[0]}}}: it may have {allowed}")
    return tuple(("slot" if place % 2 else "text", piece) for place, piece in enumerate(pieces) if place % 2 or piece)
