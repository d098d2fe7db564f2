"""How likely one text contradicts another: a classifier of natural language inference."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from assets.analysis.encoders import loading

if TYPE_CHECKING:
    import numpy as np

WHERE = "analysis.rationales.inference"
CONTRADICTION = ("contradiction", "contradict", "contradicts", "contradictory", "contradicted")


class Inference(Protocol):
    """What judges pairs of texts; `name` is what tables say."""

    @property
    def name(self) -> str:
        """What tables say."""

    def contradiction(self, pairs: Sequence[tuple[str, str]]) -> "np.ndarray":
        """The probability, in [0, 1], that the hypothesis contradicts the premise.

        Args:
            pairs: (premise, hypothesis) each.

        Returns:
            (n,) float64.
        """


class _Checkpoint:
    def __init__(self, loaded: loading.Loaded) -> None:
        self.name = loaded.name
        self._loaded = loaded
        self._place = loading.label(loaded, CONTRADICTION)

    def contradiction(self, pairs: Sequence[tuple[str, str]]) -> "np.ndarray":
        import numpy as np

        numbers = loading.once(pairs)
        if not numbers:
            return np.zeros(0)
        premises, hypotheses = zip(*numbers, strict=True)
        encoded = loading.tokenised(self._loaded, premises, hypotheses)
        found = np.array(loading.probabilities(self._loaded, self._place, encoded))
        return found[[numbers[pair] for pair in pairs]]


def inference_model(name: str, device: str = "cpu") -> Inference:
    """The checkpoint by its folder or name on the hub; which output is the contradiction says its config's id2label.

    A pair that is longer than it can read is cut, the longer text first.

    Raises:
        Fault: it cannot be had, or has no label contradiction.
    """
    from transformers import AutoModelForSequenceClassification

    kind, what = AutoModelForSequenceClassification, "a classifier of natural language inference"
    return _Checkpoint(loading.load(name, device, WHERE, kind, what))
