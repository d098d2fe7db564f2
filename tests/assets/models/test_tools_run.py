"""`Runner` on policies and models that are written out: turns, batches, faults, pictures and ends of runs."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from assets import images
from assets.evaluation.asking import ask
from assets.evaluation.drawn import Drawn
from assets.models import replay
from assets.models.model import Ask, Dialogue, Model, Reply, Turn, said
from assets.models.policies.policy import Catalogue, Limits, Note, Outcome, Policy, Say, Steps, Task
from assets.models.remembered import Remembered
from assets.models.tools.inventory import inventory
from assets.models.tools.sandbox import ToolTimeout
from assets.models.tools.tool import ToolFault, Use
from assets.models.tools_open import LONGEST, call
from assets.models.tools_run import Runner
from assets.replies_store import RepliesStore
from assets.schema.sample import Part
from tests.assets.models.tools_parts import Desk, Grey, Speaker, question, turn

SUM = Use("calculator", {"expression": "3*4"})
LEFT_HALF = Use("crop", {"picture": "picture_1", "box": [0, 0, 0.5, 1]})


def tell(text: str) -> tuple[Part, ...]:
    return (said(text),)


def run(
    folder: Path,
    policy: Policy,
    dialogues: Iterable[Dialogue],
    planner: Model,
    *,
    sees: Mapping[str, Model] | None = None,
    desk: Desk | None = None,
    at_once: int = 32,
) -> list[Reply]:
    tools = inventory(None, sees=tuple(sees or ()), detects=None, limit_s=5)
    with RepliesStore(folder / "replies") as store:
        models = {name: Remembered(one, store, "first") for name, one in {**(sees or {}), "planner": planner}.items()}
        sandbox: Any = desk or Desk()
        return list(Runner(policy, tools, Limits(), models, sandbox, at_once).replies(dialogues, Grey()))


def planned(task: Task, tools: Catalogue, limits: Limits) -> Steps:
    """A plan, a use, a thought on what came of it, and a reply."""
    plan = yield Say("plan", tell(f"Plan: {task.text}"))
    seen = yield SUM
    thought = yield Say("thought", tell(f"{plan.text} {seen.text}"))
    reply = yield Say("reply", tell(f"So: {thought.text}"))
    return Outcome(reply.text)


def test_a_run_keeps_its_turns_in_their_order_and_counts_all_tokens(tmp_path: Path) -> None:
    [reply] = run(tmp_path, planned, [question(1)], Speaker("one", lambda text: text.upper()))
    assert reply == Reply(
        "s1",
        0,
        (said("SO: PLAN: QUESTION 1? 12"),),
        "ok",
        "stop",
        17 + 20 + 24,
        17 + 20 + 24,
        "one-v1",
        (),
        (
            turn("plan", "PLAN: QUESTION 1?"),
            turn("call", '{"arguments": {"expression": "3*4"}, "tool": "calculator"}'),
            turn("observation", "12"),
            turn("thought", "PLAN: QUESTION 1? 12"),
        ),
    )


def test_what_runs_say_goes_to_the_model_in_batches_of_the_runs_that_are_open(tmp_path: Path) -> None:
    planner = Speaker("one", str.upper)
    replies = run(tmp_path, planned, [question(number) for number in range(5)], planner, at_once=3)
    assert [reply.id for reply in replies] == ["s0", "s1", "s2", "s3", "s4"]
    assert [reply.text for reply in replies] == [f"SO: PLAN: QUESTION {number}? 12" for number in range(5)]
    assert planner.batches == [3, 3, 3, 2, 2, 2]


def test_dialogues_are_taken_only_as_runs_end(tmp_path: Path) -> None:
    taken: list[int] = []

    def source() -> Iterable[Dialogue]:
        for number in range(4):
            taken.append(number)
            yield question(number)

    def one_step(task: Task, tools: Catalogue, limits: Limits) -> Steps:
        return Outcome((yield Say("reply", tell(task.text))).text)

    seen: list[int] = []

    def says(text: str) -> str:
        seen.append(len(taken))
        return text

    run(tmp_path, one_step, source(), Speaker("one", says), at_once=2)
    assert seen == [2, 2, 4, 4]


def test_runs_that_ask_the_same_ask_it_once(tmp_path: Path) -> None:
    def same(task: Task, tools: Catalogue, limits: Limits) -> Steps:
        return Outcome((yield Say("reply", tell("What is the capital?"))).text + task.text)

    planner = Speaker("one", str.upper)
    replies = run(tmp_path, same, [question(1), question(2)], planner)
    assert [reply.text for reply in replies] == ["WHAT IS THE CAPITAL?Question 1?", "WHAT IS THE CAPITAL?Question 2?"]
    assert planner.asked == ["What is the capital?"]


def told(uses: list[Use | Note], outcome: Outcome) -> tuple[Policy, list[Any]]:
    """A policy that makes these uses and notes and ends so, and what it was sent for each."""
    sent: list[Any] = []

    def policy(task: Task, tools: Catalogue, limits: Limits) -> Steps:
        for one in uses:
            sent.append((yield one))
        return outcome

    return policy, sent


def test_a_use_that_cannot_be_made_is_a_fault_that_the_policy_observes(tmp_path: Path) -> None:
    policy, sent = told([Use("telescope", {}), Use("calculator", {"sum": 1})], Outcome("done"))
    desk = Desk()
    [reply] = run(tmp_path, policy, [question(1)], Speaker("one", str.upper), desk=desk)
    assert [one.fault for one in sent] == ["unknown_tool", "bad_arguments"]
    assert reply.turns[0] == turn("call", '{"arguments": {}, "tool": "telescope"}')
    assert [one.role for one in reply.turns] == ["call", "fault", "call", "fault"]
    assert reply.turns[1] == turn("fault", f"unknown_tool: {sent[0].text}")
    assert desk.used == []


def test_a_tool_that_fails_or_takes_too_long_is_a_fault_and_the_run_goes_on(tmp_path: Path) -> None:
    policy, sent = told([SUM, LEFT_HALF], Outcome("done"))
    desk = Desk({"calculator": ToolTimeout("it took longer"), "crop": ToolFault("it cannot")})
    [reply] = run(tmp_path, policy, [question(1, "7")], Speaker("one", str.upper), desk=desk)
    assert [(one.fault, one.text) for one in sent] == [("timeout", "it took longer"), ("tool_failed", "it cannot")]
    assert [one for one in reply.turns if one.role == "fault"] == [
        turn("fault", "timeout: it took longer"),
        turn("fault", "tool_failed: it cannot"),
    ]
    assert (reply.status, reply.text) == ("ok", "done")


def test_a_picture_that_a_tool_makes_has_a_name_is_seen_and_is_kept(tmp_path: Path) -> None:
    look = Use("visual_question_answering", {"picture": "picture_3", "question": "What is it?"})
    policy, sent = told([LEFT_HALF, look], Outcome("done"))
    eye = Speaker("eye", lambda text: "grey")
    [reply] = run(tmp_path, policy, [question(1, "7", "9")], Speaker("one", str.upper), sees={"eye": eye})
    half = images.identify(Grey().image("7").convert("L").resize((20, 20)))
    assert sent[0].pictures == ("picture_3",)
    assert sent[1].text == "grey"
    assert eye.shown == [(20, 20)]
    assert [one.image_id for one in reply.drawn] == [half]
    assert reply.turns[1].role == "observation"
    assert reply.turns[1].parts[1:] == (Part("image", None, half),)


@pytest.mark.parametrize("at_once", [1, 3])
def test_pictures_of_one_run_are_not_those_of_another(tmp_path: Path, at_once: int) -> None:
    look = Use("picture_description", {"picture": "picture_2"})
    policy, _ = told([LEFT_HALF, look], Outcome("done"))
    replies = run(
        tmp_path,
        policy,
        [question(1, "7"), question(2, "9"), question(3)],
        Speaker("one", str.upper),
        sees={"eye": Speaker("eye", lambda text: "grey")},
        at_once=at_once,
    )
    shown = {reply.id: [one.image_id for one in reply.drawn] for reply in replies}
    assert shown["s1"] != shown["s2"]
    assert (len(shown["s1"]), len(shown["s2"]), len(shown["s3"])) == (1, 1, 0)


def test_a_model_on_the_way_that_says_nothing_is_a_tool_that_failed(tmp_path: Path) -> None:
    policy, sent = told(
        [Use("picture_description", {"picture": "picture_1"})], Outcome("", "tool_error", "tool_failed")
    )
    eye = Speaker("eye", lambda text: ("", "empty"))
    [reply] = run(tmp_path, policy, [question(1, "7")], Speaker("one", str.upper), sees={"eye": eye})
    assert sent[0].fault == "tool_failed"
    assert reply.turns[-1] == turn("fault", "tool_failed: picture_description: model eye said nothing (empty)")
    assert (reply.status, reply.finish_reason, reply.parts) == ("tool_error", "tool_failed", ())


def test_a_model_that_fails_fails_the_run_which_is_then_made_again_without_asking_twice(tmp_path: Path) -> None:
    planner = Speaker("one", lambda text: ("HTTP 503", "error") if "Plan" not in text else "HALF")
    [reply] = run(tmp_path, planned, [question(1)], planner)
    assert (reply.status, reply.finish_reason, reply.parts) == ("error", "planner: HTTP 503", ())
    assert [one.role for one in reply.turns] == ["plan", "call", "observation"]
    planner.says = str.upper
    [reply] = run(tmp_path, planned, [question(1)], planner)
    assert (reply.status, reply.text) == ("ok", "SO: HALF 12")
    assert planner.asked == ["Plan: Question 1?", "HALF 12", "HALF 12", "So: HALF 12"]


def test_a_picture_that_is_not_there_fails_the_run_alone(tmp_path: Path) -> None:
    policy, _ = told([LEFT_HALF], Outcome("done"))
    replies = run(tmp_path, policy, [question(1, "broken"), question(2, "7")], Speaker("one", str.upper))
    assert [(one.id, one.status) for one in replies] == [("s1", "error"), ("s2", "ok")]
    assert replies[0].finish_reason == "picture broken: is not stored"


@pytest.mark.parametrize(
    ("outcome", "status", "reason", "text"),
    [
        (Outcome("The answer is (B)."), "ok", "stop", "The answer is (B)."),
        (Outcome("The answer", "truncated"), "truncated", "length", "The answer"),
        (Outcome("", "plan_error", "cycle"), "plan_error", "cycle", ""),
        (Outcome("not this", "bound_reached", "too_many_calls"), "bound_reached", "too_many_calls", ""),
        (Outcome(" \n"), "plan_error", "no_answer", ""),
        (Outcome("", "error", "HTTP 500"), "error", "HTTP 500", ""),
    ],
)
def test_a_run_ends_with_a_text_or_with_the_reason_why_there_is_none(
    tmp_path: Path, outcome: Outcome, status: str, reason: str, text: str
) -> None:
    policy, _ = told([SUM], outcome)
    [reply] = run(tmp_path, policy, [question(1)], Speaker("one", str.upper))
    assert (reply.status, reply.finish_reason, reply.text) == (status, reason, text)


@pytest.mark.parametrize(
    ("uses", "outcome", "named"),
    [
        ([], Outcome("", "plan_error", "bad luck"), "reason 'bad luck'"),
        ([], Outcome("", "lost", "cycle"), "status 'lost'"),
        ([Note("bad luck", "it rained")], Outcome("x"), "fault 'bad luck'"),
    ],
)
def test_a_policy_that_gives_a_reason_of_its_own_is_at_fault(
    tmp_path: Path, uses: list[Use | Note], outcome: Outcome, named: str
) -> None:
    policy, _ = told(uses, outcome)
    with pytest.raises(ValueError, match=named):
        run(tmp_path, policy, [question(1)], Speaker("one", str.upper))


def test_a_policy_that_raises_is_a_bug_and_ends_it_all(tmp_path: Path) -> None:
    def broken(task: Task, tools: Catalogue, limits: Limits) -> Steps:
        yield SUM
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(tmp_path, broken, [question(1)], Speaker("one", str.upper))


def test_a_note_is_a_fault_once_even_if_the_policy_was_told_it(tmp_path: Path) -> None:
    policy, _ = told([Note("cycle", "1 and 2"), Note("cycle", "1 and 2"), Note("cycle", "3")], Outcome("x"))
    [reply] = run(tmp_path, policy, [question(1)], Speaker("one", str.upper))
    assert reply.turns == (turn("fault", "cycle: 1 and 2"), turn("fault", "cycle: 3"))


def test_a_reply_that_does_not_end_the_run_is_kept_as_a_thought(tmp_path: Path) -> None:
    def again(task: Task, tools: Catalogue, limits: Limits) -> Steps:
        yield Say("reply", tell("first"))
        yield SUM
        yield Say("reply", tell("second"))
        yield Say("reply", tell("third"))
        return Outcome("", "plan_error", "no_answer")

    [reply] = run(tmp_path, again, [question(1)], Speaker("one", str.upper))
    assert [one.role for one in reply.turns] == ["thought", "call", "observation", "thought", "thought"]
    assert [one.parts[0].text for one in reply.turns if one.role == "thought"] == ["FIRST", "SECOND", "THIRD"]


def test_the_task_is_the_text_and_the_names_of_the_pictures(tmp_path: Path) -> None:
    tasks: list[Task] = []

    def look(task: Task, tools: Catalogue, limits: Limits) -> Steps:
        tasks.append(task)
        return Outcome("x")
        yield SUM

    parts = (said("Compare "), Part("image", None, "7"), said("and "), Part("image", None, "9"), said("now."))
    run(tmp_path, look, [Dialogue("a", (Ask(parts),), ("one", "two"))], Speaker("one", str.upper))
    assert tasks == [Task("Compare and now.", ("one", "two"), ("picture_1", "picture_2"))]


def test_a_dialogue_of_several_asks_is_an_error_and_costs_nothing(tmp_path: Path) -> None:
    planner = Speaker("one", str.upper)
    several = Dialogue("two", (Ask((said("One?"),)), Ask((said("Two?"),))), ())
    replies = run(tmp_path, planned, [several, question(1)], planner)
    assert replies[0] == Reply("two", 0, (), "error", "a run with tools answers in one ask: use strategy direct")
    assert [one.id for one in replies] == ["two", "s1"]
    assert len(planner.asked) == 3


def test_a_call_is_canonical_json_whatever_a_planner_wrote() -> None:
    odd = {"b": float("inf"), "a": {1: (2, None)}, "c": "caf\u00e9 \ud800"}
    assert call(Use("crop", odd)) == (
        '{"arguments": {"a": {"1": [2, null]}, "b": "inf", "c": "caf\u00e9 ?"}, "tool": "crop"}'
    )


def test_half_characters_reach_neither_models_nor_tables(tmp_path: Path) -> None:
    def half(task: Task, tools: Catalogue, limits: Limits) -> Steps:
        plan = yield Say("plan", tell("say \ud800"))
        yield Note("bad_arguments", "\udfff")
        return Outcome(f"{plan.text}\ud800")

    planner = Speaker("one", lambda text: f"{text}\udc00")
    [reply] = run(tmp_path, half, [question(1)], planner)
    assert planner.asked == ["say ?"]
    assert reply.turns == (turn("plan", "say ??"), turn("fault", "bad_arguments: ?"))
    assert reply.text == "say ???"


def test_a_long_observation_is_cut_and_says_so(tmp_path: Path) -> None:
    policy, sent = told([Use("picture_description", {"picture": "picture_1"})], Outcome("x"))
    eye = Speaker("eye", lambda text: "a" * (LONGEST + 7))
    run(tmp_path, policy, [question(1, "7")], Speaker("one", str.upper), sees={"eye": eye})
    assert sent[0].text == "a" * LONGEST + " [cut: 7 characters more]"


class Chat:
    """A `Runner` as a model, for `ask`."""

    name, identity = "chat", {"kind": "chat"}

    def __init__(self, folder: Path, policy: Policy) -> None:
        self.folder, self.policy = folder, policy

    def replies(self, dialogues: Iterable[Dialogue], pictures: Any) -> Any:
        yield from run(self.folder, self.policy, dialogues, Speaker("one", str.upper))


def test_a_prediction_tells_the_run_and_its_pictures_outlast_it(tmp_path: Path) -> None:
    policy, _ = told([LEFT_HALF], Outcome("", "bound_reached", "too_many_calls"))
    drawn = Drawn(tmp_path / "drawn")
    for _ in range(2):
        with RepliesStore(tmp_path / "store") as store:
            asked = ask("e", [question(1, "7")], Chat(tmp_path, policy), Grey(), store, drawn=drawn)
        [row] = asked.rows
        assert [one["role"] for one in row["turns"]] == ["user", "call", "observation", "assistant"]
        assert (row["status"], row["finish_reason"]) == ("bound_reached", "too_many_calls")
        assert row["turns"][2]["parts"][1]["image_id"] in drawn
        assert not replay.stored(row).text
    assert asked.progress.reused == 1


def test_turns_are_said_in_the_roles_that_tables_know(tmp_path: Path) -> None:
    def speaks(task: Task, tools: Catalogue, limits: Limits) -> Steps:
        yield Say("monologue", tell("x"))
        return Outcome("x")

    with pytest.raises(ValueError, match="role 'monologue'"):
        run(tmp_path, speaks, [question(1)], Speaker("one", str.upper))
    assert Turn("plan", (said("x"),)) == turn("plan", "x")
