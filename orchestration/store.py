"""`cotline store`: what the store of replies holds, how often it saved asking, and its records as JSON lines."""

import gzip
import json
import os
import tempfile
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from assets import params
from assets.replies_store import RepliesStore
from assets.schema.faults import Fault
from orchestration import printing
from orchestration.printing import Column

EPILOG = """\
examples:
  cotline store                                          how many replies there are, of which models and askings
  cotline store --evaluation mine_cot                    of one evaluation
  cotline store --export replies.jsonl.gz                every accepted reply, a JSON line each
  cotline store --export mine.jsonl --evaluation mine_cot
  cotline store --folder var/replies/writer              what the building of M3CoT asked a model

A reply that is accepted (status ok, refusal or truncated) is never asked for again; what failed (error, empty,
filtered) is an attempt, kept, and asked again by the next run. A duplicate came second where two runs asked at once.
Hits are replies that a run found here and did not ask for; a run that was killed does not count its own.
A reply that two evaluations share (a `limit` and the whole, say) stands under the one that asked first.
A line of an export is a record: its key, and `parts` (texts and pictures of the reply, as [kind, text, image_id]),
status, finish_reason, tokens_in, tokens_out, model, evaluation, asking, sample_id, and `at`, when it came.
The folder can be copied and read while runs write to it.
"""
FOLDER = "var/replies"
NONE = "-"

COLUMNS = (
    Column("model", lambda row: str(row["model"]), False),
    Column("evaluation", lambda row: str(row["evaluation"]), False),
    Column("asking", lambda row: str(row["asking"]), False),
    Column("accepted", lambda row: f"{row['accepted']:,}"),
    Column("attempts", lambda row: f"{row['attempts']:,}"),
    Column("tokens in", lambda row: f"{row['tokens_in']:,}"),
    Column("out", lambda row: f"{row['tokens_out']:,}"),
    Column("statuses", lambda row: printing.counts(row["statuses"]), False),
)


class StoreCommandError(Fault):
    """The store cannot be shown or exported as asked."""


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline store`."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("--folder", type=Path, metavar="DIR", help="another store (default: var/replies)")
    parser.add_argument("--evaluation", metavar="NAME", help="only what this evaluation asked for")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--export", type=Path, metavar="FILE", help="write the accepted records, .jsonl or .jsonl.gz")
    parser.add_argument("--force", action="store_true", help="replace FILE if it is there")


def run(arguments: Namespace) -> int:
    """`cotline store`: 0.

    Raises:
        StoreCommandError: there is no such folder or evaluation, or FILE is there or has another suffix.
    """
    folder = arguments.folder
    if folder is not None and not folder.is_dir():
        raise StoreCommandError(f"{folder}: is no folder: name one that holds segment-000001.jsonl")
    store = RepliesStore(folder or params.ROOT / FOLDER)
    if arguments.export is not None:
        print(export(store, arguments.export, arguments.evaluation, force=arguments.force))
        return 0
    shown = overview(store, str(folder or FOLDER), arguments.evaluation)
    print(json.dumps(shown, ensure_ascii=False, indent=2) + "\n" if arguments.json else _page(shown), end="")
    return 0


def overview(store: RepliesStore, folder: str, evaluation: str | None = None) -> dict[str, Any]:
    """What the store holds: folder, segments, bytes, accepted, attempts, duplicates, damaged, hits, runs, groups.

    A group: model, evaluation, asking, accepted, attempts, duplicates, tokens_in and tokens_out of all that came,
    and statuses by name.

    Raises:
        StoreCommandError: nothing in it is of this evaluation.
    """
    groups: dict[tuple[str, str, str], Counter[str]] = {}
    statuses: dict[tuple[str, str, str], Counter[str]] = {}
    known: set[str] = set()
    for entry in store.entries():
        model, of, asking = (str(entry.record.get(name) or NONE) for name in ("model", "evaluation", "asking"))
        known.add(of)
        if evaluation in (None, of):
            group = groups.setdefault((model, of, asking), Counter())
            group[entry.state] += 1
            statuses.setdefault((model, of, asking), Counter())[str(entry.record.get("status") or NONE)] += 1
            for name in ("tokens_in", "tokens_out"):
                group[name] += entry.record.get(name) or 0
    if evaluation is not None and not groups:
        raise _unknown(evaluation, known)
    runs = [line for line in store.hits() if evaluation in (None, line.get("evaluation"))]
    statistics = store.statistics()
    return {
        "folder": folder,
        "segments": statistics.segments,
        "bytes": statistics.bytes,
        "accepted": statistics.accepted,
        "attempts": statistics.attempts,
        "duplicates": statistics.duplicates,
        "damaged": statistics.damaged,
        "hits": sum(line["hits"] for line in runs),
        "runs": len(runs),
        "groups": [
            {
                **dict(zip(("model", "evaluation", "asking"), key, strict=True)),
                "accepted": group["accepted"],
                "attempts": group["attempt"],
                "duplicates": group["duplicate"],
                "tokens_in": group["tokens_in"],
                "tokens_out": group["tokens_out"],
                "statuses": dict(sorted(statuses[key].items())),
            }
            for key, group in sorted(groups.items())
        ],
    }


def export(store: RepliesStore, file: Path, evaluation: str | None = None, *, force: bool = False) -> str:
    """Write the accepted records to a file, whole or not at all; what was written comes out, in a line.

    Raises:
        StoreCommandError: the file is there, has another suffix or cannot be written, or there is nothing to write.
    """
    if not file.name.endswith((".jsonl", ".jsonl.gz")):
        raise StoreCommandError(f"{file}: exports are JSON lines: name it .jsonl or .jsonl.gz")
    if file.is_dir() or (file.exists() and not force):
        raise StoreCommandError(f"{file}: is there already: name another, or add --force to replace it")
    known: set[str] = set()
    try:
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    except OSError as error:
        way_out = "name a file in a folder that is there"
        raise StoreCommandError(f"{file}: cannot be written ({error.strerror}): {way_out}") from error
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as raw:
            written = _write(raw, file.name.endswith(".gz"), _lines(store, evaluation, known))
        if not written:
            raise _unknown(evaluation, known)
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, file)
    except OSError as error:
        raise StoreCommandError(f"{file}: cannot be written ({error.strerror}): free or mend the disk") from error
    finally:
        temporary.unlink(missing_ok=True)
    return f"{file}: {written:,} accepted replies"


def _lines(store: RepliesStore, evaluation: str | None, known: set[str]) -> Iterator[bytes]:
    for key, record in store.records():
        known.add(str(record.get("evaluation") or NONE))
        if evaluation in (None, record.get("evaluation")):
            yield json.dumps({"key": key, **record}, ensure_ascii=True, sort_keys=True).encode("ascii") + b"\n"


def _write(raw: IO[bytes], compressed: bool, lines: Iterator[bytes]) -> int:
    if not compressed:
        return sum(1 for line in lines if raw.write(line))
    with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as file:
        return sum(1 for line in lines if file.write(line))


def _unknown(evaluation: str | None, known: set[str]) -> StoreCommandError:
    if not known:
        return StoreCommandError("the store holds no reply yet: cotline materialize an evaluation that asks a model")
    return StoreCommandError(f"no reply of evaluation {evaluation} is here: name one of {', '.join(sorted(known))}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _page(shown: dict[str, Any]) -> str:
    if not shown["segments"]:
        return f"{shown['folder']}: no reply yet: cotline materialize an evaluation that asks a model\n"
    head = (
        f"{shown['folder']}: {shown['segments']:,} segments, {shown['bytes'] / 1e6:,.1f} MB\n"
        f"{shown['accepted']:,} accepted, {shown['attempts']:,} attempts, {shown['duplicates']:,} duplicates, "
        f"{shown['damaged']:,} damaged\n"
        f"{shown['hits']:,} hits in {shown['runs']:,} runs\n"
    )
    return f"{head}\n{printing.as_table(shown['groups'], COLUMNS)}" if shown["groups"] else head
