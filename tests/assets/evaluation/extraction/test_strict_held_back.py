"""Replies written from the grammar's sentences alone, by someone who had not read the extractor."""

import pytest

from assets.evaluation.extraction.strict import extract

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PHASES = ["evaporation", "condensation", "precipitation", "sublimation"]
FORMULAS = [r"$\frac{1}{2}$", r"$\sqrt{3}$", r"$2\sqrt{3}$", r"$\pi$"]
ANIMALS = ["ant", "bee", "crow", "deer", "eel", "frog", "goat", "hare", "ibis", "jay"]


def read(text: str, choices: list[str]) -> str:
    """The letter, or why there is none."""
    extraction = extract(text, choices)
    return extraction.letter or extraction.status


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C is the correct choice; A is tempting.", "C"),
        ("B is the correct answer, A is tempting.", "B"),
        ("B is the best choice (A is only tempting).", "B"),
        ("(C) is the right option: (A) was close.", "C"),
        ("D is the correct answer - A is a trap", "D"),
        ("B is the right answer\nA mixes up the phases", "B"),
        ("This is the answer; A is only tempting.", "none"),
    ],
)
def test_a_verdict_is_over_where_its_predicate_ends(text: str, expected: str) -> None:
    assert read(text, PHASES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is B. If it were cold, A would be correct.", "B"),
        ("Answer: D. A would be right if the ice melted.", "D"),
        ("The answer is C. Otherwise B would be the best.", "C"),
        ("The best choice is therefore (B). If the sun shone, (A) would be right.", "B"),
        ("Had it been hot, A would be the answer. The answer is B.", "B"),
        ("B would be the correct answer.", "B"),
    ],
)
def test_what_would_be_right_under_a_condition_is_not_declared(text: str, expected: str) -> None:
    assert read(text, PHASES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: B. A common error is to pick evaporation.", "B"),
        ("It is a mistake to choose A. The answer is B", "B"),
        ("The answer is (D). The usual mistake is choosing (C).", "D"),
        ("Answer: B. It is tempting to pick A.", "B"),
        ("Answer: C. A tempting answer is B.", "C"),
        ("The answer is D. People often wrongly choose C.", "D"),
        ("There is no doubt that the answer is C.", "C"),
        ("Without a doubt the answer is A.", "A"),
        ("I doubt that the answer is A.", "none"),
    ],
)
def test_a_mistaken_choice_is_no_declaration(text: str, expected: str) -> None:
    assert read(text, PHASES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer(s): B", "B"),
        ("Option(s): (c)", "C"),
        ("Ans: B", "B"),
        ("Ans:(d)", "D"),
        ("Plans: B", "none"),
        ("The answer would most likely be C.", "C"),
        ("The correct answer would have to be B.", "B"),
        ("My final answer remains C.", "C"),
        ("Answer: ==D==", "D"),
        ("Answer: ✅ B", "B"),
        ("答案：✅C", "C"),
        ("Answer ⇒ A", "A"),
        ("B because the vapour cools", "B"),
        ("I because the vapour cools", "none"),
        ("Bが正解です。", "B"),
        ("答案不是A，而是B。", "B"),
        ("L'option correcte est D.", "D"),
    ],
)
def test_further_cues_and_gaps(text: str, expected: str) -> None:
    assert read(text, PHASES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is <b>C</b>.", "C"),
        ("<p>Answer: <em>b</em></p>", "B"),
        ('Answer: <span style="color:red">B</span>', "B"),
        ("<p>The answer is <strong>D</strong>.</p>", "D"),
        ("<b>Not A</b>. The answer is <b>(C)</b>", "C"),
        ("Looking at the glass, <b>B</b> fits.", "B"),
        ("The answer is <i>C</i>.", "C"),
        ("Answer:<br>C", "C"),
    ],
)
def test_markup_is_a_wrapper_and_no_letter(text: str, expected: str) -> None:
    assert read(text, ANIMALS) == expected
    assert read(text, PHASES) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The answer is either B or C.",
        "The answer is both A and B.",
        "The answer is A + B",
        "Answer: A+B",
        r"\boxed{A \text{ and } B}",
        "Answer:\nA. evaporation\nB. condensation",
        "Answer: A. evaporation and B. condensation",
        "Answer: A: evaporation B: condensation",
        "The correct answers are (A) evaporation, (B) condensation",
        "<answer>(A) evaporation (B) condensation</answer>",
    ],
)
def test_several_declared_are_a_list_and_no_echo(text: str) -> None:
    assert read(text, PHASES) == "ambiguous"


def test_a_list_that_names_part_of_the_options_does_not_hide_its_last() -> None:
    assert read("The correct answer is (A) 0, (B) 1, and (C) 2.</s>", ["0", "1", "3", "2"]) == "ambiguous"
    assert read("The options are (A) evaporation and (B) condensation. I choose (B).", PHASES) == "B"


@pytest.mark.parametrize("text", ["The answer is B+.", "A+", "Blood of type A+"])
def test_a_letter_with_a_plus_sign_is_a_grade(text: str) -> None:
    assert read(text, PHASES) == "none"


@pytest.mark.parametrize(
    ("text", "choices", "expected"),
    [
        (r"\boxed{\frac{1}{2}}", FORMULAS, "A"),
        (r"\boxed{2\sqrt{3}}", FORMULAS, "C"),
        (r"\boxed{\sqrt{3}}", FORMULAS, "B"),
        (r"The side is $\sqrt{3}$.", FORMULAS, "B"),
        (r"\boxed{5\sqrt{3}}", FORMULAS, "none"),
        (r"\boxed{\frac{1}{2}\pi^2}", FORMULAS, "none"),
        (r"The derivative is \(2x\).", ["$x^2$", "$2x$", "$x$"], "B"),
        (r"\boxed{60^\circ}", [r"$30^\circ$", r"$60^\circ$"], "B"),
        (r"\boxed{50\%}", ["5%", "25%", "50%", "75%"], "C"),
        ("$5", ["$5", "$15", "$5.50"], "A"),
        ("∠D", ["∠C", "∠D", "∠B", "∠A"], "B"),
        ("Let me see.\n\n**∠A**", ["∠C", "∠D", "∠B", "∠A"], "D"),
        ("**x**", ["2x", "x", "x + 1"], "B"),
        ("**I**", ["II", "I", "IV"], "B"),
        ("<answer>A. A, B and C</answer>", ["A, B and C", "A and B", "C only"], "A"),
        ("Answer: Polish", ["polish", "Polish", "reform"], "B"),
        ("Polish. That is his language.", ["polish", "Polish", "reform"], "B"),
        ("There is a flower with a petal", ["A", "a"], "none"),
        ("The recessive gene: a", ["A", "a"], "B"),
        ("I think so", ["I", "II", "III"], "none"),
    ],
)
def test_texts_that_a_sign_or_a_case_tells_apart(text: str, choices: list[str], expected: str) -> None:
    assert read(text, choices) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no", "B"),
        ("The answer is no.", "B"),
        ("no, the light is off", "B"),
        (r"\boxed{no}", "B"),
        ("There is no dog.", "none"),
        ("yes or no", "ambiguous"),
    ],
)
def test_no_is_a_word_where_no_noun_follows(text: str, expected: str) -> None:
    assert read(text, ["Yes", "No"]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "To determine the process:\n\n- **A. evaporation**: heat.\n- **B. condensation**: drops.\n\nIt is **B**.",
            "B",
        ),
        ("Let's see:\n(A) evaporation - no.\n(B) condensation - yes.\n(C) precipitation - no.\n\nSo, (B).", "B"),
        ("| Option | Verdict |\n|---|---|\n| A | no |\n| B | yes |\n\nAnswer: B", "B"),
        ("|Answer|\n|---|\n|C|", "C"),
        ("Final Answer: The final answer is $\\boxed{C}$. I hope it is correct.", "C"),
        ("<think>\nIt may be A. Or (C)?\n</think>\n\nDrops form.\n\n**Answer: D. sublimation**", "D"),
        ('<tool_call>\n{"name": "final_answer", "arguments": {"answer": "D"}}\n</tool_call>', "D"),
        ('{"tool_calls":[{"function":{"name":"answer","arguments":"{\\"answer\\": \\"A\\"}"}}]}', "A"),
        ("I'm sorry, I can't see it well, but the answer is B.", "B"),
        ("I cannot determine it exactly, but the best choice is D.", "D"),
        ("I'm sorry, but without the image I cannot determine whether it is A or B.", "refusal"),
        ("I cannot tell if it is B.", "refusal"),
        ("The picture does not say whether it is (C)", "none"),
        ("Out of A, B, C and D, the answer is C.", "C"),
        ("It's not A. It's not B. It's C.", "C"),
        ("The answer is", "none"),
        ("The answer is (", "none"),
        ("**Answer: C", "C"),
    ],
)
def test_replies_in_the_styles_of_models(text: str, expected: str) -> None:
    assert read(text, PHASES) == expected


ITEMS = {
    "numbers": ["8", "18", "80", "180"],
    "signs": ["-2", "2", "-12", "12"],
    "fractions": ["1/2", "1/4", "3/4", "1/12"],
    "units": ["5 cm", "15 cm", "50 cm", "1.5 cm"],
    "clock": ["12:25 PM", "12:55 PM", "2:25 PM"],
    "ratios": ["2:2", "1:3", "4:0", "0:4", "3:1"],
    "thousands": ["1,000", "10,000", "100", "1"],
    "points": ["(0, 1)", "(1, 0)", "(-1, 0)"],
    "formulas": FORMULAS,
    "powers": ["10^3", "10^-3", "3", "10"],
    "angles": ["∠A", "∠B", "∠C", "∠D"],
    "letters": ["AB", "BC", "CD", "DA"],
    "genes": ["BB", "Bb", "bb"],
    "case": ["polish", "Polish", "reform", "Reform"],
    "nested": ["cat", "black cat", "black cat and dog", "dog"],
    "negations": ["It is safe", "It is not safe", "It is not known", "It is known"],
    "about letters": ["Cats", "Dogs", "Both A and B", "Neither A nor B"],
    "pictures": ["Option A in the image", "Option B in the image", "Option C in the image"],
    "articles": ["The dog", "The cat", "A bird", "Both animals"],
    "undetermined": ["Cannot be determined", "Increase", "Decrease"],
    "cjk": ["红色的汽车", "红色的", "蓝色的汽车", "都不是"],
    "cyrillic": ["кошка", "собака", "черная кошка"],
    "yes": ["Yes", "No"],
    "ten": ANIMALS,
}
FORMS = (
    "{text}",
    "The answer is {text}.",
    "**Answer:** {text}",
    "\\boxed{{{text}}}",
    "<answer>{text}</answer>",
    "答案：{text}",
    "Let me see.\n\n{text}",
    "<think>hm</think>{text}</s>",
    '{{"answer": "{text}"}}',
    "{letter}. {text}",
    "The answer is ({letter}) {text}.",
    "**{letter}. {text}**",
    "答案是（{letter}）{text}。",
)


@pytest.mark.parametrize("name", ITEMS)
@pytest.mark.parametrize("form", FORMS)
def test_an_option_that_is_named_is_found_wherever_it_stands_in_the_item(name: str, form: str) -> None:
    choices = ITEMS[name]
    for turn in range(len(choices)):
        order = choices[turn:] + choices[:turn]
        for letter, text in zip(LETTERS, order, strict=False):
            assert read(form.format(letter=letter, text=text), order) == letter


@pytest.mark.parametrize("name", ITEMS)
def test_a_text_after_another_options_letter_is_the_answer(name: str) -> None:
    choices = ITEMS[name]
    for turn in range(1, len(choices)):
        order = choices[turn:] + choices[:turn]
        text = f"The answer is ({LETTERS[0]}) {choices[0]}."
        assert read(text, order) == LETTERS[order.index(choices[0])]
