import pytest

from assets.models.model import Ask, Dialogue, said
from assets.schema.sample import Part, Sample
from assets.training import examples

SAMPLE = Sample(
    "s-1",
    "m3cot",
    "squares",
    "1",
    "test",
    question="Which is it?",
    context="Two cars.",
    choices=("red", "blue"),
    answer="B",
    rationale=(Part("text", "Step 1: One car is blue.\nStep 2: So it is blue.", None),),
    images=("p",),
)


def test_a_sample_is_its_context_question_options_steps_and_the_place_of_the_answer() -> None:
    found = examples.of_sample(SAMPLE)
    assert found == examples.Example(
        examples.Asked("s-1", "Two cars.\nWhich is it?", ("red", "blue"), "p"),
        ("One car is blue.", "So it is blue."),
        1,
    )


@pytest.mark.parametrize(
    "lacking",
    [{"question": None}, {"choices": None}, {"answer": "C"}, {"answer": None}, {"rationale": ()}, {"dropped": "x"}],
)
def test_a_sample_that_lacks_something_is_no_example(lacking: dict[str, str | None]) -> None:
    assert examples.of_sample(SAMPLE._replace(**lacking)) is None


BLOCK = "[Context]\nTwo cars.\n[Question]\nWhich is it?\n[Choices]\n(A) red\n(B) blue"
NESTED = "<QUESTION>\nWhich is it?\n\n<CHOICE>\n(A) red\n(B) blue\n\n<CONTEXT>\nTwo cars."
SHOT = "[Context]\nA tree.\n[Question]\nHow tall?\n[Choices]\n(A) 2 m\n(B) 3 m\n\n[Answer]\n(A)\n\n"


@pytest.mark.parametrize(
    ("told", "question"),
    [
        (f"{BLOCK}\n\nLet's think step-by-step!", "Two cars.\nWhich is it?"),
        (f"{SHOT}{BLOCK}\n\nLet's think step-by-step!", "Two cars.\nWhich is it?"),
        ("[Question]\nWhich is it?\n\n[Choices]\n(A) red\n(B) blue", "Which is it?"),
        (f"[Context]\nTwo cars.\n[Question]\n{NESTED}\n[Choices]\n(A) red\n(B) blue", "Two cars.\nWhich is it?"),
        ("Which is it? (A) red (B) blue", "Which is it?"),
        ("Which is it?", "Which is it?"),
    ],
)
def test_a_dialogue_gives_the_question_that_stands_before_its_options(told: str, question: str) -> None:
    parts = (Part("image", None, "shot"), Part("image", None, "own"), said(told))
    found = examples.of_dialogue(Dialogue("s-1", (Ask(parts),), ("red", "blue")))
    assert found == examples.Asked("s-1", question, ("red", "blue"), "own")


def test_the_picture_is_the_questions_and_neither_a_shots_nor_an_options() -> None:
    shot, own, option = (Part("image", None, name) for name in ("shot", "own", "option"))
    parts = (shot, said(SHOT), own, said(BLOCK), option, said("\n\nLet's think step-by-step!"))
    assert examples.of_dialogue(Dialogue("s-1", (Ask(parts),), ("red", "blue"))).image_id == "own"
