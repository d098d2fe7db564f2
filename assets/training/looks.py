"""What networks are shown of pictures: how they look as they are, and how they look while they are learned from."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from assets.training import pictures

if TYPE_CHECKING:
    import random

    from PIL import Image
    from torch import Tensor


class Looks(Protocol):
    """Features of pictures, each a tensor of one shape without a batch's dimension; None: there is no picture."""

    def still(self, image_id: str | None) -> "Tensor":
        """Features of a picture of the samples, as it is.

        Raises:
            KeyError: no such picture was prepared.
        """
        ...

    def moved(self, image_id: str | None, rng: "random.Random") -> "Tensor":
        """Features of a picture of the samples as it is learned from; rng: moves it, where the features can be."""
        ...

    def of(self, image: "Image.Image | None") -> "Tensor":
        """Features of any picture."""
        ...


class Colours:
    """How much of which colour is where, (colours, rows, columns); no picture is a white one."""

    def __init__(
        self, palette: pictures.Features, spread: pictures.Features, numbers: Mapping[str, pictures.Numbers]
    ) -> None:
        """Take the colours, how much each varies, and the samples' pictures by id as numbers of colours."""
        self.palette, self.spread, self._numbers = palette, spread, numbers
        self._white = pictures.numbered(pictures.white(), palette)

    def still(self, image_id: str | None) -> "Tensor":
        """Features of a picture of the samples, as it is."""
        return self._features(self._known(image_id), 0, 0)

    def moved(self, image_id: str | None, rng: "random.Random") -> "Tensor":
        """Features of a picture of the samples after a move by some pixels."""
        far = pictures.FARTHEST
        down, across = rng.randint(-far, far), rng.randint(-far, far)
        return self._features(self._known(image_id), down, across)

    def of(self, image: "Image.Image | None") -> "Tensor":
        """Features of any picture."""
        numbers = self._white if image is None else pictures.numbered(pictures.pixels(image), self.palette)
        return self._features(numbers, 0, 0)

    def _known(self, image_id: str | None) -> pictures.Numbers:
        return self._numbers[image_id] if image_id else self._white

    def _features(self, numbers: pictures.Numbers, down: int, across: int) -> "Tensor":
        import torch

        found = pictures.features(numbers, len(self.palette), down, across) / self.spread
        return torch.from_numpy(np.asarray(found, dtype=np.float32))
