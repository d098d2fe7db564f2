"""What fails each check of the part of analysis that scores rationales, and its good tables."""

from collections.abc import Callable
from typing import Any

from tests.expectations import analysis_roscoe_cases
from tests.expectations.cases import Case, Rows

GOOD: dict[str, Callable[[], Rows]] = {}
"""By asset the rows of a table that passes, anew at each call."""

CASES: list[Case] = []
PASSING: list[Case] = []
LIKE: dict[str, str] = {}
GAPS: dict[str, tuple[int, str, float | None]] = {}
NEVER_EMPTY: set[str] = set()


ALIGNMENT = "analysis/alignment"


def _aligned(sample_id: str, measure: str, value: float | None, **columns: Any) -> dict[str, Any]:
    return {
        "evaluation": "sketcher_cot",
        "sample_id": sample_id,
        "measure": measure,
        "value": value,
        "pictures": 0 if value is None else 2,
        "excluded": 0,
        "steps": 3,
        "truncated": 0,
        "model": "clip-tiny",
        **columns,
    }


def _alignment() -> Rows:
    return [
        _aligned("deletion-1", "clip_score", 0.5, excluded=1, truncated=1),
        _aligned("deletion-1", "interaction_steps", 2.0),
        _aligned("creation-1", "clip_score", 2.5),
        _aligned("creation-1", "interaction_steps", None),
    ]


_NO_MODEL = {"value": None, "truncated": 0, "model": "no model"}
GOOD[ALIGNMENT] = _alignment
GAPS[ALIGNMENT] = (2, "excluded", None)
PASSING += [
    Case(ALIGNMENT, "value_where_compared", dict.fromkeys(range(4), _NO_MODEL)),
    Case(ALIGNMENT, "value_where_compared", {2: {"value": None, "steps": 0}, 3: {"steps": 0, "pictures": 1}}),
    Case(ALIGNMENT, "value_is_within", {0: {"value": 0.0}, 1: {"value": 3.0, "truncated": 3}}),
]
CASES += [
    Case(ALIGNMENT, "measure_is_known", {3: {"measure": "bleu"}}),
    Case(ALIGNMENT, "measured_once", {3: {"measure": "clip_score"}}),
    Case(ALIGNMENT, "no_negative_counts", {3: {"excluded": -1}}),
    Case(ALIGNMENT, "every_measure_of_a_reply", {}, left_out=3),
    Case(ALIGNMENT, "every_measure_of_a_reply", {1: {"steps": 4}}),
    Case(ALIGNMENT, "value_where_compared", {0: {"value": None, "truncated": 0}}),
    Case(ALIGNMENT, "value_where_compared", {3: {"value": 1.0}}),
    Case(ALIGNMENT, "value_where_compared", {0: {"model": "no model"}, 1: {"model": "no model"}}, also=("one_model",)),
    Case(ALIGNMENT, "value_is_within", {2: {"value": 2.6}}),
    Case(ALIGNMENT, "value_is_within", {0: {"value": -0.1}}),
    Case(ALIGNMENT, "value_is_within", {1: {"value": 1.5}}),
    Case(ALIGNMENT, "value_is_within", {1: {"value": 4.0}}),
    Case(ALIGNMENT, "truncated_are_of_the_reply", {0: {"truncated": 2}}),
    Case(ALIGNMENT, "truncated_are_of_the_reply", {1: {"truncated": 4}}),
    Case(ALIGNMENT, "truncated_are_of_the_reply", {3: {"truncated": 1}}),
    Case(ALIGNMENT, "one_model", {2: {"model": "clip-large"}, 3: {"model": "clip-large"}}),
]


QUALITY, COVERAGE, JUDGED, CHAINS = "analysis/quality", "analysis/coverage", "analysis/judged", "sources/judged_chains"


def _quality(scope: str, name: str, n: int, undefined: int, mean: float | None) -> dict[str, Any]:
    return {
        "evaluation": "gpt4v_cot",
        "benchmark": "m3cot",
        "edition": "released",
        "mode": "sane",
        "group": "semantic_alignment",
        "measure": "faithfulness",
        "scope": scope,
        "name": name,
        "n": n,
        "undefined": undefined,
        "mean": mean,
        "low": None if n < 2 or mean is None else mean - 0.1,
        "high": None if n < 2 or mean is None else mean + 0.1,
        "accuracy": 0.5,
        "accuracy_n": 40,
        "why": "undefined" if mean is None else None,
    }


def _qualities() -> Rows:
    picture = {"mode": "picture", "group": "picture_alignment", "measure": "interaction_steps"}
    return [
        _quality("total", "total", 9, 2, 0.7),
        _quality("topic", "algebra", 8, 1, 0.7),
        _quality("topic", "geometry", 1, 0, 0.6),
        _quality("topic", "theory", 0, 1, None),
        _quality("total", "total", 5, 0, 3.5) | picture,
    ]


def _covered(scope: str, name: str, n: int, of: int, **columns: Any) -> dict[str, Any]:
    measured = {"spread": 0.8, "dimensions": 1.5, "area": 0.4, "overlap": 0.9}
    row = {"collection": "m3cot/benchmark", "scope": scope, "name": name, "n": n, "of": of, **measured}
    return row | {"sentence_model": "all-MiniLM-L6-v2 (packaged)", **columns}


def _coverages() -> Rows:
    nothing = dict.fromkeys(("spread", "dimensions", "area", "overlap"))
    return [
        _covered("total", "total", 10, 30),
        _covered("domain", "science", 6, 20),
        _covered("domain", "mathematics", 1, 10, **nothing | {"overlap": 1.0}),
        _covered("total", "total", 0, 0, collection="comt/benchmark", **nothing),
    ]


def _compared(dataset: str, n: int, undefined: int, d: float | None, **columns: Any) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "mode": "sane",
        "score": "faithfulness",
        "question": "overall",
        "n": n,
        "undefined": undefined,
        "somers_d": d,
        "p": None if d is None else 0.03,
        "why": "constant" if d is None else None,
        "sentence_model": "all-MiniLM-L6-v2 (packaged)",
        **columns,
    }


def _comparisons() -> Rows:
    return [_compared("drop", 8, 0, 0.4), _compared("gsm8k", 1, 1, None), _compared("total", 9, 1, 0.3)]


def _chain(dataset: str, chain_id: str, **columns: Any) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "chain_id": chain_id,
        "context": "Ada has 2 bags of 3 shells. How many are that?",
        "reference": "2 * 3 = 6",
        "steps": ["2 * 3 = 6", "A: 6"],
        "overall": 5.0,
        "coherency": 4.0,
        "missing_steps": False,
        "contradiction": False,
        "provenance": "released",
        **columns,
    }


def _chains() -> Rows:
    unread = dict.fromkeys(("context", "reference", "steps", "overall", "coherency", "missing_steps", "contradiction"))
    where = {"file": "roscoe-sums-overall.json", "line": None, "excerpt": "{"}
    return [
        _chain("sums", "1"),
        _chain("sums", "2", steps=[], reference=None, missing_steps=None),
        _chain("claims", "1"),
        _chain("sums", "3", **unread, dropped="bad_label", quarantined=where),
    ]


GOOD |= {QUALITY: _qualities, COVERAGE: _coverages, JUDGED: _comparisons, CHAINS: _chains}

CASES += [
    Case(QUALITY, "benchmark_is_known", {0: {"benchmark": "mmlu"}}),
    Case(QUALITY, "edition_is_known", {0: {"edition": "pirated"}}),
    Case(QUALITY, "mode_is_known", {4: {"mode": "loose"}}, also=("measure_is_of_its_group", "mean_iff_values")),
    Case(QUALITY, "scope_is_known", {1: {"scope": "category"}}),
    Case(QUALITY, "measured_once", {4: _quality("total", "total", 9, 2, 0.7)}),
    Case(QUALITY, "no_negative_counts", {4: {"undefined": -1}}),
    Case(QUALITY, "measure_is_of_its_group", {4: {"group": "semantic_similarity"}}),
    Case(QUALITY, "measure_is_of_its_group", {4: {"measure": "clipped"}}),
    Case(QUALITY, "measure_is_of_its_group", {4: {"mode": "sane", "mean": 0.9, "low": 0.8, "high": 1.0}}),
    Case(QUALITY, "measure_is_of_its_group", {1: {"name": "alchemy"}}),
    Case(QUALITY, "mean_iff_values", {0: {"mean": 1.05, "high": 1.1}}),
    Case(QUALITY, "mean_iff_values", {3: {"why": None}}),
    Case(QUALITY, "mean_iff_values", {0: {"why": "no model"}}),
    Case(QUALITY, "mean_iff_values", {3: {"mean": 0.5, "why": None}}),
    Case(QUALITY, "interval_holds_mean", {0: {"low": 0.75}}),
    Case(QUALITY, "interval_holds_mean", {0: {"high": 0.65}}),
    Case(QUALITY, "interval_holds_mean", {2: {"low": 0.5, "high": 0.7}}),
    Case(QUALITY, "interval_holds_mean", {0: {"low": None}}),
    Case(QUALITY, "accuracy_iff_samples", {0: {"accuracy": None}}),
    Case(QUALITY, "accuracy_iff_samples", {0: {"accuracy_n": 0}}),
    Case(QUALITY, "accuracy_iff_samples", {0: {"accuracy": 1.5}}),
    Case(QUALITY, "parts_within_total", {2: {"n": 2}}),
    Case(QUALITY, "parts_within_total", left_out=0),
    Case(COVERAGE, "scope_is_known", {1: {"scope": "topic"}}),
    Case(COVERAGE, "measured_once", copied=3),
    Case(COVERAGE, "drawn_of_what_there_is", {3: {"n": 1, "of": 0}}),
    Case(COVERAGE, "drawn_of_what_there_is", {3: {"n": -1, "of": 0}}),
    Case(COVERAGE, "measures_are_possible", {0: {"spread": 2.1}}),
    Case(COVERAGE, "measures_are_possible", {0: {"dimensions": 9.5}}),
    Case(COVERAGE, "measures_are_possible", {0: {"dimensions": 0.5}}),
    Case(COVERAGE, "measures_are_possible", {0: {"area": -0.1}}),
    Case(COVERAGE, "measures_are_possible", {0: {"overlap": 1.1}}),
    Case(COVERAGE, "measured_where_possible", {0: {"spread": None}}),
    Case(COVERAGE, "measured_where_possible", {2: {"area": 0.1}}),
    Case(COVERAGE, "measured_where_possible", {3: {"overlap": 0.0}}),
    Case(COVERAGE, "parts_within_total", {2: {"of": 11}}),
    Case(COVERAGE, "parts_within_total", left_out=0),
    Case(JUDGED, "mode_is_known", {2: {"mode": "loose"}}, also=("total_is_of_all",)),
    Case(JUDGED, "mode_is_known", rows=[_compared("total", 9, 1, 0.3, mode="loose")]),
    Case(JUDGED, "score_is_known", rows=[_compared("total", 9, 1, 0.3, score="charm")]),
    Case(JUDGED, "question_is_known", rows=[_compared("total", 9, 1, 0.3, question="taste")]),
    Case(JUDGED, "compared_once", copied=2),
    Case(JUDGED, "no_negative_counts", {1: {"n": 2, "undefined": -1}, 2: {"n": 10, "undefined": -1}}),
    Case(JUDGED, "somers_d_is_possible", {0: {"somers_d": -1.1}}),
    Case(JUDGED, "somers_d_is_possible", {0: {"p": 1.1}}),
    Case(JUDGED, "somers_d_is_possible", {1: {"somers_d": 0.5, "p": 1.0, "why": None}}),
    Case(JUDGED, "somers_d_or_why", {0: {"p": None}}),
    Case(JUDGED, "somers_d_or_why", {1: {"why": None}}),
    Case(JUDGED, "somers_d_or_why", {0: {"why": "no model"}}),
    Case(JUDGED, "total_is_of_all", {2: {"undefined": 2}}),
    Case(JUDGED, "total_is_of_all", left_out=2),
    Case(CHAINS, "dropped_reason_is_known", {3: {"dropped": "dull", "quarantined": None}}),
    Case(CHAINS, "quarantined_iff_unreadable", {3: {"quarantined": None}}),
    Case(CHAINS, "kept_ids_are_unique", {1: {"chain_id": "1"}}),
    Case(CHAINS, "kept_are_judged", {0: {"context": " "}}),
    Case(CHAINS, "kept_are_judged", {0: {"steps": None}}),
    Case(CHAINS, "kept_are_judged", {1: {"overall": None, "coherency": None, "contradiction": None}}),
    Case(CHAINS, "judgements_are_on_scale", {0: {"overall": 6.0}}),
    Case(CHAINS, "judgements_are_on_scale", {0: {"coherency": 0.0}}),
    Case(CHAINS, "steps_say_something", {0: {"steps": ["2 * 3 = 6", " "]}}),
]

GAPS |= {
    QUALITY: (0, "accuracy_n", None),
    COVERAGE: (0, "sentence_model", None),
    JUDGED: (0, "sentence_model", None),
    CHAINS: (0, "provenance", None),
}

NEVER_EMPTY |= {COVERAGE, JUDGED}

GOOD |= analysis_roscoe_cases.GOOD
CASES += analysis_roscoe_cases.CASES
PASSING += analysis_roscoe_cases.PASSING
GAPS |= analysis_roscoe_cases.GAPS
