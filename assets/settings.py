"""What params.yaml may say: its sections as typed, validated settings."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from assets.settings_analysis import Analysis
from assets.settings_base import ROOT as ROOT
from assets.settings_base import FilePath, Name, Section
from assets.settings_evaluation import Evaluation, Model, Nightly, Tools, Trained
from assets.settings_training import Base, Training

MOST_EVALUATIONS = 99
"""Dagster does not check an edge of 100 or more partitions for staleness: such a table would always look fresh."""


class GeneratedReplies(Section):
    """One generated replies file: who answers how well, in which form, with which defects."""

    model: str
    strategy: Literal["direct", "cot", "desp-cot", "ccot", "vot"]
    skill: float = Field(ge=0, le=1)
    form: str
    defects: float = Field(default=0.0, ge=0, le=1)


class GeneratedReleased(Section):
    """The embedded default in the released forms: M3CoT's, and CoMT's with pictures; 0 items generate nothing."""

    seed: int
    items: int = Field(ge=0)
    replies: dict[Name, GeneratedReplies] = Field(default_factory=dict)
    comt_items: int = Field(ge=0)
    comt_replies: dict[Name, GeneratedReplies] = Field(default_factory=dict)


class Released(Section):
    """Where a benchmark's released items lie (null: nowhere), and what to say of where they come from."""

    items: FilePath | None
    provenance: str


class GeneratedUpstreams(Section):
    """The embedded default in the upstreams' own formats: how many records of each; all 0 generates nothing.

    `annotators` are simulated: the chance by name that a judgement of theirs is wrong.
    """

    seed: int
    scienceqa: int = Field(ge=0)
    math: int = Field(ge=0)
    tabmwp: int = Field(ge=0)
    kilogram: int = Field(ge=0)
    sherlock: int = Field(ge=0)
    geoqa: int = Field(ge=0)
    jhu_crowd: int = Field(ge=0)
    spot_diff: int = Field(ge=0)
    judged_chains: int = Field(ge=0)
    annotators: dict[str, Annotated[float, Field(ge=0, le=1)]]


class Upstream(Section):
    """Where an upstream's files lie (null: nowhere), and what to say of where they come from."""

    folder: FilePath | None
    provenance: str


class Annotations(Section):
    """Judgements of samples: a file or folder of recorded ones, and the folder that the page writes to."""

    recorded: FilePath | None
    own: FilePath


class Sources(Section):
    """Where each upstream lies."""

    generated_upstreams: GeneratedUpstreams
    scienceqa: Upstream
    math: Upstream
    tabmwp: Upstream
    kilogram: Upstream
    sherlock: Upstream
    geoqa: Upstream
    geometry3k: Upstream
    jhu_crowd: Upstream
    voc_faces: Upstream
    spot_diff: Upstream
    game_pairs: Upstream
    m3cot_annotations: Annotations
    comt_annotations: Annotations
    picture_judgements: Annotations
    judged_chains: Upstream
    generated_released: GeneratedReleased
    m3cot_released: Released
    comt_released: Released


class Votes(Section):
    """How judgements decide: this many that agree; a sample without a decision is accepted or held back."""

    needed: int = Field(ge=1)
    pending: Literal["accept", "hold"]


class Filter(Section):
    """What the automatic filters ask for."""

    least_steps: int = Field(ge=2)


class WriterSettings(Section):
    """What writes options, questions and rationales: rules, recorded replies, or a model at an endpoint.

    `key_variable` is the NAME of the environment variable that holds the endpoint's key.
    """

    kind: Literal["rules", "replay", "openai"]
    replies: FilePath | None = None
    model: str | None = None
    base_url: str | None = None
    key_variable: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    temperature: float = Field(default=0.0, ge=0)
    seed: int | None = None
    max_tokens: int = Field(default=2048, ge=1)
    timeout_s: float = Field(default=120.0, gt=0)
    concurrency: int = Field(default=4, ge=1, le=256)

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> "WriterSettings":
        if self.kind == "replay" and self.replies is None:
            raise ValueError("kind replay reads recorded replies: set replies to their file")
        if self.kind == "openai" and (self.model is None or self.key_variable is None):
            raise ValueError("kind openai needs model, and key_variable (the NAME of an environment variable)")
        return self

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, base_url: str | None) -> str | None:
        if base_url is not None and not base_url.startswith(("http://", "https://")):
            raise ValueError("write the address of the endpoint with its http:// or https://")
        return base_url


class Mathematics(Section):
    """Samples from MATH. `figures`: what draws `[asy]` code; none discards such problems, visibly."""

    most_per_topic: int | None = Field(ge=0)
    figures: Literal["asymptote", "none"]
    figure_s: float = Field(gt=0)


class Commonsense(Section):
    """Samples from Sherlock: how many clues of one picture make a question."""

    seed: int
    least_clues: int = Field(ge=2)
    most_clues: int = Field(ge=2)

    @model_validator(mode="after")
    def _makes_questions(self) -> "Commonsense":
        if self.most_clues < self.least_clues:
            raise ValueError(
                f"most_clues {self.most_clues} is below least_clues {self.least_clues}: raise or lower one"
            )
        return self


class Science(Section):
    """Samples for sparse topics: maps drawn by rule, and new samples of a category kept fewer times than `sparse`."""

    seed: int
    maps: int = Field(ge=0)
    sparse: int = Field(ge=0)
    most_new: int = Field(ge=0)


class Duplicates(Section):
    """Which samples are redundant: same question (options and answer too, unless `question_alone`), like pictures."""

    measure: Literal["pearson", "phash"]
    similarity: float = Field(gt=0, le=1)
    question_alone: bool


class Split(Section):
    """The proportions of the splits, as the paper counts them."""

    seed: int
    train: int = Field(ge=0)
    validation: int = Field(ge=0)
    test: int = Field(ge=0)


class Audit(Section):
    """The share of a source's questions that is judged for multi-step multimodal reasoning (M3CoT, A.1)."""

    seed: int
    share: float = Field(gt=0, le=1)


class M3cot(Section):
    """How M3CoT is built. `steps` names the step segmentation; `letters_seed` reorders options to balance letters."""

    steps: Literal["roscoe", "roscoe-lines", "marked"]
    votes: Votes
    filter: Filter
    writer: WriterSettings
    mathematics: Mathematics
    commonsense: Commonsense
    science: Science
    duplicates: Duplicates
    letters_seed: int
    split: Split
    audit: Audit


class Creation(Section):
    """Samples from geometry: how many relations a question must state to describe its picture."""

    least_relations: int = Field(ge=1)


class Deletion(Section):
    """Samples from crowds: how many people a picture may show, and how many heads are masked at once."""

    seed: int
    fewest: int = Field(ge=1)
    most: int = Field(ge=1)
    at_once: int = Field(ge=1)

    @model_validator(mode="after")
    def _is_a_range(self) -> "Deletion":
        if self.most < self.fewest:
            raise ValueError(f"most {self.most} is below fewest {self.fewest}: raise or lower one")
        return self


class Update(Section):
    """Samples from tangrams: colours of the label groups, bounds of labels and overlaps, annotations of a tangram."""

    seed: int
    palette: tuple[Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")], ...] = Field(min_length=7)
    longest_label: int = Field(ge=1)
    most_overlap: float = Field(ge=0, le=1)
    most_per_tangram: int | None = Field(ge=1)

    @field_validator("palette")
    @classmethod
    def _differ(cls, palette: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(palette)) < len(palette):
            raise ValueError("a colour stands twice: name as many different ones")
        return palette


class Selection(Section):
    """Samples from pairs of pictures: how many pairs of crops, and how wide the gap between two pictures is."""

    seed: int
    pairs: int = Field(ge=1)
    gap: int = Field(ge=1, le=400)


class Development(Section):
    """The development set: how many samples of each task, which the benchmark then lacks."""

    seed: int
    per_task: int = Field(ge=0)


class Comt(Section):
    """How CoMT is built. `steps` names the step segmentation."""

    steps: Literal["roscoe", "roscoe-lines", "marked"]
    votes: Votes
    creation: Creation
    deletion: Deletion
    update: Update
    selection: Selection
    development: Development


class Scoring(Section):
    """How answers become scores."""

    labels: tuple[Literal["released", "paper"], ...]
    level: float = Field(gt=0, lt=1)


class Running(Section):
    """How runs behave, whatever they make.

    lock_wait_s: seconds to wait for another run that writes the same table. docs_port: of Data Docs on loopback.
    executor: models answer in the run's own process, or in `workers` processes of Ray, each with `gpus` of them, on
    this machine or on those of the Ray that runs at `address` (host:port). most_failures: the share of
    an evaluation's dialogues that may fail before it stops.
    """

    lock_wait_s: float = Field(ge=0)
    docs_port: int = Field(ge=1, le=65535)
    executor: Literal["local", "ray"] = "local"
    workers: int = Field(default=2, ge=1)
    gpus: float = Field(default=0.0, ge=0)
    address: str | None = None
    most_failures: float = Field(default=0.2, ge=0, le=1)


class Tracking(Section):
    """Where MLflow keeps its records; `uri` null is the sqlite store under var/."""

    uri: str | None
    experiment: str


class Settings(Section):
    """params.yaml as a whole; `profile` names the data that it builds."""

    profile: Name
    sources: Sources
    m3cot: M3cot
    comt: Comt
    bases: dict[Name, Base] = Field(default_factory=dict)
    trainings: dict[Name, Training] = Field(default_factory=dict)
    models: dict[Name, Model]
    evaluations: dict[Name, Evaluation]
    nightly: Nightly = Nightly()
    scoring: Scoring
    analysis: Analysis
    running: Running
    tracking: Tracking

    @field_validator("evaluations")
    @classmethod
    def _within_what_dagster_checks(cls, value: dict[str, Evaluation]) -> dict[str, Evaluation]:
        if len(value) > MOST_EVALUATIONS:
            raise ValueError(
                f"{len(value)} evaluations are more than {MOST_EVALUATIONS}, past which Dagster no longer sees "
                "what is stale: move some of them to a profile of their own"
            )
        return value

    @model_validator(mode="after")
    def _evaluations_have_what_they_name(self) -> "Settings":
        for name, model in self.models.items():
            if isinstance(model, Trained) and model.training not in self.trainings:
                known = ", ".join(sorted(self.trainings)) or "none"
                raise ValueError(f"models.{name}.training: {model.training!r} is not among trainings ({known})")
            if isinstance(model, Tools):
                model.require(name, self.models)
        for section, held, what, others in (
            ("trainings", self.trainings, "an evaluation", self.evaluations.keys()),
            ("bases", self.bases, "a training or an evaluation", self.trainings.keys() | self.evaluations.keys()),
        ):
            if both := sorted(held.keys() & others):
                raise ValueError(f"{section}.{both[0]}: {what} is called so too: give one of them another name")
        for name, evaluation in self.evaluations.items():
            released = evaluation.edition == "released"
            if released and evaluation.benchmark == "m3cot" and self.sources.m3cot_released.items is None:
                raise ValueError(
                    f"evaluations.{name}.benchmark: m3cot has no samples to score against: "
                    "set sources.m3cot_released.items, or edition: built"
                )
            if evaluation.model not in self.models:
                known = ", ".join(sorted(self.models)) or "none"
                raise ValueError(
                    f"evaluations.{name}.model: {evaluation.model!r} is not among models ({known}): add it there"
                )
            evaluation.require(name, self.models[evaluation.model].kind)
        return self
