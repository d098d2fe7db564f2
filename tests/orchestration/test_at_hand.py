"""The project's definitions in the warm process: imported once, and never other than its files are.

A module that is changed here gets another length: Python's own cache of bytecode knows a file by its length and second.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.orchestration.warm_project import CLI, Project, project_in

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the warm start is asked for by hand elsewhere")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with project_in(tmp_path) as made:
        yield made


DEFINITIONS = """
with open("imported", "a") as imported:
    imported.write("once\\n")
WORD = 1

def ready():
    return None
"""
USING = CLI.replace(
    "return int(rest[0])", "from orchestration import definitions; return definitions.WORD + int(rest[0])"
)


@pytest.fixture
def defined(project: Project) -> Project:
    """The project with definitions, whose imports are counted."""
    (project.root / "orchestration" / "cli.py").write_text(USING)
    (project.root / "orchestration" / "definitions.py").write_text(DEFINITIONS)
    return project


def imports(project: Project) -> int:
    return len((project.root / "imported").read_text().splitlines())


def test_the_definitions_are_imported_once_for_all_stages(defined: Project) -> None:
    assert [defined.run("materialize", "exit", "1")[0] for _ in range(3)] == [2, 2, 2]
    assert imports(defined) == 1


@pytest.mark.parametrize("name", ["orchestration/definitions.py", "params.yaml", "assets/new.csv"])
def test_the_definitions_are_imported_anew_when_a_file_has_changed(defined: Project, name: str) -> None:
    assert defined.run("materialize", "exit", "1")[0] == 2
    path = defined.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(DEFINITIONS.replace("WORD = 1", "WORD = 1 + 3") if path.suffix == ".py" else "more")
    assert defined.run("materialize", "exit", "1")[0] == (5 if path.suffix == ".py" else 2)
    assert imports(defined) == 2


def test_definitions_that_cannot_be_imported_are_the_stages_fault_and_mended_ones_are_taken(defined: Project) -> None:
    path = defined.root / "orchestration" / "definitions.py"
    path.write_text(DEFINITIONS + "WORD = 1 / 0\n")
    status, _, err = defined.run("materialize", "exit", "1")
    assert (status, err.splitlines()[-1]) == (1, "ZeroDivisionError: division by zero")
    path.write_text(DEFINITIONS.replace("WORD = 1", "WORD = 3 + 4"))
    assert defined.run("materialize", "exit", "1")[0] == 8
    assert len(defined.servers()) == 1


def test_a_stage_of_another_folder_imports_its_own(defined: Project, tmp_path: Path) -> None:
    assert defined.run("materialize", "exit", "1")[0] == 2
    other = tmp_path / "other"
    shutil.copytree(defined.root / "orchestration", other / "orchestration")
    (other / "orchestration" / "definitions.py").write_text(DEFINITIONS.replace("WORD = 1", "WORD = 10 - 1"))
    run = [sys.executable, "-m", "orchestration", "materialize", "exit", "1"]
    done = subprocess.run(run, cwd=other, env=defined.environment, check=False, timeout=30)
    assert done.returncode == 10


def test_a_project_without_definitions_takes_none_of_another_checkout(project: Project) -> None:
    process, _, server = project.waiting()
    loaded = Path(f"/proc/{server}/maps").read_text()
    (project.root / "go").touch()
    assert process.wait(timeout=15) == 5
    assert "pyarrow" not in loaded
