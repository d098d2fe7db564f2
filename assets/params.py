"""params.yaml as typed, validated settings; an asset names the sections that it reads."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from assets.faults import Fault

ROOT = Path(__file__).resolve().parent.parent
PARAMS = ROOT / "params.yaml"

Name = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]

MOST_EVALUATIONS = 99
"""Dagster does not check an edge of 100 or more partitions for staleness: such a table would always look fresh."""

FORBIDDEN_KEYS = frozenset({"size", "nfiles"})
"""DVC's run cache ignores a params key of these names at any depth (dvc#10296) and would restore an old table."""


class ParamsError(Fault):
    """params.yaml says something that cannot be; the message names the key, the value and the way out."""


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

    items: str | None
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
    replies: str


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
    """The YAML mapping in `text`, checked for keys that DVC would overlook.

    Raises:
        ParamsError: the text is no mapping, or a key is one that DVC's run cache ignores.
    """
    try:
        tree = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ParamsError(f"{where}: not readable as YAML ({' '.join(str(error).split())})") from None
    if not isinstance(tree, dict):
        raise ParamsError(f"{where}: holds {type(tree).__name__}, not a mapping of sections")
    for path, key in _keys(tree, ()):
        if key in FORBIDDEN_KEYS:
            raise ParamsError(
                f"{where}: {'.'.join(map(str, path))}: a key named {key!r} is invisible to DVC's run cache "
                "(an old table would come back): give it another name"
            )
    return tree


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
