"""CLIPScore of a reply: how well its text fits the pictures of the rationale that was constructed for its sample."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

WEIGHT = 2.5
"""What a cosine is multiplied by. Source: Hessel et al. 2021 (arXiv:2104.08718), section 3, w."""


def clip_score(text: "np.ndarray", pictures: "np.ndarray") -> float | None:
    """The mean over the pictures of 2.5 * max(cosine, 0), in [0, 2.5], rounded to four decimals; None without one.

    The raw rule is the cosine of the two vectors, cut at 0. Hessel et al. multiply it by w = 2.5, so that the usual
    values spread over [0, 1]; CoMT does not say whether its figure 5 has that factor, so compare ranks with it and not
    heights. Their prompt "A photo depicts" is not put before a reply, which is no caption.

    Args:
        text: (d,), of length 1: the reply's text.
        pictures: (n, d), of length 1 each.

    Source: arXiv:2412.12932, E.2: every picture of the constructed rationale against the generated one, averaged.
    """
    if len(pictures) == 0:
        return None
    cosines = pictures.astype("float64") @ text.astype("float64")
    return round(float(WEIGHT * cosines.clip(min=0.0).mean()), 4)
