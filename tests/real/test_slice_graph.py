"""The slice through the whole graph: the released files end in the published table, ScienceQA and its votes in M3CoT.

MATH, TabMWP and KILOGRAM are left out: drawing their pictures takes minutes; test_m3cot_slice.py has them in the chain.
"""

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator

import pyarrow.parquet as pq
import pytest
import yaml

from tests.orchestration.conftest import ROOT, Project, make_project, needs_dvc

SHARED = ROOT.parent / "shared"

pytestmark = [
    needs_dvc,
    pytest.mark.skipif(not (SHARED / "data/m3cot_released").is_dir(), reason="the slice of released files is not here"),
    pytest.mark.skipif(not (SHARED / "data/scienceqa").is_dir(), reason="the slice of source files is not here"),
]

READ_FROM_SCIENCEQA = {"sources-scienceqa", "sources-scienceqa_images"}


def affordable(project: Project) -> None:
    """The settings of the profile `slice`, with ScienceQA and its votes alone of the sources, and no maps."""
    path = project.root / "params.yaml"
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name in ("math", "tabmwp", "kilogram", "sherlock", "game_pairs", "judged_chains"):
        tree["sources"][name]["folder"] = None
    tree["sources"]["scienceqa"]["folder"] = "own/scienceqa"
    tree["m3cot"]["science"]["maps"] = 0
    # Encoding takes most of the slice's time, and has tests of its own.
    tree["analysis"]["rationales"] |= {"sample": 1, "modes": ["sane"]}
    tree["analysis"]["coverage"]["sample"] = 3
    path.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")
    shutil.copytree(SHARED / "data/scienceqa", project.root / "own/scienceqa")
    project.good(project.cotline("dvc"))


@pytest.fixture(scope="module")
def slice_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("slice")
    (folder / "shared").symlink_to(SHARED)
    (folder / "checkout").mkdir()
    project = make_project(folder / "checkout")
    project.good(project.cotline("profile", "slice"))
    affordable(project)
    project.good(project.cotline("materialize", "--all"))
    return project


@pytest.fixture
def with_another_file(slice_project: Project) -> Iterator[Project]:
    """The project, with one more file in its folder of ScienceQA during the test."""
    path = slice_project.root / "own/scienceqa/images/test/of mine.txt"
    path.write_text("a file that no problem names\n", encoding="utf-8")
    yield slice_project
    path.unlink()


def rows(project: Project, table: str) -> list[dict[str, object]]:
    return pq.read_table(project.root / "data" / f"{table}.parquet").to_pylist()


def test_every_published_cell_is_there_and_those_of_the_released_files_are_equal(slice_project: Project) -> None:
    cells = rows(slice_project, "analysis/paper_comparison")
    by_paper = [cell for cell in cells if cell["extractor"] == "paper" and cell["table"] == "zero_shot"]
    equal = Counter((cell["labels"], cell["equal"]) for cell in by_paper)
    assert equal == {("paper", True): 230, ("released", True): 190, ("released", False): 40}
    assert all({"ours", "published", "difference"} <= set(cell) for cell in cells)
    # 32 zero-shot rows, 16 of the exploration and 116 of the leaderboard, ten columns each.
    assert len({(cell["table"], cell["model"], cell["strategy"], cell["column"]) for cell in cells}) == 1_640


def test_nothing_that_was_read_is_missing(slice_project: Project) -> None:
    flow = rows(slice_project, "evaluation/flow")
    entered = {(row["stage"], row["source"]): row["entered"] for row in flow}
    assert sum(n for (stage, _), n in entered.items() if stage == "evaluation/recorded") == 55_632
    assert entered["sources/m3cot_released", "items"] == 2_318
    assert {row["quarantined"] for row in flow} == {0}


def test_a_hundred_and_eleven_thousand_answers_are_kept(slice_project: Project) -> None:
    answers = pq.read_metadata(slice_project.root / "data/evaluation/answers.parquet")
    assert answers.num_rows == 2 * 55_632


def test_scienceqa_and_its_votes_go_through_the_construction(slice_project: Project) -> None:
    flow = {(row["stage"], row["source"]): row for row in rows(slice_project, "m3cot/flow")}
    counted = ("entered", "generated", "retained", "discarded", "quarantined")
    found = {
        stage: tuple(flow[stage, "scienceqa"][name] for name in counted)
        for stage in ("sources/scienceqa", "m3cot/image_needed", "m3cot/multistep", "m3cot/benchmark")
    }
    assert found == {
        "sources/scienceqa": (1773, 0, 1061, 0, 712),
        "m3cot/image_needed": (1061, 0, 68, 993, 0),
        "m3cot/multistep": (68, 0, 26, 42, 0),
        "m3cot/benchmark": (26, 0, 26, 0, 0),
    }
    reasons = {part["reason"]: part["n"] for part in flow["m3cot/multistep", "scienceqa"]["reasons"]}
    assert reasons == {"too_few_image_steps": 24, "too_few_steps": 18}
    assert len(rows(slice_project, "m3cot/quarantine")) == 712


def test_all_checks_passed_but_one_that_warns_of_empty_replies(slice_project: Project) -> None:
    script = (
        "import json\n"
        "from orchestration.definitions import defs, graph\n"
        "from orchestration.instance import opened\n"
        # Nights are kept beside the graph, and of no training or model that is asked there is a table here.
        "made = {node.key for node in graph().nodes if node.items}\n"
        "keys = [key for key in defs.resolve_asset_graph().asset_check_keys if key.asset_key in made]\n"
        "with opened() as instance:\n"
        "    found = instance.event_log_storage.get_latest_asset_check_execution_by_key(keys)\n"
        "states = {key: found[key].status.value if key in found else 'never run' for key in keys}\n"
        "others = {str(key): state for key, state in states.items() if state != 'SUCCEEDED'}\n"
        "print(json.dumps([len(keys), others]))\n"
    )
    checks, others = json.loads(slice_project.good(slice_project.call(sys.executable, "-c", script)))
    # 2,304 of the 2,318 replies of kosmos-2 by desp-cot are empty: most of them do not reason.
    warned = "AssetCheckKey(asset_key=AssetKey(['analysis', 'roscoe']), name='most_replies_reason')"
    assert (checks > 500, others) == (True, {warned: "FAILED"})


def test_both_engines_hold_the_slice_for_fresh(slice_project: Project) -> None:
    slice_project.good(slice_project.cotline("record"))
    assert slice_project.stale() == (set(), set())


def test_a_file_added_to_a_folder_of_sources_makes_the_same_stages_stale_in_both(with_another_file: Project) -> None:
    assert with_another_file.stale() == (READ_FROM_SCIENCEQA, READ_FROM_SCIENCEQA)
