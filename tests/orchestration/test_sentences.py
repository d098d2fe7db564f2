"""What went wrong in a run, as the one sentence that a person reads."""

import dagster as dg

from assets.models.model import ModelError
from orchestration.materialize import sentence


def said(error: Exception, cause: Exception | None = None) -> str:
    @dg.asset(key=["evaluation", "asked"])
    def asked() -> None:
        raise error from cause

    events = dg.materialize([asked], raise_on_error=False).all_events
    return sentence(next(event for event in events if event.is_step_failure))


def test_a_fault_is_what_is_said_whatever_it_came_from() -> None:
    fault = ModelError("models.mine: no-such/model cannot be loaded: download it first")
    assert said(fault, OSError(-2, "Name or service not known")) == (
        "evaluation/asked: models.mine: no-such/model cannot be loaded: download it first"
    )


def test_of_any_other_error_the_first_cause_is_said() -> None:
    assert said(RuntimeError("it broke"), ValueError("a bolt was loose")) == "evaluation/asked: a bolt was loose"
