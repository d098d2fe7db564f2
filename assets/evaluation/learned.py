"""The model that a training here left behind."""

from collections.abc import Mapping
from pathlib import Path

from assets.models.model import Model
from assets.models.trained import Trained
from assets.settings_evaluation import Trained as Settings
from assets.settings_training import Adapted, Training


def model(name: str, settings: Settings, training: Training, folders: Mapping[str, Path]) -> Model:
    """The trained model called `name`, from its training's folder; nothing is loaded yet.

    folders: in which those of the trainings are, by the asset that makes them.
    """
    made = "adapted" if isinstance(training, Adapted) else "checkpoints"
    base = training.base if isinstance(training, Adapted) else None
    return Trained(name, folders[made] / settings.training, settings.pictures, settings.seed, base=base)
