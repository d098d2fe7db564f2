"""DVC as its own program runs it, with what it would parse and write again at every stage remembered.

After each stage DVC reads the whole of dvc.lock, changes one entry, and writes it all, by a parser in Python: a second
a stage for a graph of fifty. Within one process the text that it has just written need not be parsed again, nor the
entries of other stages be written anew. What is written is what DVC writes. Standard library and DVC alone: this runs
in DVC's environment.
"""

import io
import json
import pickle
import runpy
import sys
from typing import Any, TextIO

KEPT = 2
"""Texts that are remembered as written: before dvc.lock is changed for a stage, its run is written to the run cache."""


def remember(module: Any) -> None:
    """Give `dvc.utils.serialize._yaml` a memory: of each text that was parsed, and of what was written."""
    parse, write = module.parse_yaml, _Writer(module._dump)
    parsed: dict[str, bytes] = {}
    written: dict[str, Any] = {}

    def parse_yaml(text: Any, path: Any, typ: str = "safe") -> Any:
        if not isinstance(text, str):
            return parse(text, path, typ)
        if typ != "safe":
            # Given away: who asks for it changes it, and hands it back by writing.
            return written.pop(text) if text in written else parse(text, path, typ)
        if text not in parsed:
            data = parse(text, path, typ)
            parsed[text] = pickle.dumps(data)
            return data
        return pickle.loads(parsed[text])

    def _dump(data: Any, stream: TextIO) -> None:
        text = write(data)
        stream.write(text)
        written[text] = data
        while len(written) > KEPT:
            del written[next(iter(written))]

    module.parse_yaml = parse_yaml
    module._dump = _dump


class _Writer:
    """Writes data by `dump`; of dvc.lock only the entries that it has not written before."""

    def __init__(self, dump: Any) -> None:
        self._dump = dump
        self._entries: dict[tuple[str, str], str] = {}
        self._trusted: bool | None = None

    def __call__(self, data: Any) -> str:
        if self._trusted is False or list(data) != ["schema", "stages"] or not data["stages"]:
            return self._whole(data)
        try:
            text = self._head(data) + "".join(self._entry(name, entry) for name, entry in data["stages"].items())
        except (TypeError, ValueError):
            # an entry of something that JSON cannot say: nothing to remember it by
            return self._whole(data)
        if self._trusted is None:
            # once a process: a comment, say, would stand in the whole and in no entry
            whole = self._whole(data)
            self._trusted = whole == text
            return whole
        return text

    def _whole(self, data: Any) -> str:
        buffer = io.StringIO()
        self._dump(data, buffer)
        return buffer.getvalue()

    def _head(self, data: Any) -> str:
        return self._whole({"schema": data["schema"]}) + "stages:\n"

    def _entry(self, name: str, entry: Any) -> str:
        known = name, json.dumps(entry)
        if known not in self._entries:
            self._entries[known] = self._whole({"stages": {name: entry}}).partition("\n")[2]
        return self._entries[known]


def main(arguments: list[str]) -> None:
    """Run the program `arguments[0]` with the rest of them as its own."""
    try:
        from dvc.utils import serialize
        from dvc.utils.serialize import _yaml

        remember(_yaml)
        # what the package took from the module before
        serialize.parse_yaml = _yaml.parse_yaml
    except (ImportError, AttributeError):
        # Another DVC keeps this elsewhere: then it is as slow as it is by itself.
        pass
    sys.argv = arguments
    runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
