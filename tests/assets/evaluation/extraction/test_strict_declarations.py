"""Rule 4 of the strict grammar: declarations, their cues, gaps, letter forms and lists."""

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


@pytest.mark.parametrize(
    "gap",
    [
        ": ",
        " is ",
        " was: ",
        " would be ",
        " must be (",
        " should be **",
        " will be ",
        " seems to be ",
        " = ",
        " is a ",
        " is the ",
        " is option ",
        " choice ",
        ", the letter ",
        " is statement ",
        " is definitely ",
        " is most likely ",
        ":\n\n",
        ": \\text{",
        " is $\\mathbf{",
        ': "',
        " → ",
        " is `",
        " – ",
        "** is probably: **",
    ],
)
def test_a_gap_of_marks_verbs_articles_nouns_and_hedges_is_crossed(gap: str) -> None:
    assert read(f"My answer{gap}C") == "C"


@pytest.mark.parametrize("gap", [" lies in ", " has more to do with ", " about vitamin ", "ing machine ", " key of "])
def test_other_words_are_no_gap(gap: str) -> None:
    assert read(f"My answer{gap}C here") == "none"


@pytest.mark.parametrize("verb", ["is", "must be", "should be", "seems"])
@pytest.mark.parametrize("verdict", ["correct", "the right answer", "best", "the answer", "right"])
def test_a_letter_that_is_judged_right_is_declared(verb: str, verdict: str) -> None:
    assert read(f"Of (A) and (B) neither. C {verb} {verdict}.") == "C"
    assert read(f"(D) none of the above {verb} {verdict}, I think (B)") == "D"


@pytest.mark.parametrize(
    "text",
    [
        "C is not correct.",
        "C is incorrect",
        "A is right next to the table",
        "C is the best known one",
        "B is here",
        "Vitamin C is best for you",
        "If C is correct then",
        "I doubt that C is correct",
        "whether C is the answer",
    ],
)
def test_other_verdicts_declare_nothing(text: str) -> None:
    assert read(text) == "none"


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect answer: C",
        "in-correct answer: C",
        "wrong answer: C",
        "This is not the correct answer: C",
        "C? not it",
        "I would not choose C",
        "I don't pick C",
        "The answer is not C",
        "The wrong choice is C",
        "never select C",
        "错误答案：B",
        "不是正确答案：B",
        "falsche Antwort: C",
        "respuesta incorrecta: B",
        "Неправильный ответ: B",
    ],
)
def test_a_cancelled_cue_declares_nothing(text: str) -> None:
    assert read(text) == "none"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is not brass, so the answer is B.", "B"),
        ("I am not sure but the answer is B", "B"),
        ("Not A. Answer: D", "D"),
        ("Not only is it blue, the answer is C", "C"),
        ("Wrong: A\nanswer: B", "B"),
    ],
)
def test_a_cue_is_cancelled_in_its_own_clause_only(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Is the answer C?",
        "The answer is C?",
        "Is (C) the right answer?",
        "Could the answer be C?",
        "Is C correct?",
        "Would the correct option be (C), given the lamp?",
        "The answer is C, right?",
    ],
)
def test_a_question_is_no_declaration(text: str) -> None:
    assert read(text) == "none"


def test_an_answered_question_is_one() -> None:
    assert read("Is the answer A? No. The answer is C.") == "C"
    assert read("What is the correct answer? (B)") == "B"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(A) option B in the image", "A"),
        ("It is option A in the image.", "B"),
        ("the answer is C", "C"),
        ("I see: the answer is option B in the image", "A"),
        ("D) all options are correct", "D"),
    ],
)
def test_a_cue_inside_an_options_text_is_no_cue(text: str, expected: str) -> None:
    assert read(text, TALKATIVE) == expected


@pytest.mark.parametrize(
    "form", ["B", "(B)", "(b)", "b)", "[b]", "`b`", "**b**", '"b"', "{b}", "B.", "$b$", "(b", "_B_"]
)
def test_a_letter_form_is_upper_case_or_wrapped(form: str) -> None:
    assert read(f"Answer: {form}") == "B"


@pytest.mark.parametrize("form", ["b", "b.", "B-52", "Bb", "B's lamp", "B+", "U.S.", "vitamin B", "B2"])
def test_what_is_bare_lower_case_or_unbounded_is_no_letter_form(form: str) -> None:
    assert read(f"Answer: {form}") == "none"


@pytest.mark.parametrize("text", ["答案是B因为", "因为蓝所以选B吧", "正解はBです", "정답은 B입니다", "选Ｂ。"])
def test_a_cjk_neighbour_is_a_word_boundary(text: str) -> None:
    assert read(text) == "B"


@pytest.mark.parametrize(
    "letters",
    [
        "AB",
        "A, B and C",
        "A or B",
        "(A) and (B)",
        "A/B",
        "B & C",
        "(A), (C)",
        "(A)(B)",
        "A and/or D",
        "**A** or **B**",
        "A y B",
        "A oder B",
        "A et B",
        "A和B",
        "A、B",
        "(A) a brass kettle or (D) none of the above",
        "A or maybe B",
        "a kettle or a blue lamp",
        "\nA. it whistles\nC. it shines",
        "\n(A) it whistles\n(B) it is hot",
    ],
)
def test_a_declared_list_is_ambiguous(letters: str) -> None:
    assert read(f"The answer is: {letters}") == "ambiguous"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: C\nA. is wrong: brass\nB. is wrong too", "C"),
        ("The answer is C.\n\nA) not blue\nB) not blue", "C"),
        ("The answer is B and C is wrong.", "B"),
        ("Answer: B, C being no lamp", "B"),
        ("The answer is B, not C", "B"),
        ("The answer is B rather than C", "B"),
    ],
)
def test_what_only_looks_like_a_list_is_none(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is A kettle", "B"),
        ("The answer is A brass kettle", "A"),
        ("The answer is A lamp post", "none"),
        ("I choose A person", "none"),
        ("The answer is a lamp post", "none"),
        ("The answer is A because it is brass", "A"),
        ("The answer is A, a brass kettle", "A"),
    ],
)
def test_an_article_makes_it_option_text(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The answer is (C) a kettle",
        "C. a kettle",
        "(C) A kettle",
        "C: a kettle because it whistles",
        "**C** a kettle",
        "Choose D) the kettle",
        "Answer: A. a kettle.",
        "(a) kettle",
    ],
)
def test_another_options_text_after_the_letter_outweighs_it(text: str) -> None:
    assert read(text) == "B"


def test_a_new_sentence_after_the_letter_does_not_outweigh_it() -> None:
    assert read("The answer is (C). A kettle is heavy but whistles.") == "C"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: A\nAnswer: C", "C"),
        ("The answer is A. No wait, the answer is D.", "D"),
        ("Answer: B. It is unlike (C).", "B"),
        ("Answer: B\nRuled out: (A), (C), (D)", "B"),
        ("The answer is B. Mind that A is a popular mistake.", "B"),
        ("B is correct. A is tempting.", "B"),
        (r"\boxed{A} no, \boxed{D}", "D"),
        ("**A** is nice. Answer: C", "C"),
        ("Answer: C. Than option B it is bluer.", "C"),
    ],
)
def test_the_last_declaration_wins_and_outranks_mentions(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Answer: E",
        "Answer: Z\na blue lamp",
        "Answer: B\nAnswer: E",
        r"\boxed{E} a blue lamp",
        "Answer: (s) (B)",
        "answer I A \n (c) A",
    ],
)
def test_a_declared_letter_outside_the_item_ends_the_search(text: str) -> None:
    assert read(text) == "none"


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("It whistles, **B** I think", "bold", "B"),
        ("I like **C. a blue lamp** most", "bold", "C"),
        ("**B** or **C** here", "bold", "ambiguous"),
        ("<b>c</b> it will be", "bold", "C"),
        ("It is shiny.\nC because of the blue", "last_line", "C"),
        ("It is shiny.\n(C) looks blue", "last_line", "C"),
        ("Not brass; so C.", "closing_clause", "C"),
        ("That leaves only C.", "closing_clause", "C"),
        ("Hence (B).", "closing_clause", "B"),
        ("therefore: D!", "closing_clause", "D"),
        ("I see, it must be C", "closing_clause", "C"),
        ("thus B or C.", "closing_clause", "ambiguous"),
        ("It is shiny.\nA person did it", "none", "none"),
        ("So it holds vitamin C.", "none", "none"),
        ("It is not C.", "none", "none"),
        ("A. it is brass\nC. it is blue", "letter_line", "ambiguous"),
    ],
)
def test_weaker_declarations_count_without_a_worded_one(text: str, rule: str, expected: str) -> None:
    extraction = extract(text, CHOICES)
    assert (extraction.rule, extraction.letter or extraction.status) == (rule, expected)
