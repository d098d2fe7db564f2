"""Chains of reasoning that people judged: what becomes of records, good and bad, and of the generated ones."""

import json
from collections import Counter

import pytest

from assets.sources.generated.judged_chains import DESERVES, draw_judged_chains
from assets.sources.jsonlines import SourceError
from assets.sources.judged_chains import chains

QUESTION = "CONTEXT:\nQuestion: How many?\n\\Solution: 2 + 2 = <<2+2=4>>4\nA: 4"
CLAIM = (
    "CONTEXT:\nSituation (Premise): Ada sits. Who sits?\n\nClaim (Hypothesis): Ada\n\n"
    "Is the Claim supported by the Situation?\n\nCorrect Relationship (Yes or No): yes"
)
STEPS = "Step 1 - Two and two are four\nStep 2 - A: 4"
SOUND = {
    "Overall Quality": {"mean_human": 5, "majority_human": 5, "individual_human_scores": [5]},
    "Coherency": {"mean_human": 4, "majority_human": 4, "individual_human_scores": [4]},
    "Missing Steps": {"majority_human": "no", "individual_human_scores": ["no"]},
    "Contradiction": {"majority_human": "yes", "individual_human_scores": ["yes"]},
}

DESERVED = {
    tuple(float(value) if isinstance(value, int) else value == "yes" for value in one.values())
    for one in DESERVES.values()
}


def instance(chain_id=1, given=QUESTION, response=STEPS, annotations=SOUND):
    text = f"Read the CONTEXT.\n\n{given}\n\nGENERATED RESPONSE:\n{response}\nJudge the generated response:\n"
    return {"id": chain_id, "instance": text, "annotations": annotations}


def written(folder, *instances, name="roscoe-sums-overall.json"):
    (folder / name).write_text(json.dumps({"dataset": "x", "instances": list(instances)}), encoding="utf-8")
    return list(chains(folder, provenance="made for a test"))


def graded(*scores, mean=None):
    return SOUND | {"Overall Quality": {"mean_human": mean, "individual_human_scores": list(scores)}}


def voted(*votes, majority=None):
    return SOUND | {"Missing Steps": {"majority_human": majority, "individual_human_scores": list(votes)}}


def judgements(row):
    return row.overall, row.coherency, row.missing_steps, row.contradiction


def test_a_question_has_its_solution_as_reference_and_keeps_calculator_marks(tmp_path):
    (row,) = written(tmp_path, instance())
    assert (row.dataset, row.chain_id) == ("sums", "1")
    assert row.context == "How many?"
    assert row.reference == "2 + 2 = <<2+2=4>>4\nA: 4"
    assert row.steps == ("Two and two are four", "A: 4")
    assert (row.overall, row.coherency, row.missing_steps, row.contradiction) == (5.0, 4.0, False, True)
    assert row.dropped is None


def test_a_situation_is_joined_with_its_claim_and_has_no_reference(tmp_path):
    (row,) = written(tmp_path, instance(given=CLAIM))
    assert (row.context, row.reference) == ("Ada sits. Who sits? Ada", None)


def test_a_step_may_go_over_lines_and_a_blank_one_is_none(tmp_path):
    (row,) = written(tmp_path, instance(response="Step 1 -  first\nand on\nStep 2 - \nStep 3 - last"))
    assert row.steps == ("first\nand on", "last")


def test_a_blank_response_is_a_chain_without_steps(tmp_path):
    (row,) = written(tmp_path, instance(response=""))
    assert (row.steps, row.dropped) == ((), None)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("text", "not_an_object"),
        (instance(chain_id=None), "no_id"),
        (instance(chain_id=True), "no_id"),
        (instance(chain_id=" "), "no_id"),
        ({"id": 1, "instance": 5, "annotations": SOUND}, "not_text"),
        (instance(response="Step 1 - " + "a" * 100_000), "problem_too_long"),
        (instance(given="Question: no context"), "no_question"),
        (instance(given="CONTEXT:\nQuestion: no solution"), "no_question"),
        (instance(given=CLAIM.replace("Claim (", "Claims (")), "no_question"),
        (instance(response="No step."), "no_solution"),
        (instance(response="Well.\nStep 1 - no"), "no_solution"),
        ({"id": 1, "instance": QUESTION, "annotations": SOUND}, "no_solution"),
        (instance(annotations=None), "no_answer"),
        (instance(annotations={}), "no_answer"),
        (instance(annotations=graded(6)), "bad_label"),
        (instance(annotations=graded(True)), "bad_label"),
        (instance(annotations=graded("5")), "bad_label"),
        (instance(annotations=voted("maybe")), "bad_label"),
        (instance(annotations=voted(["no"])), "bad_label"),
        (instance(annotations=SOUND | {"Coherency": [5]}), "bad_label"),
        (instance(annotations=graded(4, 5, mean=5)), "disagrees"),
        (instance(annotations=voted("no", majority="yes")), "disagrees"),
    ],
)
def test_a_record_that_cannot_be_used_is_a_row_with_its_reason(tmp_path, broken, reason):
    bad, good = written(tmp_path, broken, instance(chain_id=2))
    assert (bad.dropped, bad.quarantined[0]) == (reason, "roscoe-sums-overall.json")
    assert (bad.steps, bad.overall) == (None, None)
    assert good.dropped is None


def test_the_second_chain_of_an_id_is_set_aside_and_datasets_have_their_own_ids(tmp_path):
    written(tmp_path, instance(), name="roscoe-claims-overall.json")
    rows = written(tmp_path, instance(), instance())
    assert [(row.dataset, row.dropped) for row in rows] == [("claims", None), ("sums", None), ("sums", "duplicate_id")]


def test_several_annotators_give_a_mean_and_a_majority_or_none_when_even(tmp_path):
    mean, most, even = written(
        tmp_path,
        instance(1, annotations=graded(4, 5, 5, mean=4.67)),
        instance(2, annotations=voted("yes", "no", "yes", majority="yes")),
        instance(3, annotations=voted("yes", "no", majority="yes")),
    )
    assert mean.overall == pytest.approx(14 / 3)
    assert (most.missing_steps, even.missing_steps, even.dropped) == (True, None, None)


def test_a_question_that_nobody_was_asked_stays_open(tmp_path):
    (row,) = written(tmp_path, instance(annotations={"Coherency": SOUND["Coherency"]}))
    assert (row.overall, row.coherency, row.contradiction, row.dropped) == (None, 4.0, None, None)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty_file"),
        (b'{"instances": [', "truncated_json"),
        (b'{"instances": [NaN]}', "not_a_number"),
        (b'{"instances": 1}', "not_an_object"),
        (b"[]", "not_an_object"),
        (b'{"instances": ["\xff"]}', "not_utf8"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_row_and_the_others_are_read(tmp_path, content, reason):
    (tmp_path / "roscoe-broken-overall.json").write_bytes(content)
    broken, good = written(tmp_path, instance())
    assert (broken.dataset, broken.chain_id, broken.dropped) == ("broken", "", reason)
    assert good.dropped is None


def test_a_link_that_leads_out_is_not_followed(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    written(tmp_path, instance(), name="roscoe-other-overall.json")
    (inside / "roscoe-other-overall.json").symlink_to(tmp_path / "roscoe-other-overall.json")
    assert [row.dropped for row in written(inside, instance())] == ["path_outside", None]


def test_other_files_are_not_opened(tmp_path):
    (tmp_path / "roscoe-sums-stepwise.json").write_text("{")
    (tmp_path / "README.md").write_text("ROSCOE")
    (row,) = written(tmp_path, instance())
    assert row.dropped is None


def test_a_folder_without_a_file_of_judgements_says_which_setting_names_it(tmp_path):
    with pytest.raises(SourceError, match=r"sources\.judged_chains\.folder"):
        list(chains(tmp_path / "nowhere", provenance="released"))
    with pytest.raises(SourceError, match=r"holds no roscoe-<dataset>-overall\.json"):
        list(chains(tmp_path, provenance="released"))
    (tmp_path / "roscoe-sums-overall.json").write_text("{")
    with pytest.raises(SourceError, match="holds no readable judgement"):
        list(chains(tmp_path, provenance="released"))


def test_the_generated_chains_are_read_with_what_was_planted_in_them(tmp_path):
    draw_judged_chains(tmp_path, seed=7, count=24, error=0.0)
    rows = list(chains(tmp_path, provenance="generated"))
    assert Counter(row.dataset for row in rows) == {"claims": 12, "sums": 12}
    assert Counter(row.dropped for row in rows) == {None: 23, "bad_label": 1}
    assert [(row.dataset, row.chain_id) for row in rows if row.steps == ()] == [("claims", "7")]
    kept = [row for row in rows if row.dropped is None]
    assert all((row.reference is None) == (row.dataset == "claims") for row in kept)
    assert {judgements(row) for row in kept} == DESERVED
    for row in kept:
        if row.overall == DESERVES["missing"]["Overall Quality"]:
            assert len(row.steps) == 2
        if row.contradiction:
            assert len(row.steps) == 4


def test_a_simulated_person_errs_at_their_rate(tmp_path):
    draw_judged_chains(tmp_path, seed=7, count=400, error=0.2)
    rows = [row for row in chains(tmp_path, provenance="generated") if row.dropped is None]
    told = Counter(judgements(row) in DESERVED for row in rows)
    assert 0.3 < told[True] / len(rows) < 0.55


def test_the_same_seed_gives_the_same_bytes_and_says_that_it_is_generated(tmp_path):
    for name in ("a", "b", "c"):
        draw_judged_chains(tmp_path / name, seed=3 if name == "c" else 7, count=14)
    files = [sorted((tmp_path / name).iterdir()) for name in ("a", "b", "c")]
    a, b, c = ([file.read_bytes() for file in each] for each in files)
    assert a == b != c
    assert all(b"generated" in content and b"simulated" in content for content in a)


def test_too_few_chains_and_an_impossible_rate_are_refused(tmp_path):
    with pytest.raises(ValueError, match="13 cannot hold every fault"):
        draw_judged_chains(tmp_path, seed=1, count=13)
    with pytest.raises(ValueError, match="from 0 to 1"):
        draw_judged_chains(tmp_path, seed=1, count=14, error=2)
