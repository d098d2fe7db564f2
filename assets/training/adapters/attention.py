"""Where in an image-text checkpoint its language model is."""

from typing import Any

from assets.training.train import TrainingError


def language_model(model: Any) -> tuple[str, Any]:
    """The decoder of a checkpoint that reads words and pictures, and its name among the checkpoint's modules.

    Raises:
        TrainingError: it has no decoder of its own.
    """
    inner = model.get_decoder() if hasattr(model, "get_decoder") else None
    name = next((name for name, module in model.named_modules() if module is inner and name), None)
    if inner is None or name is None:
        raise TrainingError(
            f"{type(model).__name__}: has no language model beside what sees, to which an adapter could be fitted: "
            "name another base"
        )
    return name, inner
