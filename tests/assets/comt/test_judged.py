"""What judgements leave of CoMT's samples: questions completed, discards, two rechecks, and the three as one."""

from typing import Any

import pytest

from assets.annotation import AnnotationError, Edit, Judgement
from assets.comt import template
from assets.comt.judged import checked, quality, recheck
from assets.schema.sample import Sample

QUESTION = "AB = AC. How large is angle B?"
FULL = "AB = AC, and D lies on BC. How large is angle B?"


def sample(name: str, task: str = "creation", **more: Any) -> Sample:
    """A sample by the template: creation's one picture in the rationale, any other task's first in the question."""
    creation = task == "creation"
    made = template.filled(
        sample_id=name,
        source="geoqa",
        source_id=name,
        provenance="generated > made up",
        task=task,
        question=QUESTION if creation else "[IMAGE0] How many are there?",
        choices=("1", "2", "3", "4"),
        right=0,
        rationale="It is drawn. [IMAGE0] So it is 1." if creation else "One is masked. [IMAGE1] So it is 1.",
        images=("i",) if creation else ("i", "k"),
        annotations={},
    )
    return made._replace(**more)


def votes(name: str, stage: str, verdicts: str, round: int = 1) -> list[Judgement]:
    words = {"y": "yes", "n": "no", "a": "accept", "d": "discard"}
    return [
        Judgement(name, stage, round, f"ann-{place}", words[letter], None, None, None, "f")
        for place, letter in enumerate(verdicts)
    ]


def edit(name: str, *edits: Edit, annotator: str = "a", verdict: str = "accept") -> Judgement:
    return Judgement(name, "quality", 1, annotator, verdict, None, edits, None, "f")


def reasons(samples: list[Sample]) -> dict[str | None, str | None]:
    return {row.id: row.dropped for row in samples}


def test_an_edit_of_step_0_completes_the_question_and_keeps_the_old_one() -> None:
    row = sample("s")
    (found,) = quality([row], [edit("s", Edit(0, f" {FULL}\n"))], pending="hold").samples
    assert (found.question, found.before) == (FULL, QUESTION)
    assert found.provenance == "generated > made up > description completed by a"
    assert (found.rationale, found.images, found.dropped) == (row.rationale, row.images, None)
    assert template.fault(found) is None


@pytest.mark.parametrize("edits", [(), (Edit(0, QUESTION),)], ids=["no edits", "an edit that changes nothing"])
def test_a_question_that_nobody_changes_stays_as_it_is(edits: tuple[Edit, ...]) -> None:
    assert quality([sample("s")], [edit("s", *edits)], pending="hold").samples == [sample("s")]


def test_of_two_edits_the_later_counts() -> None:
    (found,) = quality([sample("s")], [edit("s", Edit(0, "Why?"), Edit(0, FULL))], pending="hold").samples
    assert found.question == FULL


REFUSED = {
    "another step": (Edit(1, "x"), "an edit names step 1: of CoMT's samples the question alone is edited, as step 0"),
    "no question": (Edit(0, " "), "the edit leaves no question: discard the sample, or write one"),
    "a picture in the question": (
        Edit(0, "[IMAGE0] How large is B?"),
        "the edited question breaks the template (its question shows a picture): mend it, or discard the sample",
    ),
    "a picture that is not there": (
        Edit(0, "How large is B in [IMAGE3]?"),
        "the edited question breaks the template ([IMAGE3] has no picture): mend it, or discard the sample",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_edit_that_cannot_be_made_is_said_with_its_sample(case: str) -> None:
    wrong, sentence = REFUSED[case]
    with pytest.raises(AnnotationError) as said:
        quality([sample("s")], [edit("s", wrong)], pending="hold")
    assert str(said.value) == f"quality of s: {sentence}"


def test_edits_of_whoever_discards_are_not_made() -> None:
    given = [
        edit("s", Edit(0, "One?"), annotator="a"),
        edit("s", Edit(0, FULL), annotator="b"),
        edit("s", Edit(3, "x"), annotator="c", verdict="discard"),
    ]
    (found,) = quality([sample("s")], given, pending="hold").samples
    assert (found.question, found.dropped) == (FULL, None)


def test_half_of_the_annotators_discard() -> None:
    samples = [sample("tie"), sample("most"), sample("few")]
    given = votes("tie", "quality", "ad") + votes("most", "quality", "add") + votes("few", "quality", "aad")
    gone = "discarded_by_annotator"
    outcome = quality(samples, given, pending="hold")
    assert reasons(outcome.samples) == {"tie": gone, "most": gone, "few": None}
    assert outcome[1:] == (0, 3, 0, None)


def test_creation_alone_waits_for_a_judgement_of_its_description() -> None:
    samples = [sample("c"), *(sample(task, task) for task in ("deletion", "update", "selection"))]
    held = quality(samples, [], pending="hold")
    assert reasons(held.samples) == {"c": "pending", "deletion": None, "update": None, "selection": None}
    assert held[1:] == (1, 0, 0, None)
    assert quality(samples, [], pending="accept") == (samples, 1, 0, 0, None)


def test_a_judgement_of_quality_on_another_task_is_unused_and_counted() -> None:
    samples = [sample("c"), sample("u", "update")]
    given = votes("c", "quality", "a") + votes("u", "quality", "dd") + votes("gone", "quality", "a")
    assert quality(samples, given, pending="hold") == (samples, 0, 1, 3, None)


def test_rows_dropped_before_pass_untouched() -> None:
    gone = sample("gone").drop("duplicate")
    given = votes("gone", "quality", "dd") + votes("gone", "recheck", "nn")
    assert quality([gone], given, pending="hold") == ([gone], 0, 0, 0, None)
    assert recheck([gone], given, pending="hold") == ([gone], 0, 0, 0, None)
    assert checked([gone], given, pending="hold") == ([gone], 0, 0, 0, None)


def rechecked(name: str, first: str, again: str = "") -> list[Judgement]:
    return votes(name, "recheck", first) + votes(name, "recheck", again, 2)


CHECKED = {
    "fine": (votes("fine", "quality", "a"), "yy", "yyn"),
    "discarded": (votes("discarded", "quality", "d"), "yy", "yy"),
    "first": (votes("first", "quality", "a"), "nny", "yy"),
    "second": (votes("second", "quality", "a"), "yy", "nn"),
    "undescribed": ([], "yy", "yy"),
    "undescribed-no": ([], "nn", ""),
    "open": (votes("open", "quality", "a"), "y", "yy"),
    "nothing": ([], "", ""),
}


def all_of_checked() -> tuple[list[Sample], list[Judgement]]:
    given = [row for name, (said, *both) in CHECKED.items() for row in (*said, *rechecked(name, *both))]
    samples = [*map(sample, CHECKED), sample("update", "update")]
    return samples, given + rechecked("update", "yy", "yy") + rechecked("gone", "y")


def test_checked_drops_by_quality_and_then_by_the_rechecks() -> None:
    samples, given = all_of_checked()
    outcome = checked(samples, given, pending="accept")
    assert reasons(outcome.samples) == {
        "fine": None,
        "discarded": "discarded_by_annotator",
        "first": "recheck_1_no",
        "second": "recheck_2_no",
        "undescribed": None,
        "undescribed-no": "recheck_1_no",
        "open": None,
        "nothing": None,
        "update": None,
    }
    # undescribed, open and nothing are without a decision, each counted once; the judgement of `gone` is unused.
    assert outcome[1:4] == (3, 6, 1)
    # Round 2 decided fine, second, undescribed, open (in that round) and update; it dropped second.
    assert outcome.second_discarded == 1 / 5


def test_checked_holds_back_what_any_of_the_three_leaves_open() -> None:
    samples, given = all_of_checked()
    outcome = checked(samples, given, pending="hold")
    held = {"undescribed": "pending", "undescribed-no": "pending", "open": "pending", "nothing": "pending"}
    assert reasons(outcome.samples) == {
        "fine": None,
        "discarded": "discarded_by_annotator",
        "first": "recheck_1_no",
        "second": "recheck_2_no",
        **held,
        "update": None,
    }
    assert outcome[1:4] == (4, 5, 1)


def test_checked_needs_as_many_as_it_is_told_and_keeps_the_edits() -> None:
    given = [edit("s", Edit(0, FULL)), *rechecked("s", "y", "y")]
    outcome = checked([sample("s")], given, pending="hold", needed=1)
    (found,) = outcome.samples
    assert (found.question, found.before, found.dropped, outcome.pending) == (FULL, QUESTION, None, 0)
    assert reasons(checked([sample("s")], given, pending="hold").samples) == {"s": "pending"}
