"""What a file of strategies may say, read with care: every fault is one sentence that names the place."""

from typing import Any

from assets.schema.faults import Fault


class StrategyError(Fault):
    """A file of strategies that says something that cannot be, or a strategy that is not there."""


def parsed(text: str, where: str) -> Any:
    """The content of a YAML text.

    Raises:
        StrategyError: it is none, or has a key twice.
    """
    import yaml

    try:
        if twice := _repeated(yaml.compose(text, Loader=yaml.SafeLoader)):
            raise StrategyError(f"{where}: {twice} stands there twice: keep one")
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise StrategyError(f"{where}: not readable as YAML ({' '.join(str(error).split())})") from None


def mapping(
    value: Any, where: str, place: str, keys: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The value as a mapping that has these keys and no others.

    Raises:
        StrategyError: it is no mapping, or a key is unknown or missing.
    """
    what = f"{where}: {place}" if place else where
    if not isinstance(value, dict):
        raise StrategyError(f"{what} is {value!r}: write {', '.join(keys)}, each with its text")
    if unknown := sorted(str(key) for key in value if key not in (*keys, *optional)):
        raise StrategyError(f"{what} has an unknown key {unknown[0]}: it may have {', '.join((*keys, *optional))}")
    if lacking := [key for key in keys if key not in value]:
        raise StrategyError(f"{what} lacks {', '.join(lacking)}: add it")
    return value


def named(value: Any, where: str, place: str) -> dict[str, Any]:
    """The value as a mapping of one or more names.

    Raises:
        StrategyError: it is none, or a name is no text.
    """
    if not isinstance(value, dict) or not value:
        raise StrategyError(f"{where}: {place} is {value!r}: list one or more by name")
    if odd := [key for key in value if not isinstance(key, str)]:
        raise StrategyError(f"{where}: {place} has the name {odd[0]!r}: write a text")
    return value


def text(value: Any, where: str, place: str) -> str:
    """The value as a text that says something, without space around it.

    Raises:
        StrategyError: it is no text, or says nothing.
    """
    if not isinstance(value, str) or not value.strip():
        raise StrategyError(f"{where}: {place} is {value!r}: write a text")
    return value.strip()


def version(value: Any, where: str) -> int:
    """The value as a whole number from 1.

    Raises:
        StrategyError: it is none.
    """
    if type(value) is not int or value < 1:
        raise StrategyError(f"{where}: version is {value!r}: write a whole number from 1")
    return value


def _repeated(node: Any) -> str | None:
    """A key that a mapping of the YAML tree has twice; PyYAML would take the last one."""
    inside = node.value if getattr(node, "id", None) == "sequence" else []
    pairs = node.value if getattr(node, "id", None) == "mapping" else []
    names = [key.value for key, _ in pairs]
    for name, (_, value) in zip(names, pairs, strict=True):
        if names.count(name) > 1:
            return str(name)
        if inner := _repeated(value):
            return f"{name}.{inner}"
    return next((found for one in inside if (found := _repeated(one))), None)
