"""An encoder whose vectors are given, and chains of points on a circle: cosines that can be worked out by hand."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assets.analysis.rationales.chains import Chain

if TYPE_CHECKING:
    import numpy as np


def at(degrees: float) -> tuple[float, float]:
    """The point of the unit circle at so many degrees."""
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


class Given:
    """Texts are angles in degrees, such as `60`; their words are angles too, a text of several being one a word.

    The vector of a text of several words is that of its first one. Without a mask every word is turned by ten degrees
    for each word that its text is shorter than the longest text of its chain. `blank` is a text without words.
    """

    name = "given"

    def __init__(self, wholes: Mapping[str, float] | None = None) -> None:
        self.wholes = dict(wholes or {})
        self.asked: list[str] = []

    def sentences(self, texts: Sequence[str]) -> "np.ndarray":
        import numpy as np

        self.asked += texts
        return np.array([at(self.wholes.get(text, self._angles(text, 0.0)[0])) for text in texts], np.float32).reshape(
            -1, 2
        )

    def words(self, steps: Sequence[str], *, masked: bool) -> "list[np.ndarray]":
        import numpy as np

        longest = max((len(text.split()) for text in steps), default=0)
        return [
            np.array(
                [at(angle + (0 if masked else 10 * (longest - len(text.split())))) for angle in self._angles(text)],
                np.float32,
            ).reshape(-1, 2)
            for text in steps
        ]

    @staticmethod
    def _angles(text: str, *otherwise: float) -> list[float]:
        first = text.split(". ")[0]
        return [float(word) for word in first.split() if word != "blank"] or list(otherwise)


def chain(context: str, steps: str, reference: str | None = None) -> Chain:
    """A chain whose texts are separated by commas: `chain("0, 90", "30, 60 10")`."""
    sides = [tuple(part.strip() for part in side.split(",") if part.strip()) for side in (context, steps)]
    gold = None if reference is None else tuple(part.strip() for part in reference.split(","))
    return Chain(sides[0], sides[1], gold)
