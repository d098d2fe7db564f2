"""The README's quick commands, run as they stand, in a checkout where everything has been made."""

import re
import shlex
from pathlib import Path

import pytest

from tests.orchestration.conftest import ROOT, Project, make_project, needs_dvc

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"^```sh\n(.*?)^```", README, re.M | re.S) for line in block.splitlines()]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = make_project(tmp_path_factory.mktemp("checkout"), ["lively_direct", "lively_cot", "closing_direct"])
    project.good(project.cotline("materialize", "--all"))
    project.good(project.cotline("record"))
    return project


@needs_dvc
@pytest.mark.parametrize("line", COMMANDS)
def test_a_quick_command_of_the_readme_works(made: Project, line: str) -> None:
    assert line.startswith(".venv/bin/"), "a quick command names its program, so that it works in any shell"
    program, *arguments = shlex.split(line)
    done = {"cotline": made.cotline, "dvc": made.dvc}[Path(program).name](*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_the_readme_names_the_two_commands_and_its_pictures_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^    make (\w+)", README, re.M):
        assert f"\n{target}:" in makefile
    for picture in re.findall(r"!\[[^]]+\]\(([^)]+)\)", README):
        assert (ROOT / picture).is_file()
