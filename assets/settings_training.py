"""What params.yaml may say of trainings, a class a family, and of the checkpoints made here that some of them adapt."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from assets.settings_base import Section

Seed = Annotated[int, Field(ge=0, lt=2**32)]
"""What numpy, torch and transformers all take."""

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _apart(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(values)) < len(values):
        raise ValueError("write each once")
    return values


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"write a regular expression ({error})") from None
    return text


class _Training(Section):
    """A model to be trained on the train split and chosen on the validation split, both as they are built here."""

    benchmark: Literal["m3cot"] = "m3cot"
    seed: Seed = 0


class _Fused(_Training):
    """Two stages, rationale then answer, by an encoder-decoder that takes in what the picture shows.

    text: an encoder-decoder checkpoint (T5 and its like), by folder or name; null: a small network that is learned
    from nothing. vision: a checkpoint of pictures; null: colours by place. epochs (of each stage), rate, batch: null
    is the family's own. device, dtype: of a checkpoint.
    """

    text: str | None = Field(default=None, min_length=1)
    vision: str | None = Field(default=None, min_length=1)
    epochs: int | None = Field(default=None, ge=1)
    rate: Positive | None = None
    batch: int | None = Field(default=None, ge=1)
    device: str = "auto"


class MmCot(_Fused):
    """The picture comes in through a gate."""

    family: Literal["mm-cot"]


class McCot(_Fused):
    """mm-cot that learns to answer from several rationales, sampled from what it writes, at once."""

    family: Literal["mc-cot"]
    rationales: int = Field(default=3, ge=1, le=16)
    temperature: Positive = 0.8


class Mmr(_Fused):
    """Two stages whose words and picture look at each other several times, with a contrastive loss on sentences.

    hops: times that they look. contrast: weight of that loss. temperature: of its likeness.
    """

    family: Literal["mmr"]
    hops: int = Field(default=2, ge=1, le=8)
    contrast: float = Field(default=0.1, ge=0, allow_inf_nan=False)
    temperature: Positive = 0.1


class Search(Section):
    """Batches and rates that are tried, each pair for the epochs; the best on validation stays."""

    batches: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1), AfterValidator(_apart)] = (2, 4, 8)
    rates: Annotated[tuple[Positive, ...], Field(min_length=1), AfterValidator(_apart)] = (1e-6, 8e-6, 8e-5)


class _Adapted(_Training):
    """Some weights beside those of an image-text checkpoint, which stay as they are.

    base: the checkpoint, by folder or name; one of `bases` by data/training/bases/<name>. length: tokens of a sample
    at most. rationale: it learns to write the rationale before the answer, or the answer alone.
    """

    base: str = Field(min_length=1)
    length: int = Field(default=512, ge=16)
    epochs: int = Field(default=2, ge=1)
    batch: int = Field(default=4, ge=1)
    rate: Positive = 2e-5
    search: Search | None = None
    rationale: bool = True
    device: str = "auto"
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto"
    batch_answering: int = Field(default=16, ge=1)


class Lora(_Adapted):
    """Low-rank updates of the language model's attention. target: a regular expression of modules; null: those."""

    family: Literal["lora"]
    rank: int = Field(default=8, ge=1)
    alpha: int = Field(default=16, ge=1)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    target: Annotated[str, Field(min_length=1), AfterValidator(_pattern)] | None = None


class LlamaAdapter(_Adapted):
    """Learned prompts in the last layers' attention, let in through a gate that starts closed.

    prompts: of a layer. layers: the last so many.
    """

    family: Literal["llama-adapter"]
    prompts: int = Field(default=10, ge=1)
    layers: int = Field(default=30, ge=1)


Learned = MmCot | McCot | Mmr
Adapted = Lora | LlamaAdapter
Training = Annotated[MmCot | McCot | Mmr | Lora | LlamaAdapter, Field(discriminator="family")]


class ImageTextBase(Section):
    """A tiny image-text checkpoint of random weights that reads the train split's rationales for so many epochs."""

    kind: Literal["image-text"]
    seed: Seed = 0
    epochs: int = Field(default=1, ge=0)


class PlannerBase(Section):
    """A tiny language model that learns to write plans from plans that rules write for the train split."""

    kind: Literal["planner"]
    seed: Seed = 0
    epochs: int = Field(default=1, ge=0)


Base = Annotated[ImageTextBase | PlannerBase, Field(discriminator="kind")]
