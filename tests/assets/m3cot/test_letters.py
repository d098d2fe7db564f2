from collections import Counter

import pytest

from assets.m3cot.letters import balanced, names_letters
from assets.schema.sample import Part, Sample


def sample(number: int, *, answer: str = "A", rationale: str = "It is red.", **columns) -> Sample:
    columns = {"choices": ("red", "blue", "green", "grey"), "question": "Which colour?"} | columns
    return Sample(f"s-{number}", "m3cot", "math", str(number), "generated", answer=answer, **columns).with_text(
        rationale
    )


@pytest.mark.parametrize(
    "rationale",
    [
        "So option C is right.",
        "Therefore, the answer is (B).",
        "The correct choice is A.",
        "A and B are both red.",
        "Look.\nB. It is blue.",
        "Options A, B and C are wrong.",
    ],
)
def test_a_rationale_that_names_letters_is_seen(rationale: str) -> None:
    assert names_letters(sample(1, rationale=rationale))


@pytest.mark.parametrize(
    "rationale",
    ["Vitamin C helps.", "A person stands there.", "The answer is a magnet.", "Plan B failed.", "The choice of A man"],
)
def test_letters_that_name_no_option_leave_the_order_free(rationale: str) -> None:
    assert names_letters(sample(1, rationale=rationale)) is False


@pytest.mark.parametrize("choice", ["All of the above", "none of these", "Both A and B", "neither; the same"])
def test_an_option_about_the_others_keeps_its_place(choice: str) -> None:
    assert names_letters(sample(1, choices=("red", "blue", "green", choice))) is (choice != "neither; the same")


def test_letters_of_forty_samples_are_even() -> None:
    rows = balanced([sample(number) for number in range(40)], seed=1)
    assert Counter(row.answer for row in rows) == {"A": 10, "B": 10, "C": 10, "D": 10}


def test_the_right_option_stays_right_and_none_is_lost() -> None:
    for row in balanced([sample(number) for number in range(8)], seed=1):
        assert row.choices is not None and row.answer is not None
        assert row.choices["ABCD".index(row.answer)] == "red"
        assert [choice for choice in row.choices if choice != "red"] == ["blue", "green", "grey"]


def test_fixed_samples_are_counted_and_stay() -> None:
    fixed = [sample(number, rationale="So option A is right.") for number in range(10)]
    rows = balanced([*fixed, *(sample(number) for number in range(10, 40))], seed=1)
    assert rows[:10] == fixed
    assert Counter(row.answer for row in rows) == {"A": 10, "B": 10, "C": 10, "D": 10}


def test_pictures_of_options_go_with_them() -> None:
    rows = balanced([sample(number, choice_images=("r", "b", "g", "y")) for number in range(8)], seed=1)
    for row in rows:
        assert row.choices is not None and row.choice_images is not None
        assert [choice[0] for choice in row.choices if choice != "grey"] == [p for p in row.choice_images if p != "y"]


def test_numbers_of_options_are_balanced_apart() -> None:
    two = [sample(number, choices=("yes", "no")) for number in range(6)]
    rows = balanced([*two, *(sample(number) for number in range(6, 14))], seed=1)
    assert Counter(row.answer for row in rows[:6]) == {"A": 3, "B": 3}
    assert Counter(row.answer for row in rows[6:]) == {"A": 2, "B": 2, "C": 2, "D": 2}


def test_a_reordered_sample_says_so_and_a_dropped_one_is_left_alone() -> None:
    dropped = sample(1).drop("duplicate")
    rows = balanced([dropped, sample(2), sample(3), sample(4), sample(5)], seed=1)
    assert rows[0] == dropped
    assert {row.provenance for row in rows[1:] if row.answer != "A"} == {"generated > options reordered"}
    assert rows[1].rationale == (Part("text", "It is red.", None),)
