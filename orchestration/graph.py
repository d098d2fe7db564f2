"""The asset graph as both engines see it: nodes in order, each with its stage, items, inputs and settings."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import dagster as dg

from assets import params
from assets.asset import Wiring
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
    def params(self) -> list[str]:
        """The dotted paths into params.yaml that it reads."""
        return [self._filled(path) for path in self.node.wiring.params]

    @property
    def read_files(self) -> list[Path]:
        """The files from outside the graph, or within a folder of it, that params.yaml names for it."""
        values = [params.section(self._filled(path)) for path in self.node.wiring.files]
        return [params.ROOT / value for value in values if value]

    @property
    def outside_files(self) -> list[Path]:
        """Those of `read_files` that no asset of the graph writes."""
        return [path for path in self.read_files if not path.resolve().is_relative_to(params.ROOT / "data")]

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
        key = dg.AssetKey(["inputs", self.key.path[-1]])
        return key if key in self.parents else None

    @property
    def items(self) -> list[Item]:
        """What of it can be made: its partitions, or itself."""
        return [Item(self, partition) for partition in self.partitions or (None,)]

    @cached_property
    def code(self) -> tuple[Path, ...]:
        """The files whose bytes make it, relative to the root."""
        return code.asset_code(self.wiring.steps, self.key.path[0])


@dataclass(frozen=True)
class Graph:
    """All assets that are made here, each after what it depends on."""

    nodes: tuple[Node, ...]

    @cached_property
    def by_key(self) -> dict[dg.AssetKey, Node]:
        """The nodes by key."""
        return {node.key: node for node in self.nodes}

    @property
    def items(self) -> list[Item]:
        """All that can be made, in order."""
        return [item for node in self.nodes for item in node.items]

    def input_files(self, item: Item) -> list[Path]:
        """The files of the graph that `item` is made from: its parents' tables, all partitions of them."""
        return [
            parent_item.file
            for key in item.node.parents
            if key in self.by_key
            for parent_item in self.by_key[key].items
        ]


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
            if (node := resolved.get(key)).is_materializable
        )
    )
