"""What judgements leave of the samples, stage by stage, and the audit's draw."""

from typing import Any

import pytest

from assets.annotation import AnnotationError, Edit, Judgement
from assets.m3cot.judged import audit, image_needed, multistep, quality, recheck
from assets.schema.sample import Sample
from assets.schema.tables import as_table

TEXT = "It is red. So it is hot."


def sample(name: str, text: str = TEXT, **more: Any) -> Sample:
    row = Sample(name, "m3cot", "scienceqa", name, "released", images=("i",))
    return row.with_text(text)._replace(**more)


def votes(sample: str, stage: str, verdicts: str, round: int = 1) -> list[Judgement]:
    words = {"y": "yes", "n": "no", "a": "accept", "d": "discard"}
    return [
        Judgement(sample, stage, round, f"ann-{place}", words[letter], None, None, None, "f")
        for place, letter in enumerate(verdicts)
    ]


def reasons(samples: list[Sample]) -> dict[str | None, str | None]:
    return {row.id: row.dropped for row in samples}


def test_a_picture_must_be_there_and_be_needed() -> None:
    samples = [
        sample("none", images=None),
        sample("empty", images=()),
        sample("options", images=None, choice_images=("c",)),
        sample("needed"),
        sample("not"),
        sample("split"),
    ]
    given = votes("needed", "image_needed", "yyn") + votes("not", "image_needed", "nny")
    given += votes("split", "image_needed", "yn") + votes("none", "image_needed", "yy")
    given += votes("gone", "image_needed", "yyy") + votes("split", "recheck", "yy")
    at_once = {"none": "no_image", "empty": "no_image", "options": "choice_images_only", "needed": None}
    accepted = image_needed(samples, given, pending="accept")
    assert reasons(accepted.samples) == {**at_once, "not": "image_not_needed", "split": None}
    assert accepted[1:] == (1, 2, 3, None)
    held = image_needed(samples, given, pending="hold")
    assert reasons(held.samples) == {**at_once, "not": "image_not_needed", "split": "pending"}
    assert held[1:] == (1, 2, 3, None)


def test_steps_are_counted_before_people_are_asked() -> None:
    samples = [sample("one", "It is red."), sample("two"), sample("not"), sample("none", "")]
    given = votes("one", "image_steps", "yy") + votes("two", "image_steps", "yy") + votes("not", "image_steps", "nn")
    outcome = multistep(samples, given, steps_profile="roscoe", pending="hold")
    assert reasons(outcome.samples) == {
        "one": "too_few_steps",
        "two": None,
        "not": "too_few_image_steps",
        "none": "too_few_steps",
    }
    assert outcome[1:4] == (0, 2, 0)
    three = multistep(samples, given, steps_profile="roscoe", least_steps=3, pending="hold")
    assert set(reasons(three.samples).values()) == {"too_few_steps"}


def test_rows_dropped_before_pass_untouched() -> None:
    gone = sample("gone", images=None).drop("earlier")
    given = votes("gone", "image_needed", "nn")
    assert image_needed([gone], given, pending="hold") == ([gone], 0, 0, 0, None)
    assert quality([gone], [], steps_profile="roscoe", pending="hold").samples == [gone]
    assert recheck([gone], [], pending="hold") == ([gone], 0, 0, 0, None)


def edit(name: str, annotator: str, *edits: Edit, verdict: str = "accept") -> Judgement:
    return Judgement(name, "quality", 1, annotator, verdict, None, edits, None, "f")


def test_an_edit_changes_the_text_and_keeps_the_old_one() -> None:
    row = sample("s", "It is red.  So it is hot.\n")
    (found,) = quality([row], [edit("s", "a", Edit(2, "Hence."))], steps_profile="roscoe", pending="hold").samples
    assert (found.text, found.before) == ("It is red.\nHence.", "It is red.  So it is hot.\n")
    assert found.provenance == "released > edited by annotator"


@pytest.mark.parametrize("edits", [(), (Edit(1, "It is red."),)], ids=["no edits", "an edit that changes nothing"])
def test_a_rationale_that_nobody_edits_keeps_its_text(edits: tuple[Edit, ...]) -> None:
    row = sample("s", "It is red.  So it is hot.\n")
    assert quality([row], [edit("s", "a", *edits)], steps_profile="roscoe", pending="hold").samples == [row]


def test_half_of_the_annotators_discard() -> None:
    samples = [sample("tie"), sample("most"), sample("few")]
    given = votes("tie", "quality", "ad") + votes("most", "quality", "add") + votes("few", "quality", "aad")
    outcome = quality(samples, given, steps_profile="roscoe", pending="hold")
    gone = "discarded_by_annotator"
    assert reasons(outcome.samples) == {"tie": gone, "most": gone, "few": None}


def test_the_last_who_accepts_edits() -> None:
    given = [
        edit("s", "a", Edit(1, "A.")),
        edit("s", "b", Edit(1, "B.")),
        edit("s", "c", Edit(1, "C."), verdict="discard"),
    ]
    (found,) = quality([sample("s")], given, steps_profile="roscoe", pending="hold").samples
    assert found.text == "B.\nSo it is hot."


def test_quality_that_nobody_judged_is_pending() -> None:
    samples = [sample("s")]
    assert quality(samples, [], steps_profile="roscoe", pending="accept") == (samples, 1, 0, 0, None)
    held = quality(samples, [], steps_profile="roscoe", pending="hold")
    assert (reasons(held.samples), held.pending) == ({"s": "pending"}, 1)


def test_an_edit_out_of_range_names_the_sample() -> None:
    with pytest.raises(AnnotationError, match="quality of s: an edit names step 4 of 2"):
        quality([sample("s")], [edit("s", "a", Edit(4, "x"))], steps_profile="roscoe", pending="hold")


def test_an_edit_of_a_question_is_none_of_m3cots() -> None:
    with pytest.raises(AnnotationError, match="quality of s: an edit names step 0 of 2"):
        quality([sample("s")], [edit("s", "a", Edit(0, "Why?"))], steps_profile="roscoe", pending="hold")


def rechecks() -> tuple[list[Sample], list[Judgement]]:
    turns = {
        "both": ("yy", "yy"),
        "first": ("nn", "yy"),
        "second": ("yy", "nn"),
        "open": ("yy", ""),
        "late": ("", "nn"),
    }
    given = [
        vote
        for name, verdicts in turns.items()
        for round, letters in enumerate(verdicts, 1)
        for vote in votes(name, "recheck", letters, round)
    ]
    return [sample(name) for name in turns], given


def test_both_rounds_must_agree() -> None:
    samples, given = rechecks()
    outcome = recheck(samples, given, pending="accept")
    assert reasons(outcome.samples) == {
        "both": None,
        "first": "recheck_1_no",
        "second": "recheck_2_no",
        "open": None,
        "late": "recheck_2_no",
    }
    # the second round decided both, second and late, and dropped two of them
    assert outcome[1:] == (1, 4, 0, 2 / 3)


def test_held_samples_do_not_reach_the_second_round() -> None:
    samples, given = rechecks()
    outcome = recheck(samples, given, pending="hold")
    assert reasons(outcome.samples) == {
        "both": None,
        "first": "recheck_1_no",
        "second": "recheck_2_no",
        "open": "pending",
        "late": "pending",
    }
    assert outcome[1:] == (2, 3, 0, 0.5)


def population() -> list[Sample]:
    topics = ["a"] * 11 + ["b"] * 6 + ["c"] * 3
    return [sample(f"s-{place:02}", topic=topic) for place, topic in enumerate(topics)]


def test_an_audit_draws_each_topic_in_proportion() -> None:
    # 4 of 20: a 2.2, b 1.2, c 0.6; the one left goes to the largest remainder, c
    drawn = audit(population(), [], seed=1).drawn
    topics = {row.id: row.topic for row in population()}
    assert sorted(str(topics[name]) for name in drawn) == ["a", "a", "b", "c"]


def test_an_audit_draws_the_same_whatever_the_order() -> None:
    rows = population()
    assert audit(rows, [], seed=1).drawn == audit(rows[::-1], [], seed=1).drawn
    assert audit(rows, [], seed=1).drawn != audit(rows, [], seed=2).drawn


def test_an_audit_counts_what_people_decided() -> None:
    samples = [*population(), sample("m-1", source="math"), sample("m-2", source="math", images=None)]
    drawn = audit(samples, [], fraction=0.5, seed=1).drawn
    assert len(drawn) == 11 and "m-1" in drawn
    mine = [name for name in drawn if name != "m-1"]
    given = votes(mine[0], "audit", "yyn") + votes(mine[1], "audit", "nn") + votes(mine[2], "audit", "yn")
    rows = audit(samples, given, fraction=0.5, seed=1).rows
    assert [(row.source, *row[1:6], row.published) for row in rows] == [
        ("math", 1, 1, 0, 0, None, None),
        ("scienceqa", 20, 10, 2, 1, 0.5, 0.08),
        ("all", 21, 11, 2, 1, 0.5, None),
    ]
    # Wilson's interval of 1 of 2
    assert [round(bound or 0, 4) for bound in rows[1][6:8]] == [0.0945, 0.9055]
    assert as_table("audit", rows).num_rows == 3


def test_an_audit_of_nothing_says_so() -> None:
    assert audit([], [], seed=1) == ((), [("all", 0, 0, 0, 0, None, None, None, None)])
