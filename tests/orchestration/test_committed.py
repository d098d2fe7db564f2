"""What is committed fits together: dvc.yaml, dvc.lock and params.yaml are those of this code and the default."""

import dagster as dg
import pytest
from syrupy.assertion import SnapshotAssertion

from assets import params
from assets.schema.tables import TABLES
from orchestration import lockfile, profile, projection
from orchestration.definitions import defs, graph
from orchestration.graph import Item


@pytest.fixture(autouse=True)
def the_default() -> None:
    if profile.current() != "default":
        pytest.skip(f"params.yaml is of profile {profile.current()}: `cotline profile default` goes back")


def test_dvc_yaml_is_the_projection_of_the_graph() -> None:
    assert not projection.differs(graph())


@pytest.mark.parametrize("item", graph().items, ids=lambda item: item.stage)
def test_dvc_lock_was_made_by_this_code_and_these_settings(item: Item) -> None:
    locked = lockfile.read()[item.stage]
    assert locked.same_code(item)
    assert locked.same_params(item)


def test_dvc_lock_has_no_stage_that_is_not_in_the_graph() -> None:
    assert set(lockfile.read()) == {item.stage for item in graph().items}


def test_an_inputs_md5_is_the_one_its_maker_wrote() -> None:
    locked = lockfile.read()
    for item in graph().items:
        for path in graph().input_files(item):
            name = path.relative_to(params.ROOT).as_posix()
            maker = next(each for each in graph().items if each.file == path)
            assert locked[item.stage].deps[name] == locked[maker.stage].outs[name]


def test_every_asset_says_what_a_person_has_to_know(snapshot: SnapshotAssertion) -> None:
    specs = {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}
    for name, spec in specs.items():
        assert spec.group_name == name.split("/")[0]
        assert spec.owners
        assert spec.kinds
        assert spec.description
        if spec.group_name != "inputs":
            assert "**One row:** " in spec.description
            assert spec.metadata["dagster/column_schema"].value.columns
    shown = {
        name: {
            "deps": sorted(dep.asset_key.to_user_string() for dep in spec.deps),
            "kinds": sorted(spec.kinds),
            "partitions": spec.partitions_def.get_partition_keys() if spec.partitions_def else None,
            "wiring": {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in spec.metadata["wiring"].value.items()
            }
            if "wiring" in spec.metadata
            else None,
        }
        for name, spec in sorted(specs.items())
    }
    assert shown == snapshot


def test_every_column_has_a_meaning() -> None:
    for table in TABLES.values():
        assert table.row.startswith(("One ", "The ", "What ", "Two ", "How "))
        for column in table.columns:
            assert column.meaning.endswith(".") or column.meaning[-1].isalnum(), (table.name, column.name)


def test_every_job_sensor_and_schedule_resolves() -> None:
    repository = defs.get_repository_def()
    assert {sensor.name for sensor in repository.sensor_defs} == {"observe_inputs", "record_runs", "track_runs"}
    assert {schedule.name for schedule in repository.schedule_defs} == {"every_night"}
    assert [job.name for job in repository.get_all_jobs()] == ["__ASSET_JOB", "nightly"]


def test_every_blocking_check_is_an_error_of_its_suite() -> None:
    from expectations.suites import suite_of

    asset_graph = defs.resolve_asset_graph()
    for node in graph().nodes:
        suite = suite_of(node.name)
        blocking = {check.name for check in suite.checks if check.severity == "error"}
        keys = asset_graph.get_check_keys_for_assets({node.key})
        assert {key.name for key in keys} == {check.name for check in suite.checks}
        assert {key.name for key in keys if asset_graph.get(key).blocking} == blocking


def test_each_profile_is_readable_and_valid() -> None:
    assert set(profile.names()) >= {"default", "explore", "slice"}
    for name in profile.names():
        profile.text(name)


def test_string_selections_work_in_this_environment() -> None:
    """With DVC beside Dagster, pip takes a parser of another version and every string selection dies (#27487)."""
    selected = dg.AssetSelection.from_string("group:training").resolve(defs.resolve_asset_graph())
    names = {"adapted", "bases", "checkpoints", "controls"}
    assert {key.to_user_string() for key in selected} == {f"training/{name}" for name in names}
