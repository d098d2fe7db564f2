"""Many runs of a policy at once: what they ask of models goes in batches, what tools compute into the sandbox."""

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assets.models.model import Dialogue, Pictures, Reply
from assets.models.policies.policy import Limits, Policy
from assets.models.remembered import Remembered
from assets.models.tools.inventory import Inventory
from assets.models.tools.sandbox import Sandbox, fault_of
from assets.models.tools.tool import ToolFault
from assets.models.tools_open import Computed, Open, Shown, Wanted
from assets.schema.faults import Fault

AT_ONCE = 32
"""Runs that are open at a time."""

ONE_ASK = "a run with tools answers in one ask: use strategy direct"
"""Why a dialogue of several asks is not answered."""


class Runner:
    """Runs of one policy. All open runs are taken one step further at a time, so that models are asked in batches."""

    def __init__(
        self,
        policy: Policy,
        tools: Inventory,
        limits: Limits,
        models: Mapping[str, Remembered],
        sandbox: Sandbox,
        at_once: int = AT_ONCE,
    ) -> None:
        """Take what a run needs; `models`: by `planner` and the names in `sees`, the same one under several if need be.

        The sandbox is entered by whoever made it.
        """
        self._policy, self._tools, self._limits = policy, tools, limits
        self._models, self._sandbox, self._at_once = models, sandbox, at_once

    def replies(self, dialogues: Iterable[Dialogue], pictures: Pictures) -> Iterator[Reply]:
        """A reply for each dialogue as its run ends; a dialogue of several asks is an error.

        A policy that raises ends all of it: that is no run's fault.

        Raises:
            ModelError: a model cannot answer at all.
        """
        source = iter(dialogues)
        waiting: list[Open] = []
        shown = Shown(pictures, waiting)
        while True:
            taken = list(itertools.islice(source, self._at_once - len(waiting)))
            if not taken and not waiting:
                return
            for dialogue in taken:
                if len(dialogue.asks) != 1:
                    yield Reply(dialogue.id, len(dialogue.said), (), "error", ONE_ASK)
                elif not dialogue.said:
                    waiting.append(Open(dialogue, self._policy, self._tools, self._limits))
            self._advance(waiting, shown)
            ended = [run.reply for run in waiting if run.reply is not None]
            # In place: the pictures of runs that have ended go with them.
            waiting[:] = [run for run in waiting if run.reply is None]
            yield from ended

    def _advance(self, waiting: Sequence[Open], shown: Shown) -> None:
        """Give each run what it waits for now."""
        asked: dict[Remembered, dict[str, tuple[Open, Dialogue]]] = {}
        computed: list[tuple[Open, Computed]] = []
        for run in waiting:
            if isinstance(run.wants, Wanted):
                of_model = asked.setdefault(self._models[run.wants.model], {})
                of_model[run.wants.dialogue.id] = run, run.wants.dialogue
            elif isinstance(run.wants, Computed):
                computed.append((run, run.wants))
        for model, of_model in asked.items():
            with contextlib.closing(model.replies([dialogue for _, dialogue in of_model.values()], shown)) as replies:
                for reply in replies:
                    of_model[reply.id][0].answered(reply)
        for run, wants in computed:
            self._compute(run, wants, shown)

    def _compute(self, run: Open, wants: Computed, shown: Shown) -> None:
        try:
            pngs = {name: shown.png(image_id) for name, image_id in wants.image_ids.items()}
        except Fault as fault:
            run.failed(str(fault))
            return
        try:
            given = self._sandbox.use(wants.tool, wants.arguments, pngs)
        except ToolFault as fault:
            run.could_not(fault_of(fault), str(fault))
        else:
            run.gave(given)
