"""`assets.analysis.audit.shapes`: what a scored reply looks like, one declared shape for every reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.analysis.audit.disagreements import excerpt
from assets.analysis.audit.shapes import shape
from assets.schema.analysis_vocabulary import SHAPES

CHOICES = ("a brass kettle", "a kettle", "a blue lamp", "none of the above")
PROMPT = "[Question]\nWhich one?\n[Choices]\n(A) a brass kettle\n(B) a kettle\n(C) a blue lamp\n(D) none of the above"

LOOKS = [
    (None, "no_text"),
    ("", "empty"),
    (" \n", "empty"),
    ("</s>", "empty"),
    ("REJECT", "withheld"),
    ("C</s>", "letter_and_end_token"),
    (" b <|im_end|>", "letter_and_end_token"),
    ("Q</s>", "letter_and_end_token"),
    ("C", "letter"),
    (" C\n", "letter"),
    ("C.", "letter_and_punctuation"),
    ("C.</s>", "letter_and_punctuation"),
    ("**C**", "letter_and_punctuation"),
    ("A)", "letter_and_punctuation"),
    ("c", "lower_case_letter"),
    ("c)", "lower_case_letter"),
    ("(C)", "parenthesised_letter"),
    ("(c).</s>", "parenthesised_letter"),
    ("A, B,", "letters"),
    ("(A) and (B)", "letters"),
    (" Answer: (A, B, C)", "letters"),
    ("<think>maybe (C)</think> B", "thought"),
    ("<answer>D</answer>", "structured"),
    ('{"answer": "D"}', "structured"),
    ("B. a kettle", "letter_and_option_text"),
    ("(c) A blue lamp.</s>", "letter_and_option_text"),
    ("The correct answer is (C) a blue lamp.</s>", "letter_and_option_text"),
    ("(C) a kettle", "letter_and_other_text"),
    ("The answer is B: a blue lamp", "letter_and_other_text"),
    ("The correct answer is (B).", "announced_letter"),
    (" Answer: (A", "announced_letter"),
    ("**Answer:** **C**", "announced_letter"),
    ("a blue lamp", "option_text"),
    ("None of the above.", "option_text"),
    ("18", "number"),
    ("The options are (A) a brass kettle (B) a kettle. Hm.", "echo"),
    ("I'm sorry, I can't help with that image.", "refusal"),
    ("Unlike (C) it boils water, so it is (B).", "several_parenthesised"),
    ("It boils water, so it is (B) I think.", "one_parenthesised"),
    ("Neither C nor D is right here.", "several_letters"),
    ("A person holds what must be B here.", "one_letter"),
    ("A person stands near a table.", "no_letter"),
    ("There is vitamin K in it.", "no_letter"),
]


@pytest.mark.parametrize(("text", "name"), LOOKS)
def test_a_reply_has_the_first_shape_that_fits(text: str | None, name: str) -> None:
    assert shape(text, CHOICES) == name


def test_every_declared_shape_is_met_above_but_the_one_that_needs_a_dialogue() -> None:
    assert {name for _, name in LOOKS} == set(SHAPES) - {"characters"}


def test_a_text_split_into_characters_is_told_by_the_dialogue() -> None:
    assert shape("T", CHOICES, (PROMPT, *"REJECT")) == "characters"
    assert shape("T", CHOICES, (PROMPT, "T")) == "letter"


def test_a_heading_of_the_prompt_is_an_echo_and_an_own_one_is_not() -> None:
    reply = "[Question] What is it, then? I would say the lamp"
    assert shape(reply, CHOICES, (PROMPT, reply)) == "echo"
    assert shape(reply, CHOICES) == "no_letter"
    assert shape("[Result] the lamp", CHOICES, (PROMPT, "[Result] the lamp")) == "no_letter"


def test_a_heading_that_the_model_gave_itself_before_is_no_echo() -> None:
    dialogue = (PROMPT, "[Rationale] It is blue.", "So?", "[Rationale] It is blue, a lamp then")
    assert shape(dialogue[-1], CHOICES, dialogue) == "no_letter"


def test_options_that_are_no_text_do_no_harm() -> None:
    assert shape("(B) x", (None, "x")) == "letter_and_option_text"
    assert shape("(A)", ()) == "parenthesised_letter"


@given(st.text(max_size=120), st.lists(st.text(max_size=12), max_size=5))
def test_every_text_has_one_declared_shape(text: str, choices: list[str]) -> None:
    assert shape(text, choices) in SHAPES


@given(st.sampled_from([text for text, _ in LOOKS if text]), st.sampled_from(["", " ", "\n", "\t "]))
def test_white_space_around_a_reply_never_counts(text: str, space: str) -> None:
    assert shape(space + text + space, CHOICES) == shape(text, CHOICES)


def test_an_excerpt_writes_control_characters_out_and_keeps_both_ends() -> None:
    assert excerpt("C\r\n\x07") == "C\\r\\n\\x07"
    assert excerpt("one\\two ü") == "one\\\\two ü"
    assert excerpt(None) == ""
    long = excerpt("a" * 90 + "b" * 50 + "c" * 60)
    assert long == f"{'a' * 90} […] {'c' * 60}"
    assert excerpt("a" * 150) == "a" * 150
