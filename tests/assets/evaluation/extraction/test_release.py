"""Both extractors on the 55,632 released M3CoT replies; skipped where the release is not beside the repository."""

import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from assets.evaluation.extraction import paper, strict
from assets.evaluation.extraction.options import item_of

SHARED = Path(__file__).resolve().parents[4] / ".." / "shared"
PREDICTIONS = SHARED / "data" / "m3cot_released" / "predictions"
TABLE = SHARED / "spec" / "paper_tables" / "m3cot_zero_shot.csv"

pytestmark = pytest.mark.skipif(not PREDICTIONS.is_dir(), reason="../shared/data/m3cot_released is not here")

# Accuracy of `paper` with the labels as released, in percent.
GOLDEN = {
    "gpt4v/direct": "56.90",
    "gemini/direct": "45.13",
    "gemini/cot": "47.45",
    "gemini/dsp": "41.80",
    "cogvlm/direct": "37.14",
    "cogvlm/cot": "38.87",
    "cogvlm/dsp": "35.03",
    "llava-13b/direct": "27.05",
    "llava-13b/cot": "39.47",
    "llava-13b/ccot": "36.50",
    "llava-13b/dsp": "35.94",
    "llava-7b/direct": "36.58",
    "llava-7b/cot": "35.76",
    "llava-7b/ccot": "35.68",
    "llava-7b/dsp": "34.38",
    "instruct-blip-13b/direct": "35.89",
    "instruct-blip-13b/cot": "36.02",
    "instruct-blip-13b/dsp": "29.21",
    "instruct-blip-7b/direct": "36.07",
    "instruct-blip-7b/cot": "35.72",
    "kosmos-2/direct": "23.17",
    "kosmos-2/cot": "18.64",
    "kosmos-2/dsp": "0.04",
    "openflamingo/cot": "29.25",
}


class Row(NamedTuple):
    """One released reply: sample, its topic and recorded answer, the options it was given, the last message."""

    sample: str
    topic: str
    answer: str
    choices: list[str]
    reply: str


def _lines(path: Path) -> Iterator[dict[str, object]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@pytest.fixture(scope="module")
def release() -> dict[str, list[Row]]:
    """The rows of each file; two rows of gemini/dsp take options and answer from the test items."""
    items = {str(item["id"]): item for item in _lines(PREDICTIONS.parent / "test_items.jsonl.gz")}
    rows: dict[str, list[Row]] = {}
    for path in sorted(PREDICTIONS.glob("*/*.jsonl.gz")):
        rows[f"{path.parent.name}/{path.name.split('.')[0]}"] = [
            Row(
                str(line["id"]),
                str(items[str(line["id"])]["topic"]),
                str(items[str(line["id"])]["answer"]),
                list(line.get("choices") or items[str(line["id"])]["choices"]),  # type: ignore[call-overload]
                line["messages"][-1],  # type: ignore[index]
            )
            for line in _lines(path)
        ]
    return rows


def test_paper_reproduces_the_totals_of_all_24_files(release: dict[str, list[Row]]) -> None:
    totals = {
        name: f"{100 * sum(paper.extract(r.reply, r.choices).letter == r.answer for r in rows) / len(rows):.2f}"
        for name, rows in release.items()
    }
    assert totals == GOLDEN


def test_paper_decides_by_the_published_rules_in_the_published_counts(release: dict[str, list[Row]]) -> None:
    decided: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for rows in release.values():
        for row in rows:
            extraction = paper.extract(row.reply, row.choices)
            decided[extraction.rule] += 1
            right[extraction.rule] += extraction.letter == row.answer
    assert decided == {
        "parentheses": 42_393,
        "option_text": 2_066,
        "bare_capital": 6_266,
        "bare_lower": 595,
        "failed": 4_312,
    }
    assert +right == {"parentheses": 16_075, "option_text": 880, "bare_capital": 2_087, "bare_lower": 144}


@pytest.mark.skipif(not TABLE.is_file(), reason="../shared/spec/paper_tables is not here")
def test_published_table_holds_in_230_of_230_cells_with_the_one_label_as_scored(release: dict[str, list[Row]]) -> None:
    topics = {
        "language-science": "language-science",
        "natural-science": "natural-science",
        "social-science": "social-science",
        "physical-commonsense": "physical-commonsense",
        "social-commonsense": "social-commonsense",
        "temporal-commonsense": "temporal-commonsense",
        "algebra": "algebra",
        "geometry": "geometry",
        "theory": "theory",
    }
    with TABLE.open(encoding="utf-8", newline="") as lines:
        published = {
            f"{row['model']}/{row['strategy'].replace('desp-cot', 'dsp')}": row for row in csv.DictReader(lines)
        }
    cells = 0
    for name, rows in release.items():
        if name not in published:
            assert name == "openflamingo/cot"
            continue
        right: Counter[str] = Counter()
        count: Counter[str] = Counter()
        for row in rows:
            # The files record B; the published numbers were made with A.
            gold = "A" if row.sample == "social-commonsense-1274" else row.answer
            for column in (topics[row.topic], "total"):
                count[column] += 1
                right[column] += paper.extract(row.reply, row.choices).letter == gold
        for column in (*topics.values(), "total"):
            assert f"{100 * right[column] / count[column]:.2f}" == published[name][column], (name, column)
            cells += 1
    assert cells == 230


def test_strict_reads_the_one_letter_replies_that_paper_loses_to_an_end_token(release: dict[str, list[Row]]) -> None:
    rows = release["llava-13b/direct"]
    lost = [row for row in rows if row.reply.endswith("</s>") and len(row.reply.strip()) == 5]
    assert len(lost) == 455
    assert all(paper.extract(row.reply, row.choices).rule == "failed" for row in lost)
    assert all(strict.extract(row.reply, row.choices).letter for row in lost)
    right = sum(strict.extract(row.reply, row.choices).letter == row.answer for row in rows)
    # Paper 27.05, strict about 37.6: the published figure, below chance, is an artefact of a token.
    assert 37.0 < 100 * right / len(rows) < 38.2


def test_the_glance_says_what_the_rules_in_order_say(release: dict[str, list[Row]]) -> None:
    seen = 0
    for rows in release.values():
        for row in rows[::3]:
            item = item_of(row.choices)
            glance = strict._at_a_glance(row.reply, item, "ok")
            if glance is not None:
                seen += 1
                assert glance == strict._in_order(row.reply, item, "ok", "ok"), row
    assert seen > 11_000


def test_strict_never_leaves_the_item_and_its_span_names_letter_or_text(release: dict[str, list[Row]]) -> None:
    for rows in release.values():
        for row in rows[::5]:
            letter, rule, span, status, _ = strict.extract(row.reply, row.choices)
            if letter is None:
                assert status in {"none", "ambiguous", "refusal", "empty", "truncated"}
                continue
            assert letter in "ABCDE"[: len(row.choices)]
            assert span is not None
            said = row.reply[span[0] : span[1]].lower()
            text = row.choices["ABCDE".index(letter)].strip().rstrip(". ").lower()
            assert said == letter.lower() or text in said or said in text, (rule, row)
