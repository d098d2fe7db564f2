"""One setting of evaluations changed in the text of params.yaml, comments and layout kept."""

from collections.abc import Mapping
from typing import Any

import yaml

from assets import params
from assets.schema.faults import Fault


def with_askings(text: str, askings: Mapping[str, str]) -> str:
    """The text of params.yaml with `asking` of these evaluations set.

    Raises:
        Fault: an evaluation is not there, or is written in a way that cannot be edited without touching others.
    """
    wanted = params.parse(text)
    for name, asking in askings.items():
        if name not in (wanted.get("evaluations") or {}):
            raise Fault(f"evaluations.{name}: params.yaml has no such evaluation")
        wanted["evaluations"][name] = wanted["evaluations"][name] | {"asking": asking}
    edited = text
    for name, asking in askings.items():
        edited = _edited(edited, name, asking)
    # An anchor, or a merge of another entry, would carry the change elsewhere.
    if params.parse(edited) != wanted:
        names = ", ".join(f"evaluations.{name}.asking: {asking}" for name, asking in askings.items())
        raise Fault(f"params.yaml: cannot be edited without changing other entries: write by hand {names}")
    return edited


def _edited(text: str, name: str, asking: str) -> str:
    entry = _value(_value(yaml.compose(text, Loader=yaml.SafeLoader), "evaluations"), name)
    if not isinstance(entry, yaml.MappingNode) or not entry.value:
        raise Fault(f"evaluations.{name}: is no mapping in params.yaml")
    there = _value(entry, "asking")
    if there is not None:
        return text[: there.start_mark.index] + asking + text[there.end_mark.index :]
    if entry.flow_style:
        last = entry.value[-1][1].end_mark.index
        return f"{text[:last]}, asking: {asking}{text[last:]}"
    end = text.find("\n", _end(entry))
    end = len(text) if end == -1 else end
    return f"{text[:end]}\n{' ' * entry.value[0][0].start_mark.column}asking: {asking}{text[end:]}"


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if name.value == key), None)


def _end(node: Any) -> int:
    """Where the last word of a block ends: its own end mark lies behind the comments that follow it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(node, yaml.MappingNode) else last)
    return int(node.end_mark.index)
