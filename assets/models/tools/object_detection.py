"""A tool that finds the objects in a picture, by a checkpoint of object detection."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from assets.analysis.encoders import loading
from assets.models import transformers_checkpoint as checkpoints
from assets.models.model import ModelError
from assets.models.tools.pictures import Box, opened
from assets.models.tools.tool import Argument, Given
from assets.schema.faults import Fault

WHERE = "detects"
WHAT = "a model of object detection"
SAID = 20
"""Objects at most, the surest first."""


class Found(NamedTuple):
    """An object: its label, how sure it is (in [0, 1]), and where."""

    label: str
    score: float
    box: Box


@dataclass(frozen=True)
class ObjectDetection:
    """The objects in a picture with their boxes.

    model: a folder, or a name on the hub. threshold: the least score of an object that is said.
    """

    limit_s: float
    model: str
    threshold: float = 0.5
    name: ClassVar[str] = "object_detection"
    meaning: ClassVar[str] = "the objects in a picture, each with its score and box"
    arguments: ClassVar[tuple[Argument, ...]] = (Argument("picture", "picture", "the picture"),)
    gives: ClassVar[Literal["text", "picture"]] = "text"
    version: ClassVar[str] = "1"

    @property
    def engine(self) -> str:
        """Its model is loaded into a process of its own."""
        return f"{self.name}:{self._place()}"

    @property
    def settings(self) -> dict[str, Any]:
        """What makes it again."""
        return asdict(self) | {"model": self._place()}

    @property
    def facts(self) -> dict[str, Any]:
        """What identifies its weights.

        Raises:
            ModelError: there are none.
        """
        try:
            loading._check(self.model, WHERE)
            with loading._told(self.model, WHERE, WHAT):
                folder = checkpoints._on_disk(self.model, None)
            loading._check(str(folder), WHERE)
        except Fault as error:
            raise ModelError(str(error)) from error
        return {"contents": checkpoints.contents(folder), "threshold": self.threshold}

    def prepare(self) -> None:
        """Load the model."""
        detector(self.model)

    def compute(self, arguments: Mapping[str, Any], pngs: Mapping[str, bytes]) -> Given:
        """A line an object, the surest first, or that there is none."""
        image = opened(pngs, arguments["picture"]).convert("RGB")
        found = _detected(image, self.model, self.threshold)
        if not found:
            return Given(f"no object with a score of {self.threshold:g} or more")
        more = [f"and {len(found) - SAID} more"] if len(found) > SAID else []
        return Given("\n".join([*map(_line, found[:SAID]), *more]))

    def _place(self) -> str:
        """The model as it can be named from any folder."""
        return str(Path(self.model).resolve()) if Path(self.model).is_dir() else self.model


@cache
def detector(name: str) -> tuple[Any, Any]:
    """The model, in float32 and eval mode, and what makes its input of pictures.

    Raises:
        Fault: it cannot be had without code or pickles of its own, lacks weights, or is no such model.
    """
    import torch
    from transformers import AutoImageProcessor, AutoModelForObjectDetection

    torch.set_num_threads(1)
    loading._check(name, WHERE)
    given: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with loading._told(name, WHERE, WHAT), checkpoints._without_bars(), loading._quiet():
        folder = checkpoints._on_disk(name, None)
        loading._check(str(folder), WHERE)
        processors: Any = AutoImageProcessor
        processor = processors.from_pretrained(folder, **given)
        model, facts = AutoModelForObjectDetection.from_pretrained(
            folder, dtype=torch.float32, use_safetensors=True, output_loading_info=True, **given
        )
    declared = model.config.architectures or [type(model).__name__]
    if type(model).__name__ not in declared:
        raise Fault(f"{WHERE}: {name} is {declared[0]} and not {WHAT}: name a checkpoint that is one")
    if lacking := sorted(facts["missing_keys"]):
        raise Fault(
            f"{WHERE}: {name} has no weights for {lacking[0]}{f' and {len(lacking) - 1} more' if lacking[1:] else ''}, "
            f"which would be random: name a checkpoint that is {WHAT}"
        )
    if not hasattr(processor, "post_process_object_detection"):
        raise Fault(f"{WHERE}: {name} has no picture processor that gives boxes: name another checkpoint")
    model.eval()
    return model, processor


def _detected(image: Any, name: str, threshold: float) -> list[Found]:
    """The objects, the surest first."""
    import torch

    model, processor = detector(name)
    with torch.inference_mode():
        given = processor(images=[image], return_tensors="pt")
        outputs = model(**given)
        size = torch.tensor([[image.height, image.width]])
        (one,) = processor.post_process_object_detection(outputs, threshold=threshold, target_sizes=size)
    labels = {int(number): str(label) for number, label in model.config.id2label.items()}
    found = [
        Found(labels.get(number, f"label {number}"), score, _shares(corners, image.width, image.height))
        for number, score, corners in zip(
            one["labels"].tolist(), one["scores"].tolist(), one["boxes"].tolist(), strict=True
        )
    ]
    return sorted(found, key=lambda one: (-one.score, one.label, one.box))


def _shares(corners: list[float], width: int, height: int) -> Box:
    left, top, right, bottom = (
        min(1.0, max(0.0, place / size)) for place, size in zip(corners, (width, height) * 2, strict=True)
    )
    return left, top, right, bottom


def _line(found: Found) -> str:
    places = ", ".join(f"{place:.2f}" for place in found.box)
    return f"{found.label} {found.score:.2f} at {places}"
