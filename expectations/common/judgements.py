"""What holds of the judgements of annotators, whatever they judge."""

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.vocabulary import (
    ANNOTATION_REASONS,
    ANNOTATION_STAGES,
    ANNOTATION_VERDICTS,
    LINE_REASONS,
    SUPERSEDED,
)
from expectations.common.rules import is_blank, set_aside, values_in
from expectations.common.suite import Check, both, either, faults, rule


def _unjudged(table: pa.Table) -> pa.Array:
    texts = ("sample_id", "stage", "annotator", "verdict")
    lacking = either(*(is_blank(table[name]) for name in texts), pc.is_null(table["round"]))
    shown = "{source}: {verdict} on {sample_id} by {annotator}, stage {stage}, round {round}"
    return faults(table, both(pc.is_null(table["dropped"]), lacking), shown)


def _turns(table: pa.Table) -> pa.ChunkedArray:
    named = (pc.cast(table[name], pa.string()) for name in ("sample_id", "stage", "round", "annotator"))
    return pc.if_else(pc.is_null(table["dropped"]), pc.binary_join_element_wise(*named, " "), None)


JUDGEMENTS = (
    *set_aside(
        "{source} {sample_id} by {annotator}",
        (*LINE_REASONS, *ANNOTATION_REASONS, SUPERSEDED),
        (*LINE_REASONS, *ANNOTATION_REASONS),
        lines=False,
    ),
    rule(
        "kept_are_judgements",
        _unjudged,
        "A judgement that counts has a sample, a stage, a round, an annotator and a verdict.",
    ),
    Check(
        "judged_once",
        "expect_column_values_to_be_unique",
        {"column": "turn"},
        "An annotator has one judgement of a sample that counts, by stage and round.",
        derived={"turn": _turns},
    ),
    values_in("stage_is_known", "stage", ANNOTATION_STAGES, "The stage is one of the fixed ones."),
    values_in("verdict_is_known", "verdict", ANNOTATION_VERDICTS, "The verdict is one of the fixed ones."),
)
"""What holds of the judgements of annotators."""
