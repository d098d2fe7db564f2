"""The small network's words, looks and shape, all learned from the train split; nothing comes from elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assets.training import pictures, text
from assets.training.backbone import Longest
from assets.training.examples import Example
from assets.training.looks import Colours

if TYPE_CHECKING:
    from assets.images import Pictures
    from assets.training.mm_cot import Shape
    from assets.training.network import Network
    from assets.training.train import TrainingSettings

Building = Callable[["Shape"], "Network"]
"""A shape to a network of it with fresh weights."""


class Small:
    """A Backbone: words of a vocabulary, colours by place, a network that is learned from nothing."""

    name = "small"
    longest = Longest()

    def __init__(self, shape: "Shape", vocabulary: text.Vocabulary, looks: Colours, building: Building) -> None:
        """Take what was learned of the train split, and what builds a network of the shape."""
        self.shape, self.vocabulary, self.looks = shape, vocabulary, looks
        self.words = text.Encoder(vocabulary)
        self._building = building

    def network(self) -> "Network":
        """A network with fresh weights."""
        return self._building(self.shape)

    def described(self) -> Mapping[str, Any]:
        """Shape, words and colours."""
        return {
            "shape": self.shape._asdict(),
            "words": list(self.vocabulary.words),
            "palette": self.looks.palette.tolist(),
            "spread": self.looks.spread.ravel().tolist(),
        }

    def write(self, folder: Path) -> None:
        """Put nothing into the folder: the description has all of it."""


def made(
    learned: Sequence[Example],
    phrases: int,
    shown: Mapping[str, pictures.Pixels],
    settings: "TrainingSettings",
    building: Building,
) -> Small:
    """What there is to learn with.

    Args:
        learned: the examples of train, whose words and colours are known.
        phrases: how many are told from pictures.
        shown: the pictures of all examples by id.
        settings: seed, width, colours, and the width of seeing.
        building: a shape to a network.
    """
    from assets.training.mm_cot import Shape

    seen = looks(learned, shown, settings)
    vocabulary = text.Vocabulary.of(
        words for one in learned for words in (one.asked.question, *one.asked.choices, *one.steps)
    )
    shape = Shape(
        len(vocabulary.words),
        phrases,
        len(seen.palette),
        pictures.ROWS,
        pictures.COLUMNS,
        width=settings.width,
        seeing=settings.seeing,
    )
    return Small(shape, vocabulary, seen, building)


def looks(learned: Sequence[Example], shown: Mapping[str, pictures.Pixels], settings: "TrainingSettings") -> Colours:
    """Colours of the pictures of train, and all pictures that are shown in them; settings: seed and colours."""
    rng = np.random.default_rng(settings.seed)
    seen = sorted({one.asked.image_id for one in learned if one.asked.image_id})
    palette = pictures.palette([shown[image_id] for image_id in seen] or [pictures.white()], settings.colours, rng)
    numbers = {image_id: pictures.numbered(one, palette) for image_id, one in shown.items()}
    white = pictures.numbered(pictures.white(), palette)
    spread = pictures.spread((numbers[image_id] for image_id in seen) if seen else (white,), settings.colours)
    return Colours(palette, spread, numbers)


def pixels(found: Sequence[Example], images: "Pictures") -> dict[str, pictures.Pixels]:
    """The pictures of examples by id, drawn to one size."""
    from assets.images import decode

    wanted = {one.asked.image_id for one in found if one.asked.image_id}
    return {row.image_id: pictures.pixels(decode(row.png)) for row in images.stream(wanted) if row.png and row.image_id}


def restored(described: Mapping[str, Any], building: Building) -> Small:
    """The same of what a description says, without the pictures that were learned from."""
    from assets.training.mm_cot import Shape

    palette = np.asarray(described["palette"], dtype=np.float32).reshape(-1, 3)
    spread = np.asarray(described["spread"], dtype=np.float32).reshape(-1, 1, 1)
    return Small(
        Shape(**described["shape"]),
        text.Vocabulary(tuple(described["words"])),
        Colours(palette, spread, {}),
        building,
    )
