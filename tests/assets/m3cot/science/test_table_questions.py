import random
import re
from decimal import Decimal
from fractions import Fraction

import pytest

from assets.m3cot.science.table_questions import samples, wrong_options
from assets.schema.sample import Sample

SOLUTION = "Find the numbers in the table.\nTuesday: 110\nWednesday: 401\nNow add: 110 + 401 = 511.\n511 letters came."


def row(answer: str, *, rationale: str = SOLUTION, name: str = "tabmwp-1", question: str = "How many?") -> Sample:
    sample = Sample(name, "m3cot", "tabmwp", name[7:], "released", question=question, choices=(answer,), answer="A")
    return sample.with_text(rationale)


def number(option: str) -> Decimal:
    found = re.search(r"[\d,]+(?:\.\d+)?", option)
    assert found
    return Decimal(found[0].replace(",", "")) * (-1 if option[0] in "-\u2212" else 1)


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("511", r"[1-9]\d{2}"),
        ("511 fan letters", r"\d{3} fan letters"),
        ("$6,830", r"\$\d,\d{3}"),
        ("$1.58", r"\$\d{1,3}\.\d{2}"),
        ("$5 per year", r"\$\d+ per year"),
        ("40%", r"\d+%"),
        ("4.5", r"\d+\.\d"),
        ("0", r"\d+"),
    ],
    ids=["whole", "unit", "thousands", "money", "rate", "percent", "tenths", "zero"],
)
def test_wrong_numbers_keep_the_form_and_differ(answer: str, form: str) -> None:
    for seed in range(20):
        wrong = wrong_options(answer, "How many?", SOLUTION, random.Random(seed))
        assert wrong is not None
        assert len({number(option) for option in (answer, *wrong)}) == 4
        assert all(re.fullmatch(form, option) for option in wrong), wrong


def test_some_wrong_numbers_are_those_that_the_solution_works_with() -> None:
    taken = [wrong_options("511", "How many?", SOLUTION, random.Random(seed)) or [] for seed in range(20)]
    assert sum("110" in wrong or "401" in wrong for wrong in taken) > 10


def test_digits_are_swapped_and_ones_and_tens_are_off() -> None:
    once = {"25", "51", "53", "50", "54", "42", "62"}
    taken = [wrong_options("52", "", "", random.Random(seed)) or [] for seed in range(60)]
    assert once < {option for wrong in taken for option in wrong}
    assert sum(option in once for wrong in taken for option in wrong) > 40


def test_no_rank_among_four_numbers_gives_the_right_one_away() -> None:
    ranks = [0, 0, 0, 0]
    for seed in range(200):
        wrong = wrong_options("5,283", "", "", random.Random(seed)) or []
        ranks[sorted(map(number, ("5,283", *wrong))).index(Decimal(5283))] += 1
    assert min(ranks) > 25


def test_a_count_is_never_negative_and_a_rate_of_change_may_turn_its_sign() -> None:
    counts = [wrong_options("1", "How many?", "", random.Random(seed)) or [] for seed in range(20)]
    assert all(number(option) >= 0 for wrong in counts for option in wrong)
    rates = [wrong_options("7", "What was the rate of change?", "", random.Random(seed)) or [] for seed in range(20)]
    assert any("-7" in wrong for wrong in rates)


@pytest.mark.parametrize("minus", ["-", "\u2212"], ids=["hyphen", "minus"])
def test_a_negative_answer_keeps_its_sign_before_the_money(minus: str) -> None:
    wrong = wrong_options(f"{minus}$30 per year", "", "", random.Random(1))
    assert wrong is not None
    assert all(re.fullmatch(rf"{minus}\$\d+ per year", option) for option in wrong)


def test_wrong_fractions_are_in_lowest_terms_and_below_one() -> None:
    for seed in range(20):
        wrong = wrong_options("5/18", "", r"\frac{10}{36} of 36", random.Random(seed)) or []
        values = [Fraction(option) for option in wrong]
        assert len({Fraction(5, 18), *values}) == 4
        assert all(str(value) == option and value < 1 for value, option in zip(values, wrong, strict=True))


def test_times_and_names_come_from_the_solution() -> None:
    times = "Find 7:45 A.M. in the row. The bus leaves at 7:15 A.M., 8:00 A.M. and 9:30 A.M."
    assert sorted(wrong_options("7:45 A.M.", "", times, random.Random(1)) or []) == [
        "7:15 A.M.",
        "8:00 A.M.",
        "9:30 A.M.",
    ]
    names = "Look at the votes.\nAnna: 4\nTom: 3\nMaria: 2\nLee: 9"
    assert set(wrong_options("Lee", "", names, random.Random(1)) or []) == {"Anna", "Tom", "Maria"}


def test_what_has_no_three_wrong_options_is_dropped_and_every_row_comes_back() -> None:
    choice = row("5")._replace(id="tabmwp-2", choices=("yes", "no"), answer="B")
    gone = row("5").drop("missing_picture")
    rows = samples([row("511"), choice, row("Lee", rationale="Lee won."), gone], seed=1)
    assert [each.dropped for each in rows] == [None, None, "no_options", "missing_picture"]
    assert rows[1] == choice
    assert rows[0].choices is not None
    assert rows[0].choices["ABCD".index(rows[0].answer or "")] == "511"
    assert rows[0].provenance == "released > options by rules"
    assert rows[0].text == SOLUTION


def test_order_and_options_depend_on_the_seed_and_the_id_alone() -> None:
    one, again = samples([row("511")], seed=1), samples([row("5"), row("511")], seed=1)[1:]
    assert one == again
    assert {samples([row("511", name=f"tabmwp-{n}")], seed=1)[0].answer for n in range(30)} == set("ABCD")
