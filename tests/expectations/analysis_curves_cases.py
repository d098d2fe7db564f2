"""What fails each check of the part of analysis that compares evaluations, and its good tables."""

from collections.abc import Callable
from typing import Any

from tests.expectations import analysis_drawn_cases
from tests.expectations.cases import Case, Rows

PAIRS, STEPS, STATUSES, SHOTS = "analysis/pairs", "analysis/steps", "analysis/statuses", "analysis/shots"


def _pair(a: str, b: str, only_a: int, only_b: int, p: float, p_adjusted: float, **columns: Any) -> dict[str, Any]:
    difference = (only_a - only_b) / 10
    return {
        "benchmark": "m3cot",
        "edition": "released",
        "split": "test",
        "a": a,
        "b": b,
        "n": 10,
        "only_a": only_a,
        "only_b": only_b,
        "difference": difference,
        "low": difference - 0.3,
        "high": difference + 0.3,
        "p": p,
        "p_adjusted": p_adjusted,
        "needed": 100 if difference else None,
        **columns,
    }


def _pairs() -> Rows:
    return [
        _pair("gpt4v_cot", "gemini_cot", 6, 0, 0.03125, 0.09375),
        _pair("gpt4v_cot", "llava_cot", 5, 1, 0.21875, 0.4375),
        _pair("gemini_cot", "llava_cot", 2, 2, 1.0, 1.0),
    ]


def _bin(steps_of: str, name: str, least: int, most: int | None, n: int, correct: int, labels: str) -> dict[str, Any]:
    return {
        "evaluation": "gpt4v_cot",
        "extractor": "strict",
        "labels": labels,
        "steps_of": steps_of,
        "bin": name,
        "least": least,
        "most": most,
        "n": n,
        "correct": correct,
        "accuracy": correct / n if n else None,
        "low": 0.0 if n else None,
        "high": 1.0 if n else None,
    }


def _steps() -> Rows:
    return [
        _bin("rationale", "2-3", 2, 3, 4, 3, "released"),
        _bin("rationale", "single_step", 0, 1, 0, 0, "released"),
        _bin("rationale", "multi_step", 2, None, 4, 3, "released"),
        *(
            row
            for labels in ("released", "paper")
            for row in (
                _bin("reply", "0", 0, 0, 1, 0, labels),
                _bin("reply", "1", 1, 1, 3, 2, labels),
                _bin("reply", "15+", 15, None, 2, 1, labels),
                _bin("reply", "single_step", 0, 1, 4, 2, labels),
                _bin("reply", "multi_step", 2, None, 2, 1, labels),
            )
        ),
    ]


def _status(status: str, n: int, **columns: Any) -> dict[str, Any]:
    return {
        "evaluation": "gpt4v_cot",
        "model": "gpt4v",
        "extractor": "strict",
        "status": status,
        "n": n,
        "of": 10,
        "share": n / 10,
        "low": 0.0,
        "high": 1.0,
        **columns,
    }


def _statuses() -> Rows:
    return [
        _status("ok", 8),
        _status("ambiguous", 2),
        _status("ok", 10, extractor="paper"),
    ]


def _shot(evaluation: str, shots: int, kind: str, correct: int, difference: float | None) -> dict[str, Any]:
    return {
        "series": "gpt4v, cot, multimodal shots",
        "benchmark": "comt",
        "edition": "built",
        "split": "test",
        "evaluation": evaluation,
        "shots": shots,
        "shot_rationales": kind,
        "extractor": "strict",
        "labels": "released",
        "n": 10,
        "correct": correct,
        "accuracy": correct / 10,
        "low": 0.0,
        "high": 1.0,
        "difference": difference,
        "p": None if difference is None else 0.5,
    }


def _shots() -> Rows:
    nothing = {"n": 0, "correct": 0, "accuracy": None, "low": None, "high": None}
    return [
        _shot("gpt4v_cot", 0, "none", 4, None),
        _shot("gpt4v_cot_2", 2, "multimodal", 6, 0.2),
        _shot("gpt4v_cot_4", 4, "multimodal", 3, -0.1),
        _shot("gpt4v_cot_8", 8, "multimodal", 0, None) | nothing,
        _shot("gemini_cot_2", 2, "text", 5, None) | {"series": "gemini, cot, text shots"},
    ]


GOOD: dict[str, Callable[[], Rows]] = {PAIRS: _pairs, STEPS: _steps, STATUSES: _statuses, SHOTS: _shots}
"""By asset the rows of a table that passes, anew at each call."""

CASES: list[Case] = [
    *(Case(PAIRS, check, change) for check, change in (
        ("benchmark_is_known", {place: {"benchmark": "mmlu"} for place in range(3)}),
        ("edition_is_known", {place: {"edition": "mine"} for place in range(3)}),
        ("split_is_known", {place: {"split": "dev"} for place in range(3)}),
        ("two_evaluations", {0: {"b": "gpt4v_cot"}}),
        ("compared_once", {1: {"b": "gemini_cot"}}),
        ("no_negative_counts", {1: {"only_a": 3, "only_b": -1}}),
        ("discordant_within_n", {0: {"only_a": 9, "only_b": 3}}),
        ("difference_is_of_counts", {0: {"difference": 0.5}}),
        ("a_is_the_better", {2: {"a": "llava_cot", "b": "gemini_cot"}}),
        ("interval_holds_difference", {0: {"low": 0.7}}),
        ("interval_holds_difference", {1: {"high": 0.3}}),
        ("p_is_a_probability", {2: {"p": 1.5}}),
        ("adjusted_by_holm", {1: {"p_adjusted": 0.21875}}),
        ("needed_iff_different", {0: {"needed": None}}),
        ("needed_iff_different", {2: {"needed": 100}}),
        ("needed_iff_different", {0: {"needed": 0}}),
    )),
    Case(PAIRS, "a_is_the_better", {0: {"only_a": 0, "only_b": 6, "difference": -0.6, "low": -0.9, "high": -0.3}}),
    Case(STEPS, "extractor_is_known", {place: {"extractor": "lenient"} for place in range(13)}),
    Case(STEPS, "labels_are_known", {place: {"labels": "mine"} for place in range(8, 13)}),
    Case(STEPS, "steps_of_is_known", {place: {"steps_of": "question"} for place in range(3)}),
    Case(STEPS, "bin_has_its_range", {0: {"bin": "2-4"}}),
    Case(STEPS, "bin_has_its_range", {0: {"bin": "many"}}),
    Case(STEPS, "bin_has_its_range", {2: {"most": 20}}),
    Case(STEPS, "counted_once", {}, copied=1),
    Case(STEPS, "correct_within_n", {4: {"correct": -1, "accuracy": -1 / 3}, 6: {"correct": -1, "accuracy": -0.25}},
         also=("interval_holds_it",)),
    Case(STEPS, "accuracy_is_of_counts", {0: {"accuracy": 0.5}}),
    Case(STEPS, "accuracy_is_of_counts", {1: {"accuracy": 0.0, "low": 0.0, "high": 1.0}}),
    Case(STEPS, "interval_holds_it", {0: {"low": 0.8}}),
    Case(STEPS, "interval_holds_it", {0: {"high": None}}),
    Case(STEPS, "bins_add_up", {2: {"correct": 2, "accuracy": 0.5}}),
    Case(STEPS, "bins_add_up", {}, left_out=1),
    Case(STEPS, "counts_alike", {9: {"n": 4, "accuracy": 0.5}, 11: {"n": 5, "accuracy": 0.4}}),
    Case(STEPS, "counts_alike", {0: {"n": 8, "accuracy": 0.375}, 2: {"n": 8, "accuracy": 0.375}}),
    Case(STATUSES, "extractor_is_known", {2: {"extractor": "lenient"}}),
    Case(STATUSES, "status_is_known", {0: {"status": "fine"}}),
    Case(STATUSES, "counted_once", {1: {"status": "ok"}}),
    Case(STATUSES, "n_within_of", {0: {"n": 12, "share": 1.2}, 1: {"n": -2, "share": -0.2}},
         also=("interval_holds_it",)),
    Case(STATUSES, "share_is_of_counts", {0: {"share": 0.7}}),
    Case(STATUSES, "interval_holds_it", {0: {"high": 1.1}}),
    Case(STATUSES, "statuses_add_up", {0: {"n": 7, "share": 0.7}}),
    Case(STATUSES, "statuses_add_up", {}, left_out=1),
    Case(STATUSES, "model_is_one", {1: {"model": "gemini"}}),
    *(Case(SHOTS, check, change) for check, change in (
        ("benchmark_is_known", {4: {"benchmark": "mmlu"}}),
        ("edition_is_known", {4: {"edition": "mine"}}),
        ("split_is_known", {4: {"split": "dev"}}),
        ("extractor_is_known", {4: {"extractor": "lenient"}}),
        ("labels_are_known", {4: {"labels": "mine"}}),
        ("kind_is_known", {4: {"shot_rationales": "pictures"}}),
        ("no_negative_counts", {4: {"shots": -2}}),
        ("accuracy_is_of_counts", {4: {"accuracy": 0.4}}),
        ("interval_holds_it", {4: {"low": 0.6}}),
        ("kind_fits_shots", {4: {"shot_rationales": "none"}}),
        ("kind_fits_shots", {0: {"shot_rationales": "text"}}),
        ("kind_fits_shots", {1: {"shot_rationales": "text"}}),
        ("p_is_a_probability", {1: {"p": 1.5}}),
        ("difference_is_from_zero_shot", {1: {"difference": 0.3}}),
        ("difference_is_from_zero_shot", {1: {"p": None}}),
        ("difference_is_from_zero_shot", {0: {"difference": 0.0, "p": 1.0}}),
        ("difference_is_from_zero_shot", {4: {"difference": 0.1, "p": 0.5}}),
    )),
    Case(SHOTS, "stands_once", {}, copied=4),
    Case(SHOTS, "correct_within_n", {4: {"correct": 11, "accuracy": 1.1}}, also=("interval_holds_it",)),
]  # fmt: skip
PASSING: list[Case] = [
    Case(PAIRS, "adjusted_by_holm", {1: {"p": 0.03125, "p_adjusted": 0.09375}}),
    Case(SHOTS, "difference_is_from_zero_shot", {1: {"n": 12, "accuracy": 0.5, "difference": 0.3}}),
]
LIKE: dict[str, str] = {}
GAPS: dict[str, tuple[int, str, float | None]] = {
    PAIRS: (0, "p_adjusted", None),
    STEPS: (3, "correct", None),
    STATUSES: (0, "model", None),
    SHOTS: (0, "evaluation", None),
}
NEVER_EMPTY: set[str] = {STEPS, STATUSES, SHOTS}

GOOD |= analysis_drawn_cases.GOOD
CASES += analysis_drawn_cases.CASES
PASSING += analysis_drawn_cases.PASSING
GAPS |= analysis_drawn_cases.GAPS
