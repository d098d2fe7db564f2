"""Nights through Dagster and by command: what is written, what the checks say, what is refused, what is adopted."""

import contextlib
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import pyarrow.parquet as pq
import pytest
import yaml

from assets import params
from assets.nightly import defs as nightly_defs
from assets.nightly import nights as steps
from assets.schema.faults import Fault
from assets.schema.tables import TABLES
from orchestration import adopting, locks, nightly, profile, schedules, storage
from orchestration.nights import file_of, read
from tests.orchestration.nightly_house import House, house  # noqa: F401 (fixture)

UNREACHABLE = "evaluation beta: all 20 dialogues failed, most often with 'connection refused'"


@pytest.fixture(autouse=True)
def at_night(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedules, "now", lambda: datetime(2025, 1, 14, 9, 0, tzinfo=UTC))
    monkeypatch.setattr(schedules, "ZONE", "UTC")
    monkeypatch.setattr("orchestration.materialize.track_later", lambda: None)


@pytest.fixture
def here(house: House, monkeypatch: pytest.MonkeyPatch) -> House:  # noqa: F811
    """The command, whose definitions and instance are the test's."""
    monkeypatch.setitem(sys.modules, "orchestration.definitions", SimpleNamespace(defs=house.defs))
    monkeypatch.setattr("orchestration.instance.opened", lambda: contextlib.nullcontext(house.instance))
    return house


def checks(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    return {check.check_name: check for check in result.get_asset_check_evaluations()}


def test_a_night_writes_its_own_tables_and_no_other(house: House) -> None:  # noqa: F811
    result = house.night("2025-01-14")
    assert result.success
    assert house.asked == [("alpha", "night-2025-01-14"), ("beta", "night-2025-01-14")]
    written = sorted(path.relative_to(house.folder).as_posix() for path in house.folder.rglob("*") if path.is_file())
    one = ["answers", "asked", "changes", "predictions", "scores"]
    assert written == [*(f"2025-01-14/{name}.parquet" for name in one), "history.parquet"]
    for name in one:
        table = read(name, "2025-01-14", house.folder)
        assert table.schema == TABLES[steps.TABLES_OF[name]].schema
        event = house.instance.get_latest_data_version_record(
            dg.AssetKey(["nightly", name]), partition_key="2025-01-14"
        )
        assert event is not None and event.asset_materialization is not None
        version = (event.asset_materialization.tags or {})["dagster/data_version"]
        assert version == storage.md5_of(house.folder / "2025-01-14" / f"{name}.parquet")
    found = checks(result)
    assert found["asked"].passed and found["unchanged"].passed
    assert found["unchanged"].description == (
        "alpha: first night, nothing to compare it with; beta: first night, nothing to compare it with"
    )


def test_what_moved_fails_the_check_with_size_and_p(house: House) -> None:  # noqa: F811
    house.keep("2025-01-13", alpha=16, beta=16)
    result = house.night("2025-01-14", alpha=6)
    assert result.success
    check = checks(result)["unchanged"]
    # 10 samples right before only: p = 2 * 2^-10, times 2 for the two evaluations
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert check.metadata["difference"].value == {"alpha": -0.5, "beta": 0.0}
    assert check.metadata["p"].value == {"alpha": 0.001953125, "beta": 1.0}
    assert check.metadata["p_adjusted"].value == {"alpha": 0.00390625, "beta": 1.0}
    assert check.metadata["n"].value == {"alpha": 20, "beta": 20}
    assert check.metadata["compared_with"].value == {"alpha": "2025-01-13", "beta": "2025-01-13"}
    history = read("history", None, house.folder).to_pylist()
    assert [(row["day"], row["evaluation"], row["accuracy"]) for row in history] == [
        ("2025-01-13", "alpha", 0.8),
        ("2025-01-13", "beta", 0.8),
        ("2025-01-14", "alpha", 0.3),
        ("2025-01-14", "beta", 0.8),
    ]
    shown = house.instance.get_latest_materialization_event(dg.AssetKey(["nightly", "history"]))
    assert shown is not None and shown.asset_materialization is not None
    assert "data:image/png;base64," in str(shown.asset_materialization.metadata["figure"].value)


def test_an_unreachable_endpoint_is_a_failed_check_with_the_reason_and_no_score(house: House) -> None:  # noqa: F811
    house.keep("2025-01-13")
    result = house.night("2025-01-14", beta=UNREACHABLE)
    assert result.success
    check = checks(result)["asked"]
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert check.description is not None and UNREACHABLE in check.description
    scores = read("scores", "2025-01-14", house.folder)
    assert set(scores["evaluation"].to_pylist()) == {"alpha"}
    assert checks(result)["unchanged"].passed
    [beta] = [
        row
        for row in read("history", None, house.folder).to_pylist()
        if (row["day"], row["evaluation"]) == ("2025-01-14", "beta")
    ]
    assert (beta["good"], beta["reason"], beta["accuracy"], beta["n"]) == (False, UNREACHABLE, None, None)
    later = house.night("2025-01-15", beta=15)
    assert checks(later)["unchanged"].metadata["compared_with"].value == {"alpha": "2025-01-14", "beta": "2025-01-13"}


def test_two_runs_never_write_the_nights_at_once(here: House, capsys: pytest.CaptureFixture[str]) -> None:
    text = params.PARAMS.read_text(encoding="utf-8")
    params.PARAMS.write_text(text.replace("lock_wait_s: 600", "lock_wait_s: 0"), encoding="utf-8")
    with locks.held({"nightly"}, set(), 0, "run 1234"):
        assert here.run("run") == 1
    assert "nightly: is being written by run 1234" in capsys.readouterr().err
    assert here.asked == []


def test_a_table_of_before_has_nulls_for_the_columns_that_it_was_written_without(house: House) -> None:  # noqa: F811
    house.keep("2025-01-13")
    file = file_of("asked", "2025-01-13", house.folder)
    pq.write_table(read("asked", "2025-01-13", house.folder).drop_columns(["limit"]), file)
    table = read("asked", "2025-01-13", house.folder)
    assert table.schema == TABLES["asked"].schema
    assert table["limit"].to_pylist() == [None, None]


def test_the_command_asks_tonight_shows_it_and_says_what_failed(
    here: House, capsys: pytest.CaptureFixture[str]
) -> None:
    assert here.run("run") == 0
    assert here.asked == [("alpha", "night-2025-01-14"), ("beta", "night-2025-01-14")]
    assert "80.00" in capsys.readouterr().out
    here.right["alpha"] = 4
    assert here.run("run", "--again") == 0
    assert "20.00" in capsys.readouterr().out
    assert here.asked[2:] == [("alpha", "night-2025-01-14-2"), ("beta", "night-2025-01-14-2")]
    # Asked again in the place of the first: there is still no night before.
    assert here.days("asked") == ["2025-01-14"]


def test_the_command_says_the_sentences_of_failed_checks_and_ends_with_1(
    here: House, capsys: pytest.CaptureFixture[str]
) -> None:
    here.keep("2025-01-13")
    here.right |= {"alpha": 6, "beta": UNREACHABLE}
    assert here.run("run") == 1
    said = capsys.readouterr().err
    assert "check unchanged failed: alpha: -50.00 points" in said
    assert f"check asked failed: beta: not asked to the end: {UNREACHABLE}" in said


def test_a_night_that_is_there_is_not_asked_again_by_itself(here: House) -> None:
    here.keep("2025-01-14")
    with pytest.raises(Fault, match=r"the night of 2025-01-14 is there already: .*--again"):
        here.run("run")
    assert here.asked == []


def test_a_night_that_was_not_asked_to_the_end_goes_on_under_its_asking(
    here: House, capsys: pytest.CaptureFixture[str]
) -> None:
    here.keep("2025-01-14", beta=UNREACHABLE)
    here.right["beta"] = 15
    assert here.run("run") == 0
    # What the store has of alpha is not asked: that is the store's part.
    assert here.asked == [("alpha", "night-2025-01-14"), ("beta", "night-2025-01-14")]
    assert "not asked to the end were beta" in capsys.readouterr().out
    with pytest.raises(Fault, match="is there already"):
        here.run("run")


def test_a_night_that_another_run_is_asking_is_refused(here: House) -> None:
    here.instance.create_run_for_job(
        here.defs.resolve_job_def(schedules.JOB),
        status=dg.DagsterRunStatus.STARTED,
        tags={"dagster/partition": "2025-01-14"},
    )
    with pytest.raises(Fault, match="is at the night of 2025-01-14: let it end"):
        here.run("run")
    assert here.asked == []


@pytest.mark.parametrize(
    ("day", "words"), [("2025-01-15", "to today"), ("2024-12-31", "from 2025-01-01"), ("30.11.2026", "is no day")]
)
def test_a_day_that_can_be_no_night_is_refused(here: House, day: str, words: str) -> None:
    with pytest.raises(Fault, match=words):
        here.run("run", "--day", day)


def test_where_nothing_is_live_the_command_says_how_to_mark_one(here: House) -> None:
    text = params.PARAMS.read_text(encoding="utf-8")
    params.PARAMS.write_text(text.replace("live: true", "live: false"), encoding="utf-8")
    with pytest.raises(Fault, match=r"set `live: true` under evaluations\.NAME"):
        here.run("run")


def test_the_list_shows_the_latest_nights_and_why_one_was_not_asked(
    here: House, capsys: pytest.CaptureFixture[str]
) -> None:
    assert here.run("list") == 0
    assert "no nights yet" in capsys.readouterr().out
    for day, beta in (("2025-01-12", 16), ("2025-01-13", 10), ("2025-01-14", UNREACHABLE)):
        here.keep(day, beta=beta)
    assert here.run("list", "--last", "2") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[2][:4] == ["2025-01-13", "beta", "20", "50.00"]
    # 6 samples right before only: 2 * 2^-6, times 2
    assert lines[2][-3:] == ["2025-01-12", "-30.00", "0.0625"]
    assert lines[4][:4] == ["2025-01-14", "beta", "not", "asked"]
    assert " ".join(lines[5]) == f"2025-01-14 beta: {UNREACHABLE}"


def test_a_night_is_adopted_in_params_and_nothing_else_changes(
    here: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile, "current", lambda: "default, edited")
    here.keep("2025-01-14", beta=UNREACHABLE)
    before = params.PARAMS.read_text(encoding="utf-8")
    tables = {path: path.read_bytes() for path in here.folder.rglob("*.parquet")}
    assert here.run("adopt", "2025-01-14") == 0
    # alpha is the first entry, and its last line is the first that says it is live
    after = before.replace("    live: true\n", "    live: true\n    asking: night-2025-01-14\n", 1)
    assert params.PARAMS.read_text(encoding="utf-8") == after
    assert params.load().evaluations["alpha"].asking == "night-2025-01-14"
    assert params.load().evaluations["beta"].asking == "first"
    assert {path: path.read_bytes() for path in here.folder.rglob("*.parquet")} == tables
    said = capsys.readouterr().out
    assert f"beta stays as it is: it was not good that night ({UNREACHABLE})" in said
    assert "`cotline profile default` would write params.yaml without this" in said
    # Another night takes its place.
    here.keep("2025-01-13", beta=16)
    assert here.run("adopt", "2025-01-13") == 0
    assert params.PARAMS.read_text(encoding="utf-8").count("asking:") == 2
    assert {one.asking for name, one in params.load().evaluations.items() if name != "gamma"} == {"night-2025-01-13"}


@pytest.mark.parametrize(
    ("day", "words"),
    [
        ("2025-01-12", r"there is no night of 2025-01-12; the latest: 2025-01-13, 2025-01-14"),
        ("2025-01-13", r"nothing of the night of 2025-01-13 can be adopted:\n  alpha stays as it is: it was not good"),
        ("2025-01-14", r"alpha stays as it is: its settings have changed since"),
    ],
)
def test_what_cannot_be_adopted_is_refused_and_params_stay(here: House, day: str, words: str) -> None:
    here.keep("2025-01-13", alpha=UNREACHABLE, beta=UNREACHABLE)
    here.keep("2025-01-14", alpha=16, beta=16)
    text = params.PARAMS.read_text(encoding="utf-8").replace("answers: random", "answers: majority")
    params.PARAMS.write_text(text, encoding="utf-8")
    with pytest.raises(Fault, match=words):
        here.run("adopt", day)
    assert params.PARAMS.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        (
            "evaluations:\n  a:\n    model: m  # why\n    sampling:\n      top: 1\n\n  # b\n  b: {}\n",
            "evaluations:\n  a:\n    model: m  # why\n    sampling:\n      top: 1\n    asking: x\n\n  # b\n  b: {}\n",
        ),
        ("evaluations:\n  a: {model: m}  # why\n", "evaluations:\n  a: {model: m, asking: x}  # why\n"),
        ("evaluations: {a: {asking: 'first', model: m}}\n", "evaluations: {a: {asking: x, model: m}}\n"),
        ("evaluations:\n  a:\n    asking: first  # why\n", "evaluations:\n  a:\n    asking: x  # why\n"),
        ("evaluations:\n  a:\n    model: m", "evaluations:\n  a:\n    model: m\n    asking: x"),
    ],
)
def test_an_asking_is_set_where_it_stands_or_after_the_entry(text: str, edited: str) -> None:
    assert adopting.with_askings(text, {"a": "x"}) == edited
    assert yaml.safe_load(edited)["evaluations"]["a"]["asking"] == "x"


@pytest.mark.parametrize(
    "text",
    [
        "evaluations:\n  a: &all\n    asking: first\n  b: *all\n",
        "evaluations:\n  a: &all\n    model: m\n  b:\n    <<: *all\n    shots: 1\n",
    ],
)
def test_an_entry_that_others_share_is_not_edited(text: str) -> None:
    with pytest.raises(Fault, match=r"write by hand evaluations\.a\.asking: x"):
        adopting.with_askings(text, {"a": "x"})


def test_the_command_is_in_the_list_of_commands() -> None:
    from orchestration.cli import COMMANDS

    assert COMMANDS["nightly"][:3] == ("nightly", "add_arguments", "run")
    assert Path(nightly.__file__).name == "nightly.py"


def test_a_night_is_of_other_settings_once_a_model_on_the_way_or_a_training_is_another(house: House) -> None:  # noqa: F811
    tree = yaml.safe_load(params.PARAMS.read_text("utf-8"))
    tree["trainings"] = {"learned": {"family": "mm-cot", "seed": 1}}
    tree["models"] |= {
        "plans": {"kind": "text", "model": "p"},
        "looks": {"kind": "transformers", "model": "l"},
        "guess": {"kind": "tools", "policy": "chameleon", "planner": "plans", "sees": ["looks"]},
        "knows": {"kind": "trained", "training": "learned"},
    }
    tree["evaluations"]["beta"]["model"] = "knows"

    def digests() -> tuple[str, str]:
        params.PARAMS.write_text(yaml.safe_dump(tree, sort_keys=False), "utf-8")
        return nightly_defs.digest("alpha"), nightly_defs.digest("beta")

    alpha, beta = digests()
    for name in ("plans", "looks"):
        tree["models"][name]["model"] += "x"
        before, (alpha, unchanged) = alpha, digests()
        assert (alpha != before, unchanged) == (True, beta)
    tree["trainings"]["learned"]["seed"] = 2
    assert digests()[0] == alpha
    assert nightly_defs.digest("beta") != beta
