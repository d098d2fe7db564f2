"""What fails each check of ROSCOE's scores, and a good table of them."""

from typing import Any

from assets.schema.analysis_vocabulary import NEEDS_REFERENCE, ROSCOE_SCORES
from tests.expectations.cases import Case, Rows

ROSCOE = "analysis/roscoe"

_MODELLED = ("source_consistency", "self_consistency", "grammar_step", "grammar_step_max")


def _scored(sample_id: str, mode: str, steps: int, gold: int | None, **columns: Any) -> dict[str, Any]:
    scores: dict[str, float | None] = dict.fromkeys(ROSCOE_SCORES, 0.4) | dict.fromkeys(_MODELLED)
    twice = {"informativeness_chain": 0.7, "semantic_coverage_chain": 0.7}
    scores |= twice if mode == "reference" else {}
    if steps == 1:
        scores |= dict.fromkeys(("repetition_word", "repetition_step"), 1.0 if mode == "reference" else None)
    if gold is None:
        scores |= dict.fromkeys(NEEDS_REFERENCE)
    if steps == 0:
        scores = dict.fromkeys(ROSCOE_SCORES)
    return {
        "evaluation": "gpt4v_cot",
        "sample_id": sample_id,
        "mode": mode,
        "steps": steps,
        "context_steps": 2,
        "reference_steps": gold,
        **scores,
        "sentence_model": "all-MiniLM-L6-v2 (packaged)",
        "inference_model": "no model",
        "language_model": "gpt2-tiny",
        "grammar_model": "no model",
        **columns,
    }


def _good() -> Rows:
    replies = (("algebra-1", 3, 2), ("algebra-2", 1, None), ("physics-1", 0, 4))
    return [
        _scored(sample_id, mode, steps, gold) for sample_id, steps, gold in replies for mode in ("reference", "sane")
    ]


def _both(**columns: Any) -> dict[int, dict[str, Any]]:
    """The change in both modes of the first reply."""
    return {0: columns, 1: columns}


GOOD = {ROSCOE: _good}
GAPS: dict[str, tuple[int, str, float | None]] = {ROSCOE: (0, "sentence_model", None)}

PASSING = [
    Case(ROSCOE, "scores_are_there", _both(context_steps=0) | {1: {"context_steps": 0, "faithfulness": 0.4}}),
    Case(ROSCOE, "modes_agree", rows=[row for row in _good() if row["mode"] == "sane"]),
    Case(ROSCOE, "modes_agree", {0: {"informativeness_chain": 0.7001}}),
    Case(ROSCOE, "repetition_fits_mode", {0: {"repetition_step": 0.5}, 1: {"repetition_step": 1.0}}),
    Case(ROSCOE, "worst_step_is_the_worst", {0: {"perplexity_step_max": 0.4001}}),
]

CASES = [
    Case(
        ROSCOE,
        "mode_is_known",
        rows=[_scored("algebra-1", "loose", 3, 2)],
    ),
    Case(ROSCOE, "scored_once", copied=1),
    Case(ROSCOE, "no_negative_counts", {4: {"steps": -1}, 5: {"steps": -1}}),
    Case(ROSCOE, "gold_steps_or_none", {4: {"reference_steps": 0}, 5: {"reference_steps": 0}}),
    Case(ROSCOE, "scores_are_fractions", {0: {"common_sense_error": 1.1}}),
    Case(ROSCOE, "scores_are_fractions", {1: {"repetition_word": -0.1}}),
    Case(ROSCOE, "no_steps_no_scores", {4: {"perplexity_chain": 0.1}}),
    Case(ROSCOE, "scores_have_what_they_need", {2: {"redundancy": 0.1}}),
    Case(ROSCOE, "scores_have_what_they_need", {0: {"self_consistency": 0.1}}),
    Case(ROSCOE, "scores_have_what_they_need", {1: {"grammar_step": 0.1}}),
    Case(ROSCOE, "scores_are_there", {0: {"faithfulness_ww": None}}),
    Case(ROSCOE, "scores_are_there", {1: {"redundancy": None}}),
    Case(ROSCOE, "scores_are_there", {1: {"common_sense_error": None}}),
    Case(ROSCOE, "scores_are_there", {2: {"repetition_word": None}}),
    Case(ROSCOE, "repetition_fits_mode", {2: {"repetition_step": 0.9}}),
    Case(ROSCOE, "repetition_fits_mode", {0: {"repetition_step": 0.6}}),
    Case(ROSCOE, "repetition_fits_mode", {3: {"repetition_step": 0.5}}),
    Case(ROSCOE, "repetition_fits_mode", {1: {"repetition_step": None}}),
    Case(ROSCOE, "worst_step_is_the_worst", {0: {"redundancy": 0.5}}),
    Case(ROSCOE, "worst_step_is_the_worst", {1: {"perplexity_step_max": 0.5}}),
    Case(ROSCOE, "modes_agree", left_out=5),
    Case(ROSCOE, "modes_agree", {0: {"faithfulness": 0.5}}),
    Case(ROSCOE, "modes_agree", {1: {"steps": 4}}),
    Case(ROSCOE, "modes_agree", {0: {"informativeness_chain": 0.4}}),
    Case(ROSCOE, "same_models", {5: {"language_model": "gpt2-large"}}),
    Case(
        ROSCOE,
        "most_replies_reason",
        rows=[
            _scored("algebra-1", "sane", 0, 2),
            _scored("algebra-2", "sane", 0, 2),
            _scored("algebra-3", "sane", 2, 2),
        ],
    ),
]
