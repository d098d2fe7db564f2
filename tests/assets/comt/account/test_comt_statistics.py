from assets.agreement import Agreement
from assets.comt.account.benchmark_statistics import statistics
from assets.comt.template import parts
from assets.schema.sample import Sample


def sample(number: int, task: str, rationale: str, images: int, answer: str, split: str = "test") -> Sample:
    """A sample with pictures of its own."""
    named = tuple(f"{number}-{place}" for place in range(images))
    return Sample(
        id=f"{task}-{number}",
        benchmark="comt",
        source=f"from_{task}",
        source_id=str(number),
        provenance="generated",
        task=task,
        answer=answer,
        rationale=parts(rationale, named),
        images=named,
        split=split,
    )


SAMPLES = [
    sample(1, "deletion", "Mask ten. [IMAGE1] Mask two more. [IMAGE2] So twelve.", 3, "A"),
    sample(2, "creation", "Draw it. [IMAGE0] It is right.", 1, "B"),
    sample(3, "deletion", "Mask one. [IMAGE1] One.", 2, "A", "validation"),
]
AGREEMENTS = [
    Agreement("recheck", 1, "fleiss", None, None, 3, 10, 0.98, 0.95, 0.93),
    Agreement("recheck", 1, "cohen", "a", "b", 2, 10, 0.97, 0.9, None),
    Agreement("recheck", 2, "fleiss", None, None, 3, 0, None, None, 0.93),
]


def found() -> dict[tuple[str, str, str], tuple[float, float | None]]:
    rows = statistics(SAMPLES, AGREEMENTS, per_task=10, steps_profile="roscoe", profile="default")
    assert {row.profile for row in rows} == {"default"}
    assert len({row[:3] for row in rows}) == len(rows)
    return {row[:3]: (row.value, row.published) for row in rows}


def test_samples_are_those_of_the_benchmark_and_the_development_set_is_counted_apart() -> None:
    figures = found()
    assert figures["samples", "all", "samples"] == (2.0, 3853.0)
    assert figures["samples", "task", "deletion"] == (1.0, 1008.0)
    assert figures["samples", "task", "update"] == (0.0, 932.0)
    assert figures["samples", "split", "validation"] == (1.0, None)
    assert figures["samples", "validation by task", "deletion"] == (1.0, None)
    assert figures["samples", "validation by task", "update"] == (0.0, None)
    assert figures["samples", "wanted in validation", "update"] == (10.0, None)


def test_words_steps_and_picture_steps_are_means_over_samples() -> None:
    figures = found()
    # "Mask ten. Mask two more. So twelve." has seven words, "Draw it. It is right." five
    assert figures["words", "all", "mean"] == (6.0, 104.7)
    assert figures["words", "creation", "mean"] == (5.0, None)
    assert figures["steps", "all", "mean"] == (2.5, 7.7)
    assert figures["image steps", "all", "mean"] == (1.5, 3.11)
    assert figures["image steps", "deletion", "mean"] == (2.0, None)


def test_pictures_shown_are_those_of_questions_and_rationales() -> None:
    assert found()["images", "all", "shown"] == (4.0, 14801.0)


def test_kappa_stands_beside_the_papers_where_it_is_of_all_annotators() -> None:
    figures = found()
    assert figures["kappa", "recheck 1", "fleiss"] == (0.95, 0.93)
    assert figures["kappa", "recheck 1", "cohen a b"] == (0.9, None)
    assert ("kappa", "recheck 2", "fleiss") not in figures


def test_of_nothing_there_are_counts_and_no_means() -> None:
    rows = statistics([], [], per_task=10, steps_profile="roscoe", profile="slice")
    assert {row.kind for row in rows} == {"samples", "images"}
    assert {row.value for row in rows if row.scope != "wanted in validation"} == {0.0}
