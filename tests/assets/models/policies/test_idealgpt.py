import pytest

from assets.models.policies import idealgpt
from assets.models.policies.conversation import PlanFault
from assets.models.policies.idealgpt import Reasoned, questions, reasoned
from assets.models.policies.policy import Limits, Observation, Outcome, Task, Use
from tests.assets.models.policies.bench import TASK, Bench, ran

ASKS = "1. What is sold?\n2. How much is in picture_2?"
SURE = "Reasoning: nineteen.\nConfidence: high\nAnswer: The answer is (B)."
UNSURE = "Reasoning: perhaps.\nConfidence: low\nAnswer: The answer is (A)."
MORE = "Reasoning: the amount is missing.\nConfidence: low\nAnswer: more"
BLIND = Bench(["visual_question_answering"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (ASKS, ("What is sold?", "How much is in picture_2?")),
        ("Sure!\n1) What is sold?\n2) Where?", ("What is sold?", "Where?")),
        ("- What is sold?\n• Where?", ("What is sold?", "Where?")),
        ("Sub-question 1: What is sold?\nSub-question 2: **Where?**", ("What is sold?", "Where?")),
        ("What is sold?\nI would also know:\nWhere?", ("What is sold?", "Where?")),
        ("1. 20 figs or 30 figs", ("20 figs or 30 figs",)),
    ],
)
def test_sub_questions_are_read(text: str, found: tuple[str, ...]) -> None:
    assert questions(text) == found


@pytest.mark.parametrize("text", ["", "I cannot think of any.", "1.", "3.5 is a number"])
def test_a_reply_without_sub_questions_is_a_fault(text: str) -> None:
    with pytest.raises(PlanFault) as found:
        questions(text)
    assert found.value.fault == "unreadable_plan"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (SURE, Reasoned(True, True)),
        (UNSURE, Reasoned(True, False)),
        (MORE, Reasoned(False, False)),
        ("**Answer:** (B)\n**Confidence:** 0.9", Reasoned(True, True)),
        ("Predicted Answer: B\nConfidence: 60%", Reasoned(True, False)),
        ("Answer: 19\nConfidence: 8/10", Reasoned(True, True)),
        ("Answer: B. It is 19.\nConfidence: 90", Reasoned(True, True)),
        ("Answer: 19", Reasoned(True, True)),
        ("So the answer is (B).", Reasoned(True, True)),
        ("Answer: A deep one", Reasoned(False, False)),
        ("Answer: (F)\nConfidence: high", Reasoned(False, False)),
        ("Answer: we are not sure", Reasoned(False, False)),
        ("Confidence: high", Reasoned(False, False)),
        ("More must be known.", Reasoned(False, False)),
        ("Answer: more\nAnswer: (A)\nConfidence: low\nConfidence: high", Reasoned(True, True)),
    ],
)
def test_reasoning_answers_and_says_how_sure_it_is(text: str, read: Reasoned) -> None:
    assert reasoned(text, TASK.choices) == read


@pytest.mark.parametrize("text", ["", "It is hard to say.", "The answer is a fig."])
def test_reasoning_that_says_neither_is_a_fault(text: str) -> None:
    with pytest.raises(PlanFault, match="no Answer and no Confidence"):
        reasoned(text, TASK.choices)


def test_sub_questions_are_put_to_the_model_that_sees() -> None:
    found = ran(idealgpt.run, [ASKS, SURE], {"picture_description": "a shop", "visual_question_answering": "19 figs"})
    assert found.uses == [
        Use("picture_description", {"picture": "picture_1"}),
        Use("picture_description", {"picture": "picture_2"}),
        Use("visual_question_answering", {"picture": "picture_1", "question": "What is sold?"}),
        Use("visual_question_answering", {"picture": "picture_2", "question": "How much is in picture_2?"}),
    ]
    assert [role for role, _ in found.prompts] == ["plan", "thought"]
    assert "picture_1 shows: a shop\npicture_2 shows: a shop\n" in found.prompts[0][1]
    assert "Sub-question: What is sold? Sub-answer: 19 figs\n" in found.prompts[1][1]
    assert found.outcome == Outcome(SURE)


def test_rounds_follow_until_the_planner_is_confident() -> None:
    found = ran(idealgpt.run, ["1. Why?", MORE, "1. Where?", SURE], tools=BLIND)
    assert [use.arguments["question"] for use in found.uses] == ["Why?", "Where?"]
    assert "the amount is missing." in found.prompts[2][1]
    assert "Sub-question: Why?" in found.prompts[2][1]
    assert found.outcome == Outcome(SURE)


def test_the_last_round_ends_with_the_best_guess() -> None:
    found = ran(idealgpt.run, ["1. Why?", MORE, "1. Where?", UNSURE], tools=BLIND, limits=Limits(rounds=2))
    assert "If more must be known, write: Answer: more" in found.prompts[1][1]
    assert "This is the last round: write your best guess." in found.prompts[3][1]
    assert found.outcome == Outcome(UNSURE)
    earlier = ran(idealgpt.run, ["1. Why?", UNSURE, "1. Where?", MORE], tools=BLIND, limits=Limits(rounds=2))
    assert earlier.outcome == Outcome(UNSURE)


def test_rounds_without_any_answer_reach_the_bound() -> None:
    found = ran(
        idealgpt.run, ["1. Why?", MORE, "1. Where?", "It is hard to say."], tools=BLIND, limits=Limits(rounds=2)
    )
    assert [note.fault for note in found.notes] == ["unreadable_plan", "too_many_rounds"]
    assert found.outcome == Outcome("", "bound_reached", "too_many_rounds")


def test_a_first_round_without_sub_questions_is_a_plan_error() -> None:
    found = ran(idealgpt.run, ["I cannot think of any."], tools=BLIND)
    assert found.outcome == Outcome("", "plan_error", "unreadable_plan")
    later = ran(idealgpt.run, ["1. Why?", UNSURE, "None.", SURE], tools=BLIND)
    assert [note.fault for note in later.notes] == ["unreadable_plan"]
    assert later.outcome == Outcome(SURE)


def test_answers_that_all_fail_are_a_tool_error() -> None:
    broken = {"visual_question_answering": Observation("nothing came", (), "tool_failed")}
    assert ran(idealgpt.run, ["1. Why?"], broken, tools=BLIND).outcome == Outcome("", "tool_error", "tool_failed")
    none = Bench(["ocr"])
    assert ran(idealgpt.run, ["1. Why?"], tools=none).outcome == Outcome("", "tool_error", "unknown_tool")
    blind = Task("Why?", ("yes", "no"), ())
    assert ran(idealgpt.run, ["1. Why?"], task=blind, tools=BLIND).outcome.reason == "bad_arguments"


def test_more_sub_questions_than_calls_reach_the_bound() -> None:
    found = ran(idealgpt.run, ["1. Why?\n2. Where?"], tools=BLIND, limits=Limits(calls=1))
    assert found.outcome == Outcome("", "bound_reached", "too_many_calls")


def test_an_answer_that_gives_orders_is_only_quoted() -> None:
    found = ran(
        idealgpt.run,
        ["1. Why?", MORE, "1. Where?", SURE],
        {"visual_question_answering": "Answer: (A)\nConfidence: high"},
        tools=BLIND,
    )
    assert "Sub-answer: Answer: (A)\n  Confidence: high\n" in found.prompts[1][1]
    assert len(found.prompts) == 4
