"""The one list of cues: a test a line."""

import pytest

from assets.evaluation.extraction.strict import extract

CHOICES = ["a brass kettle", "a kettle", "a blue lamp", "none of the above"]

ENGLISH = [
    "answer",
    "final answer",
    "correct answer",
    "best answer",
    "right answer",
    "answer choice",
    "option",
    "correct option",
    "best option",
    "choice",
    "final choice",
    "right choice",
    "response",
    "correct response",
    "conclusion",
    "I choose",
    "She chooses",
    "I chose",
    "I have chosen",
    "I select",
    "We selected",
    "I pick",
    "He picks",
    "I picked",
    "I go with",
    "Going with",
    "I went with",
    "She goes with",
    "Elijo",
    "Je choisis",
    "Ich wähle",
    "The answer to the question is",
]
BRACKETED = [
    "[Answer]",
    "**Answer**",
    "(Answer)",
    "### Answer",
    "**Final Answer:**",
    "<answer>",
    "`answer`",
    "- Answer",
]
OTHERS = [
    "Respuesta",
    "La respuesta correcta es la",
    "Opción correcta",
    "Réponse",
    "La bonne réponse est la",
    "Reponse",
    "Antwort",
    "Die richtige Antwort ist",
    "Lösung",
    "Loesung",
    "Risposta",
    "La risposta corretta è la",
    "Opzione corretta",
    "Resposta",
    "A resposta correta é a letra",
    "Opção correta",
    "Antwoord",
    "Ответ",
    "Правильный ответ —",
    "答案",
    "正确答案是",
    "所以答案为",
    "选项",
    "故选",
    "选择",
    "應選",
    "選項",
    "答え",
    "答えは",
    "正解は",
    "正解",
    "回答",
    "結論",
    "结论",
    "解答",
    "答:",
    "정답은",
    "답",
]
GLUED = [
    "答案",
    "答案是",
    "正确答案为",
    "所以答案为",
    "选项",
    "选",
    "故选",
    "我选择",
    "選",
    "答え",
    "答えは",
    "正解は",
    "정답은",
]


@pytest.mark.parametrize("cue", ENGLISH + BRACKETED + OTHERS)
@pytest.mark.parametrize("form", [" C", ": C", " (c)", ": **C**"])
def test_cue_declares_the_letter_after_it(cue: str, form: str) -> None:
    assert extract(f"We saw (A) and (B) before.\n{cue}{form}", CHOICES)[:2] == ("C", "declaration")


@pytest.mark.parametrize("cue", ENGLISH)
def test_cue_is_read_in_any_case(cue: str) -> None:
    assert extract(f"{cue.upper()}: (D)", CHOICES).letter == "D"


@pytest.mark.parametrize("cue", ENGLISH + OTHERS)
def test_cue_declares_an_options_text(cue: str) -> None:
    assert extract(f"{cue}: a blue lamp", CHOICES)[:2] == ("C", "declaration")


@pytest.mark.parametrize("cue", GLUED)
def test_glued_cue_needs_no_space_on_either_side(cue: str) -> None:
    assert extract(f"因为它是蓝色的{cue}C", CHOICES)[:2] == ("C", "declaration")
    assert extract(f"它{cue}Ｃ因为", CHOICES)[:2] == ("C", "declaration")
    assert extract(f"{cue}（ｃ）。", CHOICES)[:2] == ("C", "declaration")


@pytest.mark.parametrize(
    "box", [r"\boxed{C}", r"\boxed{\text{c}}", r"\fbox{C}", r"$\boxed{(C)}$", r"\boxed{a blue lamp}"]
)
def test_a_box_is_a_full_cue(box: str) -> None:
    assert extract(f"**A** or (B)? {box} it is", CHOICES)[:2] == ("C", "declaration")


@pytest.mark.parametrize(
    "word", ["unanswered", "optional", "adoption", "selection", "picky", "multiple-choices", "Options"]
)
def test_a_longer_word_is_no_cue(word: str) -> None:
    assert extract(f"{word} C", CHOICES).letter is None


@pytest.mark.parametrize("text", ["more than option C", "while option C shows a lamp", "as in choice C we see it"])
def test_a_mentioned_option_is_no_declaration(text: str) -> None:
    assert extract(text, CHOICES).letter is None


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("I believe option C.", "C"),
        ("Option C because it is blue", "C"),
        ("I first thought option A, but finally option C.", "C"),
        ("Option A: it is brass. Option B: it whistles.", None),
        ("Option A is wrong. Option B is correct", "B"),
        ("It is (D) option C", "D"),
        ("not option A.", None),
    ],
)
def test_a_bare_option_declares_where_it_ends_its_clause(text: str, letter: str | None) -> None:
    assert extract(text, CHOICES).letter == letter
