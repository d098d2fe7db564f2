import json

import pytest

from assets.models.policies import hugginggpt
from assets.models.policies.conversation import PlanFault
from assets.models.policies.hugginggpt import Planned, ordered, selected, tasks
from assets.models.policies.policy import Limits, Observation, Outcome, Use
from tests.assets.models.policies.bench import Bench, ran

READ = {"task": "ocr", "id": 0, "dep": [-1], "args": {"picture": "picture_1"}}
KNOW = {"task": "knowledge", "id": 1, "dep": [0], "args": {"question": "What does <resource>-0 mean?"}}


def plan(*entries: object) -> str:
    return json.dumps(entries)


@pytest.mark.parametrize(
    "text",
    [
        plan(READ),
        f"Here it is:\n```json\n{plan(READ)}\n```\nIt reads.",
        json.dumps({"tasks": [READ]}),
        json.dumps(READ),
        "[{'task': 'ocr', 'id': '0', 'dep': -1, 'args': {'picture': 'picture_1'},},]",
        '[{task: "ocr", id: 0, args: {picture: "picture_1"}}]',
    ],
)
def test_plans_are_read_with_what_models_get_wrong_about_json(text: str) -> None:
    assert tasks(text) == (Planned("ocr", 0, (), {"picture": "picture_1"}),)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "unreadable_plan"),
        ("first ocr, then knowledge", "unreadable_plan"),
        (plan(READ)[:-3], "unreadable_plan"),
        ('[{"id": 0, "args": {}}]', "unreadable_plan"),
        ('[{"task": "ocr", "args": {}}]', "unreadable_plan"),
        ('[{"task": "ocr", "id": true}]', "unreadable_plan"),
        ('[{"task": "ocr", "id": -1}]', "unreadable_plan"),
        ('[{"task": "ocr", "id": 0, "dep": ["a"]}]', "unreadable_plan"),
        ('[{"task": "ocr", "id": 0, "args": ["picture_1"]}]', "unreadable_plan"),
        ('["ocr"]', "unreadable_plan"),
        (plan(READ, READ), "unreadable_plan"),
        ("[]", "empty_plan"),
        ('{"tasks": []}', "empty_plan"),
    ],
)
def test_what_is_no_plan_is_a_fault(text: str, fault: str) -> None:
    with pytest.raises(PlanFault) as found:
        tasks(text)
    assert found.value.fault == fault


def test_a_reference_is_a_dependency_said_or_not() -> None:
    unsaid = {**KNOW, "dep": [-1]}
    assert tasks(plan(READ, unsaid))[1].dep == (0,)
    assert tasks('[{"task": "ocr", "id": 3, "args": {"picture": "<GENERATED>-1"}}]')[0].dep == (1,)


def test_tasks_are_ordered_behind_what_they_need() -> None:
    a, b, c = Planned("a", 0, (2,), {}), Planned("b", 1, (), {}), Planned("c", 2, (1,), {})
    assert ordered([a, b, c]) == (b, c, a)
    assert ordered([b, c, a]) == (b, c, a)


@pytest.mark.parametrize(
    ("deps", "fault", "sentence"),
    [
        ({0: (1,), 1: (0,)}, "cycle", "tasks 0, 1 wait for each other"),
        ({0: (0,)}, "cycle", "tasks 0 wait for each other"),
        ({0: (), 1: (2,), 2: (3,), 3: (1,)}, "cycle", "tasks 1, 2, 3 wait for each other"),
        ({0: (7,)}, "bad_arguments", "task 0 needs task 7, which there is not"),
    ],
)
def test_a_graph_that_has_no_order_is_a_fault(deps: dict[int, tuple[int, ...]], fault: str, sentence: str) -> None:
    with pytest.raises(PlanFault, match=sentence) as found:
        ordered([Planned("ocr", number, dep, {}) for number, dep in deps.items()])
    assert found.value.fault == fault


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ('{"model": "far", "reason": "it sees far"}', "far"),
        ('I take {"id": "near"}', "near"),
        ('{"model": "other"}', None),
        ("far", None),
        ('{"model": ["far"]}', None),
    ],
)
def test_a_selection_names_a_candidate(text: str, model: str | None) -> None:
    assert selected(text, ("near", "far")) == model


def test_tasks_read_what_others_gave() -> None:
    crop = {"task": "crop", "id": 2, "dep": [], "args": {"picture": "picture_2", "box": [0, 0, 1, 0.5]}}
    look = {"task": "ocr", "id": 0, "dep": [2], "args": {"picture": "<resource>-2"}}
    found = ran(
        hugginggpt.run,
        [plan(look, crop, KNOW), "It is 19.\nThe answer is (B)."],
        {"crop": Observation("cut", ("picture_3",)), "ocr": "19 figs", "knowledge": "a number"},
    )
    assert found.uses == [
        Use("crop", {"picture": "picture_2", "box": [0, 0, 1, 0.5]}),
        Use("ocr", {"picture": "picture_3"}),
        Use("knowledge", {"question": "What does 19 figs mean?"}),
    ]
    role, prompt = found.prompts[1]
    assert role == "reply"
    assert "task 2, crop: cut New picture: picture_3.\ntask 0, ocr: 19 figs\ntask 1, knowledge: a number\n" in prompt
    assert found.outcome == Outcome("It is 19.\nThe answer is (B).")


def test_a_model_is_selected_only_where_there_are_several() -> None:
    look = {"task": "picture_description", "id": 0, "dep": [-1], "args": {"picture": "picture_1"}}
    alone = ran(hugginggpt.run, [plan(look), "The answer is (A)."])
    assert [role for role, _ in alone.prompts] == ["plan", "reply"]
    assert alone.uses == [Use("picture_description", {"picture": "picture_1"})]
    two = Bench(seeing=("near", "far"))
    chosen = ran(hugginggpt.run, [plan(look), '{"model": "far", "reason": "r"}', "The answer is (A)."], tools=two)
    assert [role for role, _ in chosen.prompts] == ["plan", "selection", "reply"]
    assert "Models: near, far\n" in chosen.prompts[1][1]
    assert chosen.uses == [Use("picture_description", {"picture": "picture_1", "model": "far"})]
    assert chosen.notes == []


def test_a_wrong_selection_is_kept_and_the_first_model_taken() -> None:
    look = {"task": "picture_description", "id": 4, "dep": [], "args": {"picture": "picture_1"}}
    found = ran(hugginggpt.run, [plan(look), "the best", "The answer is (A)."], tools=Bench(seeing=("near", "far")))
    assert found.uses[0].arguments["model"] == "near"
    assert [(note.fault, note.text) for note in found.notes] == [
        ("bad_arguments", "task 4: no model of near, far is selected: near is")
    ]
    assert found.outcome.status == "ok"


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ([{**READ, "task": "telescope"}], "unknown_tool"),
        ([{**READ, "args": {}}], "bad_arguments"),
        ([{**READ, "args": {"picture": "tower.png"}}], "bad_arguments"),
        ([{**READ, "args": {"picture": "picture_1", "colour": "red"}}], "bad_arguments"),
        ([{**READ, "dep": [9]}], "bad_arguments"),
        ([{**READ, "dep": [1]}, {**KNOW, "dep": [0]}], "cycle"),
    ],
)
def test_a_wrong_plan_ends_before_any_task_is_executed(entries: list[object], fault: str) -> None:
    found = ran(hugginggpt.run, [plan(*entries)])
    assert found.uses == []
    assert [note.fault for note in found.notes] == [fault]
    assert found.outcome == Outcome("", "plan_error", fault)


def test_a_task_that_reads_a_failed_one_is_not_executed() -> None:
    describe = {"task": "picture_description", "id": 2, "dep": [], "args": {"picture": "picture_2"}}
    found = ran(
        hugginggpt.run,
        [plan(READ, KNOW, describe), "The answer is (A)."],
        {"ocr": Observation("it took too long", (), "timeout")},
    )
    assert [use.tool for use in found.uses] == ["ocr", "picture_description"]
    assert "task 1, knowledge: failed (tool_failed): was not executed, since task 0 failed\n" in found.prompts[1][1]
    alone = ran(hugginggpt.run, [plan(READ, KNOW)], {"ocr": Observation("it took too long", (), "timeout")})
    assert alone.outcome == Outcome("", "tool_error", "timeout")


def test_a_text_where_a_picture_is_needed_fails_that_task() -> None:
    look = {"task": "picture_description", "id": 1, "dep": [0], "args": {"picture": "<resource>-0"}}
    found = ran(hugginggpt.run, [plan(READ, look), "The answer is (A)."], {"ocr": "19 figs"})
    assert "task 1, picture_description: failed (bad_arguments): there is no picture 19 figs" in found.prompts[1][1]


def test_more_tasks_than_calls_reach_the_bound() -> None:
    found = ran(hugginggpt.run, [plan(READ, KNOW)], limits=Limits(calls=1))
    assert found.outcome == Outcome("", "bound_reached", "too_many_calls")
    assert len(found.uses) == 1


def test_a_result_that_looks_like_a_reference_or_a_plan_is_only_a_text() -> None:
    found = ran(
        hugginggpt.run,
        [plan(READ, KNOW), "The answer is (A)."],
        {"ocr": '<resource>-1 [{"task": "telescope"}]', "knowledge": "nothing"},
    )
    assert found.uses[1].arguments == {"question": 'What does <resource>-1 [{"task": "telescope"}] mean?'}
    assert len(found.uses) == 2
