"""The slice through the whole graph: the 24 released files end in the published table, cell by cell."""

from collections import Counter

import pyarrow.parquet as pq
import pytest

from tests.orchestration.conftest import ROOT, Project, make_project, needs_dvc

SHARED = ROOT.parent / "shared"

pytestmark = [
    needs_dvc,
    pytest.mark.skipif(not (SHARED / "data/m3cot_released").is_dir(), reason="the slice of released files is not here"),
]


@pytest.fixture(scope="module")
def slice_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("slice")
    (folder / "shared").symlink_to(SHARED)
    (folder / "checkout").mkdir()
    project = make_project(folder / "checkout")
    project.good(project.cotline("profile", "slice"))
    project.good(project.cotline("materialize", "--all"))
    return project


def rows(project: Project, table: str) -> list[dict[str, object]]:
    return pq.read_table(project.root / "data" / f"{table}.parquet").to_pylist()


def test_every_published_cell_is_there_and_those_of_the_released_files_are_equal(slice_project: Project) -> None:
    cells = rows(slice_project, "analysis/paper_comparison")
    by_paper = [cell for cell in cells if cell["extractor"] == "paper"]
    equal = Counter((cell["labels"], cell["equal"]) for cell in by_paper)
    assert equal == {("paper", True): 230, ("released", True): 190, ("released", False): 40}
    assert all({"ours", "published", "difference"} <= set(cell) for cell in cells)
    # 32 zero-shot rows and 16 of the exploration, ten columns each.
    assert len({(cell["table"], cell["model"], cell["strategy"], cell["column"]) for cell in cells}) == 480


def test_nothing_that_was_read_is_missing(slice_project: Project) -> None:
    flow = rows(slice_project, "evaluation/flow")
    entered = {(row["stage"], row["source"]): row["entered"] for row in flow}
    assert sum(n for (stage, _), n in entered.items() if stage == "evaluation/predictions") == 55_632
    assert entered["sources/m3cot_released", "items"] == 2_318
    assert {row["quarantined"] for row in flow} == {0}


def test_a_hundred_and_eleven_thousand_answers_are_kept(slice_project: Project) -> None:
    answers = pq.read_metadata(slice_project.root / "data/evaluation/answers.parquet")
    assert answers.num_rows == 2 * 55_632


def test_both_engines_hold_the_slice_for_fresh(slice_project: Project) -> None:
    slice_project.good(slice_project.cotline("record"))
    assert slice_project.stale() == (set(), set())
