"""What DVC parses and writes through the memory is what it parses and writes without."""

import io
import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from assets.params import ROOT
from orchestration.dvc_memo import remember


class Counted:
    """Stands for DVC's module: a parser that counts its work, and a writer."""

    def __init__(self) -> None:
        self.parsed: list[tuple[str, str]] = []
        self.written: list[dict[str, Any]] = []
        self.module: Any = SimpleNamespace(parse_yaml=self._parse, _dump=self._write)
        remember(self.module)

    def _parse(self, text: str, path: str, typ: str = "safe") -> dict[str, Any]:
        self.parsed.append((typ, text))
        return {"text": text, "inner": []}

    def _write(self, data: dict[str, Any], stream: io.StringIO) -> None:
        self.written.append(data)
        if "text" in data:
            stream.write(data["text"] + "!")
        for key in ("schema", "stages"):
            if key not in data:
                continue
            inner = data[key] if key == "stages" else {}
            stream.write("".join([f"{key}:\n", *(f"  {name}: {value}\n" for name, value in inner.items())]))


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


def test_a_run_that_goes_to_the_run_cache_in_between_makes_nobody_parse_again(counted: Counted) -> None:
    data = counted.module.parse_yaml("a", "dvc.lock", typ="rt")
    for number in range(3):
        counted.module._dump(data, io.StringIO())
        counted.module._dump({"text": f"run {number}"}, io.StringIO())
        assert counted.module.parse_yaml("a!", "dvc.lock", typ="rt") is data
    assert counted.parsed == [("rt", "a")]


def test_no_more_than_two_texts_are_held(counted: Counted) -> None:
    first = counted.module.parse_yaml("a", "dvc.lock", typ="rt")
    for text in ("a", "b", "c"):
        counted.module._dump(first if text == "a" else {"text": text}, io.StringIO())
    assert counted.module.parse_yaml("a!", "dvc.lock", typ="rt") is not first


def test_a_file_that_somebody_else_changed_is_parsed(counted: Counted) -> None:
    counted.module._dump(counted.module.parse_yaml("a", "dvc.lock", typ="rt"), io.StringIO())
    assert counted.module.parse_yaml("b", "dvc.lock", typ="rt")["text"] == "b"
    assert counted.parsed == [("rt", "a"), ("rt", "b")]


def test_what_is_handed_out_for_a_change_is_handed_out_once(counted: Counted) -> None:
    data = counted.module.parse_yaml("a", "dvc.lock", typ="rt")
    counted.module._dump(data, io.StringIO())
    assert counted.module.parse_yaml("a!", "dvc.lock", typ="rt") is data
    assert counted.module.parse_yaml("a!", "dvc.lock", typ="rt") is not data


def dumped(counted: Counted, data: dict[str, Any]) -> str:
    stream = io.StringIO()
    counted.module._dump(data, stream)
    return stream.getvalue()


def test_of_a_lock_only_the_entries_that_changed_are_written_anew(counted: Counted) -> None:
    lock = {"schema": "2.0", "stages": {"a": {"md5": "1"}, "b": {"md5": "2"}}}
    assert dumped(counted, lock) == "schema:\nstages:\n  a: {'md5': '1'}\n  b: {'md5': '2'}\n"
    counted.written.clear()
    lock["stages"]["b"] = {"md5": "3"}  # type: ignore[index]
    assert dumped(counted, lock) == "schema:\nstages:\n  a: {'md5': '1'}\n  b: {'md5': '3'}\n"
    assert counted.written == [{"schema": "2.0"}, {"stages": {"b": {"md5": "3"}}}]


def test_where_entries_together_are_not_the_whole_the_whole_is_written_always(counted: Counted) -> None:
    class Commented(dict[str, Any]):
        """Entries with a comment, which the whole has and no entry alone."""

    write = counted._write

    def commenting(data: dict[str, Any], stream: io.StringIO) -> None:
        stream.write("# by hand\n" if isinstance(data, Commented) else "")
        write(data, stream)

    module = SimpleNamespace(parse_yaml=counted._parse, _dump=commenting)
    remember(module)
    lock = Commented(schema="2.0", stages={"a": 1})
    for _ in range(2):
        stream = io.StringIO()
        module._dump(lock, stream)
        assert stream.getvalue() == "# by hand\nschema:\nstages:\n  a: 1\n"


@pytest.mark.skipif(not (ROOT / ".venv-dvc" / "bin" / "python").exists(), reason="DVC's environment is not made here")
def test_the_lock_of_this_checkout_is_written_as_dvc_writes_it() -> None:
    program = """
import io, sys
sys.path.insert(0, "orchestration")
import dvc_memo
from dvc.utils.serialize import _yaml
plain = _yaml._dump
text = open("dvc.lock").read()
dvc_memo.remember(_yaml)
data = _yaml.parse_yaml(text, "dvc.lock", typ="rt")
for turn in range(3):
    for name in list(data["stages"])[turn::7]:
        data["stages"][name] = {**data["stages"][name], "cmd": f"turn {turn}: " + "a long line of words " * 9}
    one, other = io.StringIO(), io.StringIO()
    _yaml._dump(data, one)
    plain(data, other)
    assert one.getvalue() == other.getvalue(), turn
print("same")
"""
    run = [str(ROOT / ".venv-dvc" / "bin" / "python"), "-P", "-c", program]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "same\n", done.stderr
