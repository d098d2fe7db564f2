"""Texts as vectors: what a sentence encoder gives, whichever it is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np

WHERE = "analysis.rationales.sentences"
PACKAGED = "packaged"
"""What params.yaml calls the encoder that comes in a pip package."""


class TextEncoder(Protocol):
    """What turns texts into vectors; `name` is what tables say."""

    @property
    def name(self) -> str:
        """What tables say, without a path of this machine."""

    def sentences(self, texts: Sequence[str]) -> "np.ndarray":
        """A vector a text, in their order: (n, d) float32, of length 1."""

    def words(self, steps: Sequence[str], *, masked: bool) -> "list[np.ndarray]":
        """The vectors of each step's tokens, special ones left out: (tokens, d) float32, none for a step without any.

        Args:
            steps: of one text.
            masked: whether a step is read alone. If not, it is read with as much padding as makes it as long as the
                longest of the steps, and nothing tells the network which tokens are padding, as ROSCOE's code has it.
        """


@runtime_checkable
class ManyAtOnce(TextEncoder, Protocol):
    """An encoder that reads the steps of many texts together, each equal text once."""

    def words_of(self, chains: Sequence[Sequence[str]], *, masked: bool) -> "list[list[np.ndarray]]":
        """What `words` gives for each of the chains."""


def words_of(encoder: TextEncoder, chains: Sequence[Sequence[str]], *, masked: bool) -> "list[list[np.ndarray]]":
    """What the encoder's `words` gives for each of the chains, all at once where it can do that."""
    if isinstance(encoder, ManyAtOnce):
        return encoder.words_of(chains, masked=masked)
    return [encoder.words(steps, masked=masked) for steps in chains]


def truncated(encoder: TextEncoder) -> int:
    """How many different texts the encoder has cut at its longest so far; 0 for one that does not say."""
    return int(getattr(encoder, "truncated", 0))


def text_encoder(name: str, device: str = "cpu", where: str = WHERE) -> TextEncoder:
    """The encoder of this name: `packaged`, or a checkpoint's folder or name on the hub.

    Args:
        name: of params.yaml.
        device: where it calculates.
        where: the setting that names it, for what an error says.

    Raises:
        Fault: it cannot be had.
    """
    if name == PACKAGED:
        from assets.analysis.encoders import packaged

        return packaged.encoder(device, where)
    from assets.analysis.encoders import checkpoint

    return checkpoint.encoder(name, device, where)
