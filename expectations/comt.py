"""What must hold of the tables that the comt group writes."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from assets import samples
from assets.comt import template
from assets.comt.development import pictures_of
from assets.schema.vocabulary import (
    ANNOTATION_REASONS,
    COMT_REASONS,
    LINE_REASONS,
    PICTURE_REASONS,
    SAME_PIXELS,
    SOURCE_REASONS,
    SUPERSEDED,
    TASKS,
)
from expectations.common.flows import balanced, following, set_aside_rows
from expectations.common.pictures import of_pictures
from expectations.common.rules import FIGURES
from expectations.common.samples import ANSWERABLE, TASK, identified
from expectations.common.suite import Check, Suite, both, build, faults, one_of, placed, rule

ALL_REASONS = tuple(
    dict.fromkeys(
        (
            *COMT_REASONS,
            *SOURCE_REASONS,
            *PICTURE_REASONS,
            SAME_PIXELS,
            *LINE_REASONS,
            *ANNOTATION_REASONS,
            SUPERSEDED,
        )
    )
)

FOLLOWS = {
    "comt/creation": ("sources/geometry",),
    "comt/deletion": ("sources/crowds",),
    "comt/update": ("sources/kilogram",),
    "comt/selection": ("sources/pairs",),
    "comt/rechecked": tuple(f"comt/{task}" for task in TASKS),
    "comt/benchmark": ("comt/rechecked",),
}
"""The stages that what enters a stage comes from; KILOGRAM is counted by description."""


def _off_template(table: pa.Table) -> pa.Array:
    found = {
        place: f"{sample.id}: {wrong}"
        for place, sample in enumerate(samples.of_table(table))
        if sample.dropped is None and (wrong := template.fault(sample))
    }
    return placed(table, found)


def _astray(table: pa.Table) -> pa.Array:
    places: dict[str, tuple[str | None, str | None]] = {}
    texts = {}
    for place, sample in enumerate(samples.of_table(table)):
        if sample.dropped is not None:
            continue
        for image_id in pictures_of(sample):
            first, split = places.setdefault(image_id, (sample.id, sample.split))
            if split != sample.split:
                texts[place] = f"{sample.id} ({sample.split}) has the picture of {first} ({split})"
    return placed(table, texts)


def _undivided(table: pa.Table) -> pa.Array:
    wrong = both(pc.is_null(table["dropped"]), pc.invert(one_of(table["split"], ("validation", "test"))))
    return faults(table, wrong, "{id}: split {split}")


def _unspoken(table: pa.Table) -> pa.Array:
    """Faults where the development set of a task lacks an option that it is large enough to have."""
    rows = table.select(["task", "answer", "split", "dropped"]).to_pylist()
    texts = {}
    for number, task in enumerate(TASKS):
        letters = [row["answer"] for row in rows if row["split"] == "validation" and row["task"] == task]
        if len(letters) >= template.OPTIONS and len(set(letters)) < template.OPTIONS:
            texts[number] = f"{task}: only {', '.join(sorted(set(letters)))} are right"
    return placed(table, texts)


def _of_task(task: str) -> Check:
    def other(table: pa.Table) -> pa.Array:
        return faults(table, both(pc.is_null(table["dropped"]), pc.not_equal(table["task"], task)), "{id}: task {task}")

    return rule("task_is_its_own", other, f"A kept sample is of the task {task}.")


ON_TEMPLATE = rule(
    "kept_hold_the_template",
    _off_template,
    "A kept sample has four options, a picture for every identifier and an identifier for every picture, and a "
    "rationale that shows a picture and says a word; every question but creation's shows a picture.",
)


def _chain(name: str, checks: Sequence[Check] = ()) -> Suite:
    ids = Check(
        "ids_are_unique",
        "expect_column_values_to_be_unique",
        {"column": "id"},
        "Every row that entered stands once.",
    )
    known = identified("{id}", COMT_REASONS, (), lines=False)
    return build(f"comt/{name}", "sample", (*known, ids, *ANSWERABLE, TASK, ON_TEMPLATE, *checks), least_rows=0)


SUITES: dict[str, Suite] = {
    suite.asset: suite
    for suite in (
        *(_chain(task, (_of_task(task),)) for task in TASKS),
        *(
            build(f"comt/{task}_images", "image", of_pictures((*COMT_REASONS, SAME_PIXELS), ()), least_rows=0)
            for task in TASKS[1:]
        ),
        _chain("rechecked"),
        _chain(
            "benchmark",
            (
                rule(
                    "kept_are_divided",
                    _undivided,
                    "A kept sample is of the benchmark (test) or of the development set (validation).",
                ),
                rule(
                    "no_picture_in_two_splits",
                    _astray,
                    "No picture of the benchmark, or one that it was made from, stands in the development set.",
                ),
                rule(
                    "development_has_every_option",
                    _unspoken,
                    "In the development set of a task with four samples or more every option is right at least once.",
                    severity="warning",
                ),
            ),
        ),
        build("comt/images", "image", of_pictures((SAME_PIXELS,), ()), least_rows=0),
        build("comt/quarantine", "quarantine", set_aside_rows(ALL_REASONS, lines=False), least_rows=0),
        build("comt/flow", "flow", (*balanced(ALL_REASONS), following(FOLLOWS)), least_rows=0),
        build("comt/statistics", "statistic", FIGURES, least_rows=0),
    )
}
