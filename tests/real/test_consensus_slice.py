"""Labels that the released predictions of M3CoT speak against, and what else an audit finds there."""

from collections import Counter

import pytest

from assets.analysis.audit.consensus import suspects
from assets.analysis.audit.items import items
from assets.analysis.audit.label_audit import findings
from assets.analysis.audit.votes import Asked, ballots
from assets.schema.tables import as_table
from assets.sources import jsonlines, m3cot_released
from tests.real.audited import RELEASED, SPLIT, audited

pytestmark = pytest.mark.skipif(not RELEASED.is_dir(), reason="the slice of released files is not here")


@pytest.fixture(scope="module")
def ballot():
    found = audited()
    evaluations = {name: Asked(name.split("/")[0], SPLIT) for name in found.answers}
    return ballots(found.answers, evaluations, {SPLIT: found.samples.items})


def test_the_one_label_that_is_known_to_be_wrong_is_among_the_first_ten_suspects(ballot):
    first = as_table("suspect", suspects(ballot, {SPLIT: {}})).to_pylist()[:10]
    row = next(row for row in first if row["sample_id"] == "social-commonsense-1274")
    assert (row["label"], row["consensus"]) == ("B", "A")
    assert (row["models"], row["agreement"], row["support"]) == (8, 7 / 8, 1 / 8)


def test_harder_samples_tell_less_and_few_are_below_nothing(ballot):
    rows = as_table("item", items(ballot)).to_pylist()
    assert len(rows) == 2318
    assert {row["evaluations"] for row in rows} == {24}
    known = [row for row in rows if row["discrimination"] is not None]
    assert len(known) == sum(0 < row["correct"] < 24 for row in rows)
    assert sum(row["discrimination"] < 0 for row in known) / len(known) < 0.15


def test_what_is_found_of_the_test_split():
    path = RELEASED / "test_items.jsonl.gz"
    samples = {SPLIT[:2]: list(m3cot_released.samples(jsonlines.read(path), file=path.name))}
    replies = audited().replies
    rows = list(findings(samples, replies, dict.fromkeys(replies, SPLIT)))
    n = Counter(row["finding"] for row in rows)
    assert (n["options_equal"], n["options_nested"]) == (19, 78)
    assert n["prompt_options_differ"] == 34
    seen = next(row for row in rows if row["sample_id"] == "physical-commonsense-1342")
    assert (seen["finding"], seen["evaluation"]) == ("prompt_options_differ", None)
    assert "; 24 evaluations: " in seen["detail"]
