"""The kind `tools`: every policy from end to end on models that are written out, and what its replies depend on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assets.models.model import Model, ModelError, Reply
from assets.models.tools_chat import ToolsChat
from assets.replies_store import RepliesStore
from assets.settings_evaluation import Tools
from tests.assets.models.tools_parts import Grey, Speaker, question

ANSWER = "The answer is (B)."
SCRIPTS: dict[str, dict[str, str]] = {
    "chameleon": {
        "Program:": "[visual_question_answering(question='How dark?'), calculator(expression='6*7')]",
        "Solution:": f"It is grey and 42. {ANSWER}",
    },
    "hugginggpt": {
        "Tasks:": json.dumps(
            [
                {"task": "crop", "id": 0, "dep": [], "args": {"picture": "picture_1", "box": [0, 0, 0.5, 1]}},
                {
                    "task": "visual_question_answering",
                    "id": 1,
                    "dep": [0],
                    "args": {"picture": "<resource>-0", "question": "How dark?"},
                },
            ]
        ),
        "Response:": f"It is grey. {ANSWER}",
        "Selection:": '{"model": "second_eye", "reason": "it is the second"}',
    },
    "visualchatgpt": {
        "Next step:": 'Thought: look\nAction: visual_question_answering\nAction Input: {"picture": "picture_1", '
        '"question": "How dark?"}',
        "Observation: grey\nNext step:": f"Thought: grey\nFinal Answer: {ANSWER}",
    },
    "idealgpt": {
        "Sub-questions:": "1. How dark is picture_1?",
        "Reasoning:": f"Reasoning: it is grey\nConfidence: high\nAnswer: {ANSWER}",
    },
}


def scripted(policy: str) -> Speaker:
    """A planner that replies by how the prompt ends; of two endings that fit, the longer."""

    def says(text: str) -> str:
        fitting = [ending for ending in SCRIPTS[policy] if text.endswith(ending)]
        return SCRIPTS[policy][max(fitting, key=len)]

    return Speaker("mind", says)


def settings(policy: str = "visualchatgpt", **given: Any) -> Tools:
    return Tools.model_validate({"kind": "tools", "policy": policy, "planner": "mind", "sees": ("eye",), **given})


def building(*models: Model) -> tuple[Callable[[str], Model], list[str]]:
    built: list[str] = []

    def build(name: str) -> Model:
        built.append(name)
        return {model.name: model for model in models}[name]

    return build, built


def only(chat: ToolsChat) -> Reply:
    [reply] = chat.replies([question(1, "7")], Grey())
    return reply


@pytest.mark.parametrize(
    ("policy", "roles"),
    [
        ("chameleon", ["plan", "call", "observation", "call", "observation", "thought"]),
        ("hugginggpt", ["plan", "call", "observation", "selection", "call", "observation"]),
        ("visualchatgpt", ["thought", "call", "observation", "thought"]),
        ("idealgpt", ["call", "observation", "plan", "call", "observation", "thought"]),
    ],
)
def test_each_policy_answers_with_the_real_tools(tmp_path: Path, policy: str, roles: list[str]) -> None:
    eyes = [Speaker(name, lambda text: "grey") for name in ("eye", "second_eye")]
    build, built = building(scripted(policy), *eyes)
    chat = ToolsChat("chat", settings(policy, sees=("eye", "second_eye")), build=build, folder=tmp_path)
    reply = only(chat)
    assert [turn.role for turn in reply.turns] == roles
    assert (reply.status, reply.text.splitlines()[-1].endswith(ANSWER)) == ("ok", True)
    assert built == ["mind", "eye", "second_eye"]
    # The selection of hugginggpt decides who looks.
    assert [bool(eye.asked) for eye in eyes] == [policy != "hugginggpt", policy == "hugginggpt"]


def test_what_was_said_on_the_way_is_not_asked_again_but_under_another_asking(tmp_path: Path) -> None:
    def chat(asking: str) -> tuple[ToolsChat, Speaker, Speaker]:
        mind, eye = scripted("visualchatgpt"), Speaker("eye", lambda text: "grey")
        build, _ = building(mind, eye)
        return ToolsChat("chat", settings(), build=build, folder=tmp_path, asking=asking), mind, eye

    first, mind, eye = chat("first")
    reply = only(first)
    assert (len(mind.asked), len(eye.asked)) == (2, 1)
    assert {**first.facts, "tools": "", "sandbox": ""} == {
        "policy": "visualchatgpt",
        "planner": "mind",
        "sees": "eye",
        "tools": "",
        "sandbox": "",
        "asked_on_the_way": 3,
        "reused_on_the_way": 0,
    }
    second, mind, eye = chat("first")
    assert only(second) == reply
    assert (len(mind.asked), len(eye.asked)) == (0, 0)
    assert second.facts["reused_on_the_way"] == 3
    third, mind, eye = chat("night")
    assert only(third) == reply
    assert (len(mind.asked), len(eye.asked)) == (2, 1)
    assert {record["asking"] for _, record in RepliesStore(tmp_path).records()} == {"first", "night"}


def test_a_model_that_plans_and_sees_is_built_once(tmp_path: Path) -> None:
    mind = scripted("visualchatgpt")
    before = mind.says
    mind.says = lambda text: "grey" if "about the picture" in text else before(text)
    build, built = building(mind)
    chat = ToolsChat("chat", settings(sees=("mind",)), build=build, folder=tmp_path)
    assert chat.identity["planner"] == mind.identity
    assert only(chat).status == "ok"
    assert built == ["mind"]


def test_the_identity_names_all_that_replies_depend_on(tmp_path: Path) -> None:
    def identity(mind: Speaker | None = None, eye: Speaker | None = None, **given: Any) -> str:
        build, _ = building(
            mind or Speaker("mind", str.upper), eye or Speaker("eye", str.upper), Speaker("e2", str.upper)
        )
        chat = ToolsChat("chat", settings(**given), build=build, folder=tmp_path / str(len(given)))
        return json.dumps(chat.identity, sort_keys=True)

    same = identity()
    assert identity(published="Chameleon") == same
    changed = [
        identity(Speaker("mind", str.upper, temperature=1)),
        identity(eye=Speaker("eye", str.upper, temperature=1)),
        identity(policy="chameleon"),
        identity(calls=3),
        identity(rounds=3),
        identity(limit_s=3.0),
        identity(tools=("calculator",)),
        identity(sees=("e2",)),
        identity(sees=("eye", "e2")),
        identity(sees=("e2", "eye")),
    ]
    assert len({same, *changed}) == 1 + len(changed)


def test_nothing_is_built_before_it_is_needed(tmp_path: Path) -> None:
    build, built = building()
    ToolsChat("chat", settings(), build=build, folder=tmp_path / "none")
    assert built == []
    assert not (tmp_path / "none").exists()


def test_a_model_that_is_called_planner_cannot_see_for_another(tmp_path: Path) -> None:
    build, _ = building(Speaker("mind", str.upper), Speaker("planner", str.upper))
    with pytest.raises(ModelError, match=r"models\.chat\.sees: a model called planner"):
        only(ToolsChat("chat", settings(sees=("planner",)), build=build, folder=tmp_path))


def test_a_bound_ends_a_run_that_goes_on_and_on(tmp_path: Path) -> None:
    build, _ = building(
        Speaker("mind", lambda text: "Thought: again\nAction: calculator\nAction Input: 1 + 1"),
        Speaker("eye", str.upper),
    )
    reply = only(ToolsChat("chat", settings(calls=2, rounds=9), build=build, folder=tmp_path))
    assert (reply.status, reply.finish_reason) == ("bound_reached", "too_many_calls")
    assert [turn.role for turn in reply.turns].count("call") == 2
    assert reply.parts == ()
