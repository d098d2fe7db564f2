"""The released predictions of M3CoT: their published numbers, cell by cell, and the conformance totals."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from assets.evaluation.replies_file import evaluate, read_samples
from assets.evaluation.scores import scores
from assets.schema.vocabulary import TOPICS

ROOT = Path(__file__).resolve().parents[2]
RELEASED = ROOT.parent / "shared" / "data" / "m3cot_released"
PUBLISHED = ROOT / "assets" / "analysis" / "published" / "m3cot_zero_shot.csv"

pytestmark = pytest.mark.skipif(not RELEASED.is_dir(), reason="the slice of released files is not here")

TOTALS = {
    "gpt4v/direct": 56.90,
    "gemini/direct": 45.13,
    "gemini/cot": 47.45,
    "gemini/dsp": 41.80,
    "cogvlm/direct": 37.14,
    "cogvlm/cot": 38.87,
    "cogvlm/dsp": 35.03,
    "llava-13b/direct": 27.05,
    "llava-13b/cot": 39.47,
    "llava-13b/ccot": 36.50,
    "llava-13b/dsp": 35.94,
    "llava-7b/direct": 36.58,
    "llava-7b/cot": 35.76,
    "llava-7b/ccot": 35.68,
    "llava-7b/dsp": 34.38,
    "instruct-blip-13b/direct": 35.89,
    "instruct-blip-13b/cot": 36.02,
    "instruct-blip-13b/dsp": 29.21,
    "instruct-blip-7b/direct": 36.07,
    "instruct-blip-7b/cot": 35.72,
    "kosmos-2/direct": 23.17,
    "kosmos-2/cot": 18.64,
    "kosmos-2/dsp": 0.04,
    "openflamingo/cot": 29.25,
}
RULES = {"parentheses": 42_393, "option_text": 2_066, "bare_capital": 6_266, "bare_lower": 595, "failed": 4_312}
RIGHT = {"parentheses": 16_075, "option_text": 880, "bare_capital": 2_087, "bare_lower": 144}


@pytest.fixture(scope="module")
def samples():
    return read_samples(RELEASED / "test_items.jsonl.gz", "m3cot")


@pytest.fixture(scope="module")
def evaluated(samples):
    return {
        f"{path.parent.name}/{path.name.removesuffix('.jsonl.gz')}": evaluate(
            path, "m3cot", samples, extractors=("paper",)
        )
        for path in sorted(RELEASED.glob("predictions/*/*.jsonl.gz"))
    }


def cells(evaluated, samples, labels):
    """Cells that agree to two decimals, of those that are published for a released file."""
    agree = every = 0
    with PUBLISHED.open(encoding="utf-8", newline="") as lines:
        for published in csv.DictReader(lines):
            name = f"{published['model']}/{published['strategy'].replace('desp-cot', 'dsp')}"
            if name not in evaluated:
                continue
            rows = scores(
                evaluated[name].answered.rows, samples.items, evaluation=name, labels=labels, scopes=("topic", "total")
            )
            ours = {row.name: f"{100 * row.accuracy:.2f}" for row in rows}
            for column in (*TOPICS, "total"):
                every += 1
                agree += ours[column] == f"{float(published[column]):.2f}"
    return agree, every


def test_the_totals_of_all_24_files(evaluated, samples):
    found = {
        name: round(100 * scores(one.answered.rows, samples.items, evaluation=name, scopes=("total",))[0].accuracy, 2)
        for name, one in evaluated.items()
    }
    assert found == TOTALS


def test_every_published_cell_with_the_labels_of_the_paper(evaluated, samples):
    assert cells(evaluated, samples, "paper") == (230, 230)


def test_40_published_cells_differ_with_the_labels_as_released(evaluated, samples):
    assert cells(evaluated, samples, "released") == (190, 230)


def test_the_published_rule_decides_the_55632_rows_as_counted(evaluated):
    rows = [row for one in evaluated.values() for row in one.answered.rows]
    assert Counter(row.rule for row in rows) == RULES
    assert Counter(row.rule for row in rows if row.correct) == RIGHT


def test_the_replies_split_into_characters_are_errors(evaluated):
    one = evaluated["gemini/dsp"]
    assert Counter(row.status for row in one.answered.rows)["error"] == 275
    assert {row.letter for row in one.answered.rows if row.status == "error"} == {None}


def test_replies_made_with_other_options_are_listed(evaluated):
    listed = {name: len(one.answered.mismatches) for name, one in evaluated.items()}
    assert set(listed.values()) == {0, 7, 21}
    assert listed["cogvlm/direct"] == 21
    assert [name for name, n in listed.items() if n == 0] == [
        "gpt4v/direct",
        "instruct-blip-7b/cot",
        "llava-13b/direct",
        "llava-7b/cot",
        "llava-7b/direct",
    ]


def test_records_without_options_need_the_samples(evaluated):
    path = RELEASED / "predictions" / "gemini" / "dsp.jsonl.gz"
    alone = evaluate(path, "m3cot", extractors=("paper",))
    assert [row.key for row in alone.quarantine] == ["social-commonsense-1627", "writing-strategies-355"]
    assert alone.answered.flow[2:7] == (2318, 0, 2316, 0, 2)
    assert evaluated["gemini/dsp"].answered.flow[2:7] == (2318, 0, 2318, 0, 0)
