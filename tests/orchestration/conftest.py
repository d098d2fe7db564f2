"""A small checkout to run whole commands in: the project's own files, sixty generated items, four evaluations."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.orchestration.tracking_store import folder, instance, new_store  # noqa: F401 (fixtures)

ROOT = Path(__file__).resolve().parents[2]
CODE = ("assets", "expectations", "orchestration", "profiles", "pyproject.toml", ".dvcignore", "data/annotations")
DVC = Path(sys.executable).with_name("dvc")

needs_dvc = pytest.mark.skipif(not DVC.exists(), reason="no dvc beside this Python: `make setup` puts it there")

UPSTREAMS = {
    **{"scienceqa": 120, "math": 60, "tabmwp": 30, "kilogram": 20, "sherlock": 120},
    **{"geoqa": 40, "jhu_crowd": 40, "spot_diff": 20, "judged_chains": 14},
}
ASKED = "guessing_m3cot"
OWN_REPLIES = '{"id": "%s", "messages": ["Which one?", "The answer is (A)."]}\n'


def environment(**settings: str) -> dict[str, str]:
    """This process's environment without what would lead a command to another checkout, and without MLflow."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("DAGSTER_", "DVC_"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # The warm process of a checkout serves its commands and its stages alike, and ends soon after them.
    ours = {"COTLINE_TRACK": "0", "COTLINE_WARM": "1", "COTLINE_WARM_IDLE_S": "15", "DVC_NO_ANALYTICS": "1"}
    return {**inherited, "PATH": path, **ours, **settings}


@dataclass(frozen=True)
class Project:
    """A checkout in a folder of its own."""

    root: Path

    def call(self, *command: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """What a command of this checkout did; it never talks to MLflow unless asked."""
        return subprocess.run(
            command, cwd=self.root, env=environment(**settings), capture_output=True, text=True, check=False
        )

    def cotline(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """`cotline` with these arguments."""
        return self.call(sys.executable, "-m", "orchestration", *arguments, **settings)

    def dvc(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """`dvc` with these arguments."""
        return self.call(str(DVC), *arguments, **settings)

    def good(self, done: subprocess.CompletedProcess[str]) -> str:
        """What a command printed that has to succeed."""
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def stale(self) -> tuple[set[str], set[str]]:
        """The stale stages as Dagster and as DVC say."""
        lines = self.cotline("status").stdout.splitlines()
        middle = next(place for place, line in enumerate(lines) if line.startswith("DVC:"))
        names = [line.strip().partition(":")[0] if line.startswith("  ") else "" for line in lines]
        return set(names[:middle]) - {""}, set(names[middle:]) - {""}

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace one text that occurs once in a file."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name}: {old!r} occurs {text.count(old)} times"
        path.write_text(text.replace(old, new), encoding="utf-8")


def small_params(names: Sequence[str]) -> dict[str, object]:
    tree = yaml.safe_load((ROOT / "profiles/default.yaml").read_text(encoding="utf-8"))
    generated = tree["sources"]["generated_released"]
    generated["items"] = 60
    generated["comt_items"] = 40
    generated["comt_replies"] = {"sketcher_cot": generated["comt_replies"]["sketcher_cot"]}
    tree["sources"]["generated_upstreams"] |= UPSTREAMS
    tree["comt"]["update"]["most_per_tangram"] = 1
    tree["analysis"]["rationales"] |= {"sample": 1, "modes": ["sane"]}
    tree["analysis"]["coverage"]["sample"] = 3
    tree["m3cot"]["science"] |= {"maps": 14, "sparse": 3, "most_new": 1}
    generated["replies"] = {name: generated["replies"][name] for name in names}
    tree["evaluations"] = {name: tree["evaluations"][name] for name in (*names, ASKED)}
    tree["evaluations"][ASKED]["live"] = True
    tree["trainings"] = {}
    del tree["models"]["small"]
    tree["models"]["own"] = {"kind": "replay", "published": "gpt4v"}
    tree["evaluations"]["own_direct"] = {
        **tree["evaluations"][names[0]],
        "model": "own",
        "replies": "own/replies.jsonl",
    }
    return tree


def make_project(root: Path, names: Sequence[str] = ("lively_direct", "brief_cot")) -> Project:
    """A checkout in `root` with these of the default's evaluations and one of an own file, nothing made yet."""
    for name in CODE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, root / name)
    (root / "params.yaml").write_text(yaml.safe_dump(small_params(names), sort_keys=False), encoding="utf-8")
    (root / "own").mkdir()
    (root / "own/replies.jsonl").write_text(OWN_REPLIES % "no-such-item-1", encoding="utf-8")
    project = Project(root)
    project.good(project.dvc("init", "--no-scm", "-q"))
    project.good(project.cotline("dvc"))
    return project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout where nothing has been made yet, shared by the tests of a module, which run in their order."""
    return make_project(tmp_path_factory.mktemp("checkout"))
