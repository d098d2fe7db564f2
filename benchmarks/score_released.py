"""Times the whole table over M3CoT's released predictions beside a plain loop, in one run, and prints the ratio.

    python benchmarks/score_released.py [FOLDER]

Ours: from the gz files on disk to rows, both extractors, every scope with intervals. The plain loop searches as the
published script does: for each prediction a walk through the test split, the ids seen so far in a list, patterns
built where they are used. It is run as that script has to be for its three scopes: a run for each of topic, domain
and all, and in each run one pass for the scope and one more for the total; one extractor, no intervals.
"""

import gc
import gzip
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "m3cot_released"
LETTERS = "ABCDEF"


def whole_table(folder: Path) -> dict[str, int]:
    from assets.evaluation.replies_file import evaluate, read_samples
    from assets.evaluation.scores import scores

    samples = read_samples(folder / "test_items.jsonl.gz", "m3cot")
    right = {}
    for path in files(folder):
        evaluated = evaluate(path, "m3cot", samples)
        rows = scores(evaluated.answered.rows, samples.items, evaluation=name(path))
        right[name(path)] = next(row.correct for row in rows if row.scope == "total" and row.extractor == "paper")
    return right


def plain_loop(folder: Path) -> dict[str, int]:
    right = {}
    for by in ("topic", "domain", "all"):
        with gzip.open(folder / "test_items.jsonl.gz", "rt", encoding="utf-8") as lines:
            split = [json.loads(line) for line in lines]
        for path in files(folder):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                predictions = [json.loads(line) for line in lines]
            counted(predictions, split, by)
            right[name(path)] = counted(predictions, split, "all")["all"][0]
    return right


def counted(predictions: list[dict[str, Any]], split: list[dict[str, Any]], by: str) -> dict[str, tuple[int, int]]:
    seen: list[str] = []
    result: dict[str, tuple[int, int]] = {}
    for prediction in predictions:
        if prediction["id"] in seen:
            continue
        seen.append(prediction["id"])
        for sample in split:
            if sample["id"] == prediction["id"]:
                choices = prediction.get("choices", sample["choices"])
                hit = letter(prediction["messages"][-1], choices) == sample["answer"]
                group = sample.get(by, "all")
                correct, n = result.get(group, (0, 0))
                result[group] = (correct + hit, n + 1)
                break
    return result


def letter(text: str, choices: list[str]) -> str:
    if "[Answer]" in text:
        text = text.split("[Answer]")[-1].split("[Rationale]")[0].split("[Context]")[0]
    enclosed = re.compile(r"\(([A-Za-z])\)").findall(text)
    if enclosed:
        return str(enclosed[-1]).upper()
    found = [LETTERS[place] for place, choice in enumerate(choices) if choice.lower() in text.lower()]
    for letters in (LETTERS, LETTERS.lower()):
        if found:
            break
        for place in range(len(choices)):
            if letters[place] in re.sub(r"[\n.,!?]", " ", text).split(" "):
                found.append(LETTERS[place])
    return found[-1] if found else "FAILED"


def files(folder: Path) -> list[Path]:
    return sorted((folder / "predictions").glob("*/*.jsonl.gz"))


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.jsonl.gz')}"


def timed(run: Any, folder: Path) -> tuple[dict[str, int], float]:
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    result = run(folder)
    seconds = time.perf_counter() - start
    gc.enable()
    return result, seconds


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not files(folder):
        print(f"{folder}: holds no predictions/*/*.jsonl.gz: name the folder of the released files", file=sys.stderr)
        return 1
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    ours, seconds = timed(whole_table, folder)
    theirs, plain_seconds = timed(plain_loop, folder)
    print(f"{len(ours)} files, both extractors, all scopes with intervals: {seconds:.2f} s")
    print(f"plain loop, one extractor, topic, domain and all, no intervals: {plain_seconds:.2f} s")
    print(f"ratio: {plain_seconds / seconds:.1f}")
    apart = [f"{file} {ours[file]} {theirs[file]}" for file in ours if ours[file] != theirs[file]]
    if apart:
        print(f"the totals differ: {'; '.join(apart)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
