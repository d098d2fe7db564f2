"""`cotline profile NAME`: params.yaml = the default merged with an overlay, and dvc.yaml to match."""

import hashlib
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

import yaml

from assets import params
from assets.schema.faults import Fault
from orchestration import storage

PROFILES = params.ROOT / "profiles"
KEPT = params.ROOT / "var" / "params"
HEADER = "# Profile {name}: written by `cotline profile {name}` from profiles/{sources}.\n"


class _Only(dict[str, Any]):
    """A mapping that stands in an overlay as `!only {{…}}`: it replaces the default's instead of joining it."""


class _Loader(yaml.SafeLoader):
    """Reads overlays, where `!only` marks a mapping that replaces."""


def _only(loader: yaml.SafeLoader, node: yaml.Node) -> _Only:
    if not isinstance(node, yaml.MappingNode):
        raise params.ParamsError(f"profile: !only marks a mapping, line {node.start_mark.line + 1} has none")
    return _Only({str(key): value for key, value in loader.construct_mapping(node, deep=True).items()})


_Loader.add_constructor("!only", _only)


class _Dumper(yaml.SafeDumper):
    """Quotes a text that DVC would read as a number, such as '1e-4'."""


_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", params.NUMBER_FOR_DVC, list("-+.0123456789"))


class UnknownProfile(Fault):
    """There is no such profile; the message lists those there are."""


def names() -> list[str]:
    """The profiles that there are."""
    return sorted(path.stem for path in PROFILES.glob("*.yaml"))


def text(name: str) -> str:
    """What params.yaml holds in profile `name`.

    Raises:
        UnknownProfile: no file of that name lies in profiles/.
        ParamsError: the merged settings cannot be.
    """
    if name not in names():
        raise UnknownProfile(f"profile {name!r}: there is none; there are {', '.join(names())}")
    default = (PROFILES / "default.yaml").read_text(encoding="utf-8")
    if name == "default":
        content = HEADER.format(name=name, sources="default.yaml") + default
    else:
        overlay = params.read((PROFILES / f"{name}.yaml").read_text("utf-8"), f"profiles/{name}.yaml", _Loader)
        merged = _merged(params.parse(default, "profiles/default.yaml"), overlay or {})
        content = HEADER.format(name=name, sources=f"default.yaml and profiles/{name}.yaml") + yaml.dump(
            merged, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True
        )
    params.validate(params.parse(content, f"profile {name}"), f"profile {name}")
    return content


def current() -> str:
    """The profile that params.yaml was written from, with a word where it has been edited since."""
    try:
        content = params.PARAMS.read_text(encoding="utf-8")
    except FileNotFoundError:
        return "none"
    for name in names():
        if content.startswith(HEADER.format(name=name, sources="").split(" from ")[0]):
            return name if content == text(name) else f"{name}, edited"
    return "your own"


def write(name: str) -> Path | None:
    """Write params.yaml of profile `name`; where an edited one was replaced, the copy that was kept comes out."""
    content, kept = text(name), None
    if current().endswith("edited") or current() == "your own":
        old = params.PARAMS.read_bytes()
        kept = KEPT / f"{hashlib.md5(old).hexdigest()[:12]}.yaml"
        storage.write_bytes(old, kept)
    storage.write_bytes(content.encode(), params.PARAMS)
    return kept


def _merged(base: Any, overlay: Any) -> Any:
    if isinstance(overlay, _Only):
        return dict(overlay)
    if not (isinstance(base, dict) and isinstance(overlay, dict)):
        return overlay
    return {**base, **{key: _merged(base.get(key, {}), value) for key, value in overlay.items()}}


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of `cotline profile`."""
    parser.add_argument("name", nargs="?", help="the profile to write; without it the profiles are listed")


def run(arguments: Namespace) -> int:
    """`cotline profile`: 0."""
    if arguments.name is None:
        print(f"params.yaml: {current()}; profiles: {', '.join(names())}")
        return 0
    kept = write(arguments.name)
    if kept is not None:
        print(f"params.yaml had been edited: the old one is kept as {storage.relative(kept)}")
    from orchestration.definitions import graph
    from orchestration.projection import write as write_dvc_yaml

    write_dvc_yaml(graph())
    print(f"params.yaml and dvc.yaml: profile {arguments.name}, {len(params.load().evaluations)} evaluations")
    return 0
