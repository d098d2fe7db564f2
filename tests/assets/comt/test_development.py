import json
from collections import Counter

import pytest

from assets.comt.development import divided
from assets.schema.sample import Sample


def sample(task: str, number: int, letter: str, *images: str, originals: tuple[str, ...] = ()) -> Sample:
    """A sample with pictures of its own unless others are named."""
    return Sample(
        id=f"{task}-{number}",
        benchmark="comt",
        source=task,
        source_id=str(number),
        provenance="generated",
        task=task,
        answer=letter,
        images=images or (f"{task}-{number}-0", f"{task}-{number}-1"),
        other=json.dumps({"annotations": {"originals": originals}}),
    )


def many(task: str, n: int) -> list[Sample]:
    """As many samples of a task, letters in turn."""
    return [sample(task, number, "ABCD"[number % 4]) for number in range(n)]


def development(samples: list[Sample]) -> list[Sample]:
    return [row for row in samples if row.split == "validation"]


def test_ten_of_a_task_are_set_apart_with_every_letter_two_or_three_times() -> None:
    found = divided(many("creation", 60), per_task=10, seed=1)
    assert Counter(row.answer for row in development(found.samples)) == {"A": 3, "B": 3, "C": 2, "D": 2}
    assert Counter(row.split for row in found.samples) == {"validation": 10, "test": 50}
    assert found.taken["creation"] == 10


def test_a_small_task_gives_a_fifth_of_its_samples_at_most() -> None:
    found = divided([*many("deletion", 9), *many("selection", 2)], per_task=10, seed=1)
    assert found.wanted == {"creation": 0, "deletion": 1, "update": 0, "selection": 0}
    assert Counter((row.task, row.split) for row in found.samples) == {
        ("deletion", "validation"): 1,
        ("deletion", "test"): 8,
        ("selection", "test"): 2,
    }


def test_another_seed_sets_others_apart_and_the_same_the_same() -> None:
    chosen = {
        seed: {row.id for row in development(divided(many("creation", 60), per_task=10, seed=seed).samples)}
        for seed in (1, 2)
    }
    again = divided(many("creation", 60), per_task=10, seed=1)
    assert chosen[1] != chosen[2]
    assert {row.id for row in development(again.samples)} == chosen[1]


def of_tangrams(tangrams: int, each: int) -> list[Sample]:
    """Samples of which those of one tangram share its plain picture."""
    return [
        sample("update", each * tangram + number, "ABCD"[number % 4], f"plain-{tangram}", f"{tangram}-{number}")
        for tangram in range(tangrams)
        for number in range(each)
    ]


def test_samples_that_share_a_picture_are_never_on_both_sides() -> None:
    found = divided(of_tangrams(12, 6), per_task=10, seed=3).samples
    sides = {}
    for row in found:
        if row.dropped is None:
            sides.setdefault((row.images or ("",))[0], set()).add(row.split)
    assert all(len(splits) == 1 for splits in sides.values())
    # two of a tangram at most: five tangrams of six give ten, and what is left of them goes
    assert Counter(row.dropped for row in found) == {None: 52, "picture_in_development": 20}
    assert sorted(Counter((row.images or ("",))[0] for row in development(found)).values()) == [2, 2, 2, 2, 2]


def test_the_smallest_groups_are_asked_first() -> None:
    rows = [*of_tangrams(8, 8), *many("update", 0)]
    alone = [sample("update", 1000 + number, "ABCD"[number % 4]) for number in range(12)]
    found = divided([*rows, *alone], per_task=10, seed=3).samples
    assert all(int((row.id or "").removeprefix("update-")) >= 1000 for row in development(found))
    assert all(row.dropped is None for row in found)


def test_the_originals_that_pictures_were_made_from_count_as_pictures() -> None:
    rows = [
        sample("selection", number, "ABCD"[number % 4], f"{number}", originals=(f"room-{number // 2}",))
        for number in range(40)
    ]
    found = divided(rows, per_task=4, seed=5).samples
    splits = {}
    for number, row in enumerate(found):
        splits.setdefault(number // 2, set()).add(row.split or row.dropped)
    assert not [sides for sides in splits.values() if {"validation", "test"} <= sides]


@pytest.mark.parametrize("per_task", [0, 10])
def test_of_nothing_nothing_is_set_apart(per_task: int) -> None:
    assert divided([], per_task=per_task, seed=1).samples == []


def test_what_was_dropped_before_stays_so() -> None:
    rows = many("creation", 20)
    rows[3] = rows[3].drop("pending")
    found = divided(rows, per_task=4, seed=1).samples
    assert (found[3].dropped, found[3].split) == ("pending", None)
    assert sum(row.dropped is None for row in found) == 19


def test_a_question_that_shows_no_picture_is_never_on_both_sides() -> None:
    rows = [
        row._replace(
            question=f"In triangle ABC, AB = {number // 2}.\nFind BC."
            if number % 2
            else f"In triangle  ABC, AB = {number // 2}. Find BC."
        )
        for number, row in enumerate(many("creation", 60))
    ]
    sides: dict[int, set[str | None]] = {}
    for number, row in enumerate(divided(rows, per_task=10, seed=1).samples):
        sides.setdefault(number // 2, set()).add(row.split)
    assert not [found for found in sides.values() if {"validation", "test"} <= found]


def test_a_question_that_shows_its_picture_binds_nobody() -> None:
    rows = [row._replace(question="[IMAGE0] How many?") for row in many("deletion", 60)]
    assert all(row.dropped is None for row in divided(rows, per_task=10, seed=1).samples)
