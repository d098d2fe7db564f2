"""What is put into the page as text: nothing of it can become markup, a script or a style."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

_IN_JSON = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_SVG = frozenset(("svg", "g", "path", "rect", "circle", "use", "defs", "clipPath", "text", "tspan", "image", "line"))
"""Elements that figures are made of; any other one is left out with all that is in it."""

_UNSEEN = frozenset(("style", "metadata"))
_PLACE = re.compile(r"url\(#([^)]+)\)")


def text(value: Any) -> str:
    """`value` as text within an element or a quoted attribute."""
    return html.escape(str(value), quote=True)


def json_text(value: Any) -> str:
    """`value` as JSON that can stand within a script element, whatever its texts say.

    Raises:
        ValueError: a number is not finite.
    """
    plain = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda found: _IN_JSON[found.group()], plain)


def sample_place(benchmark: str, edition: str, sample_id: str, evaluation: str | None = None) -> str:
    """The fragment of a sample's address on the page, beside the replies to an evaluation where one is meant."""
    place = "#sample/" + "/".join(quote(part, safe="") for part in (benchmark, edition, sample_id))
    return place if evaluation is None else f"{place}?a={quote(evaluation, safe='')}"


def svg(figure: str, prefix: str, title: str) -> str:
    """An SVG figure as an element of the page: its ids begin with `prefix`, and `title` is its name for readers.

    Only elements and attributes that draw are kept; styles, scripts and links to elsewhere are not.

    Raises:
        ValueError: it is no SVG.
    """
    root = ElementTree.fromstring(figure)
    if _local(root.tag) != "svg":
        raise ValueError(f"a figure is a {_local(root.tag)}, not an svg")
    box = root.get("viewBox", "")
    inner = "".join(piece for child in root for piece in _element(child, prefix))
    wide = root.get("width", "").removesuffix("pt")
    width = f' style="width:{float(wide) * 4 / 3:.0f}px"' if re.fullmatch(r"[0-9.]+", wide) else ""
    return f'<svg role="img" aria-label="{text(title)}" viewBox="{text(box)}"{width}>{inner}</svg>'


def _element(node: ElementTree.Element, prefix: str) -> Iterator[str]:
    name = _local(node.tag) if isinstance(node.tag, str) else ""
    if name not in _SVG or name in _UNSEEN:
        return
    yield f"<{name}"
    for key, value in node.attrib.items():
        kept = _attribute(_local(key), value, prefix)
        if kept is not None:
            yield f' {_local(key)}="{text(kept)}"'
    yield ">"
    if node.text and node.text.strip():
        yield text(node.text)
    for child in node:
        yield from _element(child, prefix)
        if child.tail and child.tail.strip():
            yield text(child.tail)
    yield f"</{name}>"


def _attribute(name: str, value: str, prefix: str) -> str | None:
    """The attribute's value on the page; None where it is left out."""
    if name.startswith("on") or name == "space":
        return None
    if name == "href":
        if value.startswith("#"):
            return f"#{prefix}{value[1:]}"
        return value if value.startswith("data:image/png;base64,") else None
    if name == "id":
        return f"{prefix}{value}"
    within = _PLACE.sub(lambda found: f"url(#{prefix}{found.group(1)})", value)
    return None if re.search(r"url\((?!#)|@import|expression", within) else within


def _local(name: str) -> str:
    return name.rpartition("}")[2]
