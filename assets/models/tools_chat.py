"""The model kind `tools`: a planner that answers by a policy, with tools and models that look at pictures for it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assets.models.model import Dialogue, Model, ModelError, Pictures, Reply
from assets.models.policies import idealgpt, known
from assets.models.policies.policy import Limits
from assets.models.remembered import TEMPLATE, Remembered
from assets.models.tools import sandbox_kernel
from assets.models.tools.inventory import Inventory, inventory
from assets.models.tools.sandbox import Sandbox
from assets.models.tools_run import Runner
from assets.replies_store import RepliesStore
from assets.settings_evaluation import Tools

PLANNER = "planner"
"""What policies and tools call the model that plans, whatever its name is."""


class ToolsChat:
    """Replies of runs with tools: each tells in its turns what was planned, called and observed on the way.

    What its models reply on the way is kept in the store of replies as soon as it comes, so that a run which was
    killed, or is asked again under another name of its evaluation, asks nothing twice. Dialogues have one ask.
    """

    def __init__(
        self, name: str, settings: Tools, *, build: Callable[[str], Model], folder: Path, asking: str = "first"
    ) -> None:
        """Take what params.yaml says, and build nothing yet.

        Args:
            name: in params.yaml.
            settings: of the model there.
            build: makes a model of a name in `models`; called once for each name.
            folder: the store of replies, the evaluation's own or another.
            asking: a name; another one asks everything anew, of the models on the way too.
        """
        self.name = name
        self._settings, self._build = settings, build
        self._folder, self._asking = folder, asking
        self._built: dict[str, Model] = {}
        self._counts = {"asked_on_the_way": 0, "reused_on_the_way": 0}

    @property
    def identity(self) -> Mapping[str, Any]:
        """The policy with its bounds, the models that it asks, and its tools with theirs; not where replies are kept.

        Raises:
            ModelError: a model or a tool that it names cannot be had.
        """
        settings = self._settings
        return {
            "kind": "tools",
            "policy": settings.policy,
            "planner": dict(self._model(settings.planner).identity),
            "sees": [[name, dict(self._model(name).identity)] for name in settings.sees],
            "tools": self._inventory().identity,
            "calls": settings.calls,
            "rounds": settings.rounds,
            "versions": [known.VERSION, TEMPLATE],
        }

    @property
    def facts(self) -> Mapping[str, str | int]:
        """To be shown: policy, models, tools, what holds these back, and how often models were asked or remembered."""
        settings = self._settings
        return {
            "policy": settings.policy,
            "planner": settings.planner,
            **({"sees": ", ".join(settings.sees)} if settings.sees else {}),
            "tools": ", ".join(self._inventory().names),
            "sandbox": sandbox_kernel.said(),
            **self._counts,
        }

    def replies(self, dialogues: Iterable[Dialogue], pictures: Pictures) -> Iterator[Reply]:
        """A reply for each dialogue; statuses ok, or plan_error, tool_error or bound_reached, or error with the reason.

        Raises:
            ModelError: a model or a tool that it names cannot be had.
        """
        settings = self._settings
        if PLANNER in settings.sees and settings.planner != PLANNER:
            raise ModelError(f"models.{self.name}.sees: a model called {PLANNER} is taken for the planner: rename it")
        with RepliesStore(self._folder) as store, Sandbox() as sandbox:
            remembered = {
                name: Remembered(self._model(name), store, self._asking)
                for name in dict.fromkeys((settings.planner, *settings.sees))
            }
            models = {**{name: remembered[name] for name in settings.sees}, PLANNER: remembered[settings.planner]}
            limits = Limits(settings.calls, settings.rounds)
            runner = Runner(known.KNOWN[settings.policy], self._inventory(), limits, models, sandbox)
            before = dict(self._counts)
            for reply in runner.replies(dialogues, pictures):
                self._counts["asked_on_the_way"] = before["asked_on_the_way"] + _sum(remembered, "asked")
                self._counts["reused_on_the_way"] = before["reused_on_the_way"] + _sum(remembered, "reused")
                yield reply

    def _model(self, name: str) -> Model:
        if name not in self._built:
            self._built[name] = self._build(name)
        return self._built[name]

    def _inventory(self) -> Inventory:
        settings = self._settings
        found = inventory(settings.tools, sees=settings.sees, detects=settings.detects, limit_s=settings.limit_s)
        if settings.policy == "idealgpt" and idealgpt.SEEING not in found.names:
            missing = "sees: name a model there" if not settings.sees else f"tools: add {idealgpt.SEEING}"
            raise ModelError(
                f"models.{self.name}: policy idealgpt asks {idealgpt.SEEING}, which there is not: {missing}"
            )
        return found


def _sum(remembered: Mapping[str, Remembered], what: str) -> int:
    return sum(getattr(one, what) for one in remembered.values())
