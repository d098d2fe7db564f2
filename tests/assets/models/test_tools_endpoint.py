"""A planner behind a chat endpoint: what fails on the way, what is asked again, and what a night asks anew."""

from pathlib import Path

from assets.models.model import Reply
from assets.models.tools_chat import ToolsChat
from assets.settings_evaluation import Tools
from tests.assets.models.openai_endpoint import KEY, chat, keys  # noqa: F401 (fixture)
from tests.assets.models.tools_parts import Grey, question
from tests.fault_server import FaultServer, answering, completion, failing, scripted

ACTS = answering(completion('Thought: sum\nAction: calculator\nAction Input: {"expression": "6*7"}'))
ANSWERS = answering(completion("Thought: 42\nFinal Answer: The answer is (B)."))
BROKEN = failing(500, f"broken for {KEY}", retry_after_ms="1")


def run(server: FaultServer, folder: Path, asking: str = "first") -> Reply:
    settings = Tools.model_validate({"kind": "tools", "policy": "visualchatgpt", "planner": "mind"})
    planner = chat(server, retries=0)
    [reply] = ToolsChat("agent", settings, build=lambda _: planner, folder=folder, asking=asking).replies(
        [question(1, "7")], Grey()
    )
    return reply


def roles(reply: Reply) -> list[str]:
    return [turn.role for turn in reply.turns]


def test_an_endpoint_that_fails_half_way_is_asked_again_for_the_step_that_failed_alone(tmp_path: Path) -> None:
    with FaultServer(scripted(ACTS, BROKEN, ANSWERS)) as server:
        failed = run(server, tmp_path)
        assert (failed.status, failed.parts, len(server.seen)) == ("error", (), 2)
        assert failed.finish_reason is not None and failed.finish_reason.startswith("planner: http 500: broken")
        assert roles(failed) == ["thought", "call", "observation"]
        again = run(server, tmp_path)
        assert (again.status, again.text, len(server.seen)) == ("ok", "The answer is (B).", 3)
        assert again.turns[:3] == failed.turns
        assert again.turns[2].parts[0].text == "42"
        assert KEY not in repr((failed, again))


def test_another_asking_asks_the_planner_anew_and_the_same_one_asks_nothing(tmp_path: Path) -> None:
    with FaultServer(scripted(ACTS, ANSWERS, ACTS, ANSWERS)) as server:
        first = run(server, tmp_path)
        assert run(server, tmp_path) == first
        assert len(server.seen) == 2
        night = run(server, tmp_path, asking="night-2026-11-30")
        assert len(server.seen) == 4
        assert (night.turns, night.parts) == (first.turns, first.parts)


def test_a_step_that_is_cut_off_costs_a_round(tmp_path: Path) -> None:
    with FaultServer(scripted(answering(completion("half of a", "length")), ANSWERS)) as server:
        reply = run(server, tmp_path)
    assert (reply.status, reply.text) == ("ok", "The answer is (B).")
    faults = [turn.parts[0].text for turn in reply.turns if turn.role == "fault"]
    assert faults == ["unreadable_plan: the step has neither an Action nor a Final Answer"]


def test_a_step_that_the_service_withholds_is_no_fault_of_the_plan_and_is_asked_again(tmp_path: Path) -> None:
    with FaultServer(scripted(ACTS, answering(completion("", "content_filter")), ANSWERS)) as server:
        reply = run(server, tmp_path)
        assert (reply.status, reply.finish_reason) == ("filtered", "planner: content_filter")
        assert roles(reply) == ["thought", "call", "observation"]
        assert (run(server, tmp_path).status, len(server.seen)) == ("ok", 3)
