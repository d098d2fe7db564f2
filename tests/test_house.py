"""The three rooms and what they may know of each other."""

import ast
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from orchestration import code

ROOT = Path(__file__).resolve().parents[1]
ROOMS = {"assets": {"assets"}, "expectations": {"assets", "expectations"}, "orchestration": set()}
ROOMS["orchestration"] = {*ROOMS}
HEAVY = {"mlflow", "dvc", "great_expectations", "gradio", "torch", "transformers", "pandas", "matplotlib", "sklearn"}
HEAVY |= {"peft", "cv2", "rapidocr_onnxruntime", "onnxruntime"}


_NETWORKS = ("batches", "fitting", "learning", "mc_cot", "mm_cot", "mmr", "network", "reader", "t5_network")
NETWORKS = {f"assets/training/{name}.py" for name in _NETWORKS}
"""Modules whose classes are torch's own: they import it at their top, and are themselves imported inside functions."""


def modules(room: str) -> list[Path]:
    return sorted(path for path in (ROOT / room).rglob("*.py") if path.stat().st_size)


def imported(path: Path, everywhere: bool) -> set[str]:
    tree = ast.parse(path.read_bytes())
    nodes = list(ast.walk(tree)) if everywhere else _outside_functions(tree)
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name.split(".")[0] for name in names}


def _outside_functions(tree: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        found += [node, *_outside_functions(node)]
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_lies_below_it(room: str) -> None:
    for path in modules(room):
        strangers = imported(path, everywhere=True) & set(ROOMS) - ROOMS[room]
        assert not strangers, f"{path.relative_to(ROOT)} imports {strangers}"


@pytest.mark.parametrize("room", ROOMS)
def test_heavy_libraries_are_imported_inside_what_uses_them(room: str) -> None:
    for path in modules(room):
        if path.name == "warm.py":
            continue
        heavy = imported(path, everywhere=False) & HEAVY
        if path.relative_to(ROOT).as_posix() in NETWORKS:
            heavy -= {"torch"}
        assert not heavy, f"{path.relative_to(ROOT)} imports {heavy} at its top"


def test_networks_are_imported_at_the_top_by_each_other_alone() -> None:
    names = {name.removesuffix(".py").replace("/", ".") for name in NETWORKS}
    for path in modules("assets"):
        if path.relative_to(ROOT).as_posix() in NETWORKS:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        of = [node for node in _outside_functions(tree) if isinstance(node, ast.ImportFrom) and node.module]
        taken = {node.module for node in of} | {f"{node.module}.{one.name}" for node in of for one in node.names}
        assert not taken & names, f"{path.relative_to(ROOT)} imports {taken & names} at its top"


def test_dvc_is_called_and_never_imported() -> None:
    for room in ROOMS:
        for path in modules(room):
            # That one runs in DVC's own environment, as a part of it.
            if path.name != "dvc_memo.py":
                assert "dvc" not in imported(path, everywhere=True), path


def test_step_modules_know_no_engine() -> None:
    engines = {"dagster", "dvc", "mlflow", "great_expectations"}
    for path in modules("assets"):
        if path.name in {"defs.py", "asset.py"}:
            continue
        assert not imported(path, everywhere=True) & engines, path


def test_definitions_are_light() -> None:
    script = (
        "import sys, orchestration.definitions\n"
        f"print(sorted({{name.split('.')[0] for name in sys.modules}} & {HEAVY | {'scipy', 'openai'}!r}))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_other_distribution_brings_a_package_of_our_rooms_names() -> None:
    owners = importlib.metadata.packages_distributions()
    for room in ROOMS:
        assert set(owners.get(room, [])) <= {"cotline"}, room


def test_nothing_is_imported_by_name_where_the_closure_could_not_see_it() -> None:
    assert code.forbidden_imports() == []


def test_modules_fit_in_a_head() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in ROOT.glob("**/*.py")
        if not {".venv", ".venv-dvc", "var"} & set(path.relative_to(ROOT).parts)
        and (lines := len(path.read_bytes().splitlines())) > 400
    }
    assert long == {}
