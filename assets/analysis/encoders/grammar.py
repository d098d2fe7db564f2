"""How likely a text is acceptable English: a classifier of linguistic acceptability."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from assets.analysis.encoders import loading

if TYPE_CHECKING:
    import numpy as np

WHERE = "analysis.rationales.grammar"
ACCEPTABLE = ("acceptable", "grammatical", "accept", "accepted", "correct")


class Grammar(Protocol):
    """What judges the grammar of texts; `name` is what tables say."""

    @property
    def name(self) -> str:
        """What tables say."""

    def acceptable(self, texts: Sequence[str]) -> "np.ndarray":
        """The probability, in [0, 1], that each text is acceptable: (n,) float64."""


class _Checkpoint:
    def __init__(self, loaded: loading.Loaded) -> None:
        self.name = loaded.name
        self._loaded = loaded
        self._place = loading.label(loaded, ACCEPTABLE)

    def acceptable(self, texts: Sequence[str]) -> "np.ndarray":
        import numpy as np

        numbers = loading.once(texts)
        if not numbers:
            return np.zeros(0)
        encoded = loading.tokenised(self._loaded, list(numbers))
        found = np.array(loading.probabilities(self._loaded, self._place, encoded))
        return found[[numbers[text] for text in texts]]


def grammar_model(name: str, device: str = "cpu") -> Grammar:
    """The checkpoint by its folder or name on the hub; which output is acceptable says its config's id2label.

    A text that is longer than it can read is cut.

    Raises:
        Fault: it cannot be had, or has no label acceptable.
    """
    from transformers import AutoModelForSequenceClassification

    kind, what = AutoModelForSequenceClassification, "a classifier of linguistic acceptability"
    return _Checkpoint(loading.load(name, device, WHERE, kind, what))
