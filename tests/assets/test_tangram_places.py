import pytest

from assets.tangram_places import bounds, mean, middle, place


def test_bounds_are_the_outermost_corners_of_all_polygons() -> None:
    assert bounds([(0, 5, 4, 5, 4, 9), (-1, 6, 2, 6, 2, 12)]) == (-1, 5, 4, 12)


def test_the_middle_of_a_triangle_is_a_third_up_from_its_base_whichever_way_it_turns() -> None:
    assert middle((0, 0, 6, 0, 0, 3)) == pytest.approx((2, 1, 9))
    assert middle((0, 3, 6, 0, 0, 0)) == pytest.approx((2, 1, 9))


def test_a_polygon_without_area_has_the_mean_of_its_corners() -> None:
    assert middle((0, 0, 2, 2, 4, 4)) == (2, 2, 0)


def test_a_common_centroid_weighs_by_area() -> None:
    assert mean([(0, 0, 1), (4, 8, 3)]) == (3, 6)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (0, 0, "top left"),
        (15, 1, "top centre"),
        (29, 10, "right side"),
        (15, 10, "centre"),
        (1, 10, "left side"),
        (15, 20, "bottom centre"),
        (30, 21, "bottom right"),
    ],
)
def test_a_place_is_named_by_the_ninth_it_lies_in(x: float, y: float, words: str) -> None:
    assert place(x, y, (0, 0, 30, 21)) == words
