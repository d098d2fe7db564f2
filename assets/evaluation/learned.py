"""The model that a training here left behind."""

from pathlib import Path

from assets.models.model import Model
from assets.models.trained import Trained
from assets.settings_evaluation import Trained as Settings


def model(name: str, settings: Settings, checkpoints: Path) -> Model:
    """The trained model called `name`, from its training's folder among `checkpoints`; nothing is loaded yet."""
    return Trained(name, checkpoints / settings.training, settings.pictures, settings.seed)
