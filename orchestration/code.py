"""The code that an asset really is: the project modules that its step imports, found from their source."""

import ast
import functools
import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from assets import params

PACKAGES = ("assets", "expectations")
STORAGE = Path("orchestration/storage.py")
CACHE = "__pycache__"
_IMPORT_OR_FILES = re.compile(
    r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([^)]*\)|(?:[^\n\\]|\\\n)*)|import[ \t]+(?:[^\n\\]|\\\n)*)"
    r"|^FILES[ \t]*=[ \t]*\([^)]*\)",
    re.MULTILINE,
)
EVERYWHERE = (
    "assets.schema.sample",
    "assets.schema.tables",
    "expectations.common.flows",
    "expectations.common.pictures",
    "expectations.common.samples",
)
"""With what they import: all of what every asset's tables and checks are written with."""


def closure(*modules: str) -> tuple[Path, ...]:
    """The files behind `modules` and all project modules that they import, relative to the root, sorted.

    Imports inside functions and under TYPE_CHECKING count; empty `__init__.py` files do not. A module's data
    files count too: it lists them in a literal `FILES = (…)`, relative to its own folder.
    """
    found: dict[str, _Module | None] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        module = found[name] = _module(name)
        if module is not None:
            waiting += [*module.imports, *([name.rpartition(".")[0]] if "." in name else [])]
    files = {path for module in found.values() if module for path in (module.file, *module.data_files)}
    return tuple(sorted(path.relative_to(params.ROOT) for path in files if path.stat().st_size))


def asset_code(steps: Sequence[str], group: str) -> tuple[Path, ...]:
    """The files whose bytes make an asset of `group` with these step modules: steps, suite, tables and storage."""
    return tuple(sorted({*closure(*steps, f"expectations.{group}", *EVERYWHERE), STORAGE}))


def dependencies(files: Sequence[Path]) -> tuple[Path, ...]:
    """The same files as few paths: a folder that is in it whole stands for its files. Relative to the root, sorted.

    DVC writes every path of every stage anew after each stage that it runs.
    """
    found = set(files)
    for folder in sorted({parent for file in files for parent in file.parents}, key=lambda folder: -len(folder.parts)):
        below = _contents(folder, found) if len(folder.parts) > 1 else None
        if below and below <= found:
            found = (found - below) | {folder}
    return tuple(sorted(found))


def _contents(folder: Path, found: Collection[Path]) -> set[Path]:
    """The modules in a folder but the empty ones, what of it was found, and its folders where they hold any."""
    listed = ((path, path.relative_to(params.ROOT)) for path in (params.ROOT / folder).iterdir() if path.name != CACHE)
    return {
        place
        for path, place in listed
        if place in found
        or (_contents(place, found) if path.is_dir() else path.suffix == ".py" and path.stat().st_size)
    }


def code_digest(steps: Sequence[str], group: str) -> str:
    """A digest over the names and bytes of an asset's code; a comment changes it, as it does DVC's."""
    digest = hashlib.md5()
    for path in asset_code(steps, group):
        digest.update(f"{path.as_posix()}\0".encode() + hashlib.md5((params.ROOT / path).read_bytes()).digest())
    return digest.hexdigest()


def forbidden_imports() -> list[str]:
    """Places that import by name at run time, which the closure could not see: `file:line`."""
    found = []
    for path in sorted(path for package in PACKAGES for path in (params.ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Call):
                continue
            # A network's `eval` is no more than a name.
            method = node.func.attr if isinstance(node.func, ast.Attribute) else None
            if method in {"import_module", "run_module", "run_path"} or getattr(node.func, "id", None) in {
                *("import_module", "run_module", "run_path"),
                *("__import__", "exec", "eval"),
            }:
                found.append(f"{path.relative_to(params.ROOT).as_posix()}:{node.lineno}")
    return found


@dataclass(frozen=True)
class _Module:
    """What the closure needs of one module: its file, the names that it imports, its data files."""

    file: Path
    imports: frozenset[str]
    data_files: tuple[Path, ...]


def _module(name: str) -> _Module | None:
    if name.split(".")[0] not in PACKAGES:
        return None
    base = params.ROOT.joinpath(*name.split("."))
    for file in (base.with_suffix(".py"), base / "__init__.py"):
        try:
            return _parsed(name, file, file.stat().st_mtime_ns)
        except (FileNotFoundError, NotADirectoryError):
            continue
    return None


@functools.lru_cache(maxsize=1024)
def _parsed(name: str, file: Path, changed: int) -> _Module:
    """The module as its source says; `changed` is the file's time, so that another one is read again."""
    tree = _statements(file.read_text(encoding="utf-8"))
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    imports = frozenset(found for node in ast.walk(tree) for found in _imported(node, package))
    return _Module(
        file, frozenset(found for found in imports if found.split(".")[0] in PACKAGES), _data_files(tree, file)
    )


def _statements(source: str) -> ast.Module:
    """The imports of a source, wherever they stand, and its `FILES`: parsed alone, in a fifth of the time.

    Words of a text that look like an import may be among them: then the whole is parsed, and says what they are.
    """
    found = "\n".join(match.group().strip() for match in _IMPORT_OR_FILES.finditer(source))
    try:
        return ast.parse(found)
    except SyntaxError:
        return ast.parse(source)


def _imported(node: ast.AST, package: str) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if not isinstance(node, ast.ImportFrom):
        return set()
    base = node.module or ""
    if node.level:
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, *([node.module] if node.module else [])])
    # What is imported from a package may be a module of it; a name that is none is passed over by the closure.
    return {base, *(f"{base}.{alias.name}" for alias in node.names)}


def _data_files(tree: ast.Module, file: Path) -> tuple[Path, ...]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "FILES" for target in node.targets
        ):
            return tuple(file.parent / name for name in ast.literal_eval(node.value))
    return ()
