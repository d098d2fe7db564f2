"""The reader of MATH: a row a problem, in natural order, and a quarantined row for what is none."""

import json

import pytest

from assets.schema.sample import Part, Sample
from assets.schema.tables import as_table
from assets.sources.jsonlines import SourceError
from assets.sources.math_problems import LONGEST, samples

PROBLEM = {"problem": "Find $x$.", "level": "Level ?", "type": "Geometry", "solution": r"So $\boxed{2}$."}


def put(folder, place, content):
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def read(folder):
    return list(samples(folder, provenance="released"))


def test_a_problem_is_one_row_with_its_question_solution_topic_and_place(tmp_path):
    put(tmp_path, "test/geometry/12.json", PROBLEM)
    assert read(tmp_path) == [
        Sample(
            id="math-test-geometry-12",
            benchmark="m3cot",
            source="math",
            source_id="test/geometry/12",
            provenance="released",
            domain="mathematics",
            topic="geometry",
            subtopic="mathematics",
            category="Geometry",
            question="Find $x$.",
            context="",
            rationale=(Part("text", r"So $\boxed{2}$.", None),),
            split="test",
        )
    ]


@pytest.mark.parametrize(
    ("kind", "topic"),
    [
        ("Algebra", "algebra"),
        ("Intermediate Algebra", "algebra"),
        ("Prealgebra", "algebra"),
        ("Precalculus", "algebra"),
        ("Counting & Probability", "algebra"),
        ("Geometry", "geometry"),
        ("Number Theory", "theory"),
    ],
)
def test_the_topic_is_the_column_of_the_published_tables(tmp_path, kind, topic):
    put(tmp_path, "train/a/1.json", PROBLEM | {"type": kind})
    (row,) = read(tmp_path)
    assert (row.topic, row.category, row.split) == (topic, kind, "train")


def test_files_come_in_natural_order(tmp_path):
    for number in (10, 9, 100):
        put(tmp_path, f"test/algebra/{number}.json", PROBLEM)
    assert [row.source_id for row in read(tmp_path)] == ["test/algebra/9", "test/algebra/10", "test/algebra/100"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty_file"),
        (b'{"problem": "\xff"}', "not_utf8"),
        (b'{"problem": "a', "truncated_json"),
        (b'{"problem": "a", "problem": "b", "solution": "c"}', "duplicate_key"),
        (b'["problem"]', "not_an_object"),
        ({"solution": "s", "type": "Algebra"}, "no_problem"),
        (PROBLEM | {"problem": "  "}, "no_problem"),
        (PROBLEM | {"solution": None}, "no_solution"),
        (PROBLEM | {"type": "Alchemy"}, "unknown_type"),
        (PROBLEM | {"type": ["Algebra"]}, "unknown_type"),
        (PROBLEM | {"solution": "s" * (LONGEST + 1)}, "problem_too_long"),
        (PROBLEM | {"solution": "s" * (5 << 20)}, "file_too_long"),
    ],
    ids=lambda value: value if isinstance(value, str) else "content",
)
def test_a_file_that_is_no_problem_is_quarantined_with_its_place(tmp_path, content, reason):
    put(tmp_path, "test/algebra/3.json", content)
    put(tmp_path, "test/algebra/4.json", PROBLEM)
    row, _ = read(tmp_path)
    assert (row.id, row.dropped, row.question) == ("math-test-algebra-3", reason, None)
    assert row.quarantined[0] == "test/algebra/3.json"
    assert as_table("sample", [row]).num_rows == 1


def test_json_lines_are_named_by_their_unique_id_or_their_line(tmp_path):
    lines = [
        {"problem": "p", "solution": "s", "answer": "1", "subject": "Algebra", "unique_id": "test/algebra/7.json"},
        {"problem": "q", "solution": "s", "type": "Number Theory"},
    ]
    put(tmp_path, "train.jsonl", b"\n".join(json.dumps(line).encode() for line in lines) + b"\n{broken\n")
    first, second, third = read(tmp_path)
    assert (first.id, first.split, first.answer) == ("math-test-algebra-7", "test", None)
    assert (second.id, second.split, second.topic) == ("math-train-2", "train", "theory")
    assert (third.dropped, third.quarantined) == ("invalid_json", ("train.jsonl", 3, "{broken"))


def test_the_same_problem_from_a_file_and_a_line_is_kept_once(tmp_path):
    put(tmp_path, "math500.jsonl", PROBLEM | {"unique_id": "test/geometry/12.json"})
    put(tmp_path, "test/geometry/12.json", PROBLEM)
    assert [row.dropped for row in read(tmp_path)] == [None, "duplicate_id"]


def test_other_files_are_not_opened(tmp_path):
    put(tmp_path, "test/algebra/1.json", PROBLEM)
    put(tmp_path, "LICENSE", b"\xff")
    put(tmp_path, "train.tar.gz", b"\x1f\x8b")
    assert len(read(tmp_path)) == 1


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    outside = put(tmp_path, "outside.json", PROBLEM)
    put(tmp_path, "math/test/algebra/1.json", PROBLEM)
    (tmp_path / "math/test/algebra/2.json").symlink_to(outside)
    (tmp_path / "math/train").symlink_to(tmp_path / "math/test")
    rows = read(tmp_path / "math")
    assert [(row.dropped, row.question) for row in rows if row.dropped is None] == [(None, "Find $x$.")]
    assert sorted(row.dropped for row in rows if row.dropped) == ["linked_folder", "path_outside"]


def test_a_folder_without_problems_says_so(tmp_path):
    with pytest.raises(SourceError, match=r"holds no \.json"):
        read(tmp_path)
    with pytest.raises(SourceError, match="no such folder"):
        read(tmp_path / "absent")


def test_a_folder_without_a_readable_problem_says_so_with_the_first_reason(tmp_path):
    put(tmp_path, "test/algebra/1.json", b"{")
    with pytest.raises(SourceError, match=r"holds no readable problem \(test/algebra/1\.json: truncated_json\)"):
        read(tmp_path)
