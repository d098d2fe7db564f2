import numpy as np

from assets.analysis.pictures.interaction import interaction_steps

PICTURES = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], np.float32)


def step(first: float, second: float) -> np.ndarray:
    return np.array([first, second, np.sqrt(1 - first**2 - second**2)], np.float32)


def test_a_step_counts_from_the_threshold_on() -> None:
    steps = np.stack([step(0.25, 0.0), step(0.2499, 0.0), step(0.2501, 0.0), step(-0.9, 0.0)])
    assert interaction_steps(steps, PICTURES, 0.25) == 2


def test_a_cosine_that_float32_cannot_tell_from_the_threshold_counts() -> None:
    # 0.1 in float32 is 0.100000001, 0.7 is 0.699999988
    steps = np.stack([step(0.1, 0.0), step(0.7, 0.0)])
    assert interaction_steps(steps, PICTURES, 0.7) == 1
    assert interaction_steps(steps, PICTURES, 0.1) == 2


def test_a_step_close_to_any_of_the_pictures_counts_once() -> None:
    steps = np.stack([step(0.0, 0.5), step(0.5, 0.5), step(0.1, 0.1)])
    assert interaction_steps(steps, PICTURES, 0.4) == 2
    assert interaction_steps(steps, PICTURES[:1], 0.4) == 1


def test_none_of_the_steps_is_a_number_and_nothing_to_compare_is_none() -> None:
    steps = np.stack([step(0.1, 0.0)])
    assert interaction_steps(steps, PICTURES, 0.5) == 0
    assert interaction_steps(steps[:0], PICTURES, 0.5) is None
    assert interaction_steps(steps, PICTURES[:0], 0.5) is None
