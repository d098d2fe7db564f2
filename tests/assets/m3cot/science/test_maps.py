import math
import random
import re
from collections import Counter

import pytest

from assets import steps
from assets.m3cot.questions import PictureMissing
from assets.m3cot.science import maps
from assets.m3cot.science.climate_charts import Chart, ask, chart
from assets.m3cot.science.maps import CATEGORIES, PROVENANCE, pictures, samples
from assets.m3cot.science.relief_questions import COMPASS, Point, Relief, direction, relief

N = 84
DRAWN = {f"map-{number:04}": f"p{number}" for number in range(1, N + 1)}


@pytest.fixture(scope="module")
def rows():
    return samples(N, DRAWN, seed=1)


def right(row) -> str:
    return row.choices["ABCD".index(row.answer)]


def test_categories_come_in_turn(rows) -> None:
    assert [row.category for row in rows[:8]] == [*CATEGORIES, CATEGORIES[0]]
    assert Counter(row.category for row in rows) == dict.fromkeys(CATEGORIES, N // 7)
    assert rows[0]._replace(rationale=None, question="", context="", choices=(), answer="") == maps.Sample(
        "map-0001",
        "m3cot",
        "map",
        "0001",
        PROVENANCE,
        domain="science",
        topic="social-science",
        subtopic="geography",
        category="Climate Analysis",
        question="",
        context="",
        choices=(),
        answer="",
        images=("p1",),
    )


def test_four_different_options_and_four_steps_or_more(rows) -> None:
    for row in rows:
        assert len(set(row.choices)) == 4, row
        assert len(steps.segment(row.text)) >= 4, row.text


def test_all_letters_are_right_somewhere(rows) -> None:
    assert set(Counter(row.answer for row in rows)) == set("ABCD")


def test_every_category_asks_in_three_ways_or_more(rows) -> None:
    asked = {
        (row.category, re.sub(r"[A-D]\b|\d+|deepest|shallowest|highest|lowest|north|south", "", row.question))
        for row in rows
    }
    assert min(Counter(category for category, _ in asked).values()) >= 3


def points(row) -> dict[str, Point]:
    return {point.label: point for point in maps._scene(int(row.source_id), 1).points}


def test_answers_about_extremes_are_those_of_the_field(rows) -> None:
    checked = 0
    for row in rows:
        found = re.match(r"At which of the (?:labelled )?points .*?is the (?:sea|land) (\w+)", row.question)
        if found:
            scene = maps._scene(int(row.source_id), 1)
            end = max if found[1] in ("deepest", "highest") else min
            value = {point.label: scene.heights[point.y][point.x] for point in scene.points if point.label != "P"}
            assert right(row).startswith(f"Point {end(value, key=value.get)}")
            checked += 1
    assert checked >= 8


def test_directions_are_those_of_the_points(rows) -> None:
    for row in rows:
        found = re.fullmatch(r"Point (\w), to the ([a-z-]+)", right(row))
        if found:
            start, end = points(row)["P"], points(row)[found[1]]
            angle = math.degrees(math.atan2(start.y - end.y, end.x - start.x)) % 360
            off = abs(angle - 45 * COMPASS.index(found[2]))
            assert min(off, 360 - off) <= 12


def test_bands_and_differences_are_those_of_the_field(rows) -> None:
    for row in rows:
        if row.category.endswith("Estimation"):
            scene = maps._scene(int(row.source_id), 1)
            value = {point.label: scene.heights[point.y][point.x] for point in scene.points}
            named = re.findall(r"point (\w)\b|points (\w) and (\w)", row.question)
            labels = [label for each in named for label in each if label]
            read = [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", right(row))]
            if right(row).startswith("between"):
                assert read[0] < value[labels[0]] < read[1]
            elif right(row).startswith("about"):
                assert all(
                    abs(number - value[label]) < scene.step / 2 for number, label in zip(read, labels, strict=True)
                )
            else:
                assert abs(value[labels[0]] - value[labels[1]] - read[0]) < scene.step / 2


@pytest.mark.parametrize("depth", [True, False], ids=["depth", "altitude"])
def test_points_lie_well_within_bands_that_differ(depth: bool) -> None:
    for seed in range(15):
        found = relief(random.Random(seed), depth=depth, from_a_point=True)
        named = found.points[:4]
        assert [point.label for point in found.points] == list("ABCDP")
        assert len({point.band for point in named}) == 4
        for point in found.points:
            around = [found.heights[point.y + down][point.x + across] for down in (-3, 0, 3) for across in (-3, 0, 3)]
            assert {math.floor(value / found.step) for value in around} == {point.band}


def test_hottest_and_wettest_months_stand_out() -> None:
    for seed in range(40):
        found = chart(random.Random(seed))
        for values, apart in ((found.temperatures, 2), (found.rainfall, 0.1 * max(found.rainfall))):
            first, second = sorted(values, reverse=True)[:2]
            assert first - second >= apart
        assert min(found.rainfall) >= 0


FLAT = Chart(
    "hot desert climate", (30, 28, 25, 20, 15, 12, 10, 12, 16, 21, 25, 28), (1, 2, 3, 9, 3, 2, 1, 1, 2, 3, 4, 2)
)


@pytest.mark.parametrize(
    ("turn", "answer"),
    [
        (0, "January; it is not the wettest month, which is April"),
        (1, "hot desert climate"),
        (2, "20 °C"),
        (4, "April, at about 20 °C"),
    ],
    ids=["hottest", "kind", "difference", "wettest"],
)
def test_a_chart_is_asked_about_by_what_it_shows(turn: int, answer: str) -> None:
    draft = ask(FLAT, turn, random.Random(1))
    assert draft.right == answer
    assert len({draft.right, *draft.wrong}) == 4


def test_months_over_a_limit_are_counted_where_no_bar_is_near_it() -> None:
    for seed in range(20):
        found = chart(random.Random(seed))
        draft = ask(found, 3, random.Random(seed))
        limit = re.search(r"more than (\d+) mm", draft.question)
        if limit:
            assert draft.right == str(sum(value > int(limit[1]) for value in found.rainfall))
            assert min(abs(value - int(limit[1])) for value in found.rainfall) >= 2


def test_eight_directions() -> None:
    start = Point("P", 10, 10, 0)
    around = [(20, 10), (20, 0), (10, 0), (0, 0), (0, 10), (0, 20), (10, 20), (20, 20)]
    assert [direction(start, Point("A", x, y, 0)) for x, y in around] == [(way, 0.0) for way in COMPASS]
    assert direction(start, Point("A", 110, 11, 0))[0] == "east"


def test_pictures_are_drawn_for_the_samples_the_same_each_time(rows) -> None:
    drawn = list(pictures(3, seed=1))
    assert [picture.file for picture in drawn] == ["map-0001", "map-0002", "map-0003"]
    assert [(picture.width, picture.height) for picture in drawn] == [(480, 360)] * 3
    assert [picture.image_id for picture in pictures(3, seed=1)] == [picture.image_id for picture in drawn]
    assert len({picture.image_id for picture in drawn}) == 3


def test_a_map_that_was_not_drawn_is_named() -> None:
    with pytest.raises(PictureMissing, match="map-0002"):
        samples(2, {"map-0001": "p"}, seed=1)


def test_relief_is_a_named_tuple_of_plain_values() -> None:
    found = relief(random.Random(1), depth=True, from_a_point=False)
    assert isinstance(found, Relief)
    assert (len(found.heights), len(found.heights[0])) == (45, 60)
    assert isinstance(found.heights[0][0], float)
