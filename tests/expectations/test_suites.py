"""Every check of every suite: a table that passes, and one that fails this check and no other."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from expectations import analysis, comt, evaluation, m3cot, sources, training
from expectations.common.suite import Suite
from tests.expectations import (
    analysis_audit_cases,
    analysis_curves_cases,
    analysis_rationales_cases,
    analysis_tools_cases,
    building_cases,
    comt_cases,
    evaluation_cases,
    picture_judgements_cases,
)
from tests.expectations.cases import Case, Rows, together

SUITES: dict[str, Suite] = {**sources.SUITES, **m3cot.SUITES, **comt.SUITES, **evaluation.SUITES, **training.SUITES}
SUITES |= analysis.SUITES
OF_ANALYSIS = (
    analysis_audit_cases,
    analysis_curves_cases,
    analysis_rationales_cases,
    analysis_tools_cases,
    picture_judgements_cases,
)
ROOT = Path(__file__).resolve().parents[2]
DECLARED = ("rows", "columns", "types", "no_nulls")


def _scored(asset: str, row: int) -> list[Case]:
    return [
        Case(asset, "extractor_is_known", {row: {"extractor": "lenient"}}),
        Case(asset, "policy_is_known", {row: {"policy": "lenient"}}),
        Case(asset, "labels_are_known", {row: {"labels": "mine"}}),
    ]


def _counted(asset: str) -> list[Case]:
    return [
        Case(asset, "correct_within_n", {0: {"missing": -1}}),
        Case(asset, "accuracy_is_correct_by_n", {0: {"accuracy": 0.76}}),
        Case(asset, "interval_holds_accuracy", {0: {"low": 0.8}}),
        Case(asset, "means_are_fractions", {0: {"macro_f1": 1.5}}),
    ]


MANIFEST, SAMPLE, PREDICTION, ANSWER, QUARANTINE, FLOW, SCORE, BASELINE, DIFFERENCE, BOARD, COMPARISON = (
    "sources/generated_released",
    "sources/m3cot_released",
    "evaluation/recorded",
    "evaluation/answers",
    "evaluation/quarantine",
    "evaluation/flow",
    "evaluation/scores",
    "evaluation/baselines",
    "evaluation/differences",
    "analysis/leaderboard",
    "analysis/paper_comparison",
)
COMT = "sources/comt_released"
_TWO_OF_FIVE = {"n": 5, "correct": 2, "accuracy": 0.4, "statuses": [{"status": "ok", "n": 5}]}
OURS = range(10, 20)
"""The rows of the comparison's table that have an evaluation: the second published row."""

CASES = [
    Case(MANIFEST, "file_is_listed_once", {1: {"file": "predictions/a/direct.jsonl.gz"}}),
    Case(MANIFEST, "file_is_inside", {0: {"file": "predictions/../../secret"}}),
    Case(MANIFEST, "bytes_are_counted", {0: {"bytes": -1}}),
    Case(MANIFEST, "sha256_is_one", {0: {"sha256": "A" * 64}}),
    Case(SAMPLE, "benchmark_is_known", {0: {"benchmark": "mmlu"}}),
    Case(SAMPLE, "split_is_known", {0: {"split": "dev"}}),
    Case(SAMPLE, "dropped_reason_is_known", {2: {"dropped": "unknown_id", "quarantined": None}}),
    Case(SAMPLE, "quarantined_iff_unreadable", {2: {"quarantined": None}}),
    Case(SAMPLE, "kept_are_complete", {0: {"question": " "}}),
    Case(SAMPLE, "kept_ids_are_unique", {1: {"id": "physics-1"}}),
    Case(SAMPLE, "choices_are_2_to_6", {1: {"choices": ["1"]}}),
    Case(SAMPLE, "answer_is_a_choice", {0: {"answer": "D"}}),
    Case(SAMPLE, "choices_differ", {0: {"choices": ["Rain", "Train", "Train"]}}),
    Case(SAMPLE, "pictures_are_digests", {0: {"images": ["figure.png"]}}),
    Case(SAMPLE, "choice_pictures_fit_choices", {0: {"choice_images": ["0" * 64]}}),
    Case(SAMPLE, "topic_is_known", {0: {"topic": "alchemy"}}),
    Case(PREDICTION, "status_is_known", {0: {"status": "fine"}}),
    Case(PREDICTION, "dropped_reason_is_known", {2: {"dropped": "no_choices"}}),
    Case(PREDICTION, "quarantined_iff_unreadable", {0: {"quarantined": {"file": "a", "line": 1, "excerpt": ""}}}),
    Case(PREDICTION, "kept_are_complete", {0: {"turns": []}}),
    Case(PREDICTION, "roles_are_known", {0: {"turns": [{"role": "system", "parts": []}]}}),
    Case(PREDICTION, "evaluation_is_one", {1: {"evaluation": "gemini_cot"}}),
    Case(PREDICTION, "line_is_unique", {1: {"line": 1}}),
    Case(PREDICTION, "line_counts_from_1", {0: {"line": 0}}),
    Case(PREDICTION, "no_negative_counts", {0: {"tokens_out": -1}}),
    Case(PREDICTION, "errors_are_few", {0: {"status": "error", "turns": None}}),
    Case(PREDICTION, "empties_are_few", {0: {"status": "empty"}}),
    Case(ANSWER, "status_is_known", {0: {"status": "fine"}}),
    Case(ANSWER, "extractor_is_known", {0: {"extractor": "lenient"}}),
    Case(ANSWER, "reply_is_read_once", {}, copied=0),
    Case(ANSWER, "missing_has_no_line", {2: {"line": 2}}),
    Case(ANSWER, "letter_is_one_capital", {0: {"letter": "b", "correct": False}}),
    Case(ANSWER, "label_is_one_capital", {0: {"label": "BC", "correct": False}}),
    Case(ANSWER, "letter_fits_status", {0: {"status": "none"}}),
    Case(ANSWER, "span_is_in_order", {0: {"span": [3, 1]}}),
    Case(ANSWER, "correct_is_counted", {0: {"counted": False}}),
    Case(ANSWER, "correct_is_the_label", {0: {"correct": False}}),
    Case(ANSWER, "strict_counts_a_sample_once", {4: {"line": 2}}, copied=1),
    Case(ANSWER, "strict_counts_every_sample", {3: {"counted": False}}),
    Case(QUARANTINE, "reason_is_known", {0: {"reason": "whim"}}),
    Case(QUARANTINE, "line_counts_from_1", {0: {"line": 0}}),
    Case(QUARANTINE, "can_be_found", {0: {"line": None}}),
    Case(QUARANTINE, "set_aside_once", {1: {"line": 3}}),
    Case(FLOW, "stage_and_source_once", {}, copied=0),
    Case(FLOW, "no_negative_counts", {1: {"generated": -1, "retained": 7}}),
    Case(FLOW, "balance", {0: {"entered": 11}}),
    Case(FLOW, "stages_follow", {1: {"entered": 9, "retained": 9}}),
    Case(FLOW, "stages_follow", {}, left_out=1),
    Case(FLOW, "reasons_add_up", {0: {"reasons": [{"reason": "invalid_json", "n": 1}]}}),
    Case(FLOW, "reasons_are_known", {0: {"reasons": [{"reason": "whim", "n": 2}]}}),
    *_scored(SCORE, 0),
    Case(SCORE, "scope_is_known", {0: {"scope": "planet"}}),
    Case(SCORE, "scored_once", {}, copied=0),
    *_counted(SCORE),
    Case(SCORE, "statuses_add_up", {0: {"statuses": [{"status": "ok", "n": 3}]}}),
    Case(SCORE, "statuses_are_known", {0: {"statuses": [{"status": "fine", "n": 4}]}}),
    Case(SCORE, "mean_f1_is_over_groups", {0: {"mean_f1": None}}),
    Case(SCORE, "mean_f1_is_over_groups", {0: {"mean_f1": 1.5}}),
    Case(SCORE, "parts_add_up_to_total", {3: _TWO_OF_FIVE}, also=("total_has_the_means_of_its_groups",)),
    Case(SCORE, "parts_add_up_to_total", {}, left_out=4, also=("total_has_the_means_of_its_groups",)),
    Case(SCORE, "total_has_the_means_of_its_groups", {1: {"macro_accuracy": 0.7}}),
    Case(SCORE, "total_has_the_means_of_its_groups", {1: {"mean_f1": 0.7}}),
    Case(BASELINE, "benchmark_is_known", {0: {"benchmark": "mmlu"}}),
    Case(BASELINE, "split_is_known", {0: {"split": "dev"}}),
    Case(BASELINE, "baseline_is_known", {2: {"baseline": "human"}}),
    Case(BASELINE, "scope_is_known", {0: {"scope": "planet"}}),
    Case(BASELINE, "stands_once", {}, copied=0),
    Case(BASELINE, "no_negative_counts", {1: {"n": -1}}),
    Case(BASELINE, "results_are_fractions", {0: {"macro_f1": 1.5}}),
    Case(BASELINE, "reached_where_counted", {1: {"expected": 0.25}}),
    Case(BASELINE, "accuracy_is_within", {0: {"lowest": 0.26}}),
    Case(BASELINE, "accuracy_is_within", {2: {"high": 0.29}}),
    Case(BASELINE, "random_has_seeds", {0: {"letter": "A"}}),
    Case(BASELINE, "random_has_seeds", {2: {"letter": None}}),
    Case(BASELINE, "guessing_is_near_chance", {0: {"expected": 0.5}}),
    *_scored(DIFFERENCE, 0),
    Case(DIFFERENCE, "two_evaluations", {0: {"b": "gpt4v_direct"}}),
    Case(DIFFERENCE, "compared_once", {}, copied=0),
    Case(DIFFERENCE, "no_negative_counts", {0: {"both": 7, "neither": -1}}),
    Case(DIFFERENCE, "counts_add_up", {0: {"neither": 3}}),
    Case(DIFFERENCE, "difference_is_of_counts", {0: {"difference": 0.3}}),
    Case(DIFFERENCE, "interval_holds_difference", {0: {"high": 0.1}}),
    Case(DIFFERENCE, "p_is_a_probability", {0: {"p": 1.5}}),
    *_scored(BOARD, 3),
    Case(BOARD, "benchmark_is_known", {3: {"benchmark": "mmlu", "published": None}}),
    Case(BOARD, "split_is_known", {3: {"split": "dev", "published": None}}),
    Case(BOARD, "no_negative_counts", {3: {"shots": -1, "published": None}}),
    Case(BOARD, "ranked_once", {}, copied=3),
    *_counted(BOARD)[:1],
    Case(BOARD, "accuracy_is_correct_by_n", {2: {"accuracy": 0.51}}),
    *_counted(BOARD)[2:],
    Case(BOARD, "mean_f1_is_over_groups", {0: {"mean_f1": 0.5}}),
    Case(BOARD, "rank_follows_accuracy", {1: {"rank": 2}}),
    Case(BOARD, "published_is_of_the_same", {3: {"split": "validation"}}),
    Case(BOARD, "published_is_of_the_same", {3: {"shots": 4}}),
    Case(BOARD, "published_is_a_fraction", {0: {"published": 56.95}}),
    Case(COMPARISON, "extractor_is_known", {row: {"extractor": "lenient"} for row in OURS}),
    Case(COMPARISON, "labels_are_known", {row: {"labels": "mine"} for row in OURS}),
    Case(COMPARISON, "cell_is_compared_once", {}, copied=0),
    Case(COMPARISON, "cells_are_as_published", {0: {"published": 99.99}}),
    Case(COMPARISON, "cells_are_all_there", {}, left_out=0),
    Case(
        COMPARISON,
        "percentages_are_of_100",
        {10: {"n": 10, "correct": 11, "ours": 110.0, "difference": 99.57, "equal": False}},
    ),
    Case(COMPARISON, "ours_is_whole_or_absent", {0: {"correct": 3}}),
    Case(COMPARISON, "ours_is_of_counts", {10: {"correct": 1200}}),
    Case(COMPARISON, "difference_is_ours_less_published", {10: {"difference": 1.0}}),
    Case(COMPARISON, "equal_iff_difference_rounds_to_0", {10: {"equal": False}}),
]
# CoMT's samples are held to what M3CoT's are, save their topics, and to their tasks.
CASES += [case._replace(asset=COMT) for case in CASES if case.asset == SAMPLE and case.check != "topic_is_known"]
CASES += [Case(COMT, "task_is_known", {0: {"task": "rotation"}})]
CASES += [*building_cases.CASES, *comt_cases.CASES, *evaluation_cases.CASES]
LIKE = building_cases.LIKE | comt_cases.LIKE | evaluation_cases.LIKE
PASSING = [*building_cases.PASSING, *comt_cases.PASSING]
for module in OF_ANALYSIS:
    CASES += module.CASES
    PASSING += module.PASSING
    LIKE |= module.LIKE

GAPS: dict[str, tuple[int, str, float | None]] = {
    MANIFEST: (0, "bytes", None),
    SAMPLE: (0, "provenance", None),
    COMT: (0, "provenance", None),
    PREDICTION: (0, "line", None),
    ANSWER: (0, "rule", None),
    QUARANTINE: (0, "source", None),
    FLOW: (0, "generated", None),
    SCORE: (0, "name", None),
    BASELINE: (0, "name", None),
    DIFFERENCE: (0, "policy", None),
    BOARD: (0, "model", None),
    COMPARISON: (0, "published", math.nan),
    **building_cases.GAPS,
    **comt_cases.GAPS,
    **evaluation_cases.GAPS,
}

NEVER_EMPTY = {ANSWER, FLOW, SCORE, BOARD, COMPARISON} | evaluation_cases.NEVER_EMPTY
for module in OF_ANALYSIS:
    GAPS |= module.GAPS
    NEVER_EMPTY |= module.NEVER_EMPTY


def _shared(asset: str) -> list[Case]:
    """The cases of the suite that this one is like, as far as it has their checks."""
    names = {check.name for check in SUITES[asset].checks}
    return [case for case in CASES if case.asset == LIKE[asset] and case.check in names]


def test_every_check_has_a_table_that_fails_it() -> None:
    written = {(asset, check.name) for asset, suite in SUITES.items() for check in suite.checks}
    tried = {(case.asset, case.check) for case in CASES} | {(asset, name) for asset in GAPS for name in DECLARED}
    assert tried | {(asset, case.check) for asset in LIKE for case in _shared(asset)} == written


@pytest.mark.parametrize("asset", SUITES)
def test_a_good_table_passes_every_check(asset: str, good: Any, table_of: Any, failed: Any) -> None:
    assert failed(asset, table_of(asset, good(asset))) == set()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.asset}-{case.check}")
def test_a_fault_fails_its_check_and_no_other(case: Case, good: Any, table_of: Any, failed: Any) -> None:
    assert all(set(columns) <= set(SUITES[case.asset].declared.names) for columns in case.changes.values())
    assert failed(case.asset, table_of(case.asset, case.table(good(case.asset)))) == case.fails


@pytest.mark.parametrize("case", PASSING, ids=lambda case: f"{case.asset}-{case.check}")
def test_a_table_at_the_border_of_a_rule_passes(case: Case, good: Any, table_of: Any, failed: Any) -> None:
    assert failed(case.asset, table_of(case.asset, case.table(good(case.asset)))) == set()


@pytest.mark.parametrize("asset", LIKE)
def test_faults_fail_the_same_checks_of_suites_alike(asset: str, good: Any, table_of: Any, failed: Any) -> None:
    shared = _shared(asset)
    assert {case.check for case in shared} <= failed(asset, table_of(asset, together(shared, good(asset))))


@pytest.mark.parametrize("asset", SUITES)
def test_an_empty_table_fails_its_row_count_unless_it_may_be_empty(asset: str, table_of: Any, failed: Any) -> None:
    least = SUITES[asset].checks[0].kwargs["min_value"]
    assert failed(asset, table_of(asset, [])) == ({"rows"} if least else set())
    assert (least == 1) == (asset in NEVER_EMPTY)


@pytest.mark.parametrize("asset", SUITES)
def test_a_row_of_nothing_but_nulls_is_at_fault_and_breaks_no_check(asset: str, table_of: Any) -> None:
    from expectations.validation import validate

    nothing = dict.fromkeys(SUITES[asset].declared.names)
    verdict = validate(SUITES[asset], table_of(asset, [nothing]))
    assert [result.name for result in verdict.results if "exception" in result.observed] == []
    assert "no_nulls" in {result.name for result in verdict.failed}


def test_importing_the_suites_of_the_construction_brings_no_great_expectations_and_no_heavy_library() -> None:
    code = "import json, sys, expectations.m3cot; print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & {"great_expectations", "pandas", "scipy", "dagster", "PIL", "punkt"}


SINGLE = [asset for asset in SUITES if asset not in LIKE]
"""A suite of each kind: those alike are held to one declaration by the same checks."""


@pytest.mark.parametrize("asset", SINGLE)
def test_another_order_of_columns_fails_the_column_check(asset: str, good: Any, table_of: Any, failed: Any) -> None:
    table: pa.Table = table_of(asset, good(asset))
    assert failed(asset, table.select(table.column_names[::-1])) == {"columns"}


@pytest.mark.parametrize("asset", SINGLE)
def test_another_arrow_type_fails_the_type_check(asset: str, good: Any, table_of: Any, failed: Any) -> None:
    table: pa.Table = table_of(asset, good(asset))
    place = next(at for at, field in enumerate(table.schema) if field.type == pa.string())
    schema = table.schema.set(place, pa.field(table.schema.names[place], pa.large_string()))
    assert failed(asset, table.cast(schema)) == {"types"}


@pytest.mark.parametrize("asset", SUITES)
def test_a_gap_in_a_column_without_gaps_fails_the_null_check(
    asset: str, good: Callable[[str], Rows], table_of: Any, failed: Any
) -> None:
    row, column, nothing = GAPS[asset]
    rows = good(asset)
    rows[row] = rows[row] | {column: nothing}
    assert failed(asset, table_of(asset, rows)) == {"no_nulls"}


@pytest.mark.parametrize("asset", SUITES)
def test_check_names_are_dagster_names(asset: str) -> None:
    assert all(check.name.isidentifier() and check.name.isascii() for check in SUITES[asset].checks)
    assert all(check.meaning.endswith(".") for check in SUITES[asset].checks)
