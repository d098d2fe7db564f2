"""The prompting strategies of a benchmark as data: what is said to a model around a question, and in how many turns."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from assets.schema.faults import Fault
from assets.schema.vocabulary import TASKS

FILES = ("strategies/comt.yaml",)

PARTS = ("role", "task")
HEADINGS = ("question", "choices", "rationale", "answer")


class StrategyError(Fault):
    """A file of strategies that says something that cannot be, or a strategy that is not there."""


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


def read(text: str, benchmark: str, where: str) -> dict[str, Strategy]:
    """The strategies that a YAML text holds, by name.

    Raises:
        StrategyError: a key is unknown, missing or there twice, or a text is empty or no text.
    """
    whole = _mapping(_parsed(text, where), where, "", ("version", *PARTS, "headings", "strategies"))
    version = whole["version"]
    if type(version) is not int or version < 1:
        raise StrategyError(f"{where}: version is {version!r}: write a whole number from 1")
    role, task = (_by_task(whole[part], where, part) for part in PARTS)
    headings = _mapping(whole["headings"], where, "headings", HEADINGS)
    shown = Headings(*(_text(headings[name], where, f"headings.{name}") for name in HEADINGS))
    listed = whole["strategies"]
    if not isinstance(listed, dict) or not listed:
        raise StrategyError(f"{where}: strategies is {listed!r}: list one or more by name")
    found = {}
    for name, said in listed.items():
        place = f"strategies.{name}"
        own = _mapping(said, where, place, ("words",), optional=("second_turn",))
        second = own.get("second_turn")
        found[str(name)] = Strategy(
            benchmark=benchmark,
            name=str(name),
            version=version,
            role=role,
            task=task,
            words=_by_task(own["words"], where, f"{place}.words"),
            second_turn=None if "second_turn" not in own else _text(second, where, f"{place}.second_turn"),
            headings=shown,
        )
    return found


def _parsed(text: str, where: str) -> Any:
    import yaml

    try:
        if twice := _repeated(yaml.compose(text, Loader=yaml.SafeLoader)):
            raise StrategyError(f"{where}: {twice} stands there twice: keep one")
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise StrategyError(f"{where}: not readable as YAML ({' '.join(str(error).split())})") from None


def _repeated(node: Any) -> str | None:
    """A key that a mapping of the YAML tree has twice; PyYAML would take the last one."""
    pairs = node.value if getattr(node, "id", None) == "mapping" else []
    names = [key.value for key, _ in pairs]
    for name, (_, value) in zip(names, pairs, strict=True):
        if names.count(name) > 1:
            return str(name)
        if inner := _repeated(value):
            return f"{name}.{inner}"
    return None


def _mapping(
    value: Any, where: str, place: str, keys: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    what = f"{where}: {place}" if place else where
    if not isinstance(value, dict):
        raise StrategyError(f"{what} is {value!r}: write {', '.join(keys)}, each with its text")
    if unknown := sorted(str(key) for key in value if key not in (*keys, *optional)):
        raise StrategyError(f"{what} has an unknown key {unknown[0]}: it may have {', '.join((*keys, *optional))}")
    if lacking := [key for key in keys if key not in value]:
        raise StrategyError(f"{what} lacks {', '.join(lacking)}: add it")
    return value


def _by_task(value: Any, where: str, place: str) -> dict[str, str]:
    """The text for each task; one text holds for all."""
    if isinstance(value, dict):
        said = _mapping(value, where, place, TASKS)
        return {task: _text(said[task], where, f"{place}.{task}") for task in TASKS}
    return dict.fromkeys(TASKS, _text(value, where, place))


def _text(value: Any, where: str, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise StrategyError(f"{where}: {place} is {value!r}: write a text")
    return value.strip()
