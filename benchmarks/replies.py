"""What keeping replies costs, and what is left when a run is killed again and again.

    python -m benchmarks.replies [durable] [driver] [kills] [--model MODULE:FUNCTION]

Without a word all three; the exit status is 1 where a bound is missed. `durable`: 2,318 replies into the store, synced
at least every 64 or every second, beside a plain file that is synced after each reply, and one that is written anew
with each reply, as evaluation harnesses do. `driver`: 2,318 dialogues asked of a model that replies at once, and the
same once more, all known. `kills`: 600 dialogues of two asks, asked of an endpoint on loopback that answers some
requests with 500, 429, a cut body or late, with 50 kills -9 at random moments; MODEL is what asks (a function of the
endpoint's URL that gives the model), a minimal one by default; tests.assets.evaluation.kill_run:openai_chat is the
model of kind openai.
The files are in the folder for temporary ones (TMPDIR): put it on the disk that counts.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from assets import replies_store
from assets.evaluation.asking import ask
from assets.models.model import Ask, Dialogue, Reply, content_key, said
from assets.replies_store import RepliesStore
from tests.assets.evaluation import killing
from tests.assets.evaluation.kill_run import CONCURRENCY, OPENAI_IN_FLIGHT, NoPictures

REPLIES = 2_318
RUNS = 5
MOST_S = 0.5
REWRITTEN = 300
"""Replies that the file written anew takes: its cost grows with their square."""

KILLS, DIALOGUES, SEED = 50, 600, 20261130

TEXT = "The angle at the centre is twice the angle at the circumference, so it is 64 degrees. " * 10


def records(count: int) -> list[tuple[str, dict[str, Any]]]:
    """Keys and records of replies of some 900 characters."""
    made = []
    for number in range(count):
        text = f"{number}: {TEXT}The answer is (B)."
        key = content_key({"kind": "none"}, (), asking=str(number))
        made.append((key, {"parts": [["text", text, None]], "status": "ok", "tokens_in": 700, "tokens_out": 220}))
    return made


def stored(folder: Path, made: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    with RepliesStore(folder / "store") as store:
        for key, record in made:
            store.put(key, record)


def synced_each(folder: Path, made: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    with (folder / "plain.jsonl").open("wb") as file:
        for key, record in made:
            file.write(json.dumps({"key": key, **record}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def written_anew(folder: Path, made: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    known = {}
    for key, record in made:
        known[key] = record
        (folder / "whole.json").write_text(json.dumps(known), encoding="utf-8")


def seconds(work: Callable[[Path], None], runs: int = RUNS) -> float:
    """Median of the seconds that it takes, each time in a folder of its own."""
    taken = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            began = time.perf_counter()
            work(Path(folder))
            taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def durable(model: str) -> bool:
    made = records(REPLIES)
    ours = seconds(lambda folder: stored(folder, made))
    plain = seconds(lambda folder: synced_each(folder, made))
    some = seconds(lambda folder: stored(folder, made[:REWRITTEN]))
    anew = seconds(lambda folder: written_anew(folder, made[:REWRITTEN]), runs=1)
    print(f"{REPLIES:,} replies into the store: {ours:.3f} s (bound {MOST_S}), {ours / REPLIES * 1e6:.0f} µs each")
    print(f"  a sync covers at most {replies_store.GROUP} records or {replies_store.GROUP_S:.0f} s")
    print(f"  a plain file synced after each: {plain:.3f} s, {plain / ours:.1f} times")
    print(f"  of {REWRITTEN}: {some:.3f} s; one file written anew with each: {anew:.3f} s, {anew / some:.1f} times")
    return ours < MOST_S


class Instant:
    """Replies to everything at once."""

    name = "instant"
    identity: Mapping[str, Any] = {"kind": "instant"}

    def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Iterator[Reply]:
        """A reply to each dialogue's one ask."""
        for dialogue in dialogues:
            yield Reply(dialogue.id, 0, (said(f"{dialogue.id}: {TEXT}"),), "ok", "stop", 700, 220)


def driver(model: str) -> bool:
    dialogues = [Dialogue(str(number), (Ask((said(f"{number}: {TEXT}"),)),), ("a", "b")) for number in range(REPLIES)]
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        for what in ("asked", "known"):
            began = time.perf_counter()
            with RepliesStore(Path(folder)) as store:
                found = ask("benchmark", dialogues, Instant(), NoPictures(), store)
            taken = time.perf_counter() - began
            reused = found.progress.reused
            print(f"{REPLIES:,} dialogues through the driver, {what}: {taken:.3f} s ({reused:,} reused)")
    return found.progress.reused == REPLIES


def kills(model: str) -> bool:
    module, _, function = model.partition(":")
    identity = getattr(import_module(module), function)("http://127.0.0.1:9/v1").identity
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        found = killing.kill_again_and_again(
            Path(folder) / "killed",
            KILLS,
            DIALOGUES,
            SEED,
            model=model,
            identity=identity,
            in_flight=CONCURRENCY if model == killing.LOOPBACK else OPENAI_IN_FLIGHT,
        )
    replies = 2 * DIALOGUES
    print(
        f"{found.killed} runs killed while {DIALOGUES} dialogues of two asks were asked ({model.split(':')[1]}), "
        f"{time.perf_counter() - began:.1f} s"
    )
    print(f"  faults of the endpoint: {', '.join(f'{kind} {n}' for kind, n in sorted(found.faults.items()))}")
    print(f"  accepted replies: {found.statistics.accepted:,} of {replies:,}; attempts: {found.statistics.attempts:,}")
    print(
        f"  whole answers of the endpoint: {found.answered.total():,}, of which {found.lost.total()} were in flight "
        f"at a kill, at most {found.most_lost} at one"
    )
    violations = found.violations()
    print(f"  violated: {'; '.join(violations)}" if violations else "  the table is that of an undisturbed run")
    return not violations and found.killed == KILLS


PARTS = {"durable": durable, "driver": driver, "kills": kills}


def main() -> int:
    parser = ArgumentParser("benchmarks.replies", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--model", default=killing.LOOPBACK, metavar="MODULE:FUNCTION")
    arguments = parser.parse_args()
    held = [PARTS[name](arguments.model) for name in arguments.parts or PARTS]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
