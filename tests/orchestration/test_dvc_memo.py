"""What DVC parses and writes through the memory is what it parses and writes without."""

import io
from types import SimpleNamespace
from typing import Any

import pytest

from orchestration.dvc_memo import remember


class Counted:
    """Stands for DVC's module: a parser that counts its work, and a writer."""

    def __init__(self) -> None:
        self.parsed: list[tuple[str, str]] = []
        self.module: Any = SimpleNamespace(parse_yaml=self._parse, _dump=self._write)
        remember(self.module)

    def _parse(self, text: str, path: str, typ: str = "safe") -> dict[str, Any]:
        self.parsed.append((typ, text))
        return {"text": text, "inner": []}

    def _write(self, data: dict[str, Any], stream: io.StringIO) -> None:
        stream.write(data["text"] + "!")


@pytest.fixture
def counted() -> Counted:
    return Counted()


def test_a_text_is_parsed_once_and_what_one_reader_changes_no_other_sees(counted: Counted) -> None:
    first = counted.module.parse_yaml("a", "dvc.lock")
    first["inner"].append(1)
    assert counted.module.parse_yaml("a", "dvc.lock") == {"text": "a", "inner": []}
    assert counted.parsed == [("safe", "a")]


def test_what_was_written_last_is_not_parsed_again_for_the_next_change(counted: Counted) -> None:
    data = counted.module.parse_yaml("a", "dvc.lock", typ="rt")
    stream = io.StringIO()
    counted.module._dump(data, stream)
    assert stream.getvalue() == "a!"
    assert counted.module.parse_yaml("a!", "dvc.lock", typ="rt") is data
    assert counted.parsed == [("rt", "a")]


def test_a_file_that_somebody_else_changed_is_parsed(counted: Counted) -> None:
    counted.module._dump(counted.module.parse_yaml("a", "dvc.lock", typ="rt"), io.StringIO())
    assert counted.module.parse_yaml("b", "dvc.lock", typ="rt")["text"] == "b"
    assert counted.parsed == [("rt", "a"), ("rt", "b")]


def test_what_is_handed_out_for_a_change_is_handed_out_once(counted: Counted) -> None:
    data = counted.module.parse_yaml("a", "dvc.lock", typ="rt")
    counted.module._dump(data, io.StringIO())
    assert counted.module.parse_yaml("a!", "dvc.lock", typ="rt") is data
    assert counted.module.parse_yaml("a!", "dvc.lock", typ="rt") is not data
