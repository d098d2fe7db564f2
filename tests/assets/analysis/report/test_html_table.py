"""Tables of the page: numbers, intervals, links, and how many rows are shown."""

import re
from typing import Any

import pytest

from assets.analysis.report import html_table
from tests.assets.analysis.report.report_tables import LEADERS


def cells(page: str) -> list[list[str]]:
    body = page.partition("<tbody>")[2]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in body.split("</tr>")[:-1]]


def test_fractions_are_per_cent_an_interval_is_one_column_and_none_is_a_dash() -> None:
    columns = html_table.columns("leaderboard", ("model", "accuracy", "low..high", "n"), percent=("accuracy", "low"))
    page = html_table.table(LEADERS, columns, "analysis/leaderboard")
    assert cells(page) == [
        ["m&lt;odel", "50.00", "37.50 to 62.50", "3"],
        ["m&lt;odel", "25.00", "12.50 to 37.50", "3"],
        ["m&lt;odel", "–", "–", "3"],
    ]
    assert re.findall(r'data-by="([^"]*)"', page.partition("<tbody>")[2])[:4] == ["m&lt;odel", "0.5", "0.375", "3"]
    assert page.count('aria-sort="none"') == 4
    assert "interval, %" in page


def test_a_long_table_is_cut_and_says_so() -> None:
    columns = html_table.columns("leaderboard", ("evaluation",))
    page = html_table.table(LEADERS, columns, "x", most=2)
    assert cells(page) == [["first_cot"], ["second_cot"]]
    assert html_table.counted(LEADERS, most=2) == "the first 2 of 3 rows"
    assert html_table.counted(LEADERS) == "3 rows"


def row(**changes: Any) -> dict[str, Any]:
    return {"evaluation": "first_cot", "sample_id": "s-1", **changes}


@pytest.mark.parametrize(
    ("rows", "cell"),
    [
        (row(benchmark="m3cot", edition="built"), '<a href="#sample/m3cot/built/s-1?a=first_cot">s-1</a>'),
        (row(benchmark="m3cot", edition="built", evaluation=None), '<a href="#sample/m3cot/built/s-1">s-1</a>'),
        (row(benchmark="comt", edition="built"), "s-1"),
        (row(), '<a href="#sample/m3cot/built/s-1?a=first_cot">s-1</a>'),
        (row(evaluation="other"), "s-1"),
    ],
)
def test_a_sample_that_the_browser_holds_is_a_link_to_it(rows: dict[str, Any], cell: str) -> None:
    columns = html_table.columns(
        "finding", ("sample_id",), known={("m3cot", "built", "s-1")}, asked={"first_cot": ("m3cot", "built")}
    )
    assert cells(html_table.table([rows], columns, "x")) == [[cell]]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (3.0, "3"),
        (12345, "12,345"),
        (0.123456, "0.1235"),
        (1e-9, "1e-09"),
        (1234.56, "1,234.6"),
    ],
)
def test_numbers_are_short(value: float | None, said: str) -> None:
    assert html_table.number(value) == said


def test_counts_are_named_and_booleans_are_words() -> None:
    columns = html_table.columns("flow", ("reasons",))
    page = html_table.table([{"reasons": [{"reason": "no_id", "n": 2}, {"reason": "blank", "n": 1}]}], columns, "x")
    assert cells(page) == [["no_id 2, blank 1"]]
    equal = html_table.columns("comparison", ("equal",))
    assert cells(html_table.table([{"equal": value} for value in (True, False, None)], equal, "x")) == [
        ["yes"],
        ["no"],
        ["–"],
    ]
