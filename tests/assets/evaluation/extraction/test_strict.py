"""The strict extractor: a test for each sentence of its grammar."""

import pytest

from assets.evaluation.extraction.strict import extract

CHOICES = ["a brass kettle", "a kettle", "a blue lamp", "none of the above"]
SIGNED = ["2", "-2", "3"]
NUMBERS = ["8", "18", "80", "180"]
WORDS = ["Rain", "Train", "Brain", "Drain"]
GENES = ["EE", "ee", "Ee"]
TALKATIVE = ["option B in the image", "option A in the image", "the answer is C", "all options are correct"]
ANIMALS = ["猫", "狗", "鸟"]
NINE = [f"thing {number}" for number in range(1, 10)]


def read(text: str | None, choices: list[str] | None = None) -> str:
    """The letter, or why there is none."""
    extraction = extract(text, choices or CHOICES)
    return extraction.letter or extraction.status


@pytest.mark.parametrize("status", ["error", "filtered", "empty", "tool_error", "plan_error"])
def test_a_status_without_an_answer_comes_first(status: str) -> None:
    assert extract("Answer: B", CHOICES, status) == (None, "status", None, status, ())


@pytest.mark.parametrize("text", [None, "", "  \n\t", "</s>", "<|im_end|>\n", "<think>B</think>"])
def test_nothing_to_read_is_empty(text: str | None) -> None:
    assert read(text) == "empty"


def test_a_truncated_reply_keeps_its_status() -> None:
    assert extract("Answer: B", CHOICES, "truncated")[::3] == ("B", "truncated")
    assert extract("I wonder", CHOICES, "truncated")[::3] == (None, "truncated")


@pytest.mark.parametrize("choices", [[], ["one"], ["x"] * 27])
def test_an_item_with_other_than_2_to_26_options_is_not_evaluable(choices: list[str]) -> None:
    assert extract("A", choices).status == "not_evaluable"


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, I can't help with that image.",
        "Sorry, I cannot view pictures.",
        "I am unable to determine the colour.",
        "It is not possible to identify the object.",
        "As an AI, I can't see images.",
        "抱歉，我无法查看图片。",
    ],
)
def test_a_refusal_without_an_answer_is_one(text: str) -> None:
    assert read(text) == "refusal"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm sorry, I cannot see it well. The answer is C.", "C"),
        ("Sorry, I can't identify it, but it must be a blue lamp.", "C"),
        ("I am unable to view it.\n(b)", "B"),
        ("Sorry, my mistake.", "none"),
    ],
)
def test_a_refusal_gives_way_to_any_answer(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C</s>", "C"),
        ("(B) a kettle<|im_end|>", "B"),
        ("Answer: D<|endoftext|></s>", "D"),
        ("B\r\n", "B"),
        ("Answer:\r\n\r\nC\r\n", "C"),
        ("Ｃ", "C"),
        ("（ｂ）", "B"),
        ("Ａｎｓｗｅｒ：Ｄ", "D"),
        ("【B】", "B"),
    ],
)
def test_tokens_line_ends_and_widths_do_not_matter(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>The answer is C</think> B", "B"),
        ("<think>a</think>x<think>Answer: A</think>Answer: D", "D"),
        ("<THINK>(A)</THINK>\n\nAnswer: D", "D"),
        ("<thinking>(A)</thinking>B", "B"),
        ("The answer is C, or not</think>\nB", "B"),
        ("<think>The answer is C", "truncated"),
        ("Answer: B <think>or Answer: C", "truncated"),
    ],
)
def test_thought_is_no_answer(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(A) a brass kettle (B) a kettle (C) a blue lamp (D) none of the above", "none"),
        ("The options are A. a brass kettle, B. a kettle", "none"),
        ("(a) A brass kettle\n(b) A kettle\n(c) A blue lamp\n(d) None of the above\n\nd", "D"),
        ("A: a brass kettle; B: a kettle; C: a blue lamp; D: none of the above. Answer:", "none"),
        ("A) a brass kettle B) a kettle C) a blue lamp and D) none of the above. It is a blue lamp.", "C"),
        ("A. a brass kettle\nB. a kettle\nC. a blue lamp\nD. none of the above\nB. a kettle", "B"),
        ("(A) a brass kettle (B) a kettle (C) a blue la", "none"),
        ("None of the choices (A) a brass kettle, (B) a kettle or (C) a blue lamp directly fit.", "none"),
        ("(A) a brass kettle (B) a kettle (C) a blue lamp is the answer", "C"),
        ("(A) a brass kettle (B) a kettle (A) a brass kettle (B) a kettle", "none"),
        ("(A) a brass kettle\n(B) a kettle\n(A) a brass kettle\n(B) a kettle", "none"),
        ("(A) a brass kettle\n(B) a kettle\n\nSince it is warm we wait.", "none"),
        ("(B) a kettle (C) a blue lamp", "ambiguous"),
        ("(A) a brass kettle (C) a blue lamp", "ambiguous"),
    ],
)
def test_an_echo_of_the_options_is_no_evidence(text: str, expected: str) -> None:
    assert read(text) == expected


def test_an_echo_of_negative_numbers_is_one() -> None:
    assert read("(A) -1, 2\n(B) -3, 4\n(C) 5, -6", ["-1, 2", "-3, 4", "5, -6", "7, 8"]) == "none"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<answer>B</answer>", "B"),
        ("Answer: A <answer> (d) </answer> thanks", "D"),
        ("<answer>A</answer> no <ANSWER>C</ANSWER>", "C"),
        ("<answer>a kettle</answer>", "B"),
        ("<answer>The answer is C</answer>", "C"),
        ("<answer>A, B</answer> Answer: C", "ambiguous"),
        ("<answer>unsure</answer> Final answer: D", "D"),
        ("<answer></answer> Answer: B", "B"),
        ("<answer>E</answer>", "none"),
        ('{"reason": "Answer: A", "answer": "C"}', "C"),
        ('```json\n{"answer": "b"}\n```', "B"),
        ("{'answer': 'D'}", "D"),
        ('{"final_answer": "(C)", "confidence": "A"}', "C"),
        ('{"answer": "A"} {"answer": "B"}', "B"),
        ('{"answer": ["A", "B"]}', "ambiguous"),
        ('{"answer": null} The answer is B', "B"),
        ('{"answer": "a blue lamp", "option": "A"}', "C"),
        ('{"name": "f", "arguments": "{\\"answer\\": \\"C\\"}"}', "C"),
        ('<tool_call>{"name": "submit", "arguments": {"answer": "B"}}</tool_call>', "B"),
        ('submit_answer("B")', "B"),
        ("final_answer(answer='D')", "D"),
        ('submit(choice="C")', "C"),
        ('<parameter name="answer">B</parameter>', "B"),
        ("Finish[C]", "C"),
    ],
)
def test_a_structured_field_decides_and_the_last_one_does(text: str, expected: str) -> None:
    assert read(text) == expected


def test_escaped_letters_of_a_json_field_are_spelled_out() -> None:
    assert read('{"answer": "\\u732b"}', ANIMALS) == "A"


@pytest.mark.parametrize(
    "reply",
    [
        "b",
        "B",
        "(B)",
        "B.",
        "**B**",
        '"B"',
        "[B]",
        "(b",
        "B \n[",
        "{B}",
        "`B`",
        "<b>B</b>",
        "$B$",
        r"\text{B}",
        "- B",
        "B!",
        "_B_",
        "> B",
        "# B",
        "B,",
        "\tB",
        "B:",
        "B;",
        "B\r\n",
        "  B  ",
        "B\n\n",
        "B</s>",
        "\xa0B",
    ],
)
def test_the_whole_reply_is_a_letter(reply: str) -> None:
    assert read(reply) == "B"


@pytest.mark.parametrize("reply", ["AB", "A, B", "A and B", "A or B", "(A)(B)", "A B", "A/B", "[A, B]", "ab", "A\nB"])
def test_a_whole_reply_of_letters_is_ambiguous(reply: str) -> None:
    assert read(reply) == "ambiguous"


def test_a_letter_outside_the_item_is_no_answer() -> None:
    assert read("E") == read("T") == "none"
    assert read("C", ["yes", "no"]) == "none"
    assert read("Z", ["x1"] * 26) == "Z"


def test_the_pronoun_is_not_the_ninth_letter() -> None:
    assert read("I think so", NINE) == "none"
    assert read("So I choose I", NINE) == "I"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B\nIt whistles.", "B"),
        ("It whistles a lot\n\nB", "B"),
        ("B. Because it whistles", "B"),
        ("b) because it whistles", "B"),
        ("B: it whistles", "B"),
        ("B - it whistles", "B"),
        ("(B) Because it whistles", "B"),
        ("B\nsome words\nB", "B"),
        ("B\nsome words\nC", "ambiguous"),
        ("B. Because it whistles.\nC", "ambiguous"),
        ("A. M. Smith wrote it", "none"),
        ("(B) shows one and (C) shows another", "ambiguous"),
        ("(C) is wrong", "none"),
    ],
)
def test_a_letter_alone_on_a_line_or_opening_the_reply(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "choices", "expected"),
    [
        ("I looked. C. a blue lamp is there", CHOICES, "C"),
        ("I saw it; (c) A Blue Lamp it is", CHOICES, "C"),
        ("Between those, B) a kettle and C) a blue lamp fit", CHOICES, "ambiguous"),
        ("It is unlike (A) a brass kettle: see (C) a blue lamp", CHOICES, "C"),
        ("B. -2", SIGNED, "B"),
        ("A. -2", SIGNED, "B"),
        ("A -2", SIGNED, "B"),
        ("A - 2", SIGNED, "A"),
        ("B: 2", SIGNED, "A"),
        ("(A) $ 5, $ 6", ["$ 5, $ 6", "$ 6, $ 5"], "A"),
        ("(C) Cannot be determined", ["True", "False", "Cannot be determined"], "C"),
    ],
)
def test_letter_delimiter_and_option_text(text: str, choices: list[str], expected: str) -> None:
    assert read(text, choices) == expected


@pytest.mark.parametrize(
    ("text", "choices", "expected"),
    [
        ("a blue lamp", CHOICES, "C"),
        ("A BLUE LAMP", CHOICES, "C"),
        ("it is the blue lamp", CHOICES, "C"),
        ("The kettle", CHOICES, "B"),
        ("brass kettle", CHOICES, "A"),
        ("a kettle or a blue lamp", CHOICES, "ambiguous"),
        ("a blue lampshade", CHOICES, "none"),
        ("It will be a train", WORDS, "B"),
        ("It is Polish", ["Polish", "polish"], "A"),
        ("polish", ["Polish", "polish"], "B"),
        ("POLISH", ["Polish", "polish"], "ambiguous"),
        ("genotype Ee", GENES, "C"),
        ("eE", GENES, "none"),
        ("tell us", ["US", "UK"], "none"),
        ("The result is 18.", NUMBERS, "B"),
        ("It is 180, I think", NUMBERS, "D"),
        ("18.5", NUMBERS, "none"),
        ("1,180", NUMBERS, "none"),
        ("it is -2", SIGNED, "B"),
        ("it equals −2", SIGNED, "B"),
        ("x = 2", SIGNED, "A"),
        ("dark red", ["red", "dark red", "dark red brick"], "B"),
        ("图中是一只狗。", ANIMALS, "B"),
        ("same", ["same", "same"], "ambiguous"),
    ],
)
def test_option_text(text: str, choices: list[str], expected: str) -> None:
    assert read(text, choices) == expected


@pytest.mark.parametrize("end", [". It is", ";", ":", ",", " but", " so it is", "\n"])
def test_a_negation_reaches_to_the_end_of_its_clause(end: str) -> None:
    assert read(f"It is not a kettle{end} a blue lamp") == "C"
    assert read(f"It is never a blue lamp{end} a kettle") == "B"


@pytest.mark.parametrize(
    ("text", "choices", "expected"),
    [
        ("not a kettle and a blue lamp", CHOICES, "none"),
        ("without a blue lamp", CHOICES, "none"),
        ("neither a kettle nor a blue lamp: none of the above", CHOICES, "D"),
        ("not a brass kettle", CHOICES, "none"),
        ("不是猫，是狗", ANIMALS, "B"),
        ("a not quite red thing", ["red thing", "a not quite red thing"], "B"),
        ("no change", ["no change", "change"], "A"),
        ("A kettle is wrong, the blue lamp", CHOICES, "C"),
    ],
)
def test_negated_option_text_is_no_candidate(text: str, choices: list[str], expected: str) -> None:
    assert read(text, choices) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I believe that (B) fits", "B"),
        ("In picture (c) we see it", "C"),
        ("(B) and (C) both fit", "ambiguous"),
        ("not (B), (C) fits", "C"),
        ("the one in (D) fits, unlike (A)", "D"),
        ("person(s) in (b)", "B"),
        ("see (E) and (b)", "B"),
        ("Decision: (C). Eliminated: (A), (B)", "C"),
        ("(B) is wrong and so is the rest", "none"),
    ],
)
def test_one_parenthesised_letter(text: str, expected: str) -> None:
    assert read(text) == expected


def test_the_release_replies_that_taught_a_rule() -> None:
    option = ["option A in the image", "option C in the image", "option D in the image"]
    assert read("The correct answer is (B) option C.", option) == "B"
    assert read("(A) it is\nI conclude that option A heats up more slowly than option B.", CHOICES) == "A"
