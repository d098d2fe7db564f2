"""Nights in MLflow: an experiment of their own, and names that are the same every night."""

from pathlib import Path
from typing import Any

import pytest

from assets.settings import Tracking
from orchestration.tracking import Tracked, track
from tests.orchestration.nightly_house import House, house  # noqa: F401 (fixture)
from tests.orchestration.tracking_store import OURS, a_run, client

SETTINGS = Tracking(uri=None, experiment="cotline")


@pytest.fixture
def nights(house: House, folder: Path) -> House:  # noqa: F811
    """Two nights, of which the second moved and could not ask one, recorded beside a run that is none."""
    for day, right in (("2025-01-13", {"beta": 16}), ("2025-01-14", {"alpha": 6, "beta": "connection refused"})):
        house.night(day, tags=OURS, **right)
    a_run(house.instance, {"n": 1})
    assert track(house.instance, SETTINGS, folder=folder) == Tracked(3, 0, 0, 0)
    return house


def recorded(folder: Path, experiment: str) -> dict[str, Any]:
    there = client(folder)
    found = there.get_experiment_by_name(experiment)
    return {run.info.run_name: run for run in there.search_runs([found.experiment_id])}


def test_nights_are_runs_of_their_own_experiment_with_the_same_metrics_each_night(nights: House, folder: Path) -> None:
    assert set(recorded(folder, "cotline")) == {"scores/table"}
    found = recorded(folder, "cotline-nightly")
    assert set(found) == {"night 2025-01-13", "night 2025-01-14"}
    first, second = found["night 2025-01-13"], found["night 2025-01-14"]
    assert first.data.tags["dagster/partition"] == "2025-01-13"
    assert first.data.metrics["scores/accuracy/alpha"] == 0.8
    assert first.data.metrics["scores/accuracy/beta"] == 0.8
    assert first.data.metrics["check/changes/unchanged"] == 1.0
    assert "changes/p/alpha" not in first.data.metrics
    # 10 samples right before only: p = 2 * 2^-10; one evaluation was compared, so that nothing is corrected
    assert second.data.metrics["scores/accuracy/alpha"] == 0.3
    assert second.data.metrics["changes/difference/alpha"] == -0.5
    assert second.data.metrics["changes/p/alpha"] == 0.001953125
    assert (second.data.metrics["check/changes/unchanged"], second.data.metrics["check/predictions/asked"]) == (0, 0)
    assert "connection refused" in second.data.tags["check/predictions/asked"]
    assert "scores/accuracy/beta" not in second.data.metrics
    assert not any("2025" in name for name in (*first.data.metrics, *second.data.metrics))
    # Recorded once, as every run.
    assert track(nights.instance, SETTINGS, folder=folder) == Tracked(0, 0, 0, 0)
