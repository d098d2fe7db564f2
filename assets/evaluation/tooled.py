"""The model that plans and uses tools."""

from collections.abc import Callable
from pathlib import Path

from assets.models.model import Model
from assets.models.tools_chat import ToolsChat
from assets.settings_evaluation import Tools


def model(name: str, settings: Tools, inner: Callable[[str], Model], folder: Path, asking: str) -> Model:
    """The model called `name`; the models that it asks are `inner` by name, and what they replied stays in `folder`."""
    return ToolsChat(name, settings, build=inner, folder=folder, asking=asking)
