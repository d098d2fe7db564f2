"""What of a run goes into its record, and what never does."""

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets import params
from assets.settings import Tracking
from orchestration import sensors
from orchestration.run_facts import Secrets
from orchestration.tracking import Away, Tracked, track
from tests.orchestration.tracking_store import OURS, PIXEL, SETTINGS, a_run, artifacts, client, recorded


def test_what_is_no_number_is_refused_and_counted(instance: dg.DagsterInstance, folder: Path) -> None:
    a_run(instance, {"good": 1.5, "nan": float("nan"), "inf": float("inf")})
    assert track(instance, SETTINGS, folder=folder) == Tracked(1, 2, 0, 0)
    [run] = recorded(folder)
    assert run.data.metrics["scores/table/good"] == 1.5
    assert run.data.metrics["refused"] == 2.0
    assert run.data.tags["refused"] == "scores/table/nan, scores/table/inf"
    assert not {"scores/table/nan", "scores/table/inf"} & set(run.data.metrics)


def test_the_curves_of_a_training_are_metrics_with_their_epochs(instance: dg.DagsterInstance, folder: Path) -> None:
    rows = [
        {"stage": "answer", "epoch": 1, "step": 90, "loss": 1.5, "accuracy_validation": None},
        {"stage": "answer", "epoch": 2, "step": 180, "loss": 1.25, "accuracy_validation": 0.5},
    ]
    a_run(instance, {"curves": dg.MetadataValue.json(rows)})
    assert track(instance, SETTINGS, folder=folder).recorded == 1
    [run] = recorded(folder)
    steps = {
        name: [(point.step, point.value) for point in client(folder).get_metric_history(run.info.run_id, name)]
        for name in run.data.metrics
        if "answer" in name
    }
    assert steps == {
        "scores/table/answer/loss": [(1, 1.5), (2, 1.25)],
        "scores/table/answer/accuracy_validation": [(2, 0.5)],
    }


def test_settings_are_recorded_where_they_are_still_those_of_the_run(
    instance: dg.DagsterInstance, folder: Path
) -> None:
    def sections(key: Any, partition: str | None) -> tuple[str, dict[str, Any]]:
        return "digest-1", {"scoring": {"labels": ["released", "paper"], "level": 0.95}, "tracking.uri": None}

    a_run(instance, {"params": "digest-1"})
    a_run(instance, {"params": "digest-0"})
    track(instance, SETTINGS, sections=sections, profile=lambda: "slice", folder=folder)
    later, earlier = recorded(folder)
    assert earlier.data.params == {
        "scoring.labels": '["released", "paper"]',
        "scoring.level": "0.95",
        "tracking.uri": "null",
    }
    assert earlier.data.tags["profile"] == "slice"
    assert later.data.params == {"params_digest/scores/table": "digest-0"}
    assert later.data.tags["params"] == "params.yaml has changed since the run: only digests are known"
    assert "profile" not in later.data.tags


def test_a_prompt_of_9000_characters_is_an_artifact_with_its_hash(instance: dg.DagsterInstance, folder: Path) -> None:
    prompt = "Look. " * 1500
    many = {f"key_{number:03}": number for number in range(250)}
    a_run(instance, {"params": "digest", "prompt": prompt})
    track(instance, SETTINGS, sections=lambda *_: ("digest", {"asking": {"prompt": prompt, **many}}), folder=folder)
    [run] = recorded(folder)
    digest = hashlib.sha256(prompt.encode()).hexdigest()
    assert run.data.params["asking.prompt"] == (
        f"sha256:{digest} (9000 characters, in the artifact params/asking.prompt.txt)"
    )
    assert run.data.tags["scores/table/prompt"].startswith(f"sha256:{digest}")
    assert len(run.data.params) == 251
    kept = artifacts(folder)
    assert kept == {"params/asking.prompt.txt": prompt.encode(), "tags/scores/table/prompt.txt": prompt.encode()}


def test_figures_and_analysis_tables_are_artifacts_where_they_are_still_the_runs(
    instance: dg.DagsterInstance, folder: Path, tmp_path: Path
) -> None:
    table = tmp_path / "leaderboard.parquet"
    table.write_bytes(b"parquet bytes")
    changed = tmp_path / "flow.parquet"
    changed.write_bytes(b"of a later run")
    figure = tmp_path / "figure.png"
    figure.write_bytes(PIXEL)

    @dg.asset(key=["analysis", "leaderboard"])
    def leaderboard() -> dg.MaterializeResult:
        picture = f"a plot: ![plot](data:image/png;base64,{base64.b64encode(PIXEL).decode()})"
        return dg.MaterializeResult(
            metadata={
                "path": dg.MetadataValue.path(str(table)),
                "drawn": dg.MetadataValue.path(str(figure)),
                "plot": dg.MetadataValue.md(picture),
            },
            data_version=dg.DataVersion(hashlib.md5(b"parquet bytes").hexdigest()),
        )

    @dg.asset(key=["analysis", "flow"])
    def flow() -> dg.MaterializeResult:
        path = dg.MetadataValue.path(str(changed))
        return dg.MaterializeResult(metadata={"path": path}, data_version=dg.DataVersion("of this run"))

    @dg.asset(key=["m3cot", "benchmark"])
    def benchmark() -> dg.MaterializeResult:
        return dg.MaterializeResult(metadata={"path": dg.MetadataValue.path(str(table))})

    dg.materialize([leaderboard, flow, benchmark], instance=instance, tags=OURS)
    assert track(instance, SETTINGS, folder=folder) == Tracked(1, 1, 0, 0)
    assert artifacts(folder) == {
        "analysis/leaderboard/leaderboard.parquet": b"parquet bytes",
        "analysis/leaderboard/figure.png": PIXEL,
        "analysis/leaderboard/plot.png": PIXEL,
    }
    assert recorded(folder)[0].data.tags["refused"] == "analysis/flow/path"


def test_secrets_are_nowhere_in_the_store(
    instance: dg.DagsterInstance, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, password, own = "sk-planted-in-environment", "planted-in-address", "planted-in-params"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    leaking = tmp_path / "report.html"
    leaking.write_text(f"<p>{key}</p>")

    @dg.asset(key=["scores", "leaky"])
    def leaky() -> dg.MaterializeResult:
        return dg.MaterializeResult(
            metadata={
                "params": "digest",
                "note": f"asked with {key}",
                "api_key": own,
                "report": dg.MetadataValue.path(str(leaking)),
                "long": f"{key} " * 500,
                "counts": dg.MetadataValue.json({key: 1}),
                "max_tokens": 512,
            }
        )

    @dg.asset(key=["scores", "failing"])
    def failing() -> None:
        raise RuntimeError(f"401 for key {key}")

    sections = {
        "asking": {
            "api_key": own,
            "base_url": f"https://someone:{password}@example.org/v1",
            "prompt": f"{key} " * 500,
            "letter_token": "A",
            "max_tokens": 512,
        }
    }
    dg.materialize([leaky, failing], instance=instance, raise_on_error=False, tags=OURS)
    track(instance, SETTINGS, sections=lambda *_: ("digest", sections), folder=folder)
    [run] = recorded(folder)
    assert run.data.params["asking.max_tokens"] == "512"
    assert run.data.params["asking.base_url"] == "https://[secret]@example.org/v1"
    assert run.data.params["asking.api_key"] == run.data.tags["scores/leaky/api_key"] == "[secret]"
    assert run.data.metrics["scores/leaky/max_tokens"] == 512.0
    assert run.data.tags["failure/scores__failing"] == "RuntimeError: 401 for key [secret]"
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for file in files:
        content = file.read_bytes()
        for secret in (key, password, own):
            assert secret.encode() not in content, f"{secret} is in {file}"


def test_names_say_what_is_a_secret() -> None:
    environment = {
        "HF_TOKEN": "a-token-of-some-length",
        "AWS_SECRET_ACCESS_KEY": "a-key-of-some-length",
        "SHORT_TOKEN": "abc",
        "TOKENIZERS_PARALLELISM": "somewhat-false",
        "KEYBOARD": "a-layout-of-some-kind",
    }
    assert Secrets(environment).values == ["a-token-of-some-length", "a-key-of-some-length"]


@pytest.mark.parametrize("uri", ["./mlruns", "mlruns", "file:///tmp/mlruns"])
def test_a_folder_of_files_is_one_clear_sentence(instance: dg.DagsterInstance, tmp_path: Path, uri: str) -> None:
    with pytest.raises(Away) as caught:
        track(instance, Tracking(uri=uri, experiment="cotline"), folder=tmp_path)
    assert str(caught.value) == (
        f"tracking.uri: {uri!r} is a folder of files, which MLflow (3.13 and later) no longer takes: use null "
        "(sqlite under var/), sqlite:///FILE, or a server's http://… address"
    )


def test_a_store_that_refuses_a_run_is_asked_three_times_and_does_not_hold_up_the_others(
    instance: dg.DagsterInstance, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException
    from mlflow.protos.databricks_pb2 import INVALID_PARAMETER_VALUE

    bad, good = a_run(instance, {"n": 1}), a_run(instance, {"n": 2})
    log_batch = MlflowClient.log_batch

    def refusing(self: Any, run_id: str, *arguments: Any) -> Any:
        if self.get_run(run_id).data.tags["dagster/run_id"] == bad:
            raise MlflowException("a name that cannot be", INVALID_PARAMETER_VALUE)
        return log_batch(self, run_id, *arguments)

    monkeypatch.setattr(MlflowClient, "log_batch", refusing)
    capsys.readouterr()
    assert track(instance, SETTINGS, folder=folder) == Tracked(1, 0, 1, 0)
    assert track(instance, SETTINGS, folder=folder) == Tracked(0, 0, 1, 0)
    assert track(instance, SETTINGS, folder=folder) == Tracked(0, 0, 0, 1)
    assert track(instance, SETTINGS, folder=folder) == Tracked(0, 0, 0, 1)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 3
    assert said[-1].endswith("MLflow refused it (a name that cannot be): it is given up")
    done = [run.data.tags["dagster/run_id"] for run in recorded(folder) if run.data.tags.get("recorded") == "yes"]
    assert done == [good]


def test_a_call_that_finds_nothing_new_does_not_import_mlflow(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; import dagster as dg; from assets.settings import Tracking; "
        "from orchestration.tracking import track; instance = dg.DagsterInstance.ephemeral(); "
        "print(track(instance, Tracking(uri=None, experiment='x'), folder=Path(sys.argv[1])), "
        "'mlflow' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=params.ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "Tracked(recorded=0, refused=0, left=0, given_up=0) False\n"


def test_the_sensor_sees_runs_of_other_processes_and_waits_after_a_failure(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str | None] = ["MLflow is away", None]
    monkeypatch.setattr(sensors, "_track", lambda: said.pop(0))
    assert _look(instance, None) == ("no run has finished since", {})
    run_id = a_run(instance, {"n": 1})
    words, cursor = _look(instance, None)
    assert (words, cursor["after"]) == ("MLflow is away", 0.0)
    assert _look(instance, cursor)[0].startswith("MLflow could not be reached a moment ago")
    words, cursor = _look(instance, {"after": 0.0})
    assert words == "1 runs recorded"
    instance.add_run_tags(run_id, {"mlflow/run_id": "x"})
    words, cursor = _look(instance, cursor)
    assert words == "no run of ours is unrecorded"


def test_the_sensor_is_content_when_only_runs_of_others_have_finished(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensors, "_track", lambda: pytest.fail("`cotline track` was called"))
    a_run(instance, {"n": 1}, tags={})
    words, cursor = _look(instance, None)
    assert words == "no run of ours is unrecorded"
    assert cursor["after"] > 0


def _look(instance: dg.DagsterInstance, cursor: dict[str, Any] | None) -> tuple[str, dict[str, Any]]:
    context = dg.build_sensor_context(instance, cursor=json.dumps(cursor) if cursor else None)
    reason = sensors.track_runs(context)
    assert isinstance(reason, dg.SkipReason)
    return reason.skip_message or "", json.loads(context.cursor or "{}")
