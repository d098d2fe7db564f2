"""Figures about CoMT beside the paper's: samples, pictures, words, steps, picture steps and letters, task by task."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean

from assets import steps
from assets.agreement import Agreement
from assets.schema.sample import LETTERS, Sample
from assets.schema.vocabulary import SPLITS, TASKS
from assets.statistic import Statistic

PUBLISHED = {
    ("samples", "all", "samples"): 3_853.0,
    ("samples", "task", "creation"): 1_020.0,
    ("samples", "task", "deletion"): 1_008.0,
    ("samples", "task", "update"): 932.0,
    ("samples", "task", "selection"): 893.0,
    ("images", "all", "shown"): 14_801.0,
    ("words", "all", "mean"): 104.7,
    ("steps", "all", "mean"): 7.7,
    ("image steps", "all", "mean"): 3.11,
    ("kappa", "recheck", "fleiss"): 0.93,
}
"""What the paper says; its tables are pictures, so the samples of each task are from a public summary of it.

The samples of the tasks add up to 3,853. With 3.11 pictures in a rationale and one in every question but creation's
there would be 14,816 pictures, so the paper's 14,801 counts those shown. Which kappa it is the paper does not say.

Source: arXiv:2412.12932, tables 1 and 2, section 3, appendix B.
"""

MOST_STEPS = 20
"""Longer rationales are counted together."""


_Row = tuple[str, str, str, float, str]


def statistics(
    samples: Sequence[Sample], agreements: Sequence[Agreement], *, per_task: int, steps_profile: str, profile: str
) -> list[Statistic]:
    """The figures of the benchmark, in a fixed order; samples of the development set are counted in their split.

    Args:
        samples: of the benchmark and its development set; all figures but those of the split are of the former.
        agreements: between annotators.
        per_task: samples that the development set is to have of each task.
        steps_profile: the step segmentation, which the unit of step counts names.
        profile: what params.yaml was written from: the figures are of its data, the paper's are of the full data.
    """
    tested = [sample for sample in samples if sample.split == "test"]
    by_task = {task: [sample for sample in tested if sample.task == task] for task in TASKS}
    splits = Counter(sample.split for sample in samples)
    rows: list[_Row] = [("samples", "all", "samples", float(len(tested)), "samples")]
    rows += [("samples", "task", task, float(len(found)), "samples") for task, found in by_task.items()]
    rows += [("samples", "split", name, float(splits[name]), "samples") for name in SPLITS if splits[name]]
    developed = Counter(sample.task for sample in samples if sample.split == "validation")
    rows += [("samples", "validation by task", task, float(developed[task]), "samples") for task in TASKS]
    rows += [("samples", "wanted in validation", task, float(per_task), "samples") for task in TASKS]
    sources = Counter(sample.source for sample in tested)
    rows += [("samples", "source", name, float(n), "samples") for name, n in sorted(sources.items())]
    rows += [*_pictures("all", tested), *(row for task, found in by_task.items() for row in _pictures(task, found))]
    measures: list[tuple[str, str, Callable[[Sample], int]]] = [
        ("words", "words", lambda sample: len(re.findall(r"\S+", sample.text))),
        ("steps", f"steps ({steps_profile})", lambda sample: len(steps.segment(sample.text, steps_profile))),
        ("image steps", "pictures in the rationale", _image_steps),
    ]
    for kind, unit, measure in measures:
        counted = [(sample.task, measure(sample)) for sample in tested]
        for scope in ("all", *TASKS):
            values = [value for task, value in counted if scope in ("all", task)]
            if values:
                rows.append((kind, scope, "mean", fmean(values), unit))
        if kind != "words":
            rows += _shares(kind, [value for _, value in counted])
    rows += _letters(tested)
    rows += [
        ("kappa", f"{row.stage} {row.round}" if row.stage == "recheck" else row.stage, _pair(row), row.kappa, "kappa")
        for row in agreements
        if row.kappa is not None
    ]
    return [Statistic(*row, published=_published(row), profile=profile) for row in rows]


def _published(row: _Row) -> float | None:
    kind, scope, name = row[:3]
    return PUBLISHED.get((kind, "recheck" if kind == "kappa" and scope.startswith("recheck") else scope, name))


def _pair(row: Agreement) -> str:
    return row.measure if row.a is None else f"{row.measure} {row.a} {row.b}"


def _image_steps(sample: Sample) -> int:
    return sum(part.kind == "image" for part in sample.rationale or ())


def _pictures(scope: str, samples: Sequence[Sample]) -> list[_Row]:
    shown = [image_id for sample in samples for image_id in sample.images or ()]
    return [
        ("images", scope, "shown", float(len(shown)), "images"),
        ("images", scope, "distinct", float(len(set(shown))), "images"),
    ]


def _shares(kind: str, values: Sequence[int]) -> list[_Row]:
    counts = Counter(min(value, MOST_STEPS) for value in values)
    return [
        (
            kind,
            "distribution",
            f"{n} or more" if n == MOST_STEPS else str(n),
            counts[n] / len(values),
            "share of samples",
        )
        for n in range(1, max(counts, default=0) + 1)
    ]


def _letters(samples: Sequence[Sample]) -> list[_Row]:
    rows: list[_Row] = []
    for scope in ("all", *TASKS):
        answers = Counter(sample.answer or "" for sample in samples if scope in ("all", sample.task))
        total = sum(answers.values())
        rows += [
            ("letters", scope, letter, answers[letter] / total, "share of samples") for letter in LETTERS[:4] if total
        ]
    return rows
