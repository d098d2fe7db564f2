"""Multimodal interaction steps of a reply: how many of its steps are about the pictures that it was asked about."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

DECIMALS = 6
"""Of a cosine, before it is held against the threshold: float32 vectors do not carry more."""


def interaction_steps(steps: "np.ndarray", pictures: "np.ndarray", similarity: float) -> int | None:
    """The steps whose cosine with any of the pictures is `similarity` or more; None without a step or a picture.

    The paper gives no threshold ("sufficient similarity"), so that counts are comparable under one setting alone.

    Args:
        steps: (m, d), of length 1 each.
        pictures: (n, d), of length 1 each.
        similarity: from which on a step is about a picture.

    Source: arXiv:2405.16473, section 5.3, figure 9.
    """
    if len(steps) == 0 or len(pictures) == 0:
        return None
    cosines = steps.astype("float64") @ pictures.astype("float64").T
    return int((cosines.round(DECIMALS).max(axis=1) >= similarity).sum())
