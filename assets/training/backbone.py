"""What a family learns with: words, looks and networks, made of the train split, kept in a checkpoint."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from assets.training.looks import Looks
from assets.training.text import Words

if TYPE_CHECKING:
    from assets.training.network import Network


class Longest(NamedTuple):
    """Words that are read of a question (its last ones), of an option, and of or into a rationale."""

    question: int = 96
    option: int = 24
    rationale: int = 150


class Backbone(Protocol):
    """The words, the looks and the networks of one training.

    name: which module can restore it, as the description says under `backbone`.
    """

    @property
    def name(self) -> str:
        """Which module restores it: `colours` or `t5`."""
        ...

    @property
    def words(self) -> Words:
        """Texts as numbers and back."""
        ...

    @property
    def looks(self) -> Looks:
        """Pictures as features."""
        ...

    @property
    def longest(self) -> Longest:
        """How much of a text is read."""
        ...

    def network(self) -> "Network":
        """A network before it has learned, on the device that it is to learn on.

        What is random of it comes of torch's global generator, which the caller seeds.
        """
        ...

    def described(self) -> Mapping[str, Any]:
        """What description.json has to say for it to be restored, as JSON values."""
        ...

    def write(self, folder: Path) -> None:
        """Put other files that it needs into the checkpoint's folder; names `*.safetensors` of networks are taken."""
        ...
