"""A table held against its suite by Great Expectations: the only module that imports it, when it is first used."""

import functools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from expectations.common.suite import Check, Severity, Suite, View, labelled

MOST_EXAMPLES = 5
LONGEST_EXAMPLE = 300
"""Characters kept of one example: results go to Dagster's event log, and a cell of a table may be any length."""


@dataclass(frozen=True)
class Result:
    """What one check said of a table.

    observed: plain JSON values, those of these that apply: `observed_value`, `unexpected_count` of
        `element_count`, `examples` (up to 5) and their `rows` (from 1), `absent` and `undeclared` columns,
        `exception`.
    evaluated: Great Expectations' own result, which `sentence` draws.
    """

    check: Check
    passed: bool
    observed: Mapping[str, Any]
    evaluated: Any = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """The check's name."""
        return self.check.name

    @property
    def severity(self) -> Severity:
        """The check's severity: error or warning."""
        return self.check.severity


@dataclass(frozen=True)
class Verdict:
    """What a suite said of a table: a result a check, in the suite's order; `at` is when, in UTC."""

    suite: Suite
    rows: int
    at: datetime
    results: tuple[Result, ...]

    @property
    def asset(self) -> str:
        """The asset whose table it was."""
        return self.suite.asset

    @property
    def passed(self) -> bool:
        """Whether nothing of severity error failed."""
        return not any(result.severity == "error" for result in self.failed)

    @property
    def failed(self) -> tuple[Result, ...]:
        """The results that failed, warnings included."""
        return tuple(result for result in self.results if not result.passed)


def validate(suite: Suite, table: pa.Table) -> Verdict:
    """The verdict of the suite on the table: a result a check, in the suite's order.

    Only the columns that the checks look at leave arrow. They become pandas columns so: text `str`, whole numbers
    and booleans the nullable kinds. Types are checked on the arrow schema; an expectation that names pandas types
    all the same must spell them as Great Expectations does: `expect_column_values_to_be_of_type` knows `str`,
    `int32`, `bool` and `float64`, `…_to_be_in_type_list` knows `Int32Dtype`, `BooleanDtype` and `float64`, and no
    text. Neither takes `object` or `Int32`.

    A check that cannot be computed fails, with the reason in `observed["exception"]`.
    """
    frame, failures = _rows_frame(suite, table)
    evaluated = _evaluate(suite, "rows", frame)
    evaluated |= _evaluate(suite, "columns", _names_frame(table))
    evaluated |= _evaluate(suite, "types", _types_frame(suite, table))
    results = []
    for check in suite.checks:
        result = evaluated[check.name]
        faults = [failures[name] for name in check.columns if name in failures]
        results.append(Result(check, bool(result.success), _observed(check, result, faults), result))
    return Verdict(suite, table.num_rows, datetime.now(UTC), tuple(results))


def sentence(result: Result) -> str:
    """Great Expectations' own sentence for what the check expects, such as "kept_id values must be unique.", as HTML.

    What was found is not in it: the page draws that from `observed`, because Great Expectations puts unexpected
    values into its pages as they are, and a reply may hold any markup.
    """
    _great_expectations()
    from great_expectations.expectations.registry import get_renderer_impl
    from great_expectations.render import LegacyRendererType

    renderer = get_renderer_impl(result.check.kind, LegacyRendererType.PRESCRIPTIVE)
    if renderer is None:
        return ""
    # Without a styling of its own the view fails on the sentence of a list of columns.
    styled = {"styling": {"default": {"classes": ["badge"]}}, "include_column_name": True}
    parts = renderer[1](configuration=result.evaluated.expectation_config, runtime_configuration=styled)
    return "".join(_page_view().render_content_block({}, part.to_json_dict()) for part in parts)


@functools.cache
def _page_view() -> Any:
    _great_expectations()
    from great_expectations.render.view import DefaultJinjaPageView

    return DefaultJinjaPageView()


def _great_expectations() -> Any:
    # Read when the package is imported: no run of ours reports to anybody.
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    import great_expectations

    return great_expectations


@functools.cache
def _batch_definition() -> Any:
    """One in-memory context a process; making it again replaces the source instead of failing on its name."""
    gx = _great_expectations()
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    source = context.data_sources.add_or_update_pandas("tables")
    return source.add_dataframe_asset("table").add_batch_definition_whole_dataframe("whole")


def _evaluate(suite: Suite, view: View, frame: Any) -> dict[str, Any]:
    gx = _great_expectations()
    from great_expectations.expectations.registry import get_expectation_impl

    expectations = [
        get_expectation_impl(check.kind)(
            **check.kwargs,
            meta={"check": check.name},
            severity="critical" if check.severity == "error" else "warning",
        )
        for check in suite.checks
        if check.view == view
    ]
    outcome = (
        _batch_definition()
        .get_batch({"dataframe": frame})
        .validate(
            gx.ExpectationSuite(name=suite.asset, expectations=expectations),
            result_format={"result_format": "SUMMARY", "partial_unexpected_count": MOST_EXAMPLES},
        )
    )
    for result in outcome.results:
        # numpy's scalars are not JSON, and Great Expectations' own renderer raises on some of them.
        result.result = _plain(result.result)
    return {result.expectation_config.meta["check"]: result for result in outcome.results}


def _rows_frame(suite: Suite, table: pa.Table) -> tuple[Any, dict[str, str]]:
    """The columns that the checks look at as a pandas frame, and for each that cannot be derived the reason."""
    import pandas as pd

    nullable = {
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
    wanted = dict.fromkeys(name for check in suite.checks if check.view == "rows" for name in check.columns)
    functions = suite.derived
    columns, failures = {}, {}
    for name in wanted:
        try:
            columns[name] = functions[name](table) if name in functions else table[name]
        except Exception as error:  # whatever it is, it is the check's result, and the other checks still speak
            failures[name] = f"{name} cannot be had: {type(error).__name__}: {' '.join(str(error).split())}"
    if not columns:
        return pd.DataFrame(index=range(table.num_rows)), failures
    return pa.table(columns).to_pandas(types_mapper=nullable.get, split_blocks=True), failures


def _names_frame(table: pa.Table) -> Any:
    import pandas as pd

    return pd.DataFrame(columns=table.column_names)


def _types_frame(suite: Suite, table: pa.Table) -> Any:
    import pandas as pd

    # A column that is missing is the business of the check on names: here it stands as declared. Arrow types are
    # compared, not their texts, which name the field within a list, and that differs by who wrote the file.
    actual = dict(zip(table.schema.names, table.schema.types, strict=True))
    types = [
        labelled(column.name, actual.get(column.name, column.type))
        if column.type != actual.get(column.name, column.type)
        else labelled(column.name, column.type)
        for column in suite.declared.columns
    ]
    return pd.DataFrame(columns=types)


def _observed(check: Check, result: Any, faults: Sequence[str]) -> dict[str, Any]:
    if faults or (exception := _exception(result.exception_info)):
        return {"exception": "; ".join(faults) or exception}
    found = result.result
    observed: dict[str, Any] = {}
    if "element_count" in found:
        observed |= {key: found[key] for key in ("unexpected_count", "element_count") if key in found}
        if found.get("unexpected_count"):
            observed["examples"] = [_shortened(value) for value in found.get("partial_unexpected_list", [])]
            observed["rows"] = [
                index + 1 for index in found.get("partial_unexpected_index_list") or [] if isinstance(index, int)
            ]
    elif "observed_value" in found:
        observed["observed_value"] = found["observed_value"]
    if not result.success and check.view != "rows":
        there, wanted = found["observed_value"], check.kwargs["column_list"]
        observed["absent"] = [name for name in wanted if name not in there]
        observed["undeclared"] = [name for name in there if name not in wanted]
    return observed


def _exception(info: Mapping[str, Any] | None) -> str | None:
    """The message of an exception that a result hides, in either of the two shapes that results have."""
    if not info:
        return None
    shapes = [info] if "raised_exception" in info else [part for part in info.values() if isinstance(part, Mapping)]
    messages = dict.fromkeys(
        str(shape.get("exception_message") or "an exception without a message")
        for shape in shapes
        if shape.get("raised_exception")
    )
    return "; ".join(messages) or None


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(part) for part in value]
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _shortened(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _shortened(part) for key, part in value.items()}
    if isinstance(value, str) and len(value) > LONGEST_EXAMPLE:
        return value[: LONGEST_EXAMPLE - 1] + "…"
    return value
