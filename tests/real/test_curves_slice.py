"""The released predictions of M3CoT compared: by steps, by status, in pairs, and beside every published table."""

import csv
import json
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from assets.analysis import paper_comparison, published_tables
from assets.analysis.curves import pairs, statuses, steps
from assets.analysis.entries import Entry
from assets.evaluation import differences, stored
from assets.evaluation.answers import answers
from assets.evaluation.replies_file import read_samples
from assets.evaluation.rows import Evaluation
from assets.evaluation.scores import scores
from assets.models import replay
from assets.schema.tables import as_table
from assets.schema.vocabulary import TOPICS
from assets.sources import jsonlines

RELEASED = Path(__file__).resolve().parents[3] / "shared" / "data" / "m3cot_released"
BOARD = Path(published_tables.__file__).parent / "published" / "m3cot_leaderboard.csv"
LABELS = ("released", "paper")

pytestmark = pytest.mark.skipif(not RELEASED.is_dir(), reason="the slice of released files is not here")


class Slice:
    """What the chain makes of the 24 files, up to the answers."""

    def __init__(self):
        items = read_samples(RELEASED / "test_items.jsonl.gz", "m3cot").items
        self.entries, self.predictions, found = [], {}, {}
        for path in sorted(RELEASED.glob("predictions/*/*.jsonl.gz")):
            model, strategy = path.parent.name, path.name.removesuffix(".jsonl.gz").replace("dsp", "desp-cot")
            name = f"{model}/{strategy}"
            self.entries.append(Entry(name, model, strategy, 0, "m3cot", "released", "test", model))
            rows = replay.rows(name, path.name, replay.replies(jsonlines.read(path, path.name)), "m3cot")
            self.predictions[name] = as_table("prediction", rows)
            found[name] = answers(items, stored.replies(self.predictions[name]), evaluation=name)
        self.answers = as_table("answer", stored.answer_rows(found))
        evaluations = {name: Evaluation("m3cot", "test", "replies.jsonl") for name in found}
        by_name = {name: one.rows for name, one in found.items()}
        ways = [(name, labels) for name in found for labels in LABELS]
        rows_of = (
            scores(by_name[name], items, evaluation=name, labels=labels, scopes=("topic", "total"))
            for name, labels in ways
        )
        self.scores = as_table("score", chain.from_iterable(rows_of))
        self.differences = as_table("difference", differences.pairs(by_name, evaluations, LABELS, 0.95))


@pytest.fixture(scope="module")
def made():
    return Slice()


@pytest.fixture(scope="module")
def by_steps(made):
    written = steps.Written(
        {("m3cot", "released"): {}}, {name: steps.replies(table) for name, table in made.predictions.items()}
    )
    return list(steps.accuracies(made.answers, made.entries, written, profile="roscoe", labels=LABELS, level=0.95))


def test_the_bins_of_every_curve_add_up_to_its_score(made, by_steps):
    parts = {name for name, _, _ in steps.PARTS}
    in_bins, in_parts = Counter(), Counter()
    for row in by_steps:
        into = in_parts if row["bin"] in parts else in_bins
        into[row["evaluation"], row["extractor"], row["labels"], "n"] += row["n"]
        into[row["evaluation"], row["extractor"], row["labels"], "correct"] += row["correct"]
    totals = {
        (row["evaluation"], row["extractor"], row["labels"], what): row[what]
        for row in made.scores.to_pylist()
        if row["scope"] == "total"
        for what in ("n", "correct")
    }
    assert in_bins == in_parts == totals
    assert {n for (*_, what), n in totals.items() if what == "n"} == {2318}


def test_longer_replies_of_gpt4v_are_less_often_right(by_steps):
    found = {
        row["bin"]: (row["n"], round(row["accuracy"], 2))
        for row in steps.curves(by_steps)
        if row["evaluation"] == "gpt4v/direct"
    }
    assert {name: n for name, (n, _) in found.items()} == {
        "1": 862,
        "2-3": 519,
        "4-5": 309,
        "6-7": 246,
        "8-9": 177,
        "10-11": 98,
        "12-14": 66,
        "15+": 41,
    }
    assert found["1"][1] > found["8-9"][1] > found["15+"][1]


def test_what_is_no_rationale_has_no_steps(by_steps):
    empty = {row["evaluation"]: row["n"] for row in steps.curves(by_steps) if row["bin"] == "0"}
    # texts split into characters, and markers of the harness
    assert (empty["gemini/desp-cot"], empty["gemini/cot"], empty["gemini/direct"]) == (275, 9, 27)


def test_the_statuses_of_every_file_add_up(made):
    rows = list(statuses.statuses(made.answers, made.entries, level=0.95))
    counted = Counter()
    for row in rows:
        counted[row["evaluation"], row["extractor"]] += row["n"]
    assert len(counted) == 48
    assert {*counted.values()} == {row["of"] for row in rows} == {2318}
    strict = Counter()
    for row in rows:
        strict[row["status"]] += row["n"] if row["extractor"] == "strict" else 0
    assert strict.total() == 55_632
    assert (strict["error"], strict["filtered"]) == (275, 36)


def test_gpt4v_is_better_than_each_of_the_others(made):
    found = list(pairs.pairs(made.differences, made.entries, level=0.95, power=0.8))
    assert len(found) == 24 * 23 / 2
    best = [row for row in found if "gpt4v/direct" in (row["a"], row["b"])]
    assert {row["a"] for row in best} == {"gpt4v/direct"}
    assert max(row["p_adjusted"] for row in best) < 0.001
    assert all((row["needed"] is None) == (row["difference"] == 0) for row in found)


def test_the_cells_of_the_paper_and_of_the_board_are_equal_with_the_labels_of_the_paper(made):
    counts = paper_comparison.counts(paper_comparison.compare(made.scores, made.entries))
    assert {name: (one["cells"], one["equal"]) for name, one in counts.items() if "/paper/" in name} == {
        f"{table}/paper/{labels}": (230, equal)
        for table in ("zero_shot", "leaderboard")
        for labels, equal in (("paper", 230), ("released", 190))
    }


def test_the_board_is_kept_as_it_was_published():
    names = ("Lang", "Natural", "Social", "Physical", "SocialC", "Temporal", "Algebra", "Geometry", "Theory", "Total")
    said = {"number": "#", "model": "Model", "prompt": "Prompt", "setting": "Setting"}
    said |= {"size": "Size", "backbone": "Backbone"}
    published = json.loads((RELEASED / "leaderboard.json").read_text(encoding="utf-8"))
    with BOARD.open(encoding="utf-8", newline="") as file:
        kept = list(csv.DictReader(file))
    assert [tuple(row[name] for name in said) for row in kept] == [
        tuple(row[name] for name in said.values()) for row in published
    ]
    for row, printed in zip(kept, published, strict=True):
        numbers = [printed[name] for name in names]
        assert [row[column] for column in (*TOPICS, "total")] == [str(number) for number in numbers]
