import random
from collections.abc import Sequence

import pytest

from assets.models.policies import chameleon, hugginggpt, idealgpt, visualchatgpt
from assets.models.policies.demonstrations import demonstrations
from assets.models.policies.known import KNOWN
from assets.models.policies.letters import declared
from assets.models.policies.policy import Limits, Outcome, Task, Use
from assets.models.tools.inventory import Inventory, inventory
from tests.assets.models.policies.bench import Bench, ran

TABLE = Task("How many figs are sold in all? (A) 12 (B) 19 (C) 21", ("12", "19", "21"), ("picture_1",))
TEXT = Task("Which formula fits this model? (A) CO (B) CO2", ("CO", "CO2"), ("picture_1",))
SCENE = Task("What will the man do? (A) leave (B) eat", ("leave", "eat"), ("picture_1", "picture_2"))


def tools(names: Sequence[str] | None = None, sees: tuple[str, ...] = ("eyes",)) -> Inventory:
    return inventory(names, sees=sees, detects=None, limit_s=30)


@pytest.mark.parametrize("policy", KNOWN)
@pytest.mark.parametrize("task", [TABLE, TEXT, SCENE])
def test_the_rule_runs_well_with_any_words(policy: str, task: Task) -> None:
    for seed in range(12):
        found = demonstrations(policy, task, "B", tools(), random.Random(seed))
        assert declared(found[-1].reply, task.choices) == "B"
        assert all(one.prompt and one.reply for one in found)


def test_prompts_are_those_of_real_runs() -> None:
    first = {policy: demonstrations(policy, TEXT, "A", tools(), random.Random(0))[0].prompt for policy in KNOWN}
    assert first["chameleon"] == chameleon.plan_prompt(TEXT, tools())
    assert first["hugginggpt"] == hugginggpt.plan_prompt(TEXT, tools())
    assert first["visualchatgpt"] == visualchatgpt.step_prompt(TEXT, tools(), [], last=False)
    assert first["idealgpt"].startswith(idealgpt.questions_prompt(TEXT, ["picture_1 shows: "], "").split("shows")[0])


def test_the_plans_are_the_ones_that_a_rule_writes() -> None:
    assert demonstrations("chameleon", TABLE, "B", tools(), random.Random(0))[0].reply == (
        "[table_reading, solution_generator, answer_extractor]"
    )
    assert demonstrations("hugginggpt", TEXT, "A", tools(), random.Random(0))[0].reply == (
        '[{"task": "ocr", "id": 0, "dep": [-1], "args": {"picture": "picture_1"}}, '
        '{"task": "visual_question_answering", "id": 1, "dep": [-1], '
        '"args": {"picture": "picture_1", "question": "Which option fits the picture?"}}]'
    )
    assert demonstrations("visualchatgpt", SCENE, "A", tools(), random.Random(0))[0].reply == (
        'Thought: I look at the picture first.\nAction: picture_description\nAction Input: {"picture": "picture_1"}'
    )


def test_reasoning_is_sure_once_a_tool_named_the_option() -> None:
    runs = [
        demonstrations("idealgpt", TEXT, "A", tools(), random.Random(seed), limits=Limits(rounds=3))
        for seed in range(20)
    ]
    assert {len(run) for run in runs} == {2, 6}
    for run in runs:
        for one in run[1::2]:
            named = "(A)" in one.prompt.split("Known so far:")[1].split("Pictures:")[0]
            last = "This is the last round" in one.prompt
            assert one.reply.endswith("Answer: more") == (not named and not last)


def test_what_a_tool_asks_the_planner_is_shown_too() -> None:
    def asks(use: Use) -> str | None:
        return f"Write about {use.arguments['question']}" if use.tool == "knowledge" else None

    found = demonstrations("chameleon", SCENE, "B", tools(), random.Random(0), asks=asks)
    assert found[1].prompt == f"Write about {SCENE.text}"
    assert f"knowledge: {found[1].reply}\n" in found[2].prompt


@pytest.mark.parametrize("policy", ["chameleon", "hugginggpt", "visualchatgpt"])
def test_an_inventory_of_one_tool_is_enough(policy: str) -> None:
    assert demonstrations(policy, SCENE, "A", tools(["ocr"]), random.Random(0))


def test_what_cannot_be_shown_is_an_error() -> None:
    with pytest.raises(ValueError, match="none of table_reading, ocr"):
        demonstrations("chameleon", TABLE, "A", tools(["crop"]), random.Random(0))
    with pytest.raises(ValueError, match="would be call 2 of 1"):
        demonstrations("visualchatgpt", TEXT, "A", tools(), random.Random(0), limits=Limits(calls=1))


def test_several_models_are_selected_from() -> None:
    found = demonstrations("hugginggpt", SCENE, "B", tools(sees=("near", "far")), random.Random(0))
    assert [one.reply for one in found if "Models: near, far" in one.prompt] == [
        '{"model": "near", "reason": "It sees the picture."}'
    ] * 2


def test_the_same_draws_give_the_same_demonstrations() -> None:
    once = demonstrations("idealgpt", SCENE, "B", tools(), random.Random(3))
    assert demonstrations("idealgpt", SCENE, "B", tools(), random.Random(3)) == once


def test_a_module_whose_picture_may_be_left_out_gets_it() -> None:
    class Real(Bench):
        described = tools().described  # type: ignore[assignment]
        fault = tools().fault  # type: ignore[assignment]

    found = ran(chameleon.run, ["[table_reading]", "The answer is (B)."], tools=Real(tools().names))
    assert found.uses == [Use("table_reading", {"picture": "picture_1"})]
    assert found.outcome == Outcome("The answer is (B).")


def test_a_planners_prompt_is_short() -> None:
    for policy in KNOWN:
        prompt = demonstrations(policy, TABLE, "A", tools(), random.Random(0))[0].prompt
        assert len(prompt.split()) < 350
