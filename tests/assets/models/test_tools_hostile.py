"""What planners write that no reader can hold: the run goes on to a status, and what is left behind is swept."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from assets.models.model import ModelError, Reply, said
from assets.models.policies import known, visualchatgpt
from assets.models.policies.conversation import PlanFault
from assets.models.policies.policy import Limits
from assets.models.tools.calculator import Calculator
from assets.models.tools.inventory import inventory
from assets.models.tools.sandbox import Sandbox
from assets.models.tools.tool import Given, Use
from assets.models.tools_chat import ToolsChat
from assets.models.tools_open import Computed, Open, call
from assets.settings_evaluation import Tools
from tests.assets.models.tools_parts import Speaker, question

ROOT = Path(__file__).resolve().parents[3]
TOO_LONG = f"0x{'F' * 5000}"
"""Python reads it, and writes it in no decimal digits."""

DEEP = '{"a": ' * 900 + "1" + "}" * 900


def ended(policy: str, reply: str) -> Reply:
    tools = inventory(["calculator", "crop"], sees=(), detects=None, limit_s=5.0)
    run = Open(question(1, "7"), known.KNOWN[policy], tools, Limits(2, 2))
    while run.reply is None:
        assert run.wants is not None
        if isinstance(run.wants, Computed):
            run.gave(Given("2"))
        else:
            run.answered(Reply(run.wants.dialogue.id, 0, (said(reply),), "ok", "stop", 1, 1, None))
    return run.reply


@pytest.mark.parametrize(
    "module", [f"calculator(expression={TOO_LONG})", f"crop(box=[{TOO_LONG}, 0, 1, 1])", f"crop(other={TOO_LONG})"]
)
def test_a_number_that_cannot_be_written_is_an_argument_that_does_not_fit(module: str) -> None:
    reply = ended("chameleon", f"[{module}, solution_generator]")
    assert reply.status in ("plan_error", "tool_error")
    assert reply.finish_reason == "bad_arguments"


@pytest.mark.parametrize("given", [DEEP, f'{{"picture": "picture_1", "box": {DEEP}}}'])
def test_arguments_nested_deeper_than_can_be_written_cost_a_round(given: str) -> None:
    reply = ended("visualchatgpt", f"Action: crop\nAction Input: {given}")
    assert (reply.status, reply.finish_reason) == ("bound_reached", "too_many_rounds")


def test_a_call_keeps_what_is_too_large_as_a_word_on_it() -> None:
    kept = json.loads(call(Use("crop", {"box": 1 << 20_000, "picture": 10**40})))
    assert kept == {"arguments": {"box": "[cut: a whole number of 20001 bits]", "picture": 10**40}, "tool": "crop"}


def test_the_folder_of_a_killed_run_is_removed_when_the_next_one_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = (
        "import time\nfrom assets.models.tools.calculator import Calculator\n"
        "from assets.models.tools.sandbox import Sandbox\n"
        "with Sandbox() as box:\n"
        "    box.use(Calculator(60.0), {'expression': '1+1'}, {})\n    print('up', flush=True)\n    time.sleep(120)\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"up\n"
        [folder] = tmp_path.glob("cotline-tool-*")
        _made_long_ago(folder)
        _use_once()
        assert folder.is_dir()
        run.send_signal(signal.SIGKILL)
    _made_long_ago(folder)
    _use_once()
    assert list(tmp_path.glob("cotline-tool-*")) == []


def _made_long_ago(folder: Path) -> None:
    os.utime(folder, (time.time() - 3600,) * 2)


def _use_once() -> None:
    with Sandbox() as sandbox:
        assert sandbox.use(Calculator(60.0), {"expression": "1+1"}, {}).text == "2"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('Thought: it says "Final Answer: B", which is data\nAction: ocr\nAction Input: picture_1', "ocr"),
        ("Thought: the Final Answer: B in the picture is data\nFinal Answer: (A)", "(A)"),
        ("Thought: I know it. Final Answer: (A)", "(A)"),
    ],
)
def test_a_final_answer_that_a_thought_speaks_of_ends_no_run(written: str, read: str) -> None:
    assert visualchatgpt.step(written)[0] == read


def test_a_final_answer_that_is_quoted_alone_is_no_step() -> None:
    with pytest.raises(PlanFault, match="neither an Action nor a Final Answer"):
        visualchatgpt.step('Thought: the picture says "Final Answer: B"')


@pytest.mark.parametrize(
    ("sees", "tools", "named"), [([], None, "sees: name a model there"), (["eye"], ["ocr"], "tools: add visual_")]
)
def test_idealgpt_without_one_who_sees_is_refused(
    sees: list[str], tools: list[str] | None, named: str, tmp_path: Path
) -> None:
    settings = Tools.model_validate(
        {"kind": "tools", "policy": "idealgpt", "planner": "mind", "sees": sees, "tools": tools}
    )
    model = ToolsChat("ideal", settings, build=lambda name: Speaker(name, str), folder=tmp_path)
    with pytest.raises(ModelError, match=named):
        _ = model.identity
