"""CoMT's prompting strategies as data: what is said to a model around a question, and in how many turns."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from assets.evaluation.strategy_file import StrategyError, mapping, named, parsed, text, version
from assets.schema.vocabulary import TASKS

FILES = ("strategies/comt.yaml",)

PARTS = ("role", "task")
HEADINGS = ("question", "choices", "rationale", "answer")


class Headings(NamedTuple):
    """What stands above each part of a question, and of a solved sample."""

    question: str
    choices: str
    rationale: str
    answer: str


class Strategy(NamedTuple):
    """How a benchmark's samples are asked: role, task and strategy words by the sample's task.

    second_turn: what is said once the model has replied; None where one reply is all. version: of the wording, part
    of what makes two dialogues the same.
    """

    benchmark: str
    name: str
    version: int
    role: Mapping[str, str]
    task: Mapping[str, str]
    words: Mapping[str, str]
    second_turn: str | None
    headings: Headings


def strategy(benchmark: str, name: str) -> Strategy:
    """The strategy of a benchmark by its name.

    Raises:
        StrategyError: it has none of that name, or its file says something that cannot be.

    Source: arXiv:2412.12932, 4.1, D.3 and D.4.
    """
    found = strategies(benchmark)
    if name not in found:
        raise StrategyError(f"strategy {name}: {benchmark} has none of that name: use one of {', '.join(found)}")
    return found[name]


@lru_cache(maxsize=4)
def strategies(benchmark: str) -> Mapping[str, Strategy]:
    """The strategies of a benchmark by name, in their file's order.

    Raises:
        StrategyError: it has no file of strategies, or that says something that cannot be.
    """
    name = f"strategies/{benchmark}.yaml"
    if name not in FILES:
        raise StrategyError(f"benchmark {benchmark}: has no file of strategies: write assets/evaluation/{name}")
    return read((Path(__file__).parent / name).read_text(encoding="utf-8"), benchmark, name)


def read(content: str, benchmark: str, where: str) -> dict[str, Strategy]:
    """The strategies that a YAML text holds, by name.

    Raises:
        StrategyError: a key is unknown, missing or there twice, or a text is empty or no text.
    """
    whole = mapping(parsed(content, where), where, "", ("version", *PARTS, "headings", "strategies"))
    number = version(whole["version"], where)
    role, task = (_by_task(whole[part], where, part) for part in PARTS)
    headings = mapping(whole["headings"], where, "headings", HEADINGS)
    shown = Headings(*(text(headings[name], where, f"headings.{name}") for name in HEADINGS))
    found = {}
    for name, said in named(whole["strategies"], where, "strategies").items():
        place = f"strategies.{name}"
        own = mapping(said, where, place, ("words",), optional=("second_turn",))
        second = own.get("second_turn")
        found[name] = Strategy(
            benchmark=benchmark,
            name=name,
            version=number,
            role=role,
            task=task,
            words=_by_task(own["words"], where, f"{place}.words"),
            second_turn=None if "second_turn" not in own else text(second, where, f"{place}.second_turn"),
            headings=shown,
        )
    return found


def _by_task(value: Any, where: str, place: str) -> dict[str, str]:
    """The text for each task; one text holds for all."""
    if isinstance(value, dict):
        said = mapping(value, where, place, TASKS)
        return {task: text(said[task], where, f"{place}.{task}") for task in TASKS}
    return dict.fromkeys(TASKS, text(value, where, place))
