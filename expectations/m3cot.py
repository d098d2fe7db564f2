"""What must hold of the tables that the m3cot group writes."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from assets import steps
from assets.schema.sample import LETTERS
from assets.schema.vocabulary import (
    ANNOTATION_REASONS,
    ANNOTATION_STAGES,
    LINE_REASONS,
    M3COT_REASONS,
    PICTURE_REASONS,
    SAME_PIXELS,
    SOURCE_REASONS,
    SPLITS,
    SUPERSEDED,
    UNDRAWN_REASONS,
)
from expectations.common.flows import balanced, following, set_aside_rows
from expectations.common.pictures import of_pictures
from expectations.common.rules import FIGURES, TOLERANCE, is_apart, no_negatives, unique_together, values_in
from expectations.common.samples import ANSWERABLE, PICTURES_IN_ONE_SPLIT, REASONED, SPLIT, identified
from expectations.common.suite import Check, Suite, build, either, faults, placed, rule

ALL_REASONS = tuple(
    dict.fromkeys(
        (
            *M3COT_REASONS,
            *UNDRAWN_REASONS,
            *SOURCE_REASONS,
            *PICTURE_REASONS,
            SAME_PIXELS,
            *LINE_REASONS,
            *ANNOTATION_REASONS,
            SUPERSEDED,
        )
    )
)

LEAST_STEPS = 2
MOST_SECOND_DISCARDS = 0.05
"""Source: arXiv:2405.16473, A.5.2 (in the second round the sample discard rate is less than 5 %)."""

LEAST_FIRST_DISCARDS = 0.30
"""Source: arXiv:2405.16473, A.2 (at least 30 % of ScienceQA's multi-modal samples)."""

EVEN = 0.05
"""How far the share of a letter may be from an even one before a person should look."""

ENOUGH = 100
"""Samples with equally many options, from which on the shares of their letters say something."""


def _too_short(table: pa.Table) -> pa.Array:
    texts = {}
    for index, row in enumerate(table.select(["id", "rationale", "dropped"]).to_pylist()):
        said = "\n".join(part["text"] for part in row["rationale"] or () if part["text"])
        # Of a sample without a rationale only the other check speaks.
        if row["dropped"] is not None or not said.strip():
            continue
        if max(len(steps.segment(said, profile)) for profile in steps.PROFILES) < LEAST_STEPS:
            texts[index] = f"{row['id']}: its rationale has fewer than {LEAST_STEPS} steps: {said[:80]}"
    return placed(table, texts)


def _reasons(table: pa.Table) -> list[str | None]:
    reasons: list[str | None] = table["dropped"].to_pylist()
    return reasons


def _removed_too_few(table: pa.Table) -> pa.Array:
    judged = [reason for reason in _reasons(table) if reason in (None, "image_not_needed")]
    share = judged.count("image_not_needed") / len(judged) if judged else 1.0
    return placed(table, {0: f"the vote removed {share:.1%}"} if share < LEAST_FIRST_DISCARDS else {})


def _discarded_too_many(table: pa.Table) -> pa.Array:
    judged = [reason for reason in _reasons(table) if reason in (None, "recheck_2_no")]
    share = judged.count("recheck_2_no") / len(judged) if judged else 0.0
    return placed(table, {0: f"the second recheck discarded {share:.1%}"} if share >= MOST_SECOND_DISCARDS else {})


def _uneven(table: pa.Table) -> pa.Array:
    texts: dict[int, str] = {}
    letters: dict[int, list[str]] = {}
    for row in table.select(["choices", "answer", "dropped"]).to_pylist():
        if row["dropped"] is None and row["choices"]:
            letters.setdefault(len(row["choices"]), []).append(row["answer"])
    for options, answers in sorted(letters.items()):
        shares = {letter: answers.count(letter) / len(answers) for letter in LETTERS[:options]}
        wrong = {letter: share for letter, share in shares.items() if abs(share - 1 / options) > EVEN + TOLERANCE}
        if len(answers) >= ENOUGH and wrong:
            texts[len(texts)] = f"{options} options: " + ", ".join(
                f"{key} {share:.1%}" for key, share in shares.items()
            )
    return placed(table, texts)


def _crosses(table: pa.Table) -> pa.Array:
    wrong = pc.not_equal(table["split_a"], table["split_b"])
    return faults(table, wrong, "{a} ({split_a}) and {b} ({split_b}): similarity {similarity}")


FOLLOWS = {
    "m3cot/image_needed": ("sources/scienceqa",),
    "m3cot/multistep": ("m3cot/image_needed",),
    "m3cot/mathematics": ("sources/math",),
    "m3cot/commonsense": ("sources/sherlock",),
    "m3cot/science": ("sources/tabmwp", "sources/kilogram"),
    "m3cot/balanced": (
        "m3cot/multistep",
        "m3cot/mathematics",
        "m3cot/commonsense",
        "m3cot/science",
        "m3cot/synthesis",
    ),
    "m3cot/rewritten": ("m3cot/balanced",),
    "m3cot/deduplicated": ("m3cot/rewritten",),
    "m3cot/annotated": ("m3cot/deduplicated",),
    "m3cot/rechecked": ("m3cot/annotated",),
    "m3cot/benchmark": ("m3cot/rechecked",),
}
"""The stages that what enters a stage comes from."""


def _fraction(name: str, low: float) -> Check:
    return Check(
        f"{name}_is_within_range",
        "expect_column_values_to_be_between",
        {"column": name, "min_value": low, "max_value": 1},
        f"{name} lies within [{low:g}, 1].",
    )


def _more_than_asked(table: pa.Table) -> pa.Array:
    wrong = either(
        pc.greater(table["multimodal"], table["judged"]),
        pc.greater(table["judged"], table["sampled"]),
        pc.greater(table["sampled"], table["population"]),
    )
    return faults(table, wrong, "{source}: {multimodal} of {judged} judged of {sampled} of {population}")


def _share_apart(table: pa.Table) -> pa.Array:
    judged = pc.greater(table["judged"], 0)
    share = pc.divide(pc.cast(table["multimodal"], pa.float64()), pc.if_else(judged, table["judged"], None))
    wrong = either(
        pc.not_equal(judged, pc.is_valid(table["share"])),
        is_apart(table["share"], share, TOLERANCE),
        pc.greater(pc.subtract(table["low"], table["share"]), TOLERANCE),
        pc.greater(pc.subtract(table["share"], table["high"]), TOLERANCE),
    )
    shown = "{source}: share {share} in {low} to {high}, multimodal {multimodal}, judged {judged}"
    return faults(table, wrong, shown)


def _chain(name: str, checks: Sequence[Check] = (), *, reasoned: bool = True) -> Suite:
    known = identified("{id}", M3COT_REASONS, (), lines=False)
    ids = Check(
        "ids_are_unique",
        "expect_column_values_to_be_unique",
        {"column": "id"},
        "Every row that entered stands once.",
    )
    # A chain may begin with nothing, as where a source is not configured.
    return build(
        f"m3cot/{name}",
        "sample",
        (*known, ids, *ANSWERABLE, *(REASONED if reasoned else ()), *checks),
        least_rows=0,
    )


STEPPED = rule("rationale_has_steps", _too_short, f"A kept rationale has {LEAST_STEPS} steps or more.")


def _drawn(name: str) -> Suite:
    return build(f"m3cot/{name}", "image", of_pictures((*UNDRAWN_REASONS, SAME_PIXELS), ()), least_rows=0)


SUITES: dict[str, Suite] = {
    suite.asset: suite
    for suite in (
        _chain(
            "image_needed",
            (
                rule(
                    "vote_removes_30_percent",
                    _removed_too_few,
                    "The first vote removes at least 30 % of the samples with a picture.",
                    severity="warning",
                ),
            ),
            reasoned=False,
        ),
        _chain("multistep", (STEPPED,)),
        _drawn("mathematics_images"),
        _chain("mathematics", (STEPPED,)),
        _chain("commonsense", (STEPPED,)),
        _drawn("science_images"),
        _chain("science", (STEPPED,)),
        _chain("synthesis", (STEPPED,)),
        _chain(
            "balanced",
            (
                rule(
                    "letters_are_even",
                    _uneven,
                    f"Of {ENOUGH} samples or more with equally many options each letter is right equally often, "
                    f"within {EVEN * 100:g} percentage points.",
                    severity="warning",
                ),
            ),
        ),
        _chain("rewritten"),
        _chain("deduplicated"),
        _chain("annotated"),
        _chain(
            "rechecked",
            (
                rule(
                    "second_recheck_discards_few",
                    _discarded_too_many,
                    f"The second recheck discards less than {MOST_SECOND_DISCARDS:.0%}.",
                    severity="warning",
                ),
            ),
        ),
        _chain(
            "benchmark",
            (
                SPLIT,
                PICTURES_IN_ONE_SPLIT,
            ),
        ),
        build("m3cot/images", "image", of_pictures((), ()), least_rows=0),
        build(
            "m3cot/similar",
            "similar",
            (
                rule("no_pair_across_splits", _crosses, "No near-duplicates stand in two splits."),
                values_in("split_a_is_known", "split_a", SPLITS, "The split of a is a known one."),
                values_in("split_b_is_known", "split_b", SPLITS, "The split of b is a known one."),
                unique_together("pair_once", ("a", "b"), "A pair stands once."),
            ),
            least_rows=0,
        ),
        build(
            "m3cot/agreement",
            "agreement",
            (
                values_in("stage_is_known", "stage", ANNOTATION_STAGES, "The stage is one of the fixed ones."),
                values_in("measure_is_known", "measure", ("cohen", "fleiss"), "The measure is cohen or fleiss."),
                no_negatives("{stage} {round}", ("annotators", "n")),
                _fraction("kappa", -1),
                _fraction("observed", 0),
            ),
            least_rows=0,
        ),
        build(
            "m3cot/audit",
            "audit",
            (
                no_negatives("{source}", ("population", "sampled", "judged", "multimodal")),
                rule("counts_nest", _more_than_asked, "multimodal <= judged <= sampled <= population."),
                _fraction("share", 0),
                rule(
                    "share_is_of_counts",
                    _share_apart,
                    "The share is multimodal / judged, within its interval, and null exactly where none is judged.",
                ),
            ),
            least_rows=0,
        ),
        build("m3cot/quarantine", "quarantine", set_aside_rows(ALL_REASONS, lines=False), least_rows=0),
        build(
            "m3cot/flow",
            "flow",
            (
                *balanced(ALL_REASONS),
                following(FOLLOWS),
            ),
            least_rows=0,
        ),
        build(
            "m3cot/statistics",
            "statistic",
            FIGURES,
            least_rows=0,
        ),
    )
}
