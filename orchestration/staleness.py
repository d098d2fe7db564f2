"""What is stale, as each engine says. Dagster has no public call for it: this module alone uses the private one."""

import json
from argparse import ArgumentParser, Namespace
from typing import Any

import dagster as dg
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from assets.schema.faults import Fault
from orchestration import dvc_command, inputs
from orchestration.graph import Graph, Item

MOST_NAMES = 3


class NoAnswer(Fault):
    """DVC could not say what is stale, as while it runs a stage."""


def in_dagster(instance: dg.DagsterInstance, definitions: dg.Definitions, graph: Graph) -> dict[str, str]:
    """The stages that Dagster holds for stale or missing, with its reasons."""
    inputs.observe(instance, graph)
    ask = Resolver(instance, definitions)
    return {item.stage: reason for item in graph.items if (reason := ask.reason(item))}


class Resolver:
    """Asks Dagster about single items within one state of the instance."""

    def __init__(self, instance: dg.DagsterInstance, definitions: dg.Definitions) -> None:
        """Ask `instance` about the assets of `definitions`."""
        self._resolver = CachingStaleStatusResolver(
            instance, definitions.resolve_asset_graph(), LoadingContextForTest(instance)
        )

    def reason(self, item: Item) -> str:
        """Why the item is stale or missing; empty when it is fresh."""
        status = self._resolver.get_status(item.node.key, item.partition).value
        if status == "FRESH":
            return ""
        causes = self._resolver.get_stale_causes(item.node.key, item.partition)
        reasons = [
            f"{cause.reason}{f' ({cause.dependency.asset_key.to_user_string()})' if cause.dependency else ''}"
            for cause in causes
        ]
        return "; ".join(reasons) or status.lower()


def in_dvc() -> dict[str, str]:
    """The stages that `dvc status` holds for changed, with its reasons as JSON text.

    Raises:
        NoAnswer: dvc could not say; its own words are in the message.
    """
    done = dvc_command.run("status", "--json")
    if done.returncode != 0:
        raise NoAnswer(f"dvc status: {' '.join((done.stderr or done.stdout).split())}")
    changed = json.loads(done.stdout)
    return {stage.rpartition(":")[2]: _in_words(parts) for stage, parts in changed.items()}


def _in_words(parts: list[Any]) -> str:
    """DVC's reasons in a line: `[{"changed deps": {path: "modified", …}}, …]` becomes `modified path, …`."""
    found: dict[str, list[str]] = {}
    for part in parts:
        if isinstance(part, str):
            found.setdefault(part, [])
            continue
        for changes in part.values():
            for path, how in changes.items():
                # params.yaml has the changed settings one level down.
                names = [f"{path}: {name}" for name in how] if isinstance(how, dict) else [path]
                found.setdefault("changed" if isinstance(how, dict) else str(how), []).extend(names)
    return "; ".join(
        f"{how} {', '.join(names[:MOST_NAMES])}{', …' if len(names) > MOST_NAMES else ''}".strip()
        for how, names in found.items()
    )


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline status`: none."""


def run(arguments: Namespace) -> int:
    """`cotline status`: 0 when both engines hold everything for fresh, else 1."""
    from orchestration.definitions import defs, graph
    from orchestration.instance import opened

    with opened() as instance:
        told = {"Dagster": in_dagster(instance, defs, graph()), "DVC": in_dvc()}
    for engine, stale in told.items():
        print(f"{engine}: {len(stale)} stale")
        for stage, reason in stale.items():
            print(f"  {stage}: {reason}")
    return 1 if any(told.values()) else 0
