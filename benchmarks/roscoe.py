"""Times ROSCOE's embedding scores for many chains at once beside a loop over samples and pairs, on the same vectors.

    python -m benchmarks.roscoe [FOLDER]

FOLDER holds M3CoT's released predictions; where it is not there, chains of generated texts stand in. The vectors are
made once and not timed. The loop scores one sample after another, each cosine on its own by its formula (dot product by
both lengths), as a per-sample script does. Seconds are those of one core.
Exits with 1 where a value differs by more than 1e-5, or the ratio is below the bound.
"""

import gzip
import itertools
import json
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from assets.analysis.rationales.chains import Chain

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "m3cot_released"
CHAINS = 150
LEAST_RATIO = 50.0
MOST_APART = 1e-5

Vectors = Sequence["np.ndarray"]


class Sample(NamedTuple):
    """The vectors of one chain: of its texts, of their tokens (those of the steps step by step), of its whole sides."""

    steps: Vectors
    context: Vectors
    reference: Vectors
    step_words: Sequence[Vectors]
    context_words: Vectors
    whole: tuple["np.ndarray | None", "np.ndarray | None", "np.ndarray | None"]


def loop(samples: Sequence[Sample], mode: str) -> list[dict[str, float]]:
    """The thirteen scores of each sample, one after another; NaN where one is not defined."""
    return [one_sample(sample, mode) for sample in samples]


def one_sample(sample: Sample, mode: str) -> dict[str, float]:
    """The thirteen scores of one sample, straight from their definitions."""
    h, s, r = sample.steps, sample.context, sample.reference
    hs, sh, hr, rh, rs = aligned(h, s), aligned(s, h), aligned(h, r), aligned(r, h), aligned(r, s)
    tokens = aligned([word for words in sample.step_words for word in words], sample.context_words)
    cosines = [cosine(h[later], h[earlier]) for later in range(len(h)) for earlier in range(later)]
    repeated = []
    for words, earlier in itertools.combinations([words for words in sample.step_words if len(words)][::-1], 2):
        repeated.append(mean(aligned(words, earlier)))
    chain, coverage = (similar(sample.whole[0], sample.whole[side]) for side in (1, 2))
    code = mode == "reference"
    alone = 1.0 if code and len(h) else math.nan
    both, gold = bool(hs and rs), bool(hr)
    return {
        "faithfulness": mean(hs),
        "faithfulness_ww": mean([*hs, *tokens]),
        "informativeness_step": (mean(hs) + mean(sh)) / 2,
        "repetition_word": 1 - max(repeated) if repeated else alone,
        "reasoning_alignment": mean(hr),
        "redundancy": min(hr) if gold else math.nan,
        "missing_step": min(rh) if gold else math.nan,
        "external_hallucination": 1 - max((1 - a) * (1 - b) for a, b in zip(hr, hs, strict=True)) if both else math.nan,
        "common_sense_error": 1 - max((1 - a) * (1 - b) for a, b in zip(rh, rs, strict=True)) if both else math.nan,
        "semantic_coverage_step": 1 - abs(mean(rs) - mean(hs)),
        "informativeness_chain": (1 + chain) / 2 if code else chain,
        "repetition_step": (1 - ((1 + max(cosines)) / 2 if code else max(cosines))) / 2 if cosines else alone,
        "semantic_coverage_chain": (1 + coverage) / 2 if code else coverage,
    }


def aligned(ones: Vectors, others: Vectors) -> list[float]:
    """For each of the ones how like it is the most like of the others, in [0, 1]; nothing where there are none."""
    return [max((1 + cosine(one, other)) / 2 for other in others) for one in ones] if len(others) else []


def similar(one: "np.ndarray | None", other: "np.ndarray | None") -> float:
    return math.nan if one is None or other is None else (1 + cosine(one, other)) / 2


def cosine(one: "np.ndarray", other: "np.ndarray") -> float:
    import numpy as np

    return float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def difference(one: float, other: float) -> float:
    """How far apart two scores are; endless where one alone is defined."""
    if math.isnan(one) or math.isnan(other):
        return 0.0 if math.isnan(one) and math.isnan(other) else math.inf
    return abs(one - other)


def sample_of(sentences: Any, words: Any, place: int) -> Sample:
    """The vectors of one chain out of those of all of them."""

    def part(side: Any, number: int) -> "np.ndarray":
        return side.vectors[side.bounds[number] : side.bounds[number + 1]]  # type: ignore[no-any-return]

    def whole(vectors: "np.ndarray") -> "np.ndarray | None":
        return None if math.isnan(float(vectors[place, 0])) else vectors[place]

    return Sample(
        part(sentences.steps, place),
        part(sentences.context, place),
        part(sentences.reference, place),
        [part(words.steps, step) for step in range(words.of_chain[place], words.of_chain[place + 1])],
        part(words.context, place),
        (whole(sentences.whole_steps), whole(sentences.whole_context), whole(sentences.whole_reference)),
    )


def released(folder: Path) -> "list[Chain]":
    """Chains of LLaVA-13B's released replies; Gemini's of the same sample stands for the gold rationale."""
    from assets.analysis.rationales.chains import Chain, steps

    replies = []
    for model in ("llava-13b", "gemini"):
        with gzip.open(folder / "predictions" / model / "cot.jsonl.gz", "rt", encoding="utf-8") as lines:
            records = [json.loads(line) for line in itertools.islice(lines, 2 * CHAINS)]
        replies.append({record["id"]: record["messages"] for record in records if len(record["messages"]) > 1})
    ours, gold = replies
    found = [
        Chain(*(steps(text, "roscoe") for text in (ours[one][0], ours[one][1], gold[one][1])))
        for one in ours
        if one in gold
    ]
    return [chain for chain in found if chain.steps and chain.context and chain.reference][:CHAINS]


def generated() -> "list[Chain]":
    """Chains of sentences of random words."""
    from assets.analysis.rationales.chains import Chain

    draw = random.Random(0)
    spoken = "the red gate by a harbour shows what it must mark because light falls on the path so we see it left"
    words = spoken.split()

    def texts(most: int) -> tuple[str, ...]:
        return tuple(" ".join(draw.choices(words, k=draw.randint(6, 30))) for _ in range(draw.randint(1, most)))

    return [Chain(texts(3), texts(9), texts(6)) for _ in range(CHAINS)]


def timed(run: Callable[[], Any], times: int = 1) -> tuple[Any, float]:
    """What it gives, and the least seconds of one core that it took: others may use the machine meanwhile."""
    least = math.inf
    for _ in range(times):
        start = time.process_time()
        result = run()
        least = min(least, time.process_time() - start)
    return result, least


def main() -> int:
    """Compare both on the same vectors; the exit status."""
    from assets.analysis.encoders import loading
    from assets.analysis.encoders.text import text_encoder
    from assets.analysis.rationales import roscoe

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    chains = released(folder) if folder.is_dir() else generated()
    encoder = text_encoder("packaged")
    missed = []
    for mode in ("reference", "sane"):
        words, seconds = timed(lambda: roscoe.words_vectors(chains, encoder, masked=mode == "sane"))  # noqa: B023
        sentences, more = timed(lambda: roscoe.sentence_vectors(chains, encoder))
        steps = sum(len(chain.steps) for chain in chains)
        print(f"{mode}: {len(chains)} chains, {steps} steps; vectors in {seconds + more:.2f} s")
        samples = [sample_of(sentences, words, place) for place in range(len(chains))]
        with loading.calculating("cpu"):
            ours, quick = timed(lambda: roscoe.embedding_scores(sentences, words, mode), 5)  # noqa: B023
        theirs, slow = timed(lambda: loop(samples, mode))  # noqa: B023
        apart = max(
            difference(float(ours[name][place]), value)
            for place, one in enumerate(theirs)
            for name, value in one.items()
        )
        print(f"{mode}: all at once {quick:.3f} s, the loop {slow:.2f} s, ratio {slow / quick:.0f}, apart {apart:.1e}")
        if not apart <= MOST_APART or slow / quick < LEAST_RATIO:
            missed.append(mode)
    if missed:
        print(f"missed in {', '.join(missed)}: {MOST_APART} apart at most, {LEAST_RATIO:.0f} times", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
