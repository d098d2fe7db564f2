"""What tools ask of models."""

from assets.models.model import said
from assets.models.tools.asking import Knowledge, PictureDescription, TextAnswering, VisualQuestionAnswering
from assets.schema.sample import Part

IMAGES = {"picture_1": "a" * 64}
SHOWN = Part("image", None, "a" * 64)


def test_the_picture_stands_before_the_text_and_the_first_model_is_asked() -> None:
    asked = PictureDescription(30.0, ("blip", "llava")).question({"picture": "picture_1"}, IMAGES)
    assert asked.asked == "blip"
    assert asked.parts[0] == SHOWN and len(asked.parts) == 2
    assert "Describe what this picture shows" in (asked.parts[1].text or "")


def test_a_focus_and_a_question_are_in_the_text() -> None:
    focused = PictureDescription(30.0, ("blip",)).question({"picture": "picture_1", "focus": "the {clock}"}, IMAGES)
    assert (focused.parts[1].text or "").endswith("for this: the {clock}")
    asked = VisualQuestionAnswering(30.0, ("blip",)).question({"picture": "picture_1", "question": "How many?"}, IMAGES)
    assert asked.parts[0] == SHOWN
    assert (asked.parts[1].text or "").endswith("Question: How many?")


def test_a_chosen_model_is_asked() -> None:
    given = {"picture": "picture_1", "question": "How many?", "model": "llava"}
    assert VisualQuestionAnswering(30.0, ("blip", "llava")).question(given, IMAGES).asked == "llava"
    assert PictureDescription(30.0, ("blip", "llava")).question(given, IMAGES).asked == "llava"


def test_texts_go_to_the_planner() -> None:
    known = Knowledge(30.0).question({"question": "Why is the sky blue?"}, {})
    assert known.asked == "planner"
    assert known.parts == (
        said(
            "Write down in a few sentences the background knowledge (facts, definitions, rules or formulas) that helps "
            "to answer the question. Do not answer it.\nQuestion: Why is the sky blue?\nKnowledge:"
        ),
    )
    answered = TextAnswering(30.0).question({"text": "It is 5.", "question": "What?"}, {})
    assert answered.asked == "planner"
    assert "Text: It is 5.\nQuestion: What?\nAnswer:" in (answered.parts[0].text or "")
