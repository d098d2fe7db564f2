"""params.yaml as typed, validated settings; an asset names the sections that it reads."""

import hashlib
import json
import os
import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from assets.faults import Fault

ROOT = Path(__file__).resolve().parent.parent
PARAMS = ROOT / "params.yaml"

Name = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]

MOST_EVALUATIONS = 99
"""Dagster does not check an edge of 100 or more partitions for staleness: such a table would always look fresh."""

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


def _normalised(path: str) -> str:
    """The path itself, if it is spelled as DVC writes it in dvc.lock: else the same file would have two names."""
    if not path.strip() or "://" in path:
        raise ValueError("write the path of a file")
    if path.startswith("~"):
        raise ValueError("write the home folder out, as an absolute path")
    slashed = path.replace("\\", "/")
    if slashed.startswith("/"):
        spelled = posixpath.normpath(f"/{slashed.lstrip('/')}")
    else:
        spelled = Path(os.path.relpath(ROOT / slashed, ROOT)).as_posix()
    if spelled != path:
        raise ValueError(f"write {spelled!r}, as DVC does in dvc.lock")
    return path


FilePath = Annotated[str, AfterValidator(_normalised)]
"""A file, absolute or relative to the checkout, in the one spelling that dvc.lock keeps."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GeneratedReplies(_Section):
    """One generated replies file: who answers how well, in which form, with which defects."""

    model: str
    strategy: Literal["direct", "cot", "desp-cot", "ccot"]
    skill: float = Field(ge=0, le=1)
    form: str
    defects: float = Field(default=0.0, ge=0, le=1)


class GeneratedReleased(_Section):
    """The embedded default in the released form; `items` 0 generates nothing."""

    seed: int
    items: int = Field(ge=0)
    replies: dict[Name, GeneratedReplies] = {}


class Released(_Section):
    """Where a benchmark's released items lie (null: nowhere), and what to say of where they come from."""

    items: FilePath | None
    provenance: str


class Sources(_Section):
    """Where each upstream lies."""

    generated_released: GeneratedReleased
    m3cot_released: Released
    comt_released: Released


class Model(_Section):
    """What answers. `published` is its name in the papers' tables, if it stands there."""

    kind: Literal["replay"]
    published: str | None = None


class Evaluation(_Section):
    """A model asked on a split of a benchmark by a strategy; `replies` is the file that a replay model reads."""

    benchmark: Literal["m3cot", "comt"]
    split: Literal["train", "validation", "test"]
    model: Name
    strategy: Literal["direct", "cot", "desp-cot", "ccot", "vot"]
    shots: int = Field(default=0, ge=0)
    replies: FilePath


class Scoring(_Section):
    """How answers become scores."""

    labels: tuple[Literal["released", "paper"], ...]
    level: float = Field(gt=0, lt=1)


class Running(_Section):
    """How runs behave: seconds to wait for another run that writes the same table, port of Data Docs on loopback."""

    lock_wait_s: float = Field(ge=0)
    docs_port: int = Field(ge=1, le=65535)


class Tracking(_Section):
    """Where MLflow keeps its records; `uri` null is the sqlite store under var/."""

    uri: str | None
    experiment: str


class Settings(_Section):
    """params.yaml as a whole."""

    sources: Sources
    models: dict[Name, Model]
    evaluations: dict[Name, Evaluation]
    scoring: Scoring
    running: Running
    tracking: Tracking

    @field_validator("evaluations")
    @classmethod
    def _within_what_dagster_checks(cls, value: dict[str, Evaluation]) -> dict[str, Evaluation]:
        if len(value) > MOST_EVALUATIONS:
            raise ValueError(
                f"{len(value)} evaluations are more than {MOST_EVALUATIONS}, past which Dagster no longer sees "
                "what is stale: move some of them to a profile of their own"
            )
        return value

    @model_validator(mode="after")
    def _evaluations_have_what_they_name(self) -> "Settings":
        released = {"m3cot": self.sources.m3cot_released, "comt": self.sources.comt_released}
        for name, evaluation in self.evaluations.items():
            if released[evaluation.benchmark].items is None:
                raise ValueError(
                    f"evaluations.{name}.benchmark: {evaluation.benchmark} has no samples to score against: "
                    f"set sources.{evaluation.benchmark}_released.items"
                )
            if evaluation.model not in self.models:
                known = ", ".join(sorted(self.models)) or "none"
                raise ValueError(
                    f"evaluations.{name}.model: {evaluation.model!r} is not among models ({known}): add it there"
                )
        return self


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
            + (f" (it is {fault['input']!r})" if not isinstance(fault["input"], dict | Settings) else "")
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
