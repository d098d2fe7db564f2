import json
from typing import Any

import pyarrow as pa
import pytest

from expectations import suites, validation
from expectations.common.suite import Check, Suite, build
from expectations.validation import Result, Verdict, validate

PREDICTION = "evaluation/recorded"
SAMPLE = "sources/m3cot_released"


def _suite(*checks: Check) -> Suite:
    return build(PREDICTION, "prediction", checks)


def _result(verdict: Verdict, name: str) -> Result:
    return next(result for result in verdict.results if result.name == name)


def test_results_stand_in_the_order_of_the_suite(good: Any, table_of: Any) -> None:
    suite = suites.suite_of(PREDICTION)
    verdict = validate(suite, table_of(PREDICTION, good(PREDICTION)))
    assert [result.check for result in verdict.results] == list(suite.checks)
    assert (verdict.asset, verdict.rows, verdict.passed, verdict.failed) == (PREDICTION, 3, True, ())


def test_a_failed_result_names_the_row_and_what_is_wrong_with_it(good: Any, table_of: Any) -> None:
    rows = good(SAMPLE)
    rows[1]["answer"] = "F"
    observed = _result(validate(suites.suite_of(SAMPLE), table_of(SAMPLE, rows)), "answer_is_a_choice").observed
    assert observed == {
        "unexpected_count": 1,
        "element_count": 3,
        "examples": ["algebra-2: answer F, choices ['1', '2']"],
        "rows": [2],
    }


def test_a_failed_warning_does_not_fail_the_verdict(good: Any, table_of: Any) -> None:
    rows = good(SAMPLE)
    rows[0]["choices"] = ["1", "1"]
    verdict = validate(suites.suite_of(SAMPLE), table_of(SAMPLE, rows))
    assert verdict.passed
    assert [result.name for result in verdict.failed] == ["choices_differ"]


def test_at_most_five_examples_are_kept_and_long_ones_are_cut(good: Any, table_of: Any) -> None:
    rows = [good(PREDICTION)[0] | {"line": line, "status": "x" * 900} for line in range(1, 9)]
    observed = _result(validate(suites.suite_of(PREDICTION), table_of(PREDICTION, rows)), "status_is_known").observed
    assert observed["unexpected_count"] == 8
    assert observed["rows"] == [1, 2, 3, 4, 5]
    assert {len(example) for example in observed["examples"]} == {validation.LONGEST_EXAMPLE}


def test_a_missing_column_is_named_and_its_checks_say_so(good: Any, table_of: Any) -> None:
    table = table_of(PREDICTION, good(PREDICTION)).drop_columns(["status"])
    verdict = validate(suites.suite_of(PREDICTION), table)
    assert _result(verdict, "columns").observed["absent"] == ["status"]
    assert "status" in _result(verdict, "status_is_known").observed["exception"]
    assert "status" in _result(verdict, "errors_are_few").observed["exception"]
    assert not _result(verdict, "status_is_known").passed
    assert _result(verdict, "line_is_unique").passed


def test_an_undeclared_column_and_another_type_are_named(good: Any, table_of: Any) -> None:
    table = table_of(PREDICTION, good(PREDICTION)).append_column("mood", pa.array(["glad"] * 3))
    table = table.set_column(1, "line", table["line"].cast(pa.int64()))
    verdict = validate(suites.suite_of(PREDICTION), table)
    assert _result(verdict, "columns").observed["undeclared"] == ["mood"]
    assert _result(verdict, "types").observed["absent"] == ["line: int32"]
    assert _result(verdict, "types").observed["undeclared"] == ["line: int64"]


def test_an_exception_of_a_derived_column_is_the_result_of_its_check(good: Any, table_of: Any) -> None:
    def broken(table: pa.Table) -> pa.Array:
        raise ZeroDivisionError("no rows to share")

    check = Check(
        "ratio",
        "expect_column_values_to_be_between",
        {"column": "ratio", "min_value": 0},
        "It holds.",
        derived={"ratio": broken},
    )
    result = _result(validate(_suite(check), table_of(PREDICTION, good(PREDICTION))), "ratio")
    assert not result.passed
    assert result.observed == {"exception": "ratio cannot be had: ZeroDivisionError: no rows to share"}


def test_an_exception_that_great_expectations_hides_is_shown(good: Any, table_of: Any) -> None:
    check = Check("regex", "expect_column_values_to_match_regex", {"column": "status", "regex": "("}, "It holds.")
    result = _result(validate(_suite(check), table_of(PREDICTION, good(PREDICTION))), "regex")
    assert not result.passed
    assert "missing )" in result.observed["exception"]


@pytest.mark.parametrize(
    "info",
    [
        {"raised_exception": True, "exception_message": "it broke", "exception_traceback": "..."},
        {"('metric', 'id', ())": {"raised_exception": True, "exception_message": "it broke"}},
    ],
    ids=["flat", "by metric"],
)
def test_both_shapes_of_exception_info_are_read(info: dict[str, Any]) -> None:
    assert validation._exception(info) == "it broke"


@pytest.mark.parametrize("info", [None, {}, {"raised_exception": False, "exception_message": None}])
def test_no_exception_is_none(info: dict[str, Any] | None) -> None:
    assert validation._exception(info) is None


def test_a_context_made_twice_in_a_process_says_nothing_of_names_that_exist(good: Any, table_of: Any) -> None:
    table = table_of(PREDICTION, good(PREDICTION))
    for _ in range(2):
        validation._batch_definition.cache_clear()
        assert validate(suites.suite_of(PREDICTION), table).passed


OF_TYPE, IN_LIST = "expect_column_values_to_be_of_type", "expect_column_values_to_be_in_type_list"


@pytest.mark.parametrize(
    ("kind", "column", "spelling", "accepted"),
    [
        (OF_TYPE, "line", "int32", True),
        (OF_TYPE, "tokens_in", "int32", True),
        (OF_TYPE, "tokens_in", "Int32", False),
        (OF_TYPE, "tokens_in", "Int32Dtype", False),
        (OF_TYPE, "tokens_in", "float64", False),
        (OF_TYPE, "status", "str", True),
        (OF_TYPE, "finish_reason", "str", True),
        (OF_TYPE, "status", "object", False),
        (OF_TYPE, "asked", "bool", True),
        (OF_TYPE, "share", "float64", True),
        (IN_LIST, "line", "Int32Dtype", True),
        (IN_LIST, "tokens_in", "Int32Dtype", True),
        (IN_LIST, "tokens_in", "Int32", False),
        (IN_LIST, "tokens_in", "int32", False),
        (IN_LIST, "status", "str", False),
        (IN_LIST, "status", "object", False),
        (IN_LIST, "asked", "BooleanDtype", True),
        (IN_LIST, "share", "float64", True),
    ],
)
def test_types_are_spelled_as_documented(
    kind: str, column: str, spelling: str, accepted: bool, good: Any, table_of: Any
) -> None:
    derived = {"asked": lambda table: pa.array([True, None, False]), "share": lambda table: pa.array([0.5, None, 1.0])}
    kwargs = {"column": column, "type_": spelling} if kind == OF_TYPE else {"column": column, "type_list": [spelling]}
    check = Check("typed", kind, kwargs, "It holds.", derived=derived)
    assert _result(validate(_suite(check), table_of(PREDICTION, good(PREDICTION))), "typed").passed is accepted


def test_whole_numbers_with_nulls_stay_whole(good: Any, table_of: Any) -> None:
    check = Check("few", "expect_column_values_to_be_between", {"column": "tokens_in", "max_value": 5}, "It holds.")
    observed = _result(validate(_suite(check), table_of(PREDICTION, good(PREDICTION))), "few").observed
    assert json.dumps(observed["examples"]) == "[10, 10]"


def test_observed_is_plain_json(good: Any, table_of: Any) -> None:
    rows = good(PREDICTION)
    rows[1] |= {"line": 1, "evaluation": "gemini_cot", "status": "fine"}
    verdict = validate(suites.suite_of(PREDICTION), table_of(PREDICTION, rows))
    for result in verdict.results:
        assert json.loads(json.dumps(dict(result.observed), allow_nan=False)) == dict(result.observed)


def test_a_null_in_a_compound_key_is_shown_as_null(good: Any, table_of: Any) -> None:
    rows = good("analysis/paper_comparison")
    verdict = validate(
        suites.suite_of("analysis/paper_comparison"), table_of("analysis/paper_comparison", [*rows, rows[0]])
    )
    examples = _result(verdict, "cell_is_compared_once").observed["examples"]
    assert [example["evaluation"] for example in examples] == [None, None]


def test_only_scalars_that_checks_look_at_leave_arrow(good: Any, table_of: Any) -> None:
    suite = suites.suite_of(PREDICTION)
    frame, failures = validation._rows_frame(suite, table_of(PREDICTION, good(PREDICTION)))
    looked_at = {name for check in suite.checks if check.view == "rows" for name in check.columns}
    assert set(frame.columns) == looked_at
    assert not failures and not looked_at & {"turns", "choices", "fingerprint"}


def test_another_name_within_a_list_is_the_same_type(good: Any, table_of: Any) -> None:
    table = table_of(SAMPLE, good(SAMPLE))
    place = table.column_names.index("choices")
    renamed = pa.list_(pa.field("element", pa.string()))
    assert validate(suites.suite_of(SAMPLE), table.set_column(place, "choices", table["choices"].cast(renamed))).passed
