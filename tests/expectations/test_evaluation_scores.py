"""Scores and baselines as they are made pass their suites, those of CoMT with ids that belong nowhere included."""

from typing import Any

import pytest

from assets.evaluation.answers import answers
from assets.evaluation.baselines import baselines
from assets.evaluation.rows import Item, Reply
from assets.evaluation.scores import scores
from assets.schema.tables import as_table

SCORES, BASELINES = "evaluation/scores", "evaluation/baselines"
DOMAINS = {"creation": "mathematics", "deletion": "commonsense", "update": "commonsense"}
ITEMS = {
    f"{task}-{n}": Item(f"{task}-{n}", ("w", "x", "y", "z"), "ABCD"[n % 4], domain, None, None, task)
    for task, domain in DOMAINS.items()
    for n in range(6)
}


def replies() -> list[Reply]:
    said = [(key, "B" if place % 3 else "A") for place, key in enumerate(ITEMS)]
    said += [("creation-0", "A"), ("nowhere", "B")]
    return [
        Reply(line, key, None, (letter,), f"ANSWER: ({letter})", "ok") for line, (key, letter) in enumerate(said, 1)
    ]


def test_scores_of_comt_pass_with_an_unknown_id_that_its_script_could_not_evaluate(failed: Any) -> None:
    found = answers(ITEMS, replies(), "comt", evaluation="mine")
    rows = scores(found.rows, ITEMS, evaluation="mine", benchmark="comt")
    [total] = [row for row in rows if (row.extractor, row.scope) == ("paper", "total")]
    assert (total.n, sum(row.n for row in rows if (row.extractor, row.scope) == ("paper", "task"))) == (20, 19)
    assert failed(SCORES, as_table("score", rows)) == set()


def test_what_is_lost_between_total_and_tasks_is_only_what_could_not_be_evaluated(failed: Any) -> None:
    found = answers(ITEMS, replies(), "comt", evaluation="mine", extractors=("paper",))
    rows = scores(found.rows, ITEMS, evaluation="mine", benchmark="comt")
    said = [row._replace(statuses={"none": 1, "ok": row.n - 1}) if row.scope == "total" else row for row in rows]
    assert failed(SCORES, as_table("score", said)) == {"parts_add_up_to_total"}


def test_baselines_pass_their_suite(failed: Any) -> None:
    found = baselines({("comt", "released", "test"): ITEMS, ("comt", "built", "validation"): {}}, level=0.95)
    assert {row.name for row in found if row.n == 0} == {"selection", "science"}
    assert failed(BASELINES, as_table("baseline", found)) == set()


def test_of_people_each_ones_reply_counts_and_of_a_model_one(
    failed: Any, good: Any, table_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two replies to one sample: of two people both count under either policy, of a model that is a fault."""
    row = good("evaluation/answers")[1]
    table = table_of("evaluation/answers", [row, row | {"line": 2}])
    assert failed("evaluation/answers", table) == {"strict_counts_a_sample_once"}
    monkeypatch.setattr("expectations.evaluation._of_people", lambda: [row["evaluation"]])
    assert failed("evaluation/answers", table) == set()
