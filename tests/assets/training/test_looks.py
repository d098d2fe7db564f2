import random

import numpy as np
import pytest
import torch

from assets import images
from assets.training import pictures
from assets.training.looks import Colours
from tests.assets.training import squares


@pytest.fixture(name="looks")
def _looks() -> Colours:
    palette = np.asarray([[255, 255, 255], *squares.COLOURS.values()], dtype=np.float32)
    drawn = pictures.pixels(squares.drawn("red", random.Random(4)))
    return Colours(palette, np.ones((5, 1, 1), np.float32), {"red": pictures.numbered(drawn, palette)})


def test_a_known_picture_looks_as_it_does_when_it_is_shown(looks: Colours) -> None:
    image = squares.drawn("red", random.Random(4))
    assert torch.equal(looks.still("red"), looks.of(image))
    assert looks.still("red").shape == (5, pictures.ROWS, pictures.COLUMNS)
    assert torch.equal(looks.of(images.decode(images.encode(image))), looks.still("red"))


def test_no_picture_is_all_white(looks: Colours) -> None:
    for found in (looks.still(None), looks.of(None), looks.moved(None, random.Random(1))):
        assert found.dtype == torch.float32
        assert bool(found[0].eq(1).all())
        assert not bool(found[1:].any())


def test_a_moved_picture_is_another_one_by_the_seed(looks: Colours) -> None:
    first, again, other = (looks.moved("red", random.Random(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert not torch.equal(first, looks.still("red"))


def test_an_unknown_picture_is_not_guessed(looks: Colours) -> None:
    with pytest.raises(KeyError, match="blue"):
        looks.still("blue")
