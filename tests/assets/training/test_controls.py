from hypothesis import given
from hypothesis import strategies as st

from assets.training.controls import shuffled

IDS = st.lists(st.one_of(st.none(), st.text("abcdefgh", min_size=1, max_size=1)), max_size=30)


@given(st.integers(2, 40), st.integers(0, 5))
def test_no_picture_stays_in_place(n: int, seed: int) -> None:
    ids = [f"picture {number}" for number in range(n)]
    moved = shuffled(ids, seed)
    assert sorted(moved, key=str) == sorted(ids)
    assert all(before != after for before, after in zip(ids, moved, strict=True))


@given(IDS, st.integers(0, 5))
def test_a_picture_that_several_show_reaches_none_of_them_while_there_are_others(
    ids: list[str | None], seed: int
) -> None:
    moved = shuffled(ids, seed)
    pictures = [one for one in ids if one is not None]
    assert sorted(one for one in moved if one is not None) == sorted(pictures)
    assert [one is None for one in moved] == [one is None for one in ids]
    commonest = max(map(pictures.count, pictures), default=0)
    if 2 * commonest <= len(pictures):
        assert all(before is None or before != after for before, after in zip(ids, moved, strict=True))


def test_another_seed_is_another_order() -> None:
    ids = [str(number) for number in range(20)]
    assert shuffled(ids, 1) == shuffled(ids, 1) != shuffled(ids, 2)
