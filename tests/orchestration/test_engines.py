"""Dagster and DVC over one graph: what one makes the other knows, and both call the same things stale."""

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import yaml

from tests.orchestration.conftest import Project, needs_dvc
from tests.orchestration.stages import ALL, READERS_OF_EVALUATIONS, SOURCES

pytestmark = needs_dvc

LEVELLED = {
    *("evaluation-scores", "evaluation-differences", "evaluation-baselines", "training-controls"),
    *(f"analysis-{name}" for name in ("pairs", "steps", "statuses", "drawn", "quality", "tool_use")),
}
"""What reads the level of intervals."""


@pytest.fixture(scope="module")
def made(project: Project) -> Project:
    project.good(project.cotline("materialize", "--all"))
    return project


@pytest.fixture
def restored(made: Project) -> Iterator[Project]:
    """The project, whose own files are put back after the test."""
    names = ["params.yaml", "own/replies.jsonl", "assets/evaluation/differences.py", "expectations/sources.py"]
    names += ["assets/analysis/published/m3cot_zero_shot.csv", "assets/schema/tables.py", "assets/m3cot/letters.py"]
    names += ["assets/comt/selection.py"]
    before = {name: (made.root / name).read_bytes() for name in names}
    yield made
    for name, content in before.items():
        (made.root / name).write_bytes(content)


def test_a_fresh_checkout_has_nothing_recorded(project: Project) -> None:
    assert project.stale() == (ALL, ALL)


def test_what_dagster_made_dvc_takes_after_record(made: Project) -> None:
    said = made.good(made.cotline("record"))
    assert said.startswith(f"recorded {len(ALL)}: ")
    assert json.loads(made.good(made.dvc("status", "--json"))) == {}
    assert "Running stage" not in made.good(made.dvc("repro"))


def test_then_neither_engine_calls_anything_stale_and_there_is_nothing_to_record(made: Project) -> None:
    assert made.stale() == (set(), set())
    assert made.good(made.cotline("record")) == "recorded 0: nothing new\n"


def test_sync_adds_nothing_to_what_dagster_has_from_its_own_runs(made: Project) -> None:
    """Else the latest event of an asset would have no checks, no figure and no run."""
    assert made.good(made.cotline("sync")) == "told Dagster of 0: nothing new\n"


def test_the_version_in_dagster_is_the_md5_in_the_lock(made: Project) -> None:
    lock = yaml.safe_load((made.root / "dvc.lock").read_text())["stages"]
    script = (
        "import json, dagster as dg\n"
        "from orchestration.instance import opened\n"
        "with opened() as instance:\n"
        "    record = instance.get_latest_data_version_record(dg.AssetKey(['evaluation', 'scores']))\n"
        "    print(record.asset_materialization.tags['dagster/data_version'])\n"
    )
    version = made.good(made.call(sys.executable, "-c", script)).strip()
    assert [out["md5"] for out in lock["evaluation-scores"]["outs"]] == [version]


@pytest.mark.parametrize(
    ("name", "old", "new", "stale"),
    [
        ("params.yaml", "level: 0.95", "level: 0.9", LEVELLED),
        ("params.yaml", "published: gpt4v", "published: null", {"evaluation-recorded@own_direct"}
         | {f"analysis-{name}" for name in ("leaderboard", "paper_comparison", "tool_use", "systems")}),
        ("params.yaml", "seed: 11", "seed: 12", {"sources-generated_released"}),
        ("own/replies.jsonl", "(A)", "(B)", {"evaluation-recorded@own_direct"}),
        ("assets/evaluation/differences.py", '"""', '"""A word more. ', {"evaluation-differences"}),
        ("assets/analysis/published/m3cot_zero_shot.csv", "56.95", "56.96",
         {f"analysis-{name}" for name in ("leaderboard", "paper_comparison", "systems")}),
        ("expectations/sources.py", '"""', '"""One word more. ',
         SOURCES),
        ("params.yaml", "letters_seed: 2", "letters_seed: 3", {"m3cot-balanced"}),
        ("params.yaml", "maps: 14", "maps: 13", {"m3cot-science_images", "m3cot-science", "m3cot-synthesis"}),
        ("params.yaml", "pending: accept", "pending: hold",
         {f"m3cot-{name}" for name in ("image_needed", "multistep", "annotated", "rechecked", "audit")}),
        ("params.yaml", "'#e69f00'", "'#d89000'", {"comt-update_images", "comt-update"}),
        ("params.yaml", "at_once: 10", "at_once: 9", {"comt-deletion_images", "comt-deletion"}),
        ("assets/comt/selection.py", '"""', '"""A word more. ', {"comt-selection_images", "comt-selection"}),
        ("assets/m3cot/letters.py", '"""', '"""A word more. ', {"m3cot-balanced"}),
        ("assets/schema/tables.py", '"""Every', '"""Each and every', ALL),
    ],
    ids=[
        "setting",
        "item",
        "seed",
        "input",
        "module",
        "data-file",
        "suite",
        "letters",
        "maps",
        "pending",
        "palette",
        "masks",
        "task",
        "step",
        "tables",
    ],
)  # fmt: skip
def test_both_engines_call_the_same_stages_stale(
    restored: Project, name: str, old: str, new: str, stale: set[str]
) -> None:
    path = restored.root / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert restored.stale() == (stale, stale)


def test_one_evaluations_setting_makes_that_item_and_what_reads_it_stale(restored: Project) -> None:
    tree = yaml.safe_load((restored.root / "params.yaml").read_text())
    tree["evaluations"]["brief_cot"]["shots"] = 1
    (restored.root / "params.yaml").write_text(yaml.safe_dump(tree, sort_keys=False))
    expected = READERS_OF_EVALUATIONS | {"evaluation-recorded@brief_cot"}
    assert restored.stale() == (expected, expected)


def test_record_refuses_what_was_not_run(restored: Project) -> None:
    before = (restored.root / "dvc.lock").read_bytes()
    restored.edit("params.yaml", "level: 0.95", "level: 0.9")
    restored.edit("own/replies.jsonl", "(A)", "(B)")
    said = restored.good(restored.cotline("record"))
    assert "evaluation-scores: not recorded: its code or settings changed since the run" in said
    assert "evaluation-recorded@own_direct: not recorded: own/replies.jsonl changed since the run" in said
    assert said.endswith("recorded 0: nothing new\n")
    assert (restored.root / "dvc.lock").read_bytes() == before


def test_what_dvc_made_dagster_shows_fresh_after_sync(restored: Project) -> None:
    restored.edit("params.yaml", "level: 0.95", "level: 0.9")
    repro = restored.good(restored.dvc("repro"))
    ran = {line.split("'")[1] for line in repro.splitlines() if line.startswith("Running stage")}
    assert ran == LEVELLED | {f"analysis-{name}" for name in ("leaderboard", "paper_comparison", "shots", "systems")}
    restored.good(restored.cotline("sync"))
    assert restored.stale() == (set(), set())


def test_going_back_comes_from_the_run_cache_and_dagster_learns_of_it(made: Project) -> None:
    repro = made.good(made.dvc("repro"))
    assert "is cached - skipping run" in repro
    _, dvc = made.stale()
    assert dvc == set()
    said = made.good(made.cotline("sync"))
    assert "evaluation-scores" in said
    assert made.stale() == (set(), set())


def test_another_palette_rebuilds_update_and_what_reads_it(restored: Project) -> None:
    lock = yaml.safe_load((restored.root / "dvc.lock").read_text())["stages"]
    restored.edit("params.yaml", "'#e69f00'", "'#d89000'")
    repro = restored.good(restored.dvc("repro"))
    ran = {line.split("'")[1] for line in repro.splitlines() if line.startswith("Running stage")}
    update = {f"comt-{name}" for name in ("update_images", "update", "rechecked", "benchmark", "images")}
    counted = {f"comt-{name}" for name in ("flow", "quarantine", "statistics")}
    assert update <= ran <= update | counted | {name for name in ALL if name.startswith(("evaluation-", "analysis-"))}
    after = yaml.safe_load((restored.root / "dvc.lock").read_text())["stages"]
    changed = {name for name in lock if lock[name].get("outs") != after[name].get("outs")}
    assert changed == update
    restored.good(restored.cotline("sync"))
    assert restored.stale() == (set(), set())
    restored.edit("params.yaml", "'#d89000'", "'#e69f00'")
    restored.good(restored.dvc("repro"))
    restored.good(restored.cotline("sync"))


def test_sync_fills_an_empty_dagster_home(made: Project) -> None:
    said = made.good(made.cotline("sync", COTLINE_DAGSTER_HOME=str(made.root / "var/another")))
    assert said.startswith(f"told Dagster of {len(ALL)}: ")
    again = made.good(made.cotline("sync", COTLINE_DAGSTER_HOME=str(made.root / "var/another")))
    assert again == "told Dagster of 0: nothing new\n"
    status = made.cotline("status", COTLINE_DAGSTER_HOME=str(made.root / "var/another"))
    assert status.stdout == "Dagster: 0 stale\nDVC: 0 stale\n"


def test_sync_blesses_nothing_that_changed(restored: Project) -> None:
    restored.edit("params.yaml", "level: 0.95", "level: 0.9")
    restored.good(restored.cotline("sync", COTLINE_DAGSTER_HOME=str(restored.root / "var/third")))
    status = restored.cotline("status", COTLINE_DAGSTER_HOME=str(restored.root / "var/third"))
    assert status.stdout.startswith(f"Dagster: {len(LEVELLED)} stale\n")


def test_a_rebuild_makes_the_same_bytes(made: Project) -> None:
    tables = sorted((made.root / "data").rglob("*.parquet"))
    assert len(tables) == len(ALL)
    before = [hashlib.md5(path.read_bytes()).hexdigest() for path in tables]
    made.good(made.cotline("materialize", "--all", PYTHONHASHSEED="7", TZ="Asia/Tokyo", LC_ALL="C"))
    assert [hashlib.md5(path.read_bytes()).hexdigest() for path in tables] == before


def test_a_table_that_failed_its_check_stops_dvc_and_whoever_reads_it_later(restored: Project) -> None:
    lock = (restored.root / "dvc.lock").read_bytes()
    # The step's table is right and the suite is made to ask for more: a failing check, whatever the reason.
    path = restored.root / "expectations/sources.py"
    text = path.read_text()
    assert '"sample",' in text
    path.write_text(
        text + "\nSUITES['sources/m3cot_released'] = build("
        "'sources/m3cot_released', 'sample', (), least_rows=1_000_000)\n"
    )
    done = restored.dvc("repro", "sources-m3cot_released")
    assert done.returncode != 0
    assert (
        yaml.safe_load((restored.root / "dvc.lock").read_text())["stages"]["sources-m3cot_released"]
        == (yaml.safe_load(lock)["stages"]["sources-m3cot_released"])
    )
    assert (restored.root / "data/sources/m3cot_released.parquet").exists()
    later = restored.cotline("materialize", "evaluation/flow")
    assert later.returncode == 1
    assert "sources-m3cot_released: failed its check rows on the data that lies there" in later.stderr
    assert "Traceback" not in later.stderr


def test_the_good_suite_lets_it_pass_again(made: Project) -> None:
    made.good(made.cotline("materialize", "sources", "evaluation/flow"))
    made.good(made.cotline("record"))
    assert made.stale() == (set(), set())


def test_missing_partitions_are_listed_and_the_others_are_scored(made: Project) -> None:
    kept = made.root / "data/evaluation/recorded/brief_cot.parquet"
    content = kept.read_bytes()
    kept.unlink()
    try:
        made.good(made.cotline("materialize", "evaluation/answers", "evaluation/scores", "analysis/leaderboard"))
        import pyarrow.parquet as pq

        rows = pq.read_table(made.root / "data/analysis/leaderboard.parquet").to_pylist()
        without = {row["evaluation"] for row in rows if row["extractor"] == "strict" and row["accuracy"] is None}
        assert without == {"brief_cot"}
        assert {row["evaluation"] for row in rows} == {"brief_cot", "guessing_m3cot", "lively_direct", "own_direct"}
    finally:
        kept.write_bytes(content)
    made.good(made.cotline("materialize", "evaluation/answers", "evaluation/scores", "analysis/leaderboard"))


def test_a_hand_changed_dvc_yaml_is_out_of_step(made: Project) -> None:
    path = made.root / "dvc.yaml"
    before = path.read_text()
    path.write_text(before.replace("- expectations/common\n", "- expectations/other\n", 1))
    try:
        for command in (["dvc", "--check"], ["record"], ["sync"], ["materialize", "evaluation/flow"]):
            done = made.cotline(*command)
            assert (done.returncode, done.stdout) == (1, "")
            assert "dvc.yaml: is not what the asset graph says now; `cotline dvc` writes it" in done.stderr
    finally:
        path.write_text(before)


def test_unknown_names_are_one_sentence(made: Project) -> None:
    done = made.cotline("materialize", "evaluation/answer")
    assert done.returncode == 1
    assert done.stderr.startswith("cotline materialize: 'evaluation/answer': no asset or group is called so; there are")
    done = made.cotline("materialize", "evaluation/recorded", "--partition", "gpt5")
    assert "'gpt5': is no partition of evaluation/recorded: brief_cot, lively_direct, own_direct" in done.stderr


def test_a_table_that_another_run_writes_is_waited_for_and_then_named(restored: Project) -> None:
    restored.edit("params.yaml", "lock_wait_s: 600", "lock_wait_s: 0.2")
    lock = restored.root / "var/locks/evaluation-flow.lock"
    words = '{"pid": 7, "who": "run 1a2b3c4d"}'
    holder = subprocess.Popen(["flock", str(lock), "sh", "-c", f"echo '{words}' > {lock}; exec sleep 60"])
    try:
        end = time.monotonic() + 30
        while words not in lock.read_text() and time.monotonic() < end:
            time.sleep(0.05)
        before = restored.root.joinpath("data/evaluation/flow.parquet").read_bytes()
        done = restored.cotline("materialize", "evaluation/flow")
        assert done.returncode == 1
        assert "evaluation-flow: is being written by run 1a2b3c4d (process 7); waited 0.2 s" in done.stderr
        assert "Traceback" not in done.stderr
        assert restored.root.joinpath("data/evaluation/flow.parquet").read_bytes() == before
    finally:
        holder.kill()
        holder.wait()


def test_settings_that_change_while_an_asset_is_made_are_not_taken_for_its_own(restored: Project) -> None:
    script = (
        "from assets.evaluation import scores\n"
        "from orchestration import cli\n"
        "real = scores.of_all\n"
        "def changed(*arguments, **options):\n"
        "    text = open('params.yaml').read()\n"
        "    open('params.yaml', 'w').write(text.replace('level: 0.95', 'level: 0.8'))\n"
        "    return real(*arguments, **options)\n"
        "scores.of_all = changed\n"
        "raise SystemExit(cli.main(['materialize', 'evaluation/scores']))\n"
    )
    before = (restored.root / "data/evaluation/scores.parquet").read_bytes()
    done = restored.call(sys.executable, "-c", script)
    assert done.returncode == 1
    assert "its settings (evaluations, models, scoring) changed while it was made: run it again" in done.stderr
    assert (restored.root / "data/evaluation/scores.parquet").read_bytes() == before


def test_a_table_whose_checks_were_not_run_is_not_read(made: Project) -> None:
    """A run that is killed between writing and checking leaves such a table."""
    script = (
        "import os\n"
        "from expectations import validation\n"
        "from orchestration import cli\n"
        "validation.validate = lambda *_: os._exit(9)\n"
        "cli.main(['materialize', 'evaluation/answers'])\n"
    )
    assert made.call(sys.executable, "-c", script).returncode == 9
    done = made.cotline("materialize", "evaluation/scores")
    assert done.returncode == 1
    assert "evaluation-answers: its checks have not been run on the data that lies there" in done.stderr
    made.good(made.cotline("materialize", "evaluation/answers", "evaluation/scores"))


def test_a_run_whose_process_was_killed_is_ended(made: Project) -> None:
    script = (
        "import dagster as dg\n"
        "from orchestration.instance import opened\n"
        "with opened() as instance:\n"
        "    print(len(instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED]))))\n"
    )
    # The test before left one, and the command after it has ended it.
    assert made.good(made.call(sys.executable, "-c", script)) == "0\n"


def test_a_folder_or_an_extra_that_was_changed_by_hand_is_not_recorded(made: Project) -> None:
    made.good(made.cotline("materialize", "sources/generated_released", "evaluation", "analysis"))
    extra = made.root / "data/analysis/leaderboard.metrics.json"
    drawn = made.root / "data/sources/generated_released/test_items.jsonl"
    before = {path: path.read_bytes() for path in (extra, drawn)}
    try:
        for path in before:
            path.write_bytes(path.read_bytes() + b"\n")
        said = made.good(made.cotline("record"))
        assert "sources-generated_released: not recorded: its folder is not what the run wrote" in said
        assert (
            "analysis-leaderboard: not recorded: data/analysis/leaderboard.metrics.json is not what the run wrote"
            in said
        )
    finally:
        for path, content in before.items():
            path.write_bytes(content)
    made.good(made.cotline("record"))
    assert made.stale() == (set(), set())


def test_a_file_under_data_and_an_absolute_path_are_seen_by_both_engines(restored: Project) -> None:
    mine = restored.root / "data/mine.jsonl"
    far = restored.root.parent / "far away.jsonl"
    try:
        for path in (mine, far):
            path.write_text('{"id": "x", "messages": ["q", "(A)"]}\n')
            tree = yaml.safe_load((restored.root / "params.yaml").read_text())
            tree["evaluations"]["own_direct"]["replies"] = "data/mine.jsonl" if path == mine else str(path)
            (restored.root / "params.yaml").write_text(yaml.safe_dump(tree, sort_keys=False))
            restored.good(restored.cotline("materialize", "evaluation", "analysis"))
            restored.good(restored.cotline("record"))
            assert restored.stale() == (set(), set())
            assert restored.good(restored.cotline("record")) == "recorded 0: nothing new\n"
            path.write_text('{"id": "x", "messages": ["q", "(B)"]}\n')
            assert restored.stale() == ({"evaluation-recorded@own_direct"},) * 2
    finally:
        mine.unlink(missing_ok=True)


def test_an_evaluation_is_added_and_one_removed(restored: Project) -> None:
    tree = yaml.safe_load((restored.root / "params.yaml").read_text())
    tree["evaluations"]["own_again"] = tree["evaluations"].pop("own_direct") | {"strategy": "cot"}
    (restored.root / "params.yaml").write_text(yaml.safe_dump(tree, sort_keys=False))
    late = restored.cotline("materialize", "evaluation/scores")
    assert "dvc.yaml: is not what the asset graph says now; `cotline dvc` writes it" in late.stderr
    restored.good(restored.cotline("dvc"))
    lock = yaml.safe_load((restored.root / "dvc.lock").read_text())["stages"]
    assert "evaluation-recorded@own_direct" not in lock
    restored.good(restored.dvc("repro"))
    restored.good(restored.cotline("sync"))
    assert restored.stale() == (set(), set())
