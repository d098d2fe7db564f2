"""dvc.yaml as the projection of the asset graph: an asset is a stage, a partition an item of its foreach."""

from argparse import ArgumentParser, Namespace
from typing import Any

import yaml

from assets import params
from assets.schema.faults import Fault
from orchestration import lockfile, storage
from orchestration.graph import Graph, Node

DVC_YAML = params.ROOT / "dvc.yaml"


class OutOfStep(Fault):
    """dvc.yaml is not the projection of the asset graph."""


HEADER = "# Written from the asset graph by `cotline dvc`; change the assets, not this file.\n"
PLOTS = {
    "leaderboard": {
        "template": "bar_horizontal",
        "x": "accuracy",
        "y": "evaluation",
        "title": "Accuracy by evaluation",
    },
    "steps": {
        "template": "scatter",
        "x": "steps",
        "y": "accuracy",
        "title": "Accuracy by number of reasoning steps of the reply",
    },
    "statuses": {"template": "bar_horizontal", "x": "share", "y": "reply", "title": "Replies that do not end well"},
    "tool_use": {"template": "bar_horizontal", "x": "share", "y": "use", "title": "What goes wrong in runs with tools"},
    "shots": {"template": "scatter", "x": "shots", "y": "accuracy", "title": "Accuracy by number of shots"},
}


def text(graph: Graph) -> str:
    """What dvc.yaml has to hold for this graph."""
    stages = {node.stage: _stage(graph, node) for node in graph.nodes if node.items}
    metrics = [
        storage.relative(storage.extra_file(node.key.path, "metrics"))
        for node in graph.nodes
        if "metrics" in node.wiring.extras
    ]
    plots = [{f"{node.stage}": {**_plot(node)}} for node in graph.nodes if "plot" in node.wiring.extras]
    document = {"stages": stages, "metrics": metrics, "plots": plots}
    return HEADER + yaml.safe_dump(document, sort_keys=False, width=120, allow_unicode=True)


def differs(graph: Graph) -> bool:
    """Whether the dvc.yaml that lies there is not the projection of this graph."""
    try:
        return DVC_YAML.read_text(encoding="utf-8") != text(graph)
    except FileNotFoundError:
        return True


def require(graph: Graph) -> None:
    """Go on only where dvc.yaml is the projection of the graph: else the two engines would disagree.

    Raises:
        OutOfStep: it is not.
    """
    if differs(graph):
        raise OutOfStep("dvc.yaml: is not what the asset graph says now; `cotline dvc` writes it")


def write(graph: Graph) -> bool:
    """Write dvc.yaml, and tidy dvc.lock to match; whether dvc.yaml changed comes out."""
    lockfile.tidy(graph)
    changed = differs(graph)
    if changed:
        storage.write_bytes(text(graph).encode(), DVC_YAML)
    return changed


def _stage(graph: Graph, node: Node) -> dict[str, Any]:
    item = "${key}" if node.partitions is not None else None
    files = [name for path in node.wiring.files if (name := _in_dvc_yaml(path))]
    parents = [storage.relative(parent.file) for key in node.parents for parent in graph.items_of(key)]
    outs: list[Any] = [storage.relative(storage.table_file(node.key.path, item))]
    if node.wiring.folder:
        outs.append(storage.relative(storage.folder_of(node.key.path, item)))
    # Small enough for git, and read there by `dvc metrics diff` and `dvc plots diff` without a checkout.
    outs += [
        {storage.relative(storage.extra_file(node.key.path, extra)): {"cache": False}} for extra in node.wiring.extras
    ]
    body: dict[str, Any] = {
        "cmd": f"python -m orchestration materialize {node.name}" + (" --partition ${key}" if item else ""),
        "deps": [*parents, *files, *(path.as_posix() for path in node.code)],
        "outs": outs,
    }
    if node.wiring.params:
        body["params"] = [
            path.replace("{partition}", "${key}").replace("{model}", "${item.model}") for path in node.wiring.params
        ]
    return {"foreach": _entries(node), "do": body} if item else body


def _entries(node: Node) -> dict[str, str]:
    """The partitions of an asset, each with its entry in params.yaml: the section that its first setting names."""
    section = node.wiring.params[0].partition(".")[0]
    return {name: f"${{{section}.{name}}}" for name in node.partitions or ()}


def _in_dvc_yaml(path: str) -> str | None:
    """The file at a params path, as dvc.yaml names it: of a partition through its item; None where none is set."""
    if "{partition}" in path:
        return "${item." + path.rpartition("{partition}.")[2] + "}"
    value: str | None = params.section(path)
    return value or None


def _plot(node: Node) -> dict[str, Any]:
    plot = PLOTS[node.key.path[-1]]
    file = storage.relative(storage.extra_file(node.key.path, "plot"))
    return {"template": plot["template"], "x": plot["x"], "y": {file: plot["y"]}, "title": plot["title"]}


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline dvc`."""
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 where dvc.yaml is out of step")


def run(arguments: Namespace) -> int:
    """`cotline dvc`: 0 when dvc.yaml is, or has become, what the graph says."""
    from orchestration.definitions import graph

    if arguments.check:
        require(graph())
        print("dvc.yaml: is what the asset graph says")
        return 0
    print(f"dvc.yaml: {'written' if write(graph()) else 'was already what the asset graph says'}")
    return 0
