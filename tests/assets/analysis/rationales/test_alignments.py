"""Sums over many chains at once hold against plain loops over pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.analysis.rationales import alignments, roscoe
from assets.analysis.rationales.alignments import Side
from benchmarks.roscoe import difference, one_sample, sample_of

SIZES = st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=1, max_size=12)


def side(rng: np.random.Generator, sizes: list[int]) -> Side:
    vectors = alignments.of_length_one(rng.standard_normal((sum(sizes), 5)))
    return Side(vectors, alignments.bounds(sizes))


@settings(deadline=None, max_examples=25)
@given(sizes=SIZES, seed=st.integers(0, 1000), block=st.sampled_from([1, 9, 64, 1 << 15]), mode=st.booleans())
def test_scores_of_many_chains_are_those_of_a_loop_over_samples_and_pairs(
    sizes: list[tuple[int, ...]], seed: int, block: int, mode: bool
) -> None:
    rng = np.random.default_rng(seed)
    counts = [[one[place] for one in sizes] for place in range(3)]
    sides = [side(rng, of) for of in counts]
    # Whole sides are undefined where there is no text.
    wholes = [np.where(np.array(of)[:, None] > 0, side(rng, [1] * len(of)).vectors, np.nan) for of in counts]
    sentences = roscoe.Sentences(*sides, *wholes)
    of_steps = [int(n) for n in rng.integers(1, 4, sum(counts[0]))]
    of_context = [one[3] if one[1] else 0 for one in sizes]
    words = roscoe.Words(side(rng, of_steps), alignments.bounds(counts[0]), side(rng, of_context))
    name = "reference" if mode else "sane"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignments, "BLOCK", block)
        ours = roscoe.embedding_scores(sentences, words, name)
    for place in range(len(sizes)):
        for score, value in one_sample(sample_of(sentences, words, place), name).items():
            assert difference(float(ours[score][place]), value) < 1e-5, (score, place)


def test_bounds_are_where_parts_begin_and_the_last_one_ends() -> None:
    assert alignments.bounds([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert alignments.bounds([]).tolist() == [0]


def test_an_empty_part_has_no_mean_no_least_and_no_most_and_takes_nothing_of_its_neighbours() -> None:
    values, parts = np.array([1.0, 3.0, -2.0]), alignments.bounds([0, 2, 0, 1, 0])

    for by, expected in (
        (alignments.mean, [np.nan, 2.0, np.nan, -2.0, np.nan]),
        (alignments.least, [np.nan, 1.0, np.nan, -2.0, np.nan]),
        (alignments.most, [np.nan, 3.0, np.nan, -2.0, np.nan]),
        (alignments.total, [0.0, 4.0, 0.0, -2.0, 0.0]),
    ):
        np.testing.assert_array_equal(by(values, parts), expected)


def test_a_vector_of_zeros_has_no_direction_and_stays_as_it_is() -> None:
    np.testing.assert_array_equal(
        alignments.of_length_one(np.array([[0.0, 0.0], [3.0, 4.0]])), np.array([[0, 0], [0.6, 0.8]], np.float32)
    )


def test_the_best_of_another_chain_is_never_taken() -> None:
    point = np.array([[1, 0], [0, 1]], np.float32)
    # The second chain's only counterpart is opposite to it, while the first chain's would be equal.
    of = Side(point[[0, 0]], alignments.bounds([1, 1]))
    among = Side(np.array([[1, 0], [-1, 0]], np.float32), alignments.bounds([1, 1]))

    np.testing.assert_allclose(alignments.best(of, among), [1, -1])


@pytest.mark.parametrize("block", [1, 4, 100])
def test_no_more_is_held_at_once_than_a_block_or_one_chain(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[int] = []
    product = alignments._product

    def counted(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        held.append(len(one) * len(other))
        return product(one, other)

    monkeypatch.setattr(alignments, "BLOCK", block)
    monkeypatch.setattr(alignments, "_product", counted)
    rng = np.random.default_rng(0)
    alignments.best(side(rng, [3] * 50), side(rng, [2] * 50))
    assert max(held) <= max(block, 3 * 2)
    assert sum(held) >= 50 * 3 * 2
