"""How a rule would use tools: the conversations of whole runs with valid plans, from which a tiny planner can learn.

A run is that of the real policy, so its prompts are those of real runs to the letter; the rule writes what the planner
replies, and what tools would give is made up: often the option that is right, as a model that sees might put it.
"""

import json
import random
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from assets.models.policies import idealgpt
from assets.models.policies.known import KNOWN
from assets.models.policies.policy import Catalogue, Limits, Note, Observation, Said, Say, Task, Use
from assets.schema.sample import LETTERS

_TABLE = re.compile(r"\b(how many|how much|total|altogether|together|table|cost|price|sold|sell)\b", re.I)
_TEXT = re.compile(r"\b(formula|map|graph|chart|bars?|label|diagram|square|legend|letters?|sign|scale)\b", re.I)

_LOOKS = {
    "table": ("table_reading", "ocr"),
    "text": ("ocr", "picture_description"),
    "scene": ("picture_description", "ocr"),
}
"""What is used first on a question of a kind, as far as the inventory has it."""

_QUESTIONS = {
    "table": ("Which numbers stand in the table?", "Which rows does the question name?"),
    "text": ("Which words and numbers stand in the picture?", "What does the picture show?"),
    "scene": ("What does the picture show?", "Which option fits the picture?"),
}
_DECIDING = "Which option fits the picture?"
_KNOWN = "Compare what the picture shows with each option; the one that fits all of it is right."
_SIGHT = (
    "Step 1: The picture shows this: {right}.\nThe answer is ({letter}).",
    "Step 1: The picture speaks for {right}.\nStep 2: So the others do not fit.\nThe answer is ({letter}).",
    "Step 1: First, the picture shows {right}.\nStep 2: Therefore, it is ({letter}).\nThe answer is ({letter}).",
)
_VAGUE = ("no text", "The picture shows {right}.", "{right}", "The picture shows a few things.")
_POINTING = 0.75
"""Share of runs in which a model that sees names the option."""


class Demonstration(NamedTuple):
    """What a planner is asked, and what it is to reply."""

    prompt: str
    reply: str


class _Writer(NamedTuple):
    """A task with the letter that is right, and what a rule makes of the question."""

    task: Task
    right: str
    tools: Catalogue
    kind: str

    def look(self) -> str:
        """The tool that is used first; its only argument is a picture."""
        able = (*_LOOKS[self.kind], "ocr", "picture_description", "table_reading")
        found = next((name for name in able if name in self.tools.names), None)
        if found is None:
            raise ValueError(
                f"none of {', '.join(able)} is in the inventory: a demonstration looks at its picture first"
            )
        return found

    def sees(self) -> dict[str, str] | None:
        """The arguments of a question about the picture; None where nothing can be asked so."""
        return self.looks() | {"question": _DECIDING} if idealgpt.SEEING in self.tools.names else None

    def looks(self) -> dict[str, str]:
        """The arguments of the tool that is used first."""
        return {"picture": self.task.pictures[0]}


def demonstrations(
    policy: str,
    task: Task,
    right: str,
    tools: Catalogue,
    rng: random.Random,
    *,
    limits: Limits | None = None,
    asks: Callable[[Use], str | None] = lambda use: None,
) -> tuple[Demonstration, ...]:
    """What the planner is asked and replies in a run that goes well, in order.

    Args:
        policy: its name.
        task: of at least one picture.
        right: the letter of its right option.
        tools: the inventory; at least one tool that looks at pictures.
        rng: which words, and what tools are made to say.
        limits: of the run.
        asks: what a use asks the planner's own model, so that this is shown as well.

    Raises:
        ValueError: the run does not end well with this inventory and these limits.
    """
    place = LETTERS.index(right)
    kind = "table" if _TABLE.search(task.text) else "text" if _TEXT.search(task.text) else "scene"
    writer = _Writer(task, right, tools, kind)
    pointing = rng.random() < _POINTING
    found: list[Demonstration] = []
    seen: list[str] = []
    steps = KNOWN[policy](task, tools, limits or Limits())
    sent: Said | Observation | None = None
    while True:
        try:
            step = steps.send(sent)
        except StopIteration as stop:
            if stop.value.status != "ok":
                raise ValueError(f"{policy}: a demonstration ends with {stop.value.reason}") from None
            return tuple(found)
        if isinstance(step, Note):
            raise ValueError(f"{policy}: a demonstration has a fault: {step.text}")
        if isinstance(step, Say):
            prompt = "".join(part.text or "" for part in step.parts)
            reply = _WRITERS[policy](writer, step.role, seen, idealgpt.LAST in prompt)
            found.append(Demonstration(prompt, reply))
            sent = Said(reply)
            continue
        own = asks(step)
        text = _own(step, right) if own else _sight(step, task.choices[place], right, pointing, rng)
        if own:
            found.append(Demonstration(own, text))
        seen.append(text)
        sent = Observation(text)


def _own(use: Use, right: str) -> str:
    return _KNOWN if use.tool == "knowledge" else f"The text speaks for ({right})."


def _sight(use: Use, option: str, letter: str, pointing: bool, rng: random.Random) -> str:
    sees = use.tool in (idealgpt.SEEING, idealgpt.DESCRIBING, "text_answering")
    return rng.choice(_SIGHT if sees and pointing else _VAGUE).format(right=option, letter=letter)


def _chameleon(writer: _Writer, role: str, seen: list[str], last: bool) -> str:
    if role != "plan":
        return f"Step 1: What was found fits option ({writer.right}).\nThe answer is ({writer.right})."
    modules = [writer.look()]
    if writer.kind != "table" and writer.sees():
        modules.append(f'{idealgpt.SEEING}(question="{_DECIDING}")')
    if writer.kind == "scene" and "knowledge" in writer.tools.names:
        modules.append("knowledge")
    return f"[{', '.join((*modules, 'solution_generator', 'answer_extractor'))}]"


def _hugginggpt(writer: _Writer, role: str, seen: list[str], last: bool) -> str:
    if role == "selection":
        return json.dumps({"model": writer.tools.candidates(idealgpt.SEEING)[0], "reason": "It sees the picture."})
    if role == "reply":
        return f"The results fit option ({writer.right}).\nThe answer is ({writer.right})."
    tasks: list[dict[str, Any]] = [{"task": writer.look(), "id": 0, "dep": [-1], "args": writer.looks()}]
    if writer.kind == "table" and "text_answering" in writer.tools.names:
        args = {"text": "<resource>-0", "question": "Which option fits the table?"}
        tasks.append({"task": "text_answering", "id": 1, "dep": [0], "args": args})
    elif sees := writer.sees():
        tasks.append({"task": idealgpt.SEEING, "id": 1, "dep": [-1], "args": sees})
    return json.dumps(tasks)


def _visualchatgpt(writer: _Writer, role: str, seen: list[str], last: bool) -> str:
    uses = [(writer.look(), writer.looks(), "I look at the picture first.")]
    if sees := writer.sees():
        uses.append((idealgpt.SEEING, sees, "Now I ask which option fits."))
    if len(seen) == len(uses):
        return f"Thought: That is enough.\nFinal Answer: The answer is ({writer.right})."
    tool, arguments, thought = uses[len(seen)]
    return f"Thought: {thought}\nAction: {tool}\nAction Input: {json.dumps(arguments)}"


def _idealgpt(writer: _Writer, role: str, seen: list[str], last: bool) -> str:
    described = len(writer.task.pictures) if idealgpt.DESCRIBING in writer.tools.names else 0
    answered = len(seen) - described
    first, second = _QUESTIONS[writer.kind]
    if role == "plan":
        return f"1. {first}\n2. {second}" if not answered else f"1. {_DECIDING}"
    if any(f"({writer.right})" in text for text in seen):
        return f"The sub-answers fit it.\nConfidence: high\nAnswer: The answer is ({writer.right})."
    if not last:
        return "The sub-answers say too little.\nConfidence: low\nAnswer: more"
    return f"It is the best guess.\nConfidence: high\nAnswer: The answer is ({writer.right})."


_WRITERS: dict[str, Callable[[_Writer, str, list[str], bool], str]] = {
    "chameleon": _chameleon,
    "hugginggpt": _hugginggpt,
    "visualchatgpt": _visualchatgpt,
    "idealgpt": _idealgpt,
}
