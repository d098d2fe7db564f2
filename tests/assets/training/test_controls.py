from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets import images
from assets.training import families
from assets.training.controls import report, shuffled
from assets.training.examples import Asked, of_sample
from tests.assets.training import squares

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


class Knowing:
    """An answerer that reads the colour off the corner of what it is shown, and chooses nothing where all is white."""

    def features(self, image: Any) -> Any:
        return None if image is None else min(image.getcolors(999))[1]

    def rationales(self, asked: Sequence[Asked], features: Sequence[Any]) -> list[list[str]]:
        return [[] for _ in asked]

    def answers(self, asked: Sequence[Asked], rationales: Any, features: Sequence[Any]) -> list[int | None]:
        names = {colour: name for name, colour in squares.COLOURS.items()}
        return [
            None if colour is None else one.choices.index(names[colour])
            for one, colour in zip(asked, features, strict=True)
        ]


def test_any_answerer_can_be_controlled_and_what_chooses_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "load", lambda folder, base: Knowing())
    samples, rows = squares.world(8, 4, 40)
    found = report(Path("nowhere"), samples, images.Pictures.of(rows))
    total = {row["control"]: row for row in found if row["scope"] == "total"}
    assert (total["seen"]["correct"], total["blank"]["correct"]) == (40, 0)
    shown = [one.answer for sample in samples if sample.split == "test" and (one := of_sample(sample))]
    assert len(shown) == total["shuffled"]["n"] == 40
    assert total["shuffled"]["correct"] < 40
    # All 40 go wrong: twice the half of 2 ** -40 on either side.
    assert total["blank"]["p"] == pytest.approx(2 * 0.5**40)
