from typing import Any

from assets.comt.account import descriptions
from assets.schema.tables import as_table


def tangram(name: str, described: int | None, dropped: str | None = None) -> dict[str, Any]:
    """A tangram with as many descriptions."""
    told = None if described is None else [{"annotator": "w", "whole": "a", "parts": [], "groups": []}] * described
    return {
        "id": name,
        "width": 1.0,
        "height": 1.0,
        "pieces": [],
        "descriptions": told,
        "source": "kilogram",
        "provenance": "released",
        "dropped": dropped,
        "quarantined": None,
    }


def test_a_tangram_counts_once_a_description_and_once_without_any() -> None:
    table = as_table("tangram", [tangram("a", 3), tangram("b", 0), tangram("c", None), tangram("d", 2, "not_xml")])
    assert descriptions.of_tangrams(table)["id"].to_pylist() == ["a", "a", "a", "b", "c", "d"]
