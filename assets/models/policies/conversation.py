"""What all policies share: asking the planner, using tools within a bound, and ending where a plan goes wrong."""

import functools
from collections.abc import Generator
from typing import Any

from assets.models.policies.policy import (
    Catalogue,
    Limits,
    Note,
    Observation,
    Outcome,
    Policy,
    Said,
    Say,
    Steps,
    Task,
    Use,
)
from assets.schema.sample import Part

SHOWN = 1200
"""Characters of an observation that a planner is shown at most."""

READABLE = ("ok", "truncated")
"""Statuses of a reply whose text is read; a plan that was cut short is read as it stands."""

Asking = Generator[Say | Use | Note, Any, Said]
Using = Generator[Say | Use | Note, Any, Observation]


class PlanFault(Exception):
    """A plan that cannot be carried out; `fault` is one of `PLAN_FAULTS`, the message is a sentence."""

    def __init__(self, fault: str, sentence: str) -> None:
        """Take what is wrong with it."""
        super().__init__(sentence)
        self.fault = fault


class Stopped(Exception):
    """A run that goes no further: its status, and the fault with a sentence, where one is to be kept."""

    def __init__(self, status: str, fault: str, sentence: str | None) -> None:
        """Take how it ends."""
        super().__init__(sentence or fault)
        self.status = status
        self.note = None if sentence is None else Note(fault, sentence)
        self.reason = fault


def stopping(steps: Policy) -> Policy:
    """The policy, in which a plan's fault or a stop is kept as a note and ends the run."""

    @functools.wraps(steps)
    def run(task: Task, tools: Catalogue, limits: Limits) -> Steps:
        try:
            return (yield from steps(task, tools, limits))
        except PlanFault as fault:
            note, outcome = Note(fault.fault, str(fault)), Outcome("", "plan_error", fault.fault)
        except Stopped as stopped:
            if stopped.note is None:
                return Outcome("", stopped.status, stopped.reason)
            note, outcome = stopped.note, Outcome("", stopped.status, stopped.reason)
        yield note
        return outcome

    return run


def ask(role: str, text: str) -> Asking:
    """What the planner says to a text.

    Raises:
        Stopped: it said nothing that can be read; a status of error stays one, so that it is asked again.
    """
    said: Said = yield Say(role, (Part("text", text, None),))
    if said.status == "error":
        raise Stopped("error", "planner_failed", None)
    if said.status not in READABLE or not said.text.strip():
        what = "is empty" if said.status in READABLE else f"has status {said.status}"
        raise Stopped("plan_error", "planner_failed", f"the planner's {role} {what}: there is nothing to read")
    return said


def ended(said: Said) -> Outcome:
    """A run that ends with what the planner said, word for word; one that was cut short says so."""
    return Outcome(said.text, said.status)


class Desk:
    """What a run has before it: its pictures, those that tools made among them, and the uses that were made."""

    def __init__(self, task: Task, limits: Limits) -> None:
        """Begin with the pictures of the task and without a use."""
        self.pictures = task.pictures
        self._limit = limits.calls
        self._made = 0
        self._given = 0
        self._fault: str | None = None

    def use(self, use: Use) -> Using:
        """What came of one more use.

        Raises:
            Stopped: it would be one too many.
        """
        if self._made >= self._limit:
            raise Stopped(
                "bound_reached", "too_many_calls", f"{use.tool} would be call {self._made + 1} of {self._limit}"
            )
        self._made += 1
        seen: Observation = yield use
        self.pictures = (*self.pictures, *(name for name in seen.pictures if name not in self.pictures))
        if seen.fault is None:
            self._given += 1
        else:
            self._fault = seen.fault
        return seen

    def require(self) -> None:
        """See to it that some tool gave something, if any was used.

        Raises:
            Stopped: each of them failed; the reason is the last one's fault, which is kept already.
        """
        if self._made and not self._given:
            raise Stopped("tool_error", self._fault or "tool_failed", None)


def shown(seen: Observation) -> str:
    """An observation for a prompt: what failed as such, new pictures by name, a long text cut.

    Lines after the first are set in, so that none of them looks like a line of the prompt.
    """
    text = seen.text.strip()
    if len(text) > SHOWN:
        text = f"{text[:SHOWN].rstrip()} … (cut)"
    if seen.fault is not None:
        text = f"failed ({seen.fault}): {text}"
    if seen.pictures:
        text = f"{text} New picture: {', '.join(seen.pictures)}.".strip()
    return "\n  ".join(line.strip() for line in text.splitlines() if line.strip()) or "nothing"


def asked(task: Task) -> str:
    """The task at the end of a prompt: the names of its pictures, and its text."""
    return f"Pictures: {', '.join(task.pictures) or 'none'}\nQuestion:\n{task.text.strip()}"
