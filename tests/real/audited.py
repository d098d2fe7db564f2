"""The 24 released prediction files of M3CoT as the audits take them."""

import functools
from pathlib import Path
from typing import NamedTuple

from assets.evaluation.replies_file import Samples, evaluate, read_samples
from assets.evaluation.rows import Answer, Reply
from assets.models import replay
from assets.sources import jsonlines

ROOT = Path(__file__).resolve().parents[2]
RELEASED = ROOT.parent / "shared" / "data" / "m3cot_released"
SPLIT = ("m3cot", "released", "test")


class Audited(NamedTuple):
    """samples: of the test split. replies and answers: by model and strategy."""

    samples: Samples
    replies: dict[str, list[Reply]]
    answers: dict[str, list[Answer]]


@functools.cache
def audited() -> Audited:
    """All files, read once a process."""
    samples = read_samples(RELEASED / "test_items.jsonl.gz", "m3cot")
    replies, answers = {}, {}
    for path in sorted(RELEASED.glob("predictions/*/*.jsonl.gz")):
        name = f"{path.parent.name}/{path.name.removesuffix('.jsonl.gz')}"
        replies[name] = list(replay.replies(jsonlines.read(path), "m3cot"))
        answers[name] = evaluate(path, "m3cot", samples).answered.rows
    return Audited(samples, replies, answers)
