"""dvc.lock: what DVC has on record of each stage, and how that compares with what is there now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from assets import params
from orchestration import storage
from orchestration.graph import Graph, Item

DVC_LOCK = params.ROOT / "dvc.lock"


@dataclass(frozen=True)
class Locked:
    """A stage on record: MD5s of its dependencies and outputs by path, values of its params by dotted path."""

    deps: Mapping[str, str]
    outs: Mapping[str, str]
    params: Mapping[str, Any]

    def made(self, item: Item) -> bool:
        """Whether the table that lies there is the one on record."""
        name = storage.relative(item.file)
        return name in self.outs and self.outs[name] == storage.md5_of(item.file)

    def same_files(self, names: list[str]) -> bool:
        """Whether these dependencies are on record with the bytes that they have now."""
        return all(name in self.deps and self.deps[name] == storage.md5_of(params.ROOT / name) for name in names)

    def same_code(self, item: Item) -> bool:
        """Whether the item's code is on record as it is now."""
        return self.same_files([path.as_posix() for path in item.node.code])

    def same_params(self, item: Item) -> bool:
        """Whether the settings that the item reads are on record as they are now."""
        return all(path in self.params and self.params[path] == params.section(path) for path in item.params)

    def current(self, graph: Graph, item: Item) -> bool:
        """Whether all that is on record is as it is now: nothing is left to commit."""
        files = [storage.relative(path) for path in (*graph.input_files(item), *item.read_files)]
        return self.made(item) and self.same_files(files) and self.same_code(item) and self.same_params(item)


def read() -> dict[str, Locked]:
    """The stages on record by name; empty where there is no dvc.lock yet."""
    try:
        text = DVC_LOCK.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
    return {stage: _locked(entry) for stage, entry in document.get("stages", {}).items()}


def _locked(entry: Mapping[str, Any]) -> Locked:
    return Locked(
        deps={dep["path"]: dep.get("md5", "") for dep in entry.get("deps", ())},
        outs={out["path"]: out.get("md5", "") for out in entry.get("outs", ())},
        params=entry.get("params", {}).get("params.yaml", {}),
    )
