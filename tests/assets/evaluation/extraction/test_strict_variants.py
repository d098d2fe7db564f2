"""Further replies of each kind the strict grammar names: other words, wrappers, scripts, numbers."""

import pytest

from assets.evaluation.extraction.strict import extract

CHOICES = ["a brass kettle", "a kettle", "a blue lamp", "none of the above"]
TOWERS = ["the Eiffel Tower", "the Tower", "a bridge", "it cannot be determined"]


def read(text: str, choices: list[str]) -> str:
    """The letter, or why there is none."""
    extraction = extract(text, choices)
    return extraction.letter or extraction.status


@pytest.mark.parametrize(
    "text",
    [
        "Réponse finale : **(B)**",
        "Ma réponse est B.",
        "La opción correcta es la B",
        "Elijo la opción B",
        "Meine Antwort lautet: B",
        "Die Lösung ist (b).",
        "La mia risposta: B",
        "A resposta correta é a letra B",
        "Ответ — B.",
        "Мой ответ: «B»",
        "答案：「B」",
        "答案是选项Ｂ",
        "正确选项是B",
        "因此答案是（B）而不是（C）",
        "不选A，选B",
        "我认为选B。",
        "本题选择Ｂ。",
        "答えはＢである",
        "B项正确",
    ],
)
def test_declarations_in_other_languages(text: str) -> None:
    assert read(text, CHOICES) == "B"


@pytest.mark.parametrize(
    "text",
    [
        "***B***",
        "**B.** a kettle",
        "__(b)__",
        "**Answer: B**",
        "**The answer is B.**",
        "*Answer*: B",
        "Answer: <b>B</b>",
        r"Answer: \(B\)",
        "Answer: $B$.",
        r"Answer: \mathrm{B}",
        "Answer: ``B``",
        "Answer: “B”",
        "Answer: «B»",
        "Answer: [[B]]",
        "Answer: <B>",
        "Answer — B",
        "Answer => B",
        "answer:(b)",
        "| Answer | B |",
        "ANSWER IS B",
        "Final Answer: B (a kettle)",
        "Final answer: (B), because it whistles and (C) does not.",
        r"**Final Answer**: \(\boxed{B}\)",
        r"The final answer is $\boxed{B}$. I hope it is correct.",
        "[Answer] B [Rationale] It whistles",
        "[Rationale] It whistles [Answer] (B)",
    ],
)
def test_declarations_in_other_wrappers(text: str) -> None:
    assert read(text, CHOICES) == "B"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I would choose B over C", "B"),
        ("The answer could be B", "B"),
        ("C is the answer, B is not", "C"),
        ("Only (C) is correct; (B) is incorrect", "C"),
        ("C must be the answer because B is not correct", "C"),
        ("A is wrong. B is wrong. C is right.", "C"),
        ("Which is correct? A? B? C is correct.", "C"),
        ("(C) a blue lamp is correct", "C"),
        ("C, a blue lamp, is correct", "C"),
        ("Rejecting A, B and D leaves C.", "C"),
        ("which leaves us with (C).", "C"),
        ("Answer: neither B nor C", "none"),
        ("Answer: it is not B", "none"),
        ("None of A, B, C is correct", "none"),
        ("Neither A nor B is correct", "none"),
        ("I wonder if B is the answer", "none"),
        ("B is the right answer?", "none"),
        ("Why is B correct?", "none"),
        ("A or B is correct", "ambiguous"),
        ("it is between A and B", "none"),
        ("Pick one of A, B, C.", "none"),
        ("Please select the correct answer from (A), (B), (C)", "ambiguous"),
        ("The correct answer is:\n(A) a brass kettle. (Incorrect)\n(C) a blue lamp. (Correct)", "C"),
    ],
)
def test_weighing_of_letters(text: str, expected: str) -> None:
    assert read(text, CHOICES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{'explanation': 'the answer is A', 'answer': '(D) none of the above'}", "D"),
        ("<answer>\nC\n</answer>", "C"),
        ("<answer>(C) a kettle</answer>", "B"),
        ("<final_answer>C</final_answer>", "C"),
        ("<answer>C", "C"),
        ('<answer type="mc">C</answer>', "C"),
        ('{"answer":"C"', "C"),
        ('{"answer": {"choice": "C"}}', "C"),
        ('{"answer": "AC"}', "ambiguous"),
        ("<answer>(A) (B)</answer>", "ambiguous"),
    ],
)
def test_structured_fields(text: str, expected: str) -> None:
    assert read(text, CHOICES) == expected


@pytest.mark.parametrize(
    ("choices", "text", "expected"),
    [
        (TOWERS, "It's the Tower.", "B"),
        (TOWERS, "Eiffel Tower", "A"),
        (TOWERS, "D. It cannot be determined", "D"),
        (TOWERS, "It is not the Eiffel Tower. It cannot be determined.", "D"),
        (["1/2", "1/4", "2"], "It is 1/2.", "A"),
        (["1/2", "1/4", "2"], "2", "C"),
        (["3.5", "5", "3"], "3.5", "A"),
        (["10%", "10", "1"], "It rose by 10%.", "A"),
        (["$2$", "$-2$"], "the result is $-2$", "B"),
        (["1,000", "1"], "about 1,000 people", "A"),
        (["5", "-5"], "(A) -5", "B"),
        (["0.5", "5"], ".5", "none"),
        (["12:35 PM", "2:35 PM"], "at 12:35 PM", "A"),
        (["3", "2"], "a density of 1 kg/m\n3\n.", "none"),
        (["3", "2"], "The result is\n3", "A"),
        (["I", "II", "III"], "Answer: III", "C"),
        (["I", "II", "III"], "Answer: I", "A"),
        (["B", "A"], "Answer: B", "B"),
        (["no", "yes"], "Yes, it does", "B"),
        (["True", "False", "Not sure"], "It is not true", "none"),
        (["not true", "true"], "It is not true", "A"),
        (["Vitamin C", "Vitamin D", "iron"], "The answer is vitamin D", "B"),
        (["Vitamin C", "Vitamin D", "iron"], "Answer: C", "C"),
        (["cat", "cats"], "cats", "B"),
        (["North", "North-East"], "North-East", "B"),
        (["North", "North-East"], "it lies north", "A"),
    ],
)
def test_texts_of_other_items(choices: list[str], text: str, expected: str) -> None:
    assert read(text, choices) == expected
