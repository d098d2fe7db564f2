"""Which samples are looked at: in proportion to strata, seeded, the same for evaluations of one split."""

from hypothesis import given
from hypothesis import strategies as st

from assets.analysis.rationales.sampling import drawn, shares

SIZES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 400), min_size=1)


def split(**sizes: int) -> dict[str, str]:
    return {f"{stratum}-{number}": stratum for stratum, size in sizes.items() for number in range(size)}


def test_shares_are_by_largest_remainder() -> None:
    # Of 10: 6.25, 2.5 and 1.25; the seventh to tenth go where most is left over.
    assert shares({"a": 50, "b": 20, "c": 10}, 10) == {"a": 6, "b": 3, "c": 1}


def test_a_small_stratum_has_one_at_the_cost_of_what_has_most_beyond_its_share() -> None:
    assert shares({"a": 980, "b": 10, "c": 10}, 10) == {"a": 8, "b": 1, "c": 1}


def test_where_there_are_more_strata_than_samples_asked_for_each_has_one() -> None:
    assert shares({"a": 5, "b": 5, "c": 5}, 2) == {"a": 1, "b": 1, "c": 1}


def test_no_more_are_drawn_than_there_are() -> None:
    assert shares({"a": 2, "b": 1}, 10) == {"a": 2, "b": 1}
    assert drawn({}, 10, 1) == []


@given(sizes=SIZES, n=st.integers(1, 500))
def test_shares_come_to_what_was_asked_and_never_stray_by_one_from_their_quota(sizes: dict[str, int], n: int) -> None:
    found, whole = shares(sizes, n), sum(sizes.values())

    assert sum(found.values()) == min(whole, max(n, len(sizes)))
    assert all(1 <= found[stratum] <= size for stratum, size in sizes.items())
    if all(n * size >= whole for size in sizes.values()) and n <= whole:
        assert all(abs(found[stratum] - n * size / whole) < 1 for stratum, size in sizes.items())


def test_the_draw_depends_on_seed_and_ids_alone() -> None:
    strata = split(a=30, b=10)

    assert drawn(strata, 8, 1) == drawn(dict(reversed(strata.items())), 8, 1)
    assert drawn(strata, 8, 1) != drawn(strata, 8, 2)


def test_a_larger_draw_holds_the_smaller_one_within_a_stratum() -> None:
    strata = split(a=40)

    assert set(drawn(strata, 5, 3)) < set(drawn(strata, 20, 3))


def test_a_sample_that_is_gone_takes_no_other_out_of_the_draw() -> None:
    strata = split(a=40)
    first = drawn(strata, 10, 3)
    without = {one: stratum for one, stratum in strata.items() if one != first[0]}

    assert set(first[1:]) < set(drawn(without, 10, 3))
