from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.m3cot.split import split, targets
from assets.schema.sample import Sample

PAPER = {"train": 7863, "validation": 1108, "test": 2358}


def samples(n: int, topics: tuple[str, ...] = ("algebra",)) -> list[Sample]:
    return [Sample(f"math-{i}", "m3cot", "math", str(i), "generated", topic=topics[i % len(topics)]) for i in range(n)]


def single(rows: list[Sample]) -> dict[str, str]:
    return {str(row.id): str(row.id) for row in rows}


def test_the_papers_splits_come_out_of_the_papers_number() -> None:
    assert targets(11_329, PAPER) == PAPER


def test_remainders_go_to_the_largest() -> None:
    # 10 * 7863 / 11329 = 6.94, 0.98, 2.08
    assert targets(10, PAPER) == {"train": 7, "validation": 1, "test": 2}


def test_no_proportions_is_said() -> None:
    with pytest.raises(ValueError, match="all 0"):
        targets(10, {"train": 0, "validation": 0, "test": 0})


def test_single_samples_meet_the_proportions_exactly() -> None:
    rows = samples(1000)
    found = Counter(row.split for row in split(rows, single(rows), PAPER, seed=1))
    assert found == {"train": 694, "validation": 98, "test": 208}


def test_topics_keep_their_shares() -> None:
    rows = samples(900, ("algebra", "geometry", "theory"))
    found = Counter((row.topic, row.split) for row in split(rows, single(rows), PAPER, seed=1))
    assert [found[topic, "test"] for topic in ("algebra", "geometry", "theory")] == pytest.approx([62, 62, 62], abs=1)


def test_another_seed_is_another_split_and_the_same_one_the_same() -> None:
    rows = samples(100)
    first, again, other = (split(rows, single(rows), PAPER, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_samples_keep_their_order() -> None:
    rows = samples(50)
    assert [row.id for row in split(rows, single(rows), PAPER, seed=3)] == [row.id for row in rows]


def test_a_split_without_weight_gets_nothing() -> None:
    rows = samples(40)
    found = Counter(row.split for row in split(rows, single(rows), {"train": 1, "validation": 0, "test": 1}, seed=1))
    assert found == {"train": 20, "test": 20}


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.integers(0, 5))
def test_a_group_is_whole_and_no_split_is_off_by_more_than_two_groups(weights: list[int], seed: int) -> None:
    rows = samples(sum(weights), ("algebra", "geometry"))
    names = [f"group-{number}" for number, weight in enumerate(weights) for _ in range(weight)]
    groups = {str(row.id): name for row, name in zip(rows, names, strict=True)}
    found = split(rows, groups, PAPER, seed=seed)
    of_group: dict[str, set[str | None]] = {}
    for row in found:
        of_group.setdefault(groups[str(row.id)], set()).add(row.split)
    assert all(len(splits) == 1 for splits in of_group.values())
    counts, wanted = Counter(row.split for row in found), targets(len(rows), PAPER)
    assert all(abs(counts[name] - wanted[name]) <= 2 * (max(weights) - 1) for name in PAPER)
