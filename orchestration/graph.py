"""The asset graph as both engines see it: nodes in order, each with its stage, items, inputs and settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import dagster as dg

from assets import params
from assets.asset import Wiring, inputs_key
from orchestration import code, storage


@dataclass(frozen=True)
class Item:
    """One thing that can be made: an asset, or one partition of it; a DVC stage, or one item of it."""

    node: "Node"
    partition: str | None

    @property
    def stage(self) -> str:
        """The stage's name in DVC, `group-name` or `group-name@partition`."""
        return self.node.stage + (f"@{self.partition}" if self.partition else "")

    @property
    def file(self) -> Path:
        """Its parquet file."""
        return storage.table_file(self.node.key.path, self.partition)

    @property
    def extra_files(self) -> list[Path]:
        """The small JSON files that it writes beside the table."""
        return [storage.extra_file(self.node.key.path, extra) for extra in self.node.wiring.extras]

    @property
    def params(self) -> list[str]:
        """The dotted paths into params.yaml that it reads."""
        return [self._filled(path) for path in self.node.wiring.params]

    @property
    def named_files(self) -> list[str]:
        """The files that params.yaml names for it, spelled as there and so in dvc.yaml; relative to the root."""
        values = [params.section(self._filled(path)) for path in self.node.wiring.files]
        return [value for value in values if value]

    @property
    def params_digest(self) -> str:
        """A digest of the settings that it reads."""
        return params.digest(*self.params)

    def _filled(self, path: str) -> str:
        if self.partition is None:
            return path
        model = params.load().evaluations[self.partition].model if "{model}" in path else ""
        return path.replace("{partition}", self.partition).replace("{model}", model)


@dataclass(frozen=True)
class Node:
    """One asset that is made here."""

    key: dg.AssetKey
    wiring: Wiring
    partitions: tuple[str, ...] | None
    parents: tuple[dg.AssetKey, ...]
    code_version: str | None

    @property
    def name(self) -> str:
        """The key as people write it, `group/name`."""
        return self.key.to_user_string()

    @property
    def stage(self) -> str:
        """The stage's name in DVC, without an item."""
        return "-".join(self.key.path)

    @property
    def inputs_key(self) -> dg.AssetKey | None:
        """The external asset that stands for its files from outside and, of a partition, its settings."""
        key = inputs_key(*self.key.path)
        return key if key in self.parents else None

    @property
    def outs(self) -> list[Path]:
        """All that it writes: tables, folder and extras."""
        folders = [storage.folder_of(self.key.path)] if self.wiring.folder else []
        extras = [storage.extra_file(self.key.path, extra) for extra in self.wiring.extras]
        return [*(item.file for item in self.items), *folders, *extras]

    @property
    def items(self) -> list[Item]:
        """What of it can be made: its partitions, or itself."""
        return [Item(self, partition) for partition in ((None,) if self.partitions is None else self.partitions)]

    @cached_property
    def code(self) -> tuple[Path, ...]:
        """The files, and folders of them, whose bytes make it, relative to the root."""
        return code.dependencies(code.asset_code(self.wiring.steps, self.key.path[0]))


@dataclass(frozen=True)
class Graph:
    """All assets that are made here, each after what it depends on."""

    nodes: tuple[Node, ...]
    beside: Mapping[dg.AssetKey, tuple[dg.AssetKey, ...]] = field(default_factory=dict)
    """What assets that are kept by day, outside of DVC, read."""

    @cached_property
    def by_key(self) -> dict[dg.AssetKey, Node]:
        """The nodes by key."""
        return {node.key: node for node in self.nodes}

    @property
    def items(self) -> list[Item]:
        """All that can be made, in order."""
        return [item for node in self.nodes for item in node.items]

    def items_of(self, key: dg.AssetKey) -> list[Item]:
        """What of an asset can be made; nothing of one that is not made here."""
        return self.by_key[key].items if key in self.by_key else []

    def outside_files(self, item: Item) -> list[str]:
        """Those of the files that params.yaml names for `item` which no asset of the graph writes.

        Compared by their spelling: where data/ is a link to a larger disk, what lies there is the graph's still.
        """
        written = [storage.relative(path) for node in self.nodes for path in node.outs]
        return [name for name in item.named_files if not any(_within(name, out) for out in written)]

    def input_files(self, item: Item) -> list[Path]:
        """The files of the graph that `item` is made from: its parents' tables, all partitions of them."""
        return [parent.file for key in item.node.parents for parent in self.items_of(key)]


def of(definitions: dg.Definitions) -> Graph:
    """The graph of these definitions."""
    resolved: Any = definitions.resolve_asset_graph()
    return Graph(
        tuple(
            Node(
                key=key,
                wiring=Wiring.of(node.metadata),
                partitions=tuple(node.partitions_def.get_partition_keys()) if node.partitions_def else None,
                parents=tuple(sorted(node.parent_keys, key=lambda parent: tuple(parent.path))),
                code_version=node.code_version,
            )
            for key in resolved.toposorted_asset_keys
            # What has no wiring is kept by day, outside of DVC.
            if (node := resolved.get(key)).is_materializable and Wiring.NAME in node.metadata
        ),
        {
            key: tuple(sorted(node.parent_keys, key=lambda parent: tuple(parent.path)))
            for key in resolved.toposorted_asset_keys
            if (node := resolved.get(key)).is_materializable and Wiring.NAME not in node.metadata
        },
    )


def _within(name: str, out: str) -> bool:
    spelled = storage.relative(params.ROOT / name)
    return spelled == out or spelled.startswith(f"{out}/")
