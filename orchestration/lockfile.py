"""dvc.lock: what DVC has on record of each stage, and how that compares with what is there now."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from assets import params
from assets.schema.faults import Fault
from orchestration import storage
from orchestration.graph import Graph, Item

DVC_LOCK = params.ROOT / "dvc.lock"
_STAGE = re.compile(r"^  (?=\S)", re.MULTILINE)


class UnreadableLock(Fault):
    """dvc.lock is not what DVC writes."""


@dataclass(frozen=True)
class Locked:
    """A stage on record: MD5s of its dependencies and outputs by path, values of its params by dotted path."""

    deps: Mapping[str, str]
    outs: Mapping[str, str]
    params: Mapping[str, Any]

    def made(self, item: Item) -> bool:
        """Whether all that the item writes lies there as it is on record."""
        if not is_whole(item):
            return False
        files = [item.file, *item.extra_files]
        return all(self.outs.get(storage.relative(path), "") == storage.md5_of(path) for path in files)

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
        files = [*(storage.relative(path) for path in graph.input_files(item)), *item.named_files]
        return self.made(item) and self.same_files(files) and self.same_code(item) and self.same_params(item)


def is_whole(item: Item) -> bool:
    """Whether the folder that the item writes, if it writes one, is what its manifest says."""
    if not item.node.wiring.folder:
        return True
    folder = storage.folder_of(item.node.key.path, item.partition)
    if not folder.is_dir() or not item.file.exists():
        return False
    return bool(storage.manifest(folder).equals(storage.read_table(item.file)))


def read() -> dict[str, Locked]:
    """The stages on record by name; empty where there is no dvc.lock yet.

    Raises:
        UnreadableLock: it is no YAML, as after a merge that was not settled.
    """
    try:
        text = DVC_LOCK.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
    except yaml.YAMLError as error:
        raise UnreadableLock(f"dvc.lock: not readable ({' '.join(str(error).split())}): settle the merge") from None
    return {stage: _locked(entry) for stage, entry in document.get("stages", {}).items()}


def _locked(entry: Mapping[str, Any]) -> Locked:
    return Locked(
        deps={dep["path"]: dep.get("md5", "") for dep in entry.get("deps", ())},
        outs={out["path"]: out.get("md5", "") for out in entry.get("outs", ())},
        params=entry.get("params", {}).get("params.yaml", {}),
    )


def tidy(graph: Graph) -> list[str]:
    """Bring dvc.lock into the graph's order and drop what is no stage of it any more; the dropped stages come out.

    DVC itself keeps the order of running and the entries of stages that are gone: then the way back to a former
    profile would not end in the former file.
    """
    head, blocks = _blocks()
    order = [item.stage for item in graph.items]
    kept = {stage: blocks[stage] for stage in order if stage in blocks}
    _write(head, kept)
    return sorted(set(blocks) - set(kept))


def put_back(before: bytes, stages: list[str]) -> None:
    """Put these stages' entries back as they were in `before`, or away if they were not there; others stay."""
    if not stages:
        return
    head, blocks = _blocks()
    _, old = _split(before.decode())
    for stage in stages:
        blocks.pop(stage, None)
        if stage in old:
            blocks[stage] = old[stage]
    _write(head, blocks)


def changed(before: bytes, *, but: Collection[str]) -> list[str]:
    """The stages whose entries are not those of `before`, leaving out `but`."""
    _, old = _split(before.decode())
    _, new = _blocks()
    return sorted(stage for stage in old.keys() | new.keys() if old.get(stage) != new.get(stage) and stage not in but)


def _blocks() -> tuple[str, dict[str, str]]:
    return _split(DVC_LOCK.read_text(encoding="utf-8")) if DVC_LOCK.exists() else ("", {})


def _split(text: str) -> tuple[str, dict[str, str]]:
    # As text: written again by another library, an MD5 such as 12e456… could lose its quotes and become a number.
    head, *parts = _STAGE.split(text)
    return head, {part.partition(":\n")[0].strip("'\""): f"  {part}" for part in parts}


def _write(head: str, blocks: Mapping[str, str]) -> None:
    if not blocks:
        DVC_LOCK.unlink(missing_ok=True)
        return
    text = head + "".join(block if block.endswith("\n") else f"{block}\n" for block in blocks.values())
    if text.encode() != DVC_LOCK.read_bytes():
        storage.write_bytes(text.encode(), DVC_LOCK)
