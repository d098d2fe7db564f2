"""A night without Dagster: asking, scores, changes and what the checks say. Values are worked out by hand."""

import pytest

from assets.nightly import nights, verdicts
from assets.schema.faults import Fault
from assets.schema.tables import as_table
from tests.assets.nightly.night_tables import RELEASED, Book, live, predictions, samples

UNREACHABLE = "evaluation alpha: all 20 dialogues failed, most often with 'connection refused'"


def test_a_night_asks_each_live_evaluation_under_its_own_asking() -> None:
    asked = []

    def ask(name: str, under: str) -> nights.Replies:
        asked.append((name, under))
        return nights.Replies(predictions(name, 3), {"tokens_in": 200})

    made = nights.night("2026-11-30", "night-2026-11-30", [live("alpha"), live("beta")], ask)
    assert asked == [("alpha", "night-2026-11-30"), ("beta", "night-2026-11-30")]
    assert made.predictions.num_rows == 40
    assert made.facts["beta"] == {"tokens_in": 200}
    assert [(row.evaluation, row.good, row.statuses) for row in made.asked] == [
        ("alpha", True, {"ok": 20}),
        ("beta", True, {"ok": 20}),
    ]


@pytest.mark.parametrize("error", [Fault(UNREACHABLE), RuntimeError("CUDA error: out of memory")])
def test_an_evaluation_that_cannot_be_asked_has_a_reason_and_no_rows_and_the_others_are_asked(error: Exception) -> None:
    def ask(name: str, under: str) -> nights.Replies:
        if name == "alpha":
            raise error
        return nights.Replies(predictions(name, 16), {})

    made = nights.night("2026-11-30", "night-2026-11-30", [live("alpha"), live("beta")], ask)
    alpha, beta = made.asked
    assert not alpha.good and str(error) in (alpha.reason or "") and alpha.statuses == {}
    assert beta.good and beta.reason is None
    assert set(made.predictions["evaluation"].to_pylist()) == {"beta"}
    kept = nights.asked_rows(as_table("asked", made.asked))
    assert kept == made.asked
    answers = nights.answers(made.predictions, kept, {RELEASED: samples()})
    scored = nights.scores(answers, kept, {RELEASED: samples()}, ["released"], 0.95)
    assert {row.evaluation for row in scored} == {"beta"}
    [total] = [row for row in scored if (row.extractor, row.scope) == ("strict", "total")]
    assert (total.n, total.correct, total.accuracy) == (20, 16, 0.8)
    verdict = verdicts.was_asked(kept)
    assert not verdict.passed
    assert verdict.sentences[0].startswith("alpha: not asked to the end: ")


def test_where_nobody_can_be_asked_there_are_tables_without_rows_and_nothing_passes() -> None:
    book = Book()
    assert book.night("2026-11-30", {"alpha": UNREACHABLE, "beta": UNREACHABLE}) == []
    assert (book.answers["2026-11-30"].num_rows, book.scores["2026-11-30"].num_rows) == (0, 0)
    assert book.verdict("2026-11-30") == (
        False,
        ("no live evaluation was asked to the end, so nothing can be compared",),
    )


def test_a_model_that_replies_nothing_is_not_good() -> None:
    made = nights.night(
        "2026-11-30", "night-2026-11-30", [live("alpha")], lambda *_: nights.Replies(predictions("alpha", 0, []), {})
    )
    assert [(row.good, row.reason) for row in made.asked] == [(False, "nothing was asked, and nothing replied")]


def test_a_night_in_which_nothing_is_live_says_how_to_mark_one() -> None:
    with pytest.raises(Fault, match=r"set `live: true` under evaluations\.NAME"):
        nights.night("2026-11-30", "night-2026-11-30", [], lambda *_: pytest.fail("somebody was asked"))


def test_a_reason_holds_no_key() -> None:
    def ask(name: str, under: str) -> nights.Replies:
        raise ValueError("Illegal header value b'Bearer sk-PLANTED1234\\n'")

    [row] = nights.night("2026-11-30", "night-2026-11-30", [live("alpha")], ask).asked
    assert row.reason is not None
    assert "PLANTED" not in row.reason
    assert "Illegal header value" in row.reason


def test_the_first_night_has_nothing_to_compare_with_and_passes() -> None:
    book = Book()
    assert book.night("2026-11-29", {"alpha": 16}) == []
    assert book.verdict("2026-11-29") == (True, ("alpha: first night, nothing to compare it with",))


def test_a_change_is_the_paired_difference_with_its_exact_p() -> None:
    book = Book()
    book.night("2026-11-29", {"alpha": 16})
    [change] = book.night("2026-11-30", {"alpha": 8})
    # 8 samples were right before only and none now only: p = 2 * 2^-8
    counts = (change.n, change.both, change.only_now, change.only_before, change.neither)
    assert counts == (20, 8, 0, 8, 4)
    assert (change.difference, change.p, change.p_adjusted) == (-0.4, 0.0078125, 0.0078125)
    assert change.low is not None and change.high is not None
    assert change.low < -0.4 < change.high < 0
    verdict = book.verdict("2026-11-30")
    assert not verdict.passed
    assert "alpha: -40.00 points" in verdict.sentences[0]
    assert "from 2026-11-29 to 2026-11-30, p 0.00781 (0.00781 corrected), n 20: moved" in verdict.sentences[0]


def test_the_correction_counts_the_evaluations_of_the_night() -> None:
    book = Book()
    book.night("2026-11-29", {"alpha": 16, "beta": 16, "gamma": 10})
    changes = book.night("2026-11-30", {"alpha": 9, "beta": 10, "gamma": 10})
    # 7 and 6 discordant samples, all one way, and none: 2 * 2^-7, 2 * 2^-6 and 1; times 3, 2 and 1
    assert [change.p for change in changes] == [0.015625, 0.03125, 1.0]
    assert [change.p_adjusted for change in changes] == [0.046875, 0.0625, 1.0]
    verdict = book.verdict("2026-11-30")
    assert not verdict.passed
    assert [sentence.rpartition(": ")[2] for sentence in verdict.sentences] == [
        "moved",
        "not more than chance",
        "not more than chance",
    ]
    # Without the correction this one would be an alarm too.
    assert book.verdict("2026-11-30", level=0.04).passed


@pytest.mark.parametrize(
    ("values", "corrected"),
    [
        ({}, {}),
        ({"a": 0.03}, {"a": 0.03}),
        ({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}, {"d": 0.02, "a": 0.03, "c": 0.06, "b": 0.06}),
        ({"a": 0.9, "b": 0.8}, {"a": 1.0, "b": 1.0}),
    ],
)
def test_holm_as_worked_out_by_hand(values: dict[str, float], corrected: dict[str, float]) -> None:
    assert nights.holm(values) == pytest.approx(corrected)


def test_a_night_is_compared_with_the_last_good_one_of_the_same_evaluation() -> None:
    book = Book()
    book.night("2026-11-27", {"alpha": 20, "beta": 20})
    book.night("2026-11-28", {"alpha": 16, "beta": UNREACHABLE})
    book.night("2026-11-29", {"alpha": UNREACHABLE, "beta": UNREACHABLE})
    # The clock says nothing: a later night, which is there already, is no night before.
    book.night("2026-12-01", {"alpha": 0, "beta": 0})
    changes = book.night("2026-11-30", {"alpha": 16, "beta": 16, "gamma": 16})
    assert [(change.evaluation, change.compared_with) for change in changes] == [
        ("alpha", "2026-11-28"),
        ("beta", "2026-11-27"),
    ]
    assert book.verdict("2026-11-30").sentences[-1] == "gamma: first night, nothing to compare it with"


def test_settings_that_changed_in_between_are_said() -> None:
    book = Book()
    book.night("2026-11-29", {"alpha": 16}, settings="before")
    [change] = book.night("2026-11-30", {"alpha": 8}, settings="after")
    assert not change.same_settings
    assert book.verdict("2026-11-30").sentences[0].endswith("its settings in params.yaml are not those of then")


def test_only_what_decides_the_replies_is_in_the_digest_of_the_settings() -> None:
    said = {"model": "m", "strategy": "cot", "live": True, "asking": "first"}
    model = {"kind": "openai", "model": "x"}
    digest = nights.settings_digest(said, model)
    assert digest == nights.settings_digest(said | {"live": False, "asking": "night-2026-11-30"}, model)
    assert digest != nights.settings_digest(said | {"strategy": "direct"}, model)
    assert digest != nights.settings_digest(said, model | {"model": "y"})
    planner = {"kind": "text", "model": "p"}
    assert len({digest, *(nights.settings_digest(said, model, planner | {"model": name}) for name in "pq")}) == 3


def test_a_night_that_is_asked_again_has_another_asking() -> None:
    assert [nights.asking_of("2026-11-30", attempt) for attempt in (1, 2, 11)] == [
        "night-2026-11-30",
        "night-2026-11-30-2",
        "night-2026-11-30-11",
    ]
    for attempt in (1, 2, 11):
        assert nights.attempt_of(nights.asking_of("2026-11-30", attempt)) == attempt
    with pytest.raises(Fault, match="attempt 0"):
        nights.asking_of("2026-11-30", 0)


def failing(evaluation: str, right: int, failed: int, status: str = "error") -> nights.Replies:
    """Replies of which so many are right, and the last ones did not come."""
    rows = predictions(evaluation, right).to_pylist()
    for row in rows[len(rows) - failed :]:
        row |= {"status": status, "turns": [*row["turns"][:1], {"role": "assistant", "parts": []}]}
    return nights.Replies(as_table("prediction", rows), {})


def test_an_outage_is_no_change_of_the_model() -> None:
    """Ten of twenty replies failed: on the ten that came both nights agree, and the check says what was left out."""
    book = Book()
    book.night("2026-11-29", {"alpha": 20})
    made = nights.night("2026-11-30", "night-2026-11-30", [live("alpha")], lambda name, _: failing(name, 20, failed=10))
    book.asked["2026-11-30"] = as_table("asked", made.asked)
    book.answers["2026-11-30"] = nights.answers(made.predictions, made.asked, {RELEASED: samples()})
    found = nights.changes("2026-11-30", book.answers, book.asked, ["released"], 0.95)
    [change] = nights.headline(found, "released")
    assert (change.n, change.left_out, change.difference, change.p) == (10, 10, 0.0, 1.0)
    said = verdicts.is_unchanged([change], made.asked, 0.05)
    assert said.passed
    assert said.sentences[0].endswith("n 10: not more than chance; 10 left out whose reply failed")
    assert verdicts.was_asked(made.asked).sentences == ("alpha: 10 error, 10 ok",)


@pytest.mark.parametrize("status", ["filtered", "empty", "error"])
def test_a_night_in_which_no_reply_came_is_not_good(status: str) -> None:
    def ask(name: str, under: str) -> nights.Replies:
        return failing(name, 0, failed=20, status=status)

    made = nights.night("2026-11-30", "night-2026-11-30", [live("alpha")], ask)
    assert [(row.good, row.reason) for row in made.asked] == [
        (False, f"none of 20 dialogues got a reply (20 {status})")
    ]
    assert made.predictions.num_rows == 0


def test_a_night_that_goes_on_keeps_what_is_not_live_any_more() -> None:
    first = nights.night(
        "2026-11-30",
        "night-2026-11-30",
        [live("alpha"), live("beta")],
        lambda name, _: nights.Replies(predictions(name, 3), {}),
    )
    then = nights.night(
        "2026-11-30",
        "night-2026-11-30",
        [live("beta")],
        lambda name, _: nights.Replies(predictions(name, 4), {}),
        first,
    )
    assert [(row.evaluation, row.good) for row in then.asked] == [("beta", True), ("alpha", True)]
    assert then.predictions["evaluation"].to_pylist() == ["beta"] * 20 + ["alpha"] * 20


def test_a_good_night_is_not_lost_to_one_that_cannot_be_asked_again() -> None:
    first = nights.night(
        "2026-11-30", "night-2026-11-30", [live("alpha")], lambda name, _: nights.Replies(predictions(name, 3), {})
    )

    def unreachable(name: str, under: str) -> nights.Replies:
        raise Fault(UNREACHABLE)

    again = nights.night("2026-11-30", "night-2026-11-30-2", [live("alpha")], unreachable, first)
    [row] = again.asked
    assert (row.good, row.asking, row.reason) == (True, "night-2026-11-30", UNREACHABLE)
    assert again.predictions.equals(first.predictions)
    said = verdicts.was_asked(again.asked)
    assert not said.passed
    assert said.sentences == (f"alpha: not asked again: {UNREACHABLE}; its replies as night-2026-11-30 stay",)
