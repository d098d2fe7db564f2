from pathlib import Path

import pytest

from assets import params
from orchestration import code


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "assets/__init__.py": "",
        "assets/schema/__init__.py": "",
        "assets/schema/tables.py": "TABLES = {}\n",
        "assets/schema/sample.py": "LETTERS = 'AB'\n",
        "assets/steps.py": "import json\n",
        "assets/loud/__init__.py": "LOUD = True\n",
        "assets/loud/voice.py": "from assets import steps\nFILES = ('words.txt',)\n",
        "assets/loud/words.txt": "hello\n",
        "assets/loud/inner.py": "def f():\n    from . import voice\n",
        "assets/loud/typed.py": (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from assets.steps import x\n"
        ),
        "expectations/__init__.py": "",
        "expectations/loud.py": "import expectations.common.suite\n",
        "expectations/common/__init__.py": "",
        "expectations/common/suite.py": "A = 1\n",
        "expectations/common/flows.py": "from expectations.common import suite\n",
        "expectations/common/pictures.py": "C = 1\n",
        "expectations/common/samples.py": "D = 1\n",
        "orchestration/storage.py": "B = 1\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(params, "ROOT", tmp_path)
    return tmp_path


def names(*modules: str) -> list[str]:
    return [path.as_posix() for path in code.closure(*modules)]


def test_a_step_brings_what_it_imports_its_package_and_its_data_files(tree: Path) -> None:
    assert names("assets.loud.voice") == [
        "assets/loud/__init__.py",
        "assets/loud/voice.py",
        "assets/loud/words.txt",
        "assets/steps.py",
    ]


def test_imports_within_functions_and_relative_ones_count(tree: Path) -> None:
    assert "assets/steps.py" in names("assets.loud.inner")
    assert "assets/loud/voice.py" in names("assets.loud.inner")


def test_imports_for_types_only_count(tree: Path) -> None:
    assert "assets/steps.py" in names("assets.loud.typed")


def test_an_asset_is_its_step_its_suite_the_tables_and_storage(tree: Path) -> None:
    assert [path.as_posix() for path in code.asset_code(["assets.steps"], "loud")] == [
        "assets/schema/sample.py",
        "assets/schema/tables.py",
        "assets/steps.py",
        "expectations/common/flows.py",
        "expectations/common/pictures.py",
        "expectations/common/samples.py",
        "expectations/common/suite.py",
        "expectations/loud.py",
        "orchestration/storage.py",
    ]


def dependencies(*modules: str) -> list[str]:
    return [path.as_posix() for path in code.dependencies(code.asset_code(modules, "loud"))]


def test_a_folder_that_is_in_it_whole_stands_for_its_files(tree: Path) -> None:
    assert dependencies("assets.steps") == [
        "assets/schema",
        "assets/steps.py",
        "expectations/common",
        "expectations/loud.py",
        "orchestration/storage.py",
    ]


def test_a_folder_with_a_module_that_is_not_in_it_does_not(tree: Path) -> None:
    (tree / "expectations/common/rules.py").write_text("E = 1\n")
    assert "expectations/common" not in dependencies("assets.steps")
    assert "expectations/common/suite.py" in dependencies("assets.steps")


def test_what_is_no_module_beside_them_changes_nothing(tree: Path) -> None:
    (tree / "assets/schema/notes.txt").write_text("a remark\n")
    (tree / "assets/schema/__pycache__").mkdir()
    assert "assets/schema" in dependencies("assets.steps")


def test_the_imports_of_every_module_are_found_as_a_whole_parse_finds_them() -> None:
    import ast

    for package in code.PACKAGES:
        for file in sorted((params.ROOT / package).rglob("*.py")):
            source = file.read_text(encoding="utf-8")
            within = ".".join(file.relative_to(params.ROOT).parent.parts)
            whole, quick = (
                {
                    name
                    for node in ast.walk(tree)
                    for name in code._imported(node, within)
                    if name.split(".")[0] in code.PACKAGES
                }
                for tree in (ast.parse(source), code._statements(source))
            )
            assert quick == whole, file


@pytest.mark.parametrize("name", ["assets/loud/words.txt", "expectations/common/suite.py", "orchestration/storage.py"])
def test_a_comment_in_any_file_of_it_changes_the_digest(tree: Path, name: str) -> None:
    before = code.code_digest(["assets.loud.voice"], "loud")
    (tree / name).write_text((tree / name).read_text() + "# a comment\n")
    assert code.code_digest(["assets.loud.voice"], "loud") != before


def test_a_file_outside_it_does_not_change_the_digest(tree: Path) -> None:
    before = code.code_digest(["assets.steps"], "loud")
    (tree / "assets/loud/words.txt").write_text("other\n")
    assert code.code_digest(["assets.steps"], "loud") == before


def test_a_new_import_is_seen_within_the_process(tree: Path) -> None:
    import os

    step = tree / "assets/steps.py"
    before = names("assets.steps")
    step.write_text("from assets import loud\n")
    os.utime(step, ns=(0, step.stat().st_mtime_ns + 1_000_000))
    assert names("assets.steps") == sorted({*before, "assets/loud/__init__.py"})


@pytest.mark.parametrize("line", ["importlib.import_module('x')", "__import__('x')", "exec('import x')"])
def test_importing_by_name_is_found(tree: Path, line: str) -> None:
    (tree / "assets/steps.py").write_text(f"import importlib\n{line}\n")
    assert code.forbidden_imports() == ["assets/steps.py:2"]
