import numpy as np
import pytest
from PIL import Image

from assets.drawing import Place, climate_chart, polygons, relief_map

SQUARE = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
TEMPERATURES = [-2, 0, 5, 11, 17, 21, 24, 23, 18, 12, 6, 0]
RAINFALL = [55, 48, 60, 80, 110, 130, 95, 90, 85, 70, 65, 60]
HILL = [[100.0 - (x - 5) ** 2 - (y - 5) ** 2 for x in range(11)] for y in range(11)]


def area(picture: Image.Image, colour: tuple[int, int, int]) -> int:
    return int((np.abs(np.asarray(picture).astype(int) - colour).sum(axis=2) < 30).sum())


def test_a_square_fills_the_padded_field() -> None:
    picture = polygons([(SQUARE, "black")], 10, 10, side=320, stroke=None)
    assert (picture.mode, picture.size) == ("RGB", (320, 320))
    # a twentieth of padding on each side leaves 288 pixels
    assert area(picture, (0, 0, 0)) == pytest.approx(288 * 288, rel=0.01)


def test_a_wide_field_keeps_its_shape_and_is_centred() -> None:
    picture = polygons([([(0, 0), (20, 0), (20, 10), (0, 10)], "black")], 20, 10, stroke=None)
    rows = np.flatnonzero((np.asarray(picture) < 50).all(axis=2).any(axis=1))
    assert rows[-1] - rows[0] + 1 == pytest.approx(144, abs=1)
    assert rows[0] == pytest.approx(88, abs=1)


def test_pieces_that_touch_are_parted_by_the_stroke() -> None:
    left = [(0.0, 0.0), (5.0, 0.0), (5.0, 10.0), (0.0, 10.0)]
    right = [(5.0, 0.0), (10.0, 0.0), (10.0, 10.0), (5.0, 10.0)]
    picture = polygons([(left, "lightgray"), (right, "lightgray")], 10, 10)
    assert picture.getpixel((160, 160)) == (255, 255, 255)
    assert picture.getpixel((80, 160)) == (211, 211, 211)


@pytest.mark.parametrize(
    ("pieces", "width", "side"),
    [([(SQUARE[:2], "black")], 10.0, 320), ([], 0.0, 320), ([], float("nan"), 320), ([], 10.0, 100_000)],
    ids=["two_points", "empty_field", "nan", "too_large"],
)
def test_what_cannot_be_drawn_is_refused(
    pieces: list[tuple[list[tuple[float, float]], str]], width: float, side: int
) -> None:
    with pytest.raises(ValueError, match=r"piece of 2 points|a field of"):
        polygons(pieces, width, 10, side=side)


def test_a_climate_chart_has_bars_as_high_as_its_rainfall() -> None:
    chart = climate_chart(TEMPERATURES, RAINFALL, title="Town")
    assert (chart.mode, chart.size) == ("RGB", (480, 360))
    doubled = climate_chart([0] * 12, [100, *[50] * 11])
    blue = (np.abs(np.asarray(doubled).astype(int) - (0x00, 0x72, 0xB2)).sum(axis=2) < 30)[80:, :]
    tall = blue.sum(axis=0)
    assert tall[85] == pytest.approx(2 * tall[115], rel=0.05)


def test_a_map_shows_its_height_its_places_and_is_the_same_each_time() -> None:
    places = [Place("A", 5, 5), Place("$B$", 10, 0)]
    first = relief_map(HILL, places, title="Cost $5")
    assert (first.mode, first.size) == ("RGB", (480, 360))
    assert first.tobytes() == relief_map(HILL, places, title="Cost $5").tobytes()
    assert first.tobytes() != relief_map(HILL, places[:1], title="Cost $5").tobytes()


def test_a_machines_own_matplotlib_settings_change_no_pixel() -> None:
    import matplotlib

    plain = climate_chart(TEMPERATURES, RAINFALL)
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "red"}):
        assert climate_chart(TEMPERATURES, RAINFALL).tobytes() == plain.tobytes()


def test_deep_water_is_darker_and_high_ground_lighter() -> None:
    def grey(depth: bool) -> tuple[float, float]:
        tones = np.asarray(relief_map(HILL, [], depth=depth).convert("L"))
        return float(tones[168, 185]), float(tones[30, 35])

    middle, corner = grey(False)
    assert middle > corner
    middle, corner = grey(True)
    assert middle < corner


@pytest.mark.parametrize(
    "heights",
    [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [1.0]], [[1.0, 2.0]], []],
    ids=["level", "ragged", "one_row", "none"],
)
def test_a_grid_that_makes_no_map_is_refused(heights: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="a grid"):
        relief_map(heights, [])


def test_a_chart_of_eleven_months_is_refused() -> None:
    with pytest.raises(ValueError, match="11 temperatures"):
        climate_chart(TEMPERATURES[:11], RAINFALL)
