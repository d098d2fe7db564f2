import pytest

from assets.flow import Flow
from assets.m3cot.account.benchmark_statistics import statistics
from assets.schema.sample import Sample


def sample(number: int, text: str, **columns) -> Sample:
    columns = {
        "domain": "mathematics",
        "topic": "algebra",
        "subtopic": "mathematics",
        "category": "Algebra",
        "choices": ("1", "2"),
        "answer": "A",
        "images": ("p",),
        "split": "train",
    } | columns
    return Sample(f"math-{number}", "m3cot", "math", str(number), "generated", **columns).with_text(text)


def found(samples, source=(), flows=()):
    rows = statistics(samples, source, flows, steps_profile="roscoe", profile="default")
    return {(row.kind, row.scope, row.name): row for row in rows}


THREE = [
    sample(1, "One step. Another step."),
    sample(2, "One step. Another step. A third.", split="test", answer="B", images=("p", "q")),
    sample(3, "One step. Another step.", topic="geometry", category="Geometry"),
]


def test_samples_and_pictures_are_counted_beside_the_papers() -> None:
    rows = found(THREE)
    assert (rows["samples", "all", "samples"].value, rows["samples", "all", "samples"].published) == (3, 11_459)
    assert (rows["images", "all", "images"].value, rows["images", "all", "images"].published) == (2, 11_293)
    assert [rows["samples", "split", name].value for name in ("train", "validation", "test")] == [2, 0, 1]
    assert rows["samples", "topic", "geometry"].value == 1
    assert (rows["categories", "all", "categories"].value, rows["topics", "all", "topics"].value) == (2, 1)


def test_steps_and_words_are_means_over_the_samples() -> None:
    rows = found(THREE, source=[sample(9, "A single step here.")])
    assert rows["steps", "all", "mean"].value == pytest.approx(7 / 3)
    assert rows["length", "all", "mean"].value == pytest.approx((4 + 6 + 4) / 3)
    assert (rows["steps", "scienceqa", "mean"].value, rows["length", "scienceqa", "mean"].published) == (1, 48)


def test_shares_of_steps_and_letters_add_up() -> None:
    rows = found(THREE)
    assert rows["steps", "distribution", "2"].value == pytest.approx(2 / 3)
    assert sum(row.value for key, row in rows.items() if key[1] == "distribution") == pytest.approx(1)
    assert rows["letters", "2 options", "A"].value == pytest.approx(2 / 3)


def test_the_papers_bounds_are_of_what_was_judged() -> None:
    flows = [
        Flow("m3cot/image_needed", "scienceqa", 10, 0, 3, 7, 0, {"image_not_needed": 1, "no_image": 6}),
        Flow("m3cot/rechecked", "scienceqa", 3, 0, 2, 1, 0, {"recheck_1_no": 1}),
        Flow("m3cot/rechecked", "math", 8, 0, 7, 1, 0, {"recheck_2_no": 1}),
    ]
    rows = found(THREE, flows=flows)
    assert rows["removed", "first vote", "share"].value == pytest.approx(0.25)
    assert rows["removed", "second recheck", "share"].value == pytest.approx(0.1)


def test_a_rationale_that_ends_in_another_option_is_counted_and_the_label_stays() -> None:
    wrong = sample(4, "Look at it. Count them. Therefore, the answer is (B).")
    assert found([*THREE, wrong])["labels", "all", "rationale ends in another option"].value == 1
    assert wrong.answer == "A"


def test_a_benchmark_without_samples_has_no_means() -> None:
    rows = found([])
    assert ("steps", "all", "mean") not in rows
    assert rows["samples", "all", "samples"].value == 0
