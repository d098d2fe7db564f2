"""One run of a policy as it stands: what it waits for, what was said and done in it, the pictures that it knows."""

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from assets import images
from assets.images import Picture
from assets.models.model import Ask, Dialogue, Reply, Turn, said
from assets.models.policies.policy import Limits, Note, Outcome, Policy, Said, Say, Steps, Task
from assets.models.tools.inventory import BadUse, Inventory, is_asking
from assets.models.tools.tool import Asking, Computing, Given, Observation, Tool, Use
from assets.schema.sample import Part
from assets.schema.vocabulary import BOUNDS, PLAN_FAULTS, TOOL_FAULTS, TOOL_STATUSES, TURN_ROLES

LONGEST = 6000
"""Characters of an observation that a planner reads and a prediction keeps; what is beyond is cut, and it says so."""

DEEPEST = 50
"""Levels of what a planner put into a call, as a turn keeps it."""

BITS = 13_000
"""Of a whole number there: Python writes none of more than 4300 digits."""

_REPLY = "reply"
_FAULTS = frozenset({*PLAN_FAULTS, *TOOL_FAULTS, *BOUNDS})
_ENDS = {"ok": "stop", "truncated": "length"}
"""Statuses of a run that ends with a text, and the reason where the policy gives none."""

_SPEECHLESS = frozenset({"empty", "filtered"})


class Wanted(NamedTuple):
    """What a model is asked: planner or a name in `sees`, and the one ask; `tool`: for which tool, None for a `Say`."""

    model: str
    dialogue: Dialogue
    role: str
    tool: str | None = None


class Computed(NamedTuple):
    """A tool that is to compute, with its arguments as they were checked, and the ids of the pictures they name."""

    tool: Computing
    arguments: Mapping[str, Any]
    image_ids: Mapping[str, str]


class Open:
    """A run: `wants` is what it waits for; once `reply` is there it has ended. `drawn`: new pictures, by their ids."""

    def __init__(self, dialogue: Dialogue, policy: Policy, tools: Inventory, limits: Limits) -> None:
        """Begin the run on a dialogue of one ask, up to the first thing that it wants."""
        self._dialogue, self._tools = dialogue, tools
        self.drawn: dict[str, Picture] = {}
        self.wants: Wanted | Computed | None = None
        self.reply: Reply | None = None
        self._turns: list[Turn] = []
        self._unkept: str | None = None
        self._asked = 0
        self._tokens: tuple[list[int], list[int]] = ([], [])
        self._fingerprint: str | None = None

        parts = dialogue.asks[0].parts
        shown = [part.image_id for part in parts if part.image_id is not None]
        self._pictures = {f"picture_{number}": image_id for number, image_id in enumerate(shown, start=1)}
        text = "".join(part.text or "" for part in parts)
        self._steps: Steps = policy(Task(text, dialogue.choices, tuple(self._pictures)), tools, limits)
        self._go_on(None)

    def answered(self, reply: Reply) -> None:
        """Go on from what a model replied to `wants`; where it failed, or a plan was withheld, ask the run again."""
        wanted = self.wants
        if not isinstance(wanted, Wanted):
            raise ValueError(f"{self._dialogue.id}: no model was asked")
        for counts, count in zip(self._tokens, (reply.tokens_in, reply.tokens_out), strict=True):
            counts += [] if count is None else [count]
        if reply.status == "error":
            self.failed(f"{wanted.model}: {reply.finish_reason or 'no reason given'}")
            return
        text = _scrubbed(reply.text)
        if wanted.tool is None and reply.status == "filtered":
            # The service's doing, not the plan's.
            self.failed(f"{wanted.model}: {reply.finish_reason or 'filtered'}", "filtered")
        elif wanted.tool is None:
            if wanted.model == "planner":
                self._fingerprint = reply.fingerprint
            self._said(wanted.role, text)
            self._go_on(Said(text, reply.status))
        elif reply.status in _SPEECHLESS or not text.strip():
            nothing = f"{wanted.tool}: model {wanted.model} said nothing ({reply.status})"
            self._go_on(self._observed(Observation(nothing, fault="tool_failed")))
        else:
            self._go_on(self._observed(Observation(text.strip())))

    def gave(self, given: Given) -> None:
        """Go on from what the tool in `wants` gave; its pictures get the next names of the run."""
        names = []
        for picture in given.pictures:
            if picture.image_id is None or picture.png is None:
                raise ValueError(f"{self._dialogue.id}: a tool gave a picture without its id or PNG")
            names.append(f"picture_{len(self._pictures) + 1}")
            self._pictures[names[-1]] = picture.image_id
            self.drawn[picture.image_id] = picture
        self._go_on(self._observed(Observation(given.text, tuple(names))))

    def could_not(self, fault: str, sentence: str) -> None:
        """Go on from why the tool in `wants` gave nothing."""
        self._go_on(self._observed(Observation(sentence, fault=fault)))

    def failed(self, reason: str, status: str = "error") -> None:
        """End the run in a status that is asked again."""
        self._steps.close()
        self._end((), status, reason)

    def _go_on(self, sent: Said | Observation | None) -> None:
        """Send what the policy waits for, and take its steps up to the next one that has to be waited for."""
        self.wants = None
        while self.wants is None:
            try:
                step = self._steps.send(sent)
            except StopIteration as stop:
                self._ended(stop.value)
                return
            sent = None
            if isinstance(step, Note):
                self._fault(step.fault, step.text)
            elif isinstance(step, Say):
                _known(step.role, (*TURN_ROLES, _REPLY), "role")
                self.wants = self._question(step.model, step.parts, step.role)
            else:
                sent = self._use(step)

    def _use(self, use: Use) -> Observation | None:
        """Want what the use needs; where it cannot be made, what the policy observes instead."""
        self._turn("call", call(use))
        try:
            tool, arguments = self._tools.checked(use, tuple(self._pictures))
        except BadUse as bad:
            return self._observed(Observation(str(bad), fault=bad.fault))
        image_ids = self._named(tool, arguments)
        if is_asking(tool):
            asking: Asking = tool  # type: ignore[assignment]
            question = asking.question(arguments, image_ids)
            self.wants = self._question(question.asked, question.parts, "observation", use.tool)
        else:
            computing: Computing = tool  # type: ignore[assignment]
            self.wants = Computed(computing, arguments, image_ids)
        return None

    def _named(self, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, str]:
        """The ids of the pictures that the arguments name, by their names."""
        kinds = {argument.name: argument.kind for argument in tool.arguments}
        names = [value for name, value in arguments.items() if kinds.get(name) == "picture"]
        return {name: self._pictures[name] for name in names}

    def _question(self, model: str, parts: tuple[Part, ...], role: str, tool: str | None = None) -> Wanted:
        self._asked += 1
        clean = tuple(part if part.text is None else said(_scrubbed(part.text)) for part in parts)
        clean = tuple(self._shown(part) for part in clean)
        return Wanted(model, Dialogue(f"{self._dialogue.id}#{self._asked}", (Ask(clean),), ()), role, tool)

    def _shown(self, part: Part) -> Part:
        """A picture that a policy names by its name in the run stands for its pixels."""
        return (
            part if part.image_id is None else part._replace(image_id=self._pictures.get(part.image_id, part.image_id))
        )

    def _said(self, role: str, text: str) -> None:
        if role == _REPLY:
            # Kept as the reply itself, unless the run then ends otherwise.
            self._keep_unkept()
            self._unkept = text
        elif text.strip():
            self._turn(role, text)

    def _observed(self, observation: Observation) -> Observation:
        """The observation as the policy and the prediction have it."""
        text = _cut(_scrubbed(observation.text))
        if observation.fault is not None:
            self._fault(observation.fault, text)
            return observation._replace(text=text)
        pictures = tuple(Part("image", None, self._pictures[name]) for name in observation.pictures)
        self._turn("observation", text, pictures)
        return observation._replace(text=text)

    def _fault(self, fault: str, sentence: str) -> None:
        _known(fault, _FAULTS, "fault")
        text = f"{fault}: {_scrubbed(sentence)}"
        # A policy may note what it was just told.
        if not self._turns or self._turns[-1] != Turn("fault", (said(text),)):
            self._turn("fault", text)

    def _turn(self, role: str, text: str, pictures: tuple[Part, ...] = ()) -> None:
        self._keep_unkept()
        self._turns.append(Turn(role, (said(text), *pictures)))

    def _keep_unkept(self) -> None:
        text, self._unkept = self._unkept, None
        if text is not None and text.strip():
            self._turns.append(Turn("thought", (said(text),)))

    def _ended(self, outcome: Outcome) -> None:
        text, status, reason = _scrubbed(outcome.text), outcome.status, outcome.reason
        if status in _ENDS and not text.strip():
            # Asked again it would be the same: what its models said is remembered.
            status, reason = "plan_error", "no_answer"
        if self._unkept is not None and (status not in _ENDS or self._unkept != text):
            self._keep_unkept()
        if status in TOOL_STATUSES:
            _known(reason, _FAULTS, "reason")
        elif status != "error":
            _known(status, _ENDS, "status")
        self._end((said(text),) if status in _ENDS else (), status, reason or _ENDS.get(status))

    def _end(self, parts: tuple[Part, ...], status: str, reason: str | None) -> None:
        self.wants = None
        tokens_in, tokens_out = (sum(counts) if counts else None for counts in self._tokens)
        self.reply = Reply(
            self._dialogue.id,
            0,
            parts,
            status,
            reason,
            tokens_in,
            tokens_out,
            self._fingerprint,
            tuple(self.drawn.values()),
            tuple(self._turns),
        )


class Shown:
    """The pictures that dialogues name, and those that runs which are open made."""

    def __init__(self, pictures: Any, runs: list[Open]) -> None:
        """Take the pictures that there are, and the list of runs, which its owner changes."""
        self._pictures, self._runs = pictures, runs

    def png(self, image_id: str) -> bytes:
        """A picture's PNG, mode L or RGB, what was transparent on white."""
        made = self._made(image_id)
        if made is None:
            png: bytes = self._pictures.png(image_id)
            return png
        if made.mode != "RGBA":
            return made.png or b""
        return images.encode(images.on_white(images.decode(made.png or b"")))

    def image(self, image_id: str) -> Any:
        """The same, decoded, mode RGB."""
        if self._made(image_id) is None:
            return self._pictures.image(image_id)
        return images.decode(self.png(image_id)).convert("RGB")

    def _made(self, image_id: str) -> Picture | None:
        return next((run.drawn[image_id] for run in self._runs if image_id in run.drawn), None)


def call(use: Use) -> str:
    """A use as a turn keeps it: canonical JSON of arguments and tool, whatever a planner put into them."""
    text = json.dumps({"arguments": _plain(use.arguments), "tool": use.tool}, sort_keys=True, ensure_ascii=False)
    return _scrubbed(text)


def _plain(value: Any, depth: int = 0) -> Any:
    """The value in JSON's kinds; what is none of them, an infinite number too, as its text, and what is too large."""
    if depth > DEEPEST and isinstance(value, Mapping | list | tuple):
        return f"[cut: nested more than {DEEPEST} deep]"
    if isinstance(value, Mapping):
        return {_name(key): _plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one, depth + 1) for one in value]
    if isinstance(value, int) and value.bit_length() > BITS:
        return f"[cut: a whole number of {value.bit_length()} bits]"
    if isinstance(value, str | bool | int | None) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return _name(value)


def _name(value: Any) -> str:
    try:
        return str(value)
    except (ValueError, RecursionError):
        return "[cut: too large to be written]"


def _scrubbed(text: str) -> str:
    """The text with half characters, which no table can hold, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} [cut: {len(text) - LONGEST} characters more]"


def _known(name: str | None, names: Any, what: str) -> None:
    if name not in names:
        raise ValueError(f"{what} {name!r} is not among {', '.join(sorted(names))}: the policy or tool is at fault")
