import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from expectations import suites
from expectations.common.suite import LONGEST_FAULT, Check, both, build, either, faults, places, rule

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "module",
    ["common.suite", "common.rules", "suites", "sources", "m3cot", "evaluation", "analysis", "validation", "docs"],
)
def test_importing_suites_brings_no_great_expectations_and_no_pandas(module: str) -> None:
    code = f"import json, sys, expectations.{module}; print(json.dumps([*sys.modules]))"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=env, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & {"great_expectations", "pandas", "scipy", "dagster"}


def test_an_asset_brings_its_own_group_only() -> None:
    code = (
        "import sys; from expectations.suites import suite_of; suite_of('analysis/leaderboard'); print([*sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=env, check=True)
    assert "expectations.analysis" in done.stdout
    assert "expectations.evaluation" not in done.stdout and "expectations.sources" not in done.stdout


def test_one_module_imports_great_expectations() -> None:
    found = [
        path.name for path in (ROOT / "expectations").glob("*.py") if "great_expectations" in path.read_text("utf-8")
    ]
    assert found == ["validation.py"]


@pytest.mark.parametrize("asset", ["evaluation/moods", "nowhere/scores", "scores"])
def test_an_asset_without_a_suite_is_named(asset: str) -> None:
    with pytest.raises(LookupError, match=asset):
        suites.suite_of(asset)


def test_every_suite_begins_with_rows_columns_types_and_nulls() -> None:
    for asset in ("sources/m3cot_released", "evaluation/quarantine", "analysis/leaderboard"):
        names = [check.name for check in suites.suite_of(asset).checks]
        assert names[:4] == ["rows", "columns", "types", "no_nulls"]


def test_two_checks_of_one_name_are_refused() -> None:
    check = Check("fine", "expect_column_values_to_be_unique", {"column": "line"}, "It holds.")
    with pytest.raises(ValueError, match="fine"):
        build("evaluation/recorded", "prediction", (check, check))


@pytest.mark.parametrize(("column", "fault"), [("mood", "not declared"), ("turns", "derive a column of scalars")])
def test_a_column_that_is_not_there_or_no_scalar_is_refused(column: str, fault: str) -> None:
    check = Check("fine", "expect_column_values_to_be_unique", {"column": column}, "It holds.")
    with pytest.raises(ValueError, match=fault):
        build("evaluation/recorded", "prediction", (check,))


def test_a_derived_column_does_not_hide_a_declared_one() -> None:
    with pytest.raises(ValueError, match="line"):
        build("evaluation/recorded", "prediction", (rule("line", lambda table: table["line"], "It holds."),))


def test_faults_are_texts_at_the_rows_at_fault() -> None:
    table = pa.table({"id": ["a", "b", None], "n": [1, 2, 3]})
    found = faults(table, pa.array([True, None, True]), "{id}: n {n}")
    assert found.to_pylist() == ["a: n 1", None, "None: n 3"]


def test_a_long_fault_is_cut() -> None:
    found = faults(pa.table({"id": ["x" * 900]}), pa.array([True]), "{id}")
    assert len(found[0].as_py()) == LONGEST_FAULT


def test_places_of_a_table_without_rows_are_none() -> None:
    assert places(pa.chunked_array([], pa.bool_())) == []


def test_a_null_condition_is_not_true() -> None:
    yes, unknown = pa.array([True, True]), pa.array([True, None])
    assert both(yes, unknown).to_pylist() == [True, False]
    assert either(unknown, unknown).to_pylist() == [True, False]
