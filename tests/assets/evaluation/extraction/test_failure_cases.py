"""The extraction cases that broke other systems (E01 to E39), each with variants of its kind."""

import pytest

from assets.evaluation.extraction import paper
from assets.evaluation.extraction.strict import extract

CHOICES = ["a brass kettle", "a kettle", "a blue lamp", "none of the above"]
NUMBERS = ["8", "18", "80", "180"]
WORDS = ["Rain", "Train", "Brain", "Drain"]

CASES: dict[str, list[tuple[str, str]]] = {
    "E01": [("(b)", "B"), ("(d)", "D"), ("[c]", "C"), (" (A)\n", "A"), ("（b）", "B")],
    "E02": [
        ("**Answer:** **C**", "C"),
        ("**Final answer**: **(b)**", "B"),
        ("__Answer:__ __D__", "D"),
        ("*Respuesta:* *A*", "A"),
    ],
    "E04": [
        (r"\boxed{\text{C}}", "C"),
        (r"\boxed{C: a blue lamp}", "C"),
        (r"$$\boxed{\mathbf{(B)}}$$", "B"),
        (r"\boxed{a kettle}", "B"),
        (r"So \boxed{\textbf{D}}. Unlike (A).", "D"),
        (r"\boxed{b}", "B"),
    ],
    "E06": [
        ("Answer: None of the above", "D"),
        ("Answer: A blue lamp", "C"),
        ("ANSWER: a Brass Kettle.", "A"),
        ("答案：none of the above", "D"),
    ],
    "E08": [
        ("The correct answer is (B).", "B"),
        ("The Correct Answer Is: (d)", "D"),
        ("The right answer would be C.", "C"),
        ("La respuesta correcta es (B).", "B"),
    ],
    "E10": [
        ("Answer seems to be A.\nAnswer: C", "C"),
        ("Answer seems to be D.\nFinal answer: B", "B"),
        ("I pick A.\nSorry, I pick (c).", "C"),
        ("Antwort scheint A.\nAntwort: D", "D"),
    ],
    "E11": [
        ("Conclusion: (B). Ruled out: (A), (C), (D).", "B"),
        ("Conclusion: C. Eliminated: A, B and D.", "C"),
        ("I choose (D). Rejected: (A), (B), (C)", "D"),
        ("Ответ: (A). Not right: (B), (C).", "A"),
    ],
    "E12": [
        ("The answer is B. Mind that A is a popular mistake.", "B"),
        ("The answer is D. Note that C looks tempting.", "D"),
        ("Answer: C\n\nMany would say A here.", "C"),
        ("Die Antwort ist B. A ist ein Fehler.", "B"),
    ],
    "E13": [
        ("B. a kettle", "B"),
        ("C) a blue lamp", "C"),
        ("A: a brass kettle.", "A"),
        ("d. none of the above", "D"),
        ("(b) A kettle", "B"),
    ],
    "E15": [
        ("答案是（C）。", "C"),
        ("正确答案：D。", "D"),
        ("选Ｂ", "B"),
        ("答案为Ａ", "A"),
        ("故选（ｃ）", "C"),
        ("正解はＤです", "D"),
    ],
    "E20": [
        ("A person stands near a table.", "none"),
        ("A dog runs.", "none"),
        ("A large, old house", "none"),
        ("It rains.\nA man waits.", "none"),
    ],
    "E21": [
        ("there is a cup", "none"),
        ("it is a dog", "none"),
        ("we see a flat", "none"),
        ("a", "A"),
    ],
    "E22": [
        ("Person(s) shown (see panel (e)). Choose B", "B"),
        ("Object(s) in (f). I pick C", "C"),
        ("Item(s) (x) and (y): answer D", "D"),
        ("the key(s) with (b)", "B"),
    ],
    "E24": [
        ("ANSWER: AB", "ambiguous"),
        ("ANSWER: BD", "ambiguous"),
        ("Answer: (A)(C)", "ambiguous"),
        ("答案：ACD", "ambiguous"),
        ("B, D", "ambiguous"),
    ],
    "E26": [
        ("Antwort:\n\nAntwort: C", "C"),
        ("Answer:\n\nAnswer: (B)", "B"),
        ("Respuesta:\nRespuesta: D", "D"),
        ("答案：\n答案：A", "A"),
    ],
    "E27": [("", "empty"), ("   \n", "empty"), ("\t\r\n", "empty"), ("</s>", "empty"), ("\u3000", "empty")],
    "E28": [
        ("I'm sorry, I can't help with that image.", "refusal"),
        ("Sorry, I cannot help with that.", "refusal"),
        ("I apologize, but I am unable to assist with this request.", "refusal"),
        ("It is not possible to determine the answer.", "refusal"),
    ],
    "E30": [
        ("<think>maybe (C)</think> B", "B"),
        ("<think>Answer: A</think>\nAnswer: D", "D"),
        ("maybe (C), or A</think>(b)", "B"),
        ("<think>C?</think><think>(A)</think>a kettle", "B"),
    ],
    "E32": [
        ("(A) looks nice <answer>D</answer>", "D"),
        ("<answer>b</answer> though (A) looks nice", "B"),
        ("Answer: A\n<answer>(C)</answer>", "C"),
        ("(A), (B)? <answer>a blue lamp</answer>", "C"),
    ],
    "E34": [
        ("C\r\n", "C"),
        ("\tC", "C"),
        ("C:", "C"),
        ("C)", "C"),
        ("C;", "C"),
        ("B;", "B"),
        ("\tD\r\n", "D"),
        ("a:", "A"),
    ],
    "E36": [
        ("Vitamin C helps, answer: B", "B"),
        ("Answer: B, thanks to vitamin C", "B"),
        ("Hepatitis A is bad; I choose D", "D"),
        ("Final answer: C, for plan B failed", "C"),
    ],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [pytest.param(*case, id=f"{name}-{n}") for name, cases in CASES.items() for n, case in enumerate(cases)],
)
def test_failure_case(text: str, expected: str) -> None:
    extraction = extract(text, CHOICES)
    assert (extraction.letter or extraction.status) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("The result is 18.", "B"), ("It is 8", "A"), ("We get 180 in all", "D"), ("共80个", "C"), ("118 or 1.8", "none")],
    ids=lambda value: f"E17-{value}",
)
def test_e17_numbers_are_whole(text: str, expected: str) -> None:
    extraction = extract(text, NUMBERS)
    assert (extraction.letter or extraction.status) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It will be a train", "B"),
        ("rain", "A"),
        ("The DRAIN is full", "D"),
        ("my brain hurts", "C"),
        ("trained", "none"),
    ],
    ids=lambda value: f"E18-{value}",
)
def test_e18_words_are_whole(text: str, expected: str) -> None:
    extraction = extract(text, WORDS)
    assert (extraction.letter or extraction.status) == expected


@pytest.mark.parametrize("text", ["REJECT", "BLOCKED", "E", "T"])
def test_e29_a_reply_in_error_is_not_read(text: str) -> None:
    assert extract(text, CHOICES, "error")[::3] == (None, "error")


def test_e38_a_failed_reply_is_an_error_again_on_rerun() -> None:
    assert extract(None, CHOICES, "error") == extract(None, CHOICES, "error")
    assert extract(None, CHOICES, "error").status == "error"


@pytest.mark.parametrize("verbose", ["0", "1"])
def test_e39_the_environment_changes_nothing(verbose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERBOSE", verbose)
    assert extract("maybe A, maybe not: B", CHOICES) == extract("maybe A, maybe not: B", CHOICES)
    assert extract("Answer: B", CHOICES).letter == "B"


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        pytest.param("there is a cup", "A", id="E21"),
        pytest.param("A person stands near a table.", "A", id="E20"),
        pytest.param("The correct answer is (B).", "B", id="E08"),
        pytest.param("Conclusion: (B). Ruled out: (A), (C), (D).", "D", id="E11"),
        pytest.param("Person(s) shown (see panel (e)). Choose B", "E", id="E22"),
        pytest.param("C\r\n", None, id="E34-crlf"),
        pytest.param("\tC", None, id="E34-tab"),
        pytest.param("C:", None, id="E34-colon"),
        pytest.param("C)", None, id="E34-bracket"),
        pytest.param("C;", None, id="E34-semicolon"),
    ],
)
def test_paper_keeps_the_published_reading(text: str, letter: str | None) -> None:
    assert paper.extract(text, CHOICES).letter == letter
