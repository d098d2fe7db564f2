"""What batches gain: replies a second of the kind `transformers` against a loop over the plain calls, in one run.

    python -m benchmarks.generation [FOLDER] [--dialogues 64] [--tokens 64] [--batch 16 32] [--dtype float32]

Without a folder the tests' tiny checkpoint is made. Dialogues are the tests' own: no, one or two pictures, texts of any
length, every other one with a second ask. Both sides do all of it: template, pictures, tokens, generation, text. Then
second asks that are read on from what is kept of the first, against the same read anew; and options scored with their
prompt calculated once, against once for each. The exit status is 1 where the first batch size is less than 5 times as
quick as the loop, or where a text differs in float32; in a shorter number format the texts that differ are counted.
One thread calculates; seconds are those of the CPU, the median of the runs, which take turns.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assets.models.model import Dialogue
from assets.models.transformers_chat import TransformersChat
from tests.tiny_dialogues import PICTURES, alone, by_ask, loaded, mixed
from tests.tiny_model import make

RUNS = 3
LEAST_RATIO = 5.0

Texts = dict[tuple[str, int], str]


def timed(work: Callable[[], Texts]) -> tuple[float, Texts]:
    """Seconds of the CPU, and the texts."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def loop(plain: Any, dialogues: list[Dialogue], tokens: int) -> Texts:
    """The texts of one dialogue after another, by the plain calls."""
    return {(one.id, ask): text for one in dialogues for ask, (text, _, _) in enumerate(alone(plain, one, tokens))}


def batched(model: TransformersChat, dialogues: list[Dialogue]) -> Texts:
    """The texts in batches."""
    return {key: reply.text for key, reply in by_ask(model.replies(dialogues, PICTURES)).items()}


def compare(folder: Path, given: argparse.Namespace) -> bool:
    """Prints replies a second of the loop and of each batch size; whether the bounds are held."""
    import torch

    dialogues = [mixed(number) for number in range(given.dialogues)]
    plain = loaded(folder)
    plain[1].to(getattr(torch, given.dtype))
    sides: dict[str, Callable[[], Texts]] = {"one at a time": lambda: loop(plain, dialogues, given.tokens)}
    for batch in given.batch:
        model = _chat(folder, given, batch=batch)
        sides[f"batches of {batch}"] = lambda model=model: batched(model, dialogues)  # type: ignore[misc]
    for side in sides.values():
        side()
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    texts: dict[str, Texts] = {}
    for _ in range(RUNS):
        for name, side in sides.items():
            taken, texts[name] = timed(side)
            seconds[name].append(taken)
    naive, *others = sides
    slowest, asked = statistics.median(seconds[naive]), len(texts[naive])
    print(f"{len(dialogues)} dialogues, {asked} replies of at most {given.tokens} tokens, {given.dtype}")
    print(f"{'':<16}{'seconds':>9}{'replies/s':>11}{'ratio':>8}{'same text':>14}")
    held = True
    for place, name in enumerate(sides):
        taken = statistics.median(seconds[name])
        same = sum(texts[name].get(key) == text for key, text in texts[naive].items())
        print(f"{name:<16}{taken:>9.2f}{asked / taken:>11.1f}{slowest / taken:>8.1f}{f'{same} of {asked}':>14}")
        held &= place != 1 or slowest / taken >= LEAST_RATIO
        held &= given.dtype != "float32" or same == asked
    print(f"bound {LEAST_RATIO} times with {others[0]}, same texts in float32: {'held' if held else 'MISSED'}")
    return held


def second_asks(folder: Path, given: argparse.Namespace) -> bool:
    """Prints seconds of dialogues with two asks, the second read on or anew; whether their texts are the same."""
    dialogues = [one for one in map(mixed, range(1, 2 * given.dialogues, 2)) if one.asks[0].parts[0].image_id]
    model = _chat(folder, given, batch=given.batch[0])
    batched(model, dialogues)
    seconds, texts = {}, {}
    for exact in (True, False):
        model._memory.exact.update({True: exact, False: exact})
        runs = [timed(lambda: batched(model, dialogues)) for _ in range(RUNS)]
        seconds[exact], texts[exact] = statistics.median(taken for taken, _ in runs), runs[0][1]
    same = sum(texts[True][key] == text for key, text in texts[False].items())
    print(
        f"{len(dialogues)} dialogues of two asks: read anew {seconds[False]:.2f} s, read on {seconds[True]:.2f} s, "
        f"{seconds[False] / seconds[True]:.2f} times, same text {same} of {len(texts[False])}"
    )
    return same == len(texts[False])


def options(folder: Path, given: argparse.Namespace) -> None:
    """Prints dialogues a second whose options are scored, the prompt calculated once or for each option."""
    dialogues = [mixed(number) for number in range(0, given.dialogues, 2)]
    for shared in (True, False):
        model = _chat(folder, given, batch=given.batch[0], answer="loglikelihood")
        batched(model, dialogues)
        model._shared = {True: shared, False: shared}
        taken = statistics.median(timed(lambda model=model: batched(model, dialogues))[0] for _ in range(RUNS))  # type: ignore[misc]
        how = "once" if shared else "for each option"
        print(f"options scored, prompt calculated {how}: {len(dialogues) / taken:.1f} dialogues/s")


def _chat(folder: Path, given: argparse.Namespace, **more: Any) -> TransformersChat:
    return TransformersChat(
        "measured", model=str(folder), device="cpu", dtype=given.dtype, max_tokens=given.tokens, **more
    )


def main(words: list[str]) -> int:
    """Measures; the exit status."""
    import torch

    reader = argparse.ArgumentParser(prog="python -m benchmarks.generation", description=__doc__.split("\n")[0])
    reader.add_argument("folder", nargs="?", type=Path, help="a checkpoint; without it the tests' tiny one is made")
    reader.add_argument("--dialogues", type=int, default=64)
    reader.add_argument("--tokens", type=int, default=64)
    reader.add_argument("--batch", type=int, nargs="+", default=[16, 32])
    reader.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    given = reader.parse_args(words)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as made:
        folder = given.folder or make(Path(made) / "model")
        torch.set_num_threads(1)
        held = compare(folder, given)
        if given.dtype == "float32":
            held &= second_asks(folder, given)
        options(folder, given)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
