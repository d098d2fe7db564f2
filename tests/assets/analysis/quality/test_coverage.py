"""The spread of gold rationales: each measure by hand, the draw, the axes, and collections that are empty."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from assets.analysis import figures
from assets.analysis.quality import coverage_figure
from assets.analysis.quality.coverage import Rationale, area, collections, cover, dimensions, gold, spread
from assets.schema.tables import TABLES, as_table
from expectations.analysis_rationales import SUITES
from expectations.validation import validate

DIRECTIONS = {
    "north": (0.0, 1.0, 0.0),
    "south": (0.0, -1.0, 0.0),
    "east": (1.0, 0.0, 0.0),
    "west": (-1.0, 0.0, 0.0),
    "up": (0.0, 0.0, 1.0),
    "north-east": (0.8, 0.6, 0.0),
}


class Compass:
    """An encoder of directions."""

    name = "compass"

    def sentences(self, texts):
        return np.array([DIRECTIONS[text.split(" ")[0]] for text in texts], np.float32).reshape(len(texts), 3)

    def words(self, steps, *, masked):
        raise NotImplementedError


def rationales(*texts, domain="science", task=None):
    return [Rationale(f"{place:03}", domain, task, text) for place, text in enumerate(texts)]


def unit(rng, n, d):
    vectors = rng.normal(size=(n, d))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_spread_is_the_mean_cosine_distance_of_two():
    assert spread(np.array([(1.0, 0.0), (0.0, 1.0)])) == pytest.approx(1.0)
    assert spread(np.array([(1.0, 0.0), (-1.0, 0.0)])) == pytest.approx(2.0)
    assert spread(np.array([(1.0, 0.0)] * 3)) == pytest.approx(0.0)
    assert spread(np.array([(1.0, 0.0)])) is None


@given(st.integers(2, 30), st.integers(2, 8), st.integers(0, 9))
def test_spread_equals_scipys_pairwise_distances(n, d, seed):
    vectors = unit(np.random.default_rng(seed), n, d)
    assert spread(vectors) == pytest.approx(pdist(vectors, "cosine").mean())


def test_directions_of_equal_variance_are_counted():
    axes = np.eye(4)
    assert dimensions(np.concatenate([axes, -axes])) == pytest.approx(4)
    assert dimensions(np.array([(0.0, 1.0), (0.0, 3.0), (0.0, 7.0)])) == pytest.approx(1)
    assert dimensions(np.array([(1.0, 2.0)] * 5)) is None
    assert dimensions(axes[:1]) is None


@given(st.integers(2, 20), st.integers(1, 8), st.integers(0, 9))
def test_dimensions_are_exp_of_the_entropy_of_the_covariances_eigenvalues(n, d, seed):
    vectors = np.random.default_rng(seed).normal(size=(n, d))
    values = np.linalg.eigvalsh(np.atleast_2d(np.cov(vectors.T)))
    shares = [value for value in values / values.sum() if value > 1e-12]
    assert dimensions(vectors) == pytest.approx(math.exp(-sum(share * math.log(share) for share in shares)), rel=1e-6)


def test_the_area_is_that_of_the_convex_hull_or_none_where_there_is_none():
    assert area(np.array([(0, 0), (2, 0), (2, 1), (0, 1), (1, 0.5)])) == pytest.approx(2)
    assert area(np.array([(0, 0), (2, 0), (0, 2)])) == pytest.approx(2)
    assert area(np.array([(0, 0), (1, 1), (2, 2)])) is None
    assert area(np.array([(0, 0), (1, 1)])) is None


def test_a_square_within_the_first_hull_overlaps_wholly_and_a_far_point_does_not():
    found = cover(
        {
            "first": rationales("north", "south", "east", "west"),
            "inside": rationales("north", "east"),
            "outside": rationales("north-east", "north", domain="mathematics"),
        },
        Compass(),
        seed=1,
        sample=10,
    )
    by = {(row["collection"], row["scope"]): row for row in found.rows}
    assert by["first", "total"]["area"] == pytest.approx(2.0, abs=1e-4)
    assert by["first", "total"]["overlap"] == by["inside", "total"]["overlap"] == 1.0
    assert by["outside", "total"]["overlap"] == 0.5
    assert by["outside", "domain"]["name"] == "mathematics"
    assert by["first", "total"]["sentence_model"] == "compass"


def test_a_collection_without_rationales_has_a_row_and_the_first_with_a_hull_is_compared_with():
    found = cover({"none": [], "some": rationales("north", "south", "east")}, Compass(), seed=1, sample=3)
    empty, *some = found.rows
    assert (empty["n"], empty["of"], empty["spread"], empty["overlap"]) == (0, 0, None, None)
    assert some[0]["overlap"] == 1.0
    assert validate(SUITES["analysis/coverage"], as_table("coverage", found.rows)).failed == ()
    nothing = cover({"none": []}, Compass(), seed=1, sample=3)
    assert (len(nothing.rows), nothing.points) == (1, [])


def test_as_many_are_drawn_as_are_asked_for_whatever_their_order():
    each = rationales(*(f"{direction} {n}" for n in range(20) for direction in DIRECTIONS))
    one = cover({"many": each}, Compass(), seed=1, sample=40)
    assert (one.rows[0]["n"], one.rows[0]["of"], len(one.points)) == (40, 120, 40)
    assert cover({"many": each[::-1]}, Compass(), seed=1, sample=40) == one
    assert cover({"many": each}, Compass(), seed=2, sample=40) != one


def test_an_axis_points_to_where_its_largest_weight_is_positive():
    found = cover({"line": rationales("west", "east", "east")}, Compass(), seed=1, sample=3)
    assert [point.x for point in found.points] == pytest.approx([-4 / 3, 2 / 3, 2 / 3], abs=1e-4)


def sample(name, *texts, **columns):
    parts = [{"kind": "text", "text": text, "image_id": None} for text in texts]
    return {"id": name, "domain": "science", "rationale": parts or None, "dropped": None, **columns}


def test_gold_rationales_are_the_texts_of_kept_samples():
    seen = [
        {"kind": "image", "text": "[IMAGE1]", "image_id": "x"},
        {"kind": "text", "text": "Seen.", "image_id": None},
    ]
    rows = [
        sample("b", "Look.", "It floats."),
        sample("a", "It sinks."),
        sample("c", " "),
        sample("d"),
        sample("e", "It is gone.", dropped="no_image"),
        sample("f", domain="mathematics", task="creation", rationale=seen),
    ]
    found = gold(pa.Table.from_pylist(rows, schema=TABLES["sample"].schema))
    assert [(one.sample_id, one.text) for one in found] == [
        ("a", "It sinks."),
        ("b", "Look.\nIt floats."),
        ("f", "Seen."),
    ]


def test_rationales_of_a_single_step_stand_beside():
    rows = [sample("a", "It sinks."), sample("b", "It floats. So it is light.")]
    table = pa.Table.from_pylist(rows, schema=TABLES["sample"].schema)
    found = collections({"one": table, "other": table}, ["one"], "roscoe")
    assert {name: [each.sample_id for each in of] for name, of in found.items()} == {
        "one": ["a", "b"],
        "one single-step": ["a"],
        "other": ["a", "b"],
    }


def test_the_figures_show_n_and_say_when_there_is_nothing():
    found = cover({"m3cot": rationales("north", "south", "east", "up"), "comt": []}, Compass(), seed=1, sample=9)
    scatter = coverage_figure.scatter(found.points)
    assert scatter.axes[0].get_title() == "Where gold rationales lie, n = 4"
    assert [text.get_text() for text in scatter.axes[0].get_legend().get_texts()] == ["m3cot (n = 4)"]
    assert len(figures.png(scatter)) < 200_000
    bars = coverage_figure.draw(found.rows)
    assert [label.get_text() for label in bars.axes[0].get_yticklabels()] == ["m3cot\n(n = 4 of 4)"]
    for figure in (coverage_figure.scatter([]), coverage_figure.draw([])):
        assert [text.get_text() for text in figure.axes[0].texts] == ["no collection has gold rationales"]
