"""params.yaml as typed, validated settings; an asset names the sections that it reads."""

import hashlib
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import yaml
from pydantic import ValidationError

from assets import settings
from assets.schema.faults import Fault
from assets.settings import Settings

ROOT = settings.ROOT
PARAMS = ROOT / "params.yaml"

FORBIDDEN_KEYS = frozenset({"size", "nfiles"})
"""DVC's run cache ignores a params key of these names at any depth (dvc#10296) and would restore an old table."""

NUMBER_FOR_DVC = re.compile(
    r"[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.[0-9_]+([eE][-+]?[0-9]+)?)"
)
"""What a reader of YAML 1.2 takes for a number. Source: the resolver of ruamel.yaml, with which DVC reads."""

_SAME_IN_BOTH = re.compile(
    r"|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|<<|[-+]?(0|[1-9][0-9]*)|0x[0-9a-fA-F]+"
    r"|([-+]?[0-9]+\.[0-9]*|\.[0-9]+)([eE][-+][0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
_FLOAT = re.compile(r"([-+]?)([0-9]*)\.?([0-9]*)(?:[eE]([-+]?)([0-9]+))?")


class ParamsError(Fault):
    """params.yaml says something that cannot be; the message names the key, the value and the way out."""


def parse(text: str, where: str = "params.yaml") -> dict[str, Any]:
    """The YAML mapping in `text`, checked for what DVC would overlook or read as something else.

    Raises:
        ParamsError: the text is no mapping, a key is one that DVC's run cache ignores, or a value is one that DVC
            reads differently.
    """
    tree = read(text, where, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    if not isinstance(tree, dict):
        raise ParamsError(f"{where}: holds {type(tree).__name__}, not a mapping of sections")
    for path, key in _keys(tree, ()):
        if key in FORBIDDEN_KEYS:
            raise ParamsError(
                f"{where}: {'.'.join(map(str, path))}: a key named {key!r} is invisible to DVC's run cache "
                "(an old table would come back): give it another name"
            )
    return tree


def read(text: str, where: str, loader: type[Any]) -> Any:
    """What the YAML in `text` says, where YAML 1.1 (which PyYAML reads) and 1.2 (which DVC reads) agree on it.

    Raises:
        ParamsError: it is no YAML, or an unquoted value is one thing in YAML 1.1 and another in 1.2.
    """
    reader = loader(text)
    try:
        node = reader.get_single_node()
        for path, scalar in _scalars(node, (), set()):
            if not scalar.style and (way_out := _differs(scalar)):
                raise ParamsError(
                    f"{where}: {'.'.join(path)}: {scalar.value} unquoted is one thing in YAML 1.1 and another in "
                    f"1.2, which DVC reads: {way_out}"
                )
        return None if node is None else reader.construct_document(node)
    except yaml.YAMLError as error:
        raise ParamsError(f"{where}: not readable as YAML ({' '.join(str(error).split())})") from None
    finally:
        reader.dispose()


def _scalars(
    node: yaml.Node | None, path: tuple[str, ...], seen: set[int]
) -> Iterator[tuple[tuple[str, ...], yaml.ScalarNode]]:
    """Keys and values, each with where it stands; what an alias repeats comes once."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        yield path, node
    elif isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise yaml.YAMLError(f"{'.'.join((*path, twice[0]))} stands there twice")
        for key, value in node.value:
            inner = (*path, str(key.value) if isinstance(key, yaml.ScalarNode) else "?")
            yield from _scalars(key, inner, seen)
            yield from _scalars(value, inner, seen)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield from _scalars(item, (*path, str(number)), seen)


def _differs(scalar: yaml.ScalarNode) -> str:
    """How to write a plain scalar that the two versions of YAML do not read alike; nothing where they do."""
    text, kind = str(scalar.value), scalar.tag.rpartition(":")[2]
    if _SAME_IN_BOTH.fullmatch(text) or (kind == "str" and not NUMBER_FOR_DVC.fullmatch(text)):
        return ""
    if kind == "bool":
        return f"write {'true' if text.lower() in ('yes', 'on') else 'false'}, or quote it"
    plain = text.replace("_", "")
    if re.fullmatch(r"[-+]?0[box][0-9a-fA-F]+", plain):
        return f"write {int(plain, 0)}, or quote it"
    if re.fullmatch(r"[-+]?(0|[1-9][0-9]*)", plain):
        return f"write {plain}, or quote it"
    found = _FLOAT.fullmatch(plain)
    if found is None or not re.search(r"[.eE]", plain):
        return "quote it"
    sign, whole, fraction, exponent_sign, exponent = found.groups()
    power = f"e{exponent_sign or '+'}{exponent}" if exponent else ""
    return f"write {sign}{whole or '0'}.{fraction or '0'}{power}, or quote it"


def _keys(tree: Any, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:
    if isinstance(tree, dict):
        return [found for key, value in tree.items() for found in [((*path, key), key), *_keys(value, (*path, key))]]
    if isinstance(tree, list):
        return [found for item in tree for found in _keys(item, path)]
    return []


def _is_untold(fault: Any) -> bool:
    """Whether a value is not repeated: a whole section, or what may be a key, written where its variable belongs."""
    if isinstance(fault["input"], dict | Settings):
        return True
    named = re.search(r"(?i)key|secret|token|password", ".".join(map(str, fault["loc"])))
    return bool(named or re.search(r"://[^/]*@|[?&]|\bsk-", str(fault["input"])))


def validate(tree: dict[str, Any], where: str = "params.yaml") -> Settings:
    """`tree` as typed settings.

    Raises:
        ParamsError: one line that names each key that is wrong, its value and what is expected.
    """
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'the whole'}: {fault['msg'].removeprefix('Value error, ')}"
            + ("" if _is_untold(fault) else f" (it is {fault['input']!r})")
            for fault in error.errors()
        )
        raise ParamsError(f"{where}: {faults}") from None


def tree() -> dict[str, Any]:
    """params.yaml as plain values, read anew when the file changed.

    Raises:
        ParamsError: the file is missing or says something that cannot be.
    """
    return _read()[0]


def load() -> Settings:
    """params.yaml as settings, read anew when the file changed.

    Raises:
        ParamsError: the file is missing or says something that cannot be.
    """
    return _read()[1]


def _read() -> tuple[dict[str, Any], Settings]:
    try:
        return _parsed(PARAMS.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ParamsError("params.yaml: missing; `cotline profile default` writes it") from None


@lru_cache(maxsize=4)
def _parsed(text: str) -> tuple[dict[str, Any], Settings]:
    plain = parse(text)
    return plain, validate(plain)


def section(path: str) -> Any:
    """The plain value at a dotted path, such as `evaluations.gpt4v_direct`.

    Raises:
        ParamsError: params.yaml has nothing at that path.
    """
    node: Any = tree()
    for part in path.split("."):
        if not isinstance(node, dict) or part not in node:
            raise ParamsError(f"params.yaml: has no {path}")
        node = node[part]
    return node


def digest(*paths: str) -> str:
    """A hexadecimal digest of the values at these paths: the same values, the same digest, whatever their order."""
    values = {path: section(path) for path in paths}
    return hashlib.md5(json.dumps(values, sort_keys=True).encode()).hexdigest()
