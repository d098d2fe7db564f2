import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.analysis.pictures.clip_score import clip_score


def unit(*degrees: float) -> np.ndarray:
    angles = np.deg2rad(np.array(degrees))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_a_score_is_two_and_a_half_times_the_cosine() -> None:
    # cos 60 is one half
    assert clip_score(unit(0)[0], unit(60)) == 1.25
    assert clip_score(unit(0)[0], unit(0)) == 2.5


def test_a_negative_cosine_counts_as_nought_before_the_mean() -> None:
    assert clip_score(unit(0)[0], unit(120)) == 0.0
    # (1.25 + 0) / 2, and not 2.5 * max((0.5 - 0.5) / 2, 0)
    assert clip_score(unit(0)[0], unit(60, 120)) == 0.625


def test_pictures_of_a_sample_are_averaged() -> None:
    # cosines 1, 1/2 and 0
    assert clip_score(unit(0)[0], unit(0, 60, 90)) == pytest.approx(1.25)


def test_without_a_picture_there_is_no_score() -> None:
    assert clip_score(unit(0)[0], unit()) is None


@given(st.floats(0, 360), st.lists(st.floats(0, 360), min_size=1, max_size=6))
def test_a_score_lies_within_its_bounds_and_does_not_depend_on_the_order(text: float, pictures: list[float]) -> None:
    score = clip_score(unit(text)[0], unit(*pictures))
    assert score is not None and 0 <= score <= 2.5
    assert score == pytest.approx(clip_score(unit(text)[0], unit(*pictures[::-1])), abs=1e-4)
    by_hand = sum(2.5 * max(np.cos(np.deg2rad(text - one)), 0) for one in pictures) / len(pictures)
    assert score == pytest.approx(by_hand, abs=1e-4)
