"""Which replies people judge."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.analysis.drawn.replies import DrawnReply
from assets.analysis.drawn.sampled import sampled, shared


def drawing(
    strategy: str, n: int, *, without: int = 0, model: str = "drawer", task: str = "creation", lost: int = 0
) -> list[DrawnReply]:
    """So many replies with a picture, and so many without."""
    asked = ("comt", "released", "test")
    name = f"{model}_{strategy}_{task}"
    return [
        DrawnReply(name, model, strategy, asked, task, f"{task}-{place}", int(place < n), lost)
        for place in range(n + without)
    ]


@pytest.mark.parametrize(
    ("total", "available", "taken"),
    [
        (50, [100, 100, 100, 100], [13, 13, 12, 12]),
        (50, [3, 20, 40, 40], [3, 16, 16, 15]),
        (50, [5, 6], [5, 6]),
        (2, [1, 1, 1], [1, 1, 0]),
        (5, [0, 9], [0, 5]),
        (5, [], []),
    ],
)
def test_shares_are_as_even_as_they_can_be(total: int, available: list[int], taken: list[int]) -> None:
    assert shared(total, available) == taken


@given(st.integers(1, 60), st.lists(st.integers(0, 40), max_size=6))
def test_shares_come_to_the_total_and_nobody_gets_two_more_than_who_has_some_left(
    total: int, available: list[int]
) -> None:
    taken = shared(total, available)
    assert sum(taken) == min(total, sum(available))
    assert all(0 <= one <= there for one, there in zip(taken, available, strict=True))
    with_more = [one for one, there in zip(taken, available, strict=True) if one < there]
    assert all(one <= least + 1 for least in with_more for one in taken)


def test_fifty_of_a_task_and_a_model_evenly_over_its_strategies() -> None:
    tasks = ("creation", "deletion")
    found = [
        one
        for model in ("gill", "anygpt")
        for task in tasks
        for strategy in ("cot", "desp-cot", "vot")
        for one in drawing(strategy, 30, without=10, model=model, task=task)
    ]
    chosen = sampled(found, seed=1, per_task=50)
    counts = Counter((one.model, one.task, one.strategy) for one in chosen.values())
    assert len(counts) == 12
    assert sorted(counts.values()) == [16] * 4 + [17] * 8
    assert all(one.pictures for one in chosen.values())
    assert list(chosen) == sorted(chosen)


def test_all_are_judged_where_they_are_fewer() -> None:
    assert len(sampled(drawing("cot", 7, without=50), seed=1, per_task=50)) == 7


def test_direct_is_left_out_where_it_rarely_draws_and_no_other_strategy_is() -> None:
    rare = [*drawing("direct", 9, without=91), *drawing("cot", 1, without=99)]
    assert {one.strategy for one in sampled(rare, seed=1, per_task=50).values()} == {"cot"}
    often = drawing("direct", 10, without=90)
    assert len(sampled(often, seed=1, per_task=50)) == 10


def test_what_people_could_not_see_is_not_judged() -> None:
    assert sampled(drawing("cot", 5, lost=1), seed=1, per_task=50) == {}


def test_a_draw_hangs_on_the_seed_and_not_on_the_order_or_on_other_strategies() -> None:
    cot = drawing("cot", 40)
    first = sampled(cot, seed=1, per_task=20)
    assert sampled(cot[::-1], seed=1, per_task=20) == first
    assert sampled(cot, seed=2, per_task=20) != first
    # With another strategy there is half of the place, for half of the same.
    both = sampled([*cot, *drawing("vot", 40)], seed=1, per_task=20)
    mine = {name for name, one in both.items() if one.strategy == "cot"}
    assert len(mine) == 10 and mine < set(first)
