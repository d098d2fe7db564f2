"""`assets.evaluation.dialogue_m3cot`: what each strategy of M3CoT says, to the letter."""

import pytest

from assets.evaluation.dialogue_m3cot import asks, block, letters, shot_parts
from assets.evaluation.dialogue_parts import DialogueError
from assets.evaluation.strategy_m3cot import manner
from assets.models.model import REPLY, Ask
from assets.schema.sample import Part, Sample

PHYSICS = Sample(
    id="physics-1",
    benchmark="m3cot",
    source="scienceqa",
    source_id="1",
    provenance="hand",
    domain="science",
    topic="natural-science",
    subtopic="physics",
    category="Magnets",
    question="What will happen?",
    context="Two magnets.",
    choices=("attract", "repel"),
    answer="B",
    rationale=(Part("text", "Step 1: N faces N.\nStep 2: So they repel.", None),),
    images=("magnets",),
    split="test",
)
COMMON = PHYSICS._replace(
    id="social-2",
    domain="commonsense",
    topic="social-commonsense",
    subtopic="social-commonsense",
    context=None,
    question="Who is it?",
    choices=("a cook", "a clown", "a judge"),
    images=("who",),
)
PLAIN = "[Context]\nTwo magnets.\n[Question]\nWhat will happen?\n[Choices]\n(A) attract\n(B) repel"
NESTED = (
    "[Context]\nTwo magnets.\n[Question]\n<QUESTION>\nWhat will happen?\n\n<CHOICE>\n(A) attract\n(B) repel\n\n"
    "<CONTEXT>\nTwo magnets.\n[Choices]\n(A) attract\n(B) repel"
)
SELECT = 'Please select the correct answer from the ["(A)","(B)"] options.'
DESCRIBE = "Describe the image information relevant to the question. Do not answer the choice question directly."
GRAPH = (
    "For the provided image and its associated question, generate a scene graph in JSON format that includes the "
    "following:\n1.Objects that are relevant to answering the question.\n"
    "2.Object attributes that are relevant to answering the question.\n"
    "3.Object relationships that are relevant to answering the question.\n\nScene Graph:"
)


def text(said):
    return Part("text", said, None)


def picture(image_id):
    return Part("image", None, image_id)


def first(said):
    return Ask((picture("magnets"), text(said)))


@pytest.mark.parametrize(
    ("strategy", "variant", "expected"),
    [
        ("direct", "default", (first(f"{PLAIN}\n\n{SELECT}"),)),
        ("cot", "default", (first(f"{PLAIN}\n\nLet's think step-by-step!"), Ask((text(SELECT),)))),
        ("desp-cot", "default", (first(f"{PLAIN}\n\n{DESCRIBE}"), Ask((text(SELECT),)))),
        ("ccot", "default", (first(f"{PLAIN}\n\n{GRAPH}"), Ask((text(SELECT),)))),
        ("direct", "gpt4v", (first(NESTED),)),
        ("direct", "llava", (first(NESTED), Ask((text(SELECT),)))),
        ("cot", "openflamingo", (first(f"{NESTED}\n\nLet's think step-by-step!"),)),
        ("cot", "cogvlm", (first(f"{NESTED}\n\nLet's think step-by-step!"), Ask((text(SELECT),)))),
        (
            "desp-cot",
            "llava",
            (
                first(f"{NESTED}\n\n{DESCRIBE}"),
                Ask((text('Then, provide your answer. Note, you must choose from ["(A)","(B)"] options.'),)),
            ),
        ),
        (
            "desp-cot",
            "kosmos-2",
            (
                first(f"{NESTED}\n\n{DESCRIBE}"),
                Ask((text("Then, provide your answer. Note, you must choose one option."),)),
            ),
        ),
        (
            "desp-cot",
            "gemini",
            (
                first(f"{NESTED}\n\n{DESCRIBE}"),
                Ask(
                    (
                        picture("magnets"),
                        text(f"{PLAIN}\n\n[Description] "),
                        REPLY,
                        text("\n\nProvide your answer. Note, you must choose from the given options."),
                    ),
                    fresh=True,
                ),
            ),
        ),
        (
            "desp-cot",
            "instruct-blip",
            (
                first(f"{NESTED}\n\n{DESCRIBE}"),
                Ask(
                    (
                        picture("magnets"),
                        text(
                            "[Context]\nTwo magnets.\n\n[Question]\nWhat will happen?\n[Choices]\n(A) attract\n"
                            "(B) repel\n\n[Description] "
                        ),
                        REPLY,
                        text('\n\nProvide your answer. Note, you must choose from ["(A)","(B)"] options.\n\n[Answer]'),
                    ),
                    fresh=True,
                ),
            ),
        ),
        ("ccot", "llava", (first(f"{NESTED}\n\n{GRAPH}"), Ask((text(SELECT),)))),
    ],
)
def test_each_strategy_asks_in_its_own_words(strategy, variant, expected):
    assert asks(PHYSICS, manner(strategy, variant)) == expected


def test_a_question_without_context_has_no_heading_for_it():
    [ask] = asks(COMMON, manner("direct"))
    assert ask.parts == (
        picture("who"),
        text(
            "[Question]\nWho is it?\n[Choices]\n(A) a cook\n(B) a clown\n(C) a judge\n\n"
            'Please select the correct answer from the ["(A)","(B)","(C)"] options.'
        ),
    )
    for nothing in ("", " \n"):
        assert asks(COMMON._replace(context=nothing), manner("direct")) == (ask,)


@pytest.mark.parametrize(
    ("changes", "nested"),
    [
        ({}, True),
        ({"subtopic": "biology"}, False),
        ({"domain": "commonsense"}, False),
        ({"domain": None}, False),
        ({"question": "<QUESTION>\nWhat will happen?"}, False),
    ],
)
def test_a_second_block_stands_within_questions_of_science_but_biology_that_have_none_yet(changes, nested):
    [ask] = asks(PHYSICS._replace(**changes), manner("direct", "gemini"))
    assert str(ask.parts[1].text).count("<CHOICE>") == nested


def test_letters_are_as_many_as_options():
    assert letters(2) == '["(A)","(B)"]'
    assert letters(6) == '["(A)","(B)","(C)","(D)","(E)","(F)"]'


def test_several_pictures_stand_before_the_text_and_one_of_an_option_behind_it():
    sample = PHYSICS._replace(images=("one", "two"), choice_images=("a", "b"))
    [ask] = asks(sample, manner("direct"))
    assert ask.parts == (
        picture("one"),
        picture("two"),
        text("[Context]\nTwo magnets.\n[Question]\nWhat will happen?\n[Choices]\n(A) attract"),
        picture("a"),
        text("\n(B) repel"),
        picture("b"),
        text(f"\n\n{SELECT}"),
    )


def test_pictures_change_no_letter_of_a_block_and_options_show_theirs_once():
    sample = PHYSICS._replace(choice_images=("a", "b"))
    parts = block(sample, manner("direct", "llava").blocks["nested"])
    assert "".join(part.text or "" for part in parts) == NESTED
    assert [part.image_id for part in parts if part.image_id] == ["magnets", "a", "b"]


@pytest.mark.parametrize("token", ["<image>", "{reply}", "{letters}", "{block}", "[IMAGE0]", "<|image_pad|>"])
def test_text_that_looks_like_a_picture_or_a_place_stays_text(token):
    sample = PHYSICS._replace(question=f"What does {token} mean?", choices=(token, "b"), context=token)
    [ask] = asks(sample, manner("direct"))
    assert ask.parts == (
        picture("magnets"),
        text(
            f"[Context]\n{token}\n[Question]\nWhat does {token} mean?\n[Choices]\n(A) {token}\n(B) b\n\n{SELECT}",
        ),
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"images": None}, "physics-1: has no picture to show: give it one, or leave it out"),
        ({"images": ()}, "physics-1: has no picture to show"),
        ({"question": None}, "physics-1: has no question to show"),
        ({"choices": ()}, "physics-1: has no choices to show"),
        ({"choices": ("a", None)}, "physics-1: its option B is no text"),
        ({"choice_images": ("a",)}, "physics-1: has 2 options and 1 pictures of them"),
    ],
)
def test_a_sample_that_lacks_something_fails_with_its_id(changes, sentence):
    with pytest.raises(DialogueError) as raised:
        asks(PHYSICS._replace(**changes), manner("cot"))
    assert sentence in str(raised.value)


@pytest.mark.parametrize(
    ("strategy", "solved"),
    [
        ("direct", "[Answer]\n(B)"),
        ("cot", "Let's think step-by-step!\n\nStep 1: N faces N.\nStep 2: So they repel.\n\n[Answer]\n(B)"),
        ("desp-cot", "[Rationale]\nStep 1: N faces N.\nStep 2: So they repel.\n\n[Answer]\n(B)"),
        ("ccot", "[Rationale]\nStep 1: N faces N.\nStep 2: So they repel.\n\n[Answer]\n(B)"),
    ],
)
def test_a_shot_is_solved_in_the_strategys_own_manner(strategy, solved):
    assert shot_parts(PHYSICS, manner(strategy)) == (picture("magnets"), text(f"{PLAIN}\n\n{solved}"))


def test_shots_stand_before_the_question_with_their_pictures_or_as_text():
    shots = (PHYSICS, COMMON._replace(rationale=(text("A red nose."),)))
    [ask, second] = asks(PHYSICS._replace(id="asked", images=("asked",)), manner("cot"), shots)
    solved = f"{PLAIN}\n\nLet's think step-by-step!\n\nStep 1: N faces N.\nStep 2: So they repel.\n\n[Answer]\n(B)\n\n"
    other = (
        "[Question]\nWho is it?\n[Choices]\n(A) a cook\n(B) a clown\n(C) a judge\n\nLet's think step-by-step!\n\n"
        "A red nose.\n\n[Answer]\n(B)\n\n"
    )
    question = f"{PLAIN}\n\nLet's think step-by-step!"
    assert ask.parts == (
        picture("magnets"),
        text(solved),
        picture("who"),
        text(other),
        picture("asked"),
        text(question),
    )
    assert second.parts == (text(SELECT),)
    [told, _] = asks(PHYSICS._replace(id="asked", images=("asked",)), manner("cot"), shots, "text")
    assert told.parts == (text(solved + other), picture("asked"), text(question))


def test_a_fresh_ask_has_the_shots_before_it_again():
    [first_ask, second] = asks(PHYSICS._replace(images=("asked",)), manner("desp-cot", "gemini"), (COMMON,))
    assert first_ask.parts[:2] == (picture("who"), first_ask.parts[1])
    assert [part.image_id for part in second.parts if part.image_id] == ["who", "asked"]


def test_a_rationale_of_several_parts_is_told_in_lines_with_its_pictures():
    told = (text("One."), text("Two."), Part("image", "[IMAGE1]", "drawn"), text("Three."))
    shown = shot_parts(PHYSICS._replace(rationale=told), manner("desp-cot"))
    assert shown[1:] == (
        text(f"{PLAIN}\n\n[Rationale]\nOne.\nTwo."),
        picture("drawn"),
        text("Three.\n\n[Answer]\n(B)"),
    )
    [alone] = shot_parts(PHYSICS._replace(rationale=told), manner("desp-cot"), "text")
    assert str(alone.text).endswith("[Rationale]\nOne.\nTwo.\nThree.\n\n[Answer]\n(B)")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"images": ()}, "physics-1: has no picture to show"),
        ({"rationale": None}, "physics-1: has no rationale to show"),
        ({"rationale": (Part("text", " ", None),)}, "physics-1: has no rationale to show"),
        ({"rationale": (Part("text", "a", None), Part("image", "[IMAGE1]", None))}, r"its picture [IMAGE1] is missing"),
        ({"answer": None}, "physics-1: has no answer to show: its answer is none"),
        ({"answer": "C"}, "physics-1: has no answer to show: its answer is C"),
    ],
)
def test_a_shot_that_cannot_be_shown_fails_with_its_id(changes, sentence):
    with pytest.raises(DialogueError) as raised:
        asks(COMMON, manner("cot"), (PHYSICS._replace(**changes),))
    assert sentence in str(raised.value)


def test_a_shot_without_picture_or_rationale_serves_where_none_is_shown():
    bare = PHYSICS._replace(images=None, rationale=None)
    assert shot_parts(bare, manner("direct"), "text") == (text(f"{PLAIN}\n\n[Answer]\n(B)"),)
