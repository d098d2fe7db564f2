"""The 756 chains of reasoning that people judged: all are read, with what they said of them."""

from collections import Counter
from pathlib import Path

import pytest

from assets.schema.tables import as_table
from assets.sources.judged_chains import chains

ROOT = Path(__file__).resolve().parents[2]
CHAINS = ROOT.parent / "shared" / "data" / "roscoe" / "judge_bench"

pytestmark = pytest.mark.skipif(not CHAINS.is_dir(), reason="the slice of judged chains is not here")


@pytest.fixture(scope="module")
def rows():
    return as_table("judged_chain", chains(CHAINS, provenance="released")).to_pylist()


def test_none_of_the_756_is_lost(rows):
    assert Counter(row["dataset"] for row in rows) == {"gsm8k": 200, "drop": 210, "esnli": 151, "cosmos": 195}
    assert {row["dropped"] for row in rows} == {None}
    assert len({(row["dataset"], row["chain_id"]) for row in rows}) == 756


def test_only_grade_school_mathematics_has_gold_chains(rows):
    assert Counter(row["dataset"] for row in rows if row["reference"] is not None) == {"gsm8k": 200}


def test_every_chain_has_all_four_judgements(rows):
    asked = ("overall", "coherency", "missing_steps", "contradiction")
    assert all(row[question] is not None for row in rows for question in asked)
    gsm8k = [row for row in rows if row["dataset"] == "gsm8k"]
    assert Counter(row["overall"] for row in gsm8k) == {5.0: 104, 2.0: 51, 1.0: 38, 4.0: 5, 3.0: 2}
    assert sum(row["missing_steps"] for row in rows) == 81 + 109 + 41 + 108
    assert sum(row["contradiction"] for row in rows) == 31 + 12 + 5 + 42


def test_the_chain_that_is_empty_is_the_only_one(rows):
    assert [(row["dataset"], row["chain_id"]) for row in rows if not row["steps"]] == [("cosmos", "145")]


def test_the_suite_holds_of_them():
    from expectations.judged_chains import SUITES
    from expectations.validation import validate

    table = as_table("judged_chain", chains(CHAINS, provenance="released"))
    assert validate(SUITES["sources/judged_chains"], table).failed == ()


def test_the_first_chain_is_as_people_were_shown_it(rows):
    first = next(row for row in rows if row["dataset"] == "gsm8k" and row["chain_id"] == "1")
    assert first["context"].startswith("Janet’s ducks lay 16 eggs per day.")
    assert first["reference"].endswith("\nA: 18")
    assert len(first["steps"]) == 4
    assert "<<3+4=7>>" in first["steps"][0]
