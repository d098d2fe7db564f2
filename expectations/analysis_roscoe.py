"""What must hold of the scores that ROSCOE gives the rationales of replies."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.schema.analysis_vocabulary import NEEDS_REFERENCE, NO_MODEL, ROSCOE_GROUPS, ROSCOE_MODES, ROSCOE_SCORES
from expectations.common.rules import no_negatives, unique_together, values_in
from expectations.common.suite import both, build, either, faults, placed, rule

_RATIONALE = "{evaluation} {sample_id} {mode}"
_OF_MODEL = {
    "inference_model": ROSCOE_GROUPS["logical_inference"],
    "language_model": tuple(name for name in ROSCOE_GROUPS["language_coherence"] if name.startswith("perplexity")),
    "grammar_model": tuple(name for name in ROSCOE_GROUPS["language_coherence"] if name.startswith("grammar")),
}
_OF_CONTEXT = ("faithfulness", "faithfulness_ww", "informativeness_step", "informativeness_chain")
_OF_BOTH = ("external_hallucination", "common_sense_error", "semantic_coverage_step")
_SCALED_TWICE = ("informativeness_chain", "semantic_coverage_chain")
_ALIKE = ("steps", "context_steps", "reference_steps", "faithfulness", "reasoning_alignment", "missing_step")
_WORST_OF = {
    "redundancy": "reasoning_alignment",
    "grammar_step_max": "grammar_step",
    "perplexity_step_max": "perplexity_step",
}
_MODELS = ("sentence_model", *_OF_MODEL)
_ROUNDED = 0.00011
"""Room for the rounding of two scores to four decimals."""


def _no_rationale_scored(table: pa.Table) -> pa.Array:
    wrong = both(pc.equal(table["steps"], 0), either(*(pc.is_valid(table[name]) for name in ROSCOE_SCORES)))
    return faults(table, wrong, f"{_RATIONALE}: no step, and a score")


def _score_outside(table: pa.Table) -> pa.Array:
    wrong = either(*(either(pc.less(table[name], 0), pc.greater(table[name], 1)) for name in ROSCOE_SCORES))
    return faults(table, wrong, f"{_RATIONALE}: a score below 0 or above 1")


def _unfounded(table: pa.Table) -> pa.Array:
    without_gold = both(
        pc.is_null(table["reference_steps"]), either(*(pc.is_valid(table[name]) for name in NEEDS_REFERENCE))
    )
    without_model = [
        both(pc.equal(table[model], NO_MODEL), either(*(pc.is_valid(table[name]) for name in scores)))
        for model, scores in _OF_MODEL.items()
    ]
    return faults(
        table,
        either(without_gold, *without_model),
        f"{_RATIONALE}: a score without what it needs (gold steps {{reference_steps}}, {{inference_model}}, "
        "{language_model}, {grammar_model})",
    )


def _unscored(table: pa.Table) -> pa.Array:
    asked, gold = pc.greater(table["context_steps"], 0), pc.is_valid(table["reference_steps"])
    needed = {name: asked for name in _OF_CONTEXT} | {name: both(asked, gold) for name in _OF_BOTH}
    needed |= {name: gold for name in NEEDS_REFERENCE if name not in needed}
    needed |= dict.fromkeys(("repetition_word", "repetition_step"), pc.equal(table["mode"], "reference"))
    wrong = either(*(both(has, pc.is_null(table[name])) for name, has in needed.items()))
    return faults(
        table,
        both(pc.greater(table["steps"], 0), wrong),
        f"{_RATIONALE}: steps {{steps}}, context {{context_steps}}, gold {{reference_steps}}, and a score is missing",
    )


def _repetition_misread(table: pa.Table) -> pa.Array:
    one, of_code, score = pc.equal(table["steps"], 1), pc.equal(table["mode"], "reference"), table["repetition_step"]
    wrong = either(
        both(of_code, one, pc.not_equal(score, 1)),
        both(of_code, pc.greater(table["steps"], 1), pc.greater(score, 0.5)),
        both(pc.invert(of_code), pc.not_equal(pc.greater(table["steps"], 1), pc.is_valid(score))),
    )
    return faults(table, wrong, f"{_RATIONALE}: repetition_step {{repetition_step}}, steps {{steps}}")


def _worst_above_mean(table: pa.Table) -> pa.Array:
    wrong = either(*(pc.greater(table[worst], pc.add(table[mean], _ROUNDED)) for worst, mean in _WORST_OF.items()))
    return faults(table, wrong, f"{_RATIONALE}: a worst step above the mean of the steps")


def _modes_apart(table: pa.Table) -> pa.Array:
    """Replies that a mode lacks, or whose modes disagree on steps, or on scores that their scale alone tells apart."""
    rows = table.select(["evaluation", "sample_id", "mode", *_ALIKE, *_SCALED_TWICE]).to_pylist()
    modes = {row["mode"] for row in rows}
    replies: dict[tuple[str, str], list[int]] = {}
    for place, row in enumerate(rows):
        replies.setdefault((row["evaluation"], row["sample_id"]), []).append(place)
    texts: dict[int, str] = {}
    for (evaluation, sample_id), places in replies.items():
        of = [rows[place] for place in places]
        same = len({tuple(row[name] for name in _ALIKE) for row in of}) == 1
        if {row["mode"] for row in of} != modes or not same or any(_is_apart(of, name) for name in _SCALED_TWICE):
            texts |= dict.fromkeys(places, f"{evaluation} {sample_id}: its modes do not say the same")
    return placed(table, texts)


def _is_apart(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether the modes' scores differ by more than that the public code scales once more."""
    said = [(row[name], row["mode"]) for row in rows]
    once = [2 * value - 1 if mode == "reference" else value for value, mode in said if value is not None]
    return len(once) not in (0, len(rows)) or (bool(once) and max(once) - min(once) > 3 * _ROUNDED)


def _other_models(table: pa.Table) -> pa.Array:
    first = {name: table[name][0] if table.num_rows else None for name in _MODELS}
    wrong = either(*(pc.not_equal(table[name], one) for name, one in first.items()))
    return faults(table, wrong, f"{_RATIONALE}: " + ", ".join(f"{{{name}}}" for name in _MODELS))


def _mostly_without_steps(table: pa.Table) -> pa.Array:
    names, steps = table["evaluation"].to_pylist(), table["steps"].to_pylist()
    shares = {
        name: sum(1 for one, n in zip(names, steps, strict=True) if one == name and n) / names.count(name)
        for name in set(names)
    }
    wrong = pa.array([shares[name] < 0.5 for name in names], pa.bool_())
    return faults(table, wrong, "{evaluation}: more than half of its sampled replies have no step")


ROSCOE = build(
    "analysis/roscoe",
    "rationale_score",
    (
        values_in("mode_is_known", "mode", ROSCOE_MODES, "The mode is reference or sane."),
        unique_together("scored_once", ("evaluation", "sample_id", "mode"), "A reply is scored once in each mode."),
        no_negatives(_RATIONALE, ("steps", "context_steps")),
        rule(
            "gold_steps_or_none",
            lambda table: faults(
                table, pc.less(table["reference_steps"], 1), f"{_RATIONALE}: gold steps {{reference_steps}}"
            ),
            "A gold rationale has a step or more; null where there is none.",
        ),
        rule("scores_are_fractions", _score_outside, "Every score lies within [0, 1]."),
        rule("no_steps_no_scores", _no_rationale_scored, "A reply without steps has no score."),
        rule("scores_have_what_they_need", _unfounded, "No score stands without its gold rationale or its model."),
        rule("scores_are_there", _unscored, "A reply with steps has each score of what it can be compared with."),
        rule(
            "repetition_fits_mode",
            _repetition_misread,
            "Of one step repetition_step is 1 in mode reference, null in sane; of several at most 0.5 in reference.",
        ),
        rule("worst_step_is_the_worst", _worst_above_mean, "The worst step's score is no higher than the steps' mean."),
        rule(
            "modes_agree", _modes_apart, "Both modes score the same replies, and differ where they are meant to alone."
        ),
        rule("same_models", _other_models, "Every reply was scored by the same models."),
        rule(
            "most_replies_reason",
            _mostly_without_steps,
            "Half of an evaluation's sampled replies or more have steps.",
            severity="warning",
        ),
    ),
    least_rows=0,
)
