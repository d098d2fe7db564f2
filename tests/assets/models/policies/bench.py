"""An inventory that does nothing, and a run that is told what planner and tools say."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from assets.models.policies.policy import Limits, Note, Observation, Outcome, Policy, Said, Say, Task, Use

SIGNATURES: dict[str, dict[str, str]] = {
    "picture_description": {"picture": "picture"},
    "visual_question_answering": {"picture": "picture", "question": "text"},
    "ocr": {"picture": "picture"},
    "crop": {"picture": "picture", "box": "box"},
    "knowledge": {"question": "text"},
    "calculator": {"expression": "text"},
}

TASK = Task("[Question]\nHow many figs?\n[Choices]\n(A) 12\n(B) 19", ("12", "19"), ("picture_1", "picture_2"))


class Bench:
    """A catalogue; `seeing` are the models that can describe."""

    def __init__(self, names: Iterable[str] = SIGNATURES, seeing: tuple[str, ...] = ("eyes",)) -> None:
        self._names = tuple(names)
        self._seeing = seeing

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def described(self, *, without: tuple[str, ...] = ()) -> str:
        return "\n".join(
            f"{name}({', '.join(f'{one}: {kind}' for one, kind in SIGNATURES[name].items())}): does it."
            for name in self._names
            if name not in without
        )

    def fault(self, use: Use, pictures: tuple[str, ...]) -> tuple[str, str] | None:
        if use.tool not in self._names:
            return "unknown_tool", f"there is no tool {use.tool}"
        kinds = SIGNATURES[use.tool]
        for name in {*kinds, *use.arguments} - {"model"}:
            if name not in kinds or name not in use.arguments:
                return "bad_arguments", f"{use.tool} and its argument {name}"
            value = use.arguments[name]
            if kinds[name] == "picture" and value not in pictures:
                return "bad_arguments", f"there is no picture {value}"
            if kinds[name] == "box" and not (isinstance(value, list) and len(value) == 4):
                return "bad_arguments", f"{value} is no box"
        return None

    def candidates(self, tool: str) -> tuple[str, ...]:
        return self._seeing if tool in ("picture_description", "visual_question_answering") else ()


class Ran(NamedTuple):
    """What a run did: prompts as (role, text), uses, notes, and how it ended."""

    prompts: list[tuple[str, str]]
    uses: list[Use]
    notes: list[Note]
    outcome: Outcome


def ran(
    policy: Policy,
    replies: Iterable[str | Said],
    seen: Mapping[str, Observation | str] | None = None,
    *,
    task: Task = TASK,
    tools: Bench | None = None,
    limits: Limits | None = None,
) -> Ran:
    """A run whose planner replies with `replies` in turn, and whose tools give what `seen` says by name.

    A use that cannot be made comes back as its fault, as a runner has it; every reply has to be asked for.
    """
    bench = tools or Bench()
    steps = policy(task, bench, limits or Limits())
    left = [Said(one) if isinstance(one, str) else one for one in replies]
    found = Ran([], [], [], Outcome(""))
    pictures = task.pictures
    sent: Any = None
    while True:
        try:
            step = steps.send(sent)
        except StopIteration as stop:
            assert left == [], "the run ended before it asked for every reply"
            return found._replace(outcome=stop.value)
        if isinstance(step, Say):
            found.prompts.append((step.role, "".join(part.text or "" for part in step.parts)))
            assert left, f"nobody says what the planner replies to: {found.prompts[-1][1]}"
            sent = left.pop(0)
        elif isinstance(step, Use):
            found.uses.append(step)
            fault = bench.fault(step, pictures)
            given = (seen or {}).get(step.tool, f"what {step.tool} gives")
            sent = Observation(fault[1], (), fault[0]) if fault else given
            sent = Observation(sent) if isinstance(sent, str) else sent
            pictures = (*pictures, *sent.pictures)
        else:
            found.notes.append(step)
            sent = None
