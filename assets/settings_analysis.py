"""What params.yaml may say of analysis: which models judge rationales, and how many of them."""

from typing import Literal

from pydantic import Field, field_validator

from assets.settings_base import Section


class Rationales(Section):
    """How rationales are scored by ROSCOE.

    sample: replies of an evaluation that are scored, drawn by `seed`, in proportion to its topics (CoMT: tasks), at
    least one of each. steps: the segmentation. sentences: `packaged` (all-MiniLM-L6-v2, which comes in a pip
    package), or a checkpoint's folder or name on the hub; inference, language, grammar: checkpoints too, null: none,
    and the scores that need it are null.
    """

    seed: int
    sample: int = Field(ge=1)
    modes: tuple[Literal["reference", "sane"], ...] = Field(default=("reference", "sane"), min_length=1)
    steps: Literal["roscoe", "roscoe-lines", "marked"] = "roscoe"
    sentences: str = Field(default="packaged", min_length=1)
    inference: str | None = None
    language: str | None = None
    grammar: str | None = None
    device: str = "cpu"

    @field_validator("modes")
    @classmethod
    def _are_named_once(cls, modes: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(modes)) < len(modes):
            raise ValueError("a mode stands twice: name each once")
        return modes


class Alignment(Section):
    """How replies are compared with pictures. model: an image-text checkpoint's folder or name on the hub; null: none.

    similarity: the cosine from which a step counts as one that is about the picture.
    """

    model: str | None = None
    similarity: float = Field(default=0.25, ge=-1, le=1)
    device: str = "cpu"


class Coverage(Section):
    """How the spread of gold rationales is measured: so many of each collection, drawn by `seed`."""

    seed: int
    sample: int = Field(ge=3)


class PictureQuality(Section):
    """Which pictures that models drew people judge, and when a score counts.

    per_task: replies of a task and model, drawn by `seed`, evenly over its strategies; agree: annotators that must
    give the same score. Source: arXiv:2412.12932, C.3.
    """

    seed: int
    per_task: int = Field(ge=1)
    agree: int = Field(ge=1)


class Analysis(Section):
    """What analysis looks at. power: of a paired test, the chance that it shows a difference that is there."""

    rationales: Rationales
    alignment: Alignment
    coverage: Coverage
    picture_quality: PictureQuality
    power: float = Field(default=0.8, gt=0, lt=1)
