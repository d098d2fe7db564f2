"""The random baseline on M3CoT's released test items, beside the published one."""

from pathlib import Path

import pytest

from assets.evaluation.baselines import baselines
from assets.evaluation.replies_file import read_samples

FILE = Path(__file__).resolve().parents[3] / "shared" / "data" / "m3cot_released" / "test_items.jsonl.gz"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"there is no {FILE.name} of the release here")

PUBLISHED = 0.2856
"""Source: arXiv:2405.16473, table 3, row random."""


def test_guessing_comes_as_near_to_what_is_expected_as_the_published_baseline_does():
    items = read_samples(FILE, "m3cot").items
    found = baselines({("m3cot", "released", "test"): items}, level=0.95)
    [row] = [row for row in found if (row.baseline, row.scope) == ("random", "total")]
    # 146, 781, 1,244 and 147 items of 2, 3, 4 and 5 options
    expected = (146 / 2 + 781 / 3 + 1244 / 4 + 147 / 5) / 2318
    assert row.expected == pytest.approx(expected)
    # 0.2898 here and 0.2856 published: a standard error over three attempts is 0.0054
    assert row.accuracy == pytest.approx(0.2898, abs=0.00005)
    assert abs(row.accuracy - expected) < 3 * 0.0054
    assert abs(PUBLISHED - expected) < 3 * 0.0054


def test_majority_says_the_most_frequent_label():
    items = read_samples(FILE, "m3cot").items
    found = baselines({("m3cot", "released", "test"): items}, level=0.95)
    [row] = [row for row in found if (row.baseline, row.scope) == ("majority", "total")]
    # 688 of 2,318 labels are B
    assert (row.letter, row.n, row.accuracy) == ("B", 2318, 688 / 2318)
