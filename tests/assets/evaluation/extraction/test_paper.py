"""The published extractor, held to cases worked out by hand from its rules."""

import pytest

from assets.evaluation.extraction.paper import extract, gold_letter

CHOICES = ["a brass kettle", "a kettle", "a blue lamp", "none of the above"]


@pytest.mark.parametrize(
    ("text", "letter", "rule", "span"),
    [
        ("(b)", "B", "parentheses", (0, 3)),
        ("unlike (A) it is (C)", "C", "parentheses", (17, 20)),
        ("The person(s) in the room", "S", "parentheses", (10, 13)),
        ("(C) is right, (z) is odd", "Z", "parentheses", (14, 17)),
        ("(a)(b)", "B", "parentheses", (3, 6)),
        ("It IS A BLUE LAMP", "C", "option_text", (6, 17)),
        ("a blue lamp, not a brass kettle", "C", "option_text", (0, 11)),
        ("C\nbecause", "C", "bare_capital", (0, 1)),
        ("A person stands", "A", "bare_capital", (0, 1)),
        ("C, then A!", "C", "bare_capital", (0, 1)),
        ("there is a cup", "A", "bare_lower", (9, 10)),
        ("pick b.", "B", "bare_lower", (5, 6)),
        ("(B.) [B] \uff08B\uff09", None, "failed", None),
        ("( B )", "B", "bare_capital", (2, 3)),
        ("", None, "failed", None),
        ("E", None, "failed", None),
    ],
)
def test_m3cot_rules_in_order(text: str, letter: str | None, rule: str, span: tuple[int, int] | None) -> None:
    extraction = extract(text, CHOICES)
    assert extraction[:3] == (letter, rule, span)
    assert extraction.status == ("ok" if letter else "none")


@pytest.mark.parametrize("text", ["C\r", "C:", "**C**", "C;", "C)", "\tC", "C]", '"C"', "C\u3002", "C\r\n", "C*"])
def test_what_the_script_does_not_strip_fails_a_bare_letter(text: str) -> None:
    assert extract(text, CHOICES)[:2] == (None, "failed")


@pytest.mark.parametrize("mark", ["\n", ".", ",", "!", "?", " "])
def test_what_the_script_turns_into_spaces_frees_a_bare_letter(mark: str) -> None:
    assert extract(f"so{mark}C{mark}then", CHOICES).letter == "C"


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("(A) [Answer] (B)", "B"),
        ("[Answer] (A) [Answer] (C)", "C"),
        ("[Answer] (B) [Rationale] (C)", "B"),
        ("[Answer] (B) [Context] (C)", "B"),
        ("[Answer] (B) [Question] (C)", "C"),
        ("[Answer] (B) [Choices] (D)", "D"),
        ("[answer] (B) [Rationale] (C)", "C"),
        ("[Rationale] (A) [Context] (C)", "C"),
        ("(A) [Answer]", None),
    ],
)
def test_marker_cuts_after_the_last_answer_and_before_rationale_and_context(text: str, letter: str | None) -> None:
    assert extract(text, CHOICES).letter == letter


def test_span_counts_from_the_start_of_the_raw_text_behind_the_marker() -> None:
    text = "(A) [Answer] so a blue lamp [Rationale] x"
    at, end = extract(text, CHOICES).span or (0, 0)
    assert text[at:end] == "a blue lamp"


def test_span_stays_right_when_lowering_lengthens_the_text() -> None:
    text = "\u0130\u0130 A BLUE LAMP"
    at, end = extract(text, CHOICES).span or (0, 0)
    assert text[at:end] == "A BLUE LAMP"


def test_option_text_takes_the_highest_index_not_the_last_in_the_text() -> None:
    assert extract("train", ["rain", "train"]).letter == "B"
    assert extract("a train", ["a train", "rain"]).letter == "B"
    assert extract("The result is 180", ["8", "18", "80", "180"]).candidates == ("A", "B", "C", "D")


def test_an_empty_option_always_matches() -> None:
    assert extract("nothing here", ["x!", ""])[:2] == ("B", "option_text")
    assert extract("[Answer]", ["x!", ""])[:2] == ("B", "option_text")


def test_option_text_is_not_normalised() -> None:
    assert extract("it is a  blue lamp", ["a blue lamp", "zz"]).rule == "bare_lower"


SEVEN = [f"option number {number}" for number in "1234567"]


@pytest.mark.parametrize(
    ("text", "choices", "rule"),
    [
        (None, CHOICES, "text_not_a_string"),
        (7, CHOICES, "text_not_a_string"),
        (["(A)"], CHOICES, "text_not_a_string"),
        (b"(A)", CHOICES, "text_not_a_string"),
        ("no letter", [1, 2], "option_not_a_string"),
        ("no letter", ["one", None], "option_not_a_string"),
        ("no letter", None, "choices_not_a_sequence"),
        ("it is option number 7", SEVEN, "option_past_letter_table"),
        ("A", SEVEN, "option_past_letter_table"),
        ("nothing", SEVEN, "option_past_letter_table"),
    ],
)
def test_where_the_script_raises_the_row_is_not_evaluable(text: object, choices: list[object], rule: str) -> None:
    assert extract(text, choices) == (None, rule, None, "not_evaluable", ())


def test_options_are_not_looked_at_when_parentheses_decide() -> None:
    assert extract("(G)", SEVEN).letter == "G"
    assert extract("(A)", [1, None]).letter == "A"


def test_seven_options_are_read_by_text_within_the_table() -> None:
    assert extract("it is option number 3", SEVEN).letter == "C"


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("xxx ANSWER: (A)", "A"),
        ("ANSWER: (B), not (D)", "D"),
        ("(C) [Answer] no cut (B)", "B"),
        ("(C) [Answer] ANSWER: (B) then ANSWER: none (c)", "C"),
        ("[Answer] (D) ANSWER: the kettle", None),
        ("[Answer] (D) answer: x", "D"),
        ("[Answer] ANSWER: (A) [Rationale] (B)", "B"),
    ],
)
def test_comt_marker_tests_for_one_token_and_cuts_at_another(text: str, letter: str | None) -> None:
    assert extract(text, ["red", "green", "white", "black"], "comt").letter == letter


def test_comt_options_may_be_numbers() -> None:
    assert extract("it is 18", [8, 18, 80, 180], "comt")[:2] == ("B", "option_text")


def test_comt_table_ends_at_four() -> None:
    five = ["red", "green", "white", "black", "pink"]
    assert extract("it is pink", five, "comt").rule == "option_past_letter_table"
    assert extract("A", five, "comt").rule == "option_past_letter_table"
    assert extract("it is red", five, "comt").letter == "A"


@pytest.mark.parametrize(
    ("answer", "letter"), [(0, "A"), (5, "F"), (True, "B"), (-1, "F"), ("B", "B"), (" b", " b"), (None, None)]
)
def test_gold_letter_turns_only_ints_into_letters(answer: object, letter: object) -> None:
    assert gold_letter(answer) == letter


def test_gold_letter_past_the_table_raises_as_the_script_does() -> None:
    with pytest.raises(IndexError):
        gold_letter(6)
    with pytest.raises(IndexError):
        gold_letter(4, "comt")


def test_an_unknown_benchmark_is_named() -> None:
    with pytest.raises(ValueError, match="mmmu"):
        extract("(A)", CHOICES, "mmmu")
