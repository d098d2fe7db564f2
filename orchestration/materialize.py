"""`cotline materialize`: make assets of the graph in this process; also what every DVC stage runs."""

import os
import re
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import dagster as dg

from assets.params import ROOT
from assets.schema.faults import Fault
from orchestration.graph import Graph, Node
from orchestration.instance import PROCESS, end_dead_runs, opened, process_tag

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class UnknownAsset(Fault):
    """No asset, group or partition is called so; the message lists those there are."""


def chosen(graph: Graph, names: Sequence[str], everything: bool) -> list[Node]:
    """The nodes that these names mean: `group/name`, or `group` for all of it, in the graph's order.

    Raises:
        UnknownAsset: a name means nothing, or there is none.
    """
    if everything:
        return list(graph.nodes)
    known = {node.name for node in graph.nodes} | {node.key.path[0] for node in graph.nodes}
    for name in names:
        if name not in known:
            raise UnknownAsset(f"{name!r}: no asset or group is called so; there are {', '.join(sorted(known))}")
    if not names:
        raise UnknownAsset("name an asset (group/name), a group, or --all")
    return [node for node in graph.nodes if node.name in names or node.key.path[0] in names]


def batches(nodes: Sequence[Node], partition: str | None) -> Iterator[tuple[list[dg.AssetKey], str | None]]:
    """Runs in order: neighbours without partitions go together, partitioned ones make a run a partition.

    With a `partition` only that one of the assets that have it is made.

    Raises:
        UnknownAsset: `partition` is none of an asset's, or no asset has any.
    """
    if partition is not None:
        divided = [node for node in nodes if node.partitions is not None]
        if not divided:
            raise UnknownAsset(f"{partition!r}: none of these assets has partitions: leave --partition out")
        if not any(partition in (node.partitions or ()) for node in divided):
            name, known = divided[0].name, ", ".join(sorted({one for node in divided for one in node.partitions or ()}))
            raise UnknownAsset(f"{partition!r}: is no partition of {name}: {known}")
    for partitions, group in groupby(nodes, key=lambda node: node.partitions):
        keys = [node.key for node in group]
        if partitions is None:
            yield keys, None
            continue
        for name in partitions if partition is None else (partition,):
            if name in partitions:
                yield keys, name


def materialize(
    definitions: dg.Definitions, instance: dg.DagsterInstance, keys: Sequence[dg.AssetKey], partition: str | None
) -> list[str]:
    """Make these assets in one run in this process; what failed comes out as sentences, none when all is well."""
    job = definitions.resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(
        instance=instance,
        asset_selection=list(keys),
        partition_key=partition,
        raise_on_error=False,
        run_config=QUIET,
        tags={"cotline/door": "dvc" if os.environ.get("DVC_STAGE") else "command", PROCESS: process_tag()},
    )
    failed = [event for event in result.all_events if event.is_step_failure]
    if any(first_cause(event).endswith("InterruptedError") for event in failed):
        raise KeyboardInterrupt
    if not result.success and not failed:
        failed = [event for event in result.all_events if event.is_failure]
    return [sentence(event) for event in failed]


def first_cause(event: dg.DagsterEvent) -> str:
    """The name of the class of what went wrong, empty where there is none."""
    error = event.step_failure_data.error
    return (error.cls_name if error else None) or ""


def _names(kind: type[Any]) -> set[str]:
    """The names of a class and of all that are kinds of it: such an error says what is wrong, its causes do not."""
    return {kind.__name__, *(name for one in kind.__subclasses__() for name in _names(one))}


def sentence(event: dg.DagsterEvent) -> str:
    """What went wrong in the words of the first cause, without the names of classes."""
    said = event.step_failure_data.user_failure_data if event.is_step_failure else None
    error = event.step_failure_data.error if event.is_step_failure else event.job_failure_data.error
    faults = _names(Fault)
    while error is not None and error.cause is not None and error.cls_name not in faults:
        error = error.cause
    words = said.description if said else None
    if not words and error is not None:
        words = re.sub(rf"^[\w.]*{re.escape(error.cls_name or '')}: ", "", error.message.strip())
    where = f"{event.step_key.replace('__', '/')}: " if event.step_key else ""
    return where + (words or event.message or "failed")


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline materialize`."""
    parser.epilog = "example: cotline materialize evaluation/recorded --partition lively_direct"
    parser.add_argument("assets", nargs="*", metavar="ASSET", help="group/name, or a group for all of it")
    parser.add_argument("--all", action="store_true", help="all assets, all partitions")
    parser.add_argument("--partition", help="only this partition of partitioned assets (an evaluation's name)")


def run(arguments: Namespace) -> int:
    """`cotline materialize`: 0 when all is made and no blocking check failed."""
    from orchestration.definitions import defs, graph
    from orchestration.projection import require

    nodes = chosen(graph(), arguments.assets, arguments.all)
    runs = list(batches(nodes, arguments.partition))
    require(graph())
    failed = False
    with opened() as instance:
        end_dead_runs(instance)
        for number, (keys, partition) in enumerate(runs, start=1):
            began = time.monotonic()
            names = ", ".join(key.to_user_string() for key in keys) + (f" @ {partition}" if partition else "")
            failures = materialize(defs, instance, keys, partition)
            for sentence in failures:
                print(f"cotline materialize: {sentence}", file=sys.stderr)
            if failures:
                failed = True
                break
            count = f"[{number}/{len(runs)}] " if len(runs) > 1 else ""
            print(f"{count}{names}: {time.monotonic() - began:.1f} s", flush=True)
    if "DVC_STAGE" not in os.environ:
        track_later()
    return 1 if failed else 0


def track_later() -> None:
    """Bring the runs into MLflow by a process of its own, which this one does not wait for."""
    if os.environ.get("COTLINE_TRACK") == "0":
        return
    subprocess.Popen(
        [sys.executable, "-m", "orchestration", "track", "--quiet"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
