"""DVC as its own program runs it, with what it would parse and write again at every stage remembered.

After each stage DVC reads the whole of dvc.lock, changes one entry, and writes it all, by a parser in Python: half a
second a stage for a graph of fifty. Within one process the text that it has just written need not be parsed again.
What is written is what DVC writes. Standard library and DVC alone: this runs in DVC's environment.
"""

import io
import pickle
import runpy
import sys
from typing import Any, TextIO


def remember(module: Any) -> None:
    """Give `dvc.utils.serialize._yaml` a memory: of each text that was parsed, and of what was written last."""
    parse, dump = module.parse_yaml, module._dump
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
        buffer = io.StringIO()
        dump(data, buffer)
        text = buffer.getvalue()
        stream.write(text)
        written.clear()
        written[text] = data

    module.parse_yaml = parse_yaml
    module._dump = _dump


def main(arguments: list[str]) -> None:
    """Run the program `arguments[0]` with the rest of them as its own."""
    try:
        from dvc.utils.serialize import _yaml

        remember(_yaml)
    except (ImportError, AttributeError):
        # Another DVC keeps this elsewhere: then it is as slow as it is by itself.
        pass
    sys.argv = arguments
    runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
