"""Figures about the benchmark beside the paper's: samples, pictures, steps, words, topics, letters."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from assets import steps
from assets.flow import Flow
from assets.m3cot.rewrite import disagreeing
from assets.schema.sample import Sample
from assets.schema.vocabulary import DOMAINS, SPLITS, TOPICS
from assets.statistic import Statistic

PUBLISHED = {
    ("samples", "all", "samples"): 11_459.0,
    ("samples", "split", "train"): 7_863.0,
    ("samples", "split", "validation"): 1_108.0,
    ("samples", "split", "test"): 2_358.0,
    ("images", "all", "images"): 11_293.0,
    ("steps", "all", "mean"): 10.9,
    ("steps", "scienceqa", "mean"): 2.5,
    ("length", "all", "mean"): 294.0,
    ("length", "scienceqa", "mean"): 48.0,
    ("topics", "all", "topics"): 17.0,
    ("categories", "all", "categories"): 263.0,
    ("removed", "first vote", "share"): 0.30,
    ("removed", "second recheck", "share"): 0.05,
}
"""What the paper says: of the first vote "at least", of the second recheck "less than"; of length no unit.

Source: arXiv:2405.16473, section 4, figures 2 and 5, appendices A.2 and A.5.2.
"""

MOST_STEPS = 20
"""Longer rationales are counted together."""


def statistics(
    samples: Sequence[Sample],
    source: Sequence[Sample],
    flows: Iterable[Flow],
    *,
    steps_profile: str,
    profile: str,
) -> list[Statistic]:
    """The figures of the benchmark, in a fixed order.

    Args:
        samples: of the benchmark.
        source: what was read of ScienceQA, to set the benchmark against.
        flows: of the construction.
        steps_profile: the step segmentation, which the unit of step counts names.
        profile: what params.yaml was written from: the figures are of its data, the paper's are of the full data.
    """
    rows = [
        *_counted(samples),
        *_rationales("all", samples, steps_profile),
        *_rationales("scienceqa", [row for row in source if row.images and row.text.strip()], steps_profile),
        *_distribution(samples, steps_profile),
        *_letters(samples),
        *_removed(list(flows)),
    ]
    against = sum(disagreeing(row) for row in samples)
    rows.append(("labels", "all", "rationale ends in another option", float(against), "samples"))
    return [Statistic(*row, published=PUBLISHED.get(row[:3]), profile=profile) for row in rows]


_Row = tuple[str, str, str, float, str]


def _counted(samples: Sequence[Sample]) -> list[_Row]:
    pictures = {image_id for row in samples for image_id in (*(row.images or ()), *(row.choice_images or ()))}
    rows: list[_Row] = [("samples", "all", "samples", float(len(samples)), "samples")]
    for scope, names, key in (("split", SPLITS, "split"), ("domain", DOMAINS, "domain"), ("topic", TOPICS, "topic")):
        counts = Counter(getattr(row, key) for row in samples)
        rows += [("samples", scope, name, float(counts[name]), "samples") for name in names]
    sources = Counter(row.source for row in samples)
    rows += [("samples", "source", name, float(n), "samples") for name, n in sorted(sources.items())]
    rows.append(("images", "all", "images", float(len(pictures)), "images"))
    shown = Counter(row.source for row in samples for _ in row.images or ())
    rows += [("images", "source", name, float(n), "images shown") for name, n in sorted(shown.items())]
    rows.append(("topics", "all", "topics", float(len({row.subtopic for row in samples})), "topics"))
    rows.append(("categories", "all", "categories", float(len({row.category for row in samples})), "categories"))
    return rows


def _rationales(scope: str, samples: Sequence[Sample], profile: str) -> list[_Row]:
    if not samples:
        return []
    lengths = [len(re.findall(r"\S+", row.text)) for row in samples]
    counts = [len(steps.segment(row.text, profile)) for row in samples]
    return [
        ("steps", scope, "mean", fmean(counts), f"steps ({profile})"),
        ("length", scope, "mean", fmean(lengths), "words"),
    ]


def _distribution(samples: Sequence[Sample], profile: str) -> list[_Row]:
    counts = Counter(min(len(steps.segment(row.text, profile)), MOST_STEPS) for row in samples)
    return [
        (
            "steps",
            "distribution",
            f"{n} or more" if n == MOST_STEPS else str(n),
            counts[n] / len(samples),
            "share of samples",
        )
        for n in range(1, MOST_STEPS + 1)
        if samples
    ]


def _letters(samples: Sequence[Sample]) -> list[_Row]:
    rows: list[_Row] = []
    options = Counter(len(row.choices or ()) for row in samples)
    for n in sorted(options):
        letters = Counter(row.answer or "" for row in samples if len(row.choices or ()) == n)
        rows += [
            ("letters", f"{n} options", letter, count / options[n], "share of samples")
            for letter, count in sorted(letters.items())
        ]
        rows.append(("options", "all", str(n), float(options[n]), "samples"))
    return rows


def _removed(flows: Sequence[Flow]) -> list[_Row]:
    """The shares that the paper bounds: of what was judged, what the judges removed."""
    rows: list[_Row] = []
    for scope, stage, reason in (
        ("first vote", "m3cot/image_needed", "image_not_needed"),
        ("second recheck", "m3cot/rechecked", "recheck_2_no"),
    ):
        of_stage = [flow for flow in flows if flow.stage == stage]
        removed = sum(flow.reasons.get(reason, 0) for flow in of_stage)
        judged = removed + sum(flow.retained for flow in of_stage)
        if judged:
            rows.append(("removed", scope, "share", removed / judged, "share of judged samples"))
    return rows
