"""Trainings by family: their settings to a checkpoint, and a checkpoint of any family to what answers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assets.schema.sample import Sample
from assets.settings_training import Learned
from assets.training import checkpoint, fused
from assets.training.train import Trained, TrainingSettings
from assets.training.train import train as trained

if TYPE_CHECKING:
    from assets.images import Pictures
    from assets.training.answerer import Answerer

_ADAPTED = frozenset({"lora", "llama-adapter"})


def train(
    settings: Learned,
    samples: Sequence[Sample],
    images: "Pictures",
    into: Path,
    keep: Path | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> Trained:
    """Train on the kept samples of split train, choose on those of split validation, write the checkpoint `into`.

    Args:
        settings: the family, and what params.yaml says of it.
        samples: of any split.
        images: their pictures.
        into: the folder of the checkpoint.
        keep: the folder of the state that a run which is killed is gone on with; it is gone when the training is done.
        progress: is told a line an epoch.

    Raises:
        TrainingError: there is nothing to learn from, or nothing to choose on.
    """
    return trained(samples, images, knobs(settings), into, progress, keep, settings)


def knobs(settings: Learned) -> TrainingSettings:
    """How long and how fast it learns, as the settings say or else as is known to do for the network."""
    if settings.text is None:
        base = TrainingSettings()
    else:
        from assets.training.t5_backbone import KNOBS

        base = KNOBS
    found = base._replace(seed=settings.seed)
    if (epochs := settings.epochs) is not None:
        found = found._replace(epochs_seeing=epochs, epochs_rationale=epochs, epochs_answer=epochs)
    if (rate := settings.rate) is not None:
        found = found._replace(rate_seeing=rate, rate_rationale=rate, rate_answer=rate)
    return found if settings.batch is None else found._replace(batch=settings.batch)


def load(folder: Path, base: str | None = None) -> "Answerer":
    """What was learned, as it was when it was saved, ready to answer, whatever family it is of.

    Args:
        folder: of the checkpoint.
        base: of an adapter, where the checkpoint that it was fitted to is here; None: where its description says.

    Raises:
        CheckpointError: a file is missing, or is not what the manifest says, or is of another version or family.
    """
    description = checkpoint.verified(folder)
    if description["family"] in _ADAPTED:
        from assets.training.adapters import families as adapters

        adapted: Answerer = adapters.load(folder, base)
        return adapted
    return fused.load(folder, description)
